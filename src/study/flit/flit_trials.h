/*
 * Random trials of jobs of which some end: those that succeed, and what they come to. A trial that fails does not take
 * the others with it.
 */
#ifndef CW_STUDY_FLIT_TRIALS_H
#define CW_STUDY_FLIT_TRIALS_H

#include <stddef.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "study/flit/flit_jobs_case.h"

CW_BEGIN_DECLS

struct cw_flit_trials {
    size_t wanted, n_jobs;
    size_t kept;                      /* trials that succeeded, 1 at least */
    struct cw_flit_outcome *outcomes; /* [kept][n_jobs]; owned, as the next */
    char *why;                        /* the first failure's message; NULL: no trial failed */
    size_t failed;                    /* the trial that it is of, from 0 on */
};

/* Runs the trials 0 … WANTED-1 of MADE. Those that end with CW_EROUTE are left out: the slowest ones, so that means
 * over the others are too low, which the caller should say. An error if none is left, or for any other reason.
 * EXECUTOR runs them (NULL: this process). PROGRESS (or NULL) steps once a trial. Free with cw_flit_trials_free. */
int cw_flit_trials_run(const struct cw_flit_jobs_case *made, size_t wanted, const struct cw_executor *executor,
                       struct cw_progress *progress, struct cw_flit_trials *out);
void cw_flit_trials_free(struct cw_flit_trials *trials);

/* Summarises QUANTITY of job JOB over those of the trials kept in which it applies, OUT's n. Mean and interval are NaN
 * if there are none. */
int cw_flit_trials_summarise(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                             struct cw_summary *out);

CW_END_DECLS

#endif
