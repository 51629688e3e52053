/*
 * Model 1 of Bui et al.: the optimum over k given paths a pair, as a linear program. Its paths are priced like all
 * paths are for the optimum, so most of them never get into the program: with all of them CLP takes minutes where this
 * takes seconds. The bound is that of the duals, over every given path.
 */
#include "flow/column_plan.h"

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    return cw_column_plan(problem, setup->paths, setup, CW_EXACT_GAP, out);
}

const struct cw_method cw_method_lp = {
    .name = "lp",
    .help = "the optimum over the k paths of each pair: a linear program (Bui et al., Model 1)",
    .needs_paths = true,
    .solve = solve};
