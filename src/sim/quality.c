#include "sim/quality.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/setup.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "net/network_internal.h"
#include "sim/ebb.h"
#include "sim/round.h"
#include "traffic/placement.h"

#define DEFAULT_ROUTES 4000000u
#define TRIALS_MOST    200u
#define TRIALS_LEAST   20u
#define BOUND_STEPS    2e9
#define LENGTHS        64 /* distances between switches that are told apart; longer ones count as the last */

/* A switch with endpoints that take part and have no other cable. */
struct home {
    uint32_t vertex;
    uint32_t n;       /* of them */
    bool whole;       /* no endpoint with several cables is among its neighbours in the order */
    uint32_t ways;    /* channels to other switches */
    double capacity;  /* of all of them, in channels of slowness 1 */
    double into;      /* of the channels from other switches */
    double fastest;   /* of one */
    double own;       /* of the fastest cable of its endpoints */
    double slow_host; /* slowness of the slowest */
};

struct study {
    const struct cw_quality_setup *setup;
    const struct cw_network *net;
    const uint32_t *parts; /* [endpoints]; NULL: one */
    double *slowness;      /* [channels]; NULL: 1 everywhere */
    uint32_t *order;       /* [n] endpoints that take part, switch by switch */
    uint32_t n;
    bool by_destination, one_path;
    uint32_t *chosen;   /* shifts or places of destinations to look at; NULL: all */
    struct home *homes; /* [n_homes] */
    uint32_t *home_of;  /* [switches] index of its home, or CW_NONE */
    uint32_t n_homes;
    double channels, capacity; /* between switches: how many, and what they have together */
    double several;            /* ordered pairs of which an endpoint has several cables */
};

struct worker {
    struct cw_round round;
    struct cw_load load;
    struct cw_tally tally; /* of destinations: by channel */
    uint64_t *marked;      /* [channels] the destination that has counted it, + 1 */
    uint32_t *hops;        /* [switches] */
    uint32_t *queue;
};

static bool between_switches(const struct cw_network *net, uint32_t channel)
{
    return !cw_network_is_host_channel(net, channel) && !cw_network_is_closed(net, channel);
}

static double slowness_of(const struct study *study, uint32_t channel)
{
    return study->slowness ? study->slowness[channel] : 1;
}

static int make_worker(const void *context, void *state)
{
    const struct study *study = context;
    struct worker *worker = state;
    const uint32_t n_switches = cw_network_switches(study->net);
    int rc = cw_round_init(&worker->round, study->setup->routes);
    if (!rc) rc = cw_load_init(&worker->load, study->net->n_channels);
    if (!rc) rc = cw_counts_reserve(&worker->tally.counts[0], study->net->n_channels);
    if (rc) return rc;
    worker->marked = cw_new_array(study->net->n_channels, sizeof *worker->marked, "marks of channels");
    worker->hops = cw_new_array(n_switches, sizeof *worker->hops, "distances");
    worker->queue = cw_new_array(n_switches, sizeof *worker->queue, "distances");
    return worker->marked && worker->hops && worker->queue ? 0 : CW_ENOMEM;
}

static void release_worker(void *state)
{
    struct worker *worker = state;
    cw_round_free(&worker->round);
    cw_load_free(&worker->load);
    cw_tally_free(&worker->tally);
    free(worker->marked);
    free(worker->hops);
    free(worker->queue);
}

static struct cw_tally *tally_of(void *state)
{
    return &((struct worker *)state)->tally;
}

static int run_all(const struct study *study, size_t n, size_t size,
                   int (*run)(const void *context, void *state, size_t trial, void *outcome), void **outcomes,
                   struct cw_tally *tally)
{
    const struct cw_trials trials = {.n = n,
                                     .outcome_size = size,
                                     .state_size = sizeof(struct worker),
                                     .context = study,
                                     .make = make_worker,
                                     .release = release_worker,
                                     .run = run,
                                     .tally = tally_of,
                                     .n_threads = study->setup->n_threads};
    return cw_trials_run(&trials, outcomes, tally);
}

/* An even random sample of MOST of 0 … N-1, ascending, or all: STUDY->chosen and its number. */
static int choose(struct study *study, uint32_t n, uint64_t stream, uint32_t *number)
{
    uint64_t most = study->setup->max_routes / study->n;
    if (most < 2) most = 2;
    free(study->chosen);
    study->chosen = NULL;
    *number = n;
    if (n <= most) return 0;
    study->chosen = cw_new_array((size_t)most, sizeof *study->chosen, "a sample");
    if (!study->chosen) return CW_ENOMEM;
    struct cw_random random = cw_random_of(study->setup->seed, CW_STREAM_SAMPLE, stream);
    for (uint32_t i = 0, taken = 0; taken < most; i++)
        if (cw_random_below(&random, n - i) < most - taken) study->chosen[taken++] = i;
    *number = (uint32_t)most;
    return 0;
}

static uint32_t chosen(const struct study *study, size_t i)
{
    return study->chosen ? study->chosen[i] : (uint32_t)i;
}

/* --- destinations of a channel ------------------------------------------------------------------------------------ */

/* Whether the routes of the endpoint at place I are those of the one before it: then one of both is enough. */
static bool like_the_last(const struct study *study, uint32_t i)
{
    const struct cw_network *net = study->net;
    const uint32_t e = study->order[i];
    if (!study->by_destination || i == 0 || cw_network_degree(net, e) != 1) return false;
    const uint32_t last = study->order[i - 1];
    return cw_network_degree(net, last) == 1 && net->head[net->first[last]] == net->head[net->first[e]];
}

static int run_destination(const void *context, void *state, size_t trial, void *outcome)
{
    const struct study *study = context;
    struct worker *worker = state;
    struct cw_round *round = &worker->round;
    const uint32_t place = chosen(study, trial), dst = study->order[place];
    const uint32_t *next;
    struct cw_round_way way;
    size_t n = 0;
    (void)outcome;
    int rc = cw_round_begin(round, study->n);
    if (rc) return rc;
    for (uint32_t i = 0; i < study->n; i++) {
        const uint32_t src = study->order[i];
        if (i == place || (study->parts && study->parts[src] != study->parts[dst])) continue;
        if (like_the_last(study, i) && i - 1 != place) continue;
        round->src[n] = src;
        round->dst[n++] = dst;
    }
    round->n = n;
    rc = cw_round_route(round, &worker->load);
    next = round->channels;
    for (size_t i = 0; !rc && i < n; i++) {
        rc = cw_round_next_way(round, i, &next, &way);
        for (size_t k = 0; !rc && k < way.n; k++) {
            const uint32_t c = way.channels[k];
            if (worker->marked[c] == (uint64_t)place + 1 || !between_switches(study->net, c)) continue;
            worker->marked[c] = (uint64_t)place + 1;
            worker->tally.counts[0].items[c]++;
        }
    }
    cw_round_remove(round, &worker->load);
    return rc;
}

static int count_destinations(struct study *study, struct cw_quality *out)
{
    struct cw_tally tally = {0};
    void *outcomes = NULL;
    double sum = 0, most = 0;
    int rc = choose(study, study->n, 0, &out->n_destinations);
    if (!rc) rc = run_all(study, out->n_destinations, 1, run_destination, &outcomes, &tally);
    if (rc) return rc;
    for (size_t c = 0; c < tally.counts[0].n; c++) {
        sum += (double)tally.counts[0].items[c];
        most = fmax(most, (double)tally.counts[0].items[c]);
    }
    free(outcomes);
    cw_tally_free(&tally);
    const double scale = study->n / (double)out->n_destinations;
    out->destinations.value = study->channels > 0 ? sum * scale / study->channels : NAN;
    out->most_destinations.value = study->channels > 0 && scale == 1 ? most : NAN;
    return 0;
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

static int run_shift(const void *context, void *state, size_t trial, void *outcome)
{
    const struct study *study = context;
    struct worker *worker = state;
    struct cw_round *round = &worker->round;
    const uint32_t by = chosen(study, trial) + 1;
    double *time = outcome;
    size_t n = 0;
    int rc = cw_round_begin(round, study->n);
    if (rc) return rc;
    for (uint32_t i = 0; i < study->n; i++) {
        const uint32_t src = study->order[i], dst = study->order[(i + by) % study->n];
        if (study->parts && study->parts[src] != study->parts[dst]) continue;
        round->src[n] = src;
        round->dst[n++] = dst;
    }
    round->n = n;
    rc = cw_round_route(round, &worker->load);
    for (uint32_t c = 0; !rc && c < study->net->n_channels; c++)
        *time = fmax(*time, slowness_of(study, c) * cw_load_own(&worker->load, c));
    cw_round_remove(round, &worker->load);
    return rc;
}

static int time_shifts(struct study *study, struct cw_quality *out)
{
    struct cw_tally tally = {0};
    struct cw_summary summary;
    void *outcomes = NULL;
    int rc = choose(study, study->n - 1, 1, &out->n_shifts);
    if (!rc) rc = run_all(study, out->n_shifts, sizeof(double), run_shift, &outcomes, &tally);
    if (!rc) rc = cw_summarise(outcomes, out->n_shifts, &summary);
    free(outcomes);
    cw_tally_free(&tally);
    if (rc) return rc;
    const double ci95 = study->chosen ? summary.ci95 : NAN, shifts = study->n - 1;
    out->shift = (struct cw_quality_measure){.value = summary.mean, .ci95 = ci95};
    out->worst_shift = (struct cw_quality_measure){.value = summary.max, .ci95 = NAN};
    out->alltoall = (struct cw_quality_measure){.value = summary.mean * shifts, .ci95 = ci95 * shifts};
    return 0;
}

/* --- bisections --------------------------------------------------------------------------------------------------- */

static int halve(const struct study *study, bool both, struct cw_quality *out)
{
    const struct cw_quality_setup *setup = study->setup;
    const uint64_t fit = setup->max_routes / study->n;
    struct cw_quality_measure *measure = both ? &out->ebb_bi : &out->ebb_uni;
    out->trials = fit > TRIALS_MOST ? TRIALS_MOST : fit < TRIALS_LEAST ? TRIALS_LEAST : (uint32_t)fit;
    const struct cw_ebb_setup ebb = {.routes = setup->routes,
                                     .selection = setup->selection,
                                     .both_directions = both,
                                     .trials = out->trials,
                                     .seed = setup->seed,
                                     .n_threads = setup->n_threads};
    struct cw_ebb_result result;
    const int rc = cw_ebb_run(&ebb, &result);
    if (!rc) *measure = (struct cw_quality_measure){.value = result.ebb.mean, .ci95 = result.ebb.ci95};
    return rc;
}

/* --- bounds: what can be known of a switch without routes --------------------------------------------------------- */

static void describe_home(const struct study *study, struct home *home)
{
    const struct cw_network *net = study->net;
    for (uint32_t c = net->first[home->vertex]; c < net->first[home->vertex + 1]; c++) {
        if (between_switches(net, net->twin[c])) home->into += 1 / slowness_of(study, net->twin[c]);
        if (!between_switches(net, c)) continue;
        const double speed = 1 / slowness_of(study, c);
        home->ways++;
        home->capacity += speed;
        home->fastest = fmax(home->fastest, speed);
    }
}

/* Endpoints of a switch follow one another in the order: a switch is a run, but for endpoints with several cables. */
static int find_homes(struct study *study)
{
    const struct cw_network *net = study->net;
    const uint32_t n_switches = cw_network_switches(net);
    double alone = 0;
    study->homes = cw_new_array(n_switches, sizeof *study->homes, "switches with endpoints");
    study->home_of = cw_new_array(n_switches, sizeof *study->home_of, "switches with endpoints");
    if (!study->homes || !study->home_of) return CW_ENOMEM;
    for (uint32_t s = 0; s < n_switches; s++) study->home_of[s] = CW_NONE;
    for (uint32_t i = 0; i < study->n; i++) {
        const uint32_t e = study->order[i], c = net->first[e];
        if (cw_network_degree(net, e) == 0 || cw_network_is_endpoint(net, net->head[c])) continue;
        const uint32_t s = net->head[c] - net->n_endpoints;
        if (study->home_of[s] == CW_NONE) {
            study->home_of[s] = study->n_homes;
            study->homes[study->n_homes++] = (struct home){.vertex = net->head[c], .whole = true};
        }
        struct home *home = &study->homes[study->home_of[s]];
        if (cw_network_degree(net, e) > 1) {
            home->whole = false;
            continue;
        }
        home->n++;
        home->own = fmax(home->own, 1 / slowness_of(study, c));
        home->slow_host = fmax(home->slow_host, slowness_of(study, c));
        alone++;
    }
    for (uint32_t i = 0; i < study->n_homes; i++) describe_home(study, &study->homes[i]);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (between_switches(net, c)) {
            study->channels++;
            study->capacity += 1 / slowness_of(study, c);
        }
    study->several = (double)study->n * (study->n - 1.0) - alone * (alone - 1);
    return 0;
}

/* What a search from a switch finds, of the endpoints that have no other cable. */
struct distances {
    double pairs[LENGTHS]; /* ordered pairs of endpoints by hops between switches */
    double tree;           /* switches on the way to one of its endpoints, at least, without its own; all together */
};

/* Of a search: the distance that is looked at, and switches with endpoints that it has met there. */
struct ring {
    uint32_t hops, n;
};

static void note_distance(const struct study *study, const struct worker *worker, uint32_t s, uint32_t root,
                          struct distances *found, struct ring *ring)
{
    const uint32_t h = study->home_of[s], hops = worker->hops[s], here = study->homes[root].n;
    if (h == CW_NONE || study->homes[h].n == 0) return;
    found->pairs[hops < LENGTHS ? hops : LENGTHS - 1] += (double)here * (study->homes[h].n - (h == root));
    if (h == root) return;
    if (hops == ring->hops)
        ring->n++;
    else {
        /* one switch at least at each distance that is passed */
        found->tree += ring->n + (hops - ring->hops - 1.0);
        *ring = (struct ring){hops, 1};
    }
}

static int run_search(const void *context, void *state, size_t trial, void *outcome)
{
    const struct study *study = context;
    struct worker *worker = state;
    struct distances *found = outcome;
    const struct cw_network *net = study->net;
    const uint32_t base = net->n_endpoints, n_switches = cw_network_switches(net);
    struct ring ring = {0, 0};
    uint32_t head = 0, tail = 0;
    if (study->homes[trial].n == 0) return 0;
    for (uint32_t s = 0; s < n_switches; s++) worker->hops[s] = CW_NONE;
    worker->queue[tail++] = study->homes[trial].vertex - base;
    worker->hops[worker->queue[0]] = 0;
    while (head < tail) {
        const uint32_t s = worker->queue[head++];
        note_distance(study, worker, s, (uint32_t)trial, found, &ring);
        for (uint32_t c = net->first[s + base]; c < net->first[s + base + 1] && tail < n_switches; c++) {
            if (cw_network_is_endpoint(net, net->head[c])) continue;
            const uint32_t to = net->head[c] - base;
            if (worker->hops[to] != CW_NONE || cw_network_is_closed(net, net->twin[c])) continue;
            worker->hops[to] = worker->hops[s] + 1;
            worker->queue[tail++] = to;
        }
    }
    found->tree = (found->tree + ring.n) * study->homes[trial].n;
    return 0;
}

static int measure_distances(const struct study *study, struct distances *out)
{
    struct cw_tally tally = {0};
    void *outcomes = NULL;
    if (study->n_homes == 0) return 0;
    const int rc = run_all(study, study->n_homes, sizeof *out, run_search, &outcomes, &tally);
    const struct distances *found = outcomes;
    for (uint32_t i = 0; !rc && i < study->n_homes; i++) {
        for (int h = 0; h < LENGTHS; h++) out->pairs[h] += found[i].pairs[h];
        out->tree += found[i].tree;
    }
    free(outcomes);
    cw_tally_free(&tally);
    return rc;
}

/* --- bounds of the measures --------------------------------------------------------------------------------------- */

/* The chance that in a random matching of N endpoints (one more, if N is odd, stands for the one that is left out) none
 * of H sends to any of X others. STATE: room for (H + 1)² numbers. One endpoint of the H after the other finds
 * its partner: another of the H, one of the X, or one of the rest. */
static double chance_of_none(uint32_t n, uint32_t h, uint32_t x, bool both, double *state)
{
    const uint32_t whole = n + n % 2, width = h + 1;
    /* state[j · width + y]: j of the H and X - y of the X are left, and whole - 2 · (steps so far) of all */
    for (uint32_t step = h + 1; step-- > 0;) {
        const double all = whole - 2.0 * step;
        for (uint32_t j = h - step + 1; j-- > 0;) {
            for (uint32_t y = 0; y <= step && y <= x && y <= h; y++) {
                double *here = &state[(size_t)j * width + y];
                if (j == 0 || all < 2) {
                    *here = 1;
                    continue;
                }
                const double left = x - y, rest = fmax(all - j - left, 0);
                /* of the step after this one, which row j - 1 and j - 2 still hold */
                const double *fewer = &state[(size_t)(j - 1) * width];
                double chance = rest * fewer[y];
                if (j > 1) chance += (j - 1.0) * state[(size_t)(j - 2) * width + y];
                if (!both && left > 0) chance += left / 2 * fewer[y + 1];
                *here = chance / (all - 1);
            }
        }
    }
    return state[(size_t)h * width];
}

/* Most bandwidth, expected, of the messages of a random matching that leave HOME, REMOTE of them: in tables each of the
 * destinations elsewhere has one channel, and a channel whose destinations get none carries none. */
static int leaving(const struct study *study, const struct home *home, double remote, bool both, double *out)
{
    const uint32_t elsewhere = study->n - home->n;
    double most = fmin(home->capacity, remote * home->own);
    *out = most;
    if (!study->by_destination || home->ways == 0 || elsewhere == 0) return 0;
    double *state = cw_new_array(((size_t)home->n + 1) * (home->n + 1), sizeof *state, "a random matching");
    if (!state) return CW_ENOMEM;
    const uint32_t few = elsewhere / home->ways, more = elsewhere % home->ways;
    const double none = chance_of_none(study->n, home->n, few, both, state);
    double used = (home->ways - more) * (1 - none);
    if (more > 0) used += more * (1 - chance_of_none(study->n, home->n, few + 1, both, state));
    free(state);
    *out = fmin(most, home->fastest * used);
    return 0;
}

/* What distances leave to a message, if all channels were full: near ones are served first. */
static double by_distances(const struct study *study, const struct distances *distances, double messages)
{
    const double pairs = (double)study->n * (study->n - 1.0);
    double capacity = study->capacity, served = study->several / pairs;
    for (int h = 0; h < LENGTHS; h++) {
        const double share = distances->pairs[h] / pairs, cost = share * messages * h;
        if (cost > capacity) return served + share * capacity / cost;
        capacity -= cost;
        served += share;
    }
    return served;
}

/* No mean bandwidth in random halvings is greater. */
static int bound_ebb(const struct study *study, const struct distances *distances, bool both, double *best)
{
    const double n = study->n, messages = (study->n / 2) * (both ? 2.0 : 1.0);
    double out = 0, in = 0, local = 0, alone = 0;
    for (uint32_t i = 0; i < study->n_homes; i++) {
        const struct home *home = &study->homes[i];
        double most;
        if (home->n == 0) continue;
        const double sent = home->n * messages / n, near = sent * (home->n - 1.0) / (n - 1);
        const int rc = leaving(study, home, sent - near, both, &most);
        if (rc) return rc;
        out += most;
        in += fmin(home->into, (sent - near) * home->own);
        local += near * home->own;
        alone += sent;
    }
    /* endpoints with several cables: nothing is known */
    const double all = fmin(out, in) + local + (messages - alone);
    *best = fmin(all / messages, by_distances(study, distances, messages));
    return 0;
}

/* No channel of HOME can carry N messages that leave it in less time. */
static double time_to_leave(const struct study *study, const struct home *home, double n)
{
    if (home->ways == 0 || n == 0) return 0;
    const double even = n / home->capacity;
    return study->one_path ? fmax(even, ceil(n / home->ways) / home->fastest) : even;
}

/* No shift by FAR, either way round, takes less. A switch with h endpoints has min(h, FAR, n - h) messages that leave
 * it. */
static double time_of_shift(const struct study *study, uint32_t far)
{
    double most = 0;
    for (uint32_t i = 0; i < study->n_homes; i++) {
        const struct home *home = &study->homes[i];
        if (home->n > 0) most = fmax(most, home->slow_host);
        if (home->whole && home->n < study->n)
            most = fmax(most, time_to_leave(study, home, fmin(fmin(home->n, far), study->n - home->n)));
    }
    return most;
}

/* All shifts by the endpoints of any switch, or more, take the same. */
static void bound_shifts(const struct study *study, const struct distances *distances, struct cw_quality *out)
{
    double sum = 0, worst = 0, volume = 0;
    const double shifts = study->n - 1.0;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < study->n_homes; i++)
        if (study->homes[i].n > largest) largest = study->homes[i].n;
    const double longest = time_of_shift(study, largest);
    for (uint32_t k = 1; k < study->n; k++) {
        const uint32_t far = k < study->n - k ? k : study->n - k;
        const double most = far < largest ? time_of_shift(study, far) : longest;
        sum += most;
        worst = fmax(worst, most);
    }
    for (int h = 0; h < LENGTHS; h++) volume += distances->pairs[h] * h;
    if (study->capacity > 0) sum = fmax(sum, volume / study->capacity);
    out->shift.best = sum / shifts;
    out->worst_shift.best = fmax(worst, sum / shifts);
    out->alltoall.best = sum;
}

static int bound_all(const struct study *study, struct cw_quality *out)
{
    struct distances distances = {0};
    double most = 0;
    if ((double)study->n_homes * study->net->n_channels > BOUND_STEPS || study->parts) return 0;
    int rc = measure_distances(study, &distances);
    if (!rc) rc = bound_ebb(study, &distances, false, &out->ebb_uni.best);
    if (!rc) rc = bound_ebb(study, &distances, true, &out->ebb_bi.best);
    if (rc) return rc;
    bound_shifts(study, &distances, out);
    if (!study->by_destination || study->channels == 0) return 0;
    for (uint32_t i = 0; i < study->n_homes; i++)
        if (study->homes[i].n > 0 && study->homes[i].ways > 0)
            most = fmax(most, ceil((study->n - study->homes[i].n) / (double)study->homes[i].ways));
    out->destinations.best = distances.tree / study->channels;
    out->most_destinations.best = fmax(most, ceil(out->destinations.best));
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int take_order(struct study *study)
{
    struct cw_placement *placement;
    struct cw_random random = cw_random_of(study->setup->seed, CW_STREAM_PLACEMENT, 0);
    int rc = cw_placement_new("switches", study->net, study->setup->selection, &placement);
    if (rc) return rc;
    study->n = cw_placement_count(placement);
    study->order = cw_new_array(study->n, sizeof *study->order, "a placement");
    rc = study->order ? cw_placement_order(placement, &random, study->order) : CW_ENOMEM;
    cw_placement_free(placement);
    if (!rc && study->n < 2)
        rc = cw_fail(CW_EUSAGE, "messages need at least 2 endpoints, but %s has %u that take part", study->net->title,
                     study->n);
    return rc;
}

static int measure(struct study *study, struct cw_quality *out)
{
    const struct cw_quality_measure unknown = {NAN, NAN, NAN};
    struct cw_quality made = {unknown, unknown, unknown, unknown, unknown, unknown, unknown, study->n, 0, 0, 0};
    int rc = cw_load_slowness(study->net, &study->slowness);
    if (!rc) rc = find_homes(study);
    if (!rc) rc = count_destinations(study, &made);
    if (!rc) rc = halve(study, false, &made);
    if (!rc) rc = halve(study, true, &made);
    if (!rc) rc = time_shifts(study, &made);
    made.ebb_uni.best = made.ebb_bi.best = made.shift.best = made.worst_shift.best = made.alltoall.best = NAN;
    if (!rc) rc = bound_all(study, &made);
    if (!rc) *out = made;
    return rc;
}

int cw_quality_run_sized(const struct cw_quality_setup *given, size_t size, struct cw_quality *out)
{
    struct cw_quality_setup setup;
    int rc = cw_setup_read(given, size, &setup, sizeof setup);
    if (!rc) rc = cw_check_given(setup.routes, "routes");
    if (rc) return rc;
    if (setup.max_routes == 0) setup.max_routes = DEFAULT_ROUTES;
    struct study study = {.setup = &setup,
                          .net = cw_routes_network(setup.routes),
                          .parts = setup.selection ? setup.selection->parts : NULL,
                          .by_destination = cw_routes_by_destination(setup.routes),
                          .one_path = cw_routes_kind(setup.routes) != CW_ROUTES_WAYS};
    rc = take_order(&study);
    if (!rc) rc = measure(&study, out);
    free(study.slowness);
    free(study.order);
    free(study.chosen);
    free(study.homes);
    free(study.home_of);
    return rc;
}
