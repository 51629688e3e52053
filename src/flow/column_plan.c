#include "flow/column_plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "flow/column_generation.h"
#include "flow/tidy.h"

/* A proof prices once more, a little slower than the first pricing, whose lengths are all alike. */
#define PROOF 1.5

int cw_column_plan(const struct cw_flow_problem *problem, const struct cw_k_paths *paths,
                   const struct cw_method_setup *setup, double gap, struct cw_plan *plan)
{
    const struct cw_closing closing = {.gap = gap,
                                       .begin = cw_stopwatch_now(),
                                       .deadline = cw_stopwatch_deadline(setup->seconds),
                                       .after = PROOF,
                                       .progress = setup->progress};
    struct cw_columns columns = {.problem = NULL};
    struct cw_pricing *pricing = NULL;
    double bound, *length = cw_new_array(problem->net->n_channels, sizeof *length, "channel lengths");
    int rc = length ? cw_columns_make(problem, &columns) : CW_ENOMEM;
    if (rc == 0) rc = cw_pricing_make(problem, paths, setup->n_threads, &pricing);
    if (rc == 0) rc = cw_column_generation(&columns, pricing, &closing, length, &bound);
    if (rc == 0) rc = cw_tidy(&columns);
    if (rc == 0) rc = cw_columns_plan(&columns, plan);
    if (rc == 0) rc = cw_proof_make(problem, length, setup->n_threads, &plan->proof);
    if (rc == 0) {
        plan->bound = paths ? bound : plan->proof.bound;
        plan->k = paths ? setup->k : 0;
    }
    cw_pricing_free(pricing);
    cw_columns_free(&columns);
    free(length);
    return rc;
}
