/*
 * Plans with few paths: what hardware or software can hold of them.
 */
#ifndef CW_FLOW_FEWER_PATHS_H
#define CW_FLOW_FEWER_PATHS_H

#include "base/decls.h"
#include "flow/method.h"

CW_BEGIN_DECLS

/* Leaves each demand of PLAN at most SETUP's max_paths, those of the greatest shares (of equal ones the shortest, then
 * the first), over which its bytes are split anew by the linear program. What is said of PLAN stays, its bound
 * included. */
int cw_plan_limit_paths(const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                        struct cw_plan *plan);

CW_END_DECLS

#endif
