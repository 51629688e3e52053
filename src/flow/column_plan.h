/*
 * What methods have in common: those that generate columns, from a problem to a plan with a bound; and those that ask
 * others.
 */
#ifndef CW_FLOW_COLUMN_PLAN_H
#define CW_FLOW_COLUMN_PLAN_H

#include <stdbool.h>

#include "base/decls.h"
#include "flow/method.h"

#define CW_EXACT_GAP 1e-7 /* what is left of a gap then is rounding */

CW_BEGIN_DECLS

/* True for demands × switches of which the exact optimum takes too long. */
bool cw_is_large(const struct cw_flow_problem *problem);

/* The network's own routes, which SETUP has, as PLAN, with the proof of a cut through which nothing could carry more;
 * CW_ELIMIT if that does not prove them the best, or why there are none. Time: the hops of all routes. */
int cw_own_routes_plan(const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                       struct cw_plan *plan);

/* Generates columns among PATHS, or all paths where it is NULL, until GAP or the setup's time is reached. PLAN gets the
 * paths in use, pruned, the bound over these paths, and by the same lengths a proof over all. */
int cw_column_plan(const struct cw_flow_problem *problem, const struct cw_k_paths *paths,
                   const struct cw_method_setup *setup, double gap, struct cw_plan *plan);

/* As cw_method_solve, but that the proof is not verified yet: OUT is not for anybody else's eyes. */
int cw_method_make(const struct cw_method *method, const struct cw_flow_problem *problem,
                   const struct cw_method_setup *setup, struct cw_plan *out);

CW_END_DECLS

#endif
