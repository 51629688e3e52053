#include "study/flit/flit_trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void cw_flit_trials_free(struct cw_flit_trials *trials)
{
    free(trials->outcomes);
    free(trials->why);
    *trials = (struct cw_flit_trials){0};
}

#define WHY_SIZE 1024

/* What comes of a trial. */
struct outcome {
    char why[WHY_SIZE];          /* it failed; empty: it did not */
    struct cw_flit_outcome of[]; /* [n_jobs] */
};

static size_t size_of_outcome(const struct cw_flit_jobs_case *made)
{
    return sizeof(struct outcome) + made->jobs->n * sizeof(struct cw_flit_outcome);
}

static int run_trial(const void *context, void *state, size_t trial, void *space)
{
    struct outcome *outcome = space;
    (void)state;
    const int rc = cw_flit_jobs_case_run(context, trial, outcome->of);
    if (rc != CW_EROUTE) return rc;
    snprintf(outcome->why, sizeof outcome->why, "%s", cw_error_message());
    return 0;
}

/* Keeps the trials that succeeded, and the first failure. */
static int sort_out(const char *outcomes, size_t size, struct cw_flit_trials *trials)
{
    for (size_t i = 0; i < trials->wanted; i++) {
        const struct outcome *outcome = (const void *)(outcomes + i * size);
        const size_t length = strlen(outcome->why);
        if (length == 0) {
            memcpy(&trials->outcomes[trials->kept++ * trials->n_jobs], outcome->of,
                   trials->n_jobs * sizeof *outcome->of);
        } else if (!trials->why) {
            trials->failed = i;
            trials->why = cw_copy_text(outcome->why, length);
            if (!trials->why) return CW_ENOMEM;
        }
    }
    return trials->kept > 0 ? 0 : cw_fail(CW_EROUTE, "%s", trials->why);
}

/* One after another: each is simulated by all threads. */
int cw_flit_trials_run(const struct cw_flit_jobs_case *made, size_t wanted, const struct cw_executor *executor,
                       struct cw_progress *progress, struct cw_flit_trials *out)
{
    struct cw_flit_trials trials = {.wanted = wanted, .n_jobs = made->jobs->n};
    const struct cw_trials loop = {.n = wanted,
                                   .outcome_size = size_of_outcome(made),
                                   .context = made,
                                   .run = run_trial,
                                   .n_threads = 1,
                                   .progress = progress,
                                   .executor = executor};
    void *outcomes;
    int rc = cw_trials_run(&loop, &outcomes, NULL);
    if (rc) return rc;
    trials.outcomes = cw_new_array(wanted * trials.n_jobs, sizeof *trials.outcomes, "results of trials");
    rc = trials.outcomes ? sort_out(outcomes, loop.outcome_size, &trials) : CW_ENOMEM;
    free(outcomes);
    if (rc)
        cw_flit_trials_free(&trials);
    else
        *out = trials;
    return rc;
}

int cw_flit_trials_summarise(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                             struct cw_summary *out)
{
    size_t n = 0;
    int rc = 0;
    double *values = cw_new_array(trials->kept, sizeof *values, "results of trials");
    if (!values) return CW_ENOMEM;
    for (size_t i = 0; i < trials->kept; i++) {
        const double value = trials->outcomes[i * trials->n_jobs + job].of[quantity];
        if (!isnan(value)) values[n++] = value;
    }
    if (n > 0)
        rc = cw_summarise(values, n, out);
    else
        *out = (struct cw_summary){.mean = (double)NAN, .ci95 = (double)NAN};
    free(values);
    return rc;
}
