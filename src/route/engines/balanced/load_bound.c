#include "route/engines/balanced/load_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"

/* The bound is by sums of rounded numbers: so much is taken off. */
#define ROUNDING 1e-9

/* The lightest way from V to a switch HOPS from the destination: its first channel and all behind it. */
static double lightest(const struct cw_balanced_trees *trees, uint32_t v, uint32_t hops, const double *weight,
                       const double *sum)
{
    const struct cw_network *net = trees->net;
    double least = INFINITY;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t u = net->head[c];
        if (u < net->n_endpoints || trees->hops[u - net->n_endpoints] != hops) continue;
        const double way = weight[c] + sum[u - net->n_endpoints];
        if (way < least) least = way;
    }
    return least;
}

/* The weight of the lightest routes from all endpoints to DST. */
static double weigh(struct cw_balanced_trees *trees, uint32_t dst, const double *weight, double *sum)
{
    const uint32_t base = trees->net->n_endpoints;
    double all = 0;
    cw_trees_search(trees, dst);
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i], hops = trees->hops[v];
        sum[v] = hops == 0 ? 0 : lightest(trees, v + base, hops - 1, weight, sum);
        all += (double)cw_trees_sources(trees, v) * sum[v];
    }
    for (uint32_t i = 0; i < trees->n_several; i++) {
        const uint32_t hops = cw_trees_nearest(trees, trees->several[i]);
        if (trees->several[i] != dst && hops != CW_TREES_FAR)
            all += (double)cw_trees_source(trees, i) * lightest(trees, trees->several[i], hops, weight, sum);
    }
    return all;
}

/* The bound by weights that are the POWERth of the loads, relative to the greatest, MOST. */
static int bound_by(struct cw_balanced_trees *trees, double power, double most, double *weight, double *sum,
                    uint64_t *bound)
{
    const struct cw_network *net = trees->net;
    double routes = 0, weights = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool between = !cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]);
        weight[c] = between ? pow((double)trees->load[c] / most, power) : 0;
        weights += weight[c];
    }
    for (uint32_t i = 0; i < trees->n_order; i++) {
        const int rc = cw_interrupt_check();
        if (rc) return rc;
        routes += weigh(trees, trees->order[i], weight, sum);
    }
    const double found = weights > 0 ? ceil(routes / weights * (1 - ROUNDING)) : 0;
    if (found > (double)*bound) *bound = (uint64_t)found;
    return 0;
}

int cw_load_bound(struct cw_balanced_trees *trees, uint64_t *bound)
{
    static const double powers[] = {0, 2, 4, 8, 16, 32, 64};
    const struct cw_network *net = trees->net;
    double *weight = cw_new_array(net->n_channels, sizeof *weight, "a bound of loads");
    double *sum = cw_new_array(cw_network_switches(net), sizeof *sum, "a bound of loads");
    int rc = weight && sum ? 0 : CW_ENOMEM;
    double most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]) &&
            (double)trees->load[c] > most)
            most = (double)trees->load[c];
    *bound = 0;
    for (size_t i = 0; i < sizeof powers / sizeof *powers && rc == 0; i++)
        rc = bound_by(trees, powers[i], most, weight, sum, bound);
    free(weight);
    free(sum);
    return rc;
}

static void raise_to(uint64_t *bound, uint64_t to)
{
    if (to > *bound) *bound = to;
}

void cw_load_bound_of_tables(struct cw_balanced_trees *trees, uint64_t *bound)
{
    for (uint32_t i = 0; i < trees->n_order; i++) {
        cw_trees_search(trees, trees->order[i]);
        for (uint32_t r = 0; r < trees->n_reached; r++)
            if (trees->hops[trees->reached[r]] > 0) raise_to(bound, cw_trees_sources(trees, trees->reached[r]));
        for (uint32_t s = 0; s < trees->n_several; s++) {
            const uint32_t hops = cw_trees_nearest(trees, trees->several[s]);
            if (hops > 0 && hops != CW_TREES_FAR) raise_to(bound, cw_trees_source(trees, s));
        }
    }
}
