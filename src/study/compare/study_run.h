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
#include "study/compare/measures.h"
#include "study/compare/store.h"
#include "study/compare/study_file.h"

CW_BEGIN_DECLS

/* A study whose names all mean something. Free with cw_study_plan_free. */
struct cw_study_plan {
    const struct cw_study *study; /* borrowed */
    struct cw_measure *measures;
    size_t n_measures;
    struct cw_study_case *cases; /* with a routing each, and the endpoints that take part */
    size_t n;
    struct cw_study_network {
        struct cw_network *net;  /* as it is, before anything fails */
        struct cw_inputs inputs; /* files that it was made of */
    } * networks;                /* [values of network] */
    size_t n_networks;
};

/* Reads the networks of STUDY, which has a seed, looks whether its routings and measures are some, and makes its cases.
 * What is wrong is said with its line. CW_EPARSE and whatever reading gives. */
int cw_study_plan_make(const struct cw_study *study, struct cw_study_plan *out);
void cw_study_plan_free(struct cw_study_plan *plan);

/* All borrowed. */
struct cw_study_setup {
    const struct cw_study_plan *plan;
    const struct cw_inputs *before; /* files that were read before and change figures: plug-ins */
    struct cw_store *store;         /* NULL: none */
    unsigned n_threads;
    struct cw_progress *progress; /* steps once a case */
    const struct cw_executor *executor;
};

/* What came of a case. */
struct cw_study_outcome {
    bool done;
    struct cw_figure figures[]; /* [n_measures] */
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

/* What it would take: of case I, how many of its figures are not stored yet, and the time that they take on one thread
 * by what such figures took; NaN: nothing is known. 0 or CW_ENOMEM. */
int cw_study_cost(const struct cw_study_setup *setup, size_t i, size_t *missing, double *seconds);

CW_END_DECLS

#endif
