/*
 * The optimum over all paths there are, by column generation (flow/column_plan.c).
 */
#include "flow/column_plan.h"

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    return cw_column_plan(problem, NULL, setup, CW_EXACT_GAP, out);
}

const struct cw_method cw_method_optimum = {
    .name = "optimum",
    .help = "the optimum over all paths, proven: column generation, shortest paths priced by dual lengths",
    .solve = solve};
