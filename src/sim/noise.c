#include "sim/noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

/* What a thread needs for its trials. */
struct worker {
    struct cw_collective *collective;
    uint32_t *endpoints; /* the placement: application first, then the perturbing ones */
    struct cw_flows flows;
    uint32_t *src, *dst; /* a perturbation, as endpoints */
    size_t capacity;
    struct cw_random random; /* of the trial's perturbation */
    uint32_t round;          /* of the perturbation pattern: where the trial is in it */
    uint64_t messages;       /* of perturbations, so far */
};

struct noise {
    const struct cw_noise_setup *setup;
    uint32_t application, perturbing, rounds;
    bool silent; /* the perturbation has no messages */
    struct worker *workers;
    unsigned n_workers;
    double *slowdown, *clean, *perturbed, *overhead; /* [trials] */
};

static int worker_init(struct worker *worker, const struct noise *noise)
{
    const int rc = cw_collective_new(&noise->setup->collective, &worker->collective);
    if (rc) return rc;
    worker->endpoints =
        cw_new_array(cw_placement_count(noise->setup->placement), sizeof *worker->endpoints, "a placement");
    return worker->endpoints ? 0 : CW_ENOMEM;
}

static void worker_release(struct worker *worker)
{
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

static int run_trial(void *context, size_t trial, unsigned thread)
{
    const struct noise *noise = context;
    const struct cw_noise_setup *setup = noise->setup;
    struct worker *worker = &noise->workers[thread];
    int rc = begin_trial(noise, worker, trial);
    if (rc) return rc;
    const bool perturbing = !noise->silent;
    if (perturbing && setup->perturbation == CW_PERTURBATION_CONSTANT) {
        rc = draw_any_round(noise, worker);
        if (!rc) rc = perturb(noise, worker);
    }
    struct level_context level = {noise, worker};
    struct cw_times times;
    if (!rc)
        rc = cw_collective_run(worker->collective, noise->application, worker->endpoints,
                               perturbing && setup->perturbation == CW_PERTURBATION_PER_ROUND ? perturb_anew : NULL,
                               &level, &times);
    if (!rc && times.clean <= 0)
        rc = cw_fail(CW_EUSAGE, "%s takes no time at all, so nothing can slow it down; expected an L, o or G above 0",
                     cw_schedule_spec(setup->collective.schedule));
    if (rc) return rc;
    if (perturbing) cw_collective_clear_background(worker->collective);
    noise->slowdown[trial] = times.perturbed / times.clean;
    noise->clean[trial] = times.clean;
    noise->perturbed[trial] = times.perturbed;
    noise->overhead[trial] = times.perturbed - times.clean;
    if (setup->samples) setup->samples[trial] = times;
    cw_progress_step(setup->progress, 1);
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
    if (setup->trials == 0) return cw_fail(CW_EUSAGE, "0 trials, expected at least 1");
    uint32_t levels, blocks;
    int rc = cw_schedule_plan(setup->collective.schedule, noise->application, &levels, &blocks);
    if (!rc && levels == 0)
        rc = cw_fail(CW_EUSAGE, "%s among %u endpoints sends nothing", cw_schedule_spec(setup->collective.schedule),
                     noise->application);
    if (!rc && noise->perturbing > 1) rc = cw_pattern_rounds(setup->background, noise->perturbing, &noise->rounds);
    return rc;
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

static int allocate(struct noise *noise)
{
    const size_t trials = noise->setup->trials;
    double *values = cw_new_array(4 * trials, sizeof *values, "results of trials");
    noise->n_workers = cw_parallel_threads(noise->setup->n_threads, trials);
    noise->workers = values ? cw_new_array(noise->n_workers, sizeof *noise->workers, "workers") : NULL;
    noise->slowdown = values;
    if (!noise->workers) return CW_ENOMEM;
    noise->clean = values + trials;
    noise->perturbed = values + 2 * trials;
    noise->overhead = values + 3 * trials;
    for (unsigned i = 0; i < noise->n_workers; i++) {
        const int rc = worker_init(&noise->workers[i], noise);
        if (rc) return rc;
    }
    return 0;
}

static int summarise(const struct noise *noise, struct cw_noise_result *out)
{
    const size_t n = noise->setup->trials;
    struct cw_noise_result result = {.application = noise->application, .perturbing = noise->perturbing};
    for (unsigned i = 0; i < noise->n_workers; i++) result.perturbation_messages += noise->workers[i].messages;
    int rc = cw_summarise(noise->slowdown, n, &result.slowdown);
    if (!rc) rc = cw_summarise(noise->clean, n, &result.clean);
    if (!rc) rc = cw_summarise(noise->perturbed, n, &result.perturbed);
    if (!rc) rc = cw_summarise(noise->overhead, n, &result.overhead);
    if (!rc) *out = result;
    return rc;
}

int cw_noise_check(const struct cw_noise_setup *setup)
{
    struct noise noise = {.setup = setup};
    return split(&noise);
}

int cw_noise_run(const struct cw_noise_setup *setup, struct cw_noise_result *out)
{
    struct noise noise = {.setup = setup};
    int rc = split(&noise);
    if (!rc) rc = listen(&noise);
    if (rc) return rc;
    rc = allocate(&noise);
    if (!rc) rc = cw_parallel_for(setup->n_threads, setup->trials, run_trial, &noise);
    if (!rc) rc = summarise(&noise, out);
    for (unsigned i = 0; noise.workers && i < noise.n_workers; i++) worker_release(&noise.workers[i]);
    free(noise.workers);
    free(noise.slowdown);
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

int cw_noise_draw(const struct cw_noise_setup *setup, size_t trial, struct cw_noise_case *out)
{
    struct noise noise = {.setup = setup};
    struct worker worker = {0};
    int rc = split(&noise);
    if (!rc && setup->perturbation == CW_PERTURBATION_PER_ROUND)
        rc = cw_fail(CW_EUSAGE, "a case has one perturbation, not another one at each level; expected a constant one");
    if (!rc) rc = listen(&noise);
    if (!rc) rc = worker_init(&worker, &noise);
    if (!rc) rc = begin_trial(&noise, &worker, trial);
    if (!rc) rc = write_down(&noise, &worker, out);
    worker_release(&worker);
    return rc;
}
