#include "flow/anycast/anycast.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "flow/column_plan.h"
#include "flow/pricing/pricing.h"
#include "net/network_internal.h"

static const char what[] = "a choice of destinations";

static bool has_limit(const struct cw_anycast_member *member)
{
    return member->bytes < UINT64_MAX || isfinite(member->rate);
}

int cw_anycast_pairs(const struct cw_anycast *anycast, struct cw_demands *out)
{
    struct cw_demands pairs = {0};
    int rc = 0;
    for (size_t d = 0; d < anycast->n_demands && !rc; d++) {
        const struct cw_anycast_demand *demand = &anycast->demands[d];
        const struct cw_anycast_set *set = &anycast->sets[demand->set];
        for (uint32_t m = set->first; m < set->first + set->n && !rc; m++)
            rc = cw_demands_add(&pairs, demand->src, anycast->members[m].endpoint, demand->bytes);
    }
    if (rc)
        cw_demands_free(&pairs);
    else
        *out = pairs;
    return rc;
}

/* --- the problem with a channel more for each member that has a limit --------------------------------------------- */

/* The channels of members follow those of the network, which knows nothing of them: they are in no list of channels
 * that leave a vertex, so no search finds them. Only pricing puts them behind its paths. */
struct cw_anycast_problem {
    const struct cw_anycast *anycast;
    const struct cw_flow_problem *pairs;
    size_t *begin;     /* [demands + 1] of each one's pairs */
    uint32_t *channel; /* [members] or CW_NONE: it has no limit */
    struct cw_network net;
    struct cw_demands demands; /* their destinations are any members: nobody asks */
    struct cw_flow_problem problem;
};

static void free_problem(struct cw_anycast_problem *made)
{
    free(made->begin);
    free(made->channel);
    free(made->net.tail);
    free(made->net.head);
    free(made->net.twin);
    cw_demands_free(&made->demands);
    free(made->problem.capacity);
}

static int make_channels(struct cw_anycast_problem *made)
{
    const struct cw_network *net = made->pairs->net;
    const struct cw_anycast *anycast = made->anycast;
    const size_t most = net->n_channels + anycast->n_members;
    if (most >= CW_NONE) return cw_fail(CW_ELIMIT, "%zu channels and limits of members are too many", most);
    made->net = *net;
    made->net.tail = cw_new_array(most, sizeof *made->net.tail, what);
    made->net.head = cw_new_array(most, sizeof *made->net.head, what);
    made->net.twin = cw_new_array(most, sizeof *made->net.twin, what);
    made->channel = cw_new_array(anycast->n_members, sizeof *made->channel, what);
    made->problem.capacity = cw_new_array(most, sizeof *made->problem.capacity, what);
    if (!made->net.tail || !made->net.head || !made->net.twin || !made->channel || !made->problem.capacity)
        return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        made->net.tail[c] = net->tail[c];
        made->net.head[c] = net->head[c];
        made->net.twin[c] = net->twin[c];
        made->problem.capacity[c] = made->pairs->capacity[c];
    }
    for (size_t m = 0; m < anycast->n_members; m++) {
        made->channel[m] = CW_NONE;
        if (!has_limit(&anycast->members[m])) continue;
        const uint32_t c = made->channel[m] = made->net.n_channels++;
        made->net.tail[c] = made->net.head[c] = anycast->members[m].endpoint;
        made->net.twin[c] = c;
        made->problem.capacity[c] = anycast->members[m].rate;
    }
    return 0;
}

/* MADE stays where it is; freed by the caller in any case. */
static int make_problem(const struct cw_anycast *anycast, const struct cw_flow_problem *pairs,
                        struct cw_anycast_problem *made)
{
    *made = (struct cw_anycast_problem){.anycast = anycast, .pairs = pairs};
    made->begin = cw_new_array(anycast->n_demands + 1, sizeof *made->begin, what);
    int rc = made->begin ? make_channels(made) : CW_ENOMEM;
    for (size_t d = 0; d < anycast->n_demands && !rc; d++) {
        const struct cw_anycast_demand *demand = &anycast->demands[d];
        const struct cw_anycast_set *set = &anycast->sets[demand->set];
        made->begin[d + 1] = made->begin[d] + set->n;
        rc = cw_demands_add(&made->demands, demand->src, anycast->members[set->first].endpoint, demand->bytes);
    }
    if (rc) return rc;
    double *capacity = made->problem.capacity;
    made->problem = *pairs;
    made->problem.net = &made->net;
    made->problem.demands = &made->demands;
    made->problem.capacity = capacity;
    made->problem.anycast = made;
    return 0;
}

/* --- pricing ------------------------------------------------------------------------------------------------------ */

struct cw_anycast_pricing {
    const struct cw_anycast_problem *made;
    struct cw_pricing *pairs;
    struct best {
        double distance;
        size_t begin; /* of the path in `channels` */
        uint32_t n;
    } * best; /* [demands] */
    uint32_t *channels;
    size_t n_channels, capacity;
};

int cw_anycast_pricing_make(const struct cw_flow_problem *problem, unsigned n_threads, struct cw_anycast_pricing **out)
{
    struct cw_anycast_pricing *pricing = cw_new_array(1, sizeof *pricing, "pricing");
    if (!pricing) return CW_ENOMEM;
    pricing->made = problem->anycast;
    pricing->best = cw_new_array(problem->demands->n, sizeof *pricing->best, "pricing");
    const int rc = pricing->best ? cw_pricing_make(pricing->made->pairs, NULL, n_threads, &pricing->pairs) : CW_ENOMEM;
    if (rc)
        cw_anycast_pricing_free(pricing);
    else
        *out = pricing;
    return rc;
}

void cw_anycast_pricing_free(struct cw_anycast_pricing *pricing)
{
    if (!pricing) return;
    cw_pricing_free(pricing->pairs);
    free(pricing->best);
    free(pricing->channels);
    free(pricing);
}

void cw_anycast_pricing_limit(struct cw_anycast_pricing *pricing, double deadline)
{
    cw_pricing_limit(pricing->pairs, deadline);
}

/* Keeps the path of PAIR, which is the best of demand D, with the channel of its member M behind it. */
static int keep_path(struct cw_anycast_pricing *pricing, size_t d, size_t pair, uint32_t m)
{
    uint32_t n;
    const uint32_t *path = cw_pricing_path(pricing->pairs, pair, 0, &n), last = pricing->made->channel[m];
    void *items = pricing->channels;
    const int rc =
        cw_grow_array(&items, &pricing->capacity, pricing->n_channels + n + 1, sizeof *pricing->channels, "paths");
    pricing->channels = items;
    if (rc) return rc;
    struct best *best = &pricing->best[d];
    best->begin = pricing->n_channels;
    best->n = n + (last != CW_NONE);
    memcpy(pricing->channels + best->begin, path, n * sizeof *path);
    if (last != CW_NONE) pricing->channels[best->begin + n] = last;
    pricing->n_channels += best->n;
    return 0;
}

int cw_anycast_pricing_run(struct cw_anycast_pricing *pricing, const double *length)
{
    const struct cw_anycast_problem *made = pricing->made;
    int rc = cw_pricing_run(pricing->pairs, length);
    pricing->n_channels = 0;
    for (size_t d = 0; d < made->demands.n && !rc; d++) {
        const uint32_t first = made->anycast->sets[made->anycast->demands[d].set].first;
        size_t chosen = made->begin[d];
        pricing->best[d].distance = INFINITY;
        for (size_t pair = made->begin[d]; pair < made->begin[d + 1]; pair++) {
            const uint32_t last = made->channel[first + (pair - made->begin[d])];
            const double distance = cw_pricing_distance(pricing->pairs, pair) + (last != CW_NONE ? length[last] : 0);
            if (!(distance < pricing->best[d].distance)) continue;
            pricing->best[d].distance = distance;
            chosen = pair;
        }
        rc = keep_path(pricing, d, chosen, first + (uint32_t)(chosen - made->begin[d]));
    }
    return rc;
}

double cw_anycast_pricing_distance(const struct cw_anycast_pricing *pricing, size_t demand)
{
    return pricing->best[demand].distance;
}

const uint32_t *cw_anycast_pricing_path(const struct cw_anycast_pricing *pricing, size_t demand, uint32_t *n)
{
    *n = pricing->best[demand].n;
    return pricing->channels + pricing->best[demand].begin;
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

/* The bytes of DEMANDS by PLAN on each channel into LOAD [channels of PROBLEM]. */
static void load_channels(const struct cw_flow_problem *problem, const struct cw_plan *plan, double *load)
{
    memset(load, 0, problem->net->n_channels * sizeof *load);
    for (size_t p = 0; p < plan->n_paths; p++) {
        const struct cw_plan_path *path = &plan->paths[p];
        const double bytes = path->share * (double)problem->demands->items[path->demand].bytes;
        for (uint32_t i = 0; i < path->n; i++) load[plan->channels[path->first + i]] += bytes;
    }
}

/* --- the nearest -------------------------------------------------------------------------------------------------- */

struct near {
    double hops;
    uint32_t member;
};

static int compare_near(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->hops < y->hops || x->hops > y->hops) return x->hops < y->hops ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Sends each demand to the nearest members that have room, TAKEN [members] so far. */
static int take_nearest(const struct cw_anycast_problem *made, const struct cw_pricing *hops,
                        struct cw_demands *demands, uint64_t *taken)
{
    const struct cw_anycast *anycast = made->anycast;
    struct near *near = cw_new_array(anycast->n_members, sizeof *near, what);
    int rc = near ? 0 : CW_ENOMEM;
    for (size_t d = 0; d < anycast->n_demands && !rc; d++) {
        const struct cw_anycast_demand *demand = &anycast->demands[d];
        const struct cw_anycast_set *set = &anycast->sets[demand->set];
        uint64_t left = demand->bytes;
        for (uint32_t i = 0; i < set->n; i++)
            near[i] = (struct near){cw_pricing_distance(hops, made->begin[d] + i), set->first + i};
        if (set->n > 1) qsort(near, set->n, sizeof *near, compare_near);
        for (uint32_t i = 0; i < set->n && left > 0 && !rc; i++) {
            const struct cw_anycast_member *member = &anycast->members[near[i].member];
            const uint64_t room = member->bytes - taken[near[i].member], part = left < room ? left : room;
            if (part == 0) continue;
            rc = cw_demands_add(demands, demand->src, member->endpoint, part);
            taken[near[i].member] += part;
            left -= part;
        }
    }
    free(near);
    return rc;
}

/* What the busiest of the first N channels needs for LOAD [channels of PROBLEM]. */
static double seconds_of(const struct cw_flow_problem *problem, uint32_t n, const double *load)
{
    double most = 0;
    for (uint32_t c = 0; c < n; c++)
        if (load[c] > 0) most = fmax(most, load[c] / problem->capacity[c]);
    return most;
}

/* What these DEMANDS need at best, of which members take TAKEN. */
static int time_of(const struct cw_anycast_problem *made, const struct cw_demands *demands, const uint64_t *taken,
                   double gap, const struct cw_method_setup *setup, double *seconds)
{
    struct cw_flow_problem problem = *made->pairs;
    struct cw_plan plan = {.bound = NAN};
    double *load = cw_new_array(problem.net->n_channels, sizeof *load, what), most = 0;
    problem.demands = demands;
    problem.unit_bytes = 0;
    for (size_t d = 0; d < demands->n; d++)
        if (demands->items[d].bytes > problem.unit_bytes) problem.unit_bytes = demands->items[d].bytes;
    const int rc = load ? cw_column_plan(&problem, NULL, setup, gap, &plan) : CW_ENOMEM;
    if (!rc) load_channels(&problem, &plan, load);
    if (!rc) most = seconds_of(&problem, problem.net->n_channels, load);
    for (size_t m = 0; m < made->anycast->n_members; m++)
        most = fmax(most, (double)taken[m] / made->anycast->members[m].rate);
    cw_plan_free(&plan);
    free(load);
    if (!rc) *seconds = most;
    return rc;
}

static int find_nearest(const struct cw_anycast_problem *made, double gap, const struct cw_method_setup *setup,
                        struct cw_anycast_choice *choice)
{
    const struct cw_flow_problem *pairs = made->pairs;
    struct cw_pricing *hops = NULL;
    struct cw_demands demands = {0};
    double *length = cw_new_array(pairs->net->n_channels, sizeof *length, what);
    int rc = length ? cw_pricing_make(pairs, NULL, setup->n_threads, &hops) : CW_ENOMEM;
    for (uint32_t c = 0; c < pairs->net->n_channels && !rc; c++) length[c] = !isinf(pairs->capacity[c]);
    if (!rc) rc = cw_pricing_measure(hops, length);
    if (!rc) rc = take_nearest(made, hops, &demands, choice->nearest);
    if (!rc) rc = time_of(made, &demands, choice->nearest, gap, setup, &choice->nearest_seconds);
    cw_pricing_free(hops);
    cw_demands_free(&demands);
    free(length);
    return rc;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

#define FULL       1e-6 /* what a member may be given above its bytes, relative, before the shares become whole bytes */
#define NOTHING    1e-9 /* of all capacity · length: what rounding leaves of none */
#define ITERATIONS 50

struct search {
    struct cw_anycast_problem *made;
    const struct cw_method_setup *setup;
    double gap, deadline;
    double *load;  /* [channels] */
    double *share; /* [pairs] of its demand */
    double seconds, bound;
    struct cw_proof best; /* of the bound, … */
    double best_at;       /* … with the capacities of this time */
};

/* Whether the capacity of member M comes from its bytes when all takes SECONDS. */
static bool is_by_bytes(const struct cw_anycast_member *member, double seconds)
{
    return member->bytes < UINT64_MAX && seconds > 0 && (double)member->bytes / seconds < member->rate;
}

static void set_capacities(struct search *search, double seconds)
{
    struct cw_anycast_problem *made = search->made;
    for (size_t m = 0; m < made->anycast->n_members; m++) {
        const struct cw_anycast_member *member = &made->anycast->members[m];
        if (made->channel[m] != CW_NONE)
            made->problem.capacity[made->channel[m]] =
                is_by_bytes(member, seconds) ? (double)member->bytes / seconds : member->rate;
    }
}

/* Σ demand · distance by the lengths of PROOF, from its bound, which is that of the capacities there are:
 * Σ capacity · length / unit_capacity / (Σ demand · distance / unit_bytes). */
static double demands_of(const struct search *search, const struct cw_proof *proof)
{
    const struct cw_flow_problem *problem = &search->made->problem;
    double all = 0;
    for (uint32_t i = 0; i < proof->n; i++) all += problem->capacity[proof->channel[i]] * proof->length[i];
    return all / proof->bound * (double)problem->unit_bytes / problem->unit_capacity;
}

/* The bound of the time that the lengths of PROOF prove, capacities being those at SECONDS, if DEMANDS is
 * Σ demand · distance. */
static double bound_of(const struct search *search, const struct cw_proof *proof, double seconds, double demands)
{
    const struct cw_anycast_problem *made = search->made;
    double all = 0, others = 0, by_bytes = 0;
    for (uint32_t i = 0; i < proof->n; i++) {
        const uint32_t c = proof->channel[i];
        const double weight = made->problem.capacity[c] * proof->length[i];
        size_t m = 0;
        while (c >= made->pairs->net->n_channels && made->channel[m] != c) m++;
        all += weight;
        if (c >= made->pairs->net->n_channels && is_by_bytes(&made->anycast->members[m], seconds))
            by_bytes += (double)made->anycast->members[m].bytes * proof->length[i];
        else
            others += weight;
    }
    return others > NOTHING * all ? (demands - by_bytes) / others : 0;
}

/* The same from distances that are found by the checker of proofs, which shares no code with pricing. */
static int verify(struct search *search)
{
    struct cw_anycast_problem *made = search->made;
    const struct cw_proof *proof = &search->best;
    double *length = cw_new_array(made->net.n_channels, sizeof *length, what), demands = 0;
    double *distance = cw_new_array(made->pairs->demands->n, sizeof *distance, what);
    int rc = length && distance ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; i < proof->n && !rc; i++) length[proof->channel[i]] = proof->length[i];
    if (!rc) rc = cw_proof_distances(made->pairs, length, search->setup->n_threads, distance);
    for (size_t d = 0; d < made->demands.n && !rc; d++) {
        const uint32_t first = made->anycast->sets[made->anycast->demands[d].set].first;
        double least = INFINITY;
        for (size_t pair = made->begin[d]; pair < made->begin[d + 1]; pair++) {
            const uint32_t last = made->channel[first + (pair - made->begin[d])];
            least = fmin(least, distance[pair] + (last != CW_NONE ? length[last] : 0));
        }
        demands += least * (double)made->demands.items[d].bytes;
    }
    set_capacities(search, search->best_at);
    if (!rc) search->bound = fmin(search->bound, bound_of(search, proof, search->best_at, demands));
    free(length);
    free(distance);
    return rc;
}

/* The pair of demand D whose path is that of the N CHANNELS. */
static size_t pair_of(const struct search *search, size_t d, const uint32_t *channels, uint32_t n)
{
    const struct cw_anycast_problem *made = search->made;
    const uint32_t first = made->anycast->sets[made->anycast->demands[d].set].first;
    const uint32_t end = made->net.head[channels[n - 1]];
    size_t pair = made->begin[d];
    while (made->anycast->members[first + (pair - made->begin[d])].endpoint != end) pair++;
    return pair;
}

/* Solves with the capacities at SECONDS. *FITS: no member is given more than its bytes. */
static int solve_at(struct search *search, double seconds, bool *fits, double *next)
{
    struct cw_anycast_problem *made = search->made;
    struct cw_method_setup setup = {
        .n_threads = search->setup->n_threads, .seconds = search->setup->seconds, .seed = search->setup->seed};
    struct cw_plan plan = {.bound = NAN};
    set_capacities(search, seconds);
    const int rc = cw_column_plan(&made->problem, NULL, &setup, search->gap, &plan);
    if (!rc) {
        *next = bound_of(search, &plan.proof, seconds, demands_of(search, &plan.proof));
        if (*next > search->bound) {
            cw_proof_free(&search->best);
            search->best = plan.proof;
            plan.proof = (struct cw_proof){0};
            search->bound = *next;
            search->best_at = seconds;
        }
        load_channels(&made->problem, &plan, search->load);
        *next = fmax(*next, seconds_of(&made->problem, made->net.n_channels, search->load));
        *fits = true;
        double most = seconds_of(&made->problem, made->pairs->net->n_channels, search->load);
        for (size_t m = 0; m < made->anycast->n_members; m++) {
            if (made->channel[m] == CW_NONE) continue;
            const double bytes = search->load[made->channel[m]];
            *fits &= bytes <= (double)made->anycast->members[m].bytes * (1 + FULL);
            most = fmax(most, bytes / made->anycast->members[m].rate);
        }
        search->seconds = most;
        memset(search->share, 0, made->pairs->demands->n * sizeof *search->share);
        for (size_t p = 0; p < plan.n_paths; p++) {
            const struct cw_plan_path *path = &plan.paths[p];
            search->share[pair_of(search, path->demand, plan.channels + path->first, path->n)] += path->share;
        }
    }
    cw_plan_free(&plan);
    return rc;
}

/* Newton's method: without the limits of bytes first, then with each bound of the time that follows. It is greater than
 * the one before, or all members have room for what they are given. */
static int find_shares(struct search *search)
{
    double seconds = 0, next = 0;
    bool fits = false;
    for (unsigned i = 0; i < ITERATIONS && !fits; i++) {
        const int rc = solve_at(search, seconds, &fits, &next);
        if (rc) return rc;
        seconds = next;
    }
    return 0;
}

/* --- whole bytes -------------------------------------------------------------------------------------------------- */

/* Gives what is left of demand D to members of its set that have room, those with a part of it first. */
static void give_rest(const struct cw_anycast_problem *made, size_t d, uint64_t *bytes, uint64_t *taken)
{
    const struct cw_anycast_set *set = &made->anycast->sets[made->anycast->demands[d].set];
    uint64_t left = made->anycast->demands[d].bytes, *parts = bytes + made->begin[d];
    for (uint32_t i = 0; i < set->n; i++) left -= parts[i];
    for (int anyone = 0; anyone < 2 && left > 0; anyone++) {
        for (uint32_t i = 0; i < set->n && left > 0; i++) {
            const uint64_t room = made->anycast->members[set->first + i].bytes - taken[set->first + i];
            const uint64_t part = left < room ? left : room;
            if (!anyone && parts[i] == 0) continue;
            parts[i] += part;
            taken[set->first + i] += part;
            left -= part;
        }
    }
}

#define CRUMB 1e-6 /* of a demand: a smaller share goes to its other members */

/* Makes bytes of shares, so that a demand's add up to it and no member has more than it can take: it always can be, for
 * sets share nothing, and each has room. */
static int round_shares(const struct search *search, struct cw_anycast_choice *choice)
{
    const struct cw_anycast_problem *made = search->made;
    const struct cw_anycast *anycast = made->anycast;
    uint64_t *bytes = cw_new_array(made->pairs->demands->n, sizeof *bytes, what);
    int rc = bytes ? 0 : CW_ENOMEM;
    for (size_t d = 0; d < anycast->n_demands && !rc; d++) {
        const struct cw_anycast_set *set = &anycast->sets[anycast->demands[d].set];
        uint64_t left = anycast->demands[d].bytes;
        for (uint32_t i = 0; i < set->n; i++) {
            const double share = search->share[made->begin[d] + i];
            const uint64_t room = anycast->members[set->first + i].bytes - choice->taken[set->first + i];
            uint64_t part = share > CRUMB ? (uint64_t)fmin(share * (double)anycast->demands[d].bytes, 1.8e19) : 0;
            if (part > left) part = left;
            if (part > room) part = room;
            bytes[made->begin[d] + i] = part;
            choice->taken[set->first + i] += part;
            left -= part;
        }
    }
    for (size_t d = 0; d < anycast->n_demands && !rc; d++) {
        const uint32_t first = anycast->sets[anycast->demands[d].set].first;
        give_rest(made, d, bytes, choice->taken);
        for (size_t pair = made->begin[d]; pair < made->begin[d + 1] && !rc; pair++)
            if (bytes[pair] > 0)
                rc = cw_demands_add(&choice->demands, anycast->demands[d].src,
                                    anycast->members[first + (pair - made->begin[d])].endpoint, bytes[pair]);
    }
    free(bytes);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int choose(struct cw_anycast_problem *made, const struct cw_method_setup *setup,
                  struct cw_anycast_choice *choice)
{
    const struct cw_anycast *anycast = made->anycast;
    struct search search = {.made = made,
                            .setup = setup,
                            .gap = cw_is_large(made->pairs) ? setup->epsilon : CW_EXACT_GAP,
                            .load = cw_new_array(made->net.n_channels, sizeof *search.load, what),
                            .share = cw_new_array(made->pairs->demands->n, sizeof *search.share, what)};
    choice->taken = cw_new_array(anycast->n_members, sizeof *choice->taken, what);
    choice->nearest = cw_new_array(anycast->n_members, sizeof *choice->nearest, what);
    int rc = search.load && search.share && choice->taken && choice->nearest ? find_shares(&search) : CW_ENOMEM;
    if (!rc) rc = verify(&search);
    if (!rc) rc = round_shares(&search, choice);
    if (!rc) rc = find_nearest(made, search.gap, setup, choice);
    choice->seconds = search.seconds;
    choice->bound_seconds = fmin(search.bound, search.seconds);
    cw_proof_free(&search.best);
    free(search.load);
    free(search.share);
    return rc;
}

int cw_anycast_choose(const struct cw_anycast *anycast, const struct cw_flow_problem *pairs,
                      const struct cw_method_setup *setup, struct cw_anycast_choice *out)
{
    struct cw_anycast_problem made;
    struct cw_anycast_choice choice = {.seconds = 0};
    const struct cw_method_setup free_setup = {
        .n_threads = setup->n_threads, .seconds = setup->seconds, .epsilon = setup->epsilon, .seed = setup->seed};
    int rc = make_problem(anycast, pairs, &made);
    if (!rc) rc = choose(&made, &free_setup, &choice);
    free_problem(&made);
    if (rc)
        cw_anycast_choice_free(&choice);
    else
        *out = choice;
    return rc;
}

void cw_anycast_choice_free(struct cw_anycast_choice *choice)
{
    if (!choice) return;
    cw_demands_free(&choice->demands);
    free(choice->taken);
    free(choice->nearest);
    *choice = (struct cw_anycast_choice){0};
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

/* The demand of SRC to SET; NULL if there is none. */
static const struct cw_anycast_demand *find_demand(const struct cw_anycast *anycast, uint32_t src, uint32_t set)
{
    size_t low = 0, high = anycast->n_demands;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct cw_anycast_demand *demand = &anycast->demands[middle];
        if (demand->src < src || (demand->src == src && demand->set < set))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == anycast->n_demands) return NULL;
    const struct cw_anycast_demand *demand = &anycast->demands[low];
    return demand->src == src && demand->set == set ? demand : NULL;
}

/* MEMBER_OF [endpoints] has members from 1; SENT [demands] and TAKEN [members] start zeroed. */
static int check(const struct cw_anycast *anycast, const struct cw_network *net, const struct cw_demands *demands,
                 const uint32_t *member_of, uint64_t *sent, uint64_t *taken)
{
    char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
    for (size_t i = 0; i < demands->n; i++) {
        const struct cw_demand *demand = &demands->items[i];
        const uint32_t m = member_of[demand->dst];
        const struct cw_anycast_demand *asked =
            m > 0 ? find_demand(anycast, demand->src, anycast->members[m - 1].set) : NULL;
        if (!asked)
            return cw_fail(CW_EUSAGE, "demand %zu, from %s to %s, is not asked for", i,
                           cw_network_name(net, demand->src, src, sizeof src),
                           cw_network_name(net, demand->dst, dst, sizeof dst));
        if (__builtin_add_overflow(sent[asked - anycast->demands], demand->bytes, &sent[asked - anycast->demands]) ||
            __builtin_add_overflow(taken[m - 1], demand->bytes, &taken[m - 1]))
            return cw_fail(CW_EUSAGE, "the bytes for %s are more than 64 bits can count",
                           cw_network_name(net, demand->dst, dst, sizeof dst));
    }
    for (size_t d = 0; d < anycast->n_demands; d++)
        if (sent[d] != anycast->demands[d].bytes)
            return cw_fail(CW_EUSAGE, "%s sends %" PRIu64 " bytes to the members of its set, expected %" PRIu64,
                           cw_network_name(net, anycast->demands[d].src, src, sizeof src), sent[d],
                           anycast->demands[d].bytes);
    for (size_t m = 0; m < anycast->n_members; m++)
        if (taken[m] > anycast->members[m].bytes)
            return cw_fail(CW_EUSAGE, "%s gets %" PRIu64 " bytes, and can take %" PRIu64,
                           cw_network_name(net, anycast->members[m].endpoint, dst, sizeof dst), taken[m],
                           anycast->members[m].bytes);
    return 0;
}

int cw_anycast_check(const struct cw_anycast *anycast, const struct cw_network *net, const struct cw_demands *demands)
{
    uint32_t *member_of = cw_new_array(net->n_endpoints, sizeof *member_of, what);
    uint64_t *sent = cw_new_array(anycast->n_demands, sizeof *sent, what);
    uint64_t *taken = cw_new_array(anycast->n_members, sizeof *taken, what);
    int rc = member_of && sent && taken ? 0 : CW_ENOMEM;
    for (size_t m = 0; m < anycast->n_members && !rc; m++) member_of[anycast->members[m].endpoint] = (uint32_t)m + 1;
    if (!rc) rc = check(anycast, net, demands, member_of, sent, taken);
    free(member_of);
    free(sent);
    free(taken);
    return rc;
}
