#include "sim/ebb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "sim/round.h"

struct worker {
    struct cw_round round;
    struct cw_load load;
    uint32_t *endpoints;
    struct cw_congestion *congestion; /* [messages] */
};

struct ebb {
    const struct cw_ebb_setup *setup;
    const struct cw_network *net;
    uint32_t n, half; /* endpoints that take part */
    struct worker *workers;
    unsigned n_workers;
    double *ebb, *max_congestion; /* [trials] */
};

static int worker_init(struct worker *worker, const struct ebb *ebb)
{
    int rc = cw_round_init(&worker->round, ebb->setup->routes);
    if (!rc) rc = cw_load_init(&worker->load, ebb->net->n_channels);
    if (rc) return rc;
    worker->endpoints = cw_new_array(ebb->n, sizeof *worker->endpoints, "a bisection");
    worker->congestion = cw_new_array(2 * (size_t)ebb->half, sizeof *worker->congestion, "congestions");
    return worker->endpoints && worker->congestion ? 0 : CW_ENOMEM;
}

static void worker_release(struct worker *worker)
{
    cw_round_free(&worker->round);
    cw_load_free(&worker->load);
    free(worker->endpoints);
    free(worker->congestion);
}

/* A random order is a random halving with a random matching: the i-th of one half with the i-th of the other. */
static void shuffle(const struct ebb *ebb, struct cw_random *random, uint32_t *endpoints)
{
    const struct cw_selection *selection = ebb->setup->selection;
    for (uint32_t i = 0; i < ebb->n; i++) endpoints[i] = selection ? selection->endpoints[i] : i;
    cw_random_shuffle(random, endpoints, ebb->n);
}

static int run_trial(void *context, size_t trial, unsigned thread)
{
    const struct ebb *ebb = context;
    const uint32_t half = ebb->half;
    struct worker *worker = &ebb->workers[thread];
    struct cw_round *round = &worker->round;
    struct cw_random random = cw_random_of(ebb->setup->seed, CW_STREAM_PATTERN, trial);

    shuffle(ebb, &random, worker->endpoints);
    const size_t n = ebb->setup->both_directions ? 2 * (size_t)half : half;
    int rc = cw_round_begin(round, n);
    if (rc) return rc;
    for (uint32_t i = 0; i < half; i++) {
        round->src[i] = worker->endpoints[i];
        round->dst[i] = worker->endpoints[half + i];
    }
    for (size_t i = half; i < n; i++) {
        round->src[i] = round->dst[i - half];
        round->dst[i] = round->src[i - half];
    }
    rc = cw_round_route(round, &worker->load);
    if (rc) return rc;
    rc = cw_round_congestion(round, &worker->load, worker->congestion);
    cw_round_remove(round, &worker->load);
    if (rc) return rc;

    double sum = 0, max = 0;
    for (size_t i = 0; i < n; i++) {
        const double congestion = worker->congestion[i].own;
        sum += 1.0 / congestion;
        max = congestion > max ? congestion : max;
    }
    ebb->ebb[trial] = sum / (double)n;
    ebb->max_congestion[trial] = max;
    cw_progress_step(ebb->setup->progress, 1);
    return 0;
}

static int run_trials(struct ebb *ebb, struct cw_ebb_result *out)
{
    const struct cw_ebb_setup *setup = ebb->setup;
    for (unsigned i = 0; i < ebb->n_workers; i++) {
        const int rc = worker_init(&ebb->workers[i], ebb);
        if (rc) return rc;
    }
    struct cw_ebb_result result;
    int rc = cw_parallel_for(setup->n_threads, setup->trials, run_trial, ebb);
    if (!rc) rc = cw_summarise(ebb->ebb, setup->trials, &result.ebb);
    if (!rc) rc = cw_summarise(ebb->max_congestion, setup->trials, &result.max_congestion);
    if (!rc) *out = result;
    return rc;
}

int cw_ebb_run(const struct cw_ebb_setup *setup, struct cw_ebb_result *out)
{
    int rc = cw_check_given(setup->routes, "routes");
    if (rc) return rc;
    struct ebb ebb = {.setup = setup, .net = cw_routes_network(setup->routes)};
    ebb.n = setup->selection ? setup->selection->n : ebb.net->n_endpoints;
    ebb.half = ebb.n / 2;
    if (ebb.half == 0)
        return cw_fail(CW_EUSAGE, "%u endpoints of %s take part, a bisection needs at least 2", ebb.n, ebb.net->title);
    if (setup->trials == 0) return cw_fail(CW_EUSAGE, "0 trials, expected at least 1");
    ebb.n_workers = cw_parallel_threads(setup->n_threads, setup->trials);
    ebb.ebb = cw_new_array(2 * setup->trials, sizeof *ebb.ebb, "results of trials");
    ebb.workers = ebb.ebb ? cw_new_array(ebb.n_workers, sizeof *ebb.workers, "workers") : NULL;
    ebb.max_congestion = ebb.ebb ? ebb.ebb + setup->trials : NULL;
    rc = ebb.workers ? run_trials(&ebb, out) : CW_ENOMEM;
    for (unsigned i = 0; ebb.workers && i < ebb.n_workers; i++) worker_release(&ebb.workers[i]);
    free(ebb.workers);
    free(ebb.ebb);
    return rc;
}
