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

/* Where a picture is asked for, or JSON: adds the table of channels between switches by their routes, which LOAD
 * [channels] counts, and its figure. */
int route_add_loads(struct invocation *invocation, const struct cw_network *net, const uint64_t *load);

/* --- routes for traffic ------------------------------------------------------------------------------------------- */

struct route_traffic {
    struct cw_demands demands;
    uint64_t bytes; /* on the busiest channel between switches */
    uint32_t channel;
    uint64_t bound; /* no tables of shortest routes have less */
};

/* Routes the network of FABRIC, which has no routes yet, for PATTERN among its endpoints, by --routing. TRAFFIC is
 * zeroed; its demands are the caller's to free in any case. */
int route_for_traffic(struct invocation *invocation, const char *pattern, struct fabric *fabric,
                      struct route_traffic *traffic);

int route_add_traffic(struct invocation *invocation, const struct fabric *fabric, const struct route_traffic *traffic);

#endif
