/* Jobs that end, flit by flit. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli/jobs/jobs_run.h"
#include "route/engine.h"

/* What all routings share. */
struct flits {
    struct jobs_run *run;
    struct flit_mode mode;
    uint64_t warmup; /* the longest */
};

/* --- trials ------------------------------------------------------------------------------------------------------- */

/* Runs N trials with ROUTING. Free with cw_flit_trials_free. */
static int run_trials(struct flits *flits, const struct flit_routing *routing, size_t n, struct cw_flit_trials *out)
{
    const struct flit_mode *mode = &flits->mode;
    struct invocation *invocation = mode->invocation;
    struct cw_steady_setup steady;
    struct cw_flit_jobs_case made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .hardware = mode->hardware,
                                     .messages = &mode->messages,
                                     .seed = (uint64_t)invocation->common.seed,
                                     .n_threads = (unsigned)invocation->common.threads,
                                     .allow_deadlock = invocation->flits.allow_deadlock,
                                     .jobs = &flits->run->jobs,
                                     .routing = routing->packets,
                                     .routes = routing->routes};
    int rc = cw_flit_how_warmup(&invocation->flits, &steady);
    if (rc) return rc;
    rc = cw_flit_jobs_case_make(&made, routing->spec, &steady);
    if (!rc) {
        struct cw_progress *progress = invocation_progress(invocation, cw_packet_routing_spec(routing->packets), n);
        rc = cw_flit_trials_run(&made, n, invocation_executor(invocation), progress, out);
        cw_progress_free(progress);
    }
    if (made.warmup > flits->warmup) flits->warmup = made.warmup;
    cw_flit_jobs_case_free(&made);
    return rc;
}

/* A trial that fails must not go unsaid: it would have been the slowest. */
static void note_failures(struct invocation *invocation, const char *routing, const struct cw_flit_trials *trials)
{
    if (!trials->why) return;
    cw_result_note(invocation->result,
                   "%s: %zu of %zu trials failed and are left out, so the means are too low. Trial %zu: %s.", routing,
                   trials->wanted - trials->kept, trials->wanted, trials->failed + 1, trials->why);
    invocation->failed = true;
}

static int find_figures(const struct flits *flits, const struct cw_flit_trials *trials, size_t job,
                        struct jobs_figures *out)
{
    const struct {
        enum cw_outcome_quantity quantity;
        struct cw_summary *to;
    } all[] = {{CW_OUTCOME_ACCEPTED, &out->accepted}, {CW_OUTCOME_TIME, &out->cycles},
               {CW_OUTCOME_SECONDS, &out->time},      {CW_OUTCOME_ALONE, &out->alone},
               {CW_OUTCOME_SLOWDOWN, &out->slowdown}, {CW_OUTCOME_CONGESTION_SLOWDOWN, &out->counts_slowdown}};
    const double cycle = cw_flit_cycle(&flits->mode.hardware);
    int rc = 0;
    out->trials = trials->kept;
    for (size_t i = 0; !rc && i < sizeof all / sizeof *all; i++)
        rc = cw_flit_trials_summarise(trials, job, all[i].quantity, all[i].to);
    out->alone.mean *= cycle;
    out->alone.ci95 *= cycle;
    return rc;
}

/* What `crosswind noise` would have said of the same trials, where that is another answer. */
static void note_disagreement(const struct flits *flits, const char *routing, const struct jobs_figures *figures)
{
    for (size_t i = 0; i < flits->run->jobs.n; i++) {
        const double by_flits = figures[i].slowdown.mean, by_counts = figures[i].counts_slowdown.mean;
        if (!(by_counts > 0) ||
            (by_flits / by_counts <= JOBS_DISAGREEMENT && by_counts / by_flits <= JOBS_DISAGREEMENT))
            continue;
        cw_result_note(flits->run->invocation->result,
                       "%s: flit by flit the slowdown of job %zu is %.3g, and %.3g by counting messages, as crosswind "
                       "noise does. Its model leaves out queues, which fill from one channel to the next.",
                       routing, i + 1, by_flits, by_counts);
    }
}

/* Flows beside the first trials of --check. */
static int check(const struct flits *flits, const struct flit_routing *routing, const struct cw_flit_trials *trials)
{
    const struct jobs_run *run = flits->run;
    const struct common *common = &run->invocation->common;
    struct cw_routes *made = NULL;
    struct cw_flow_jobs flows = {0};
    struct cw_flit_trials first = *trials;
    const size_t wanted = (size_t)run->values->check, n = wanted < trials->wanted ? wanted : trials->wanted;
    if (first.kept > n) first.kept = n;
    int rc = routing->routes ? 0
                             : cw_engine_route(flits->mode.net, routing->spec, (uint64_t)common->seed,
                                               (unsigned)common->threads, &made);
    if (!rc) rc = jobs_try_flows(run, routing->routes ? routing->routes : made, n, &flows);
    if (!rc) rc = jobs_report_check(run, &flows, &first);
    cw_flow_jobs_free(&flows);
    cw_routes_free(made);
    return rc;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static int add_routing(void *context, const struct flit_routing *routing)
{
    struct flits *flits = context;
    struct jobs_run *run = flits->run;
    const char *name = cw_packet_routing_spec(routing->packets);
    struct jobs_figures *figures = cw_new_array(run->jobs.n, sizeof *figures, "figures of jobs");
    struct cw_flit_trials trials = {0};
    int rc = figures ? run_trials(flits, routing, run->trials, &trials) : CW_ENOMEM;
    if (!rc) note_failures(run->invocation, name, &trials);
    for (size_t i = 0; !rc && i < run->jobs.n; i++) rc = find_figures(flits, &trials, i, &figures[i]);
    if (!rc) {
        jobs_report_rows(run, name, figures);
        if (run->jobs.n > 1) note_disagreement(flits, name, figures);
    }
    if (!rc && run->values->check > 0) rc = check(flits, routing, &trials);
    cw_flit_trials_free(&trials);
    free(figures);
    return rc;
}

int jobs_by_flits(struct jobs_run *run)
{
    struct flits flits = {.run = run};
    struct flit_mode *mode = &flits.mode;
    int rc = flit_mode_open(run->invocation, &run->fabric, mode);
    if (!rc) rc = flit_mode_route(mode, &run->invocation->routing, &run->fabric);
    if (!rc && run->values->check > 0 && mode->n_routings != 1)
        rc = cw_fail(CW_EUSAGE, "--check: there are %zu routings; expected one", mode->n_routings);
    if (!rc) rc = jobs_report_begin(run, run->jobs.n * mode->n_routings);
    if (!rc) rc = jobs_report_figure(run);
    if (!rc) rc = flit_each_routing(mode, add_routing, &flits);
    if (flits.warmup > 0)
        cw_result_note(run->invocation->result, "Jobs that never end ran for %llu cycles before the others began.",
                       (unsigned long long)flits.warmup);
    if (!rc) {
        jobs_report_names(run);
        flit_mode_note_buffers(mode);
    }
    flit_mode_free(mode);
    return rc;
}

int jobs_try_flits(struct jobs_run *run, size_t trials, struct cw_flit_trials *out)
{
    const struct common *common = &run->invocation->common;
    struct flits flits = {.run = run};
    struct flit_routing routing = {0};
    struct cw_routes *routes = run->fabric.routes;
    const bool lids = cw_routes_lids(routes) > 1 && cw_routes_kind(routes) == CW_ROUTES_WAYS;
    const bool ways = !lids && cw_routes_kind(routes) == CW_ROUTES_WAYS;
    int rc = flit_mode_open(run->invocation, &run->fabric, &flits.mode);
    if (rc) return rc;
    if (ways)
        rc = cw_packet_routing_new(flits.mode.net, cw_routes_name(routes), (uint64_t)common->seed,
                                   (unsigned)common->threads, &routing.packets);
    else
        rc = cw_packet_routing_of_routes(routes, &routing.packets);
    if (lids) routing.routes = routes;
    if (!ways) run->fabric.routes = NULL;
    if (!rc) {
        routing.spec = cw_packet_routing_spec(routing.packets);
        rc = run_trials(&flits, &routing, trials, out);
    }
    cw_packet_routing_free(routing.packets);
    return rc;
}
