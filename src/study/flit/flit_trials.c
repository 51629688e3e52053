#include "study/flit/flit_trials.h"

#include <math.h>
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

/* Remembers the first failure. */
static int remember(struct cw_flit_trials *trials, size_t trial)
{
    if (trials->why) return 0;
    const char *why = cw_error_message();
    trials->failed = trial;
    trials->why = cw_copy_text(why, strlen(why));
    return trials->why ? 0 : CW_ENOMEM;
}

int cw_flit_trials_run(const struct cw_flit_jobs_case *made, size_t wanted, struct cw_progress *progress,
                       struct cw_flit_trials *out)
{
    struct cw_flit_trials trials = {.wanted = wanted, .n_jobs = made->jobs->n};
    trials.outcomes = cw_new_array(wanted * trials.n_jobs, sizeof *trials.outcomes, "results of trials");
    int rc = trials.outcomes ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < wanted && !rc; i++) {
        rc = cw_flit_jobs_case_run(made, i, &trials.outcomes[trials.kept * trials.n_jobs]);
        if (rc == CW_EROUTE)
            rc = remember(&trials, i);
        else if (!rc)
            trials.kept++;
        cw_progress_step(progress, 1);
    }
    if (!rc && trials.kept == 0) rc = cw_fail(CW_EROUTE, "%s", trials.why);
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
