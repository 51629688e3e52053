#include "sim/noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/setup.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "sim/flows/flow_sim.h"
#include "traffic/rank_program.h"

/* What a thread needs for its trials. */
struct worker {
    struct cw_collective *collective;
    uint32_t *endpoints; /* the placement: application first, then the perturbing ones */
    struct cw_flows flows;
    uint32_t *src, *dst; /* a perturbation, as endpoints */
    size_t capacity;
    struct cw_random random; /* of the trial's perturbation */
    uint32_t round;          /* of the perturbation pattern: where the trial is in it */
    uint64_t messages;       /* of the trial's perturbation, so far */
};

/* What a trial gives. */
struct outcome {
    double slowdown, clean, perturbed, overhead;
    uint64_t messages; /* of its perturbation */
};

struct noise {
    const struct cw_noise_setup *setup;
    uint32_t application, perturbing, rounds;
    bool silent;                /* the perturbation has no messages */
    struct cw_program *program; /* of the collective, by flows */
};

static int worker_make(const void *context, void *state)
{
    const struct noise *noise = context;
    struct worker *worker = state;
    const int rc = cw_collective_new(&noise->setup->collective, &worker->collective);
    if (rc) return rc;
    worker->endpoints =
        cw_new_array(cw_placement_count(noise->setup->placement), sizeof *worker->endpoints, "a placement");
    return worker->endpoints ? 0 : CW_ENOMEM;
}

static void worker_release(void *state)
{
    struct worker *worker = state;
    cw_collective_free(worker->collective);
    cw_flows_free(&worker->flows);
    free(worker->endpoints);
    free(worker->src);
    free(worker->dst);
}

/* Room for the messages of a perturbation. */
static int reserve(struct worker *worker, size_t n)
{
    if (n <= worker->capacity) return 0;
    size_t capacity[2] = {worker->capacity, worker->capacity};
    int rc = cw_grow_array((void **)&worker->src, &capacity[0], n, sizeof *worker->src, "a perturbation");
    if (!rc) rc = cw_grow_array((void **)&worker->dst, &capacity[1], n, sizeof *worker->dst, "a perturbation");
    if (!rc) worker->capacity = capacity[0];
    return rc;
}

/* The messages of the perturbation's round at which WORKER is. */
static int draw_round(const struct noise *noise, struct worker *worker)
{
    worker->flows.n = 0;
    return cw_pattern_append(noise->setup->background, noise->perturbing, worker->round, 1, &worker->random,
                             &worker->flows);
}

/* The next round that has messages: of several, at least one has. */
static int draw_next_round(const struct noise *noise, struct worker *worker)
{
    int rc;
    do {
        worker->round = (worker->round + 1) % noise->rounds;
        rc = draw_round(noise, worker);
    } while (!rc && worker->flows.n == 0 && noise->rounds > 1);
    return rc;
}

/* Any round that has messages. */
static int draw_any_round(const struct noise *noise, struct worker *worker)
{
    int rc;
    do {
        worker->round = noise->rounds > 1 ? cw_random_below(&worker->random, noise->rounds) : 0;
        rc = draw_round(noise, worker);
    } while (!rc && worker->flows.n == 0 && noise->rounds > 1);
    return rc;
}

/* Places the messages that were drawn on endpoints. */
static int place(const struct noise *noise, struct worker *worker)
{
    const size_t n = worker->flows.n;
    const int rc = reserve(worker, n);
    if (rc) return rc;
    const uint32_t *perturbing = worker->endpoints + noise->application;
    for (size_t i = 0; i < n; i++) {
        worker->src[i] = perturbing[worker->flows.items[i].src];
        worker->dst[i] = perturbing[worker->flows.items[i].dst];
    }
    return 0;
}

/* Puts the messages that were drawn into the background. */
static int perturb(const struct noise *noise, struct worker *worker)
{
    const size_t n = worker->flows.n;
    const int rc = place(noise, worker);
    if (rc) return rc;
    worker->messages += n;
    return cw_collective_add_background(worker->collective, n, worker->src, worker->dst);
}

/* Draws who runs where in trial TRIAL, and begins what it draws of the perturbation. */
static int begin_trial(const struct noise *noise, struct worker *worker, size_t trial)
{
    const struct cw_noise_setup *setup = noise->setup;
    struct cw_random placement = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, trial);
    worker->random = cw_random_of(setup->seed, CW_STREAM_PERTURBATION, trial);
    worker->messages = 0;
    return cw_placement_order(setup->placement, &placement, worker->endpoints);
}

struct level_context {
    const struct noise *noise;
    struct worker *worker;
};

static int perturb_anew(void *context, struct cw_collective *collective, uint32_t level)
{
    const struct level_context *at = context;
    if (level > 0) cw_collective_clear_background(collective);
    const int rc = level > 0 ? draw_next_round(at->noise, at->worker) : draw_any_round(at->noise, at->worker);
    return rc ? rc : perturb(at->noise, at->worker);
}

/* The times by flows: the collective alone, and beside the round of the perturbation that was drawn. */
static int run_flows(const struct noise *noise, struct worker *worker, struct cw_times *times)
{
    const struct cw_collective_setup *collective = &noise->setup->collective;
    const struct cw_flow_job jobs[] = {
        {.program = noise->program,
         .endpoints = worker->endpoints,
         .sends = collective->sends == CW_SENDS_IN_ORDER ? CW_FLOW_IN_ORDER : CW_FLOW_AT_ONCE},
        {.endless = &worker->flows, .endpoints = worker->endpoints + noise->application}};
    struct cw_flow_setup flows = {.routes = collective->routes,
                                  .jobs = jobs,
                                  .n_jobs = 1,
                                  .overhead = collective->timing.overhead,
                                  .latency = fmax(0, collective->timing.latency)};
    struct cw_flow_result result;
    double ends[2];
    int rc = cw_flow_run(&flows, ends, &result);
    times->clean = times->perturbed = ends[0];
    if (rc || noise->silent) return rc;
    rc = draw_any_round(noise, worker);
    worker->messages += worker->flows.n;
    flows.n_jobs = 2;
    if (!rc) rc = cw_flow_run(&flows, ends, &result);
    times->perturbed = ends[0];
    return rc;
}

/* The times by counts. */
static int run_counts(const struct noise *noise, struct worker *worker, struct cw_times *times)
{
    struct level_context level = {noise, worker};
    const bool anew = noise->setup->perturbation == CW_PERTURBATION_PER_ROUND;
    int rc = 0;
    if (!noise->silent && !anew) {
        rc = draw_any_round(noise, worker);
        if (!rc) rc = perturb(noise, worker);
    }
    if (!rc)
        rc = cw_collective_run(worker->collective, noise->application, worker->endpoints,
                               !noise->silent && anew ? perturb_anew : NULL, &level, times);
    if (!rc && !noise->silent) cw_collective_clear_background(worker->collective);
    return rc;
}

static int run_trial(const void *context, void *state, size_t trial, void *outcome)
{
    const struct noise *noise = context;
    const struct cw_noise_setup *setup = noise->setup;
    struct worker *worker = state;
    int rc = begin_trial(noise, worker, trial);
    if (rc) return rc;
    struct cw_times times;
    rc = noise->program ? run_flows(noise, worker, &times) : run_counts(noise, worker, &times);
    if (!rc && times.clean <= 0)
        rc = cw_fail(CW_EUSAGE, "%s takes no time, so nothing can slow it down; expected an L, o or G above 0",
                     cw_schedule_spec(setup->collective.schedule));
    if (rc) return rc;
    *(struct outcome *)outcome = (struct outcome){.slowdown = times.perturbed / times.clean,
                                                  .clean = times.clean,
                                                  .perturbed = times.perturbed,
                                                  .overhead = times.perturbed - times.clean,
                                                  .messages = worker->messages};
    return 0;
}

/* CW_EUSAGE for what flows do not have. */
static int check_model(const struct cw_noise_setup *setup)
{
    const struct cw_timing *timing = &setup->collective.timing;
    if (setup->model == CW_NOISE_COUNTS) return 0;
    if (!timing->loggp || timing->gap >= 0 || setup->collective.equal_speeds)
        return cw_fail(CW_EUSAGE, "flows take seconds, by the capacities of channels; expected no units and no G");
    if (setup->perturbation != CW_PERTURBATION_CONSTANT)
        return cw_fail(CW_EUSAGE,
                       "by flows there are no rounds in which to draw a perturbation; expected a constant one");
    return 0;
}

/* Splits the endpoints, and refuses what cannot be simulated before the first trial. */
static int split(struct noise *noise)
{
    const struct cw_noise_setup *setup = noise->setup;
    int given = cw_check_given(setup->collective.routes, "routes");
    if (!given) given = cw_check_given(setup->collective.schedule, "schedule");
    if (!given) given = cw_check_given(setup->background, "background");
    if (!given) given = cw_check_given(setup->placement, "placement");
    if (given) return given;
    const uint32_t n = cw_placement_count(setup->placement);
    if (!(setup->ratio >= 0 && setup->ratio < 1))
        return cw_fail(CW_EUSAGE, "the perturbation ratio is %g, expected at least 0 and less than 1", setup->ratio);
    noise->perturbing = (uint32_t)floor(setup->ratio * n + 0.5);
    noise->application = n - noise->perturbing;
    if (noise->application < 2)
        return cw_fail(CW_EUSAGE, "ratio %g of %u endpoints leaves %u to the application, expected at least 2",
                       setup->ratio, n, noise->application);
    uint32_t levels, blocks;
    int rc = cw_schedule_plan(setup->collective.schedule, noise->application, &levels, &blocks);
    if (!rc && levels == 0)
        rc = cw_fail(CW_EUSAGE, "%s among %u endpoints sends nothing", cw_schedule_spec(setup->collective.schedule),
                     noise->application);
    if (!rc && noise->perturbing > 1) rc = cw_pattern_rounds(setup->background, noise->perturbing, &noise->rounds);
    return rc ? rc : check_model(setup);
}

/* Whether all rounds of the perturbation are without messages; a single endpoint has nobody to send to. */
static int listen(struct noise *noise)
{
    struct worker worker = {.random = cw_random_of(noise->setup->seed, CW_STREAM_PERTURBATION, 0)};
    int rc = 0;
    noise->silent = noise->perturbing < 2;
    if (noise->silent || noise->rounds == 1) return 0; /* a single round may be empty in one trial, not in another */
    noise->silent = true;
    for (; !rc && noise->silent && worker.round < noise->rounds; worker.round++) {
        rc = draw_round(noise, &worker);
        noise->silent = worker.flows.n == 0;
    }
    cw_flows_free(&worker.flows);
    return rc;
}

static int summarise(const struct noise *noise, const struct outcome *outcomes, struct cw_noise_result *out)
{
    const size_t n = noise->setup->trials;
    struct cw_noise_result result = {.application = noise->application, .perturbing = noise->perturbing};
    int rc = cw_summarise_member(&outcomes->slowdown, n, sizeof *outcomes, &result.slowdown);
    if (!rc) rc = cw_summarise_member(&outcomes->clean, n, sizeof *outcomes, &result.clean);
    if (!rc) rc = cw_summarise_member(&outcomes->perturbed, n, sizeof *outcomes, &result.perturbed);
    if (!rc) rc = cw_summarise_member(&outcomes->overhead, n, sizeof *outcomes, &result.overhead);
    for (size_t t = 0; t < n; t++) result.perturbation_messages += outcomes[t].messages;
    if (!rc) *out = result;
    return rc;
}

static int run_trials(const struct noise *noise, struct cw_noise_result *out)
{
    const struct cw_noise_setup *setup = noise->setup;
    const struct cw_trials trials = {.n = setup->trials,
                                     .outcome_size = sizeof(struct outcome),
                                     .state_size = sizeof(struct worker),
                                     .context = noise,
                                     .make = worker_make,
                                     .release = worker_release,
                                     .run = run_trial,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    void *results;
    int rc = cw_trials_run(&trials, &results, NULL);
    if (rc) return rc;
    const struct outcome *outcomes = results;
    rc = summarise(noise, outcomes, out);
    for (size_t t = 0; setup->samples && t < setup->trials; t++)
        setup->samples[t] = (struct cw_times){.clean = outcomes[t].clean, .perturbed = outcomes[t].perturbed};
    free(results);
    return rc;
}

int cw_noise_check_sized(const struct cw_noise_setup *given, size_t size)
{
    struct cw_noise_setup whole;
    const struct cw_noise_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    struct noise noise = {.setup = setup};
    return split(&noise);
}

int cw_noise_run_sized(const struct cw_noise_setup *given, size_t size, struct cw_noise_result *out)
{
    struct cw_noise_setup whole;
    const struct cw_noise_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    struct noise noise = {.setup = setup};
    int rc = split(&noise);
    if (!rc) rc = listen(&noise);
    if (!rc && setup->model == CW_NOISE_FLOWS)
        rc = cw_program_of_schedule(setup->collective.schedule, noise.application, setup->collective.bytes,
                                    &noise.program);
    if (!rc) rc = run_trials(&noise, out);
    cw_program_free(noise.program);
    return rc;
}

/* --- one trial as a case ----------------------------------------------------------------------------------------- */

/* What WORKER has drawn becomes OUT's. */
static int write_down(const struct noise *noise, struct worker *worker, struct cw_noise_case *out)
{
    int rc = noise->silent ? 0 : draw_any_round(noise, worker);
    if (!rc) rc = place(noise, worker);
    char *file = rc ? NULL : cw_copy_text("a trial", 7);
    if (!file) return rc ? rc : CW_ENOMEM;
    *out = (struct cw_noise_case){.file = file,
                                  .endpoints = worker->endpoints,
                                  .ranks = noise->application,
                                  .perturbation = {worker->src, worker->dst, worker->flows.n}};
    worker->endpoints = worker->src = worker->dst = NULL;
    return 0;
}

int cw_noise_draw_sized(const struct cw_noise_setup *given, size_t size, size_t trial, struct cw_noise_case *out)
{
    struct cw_noise_setup whole;
    const struct cw_noise_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    struct noise noise = {.setup = setup};
    struct worker worker = {0};
    int rc = split(&noise);
    if (!rc && setup->perturbation == CW_PERTURBATION_PER_ROUND)
        rc = cw_fail(CW_EUSAGE, "a case has one perturbation for all levels; expected a constant one");
    if (!rc) rc = listen(&noise);
    if (!rc) rc = worker_make(&noise, &worker);
    if (!rc) rc = begin_trial(&noise, &worker, trial);
    if (!rc) rc = write_down(&noise, &worker, out);
    worker_release(&worker);
    return rc;
}
