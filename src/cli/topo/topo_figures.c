#include "cli/topo/topo_figures.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/rows.h"
#include "topo/metrics.h"

#define STEPS 3e8 /* of the search: about a second */

static const struct cw_column distance_columns[] = {
    {"distance", CW_COLUMN_INT, "hop", "channels between two endpoints, those of the endpoints included"},
    {"pairs", CW_COLUMN_INT, NULL, "ordered pairs of endpoints, or of a sample of senders and all others"},
    {"share", CW_COLUMN_REAL, NULL, "the same, of all pairs that can reach each other"},
};

int topo_add_distances(struct invocation *invocation, const struct cw_network *net)
{
    const uint64_t seed = (uint64_t)invocation->common.seed;
    struct cw_result *result = invocation->result;
    struct cw_distances distances;
    struct cw_table *table;
    uint64_t *pairs, all = 0;
    uint32_t n;
    if (!invocation_has_figures(invocation) || cw_network_endpoints(net) < 2) return 0;
    int rc = cw_network_distance_counts(net, (unsigned)invocation->common.threads, seed, STEPS, &pairs, &n, &distances);
    if (rc) return rc;
    rc = cw_result_new_detail(result, "distances", "Distances between endpoints", CW_ITEMS(distance_columns), &table);
    if (!rc) cw_table_cut_text(table, 0);
    for (uint32_t d = 0; d < n; d++) all += pairs[d];
    for (uint32_t d = 0; !rc && d < n; d++)
        if (pairs[d] > 0) cw_table_row(table, "%u %lu %g", d, pairs[d], (double)pairs[d] / (double)all);
    free(pairs);
    if (rc || all == 0) return rc;
    if (!distances.exact)
        cw_result_note(result, "Table distances counts pairs from %u random endpoints to all others.",
                       distances.sources);
    return cw_result_figure(result, &(struct cw_figure){.kind = CW_FIGURE_HISTOGRAM,
                                                        .table = "distances",
                                                        .x = "distance",
                                                        .y = "share",
                                                        .x_label = "channels from endpoint to endpoint",
                                                        .y_label = "share of the pairs"});
}

int topo_declare_figures(struct cw_result *result)
{
    static const struct cw_figure_panel capacities[] = {{.y = "down", .label = "from below"},
                                                        {.y = "across", .label = "within the level"},
                                                        {.y = "up", .label = "to higher levels"}},
                                        cables[] = {{.y = "cables"}};
    static const struct cw_figure levels = {.kind = CW_FIGURE_BARS,
                                            .table = "levels",
                                            .title = "Capacity at each level of switches",
                                            .rows = "level",
                                            .panels = capacities,
                                            .n_panels = 3},
                                  places = {.kind = CW_FIGURE_BARS,
                                            .table = "cables",
                                            .rows = "from",
                                            .series = "speed",
                                            .panels = cables,
                                            .n_panels = 1};
    const struct cw_table *table = cw_result_find_table(result, "levels");
    return cw_result_figure(result, table && cw_table_rows(table) > 0 ? &levels : &places);
}
