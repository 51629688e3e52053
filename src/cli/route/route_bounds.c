#include "cli/route/route_bounds.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "flow/busiest_bound.h"
#include "report/rows.h"

static const struct cw_column columns[] = {
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest channel between switches"},
    {"bound", CW_COLUMN_INT, NULL, ROUTE_BOUND_HELP},
    {"multipath_bound", CW_COLUMN_REAL, NULL, ROUTE_MULTIPATH_HELP},
};

int route_add_bound_columns(struct invocation *invocation, const struct cw_network *net,
                            const struct cw_demands *demands, struct route_bounds *bounds, struct cw_table *table)
{
    const int rc = cw_busiest_bound(net, demands, (unsigned)invocation->common.threads, &bounds->multipath);
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
