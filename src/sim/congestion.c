#include "sim/congestion.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "sim/round.h"

#define SHARE_UNITS 0x1p32 /* of a message: shares are added up as integers */
#define CLOSE       1e-9   /* relative: as much above a whole number as sums of shares may be */

/* What one thread has counted; sums of integers and maxima, so that merging does not depend on the order. */
struct worker {
    struct cw_round round;
    struct cw_load load;
    uint32_t *endpoints;
    struct cw_flows flows;
    struct cw_congestion *congestion; /* [messages of a round] */
    size_t congestion_capacity;
    double *channel_max;
    uint64_t *channel_messages;          /* in units of a message / study.units */
    uint64_t *of_messages, *of_channels; /* [histogram_capacity] */
    size_t of_messages_capacity, of_channels_capacity;
};

struct study {
    const struct cw_congestion_setup *setup;
    const struct cw_network *net;
    uint32_t ranks, rounds;
    struct worker *workers;
    unsigned n_workers;
    double *slowness; /* [channels] time of a message: capacity of the fastest channel / of this one */
    bool has_ways;
    double units;                   /* of a message that are counted: 1 if each is whole */
    uint64_t *messages;             /* [channels] of all workers, in these units */
    double *max, *time;             /* [trials] */
    double *congestion, *bandwidth; /* [trials] sums over messages; of ways only */
};

static int worker_init(struct worker *worker, const struct study *study)
{
    const uint32_t n_channels = study->net->n_channels;
    int rc = cw_round_init(&worker->round, study->setup->routes);
    if (!rc) rc = cw_load_init(&worker->load, n_channels);
    if (rc) return rc;
    worker->endpoints =
        cw_new_array(cw_placement_count(study->setup->placement), sizeof *worker->endpoints, "a placement");
    worker->channel_max = cw_new_array(n_channels, sizeof *worker->channel_max, "channel maxima");
    worker->channel_messages = cw_new_array(n_channels, sizeof *worker->channel_messages, "channel sums");
    return worker->endpoints && worker->channel_max && worker->channel_messages ? 0 : CW_ENOMEM;
}

static void worker_release(struct worker *worker)
{
    cw_round_free(&worker->round);
    cw_flows_free(&worker->flows);
    cw_load_free(&worker->load);
    free(worker->endpoints);
    free(worker->congestion);
    free(worker->channel_max);
    free(worker->channel_messages);
    free(worker->of_messages);
    free(worker->of_channels);
}

/* One more of VALUE in a histogram that grows. */
static int count(uint64_t **histogram, size_t *capacity, uint32_t value)
{
    const size_t before = *capacity;
    if (value >= before) {
        const int rc =
            cw_grow_array((void **)histogram, capacity, (size_t)value + 1, sizeof **histogram, "a histogram");
        if (rc) return rc;
        for (size_t i = before; i < *capacity; i++) (*histogram)[i] = 0;
    }
    (*histogram)[value]++;
    return 0;
}

/* The bin of a congestion: itself, or, of sums of shares, the next whole number. */
static uint32_t bin_of(const struct study *study, double congestion)
{
    return study->has_ways ? (uint32_t)ceil(congestion - congestion * CLOSE) : (uint32_t)congestion;
}

/* What of a trial is added up or compared over its rounds. */
struct trial {
    double max, time, congestion, bandwidth;
};

static void add_message(struct trial *trial, double congestion)
{
    trial->congestion += congestion;
    trial->bandwidth += congestion > 0 ? 1 / congestion : 1;
}

static int count_round(const struct study *study, struct worker *worker, struct trial *trial)
{
    double slowest = 0;
    const size_t n = worker->round.n;
    int rc = cw_grow_array((void **)&worker->congestion, &worker->congestion_capacity, n, sizeof *worker->congestion,
                           "congestions");
    if (rc) return rc;
    rc = cw_round_congestion(&worker->round, &worker->load, worker->congestion);
    for (size_t i = 0; !rc && i < n; i++) {
        if (study->has_ways) add_message(trial, worker->congestion[i].own);
        rc = count(&worker->of_messages, &worker->of_messages_capacity, bin_of(study, worker->congestion[i].own));
    }
    for (uint32_t c = 0; !rc && c < study->net->n_channels; c++) {
        const double here = cw_load_own(&worker->load, c);
        rc = count(&worker->of_channels, &worker->of_channels_capacity, bin_of(study, here));
        worker->channel_messages[c] += study->has_ways ? (uint64_t)(here * SHARE_UNITS + 0.5) : (uint64_t)here;
        if (here > worker->channel_max[c]) worker->channel_max[c] = here;
        if (here > trial->max) trial->max = here;
        if (here * study->slowness[c] > slowest) slowest = here * study->slowness[c];
    }
    trial->time += slowest;
    cw_round_remove(&worker->round, &worker->load);
    return rc;
}

static int run_trial(void *context, size_t trial, unsigned thread)
{
    const struct study *study = context;
    const struct cw_congestion_setup *setup = study->setup;
    struct worker *worker = &study->workers[thread];
    struct cw_random placement = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, trial);
    struct cw_random random = cw_random_of(setup->seed, CW_STREAM_PATTERN, trial);
    int rc = cw_placement_order(setup->placement, &placement, worker->endpoints);
    struct trial sums = {0};
    for (uint32_t r = 0; !rc && r < study->rounds; r++) {
        worker->flows.n = 0;
        rc = cw_interrupt_check();
        if (!rc) rc = cw_pattern_append(setup->pattern, study->ranks, r, 1, &random, &worker->flows);
        if (!rc) rc = cw_round_begin(&worker->round, worker->flows.n);
        if (rc) break;
        for (size_t i = 0; i < worker->flows.n; i++) {
            worker->round.src[i] = worker->endpoints[worker->flows.items[i].src];
            worker->round.dst[i] = worker->endpoints[worker->flows.items[i].dst];
        }
        rc = cw_round_route(&worker->round, &worker->load);
        if (!rc) rc = count_round(study, worker, &sums);
    }
    if (rc) return rc;
    study->max[trial] = sums.max;
    study->time[trial] = sums.time;
    study->congestion[trial] = sums.congestion;
    study->bandwidth[trial] = sums.bandwidth;
    cw_progress_step(setup->progress, 1);
    return 0;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

static void add_histogram(uint64_t *sum, uint32_t max, const uint64_t *part, size_t capacity)
{
    for (size_t i = 0; i <= max && i < capacity; i++) sum[i] += part[i];
}

/* Puts together what the workers counted. RESULT's message_max is known and its arrays are allocated. */
static void merge(const struct study *study, struct cw_congestion_result *result)
{
    for (unsigned w = 0; w < study->n_workers; w++) {
        const struct worker *worker = &study->workers[w];
        add_histogram(result->of_messages, result->bin_max, worker->of_messages, worker->of_messages_capacity);
        add_histogram(result->of_channels, result->bin_max, worker->of_channels, worker->of_channels_capacity);
        for (uint32_t c = 0; c < study->net->n_channels; c++) {
            study->messages[c] += worker->channel_messages[c];
            if (worker->channel_max[c] > result->channel_max[c]) result->channel_max[c] = worker->channel_max[c];
        }
    }
    for (uint32_t c = 0; c < study->net->n_channels; c++) {
        result->channel_messages[c] = (double)study->messages[c] / study->units;
        result->channel_time[c] = result->channel_max[c] * study->slowness[c];
    }
    double sum = 0, bandwidth = 0;
    for (uint32_t i = 0; i <= result->bin_max; i++) {
        const double messages = (double)result->of_messages[i];
        result->messages += result->of_messages[i];
        sum += messages * i;
        if (i > 0) bandwidth += messages / i;
    }
    /* A message from an endpoint to itself has congestion 0: it meets nobody and has a channel's worth for itself. */
    bandwidth += (double)result->of_messages[0];
    if (study->has_ways) sum = bandwidth = 0;
    for (size_t t = 0; study->has_ways && t < study->setup->trials; t++) {
        sum += study->congestion[t];
        bandwidth += study->bandwidth[t];
    }
    if (result->messages > 0) {
        result->message_mean = sum / (double)result->messages;
        result->bandwidth_mean = bandwidth / (double)result->messages;
    }
}

static int collect(const struct study *study, struct cw_congestion_result *out)
{
    struct cw_congestion_result result = {.ranks = study->ranks, .rounds = study->rounds};
    int rc = cw_summarise(study->max, study->setup->trials, &result.max);
    if (!rc) rc = cw_summarise(study->time, study->setup->trials, &result.time);
    if (rc) return rc;
    result.message_max = result.max.max;
    result.bin_max = bin_of(study, result.message_max);
    result.channel_max = cw_new_array(study->net->n_channels, sizeof *result.channel_max, "channel maxima");
    result.channel_time = cw_new_array(study->net->n_channels, sizeof *result.channel_time, "channel times");
    result.channel_messages = cw_new_array(study->net->n_channels, sizeof *result.channel_messages, "channel sums");
    result.of_channels = cw_new_array((size_t)result.bin_max + 1, sizeof *result.of_channels, "a histogram");
    result.of_messages = cw_new_array((size_t)result.bin_max + 1, sizeof *result.of_messages, "a histogram");
    if (!result.channel_max || !result.channel_time || !result.channel_messages || !result.of_channels ||
        !result.of_messages) {
        cw_congestion_free(&result);
        return CW_ENOMEM;
    }
    merge(study, &result);
    *out = result;
    return 0;
}

static void find_slowness(struct study *study)
{
    double slowest, fastest;
    cw_network_capacities(study->net, &slowest, &fastest);
    for (uint32_t c = 0; c < study->net->n_channels; c++) study->slowness[c] = fastest / study->net->capacity[c];
}

static int run_trials(struct study *study, struct cw_congestion_result *out)
{
    for (unsigned i = 0; i < study->n_workers; i++) {
        const int rc = worker_init(&study->workers[i], study);
        if (rc) return rc;
    }
    const int rc = cw_parallel_for(study->setup->n_threads, study->setup->trials, run_trial, study);
    return rc ? rc : collect(study, out);
}

int cw_congestion_run(const struct cw_congestion_setup *setup, struct cw_congestion_result *out)
{
    int rc = cw_check_given(setup->routes, "routes");
    if (!rc) rc = cw_check_given(setup->pattern, "pattern");
    if (!rc) rc = cw_check_given(setup->placement, "placement");
    if (rc) return rc;
    struct study study = {.setup = setup, .net = cw_routes_network(setup->routes)};
    const uint32_t n = cw_placement_count(setup->placement);
    study.ranks = setup->ranks ? setup->ranks : n;
    if (study.ranks > n)
        return cw_fail(CW_EUSAGE, "%u ranks on %u endpoints, expected at most one on each", study.ranks, n);
    if (setup->trials == 0) return cw_fail(CW_EUSAGE, "0 trials, expected at least 1");
    rc = cw_pattern_rounds(setup->pattern, study.ranks, &study.rounds);
    if (rc) return rc;
    study.n_workers = cw_parallel_threads(setup->n_threads, setup->trials);
    study.has_ways = cw_routes_kind(setup->routes) == CW_ROUTES_WAYS;
    study.units = study.has_ways ? SHARE_UNITS : 1;
    study.max = cw_new_array(4 * setup->trials, sizeof *study.max, "results of trials");
    study.time = study.max ? study.max + setup->trials : NULL;
    study.congestion = study.max ? study.max + 2 * setup->trials : NULL;
    study.bandwidth = study.max ? study.max + 3 * setup->trials : NULL;
    study.slowness = cw_new_array(study.net->n_channels, sizeof *study.slowness, "channel times");
    study.messages = cw_new_array(study.net->n_channels, sizeof *study.messages, "channel sums");
    study.workers = cw_new_array(study.n_workers, sizeof *study.workers, "workers");
    rc = study.max && study.slowness && study.messages && study.workers ? 0 : CW_ENOMEM;
    if (!rc) {
        find_slowness(&study);
        rc = run_trials(&study, out);
    }
    for (unsigned i = 0; study.workers && i < study.n_workers; i++) worker_release(&study.workers[i]);
    free(study.workers);
    free(study.slowness);
    free(study.messages);
    free(study.max);
    return rc;
}

void cw_congestion_free(struct cw_congestion_result *result)
{
    if (!result) return;
    free(result->channel_max);
    free(result->channel_time);
    free(result->channel_messages);
    free(result->of_channels);
    free(result->of_messages);
    *result = (struct cw_congestion_result){0};
}
