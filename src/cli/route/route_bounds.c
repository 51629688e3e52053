#include "cli/route/route_bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "flow/congestion_bound.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/engine.h"

static const struct cw_column load_columns[] = {
    {"place", CW_COLUMN_INT, NULL, "channels between switches, by their routes: the first has most"},
    {"routes", CW_COLUMN_INT, NULL, "routes on that channel, of those that were looked at"},
};

static const struct cw_column columns[] = {
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest channel between switches"},
    {"bound", CW_COLUMN_INT, NULL, ROUTE_BOUND_HELP},
    {"multipath_bound", CW_COLUMN_REAL, NULL, ROUTE_MULTIPATH_HELP},
};

int route_add_bound_columns(struct invocation *invocation, const struct cw_network *net,
                            const struct cw_demands *demands, struct route_bounds *bounds, struct cw_table *table)
{
    const int rc = cw_congestion_bound(net, demands, (unsigned)invocation->common.threads, &bounds->multipath);
    if (rc && rc != CW_EUSAGE) return rc;
    if (rc) {
        bounds->multipath = NAN;
        cw_result_note(invocation->result, "The bound over all routes (multipath_bound) was not computed: %s.",
                       cw_error_message());
    } else if (ceil(bounds->multipath) > (double)bounds->tables)
        bounds->tables = (uint64_t)ceil(bounds->multipath);
    cw_table_int(table, (int64_t)bounds->tables);
    cw_table_real(table, bounds->multipath);
    return 0;
}

int route_add_bounds(struct invocation *invocation, const struct fabric *fabric, double load_max)
{
    struct route_bounds bounds = {.tables = cw_routes_load_bound(fabric->routes)};
    struct cw_table *table;
    char others[64] = "";
    if (bounds.tables == 0) return 0;
    int rc = cw_result_new_table(invocation->result, "bounds", "How low the busiest channel between switches can be",
                                 CW_ITEMS(columns), &table);
    if (rc) return rc;
    cw_table_real(table, load_max);
    rc = route_add_bound_columns(invocation, fabric->net, NULL, &bounds, table);
    if (rc) return rc;
    if (!isnan(bounds.multipath))
        snprintf(others, sizeof others, ", and no routes whatever fewer than %.4g", bounds.multipath);
    cw_result_note(invocation->result,
                   "No forwarding tables of shortest paths can have fewer than %llu routes on the busiest channel "
                   "between switches%s; these have %.0f.",
                   (unsigned long long)bounds.tables, others, load_max);
    return 0;
}

/* --- routes for traffic ------------------------------------------------------------------------------------------- */

#define BATCH 256 /* routes that are walked at once */

static const struct cw_column traffic_columns[] = {
    {"bytes_max", CW_COLUMN_INT, "byte", "what the busiest channel between switches carries of the traffic"},
    {"bound", CW_COLUMN_INT, "byte", ROUTE_BOUND_HELP},
    {"multipath_bound", CW_COLUMN_REAL, "byte", ROUTE_MULTIPATH_HELP},
    {"busiest", CW_COLUMN_TEXT, NULL, "that channel"},
};

static int weights_of(const struct cw_demands *demands, struct cw_pair_weight **weights)
{
    *weights = cw_new_array(demands->n, sizeof **weights, "weights of pairs");
    if (!*weights) return CW_ENOMEM;
    for (size_t i = 0; i < demands->n; i++)
        (*weights)[i] = (struct cw_pair_weight){demands->items[i].src, demands->items[i].dst, demands->items[i].bytes};
    return 0;
}

/* Adds N demands, at most BATCH, to the LOAD of the channels between switches on their routes. CHANNELS has room. */
static int add_batch(const struct cw_routes *routes, const struct cw_demand *demands, size_t n, uint32_t *channels,
                     uint64_t *load, struct route_traffic *traffic)
{
    uint32_t src[BATCH], dst[BATCH], hops[BATCH];
    for (size_t i = 0; i < n; i++) {
        src[i] = demands[i].src;
        dst[i] = demands[i].dst;
    }
    const int rc = cw_routes_paths(routes, n, src, dst, hops, channels, NULL);
    for (size_t i = 0; i < n && !rc; i++, channels += cw_routes_max_hops(routes))
        for (uint32_t h = 1; h + 1 < hops[i]; h++) { /* without the endpoints' own */
            load[channels[h]] += demands[i].bytes;
            if (load[channels[h]] <= traffic->bytes) continue;
            traffic->bytes = load[channels[h]];
            traffic->channel = channels[h];
        }
    return rc;
}

/* The most that a channel between switches carries. */
static int find_busiest(const struct cw_routes *routes, const struct cw_demands *demands, struct route_traffic *traffic)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint64_t *load = cw_new_array(net->n_channels, sizeof *load, "bytes by channel");
    uint32_t *channels = cw_new_array((size_t)BATCH * cw_routes_max_hops(routes), sizeof *channels, "routes");
    int rc = load && channels ? 0 : CW_ENOMEM;
    traffic->bytes = 0;
    traffic->channel = CW_NONE;
    for (size_t i = 0; i < demands->n && !rc; i += BATCH) {
        const size_t n = demands->n - i < BATCH ? demands->n - i : BATCH;
        rc = add_batch(routes, &demands->items[i], n, channels, load, traffic);
        if (!rc) rc = cw_interrupt_check();
    }
    free(load);
    free(channels);
    return rc;
}

int route_for_traffic(struct invocation *invocation, const char *pattern, struct fabric *fabric,
                      struct route_traffic *traffic)
{
    const struct routing *routing = &invocation->routing;
    const uint64_t seed = (uint64_t)invocation->common.seed;
    struct cw_demands *demands = &traffic->demands;
    struct cw_pair_weight *weights = NULL;
    if (!routing->name || routing->tables)
        return cw_fail(CW_EUSAGE, "--traffic is for a --routing that looks at traffic, expected min-max-load");
    int rc = cw_demands_pattern(fabric->net, fabric->selection, pattern, 1, seed, demands);
    if (!rc) rc = weights_of(demands, &weights);
    if (!rc)
        rc = cw_engine_route_for(fabric->net, routing->name,
                                 &(struct cw_pair_weights){.items = weights, .n = demands->n}, seed,
                                 (unsigned)invocation->common.threads, &traffic->bound, &fabric->routes);
    if (!rc) rc = find_busiest(fabric->routes, demands, traffic);
    if (!rc) {
        cw_result_set_context(invocation->result, CW_CONTEXT_ROUTES, cw_routes_name(fabric->routes));
        cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, pattern);
    }
    free(weights);
    return rc;
}

int route_add_traffic(struct invocation *invocation, const struct fabric *fabric, const struct route_traffic *traffic)
{
    struct cw_table *table;
    char name[2 * CW_NAME_SIZE + 32];
    struct route_bounds bounds = {.tables = traffic->bound};
    int rc = cw_result_new_table(invocation->result, "traffic", "The traffic on the busiest channel between switches",
                                 CW_ITEMS(traffic_columns), &table);
    if (rc) return rc;
    cw_table_int(table, (int64_t)traffic->bytes);
    rc = route_add_bound_columns(invocation, fabric->net, &traffic->demands, &bounds, table);
    if (rc) return rc;
    cw_table_text(table, traffic->channel == CW_NONE
                             ? NULL
                             : cw_network_channel_name(fabric->net, traffic->channel, name, sizeof name));
    return 0;
}

/* --- routes by channel -------------------------------------------------------------------------------------------- */

static int compare_loads(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* Of channels with as many routes the first and the last. */
static int add_loads(struct invocation *invocation, const uint64_t *loads, size_t n)
{
    struct cw_table *table;
    double sum = 0;
    int rc = cw_result_new_detail(invocation->result, "loads", "Routes on channels between switches, the most first",
                                  CW_ITEMS(load_columns), &table);
    if (!rc) cw_table_cut_text(table, 0);
    for (size_t i = 0; !rc && i < n; i++) {
        sum += (double)loads[i];
        if (i == 0 || i + 1 == n || loads[i] != loads[i - 1] || loads[i] != loads[i + 1])
            cw_table_row(table, "%zu %lu", i + 1, loads[i]);
    }
    if (rc || n == 0) return rc;
    return cw_result_figure(invocation->result, &(struct cw_figure){.kind = CW_FIGURE_LINES,
                                                                    .table = "loads",
                                                                    .x = "place",
                                                                    .y = "routes",
                                                                    .x_from = n > 1,
                                                                    .x_to = n > 1 ? (double)n : 0,
                                                                    .level_label = "mean",
                                                                    .level = sum / (double)n});
}

int route_add_loads(struct invocation *invocation, const struct cw_network *net, const uint64_t *load)
{
    size_t n = 0;
    if (!invocation_has_figures(invocation) || !load) return 0;
    uint64_t *loads = cw_new_array(net->n_channels, sizeof *loads, "routes by channel");
    if (!loads) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints && !cw_network_is_closed(net, c))
            loads[n++] = load[c];
    qsort(loads, n, sizeof *loads, compare_loads);
    const int rc = add_loads(invocation, loads, n);
    free(loads);
    return rc;
}
