/* How low the busiest channel between switches can be: what `crosswind route` prints beside balanced routes. */
#ifndef CW_CLI_ROUTE_BOUNDS_H
#define CW_CLI_ROUTE_BOUNDS_H

#include "cli/fabric.h"
#include "flow/flow_problem.h"

/* The columns `bound` and `multipath_bound`. */
#define ROUTE_BOUND_HELP "no forwarding tables of shortest paths can have less on it"
#define ROUTE_MULTIPATH_HELP                                                                                           \
    "no routes whatever, longer ones and several for each pair included, can have less on it; missing if it was not "  \
    "computed"

struct route_bounds {
    uint64_t tables;
    double multipath; /* NAN: not computed */
};

/* Appends both to the row of TABLE for DEMANDS (NULL: every endpoint sends to every other). BOUNDS has that of tables,
 * which is raised if the other says more; why that was not computed is said in a note. */
int route_add_bound_columns(struct invocation *invocation, const struct cw_network *net,
                            const struct cw_demands *demands, struct route_bounds *bounds, struct cw_table *table);

/* Adds the table of bounds if the routes are balanced ones, and LOAD_MAX of them are on the busiest channel. */
int route_add_bounds(struct invocation *invocation, const struct fabric *fabric, double load_max);

#endif
