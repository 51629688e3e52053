#include "study/jobs/flow_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flows/flow_sim.h"

static const char what[] = "jobs";

/* Of a traffic, one flit each. */
static const struct cw_flit_messages messages = {.flits = 1};

/* A trial's jobs on their endpoints. */
struct cast {
    size_t n;
    struct cw_flit_seating seating;
    struct cw_program **programs; /* [n] those made here; NULL: the job has one, or does not end */
    struct cw_flows *flows;       /* [n] of traffic, with bytes or shares */
    struct cw_flow_job *jobs, *chosen;
    size_t *who; /* [n] */
};

static void free_cast(struct cast *cast)
{
    for (size_t i = 0; cast->programs && i < cast->n; i++) cw_program_free(cast->programs[i]);
    for (size_t i = 0; cast->flows && i < cast->n; i++) cw_flows_free(&cast->flows[i]);
    cw_flit_seating_free(&cast->seating);
    free(cast->programs);
    free(cast->flows);
    free(cast->jobs);
    free(cast->chosen);
    free(cast->who);
}

/* The shares of one rank, which are of 2^32, become BYTES in all; what rounding leaves goes to the first. */
static void share_out(struct cw_flows *flows, size_t first, uint64_t bytes)
{
    uint64_t left = bytes;
    for (size_t i = first; i < flows->n; i++) {
        flows->items[i].bytes = (uint64_t)((long double)bytes * (long double)flows->items[i].bytes / 0x1p32L);
        left -= flows->items[i].bytes;
    }
    if (flows->n > first) flows->items[first].bytes += left;
}

static int cast_traffic(const struct cw_flit_job *job, struct cw_flows *flows, struct cw_program **program)
{
    int rc = 0;
    for (uint32_t rank = 0; !rc && rank < job->n_ranks; rank++) {
        const size_t first = flows->n;
        rc = cw_workload_flows_of(job->workload, rank, flows);
        if (!rc && job->kind == CW_FLIT_FINITE) share_out(flows, first, job->bytes);
    }
    return rc || job->kind != CW_FLIT_FINITE ? rc : cw_program_of_flows(flows, job->n_ranks, program);
}

/* Instead of the program of job I the same for TIMES times. */
static int cast_again(struct cast *cast, size_t i, uint32_t times)
{
    struct cw_program *repeated;
    const int rc = cw_program_repeat(cast->jobs[i].program, times, &repeated);
    if (rc) return rc;
    cw_program_free(cast->programs[i]);
    cast->jobs[i].program = cast->programs[i] = repeated;
    return 0;
}

static int cast_job(const struct cw_job_request *request, struct cast *cast, size_t i)
{
    const struct cw_flit_job *job = &cast->seating.jobs[i];
    const bool in_order = request->program || request->collective;
    int rc = 0;
    if (request->collective)
        rc = cw_program_of_schedule(job->schedule, job->n_ranks, job->bytes, &cast->programs[i]);
    else if (!request->program)
        rc = cast_traffic(job, &cast->flows[i], &cast->programs[i]);
    const struct cw_program *program = request->program ? request->program : cast->programs[i];
    cast->jobs[i] = (struct cw_flow_job){.program = program,
                                         .endless = program ? NULL : &cast->flows[i],
                                         .endpoints = job->endpoints,
                                         .sends = in_order ? CW_FLOW_IN_ORDER : CW_FLOW_MIXED,
                                         .start = request->start,
                                         .load = in_order || job->load >= 1 ? 0 : job->load};
    return rc || !program || request->repeat <= 1 ? rc : cast_again(cast, i, request->repeat);
}

static int make_cast(const struct cw_flow_jobs_setup *setup, size_t trial, struct cast *cast)
{
    const size_t n = setup->jobs->n;
    int rc = cw_flit_seating_make(setup->jobs, cw_routes_network(setup->routes), setup->selection, setup->seed, trial,
                                  &messages, &cast->seating);
    if (rc) return rc;
    cast->n = n;
    cast->programs = cw_new_array(n, sizeof(struct cw_program *), what);
    cast->flows = cw_new_array(n, sizeof *cast->flows, what);
    cast->jobs = cw_new_array(n, sizeof *cast->jobs, what);
    cast->chosen = cw_new_array(n, sizeof *cast->chosen, what);
    cast->who = cw_new_array(n, sizeof *cast->who, what);
    rc = cast->programs && cast->flows && cast->jobs && cast->chosen && cast->who ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < n; i++) rc = cast_job(&setup->jobs->items[i], cast, i);
    return rc;
}

/* The N jobs in cast->who, the first of which begins at 0. */
static struct cw_flow_setup choose(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t n)
{
    double first = INFINITY;
    for (size_t i = 0; i < n; i++) cast->chosen[i] = cast->jobs[cast->who[i]];
    for (size_t i = 0; i < n; i++) first = fmin(first, cast->chosen[i].start);
    for (size_t i = 0; i < n; i++) cast->chosen[i].start -= first;
    return (struct cw_flow_setup){.routes = setup->routes,
                                  .jobs = cast->chosen,
                                  .n_jobs = n,
                                  .overhead = setup->overhead,
                                  .latency = setup->latency,
                                  .rendezvous = setup->rendezvous,
                                  .capacity = setup->capacity};
}

/* Their times by flows, each since its own start; *END is that of the last one that ends, since the first has begun. */
static int run_flows(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t n, double *times,
                     double *channel_bytes, double *end)
{
    struct cw_flow_setup simulation = choose(setup, cast, n);
    struct cw_flow_result result;
    simulation.channel_bytes = channel_bytes;
    const int rc = cw_flow_run(&simulation, times, &result);
    *end = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        if (cast->chosen[i].program) *end = fmax(*end, times[i]);
        times[i] -= cast->chosen[i].start;
    }
    return rc;
}

/* The same by counts: of the one that is a collective. */
static int run_counts(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t trial, size_t n,
                      double *times)
{
    const struct cw_collective_setup how = {
        .routes = setup->routes,
        .timing = {true, CW_TIMING_OF_CHANNELS, setup->overhead, CW_TIMING_OF_CHANNELS, NULL},
        .sends = CW_SENDS_IN_ORDER};
    struct cw_flit_job *jobs = cw_new_array(n, sizeof *jobs, what);
    struct cw_times found;
    int rc = jobs ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < n; i++) jobs[i] = cast->seating.jobs[cast->who[i]];
    for (size_t i = 0; !rc && i < n; i++) {
        if (!jobs[i].schedule) continue;
        rc = cw_flit_jobs_count(&how, jobs, n, i, cw_random_hash(setup->seed, trial), &found);
        if (!rc) times[i] = found.perturbed * setup->jobs->items[cast->who[i]].repeat;
    }
    free(jobs);
    return rc;
}

static int run_chosen(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t trial, size_t n,
                      double *times)
{
    double end;
    return setup->by_counts ? run_counts(setup, cast, trial, n, times) : run_flows(setup, cast, n, times, NULL, &end);
}

/* All jobs: what each takes, TIMES [n]. */
static int run_together(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t trial, double *times)
{
    for (size_t i = 0; i < cast->n; i++) cast->who[i] = i;
    return run_chosen(setup, cast, trial, cast->n, times);
}

/* Job I alone, TIMES[0]; in pairs, beside a later job j, TIMES[1 + j], and what that takes then, TIMES[1 + n + j]. */
static int run_row(const struct cw_flow_jobs_setup *setup, const struct cast *cast, size_t trial, size_t i,
                   double *times)
{
    int rc = 0;
    cast->who[0] = i;
    if (cast->jobs[i].program) rc = run_chosen(setup, cast, trial, 1, &times[0]);
    for (size_t j = setup->pairs == CW_PAIRS_ALL ? i + 1 : cast->n - 1; !rc && setup->pairs && j < cast->n; j++) {
        if (i == j) continue;
        double both[2] = {0};
        cast->who[1] = j;
        if (!cast->jobs[i].program && !cast->jobs[j].program) continue;
        rc = run_chosen(setup, cast, trial, 2, both);
        times[1 + j] = both[0];
        times[1 + cast->n + j] = both[1];
    }
    return rc;
}

/* --- trials ------------------------------------------------------------------------------------------------------- */

size_t cw_flow_jobs_steps(const struct cw_flow_jobs_setup *setup)
{
    return setup->trials * (setup->jobs->n + 1);
}

/* Step 0 of a trial is all jobs together, step 1 + i job i. */
static int run_step(const void *context, void *state, size_t index, void *outcome)
{
    const struct cw_flow_jobs_setup *setup = context;
    const size_t steps = setup->jobs->n + 1, trial = index / steps, step = index % steps;
    struct cast cast = {0};
    (void)state;
    int rc = make_cast(setup, trial, &cast);
    if (!rc)
        rc = step == 0 ? run_together(setup, &cast, trial, outcome) : run_row(setup, &cast, trial, step - 1, outcome);
    free_cast(&cast);
    return rc;
}

int cw_flow_jobs_run(const struct cw_flow_jobs_setup *setup, struct cw_flow_jobs *out)
{
    const size_t n = setup->jobs->n;
    if (cw_jobs_ending(setup->jobs) == 0)
        return cw_fail(CW_EUSAGE, "no job ends; expected a collective, a program, or a traffic with bytes=SIZE");
    const struct cw_trials trials = {.n = cw_flow_jobs_steps(setup),
                                     .outcome_size = (2 * n + 1) * sizeof(double),
                                     .context = setup,
                                     .run = run_step,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    void *outcomes;
    const int rc = cw_trials_run(&trials, &outcomes, NULL);
    if (!rc) *out = (struct cw_flow_jobs){.n = n, .trials = setup->trials, .times = outcomes};
    return rc;
}

void cw_flow_jobs_free(struct cw_flow_jobs *jobs)
{
    free(jobs->times);
    *jobs = (struct cw_flow_jobs){0};
}

/* The times of a step of TRIAL. */
static const double *times_of(const struct cw_flow_jobs *jobs, size_t trial, size_t step)
{
    return jobs->times + (trial * (jobs->n + 1) + step) * (2 * jobs->n + 1);
}

double cw_flow_jobs_time(const struct cw_flow_jobs *jobs, size_t trial, size_t job)
{
    return times_of(jobs, trial, 0)[job];
}

double cw_flow_jobs_alone(const struct cw_flow_jobs *jobs, size_t trial, size_t job)
{
    return times_of(jobs, trial, 1 + job)[0];
}

double cw_flow_jobs_beside(const struct cw_flow_jobs *jobs, size_t trial, size_t job, size_t other)
{
    if (job < other) return times_of(jobs, trial, 1 + job)[1 + other];
    return times_of(jobs, trial, 1 + other)[1 + jobs->n + job];
}

int cw_flow_jobs_channels(const struct cw_flow_jobs_setup *setup, size_t trial, double *bytes, double *end)
{
    struct cast cast = {0};
    double *times = cw_new_array(setup->jobs->n, sizeof *times, what);
    int rc = times ? make_cast(setup, trial, &cast) : CW_ENOMEM;
    for (size_t i = 0; !rc && i < cast.n; i++) cast.who[i] = i;
    if (!rc) rc = run_flows(setup, &cast, cast.n, times, bytes, end);
    free_cast(&cast);
    free(times);
    return rc;
}

int cw_flow_jobs_channels_of(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, double *bytes)
{
    struct cast cast = {0};
    double time, end;
    int rc = make_cast(setup, trial, &cast);
    if (!rc) {
        cast.who[0] = job;
        rc = run_flows(setup, &cast, 1, &time, bytes, &end);
    }
    free_cast(&cast);
    return rc;
}

/* What endless FLOWS among ranks on ENDPOINTS send in SECONDS, if each rank has LOAD of its first cable. */
static int add_endless(const struct cw_network *net, const double *capacity, const struct cw_flow_job *job,
                       double seconds, struct cw_flows *matrix)
{
    const struct cw_flows *flows = job->endless;
    int rc = 0;
    for (size_t first = 0, end; !rc && first < flows->n; first = end) {
        const uint32_t src = flows->items[first].src, endpoint = job->endpoints[src];
        const double load = job->load > 0 ? job->load : 1;
        double all = 0;
        for (end = first; end < flows->n && flows->items[end].src == src; end++) all += (double)flows->items[end].bytes;
        if (all <= 0 || cw_network_degree(net, endpoint) == 0) continue;
        const double scale = seconds * load * capacity[net->first[endpoint]] / all;
        for (size_t i = first; !rc && i < end; i++)
            rc = cw_flows_add(matrix, src, flows->items[i].dst, (uint64_t)(scale * (double)flows->items[i].bytes));
    }
    return rc;
}

int cw_flow_jobs_matrix(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, double seconds,
                        struct cw_flows *matrix, uint32_t *endpoints)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    struct cast cast = {0};
    int rc = make_cast(setup, trial, &cast);
    if (!rc) {
        const struct cw_flow_job *at = &cast.jobs[job];
        memcpy(endpoints, at->endpoints, cast.seating.jobs[job].n_ranks * sizeof *endpoints);
        rc = at->program ? cw_program_matrix(at->program, matrix)
                         : add_endless(net, setup->capacity ? setup->capacity : net->capacity, at, seconds, matrix);
    }
    free_cast(&cast);
    return rc;
}

int cw_flow_jobs_path(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, struct cw_flow_path *out)
{
    struct cast cast = {0};
    int rc = make_cast(setup, trial, &cast);
    for (size_t i = 0; !rc && i < cast.n; i++) cast.who[i] = i;
    if (!rc) {
        const struct cw_flow_setup simulation = choose(setup, &cast, cast.n);
        rc = cw_flow_path_find(&simulation, job, out);
    }
    free_cast(&cast);
    return rc;
}

static int compare_uses(const void *a, const void *b)
{
    const struct cw_channel_use *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x->channel < y->channel ? -1 : 1;
}

void cw_channel_uses_sort(struct cw_channel_use *uses, size_t n)
{
    if (n > 0) qsort(uses, n, sizeof *uses, compare_uses);
}

int cw_flow_jobs_uses(const struct cw_flow_jobs_setup *setup, size_t trial, struct cw_channel_use **uses, size_t *n)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    const double *capacity = setup->capacity ? setup->capacity : net->capacity;
    double *bytes = cw_new_array(net->n_channels, sizeof *bytes, what), end = 0;
    struct cw_channel_use *found = cw_new_array(net->n_channels, sizeof *found, what);
    const int rc = bytes && found ? cw_flow_jobs_channels(setup, trial, bytes, &end) : CW_ENOMEM;
    size_t used = 0;
    for (uint32_t c = 0; !rc && c < net->n_channels; c++)
        if (bytes[c] > 0) found[used++] = (struct cw_channel_use){bytes[c] / capacity[c] / end, bytes[c], c};
    free(bytes);
    if (rc) {
        free(found);
        return rc;
    }
    cw_channel_uses_sort(found, used);
    *uses = found;
    *n = used;
    return 0;
}
