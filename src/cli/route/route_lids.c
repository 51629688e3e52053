#include "cli/route/route_lids.h"
#include "base/text.h"
#include "report/rows.h"

static const struct cw_column columns[] = {
    {"path_bits", CW_COLUMN_INT, NULL, "which LID of each endpoint: what is added to its first"},
    {"reached", CW_COLUMN_INT, NULL, "pairs whose route to that LID arrives"},
    {"holes", CW_COLUMN_INT, NULL, "... ends in a missing entry, or at another endpoint"},
    {"loops", CW_COLUMN_INT, NULL, "... never ends"},
    {"minimal", CW_COLUMN_INT, NULL, "... is a shortest one"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean length of a route, host channels included"},
    {"hops_max", CW_COLUMN_INT, "hop", "longest route"},
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest channel between switches"},
};

void route_add_reach(struct cw_table *table, const struct cw_reach *reach)
{
    cw_table_row(table, "%lu %lu %lu %lu %g %u", reach->reached, reach->holes, reach->loops, reach->minimal,
                 reach->hops_mean, reach->hops_max);
}

static void add_row(struct cw_table *table, uint32_t path_bits, const struct cw_reach *reach)
{
    cw_table_int(table, path_bits);
    route_add_reach(table, reach);
    cw_table_real(table, reach->load_max);
}

static void note_problems(struct invocation *invocation, uint32_t path_bits, const struct cw_reach *reach)
{
    if (reach->holes + reach->loops == 0) return;
    cw_result_note(invocation->result, "To LIDs with path bits %u, the routes leave %llu pair%s unconnected: %s",
                   path_bits, (unsigned long long)(reach->holes + reach->loops), cw_plural(reach->holes + reach->loops),
                   reach->first_problem.data);
    invocation->failed = true;
}

void route_note_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_deadlock *deadlock)
{
    if (cw_routes_lids(routes) > 1 && !deadlock->first_lids)
        cw_result_note(invocation->result, "The deadlock check covers the routes to all LIDs together.");
}

int route_add_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_selection *among,
                   const struct cw_reach *first)
{
    const uint32_t lids = cw_routes_lids(routes);
    struct cw_table *table;
    if (lids == 1) return 0;
    int rc = cw_result_new_detail(invocation->result, "lids", "Routes to each LID", CW_ITEMS(columns), &table);
    if (rc) return rc;
    add_row(table, 0, first);
    for (uint32_t i = 1; i < lids; i++) {
        struct cw_reach reach;
        rc = cw_routes_reach(cw_routes_to_lid(routes, i), among, 0, (unsigned)invocation->common.threads, &reach);
        if (rc) return rc;
        add_row(table, i, &reach);
        note_problems(invocation, i, &reach);
        cw_reach_free(&reach);
    }
    return 0;
}
