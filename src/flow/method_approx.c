/*
 * Nearly the optimum over all paths, with a certified gap: lengths that grow exponentially with load
 * (flow/potential_reduction.h). For cases that are too large for linear programs, which come in only where potential
 * reduction stops short of epsilon.
 */
#include "base/error.h"
#include "flow/column_plan.h"

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    if (!(setup->epsilon > 0 && setup->epsilon < 1))
        return cw_fail(CW_EUSAGE, "method approx: epsilon is %g; expected more than 0 and less than 1", setup->epsilon);
    return cw_column_plan(problem, NULL, setup, setup->epsilon, out);
}

const struct cw_method cw_method_approx = {
    .name = "approx",
    .help = "within epsilon of the optimum over all paths, certified: lengths exponential in load",
    .solve = solve};
