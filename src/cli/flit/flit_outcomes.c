#include "cli/flit/flit_outcomes.h"

#include "base/progress.h"

/* A trial that fails must not go unsaid: it would have been the slowest. */
static void note_failures(struct invocation *invocation, const char *routing, const struct cw_flit_trials *trials)
{
    if (!trials->why) return;
    cw_result_note(invocation->result,
                   "%s: %zu of %zu trials failed and are left out, so the means are too low. Trial %zu: %s.", routing,
                   trials->wanted - trials->kept, trials->wanted, trials->failed + 1, trials->why);
    invocation->failed = true;
}

int flit_outcomes_run(const struct flit_mode *mode, const struct cw_flit_jobs *jobs, const struct flit_routing *routing,
                      size_t n, struct cw_flit_trials *out, uint64_t *warmup)
{
    const char *name = cw_packet_routing_spec(routing->packets);
    struct cw_flit_jobs_case made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .hardware = mode->hardware,
                                     .messages = &mode->messages,
                                     .seed = (uint64_t)mode->invocation->common.seed,
                                     .n_threads = (unsigned)mode->invocation->common.threads,
                                     .allow_deadlock = mode->values->allow_deadlock,
                                     .jobs = jobs,
                                     .routing = routing->packets,
                                     .routes = routing->routes};
    int rc = cw_flit_jobs_case_make(&made, routing->spec, &mode->steady);
    if (!rc) {
        struct cw_progress *progress = invocation_progress(mode->invocation, name, n);
        rc = cw_flit_trials_run(&made, n, invocation_executor(mode->invocation), progress, out);
        cw_progress_free(progress);
    }
    if (!rc) note_failures(mode->invocation, name, out);
    *warmup = made.warmup;
    cw_flit_jobs_case_free(&made);
    return rc;
}

int flit_outcomes_add(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                      struct cw_table *table)
{
    struct cw_summary summary;
    const int rc = cw_flit_trials_summarise(trials, job, quantity, &summary);
    if (rc) return rc;
    cw_table_real(table, summary.mean);
    cw_table_real(table, summary.ci95);
    return 0;
}
