/*
 * A study is run: each case is a network in some state, routed and measured as crosswind compare does it
 * (study/compare/ measures.h), so that its figures are those of compare to the digit. Figures that a store has are
 * taken from there.
 */
#ifndef CW_STUDY_RUN_H
#define CW_STUDY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/input.h"
#include "base/progress.h"
#include "base/trials.h"
#include "study/compare/store.h"
#include "study/compare/study_plan.h"

CW_BEGIN_DECLS

/* All borrowed. */
struct cw_study_setup {
    const struct cw_study_plan *plan;
    const struct cw_inputs *before; /* files that were read before and change figures: plug-ins */
    struct cw_store *store;         /* NULL: none; of several processes the first has it, and keeps what others find */
    unsigned n_threads;
    struct cw_progress *progress; /* steps once a case */
    const struct cw_executor *executor;
};

/* What came of a case. */
struct cw_study_outcome {
    bool done;
    struct cw_study_figure figures[]; /* [n_measures] */
};

struct cw_study_results {
    size_t n, size; /* outcomes, in the order of cases; bytes of each */
    char *outcomes;
    struct cw_inputs inputs; /* files that figures were made of, by name, beside those of the networks */
};

static inline const struct cw_study_outcome *cw_study_outcome(const struct cw_study_results *of, size_t i)
{
    return (const struct cw_study_outcome *)(const void *)(of->outcomes + i * of->size);
}

/* Runs all cases, one a thread at a time; a case is not routed if all of its figures are stored. What ends one figure
 * or case only is its outcome. After any other error, and an interrupt, OUT has the outcomes that are done. Free with
 * cw_study_results_free in any case. Time: a routing, and the measures, a case. */
int cw_study_run(const struct cw_study_setup *setup, struct cw_study_results *out);
void cw_study_results_free(struct cw_study_results *results);

/* What a case would take. */
struct cw_study_cost {
    size_t missing; /* figures that are not stored */
    double seconds; /* that these take on one thread, by what such figures took; NaN: of some nothing is known */
};

/* That of each case, [plan->n]. 0 or CW_ENOMEM. */
int cw_study_costs(const struct cw_study_setup *setup, struct cw_study_cost *out);

CW_END_DECLS

#endif
