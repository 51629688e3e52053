#include "study/jobs/flit_jobs_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "route/engine.h"
#include "study/flit/flit_case.h"
#include "study/jobs/job_list.h"

#define RUN_CYCLES  100     /* between looks at whether all jobs that end are done */
#define PATIENCE    1000000 /* unless the case says so */
#define MOST_CYCLES 1e12    /* before a job begins */

/* The setup of a simulation of some jobs in one trial. */
static struct cw_flit_setup setup_of(const struct cw_flit_jobs_case *made, const struct cw_flit_job *jobs, size_t n,
                                     uint64_t trial)
{
    return (struct cw_flit_setup){.routing = made->routing,
                                  .hardware = made->hardware,
                                  .jobs = jobs,
                                  .n_jobs = n,
                                  .seed = trial > 0 ? cw_random_hash(made->seed, trial) : made->seed,
                                  .n_threads = made->n_threads,
                                  .allow_deadlock = made->allow_deadlock};
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static bool ends(const struct cw_flit_job *job)
{
    return job->kind != CW_FLIT_CONTINUOUS;
}

/* Notes that job JOB moves. CW_EROUTE if it has not moved for PATIENCE cycles, though it is not done. *SINCE is at
 * first when it begins. */
static int watch(struct cw_flit_simulation *simulation, const struct cw_flit_setup *setup, size_t job,
                 uint64_t patience, uint64_t cycle, uint64_t *flits, uint64_t *since)
{
    const uint64_t now = cw_flit_job_accepted(simulation, job);
    if (cycle < *since) return 0;
    if (now != *flits || cw_flit_job_done(simulation, job) != UINT64_MAX) *since = cycle;
    *flits = now;
    const double gap =
        setup->jobs[job].load > 0 ? 100.0 * cw_flit_mean_message(&setup->jobs[job]) / setup->jobs[job].load : 0;
    if ((double)(cycle - *since) < (double)patience + gap) return 0;
    return cw_fail(
        CW_EROUTE,
        "job %zu starves beside the others: no flit of it has arrived for %llu cycles (--allocator age serves the "
        "oldest message first)",
        job + 1, (unsigned long long)(cycle - *since));
}

static bool all_done(const struct cw_flit_simulation *simulation, const struct cw_flit_setup *setup)
{
    for (size_t i = 0; i < setup->n_jobs; i++)
        if (ends(&setup->jobs[i]) && cw_flit_job_done(simulation, i) == UINT64_MAX) return false;
    return true;
}

/* Until all jobs of MADE that end are done; they begin after WARMUP cycles. *CYCLES gets those after it. */
static int run_to_end(const struct cw_flit_jobs_case *made, struct cw_flit_simulation *simulation,
                      const struct cw_flit_setup *setup, uint64_t warmup, uint64_t *cycles)
{
    const uint64_t patience = made->patience > 0 ? made->patience : PATIENCE;
    struct cw_flit_window window;
    uint64_t *flits = cw_new_array(2 * setup->n_jobs, sizeof *flits, "jobs"), *since = flits + setup->n_jobs, now = 0;
    int rc = flits ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < setup->n_jobs && !rc; i++)
        if (ends(&setup->jobs[i])) since[i] = setup->jobs[i].start - warmup;
    if (!rc && warmup > 0) rc = cw_flit_run(simulation, warmup, &window);
    if (!rc) cw_flit_reset_counters(simulation);
    while (!rc && !all_done(simulation, setup)) {
        rc = cw_flit_run(simulation, RUN_CYCLES, &window);
        now += window.cycles;
        for (size_t i = 0; i < setup->n_jobs && !rc; i++)
            if (ends(&setup->jobs[i])) rc = watch(simulation, setup, i, patience, now, &flits[i], &since[i]);
    }
    free(flits);
    if (!rc) *cycles = now;
    return rc;
}

/* What is accepted of job JOB in CYCLES. */
static int accepted_of(struct cw_flit_simulation *simulation, const struct cw_flit_setup *setup, size_t job,
                       double cycles, double *out)
{
    double bandwidth;
    *out = NAN;
    if (setup->jobs[job].kind == CW_FLIT_SCHEDULE) return 0;
    const int rc = cw_steady_bandwidth(setup, &setup->jobs[job], &bandwidth);
    if (!rc && bandwidth > 0) *out = (double)cw_flit_job_accepted(simulation, job) / (cycles * bandwidth);
    return rc;
}

static int run_together(const struct cw_flit_jobs_case *made, const struct cw_flit_setup *setup,
                        struct cw_flit_outcome *outcomes)
{
    struct cw_flit_simulation *simulation;
    uint64_t cycles;
    int rc = cw_flit_new(setup, &simulation);
    if (rc) return rc;
    rc = run_to_end(made, simulation, setup, made->warmup, &cycles);
    for (size_t i = 0; i < setup->n_jobs && !rc; i++) {
        double *of = outcomes[i].of, lasted = (double)cycles;
        if (ends(&setup->jobs[i]))
            of[CW_OUTCOME_TIME] = lasted = (double)(cw_flit_job_done(simulation, i) - setup->jobs[i].start);
        rc = accepted_of(simulation, setup, i, lasted, &of[CW_OUTCOME_ACCEPTED]);
    }
    if (!rc) rc = cw_flit_case_end(simulation, made->warmup + cycles, made->allow_deadlock);
    cw_flit_free(simulation);
    return rc;
}

static int run_alone(const struct cw_flit_jobs_case *made, const struct cw_flit_job *job, uint64_t trial, double *time)
{
    struct cw_flit_job alone = *job;
    const struct cw_flit_setup setup = setup_of(made, &alone, 1, trial);
    struct cw_flit_simulation *simulation;
    uint64_t cycles;
    alone.start = 0;
    int rc = cw_flit_new(&setup, &simulation);
    if (rc) return rc;
    rc = run_to_end(made, simulation, &setup, 0, &cycles);
    if (!rc) *time = (double)cw_flit_job_done(simulation, 0);
    if (!rc) rc = cw_flit_drain_and_check(simulation);
    cw_flit_free(simulation);
    return rc;
}

/* --- the congestion model ----------------------------------------------------------------------------------------- */

/* The slowdown of job JOB, a collective, beside traffic; of collectives beside it the model cannot say when they send
 * what. */
static int run_model(const struct cw_flit_jobs_case *made, const struct cw_flit_setup *setup, size_t job,
                     double *slowdown)
{
    const struct cw_collective_setup how = {.routes = made->routes};
    struct cw_times times;
    for (size_t i = 0; i < setup->n_jobs; i++)
        if (i != job && setup->jobs[i].kind == CW_FLIT_SCHEDULE) return 0;
    const int rc = cw_flit_jobs_count(&how, setup->jobs, setup->n_jobs, job, setup->seed, &times);
    if (!rc) *slowdown = times.perturbed / times.clean;
    return rc;
}

/* --- a trial ------------------------------------------------------------------------------------------------------ */

static int run_seated(const struct cw_flit_jobs_case *made, uint64_t trial, struct cw_flit_seating *seating,
                      struct cw_flit_outcome *outcomes)
{
    const struct cw_flit_setup setup = setup_of(made, seating->jobs, seating->n, trial);
    for (size_t i = 0; i < seating->n; i++) {
        for (int q = 0; q < CW_OUTCOME_QUANTITIES; q++) outcomes[i].of[q] = (double)NAN;
        const double later = made->jobs->items[i].start / cw_flit_cycle(&made->hardware);
        if (later > MOST_CYCLES)
            return cw_fail(CW_EUSAGE, "job %zu begins after %g cycles; expected at most %g", i + 1, later, MOST_CYCLES);
        if (ends(&seating->jobs[i])) seating->jobs[i].start = made->warmup + (uint64_t)llround(later);
    }
    int rc = run_together(made, &setup, outcomes);
    for (size_t i = 0; i < seating->n && !rc; i++) {
        const struct cw_flit_job *job = &seating->jobs[i];
        if (!ends(job)) continue;
        double *of = outcomes[i].of;
        of[CW_OUTCOME_SECONDS] = of[CW_OUTCOME_TIME] * cw_flit_cycle(&made->hardware);
        of[CW_OUTCOME_ALONE] = of[CW_OUTCOME_TIME];
        if (seating->n > 1) rc = run_alone(made, job, trial, &of[CW_OUTCOME_ALONE]);
        of[CW_OUTCOME_SLOWDOWN] = of[CW_OUTCOME_TIME] / of[CW_OUTCOME_ALONE];
        if (!rc && made->routes && job->kind == CW_FLIT_SCHEDULE)
            rc = run_model(made, &setup, i, &of[CW_OUTCOME_CONGESTION_SLOWDOWN]);
    }
    return rc;
}

int cw_flit_jobs_case_run(const struct cw_flit_jobs_case *made, uint64_t trial, struct cw_flit_outcome *outcomes)
{
    struct cw_flit_seating seating;
    int rc = cw_flit_seating_make(made->jobs, made->net, made->selection, made->seed, trial, made->messages, &seating);
    if (rc) return rc;
    rc = run_seated(made, trial, &seating, outcomes);
    cw_flit_seating_free(&seating);
    return rc;
}

/* --- warm-up ------------------------------------------------------------------------------------------------------ */

/* How long jobs take that never end, until they are in steady state. */
static int find_warmup(const struct cw_flit_jobs_case *made, const struct cw_flit_job *jobs, size_t n,
                       const struct cw_steady_setup *steady, uint64_t *cycles)
{
    const struct cw_flit_setup setup = setup_of(made, jobs, n, 0);
    struct cw_steady_setup how = *steady;
    struct cw_steady_result result;
    struct cw_flit_simulation *simulation;
    how.cycles = steady->cycles < 1000 ? steady->cycles : 1000; /* it is the warm-up that is asked for */
    how.until_ci = 0;
    int rc = cw_flit_new(&setup, &simulation);
    if (rc) return rc;
    rc = cw_steady_run(simulation, &setup, &how, &result);
    if (!rc) {
        *cycles = result.warmup_cycles;
        cw_steady_free(&result);
    }
    cw_flit_free(simulation);
    return rc;
}

static int warm_up(struct cw_flit_jobs_case *made, const struct cw_steady_setup *steady)
{
    struct cw_flit_seating seating;
    int rc = cw_flit_seating_make(made->jobs, made->net, made->selection, made->seed, 0, made->messages, &seating);
    if (rc) return rc;
    const struct cw_flit_setup setup = setup_of(made, seating.jobs, seating.n, 0);
    size_t endless = 0;
    for (size_t i = 0; i < seating.n && !rc; i++) {
        double bandwidth = 0;
        if (!ends(&seating.jobs[i])) rc = cw_steady_bandwidth(&setup, &seating.jobs[i], &bandwidth);
        if (bandwidth > 0) seating.jobs[endless++] = seating.jobs[i];
    }
    made->warmup = endless > 0 ? steady->warmup : 0;
    if (!rc && endless > 0 && steady->find_warmup) rc = find_warmup(made, seating.jobs, endless, steady, &made->warmup);
    cw_flit_seating_free(&seating);
    return rc;
}

int cw_flit_jobs_case_make(struct cw_flit_jobs_case *made, const char *spec, const struct cw_steady_setup *steady)
{
    const int given = cw_jobs_check_flits(made->jobs);
    if (given) return given;
    /* Not every packet routing has routes for the congestion model. */
    int rc = made->routes ? 0 : cw_engine_route(made->net, spec, made->seed, made->n_threads, &made->compiled);
    if (!rc && !made->routes) made->routes = made->compiled;
    if (rc != CW_ENOMEM && rc != CW_EINTERRUPTED) rc = warm_up(made, steady);
    return rc;
}

void cw_flit_jobs_case_free(struct cw_flit_jobs_case *made)
{
    cw_routes_free(made->compiled);
    made->compiled = NULL;
    made->routes = NULL;
}

/* --- trials ------------------------------------------------------------------------------------------------------- */

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
