/* The routes to LIDs behind the first of each endpoint (LMC), in `crosswind route`. */
#ifndef CW_CLI_ROUTE_LIDS_H
#define CW_CLI_ROUTE_LIDS_H

#include "cli/fabric.h"
#include "route/check.h"

/* Adds a table with a row for each LID if there are several; FIRST is what was found of the routes to the first,
 * between AMONG (NULL: all). Says what is wrong with the others, and which of them DEADLOCK (NULL: not known) is about.
 */
int route_add_lids(struct invocation *invocation, const struct fabric *fabric, const struct cw_selection *among,
                   const struct cw_reach *first, const struct cw_deadlock *deadlock);

#endif
