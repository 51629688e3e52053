/* Who relays in `crosswind plan`, and by which routes data go between two who do. */
#ifndef CW_CLI_PLAN_LEGS_H
#define CW_CLI_PLAN_LEGS_H

#include "cli/fabric.h"
#include "study/move/plan_case.h"

/* True if INVOCATION's plans consist of legs on the routes of FABRIC; false: all its switches relay, and paths are
 * free.
 */
bool plan_has_legs(const struct invocation *invocation, const struct fabric *fabric);

/* CW_EUSAGE if --relays wants switches to relay, and one has not exactly one endpoint. */
int plan_check_relays(const struct invocation *invocation, const struct cw_network *net);

/* What cw_flow_problem_make is to know of the channels of endpoints. */
int plan_host_limit(const struct invocation *invocation);

/* Makes the legs of MADE, whose demands are there, of the routes of FABRIC. */
int plan_make_legs(struct invocation *invocation, const struct fabric *fabric, struct cw_plan_case *made);

/* Says in the result who relays, and over what. */
void plan_note_legs(struct invocation *invocation, const struct fabric *fabric, const struct cw_plan_case *made);

#endif
