#include "model/link_load.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/link_shares.h"
#include "model/packing.h"
#include "net/network_internal.h"
#include "route/packets/minimal_share.h"

#define TIE 1e-12 /* relative: sums of shares that differ less are equal, and the first channel stands for all */

#define MOST_SHARES (UINT64_C(1) << 24) /* that are kept, of all ranks */

#define FULL (1 + 1e-9) /* load of a channel, up to rounding, that cannot be exceeded */

/* Of equally busy ones the first between switches, or the first. */
static bool is_busier(const struct cw_network *net, const double *load, uint32_t c, uint32_t other)
{
    if (load[c] > load[other] * (1 + TIE)) return true;
    return load[c] * (1 + TIE) >= load[other] && !cw_network_is_host_channel(net, c) &&
           cw_network_is_host_channel(net, other);
}

static void find_busiest(const struct cw_network *net, const struct cw_link_sums *sums, struct cw_link_load *out)
{
    uint32_t busiest = 0;
    for (uint32_t c = 1; c < net->n_channels; c++)
        if (is_busier(net, out->load, c, busiest)) busiest = c;
    out->busiest = net->n_channels > 0 ? out->load[busiest] : 0;
    if (out->busiest > FULL) out->channel = busiest;
    out->fair = sums->bandwidth > 0 ? sums->traffic / sums->bandwidth / fmax(1, out->busiest) : 1;
}

/* --- which channels matter ---------------------------------------------------------------------------------------- */

struct loaded {
    double load;
    uint32_t channel;
};

static int compare_loaded(const void *a, const void *b)
{
    const struct loaded *x = a, *y = b;
    if (x->load != y->load) return x->load > y->load ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

/* Numbers the channels that are overloaded when every rank sends all it can, the busiest first. No other can limit
 * anybody. */
static int number_overloaded(const struct cw_network *net, const double *load, uint32_t *column_of, uint32_t *n_columns)
{
    struct loaded *overloaded = cw_new_array(net->n_channels, sizeof *overloaded, "channels by load");
    if (!overloaded) return CW_ENOMEM;
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        column_of[c] = CW_NONE;
        if (load[c] > FULL) overloaded[n++] = (struct loaded){load[c], c};
    }
    qsort(overloaded, n, sizeof *overloaded, compare_loaded);
    for (uint32_t i = 0; i < n; i++) column_of[overloaded[i].channel] = i;
    free(overloaded);
    *n_columns = n;
    return 0;
}

static int find_shares(const struct cw_batches *of, unsigned n_threads, double bandwidth, struct cw_link_load *out)
{
    const struct cw_network *net = of->net;
    uint32_t *column_of = cw_new_array(net->n_channels, sizeof *column_of, "channels by load");
    uint32_t n_columns;
    int rc = column_of ? number_overloaded(net, out->load, column_of, &n_columns) : CW_ENOMEM;
    if (!rc) rc = cw_link_shares_rows(of, n_threads, column_of, n_columns, bandwidth, MOST_SHARES, out->shares);
    free(column_of);
    return rc;
}

/* --- the bounds --------------------------------------------------------------------------------------------------- */

static int sum_for(struct cw_batches *of, double minimal, unsigned n_threads, double *load)
{
    struct cw_link_sums sums;
    of->minimal = minimal;
    return cw_link_shares_sum(of, n_threads, load, &sums);
}

static int find_minimal_share(struct cw_batches *of, unsigned n_threads)
{
    const uint32_t n_channels = of->net->n_channels;
    double *valiant = cw_new_array(n_channels, sizeof *valiant, "link loads");
    double *minimal = cw_new_array(n_channels, sizeof *minimal, "link loads");
    int rc = valiant && minimal ? sum_for(of, 0, n_threads, valiant) : CW_ENOMEM;
    if (!rc) rc = sum_for(of, 1, n_threads, minimal);
    if (!rc) of->minimal = cw_minimal_share(n_channels, valiant, minimal);
    free(valiant);
    free(minimal);
    return rc;
}

static int find_loads(struct cw_batches *of, unsigned n_threads, struct cw_link_load *out)
{
    struct cw_link_sums sums;
    out->load = cw_new_array(of->net->n_channels, sizeof *out->load, "link loads");
    out->shares = cw_new_array(1, sizeof *out->shares, "loads of ranks");
    if (!out->load || !out->shares) return CW_ENOMEM;
    int rc = cw_packet_routing_by_traffic(of->routing) ? find_minimal_share(of, n_threads) : 0;
    out->minimal = of->minimal;
    if (!rc) rc = cw_link_shares_sum(of, n_threads, out->load, &sums);
    if (!rc) rc = find_shares(of, n_threads, sums.bandwidth, out);
    if (rc) return rc;
    find_busiest(of->net, &sums, out);
    out->by_queues = sums.by_queues;
    return 0;
}

int cw_link_load_compute(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                         const uint32_t *endpoints, unsigned n_threads, struct cw_link_load *out)
{
    struct cw_batches batches;
    struct cw_link_load made = {.channel = CW_NONE};
    int rc = cw_batches_new(routing, workload, endpoints, &batches);
    if (rc) return rc;
    rc = find_loads(&batches, n_threads, &made);
    cw_batches_free(&batches);
    if (rc)
        cw_link_load_free(&made);
    else
        *out = made;
    return rc;
}

int cw_link_load_most(const struct cw_link_load *load, double offered, unsigned n_threads, double *most)
{
    struct cw_packing_bound bound;
    const int rc = cw_packing_bound(load->shares, offered, n_threads, &bound);
    if (!rc) *most = bound.most;
    return rc;
}

void cw_link_load_free(struct cw_link_load *load)
{
    if (!load) return;
    if (load->shares) cw_packing_free(load->shares);
    free(load->shares);
    free(load->load);
    load->load = NULL;
    load->shares = NULL;
}
