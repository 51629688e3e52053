#include "cli/flit/flit_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"

int flit_trials_new(const struct flit_mode *mode, size_t wanted, size_t most_jobs, struct flit_trials *trials)
{
    *trials = (struct flit_trials){.mode = mode, .wanted = wanted};
    trials->outcomes = cw_new_array(wanted * most_jobs, sizeof *trials->outcomes, "results of trials");
    trials->figures = cw_new_array(wanted, sizeof *trials->figures, "results of trials");
    return trials->outcomes && trials->figures ? 0 : CW_ENOMEM;
}

void flit_trials_free(struct flit_trials *trials)
{
    free(trials->outcomes);
    free(trials->figures);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

/* The first trial that failed, and why. */
struct failure {
    size_t trial;
    char *why; /* owned; NULL: none has */
};

static int remember(struct failure *failure, size_t trial)
{
    if (failure->why) return 0;
    const char *why = cw_error_message();
    failure->trial = trial;
    failure->why = cw_copy_text(why, strlen(why));
    return failure->why ? 0 : CW_ENOMEM;
}

/* A trial that fails must not take the others with it, nor go unsaid: it would have been the slowest. */
static int report_failures(const struct flit_trials *trials, const struct flit_study *study,
                           const struct failure *failure)
{
    struct invocation *invocation = trials->mode->invocation;
    if (!failure->why) return 0;
    if (trials->kept == 0) return cw_fail(CW_EROUTE, "%s", failure->why);
    cw_result_note(invocation->result,
                   "%s: %zu of %zu trials failed and are left out, so that the means are too low. Trial %zu: %s.",
                   cw_packet_routing_name(study->routing), trials->wanted - trials->kept, trials->wanted,
                   failure->trial + 1, failure->why);
    invocation->failed = true;
    return 0;
}

static int run_all(struct flit_trials *trials, const struct flit_study *study)
{
    struct cw_progress *progress =
        invocation_progress(trials->mode->invocation, cw_packet_routing_name(study->routing), trials->wanted);
    struct failure failure = {0};
    int rc = 0;
    trials->kept = 0;
    for (size_t i = 0; i < trials->wanted && !rc; i++) {
        rc = flit_study_run(study, i, &trials->outcomes[trials->kept * trials->n_jobs]);
        if (rc == CW_EROUTE)
            rc = remember(&failure, i);
        else if (!rc)
            trials->kept++;
        cw_progress_step(progress, 1);
    }
    cw_progress_free(progress);
    if (!rc) rc = report_failures(trials, study, &failure);
    free(failure.why);
    return rc;
}

int flit_trials_run(struct flit_trials *trials, const struct flit_jobs *jobs, const struct flit_routing *routing,
                    uint64_t *warmup)
{
    const struct flit_mode *mode = trials->mode;
    struct flit_study study = {.net = mode->net,
                               .selection = mode->selection,
                               .hardware = mode->hardware,
                               .messages = &mode->messages,
                               .seed = (uint64_t)mode->invocation->common.seed,
                               .n_threads = (unsigned)mode->invocation->common.threads,
                               .jobs = jobs,
                               .routing = routing->packets,
                               .routes = routing->routes};
    trials->n_jobs = jobs->n;
    int rc = flit_study_make(&study, routing->spec, &mode->steady);
    if (!rc) rc = run_all(trials, &study);
    *warmup = study.warmup;
    flit_study_free(&study);
    return rc;
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

int flit_trials_add_figure(const struct flit_trials *trials, struct cw_table *table, size_t job, size_t offset,
                           double scale)
{
    struct cw_summary summary;
    for (size_t i = 0; i < trials->kept; i++) {
        const char *outcome = (const char *)&trials->outcomes[i * trials->n_jobs + job];
        trials->figures[i] = scale * *(const double *)(const void *)(outcome + offset);
    }
    if (isnan(trials->figures[0])) {
        cw_table_none(table);
        cw_table_none(table);
        return 0;
    }
    const int rc = cw_summarise(trials->figures, trials->kept, &summary);
    if (rc) return rc;
    cw_table_real(table, summary.mean);
    cw_table_real(table, summary.ci95);
    return 0;
}
