#include "sim/congestion.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/setup.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "net/network_internal.h"
#include "sim/round.h"
#include "sim/run_loads.h"

#define SHARE_UNITS 0x1p32 /* of a message: shares are added up as integers */
#define CLOSE       1e-9   /* relative: as much above a whole number as sums of shares may be */

/* What a tally counts; its maxima are those of channels. */
enum { OF_MESSAGES, OF_CHANNELS, CHANNEL_MESSAGES /* in units of a message / study.units */ };

struct study {
    const struct cw_congestion_setup *setup;
    const struct cw_network *net;
    uint32_t ranks, rounds;
    double *slowness; /* [channels] what a message or byte counts for (cw_load_slowness); NULL: 1 everywhere */
    double unit;      /* by bytes: s that a byte takes on a channel of slowness 1; else 1 */
    bool has_ways, by_bytes;
    bool by_runs; /* no channels of messages are asked for, and the routes have runs */
    double units; /* of a message or byte that are counted: 1 if each is whole */
};

struct worker {
    struct cw_round round;
    struct cw_load load;
    struct cw_run_loads runs; /* instead of the load, if by runs */
    uint32_t *endpoints;
    struct cw_flows flows;
    struct cw_congestion *congestion; /* [messages of a round] */
    size_t congestion_capacity;
    double *sizes; /* [messages of a round] where bytes count */
    size_t sizes_capacity;
    double *bytes; /* [channels] */
    struct cw_tally tally;
};

static int worker_make(const void *context, void *state)
{
    const struct study *study = context;
    struct worker *worker = state;
    const uint32_t n_channels = study->net->n_channels;
    int rc = cw_round_init(&worker->round, study->setup->routes);
    if (!rc)
        rc = study->by_runs ? cw_run_loads_init(&worker->runs, study->setup->routes)
                            : cw_load_init(&worker->load, n_channels);
    if (rc) return rc;
    worker->endpoints =
        cw_new_array(cw_placement_count(study->setup->placement), sizeof *worker->endpoints, "a placement");
    if (!worker->endpoints) return CW_ENOMEM;
    if (study->by_bytes) {
        worker->bytes = cw_new_array(n_channels, sizeof *worker->bytes, "bytes of channels");
        if (!worker->bytes) return CW_ENOMEM;
    }
    if (study->setup->messages_only) return 0;
    rc = cw_counts_reserve(&worker->tally.counts[CHANNEL_MESSAGES], n_channels);
    return rc ? rc : cw_tally_new_maxima(&worker->tally, n_channels);
}

static void worker_release(void *state)
{
    struct worker *worker = state;
    cw_round_free(&worker->round);
    cw_flows_free(&worker->flows);
    cw_load_free(&worker->load);
    cw_run_loads_free(&worker->runs);
    cw_tally_free(&worker->tally);
    free(worker->endpoints);
    free(worker->congestion);
    free(worker->sizes);
    free(worker->bytes);
}

static struct cw_tally *worker_tally(void *state)
{
    return &((struct worker *)state)->tally;
}

/* The bin of a congestion: itself, or, of sums of shares, the next whole number. */
static uint32_t bin_of(const struct study *study, double congestion)
{
    return study->has_ways ? (uint32_t)ceil(congestion - congestion * CLOSE) : (uint32_t)congestion;
}

/* What the N of a message, or a byte, on CHANNEL count for. */
static double weight(const struct study *study, uint32_t channel, double n)
{
    return study->slowness ? n * study->slowness[channel] : n;
}

/* Where channels are not equally fast: what each message gets of the bandwidth of the fastest cable of an endpoint. */
static int weigh_messages(const struct study *study, struct worker *worker, double *bandwidth)
{
    const uint32_t *next = worker->round.channels;
    struct cw_round_way way;
    *bandwidth = 0;
    for (size_t i = 0; i < worker->round.n; i++) {
        double most = 0;
        const int rc = cw_round_next_way(&worker->round, i, &next, &way);
        if (rc) return rc;
        for (size_t k = 0; k < way.n; k++)
            most = fmax(most, weight(study, way.channels[k], cw_load_own(&worker->load, way.channels[k])));
        *bandwidth += most > 0 ? 1 / most : 1;
    }
    return 0;
}

/* A message from an endpoint to itself has congestion 0: it meets nobody and has a channel's worth for itself. */
static int count_messages(const struct study *study, struct worker *worker, struct cw_congestion_sample *sample)
{
    struct cw_congestion_sample sum = *sample;
    const size_t n = worker->round.n;
    int rc = cw_grow_array((void **)&worker->congestion, &worker->congestion_capacity, n, sizeof *worker->congestion,
                           "congestions");
    if (!rc && study->by_runs)
        rc = cw_run_loads_count(&worker->runs, n, worker->round.src, worker->round.dst, worker->congestion);
    else if (!rc)
        rc = cw_round_congestion(&worker->round, &worker->load, worker->congestion);
    for (size_t i = 0; !rc && i < n; i++) {
        const double here = worker->congestion[i].own;
        sum.congestion += here;
        if (!study->slowness) sum.bandwidth += here > 0 ? 1 / here : 1;
        if (here > sum.max) sum.max = here;
        rc = cw_counts_add(&worker->tally.counts[OF_MESSAGES], bin_of(study, here));
    }
    if (!rc && study->slowness) {
        double bandwidth;
        rc = weigh_messages(study, worker, &bandwidth);
        if (!rc) sum.bandwidth += bandwidth;
    }
    sum.messages += n;
    *sample = sum;
    return rc;
}

/* --- by bytes ----------------------------------------------------------------------------------------------------- */

/* Adds up the bytes on each channel. */
static int add_bytes(struct worker *worker)
{
    const uint32_t *next = worker->round.channels;
    struct cw_round_way way;
    for (size_t i = 0; i < worker->round.n; i++) {
        const int rc = cw_round_next_way(&worker->round, i, &next, &way);
        if (rc) return rc;
        for (size_t k = 0; k < way.n; k++)
            worker->bytes[way.channels[k]] += worker->sizes[i] * (way.shares ? way.shares[k] : 1);
    }
    return 0;
}

/* What bandwidth each message gets. */
static int count_bytes(const struct study *study, struct worker *worker, struct cw_congestion_sample *sample)
{
    const uint32_t *next = worker->round.channels;
    struct cw_round_way way;
    for (size_t i = 0; i < worker->round.n; i++) {
        double most = 0, slowest = 0;
        const int rc = cw_round_next_way(&worker->round, i, &next, &way);
        if (rc) return rc;
        for (size_t k = 0; k < way.n; k++) {
            const double bytes = worker->bytes[way.channels[k]];
            most = fmax(most, bytes);
            slowest = fmax(slowest, weight(study, way.channels[k], bytes));
        }
        sample->bytes += worker->sizes[i];
        sample->bandwidth += slowest > 0 ? worker->sizes[i] * worker->sizes[i] / slowest : worker->sizes[i];
        if (most > sample->max) sample->max = most;
    }
    sample->messages += worker->round.n;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int count_channels(const struct study *study, struct worker *worker, struct cw_congestion_sample *sample)
{
    struct cw_tally *tally = &worker->tally;
    double slowest = 0;
    int rc = 0;
    for (uint32_t c = 0; !rc && c < study->net->n_channels; c++) {
        const double here = study->by_bytes  ? worker->bytes[c]
                            : study->by_runs ? cw_run_loads_on(&worker->runs, c)
                                             : cw_load_own(&worker->load, c);
        if (cw_network_is_closed(study->net, c)) continue;
        if (!study->by_bytes) rc = cw_counts_add(&tally->counts[OF_CHANNELS], bin_of(study, here));
        tally->counts[CHANNEL_MESSAGES].items[c] += (uint64_t)(here * study->units + 0.5);
        if (here > tally->maxima[c]) tally->maxima[c] = here;
        slowest = fmax(slowest, weight(study, c, here));
    }
    sample->time += slowest * study->unit;
    return rc;
}

/* The flows of the pattern become messages between endpoints, but for those from one part of the network to another. */
static int take_flows(const struct study *study, struct worker *worker, struct cw_congestion_sample *sample)
{
    const uint32_t *parts = study->setup->parts;
    struct cw_round *round = &worker->round;
    size_t n = 0;
    int rc = cw_round_begin(round, worker->flows.n);
    if (!rc && study->by_bytes)
        rc = cw_grow_array((void **)&worker->sizes, &worker->sizes_capacity, worker->flows.n, sizeof *worker->sizes,
                           "messages");
    for (size_t i = 0; !rc && i < worker->flows.n; i++) {
        const struct cw_flow *flow = &worker->flows.items[i];
        const uint32_t src = worker->endpoints[flow->src], dst = worker->endpoints[flow->dst];
        if (parts && parts[src] != parts[dst]) continue;
        if (study->by_bytes) worker->sizes[n] = (double)flow->bytes;
        round->src[n] = src;
        round->dst[n++] = dst;
    }
    if (rc) return rc;
    round->n = n;
    round->bytes = worker->sizes;
    sample->messages += worker->flows.n - n;
    sample->cut_off += worker->flows.n - n;
    return 0;
}

static int run_round(const struct study *study, struct worker *worker, struct cw_congestion_sample *sample)
{
    int rc = take_flows(study, worker, sample);
    if (rc) return rc;
    if (!study->by_runs) rc = cw_round_route(&worker->round, &worker->load);
    sample->minimal += worker->round.ways.minimal / study->rounds;
    if (!rc && study->by_bytes) {
        for (uint32_t c = 0; c < study->net->n_channels; c++) worker->bytes[c] = 0;
        rc = add_bytes(worker);
    }
    if (!rc) rc = study->by_bytes ? count_bytes(study, worker, sample) : count_messages(study, worker, sample);
    if (!rc && !study->setup->messages_only) rc = count_channels(study, worker, sample);
    if (!study->by_runs) cw_round_remove(&worker->round, &worker->load);
    return rc;
}

static int run_trial(const void *context, void *state, size_t trial, void *outcome)
{
    const struct study *study = context;
    const struct cw_congestion_setup *setup = study->setup;
    struct worker *worker = state;
    struct cw_random placement = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, trial);
    struct cw_random random = cw_random_of(setup->seed, CW_STREAM_PATTERN, trial);
    int rc = cw_placement_order(setup->placement, &placement, worker->endpoints);
    for (uint32_t r = 0; !rc && r < study->rounds; r++) {
        worker->flows.n = 0;
        rc = cw_interrupt_check();
        if (!rc) rc = cw_pattern_append(setup->pattern, study->ranks, r, 1, &random, &worker->flows);
        if (!rc) rc = run_round(study, worker, outcome);
    }
    return rc;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* The means over all messages. */
static void average(const struct cw_congestion_sample *samples, size_t n, struct cw_congestion_result *result)
{
    double congestion = 0, bandwidth = 0;
    for (size_t t = 0; t < n; t++) {
        result->messages += samples[t].messages;
        result->cut_off += samples[t].cut_off;
        result->bytes += samples[t].bytes;
        congestion += samples[t].congestion;
        bandwidth += samples[t].bandwidth;
    }
    if (result->messages == 0) return;
    const uint64_t sent = result->messages - result->cut_off;
    if (sent > 0) result->message_mean = congestion / (double)sent;
    result->bandwidth_mean = bandwidth / (result->by_bytes ? result->bytes : (double)result->messages);
}

/* A histogram of TALLY with BINS bins, owned by the caller. */
static int take_histogram(struct cw_counts *counts, size_t bins, uint64_t **out)
{
    const int rc = cw_counts_reserve(counts, bins);
    *out = counts->items;
    *counts = (struct cw_counts){0};
    return rc;
}

/* RESULT gets the histograms and maxima of TALLY, whose messages by channel become numbers. */
static int take(const struct study *study, struct cw_tally *tally, struct cw_congestion_result *result)
{
    const size_t bins = (size_t)result->bin_max + 1;
    const uint32_t n_channels = study->net->n_channels;
    int rc = study->by_bytes ? 0 : take_histogram(&tally->counts[OF_MESSAGES], bins, &result->of_messages);
    if (rc || study->setup->messages_only) return rc;
    if (!study->by_bytes) rc = take_histogram(&tally->counts[OF_CHANNELS], bins, &result->of_channels);
    result->channel_max = tally->maxima;
    tally->maxima = NULL;
    result->channel_time = cw_new_array(n_channels, sizeof *result->channel_time, "channel times");
    result->channel_messages = cw_new_array(n_channels, sizeof *result->channel_messages, "channel sums");
    if (!rc && !(result->channel_time && result->channel_messages)) rc = CW_ENOMEM;
    for (uint32_t c = 0; !rc && c < n_channels; c++) {
        result->channel_messages[c] = (double)tally->counts[CHANNEL_MESSAGES].items[c] / study->units;
        result->channel_time[c] = weight(study, c, result->channel_max[c]) * study->unit;
    }
    return rc;
}

/* SAMPLES become the result's. */
static int collect(const struct study *study, struct cw_congestion_sample *samples, struct cw_tally *tally,
                   struct cw_congestion_result *out)
{
    const size_t n = study->setup->trials;
    struct cw_congestion_result result = {
        .ranks = study->ranks, .rounds = study->rounds, .by_bytes = study->by_bytes, .samples = samples};
    int rc = cw_summarise_member(&samples->max, n, sizeof *samples, &result.max);
    if (!rc) rc = cw_summarise_member(&samples->time, n, sizeof *samples, &result.time);
    if (!rc) rc = cw_summarise_member(&samples->minimal, n, sizeof *samples, &result.minimal);
    result.message_max = result.max.max;
    if (!study->by_bytes) result.bin_max = bin_of(study, result.message_max);
    average(samples, n, &result);
    if (!rc) rc = take(study, tally, &result);
    if (rc)
        cw_congestion_free(&result);
    else
        *out = result;
    return rc;
}

static int run_trials(const struct study *study, struct cw_congestion_result *out)
{
    const struct cw_congestion_setup *setup = study->setup;
    const struct cw_trials trials = {.n = setup->trials,
                                     .outcome_size = sizeof(struct cw_congestion_sample),
                                     .state_size = sizeof(struct worker),
                                     .context = study,
                                     .make = worker_make,
                                     .release = worker_release,
                                     .run = run_trial,
                                     .tally = worker_tally,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    void *samples;
    struct cw_tally tally;
    int rc = cw_trials_run(&trials, &samples, &tally);
    if (rc) return rc;
    rc = collect(study, samples, &tally, out);
    cw_tally_free(&tally);
    return rc;
}

/* Whether messages have different sizes: then these count. */
static int compare_sizes(struct study *study)
{
    const struct cw_pattern *pattern = study->setup->pattern;
    struct cw_flows flows = {0};
    if (!cw_pattern_is_sized(pattern)) return 0;
    const int rc = cw_pattern_append_all(pattern, study->ranks, 1, study->setup->seed, &flows, NULL);
    for (size_t i = 1; !rc && i < flows.n; i++) study->by_bytes |= flows.items[i].bytes != flows.items[0].bytes;
    cw_flows_free(&flows);
    return rc;
}

int cw_congestion_run_sized(const struct cw_congestion_setup *given, size_t size, struct cw_congestion_result *out)
{
    struct cw_congestion_setup whole;
    const struct cw_congestion_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    int rc = cw_check_given(setup->routes, "routes");
    if (!rc) rc = cw_check_given(setup->pattern, "pattern");
    if (!rc) rc = cw_check_given(setup->placement, "placement");
    if (rc) return rc;
    struct study study = {.setup = setup, .net = cw_routes_network(setup->routes)};
    const uint32_t n = cw_placement_count(setup->placement);
    study.ranks = setup->ranks ? setup->ranks : n;
    if (study.ranks > n)
        return cw_fail(CW_EUSAGE, "%u ranks on %u endpoints, expected at most one on each", study.ranks, n);
    rc = cw_pattern_rounds(setup->pattern, study.ranks, &study.rounds);
    if (rc) return rc;
    study.has_ways = cw_routes_kind(setup->routes) == CW_ROUTES_WAYS;
    rc = compare_sizes(&study);
    study.units = study.has_ways && !study.by_bytes ? SHARE_UNITS : 1;
    study.unit = study.by_bytes ? 1 / cw_load_reference(study.net) : 1;
    if (!rc && (study.by_bytes || !setup->equal_speeds)) rc = cw_load_slowness(study.net, &study.slowness);
    study.by_runs = !study.by_bytes && !study.slowness && cw_routes_most_runs(setup->routes) > 0;
    if (!rc) rc = run_trials(&study, out);
    free(study.slowness);
    return rc;
}

void cw_congestion_free(struct cw_congestion_result *result)
{
    if (!result) return;
    free(result->samples);
    free(result->channel_max);
    free(result->channel_time);
    free(result->channel_messages);
    free(result->of_channels);
    free(result->of_messages);
    *result = (struct cw_congestion_result){0};
}
