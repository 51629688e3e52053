/* The routes to LIDs behind the first of each endpoint (LMC), in `crosswind route`. */
#ifndef CW_CLI_ROUTE_LIDS_H
#define CW_CLI_ROUTE_LIDS_H

#include "cli/fabric.h"
#include "route/check.h"

/* The cells reached, holes, loops, minimal, hops_mean and hops_max of a row. */
void route_add_reach(struct cw_table *table, const struct cw_reach *reach);

/* If there are several: says that DEADLOCK is about all of them, unless it is about the first only. */
void route_note_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_deadlock *deadlock);

/* If there are several: adds a table with a row for each and says what is wrong with those behind the first. FIRST is
 * what was found of the routes to the first, between AMONG (NULL: all). */
int route_add_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_selection *among,
                   const struct cw_reach *first);

#endif
