#include "flow/proof.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "flow/anycast/anycast.h"
#include "flow/cuts.h"
#include "flow/files/plan_file.h"
#include "flow/legs/legs.h"
#include "flow/pricing/pricing.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

#define NEGLIGIBLE                                                                                                     \
    1e-15 /* what a channel's length times capacity may be of the greatest such product, to be left out */

void cw_proof_free(struct cw_proof *proof)
{
    if (!proof) return;
    free(proof->channel);
    free(proof->length);
    *proof = (struct cw_proof){0};
}

int cw_proof_copy(const struct cw_proof *proof, struct cw_proof *out)
{
    struct cw_proof copy = {.bound = proof->bound, .n = proof->n, .verified = proof->verified};
    if (proof->n > 0) {
        copy.channel = cw_new_array(proof->n, sizeof *copy.channel, "a proof");
        copy.length = cw_new_array(proof->n, sizeof *copy.length, "a proof");
        if (!copy.channel || !copy.length) {
            cw_proof_free(&copy);
            return CW_ENOMEM;
        }
        memcpy(copy.channel, proof->channel, proof->n * sizeof *copy.channel);
        memcpy(copy.length, proof->length, proof->n * sizeof *copy.length);
    }
    *out = copy;
    return 0;
}

/* LENGTH with 9 digits. More would make files longer and the bound no better. */
static double rounded(double length)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", length);
    return strtod(digits, NULL);
}

/* Copies FROM to TO [channels], which is zeroed, scaled and rounded; negligible lengths become 0. */
static void round_lengths(const struct cw_flow_problem *problem, const double *from, double *to)
{
    const uint32_t n_channels = problem->net->n_channels;
    double greatest = 0, weight = 0;
    for (uint32_t c = 0; c < n_channels; c++) {
        if (!(from[c] > 0)) continue;
        greatest = fmax(greatest, from[c]);
        weight = fmax(weight, from[c] * problem->capacity[c]);
    }
    for (uint32_t c = 0; c < n_channels; c++)
        if (from[c] * problem->capacity[c] > NEGLIGIBLE * weight) to[c] = rounded(from[c] / greatest);
}

static int price(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, double deadline,
                 double *bound)
{
    struct cw_pricing *pricing = NULL;
    int rc = cw_pricing_make(problem, NULL, n_threads, &pricing);
    if (!rc) cw_pricing_limit(pricing, deadline);
    if (!rc) rc = cw_pricing_measure(pricing, length);
    if (!rc) *bound = cw_pricing_bound(pricing, length);
    cw_pricing_free(pricing);
    return rc;
}

/* Keeps the channels of LENGTH that have one. */
static int keep(const struct cw_flow_problem *problem, const double *length, struct cw_proof *proof)
{
    size_t n = 0;
    for (uint32_t c = 0; c < problem->net->n_channels; c++) n += length[c] > 0;
    proof->channel = cw_new_array(n, sizeof *proof->channel, "a proof");
    proof->length = cw_new_array(n, sizeof *proof->length, "a proof");
    if (!proof->channel || !proof->length) {
        cw_proof_free(proof);
        return CW_ENOMEM;
    }
    for (uint32_t c = 0; c < problem->net->n_channels; c++) {
        if (!(length[c] > 0)) continue;
        proof->channel[proof->n] = c;
        proof->length[proof->n++] = length[c];
    }
    return 0;
}

int cw_proof_make_until(const struct cw_flow_problem *problem, const double *length, unsigned n_threads,
                        double deadline, struct cw_proof *out)
{
    struct cw_proof proof = {.bound = INFINITY};
    double *kept = cw_new_array(problem->net->n_channels, sizeof *kept, "channel lengths");
    if (!kept) return CW_ENOMEM;
    round_lengths(problem, length, kept);
    int rc = price(problem, kept, n_threads, deadline, &proof.bound);
    if (problem->quotient) cw_quotient_unfold(problem->quotient, kept, kept);
    if (!rc && isfinite(proof.bound)) rc = keep(problem, kept, &proof);
    free(kept);
    if (!rc) *out = proof;
    return rc;
}

int cw_proof_make(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, struct cw_proof *out)
{
    return cw_proof_make_until(problem, length, n_threads, INFINITY, out);
}

int cw_proof_by_cut(const struct cw_flow_problem *problem, struct cw_proof *out)
{
    struct cw_proof proof = {.bound = INFINITY};
    double *length = cw_new_array(problem->net->n_channels, sizeof *length, "channel lengths");
    int rc = length ? cw_cut_lengths(problem, length, &proof.bound) : CW_ENOMEM;
    if (!rc && isfinite(proof.bound)) rc = keep(problem, length, &proof);
    free(length);
    if (!rc) *out = proof;
    return rc;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

/* Believes nothing: distances are found by other algorithms than those of pricing. */

#define TOLERANCE 1e-9

struct checker {
    const struct cw_flow_problem *problem;
    unsigned n_threads;
    double deadline;
    double *length;   /* [channels] */
    double *distance; /* [demands] what is found */
};

/* CW_ELIMIT, which nothing else here is, after the deadline. */
static int check_time(const struct checker *checker)
{
    const int rc = cw_interrupt_check();
    if (rc || isinf(checker->deadline) || cw_stopwatch_now() < checker->deadline) return rc;
    return cw_fail(CW_ELIMIT, "the time to verify a bound is over");
}

/* --- free paths --------------------------------------------------------------------------------------------------- */

/* Switches between which there is no length in either direction are one place: a cut has two of them, whatever the size
 * of the network. Endpoints are none, since they forward nothing. */
struct places {
    uint32_t n;
    uint32_t *of;  /* [vertices] place of a switch */
    size_t *first; /* [n + 1] of the steps from a place */
    struct step {
        uint32_t from, to;
        double length;
    } * steps;
};

/* Distances from one endpoint, or BACKWARD to it. */
struct spread {
    bool backward;
    double *distance; /* [places], or [vertices] where paths consist of legs */
    uint32_t *queue;  /* [places] as a ring */
    bool *waiting;    /* [places] in the queue */
};

/* All of them: demands are chained by the end that has fewer, `first` [endpoints] and `next` [demands], from 1. */
struct spreads {
    const struct checker *checker;
    const struct places *places;
    const size_t *first, *next;
    struct spread *spread; /* [threads] */
};

static bool has_no_length(const struct checker *checker, uint32_t channel)
{
    return checker->problem->capacity[channel] > 0 && checker->length[channel] == 0;
}

/* Gives switch V and all that are at the same place the number of the next; QUEUE [vertices] is work space. */
static void fill_place(const struct checker *checker, uint32_t v, uint32_t *queue, struct places *places)
{
    const struct cw_network *net = checker->problem->net;
    uint32_t n = 0;
    places->of[v] = places->n;
    queue[n++] = v;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t next = net->head[c];
            if (!cw_network_forwards(net, next) || places->of[next] != CW_NONE) continue;
            if (!has_no_length(checker, c) || !has_no_length(checker, net->twin[c])) continue;
            places->of[next] = places->n;
            queue[n++] = next;
        }
    }
    places->n++;
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

/* The shortest step from each place to each other. */
static void make_steps(const struct checker *checker, bool backward, struct places *places)
{
    const struct cw_network *net = checker->problem->net;
    size_t n = 0, kept = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t tail = net->tail[c], head = net->head[c];
        if (!cw_network_forwards(net, tail) || !cw_network_forwards(net, head)) continue;
        const uint32_t from = places->of[backward ? head : tail], to = places->of[backward ? tail : head];
        if (from != to && checker->problem->capacity[c] > 0)
            places->steps[n++] = (struct step){from, to, checker->length[c]};
    }
    if (n > 1) qsort(places->steps, n, sizeof *places->steps, compare_steps);
    for (size_t i = 0; i < n; i++) {
        const struct step step = places->steps[i];
        if (kept > 0 && places->steps[kept - 1].from == step.from && places->steps[kept - 1].to == step.to) continue;
        places->first[step.from + 1] = kept + 1;
        places->steps[kept++] = step;
    }
    for (uint32_t p = 0; p < places->n; p++)
        if (places->first[p + 1] == 0) places->first[p + 1] = places->first[p];
}

static void places_free(struct places *places)
{
    free(places->of);
    free(places->first);
    free(places->steps);
}

/* PLACES starts zeroed, and is freed by the caller whatever the result. */
static int make_places(const struct checker *checker, bool backward, struct places *places)
{
    const struct cw_network *net = checker->problem->net;
    uint32_t *queue = cw_new_array(net->n_vertices, sizeof *queue, "distances");
    places->of = cw_new_array(net->n_vertices, sizeof *places->of, "distances");
    places->first = cw_new_array((size_t)net->n_vertices + 1, sizeof *places->first, "distances");
    places->steps = cw_new_array(net->n_channels, sizeof *places->steps, "distances");
    if (!queue || !places->of || !places->first || !places->steps) {
        free(queue);
        return CW_ENOMEM;
    }
    for (uint32_t v = 0; v < net->n_vertices; v++) places->of[v] = CW_NONE;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (places->of[v] == CW_NONE) fill_place(checker, v, queue, places);
    free(queue);
    make_steps(checker, backward, places);
    return 0;
}

/* PLACE is DISTANCE away: if it was thought to be farther, it waits until its steps are looked at again. */
static void reach(const struct places *places, const struct spread *spread, uint32_t place, double distance,
                  uint32_t head, uint32_t *count)
{
    if (distance >= spread->distance[place]) return;
    spread->distance[place] = distance;
    if (spread->waiting[place]) return;
    spread->waiting[place] = true;
    spread->queue[(head + (*count)++) % places->n] = place;
}

/* Bellman and Ford's algorithm over the places, from the endpoint ROOT. */
static void spread_from(const struct checker *checker, const struct places *places, const struct spread *spread,
                        uint32_t root)
{
    const struct cw_network *net = checker->problem->net;
    uint32_t head = 0, count = 0;
    for (uint32_t p = 0; p < places->n; p++) spread->distance[p] = INFINITY;
    for (uint32_t out = net->first[root]; out < net->first[root + 1]; out++) {
        const uint32_t c = spread->backward ? net->twin[out] : out;
        if (!cw_network_forwards(net, net->head[out]) || !(checker->problem->capacity[c] > 0)) continue;
        reach(places, spread, places->of[net->head[out]], checker->length[c], head, &count);
    }
    while (count > 0) {
        const uint32_t place = spread->queue[head];
        head = head + 1 < places->n ? head + 1 : 0;
        count--;
        spread->waiting[place] = false;
        for (size_t i = places->first[place]; i < places->first[place + 1]; i++)
            reach(places, spread, places->steps[i].to, spread->distance[place] + places->steps[i].length, head, &count);
    }
}

/* How far the endpoint END is from ROOT, from which has been spread. */
static double distance_to(const struct checker *checker, const struct places *places, const struct spread *spread,
                          uint32_t root, uint32_t end)
{
    const struct cw_network *net = checker->problem->net;
    double least = INFINITY;
    for (uint32_t port = net->first[end]; port < net->first[end + 1]; port++) {
        const uint32_t before = net->head[port], c = spread->backward ? port : net->twin[port];
        if (!(checker->problem->capacity[c] > 0)) continue;
        if (before == root) least = fmin(least, checker->length[c]);
        if (!cw_network_forwards(net, before)) continue;
        least = fmin(least, spread->distance[places->of[before]] + checker->length[c]);
    }
    return least;
}

static uint32_t end_of(const struct cw_demand *demand, bool destination)
{
    return destination ? demand->dst : demand->src;
}

/* Chains the demands that have the same end: FIRST [endpoints] and NEXT [demands], both from 1; 0 ends a chain. */
static size_t chain(const struct cw_demands *demands, bool by_destination, size_t *first, size_t *next)
{
    size_t n = 0;
    for (size_t d = 0; d < demands->n; d++) {
        size_t *begin = &first[end_of(&demands->items[d], by_destination)];
        n += *begin == 0;
        next[d] = *begin;
        *begin = d + 1;
    }
    return n;
}

static int measure_end(void *context, size_t end, unsigned thread)
{
    const struct spreads *spreads = context;
    const struct checker *checker = spreads->checker;
    const struct spread *spread = &spreads->spread[thread];
    const struct cw_demand *items = checker->problem->demands->items;
    const int rc = spreads->first[end] > 0 ? check_time(checker) : 0;
    if (rc || spreads->first[end] == 0) return rc;
    const uint32_t root = (uint32_t)end;
    spread_from(checker, spreads->places, spread, root);
    for (size_t d = spreads->first[end]; d > 0; d = spreads->next[d - 1]) {
        const uint32_t other = end_of(&items[d - 1], !spread->backward);
        checker->distance[d - 1] = distance_to(checker, spreads->places, spread, root, other);
    }
    return 0;
}

static int measure_free_paths(struct checker *checker, bool backward, const size_t *first, const size_t *next)
{
    const uint32_t n_ends = checker->problem->net->n_endpoints;
    const unsigned n_threads = cw_parallel_threads(checker->n_threads, n_ends);
    struct places places = {0};
    struct spreads all = {.checker = checker,
                          .places = &places,
                          .first = first,
                          .next = next,
                          .spread = cw_new_array(n_threads, sizeof *all.spread, "distances")};
    int rc = all.spread ? make_places(checker, backward, &places) : CW_ENOMEM;
    const uint32_t n_places = places.n;
    for (unsigned i = 0; i < n_threads && !rc; i++) {
        struct spread *spread = &all.spread[i];
        spread->backward = backward;
        spread->distance = cw_new_array(n_places, sizeof *spread->distance, "distances");
        spread->queue = cw_new_array(n_places, sizeof *spread->queue, "distances");
        spread->waiting = cw_new_array(n_places, sizeof *spread->waiting, "distances");
        if (!spread->distance || !spread->queue || !spread->waiting) rc = CW_ENOMEM;
    }
    if (!rc) rc = cw_parallel_for(n_threads, n_ends, measure_end, &all);
    for (unsigned i = 0; all.spread && i < n_threads; i++) {
        free(all.spread[i].distance);
        free(all.spread[i].queue);
        free(all.spread[i].waiting);
    }
    free(all.spread);
    places_free(&places);
    return rc;
}

static int find_free_paths(struct checker *checker)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_demands *demands = checker->problem->demands;
    size_t *first = cw_new_array(2 * (size_t)net->n_endpoints, sizeof *first, "demands by end");
    size_t *next = cw_new_array(2 * demands->n, sizeof *next, "demands by end");
    int rc = first && next ? 0 : CW_ENOMEM;
    if (!rc) {
        const size_t sources = chain(demands, false, first, next);
        const bool backward = chain(demands, true, first + net->n_endpoints, next + demands->n) < sources;
        rc = measure_free_paths(checker, backward, backward ? first + net->n_endpoints : first,
                                backward ? next + demands->n : next);
    }
    free(first);
    free(next);
    return rc;
}

/* --- paths of legs ------------------------------------------------------------------------------------------------ */

/* The length of the way that ROUTES have from SRC to DST; INFINITY if they have none, or one that has failed. */
static double walk_length(const struct checker *checker, const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    struct cw_walk walk = {.routes = NULL};
    struct cw_hop hop;
    double length = 0;
    int left = 1; /* candidates; 0: arrived */
    if (src == dst || cw_walk_begin(&walk, routes, src, dst) != 0) length = INFINITY;
    while (isfinite(length) && (left = cw_walk_candidates(&walk, &hop, 1)) == 1) {
        length += checker->problem->capacity[hop.channel] > 0 ? checker->length[hop.channel] : INFINITY;
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
    return left < 0 ? INFINITY : length;
}

static double leg_length(const struct checker *checker, uint32_t src, uint32_t dst)
{
    const struct cw_legs_setup *setup = &checker->problem->legs->setup;
    double least = INFINITY;
    for (size_t r = 0; r < setup->n_routes; r++) least = fmin(least, walk_length(checker, setup->routes[r], src, dst));
    return least;
}

/* The least length of the shortest ways, by hops, from ROOT to each vertex or, BACKWARD, from each to ROOT: breadth
 * first, then in that order. HOPS [vertices] is work space. */
static void spread_shortest(const struct checker *checker, const struct spread *spread, uint32_t root, uint32_t *hops)
{
    const struct cw_network *net = checker->problem->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        spread->distance[v] = INFINITY;
        hops[v] = CW_NONE;
    }
    spread->distance[root] = hops[root] = 0;
    spread->queue[n++] = root;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = spread->queue[i];
        if (v != root && !cw_network_forwards(net, v)) continue;
        for (uint32_t out = net->first[v]; out < net->first[v + 1]; out++) {
            const uint32_t next = net->head[out], c = spread->backward ? net->twin[out] : out;
            if (!(checker->problem->capacity[c] > 0)) continue;
            if (hops[next] == CW_NONE) {
                hops[next] = hops[v] + 1;
                spread->queue[n++] = next;
            }
            if (hops[next] == hops[v] + 1)
                spread->distance[next] = fmin(spread->distance[next], spread->distance[v] + checker->length[c]);
        }
    }
}

/* Lengths of legs to relays and what is left from there: rows of [relays], made when they are first asked for. */
struct relayed {
    const struct cw_selection *relays;
    uint32_t n;  /* relays */
    double **to; /* [endpoints] of the legs from each endpoint to each relay, or NULL */
    double *
        *rest; /* [endpoints] from each relay to each destination, by as many relays more as there may be, or NULL */
    double *least_to, *least_rest; /* [endpoints] the least of these rows */
    struct spread spread;          /* of shortest ways, where switches route adaptively */
    uint32_t *hops;                /* [vertices] for that, else NULL */
};

/* Lowers LENGTH [N] of the legs between END and each of OTHERS, from it or BACKWARD to it, to what adaptive switches
 * may do. */
static void lower_to_shortest(const struct checker *checker, struct relayed *relayed, bool backward, uint32_t end,
                              const uint32_t *others, uint32_t n, double *length)
{
    if (!relayed->hops) return;
    relayed->spread.backward = backward;
    spread_shortest(checker, &relayed->spread, end, relayed->hops);
    for (uint32_t i = 0; i < n; i++)
        if (others[i] != end) length[i] = fmin(length[i], relayed->spread.distance[others[i]]);
}

static double least_of(const double *row, uint32_t n)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++) least = row[i] < least ? row[i] : least; /* unlike fmin, no call */
    return least;
}

/* The lengths of the legs from SRC to all relays. NULL after an error. */
static const double *to_relays(const struct checker *checker, struct relayed *relayed, uint32_t src)
{
    double **row = &relayed->to[src];
    if (*row) return *row;
    *row = cw_new_array(relayed->n, sizeof **row, "legs");
    for (uint32_t w = 0; *row && w < relayed->n; w++)
        (*row)[w] = leg_length(checker, src, relayed->relays->endpoints[w]);
    if (*row) lower_to_shortest(checker, relayed, false, src, relayed->relays->endpoints, relayed->n, *row);
    if (*row) relayed->least_to[src] = least_of(*row, relayed->n);
    return *row;
}

/* How far it is from each relay to DST, in relayed->rest[DST]. */
static int find_rest(const struct checker *checker, struct relayed *relayed, uint32_t dst)
{
    double **row = &relayed->rest[dst];
    if (*row) return 0;
    double *rest = cw_new_array(relayed->n, sizeof *rest, "legs");
    double *fewer = cw_new_array(relayed->n, sizeof *fewer, "legs");
    int rc = rest && fewer ? 0 : CW_ENOMEM;
    for (uint32_t w = 0; !rc && w < relayed->n; w++) rest[w] = leg_length(checker, relayed->relays->endpoints[w], dst);
    if (!rc) lower_to_shortest(checker, relayed, true, dst, relayed->relays->endpoints, relayed->n, rest);
    for (uint32_t more = 1; !rc && more < checker->problem->legs->setup.max_relays; more++) {
        for (uint32_t w = 0; w < relayed->n; w++) fewer[w] = rest[w];
        for (uint32_t w = 0; w < relayed->n && !rc; w++) {
            if ((rc = check_time(checker))) break;
            const double *leg = to_relays(checker, relayed, relayed->relays->endpoints[w]);
            if (!leg) rc = CW_ENOMEM;
            for (uint32_t v = 0; !rc && v < relayed->n; v++) rest[w] = fmin(rest[w], leg[v] + fewer[v]);
        }
    }
    free(fewer);
    if (rc) {
        free(rest);
        return rc;
    }
    relayed->least_rest[dst] = least_of(rest, relayed->n);
    *row = rest;
    return 0;
}

static int measure_legs(struct checker *checker, struct relayed *relayed)
{
    const struct cw_demands *demands = checker->problem->demands;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        int rc = check_time(checker);
        if (!rc && relayed->n > 0) rc = find_rest(checker, relayed, demand->dst);
        if (rc) return rc;
        double least = leg_length(checker, demand->src, demand->dst);
        lower_to_shortest(checker, relayed, true, demand->dst, &demand->src, 1, &least);
        const double *to = relayed->n > 0 ? to_relays(checker, relayed, demand->src) : NULL;
        const double *rest = relayed->rest[demand->dst];
        if (relayed->n > 0 && !to) return CW_ENOMEM;
        const bool relay_may_win =
            relayed->n > 0 && relayed->least_to[demand->src] + relayed->least_rest[demand->dst] < least;
        for (uint32_t w = 0; w < relayed->n && relay_may_win; w++)
            least = to[w] + rest[w] < least ? to[w] + rest[w] : least;
        checker->distance[d] = least;
    }
    return 0;
}

static int find_legs(struct checker *checker)
{
    const struct cw_legs_setup *setup = &checker->problem->legs->setup;
    const uint32_t n = checker->problem->net->n_endpoints, n_vertices = checker->problem->net->n_vertices;
    struct relayed relayed = {.relays = setup->relays,
                              .n = setup->relays && setup->max_relays > 0 ? setup->relays->n : 0,
                              .to = cw_new_array(n, sizeof *relayed.to, "legs"),
                              .rest = cw_new_array(n, sizeof *relayed.rest, "legs"),
                              .least_to = cw_new_array(n, sizeof *relayed.least_to, "legs"),
                              .least_rest = cw_new_array(n, sizeof *relayed.least_rest, "legs")};
    int rc = relayed.to && relayed.rest && relayed.least_to && relayed.least_rest ? 0 : CW_ENOMEM;
    if (!rc && setup->adaptive) {
        relayed.hops = cw_new_array(2 * (size_t)n_vertices, sizeof *relayed.hops, "distances");
        relayed.spread.distance = cw_new_array(n_vertices, sizeof *relayed.spread.distance, "distances");
        rc = relayed.hops && relayed.spread.distance ? 0 : CW_ENOMEM;
        if (!rc) relayed.spread.queue = relayed.hops + n_vertices;
    }
    if (!rc) rc = measure_legs(checker, &relayed);
    for (uint32_t e = 0; e < n; e++) {
        if (relayed.to) free(relayed.to[e]);
        if (relayed.rest) free(relayed.rest[e]);
    }
    free(relayed.to);
    free(relayed.rest);
    free(relayed.least_to);
    free(relayed.least_rest);
    free(relayed.hops);
    free(relayed.spread.distance);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Length I of the proof; adds capacity · length to *CAPACITY. */
static int take_length(struct checker *checker, const struct cw_proof *proof, uint32_t i, double *capacity)
{
    const struct cw_flow_problem *problem = checker->problem;
    const uint32_t c = proof->channel[i];
    const double length = proof->length[i];
    char name[2 * CW_NAME_SIZE];
    if (c >= problem->net->n_channels || (i > 0 && c <= proof->channel[i - 1]))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "lengths[%u]: channel %u, expected one of %u, above those before",
                       i, c, problem->net->n_channels);
    cw_network_channel_name(problem->net, c, name, sizeof name);
    if (!(length > 0) || isinf(length))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "lengths[%u]: channel %s has length %g, expected more than 0", i,
                       name, length);
    if (isinf(problem->capacity[c]))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "lengths[%u]: channel %s has no limit, so its length must be 0", i,
                       name);
    checker->length[c] = length;
    *capacity += problem->capacity[c] / problem->unit_capacity * length;
    return 0;
}

/* How far every demand has to go. */
static int find_distances(struct checker *checker)
{
    return checker->problem->legs ? find_legs(checker) : find_free_paths(checker);
}

static int check(struct checker *checker, const struct cw_proof *proof)
{
    const struct cw_flow_problem *problem = checker->problem;
    double capacity = 0, cost = 0; /* Σ demand · distance, in largest demands */
    int rc = 0;
    for (uint32_t i = 0; i < proof->n && !rc; i++) rc = take_length(checker, proof, i, &capacity);
    if (!rc) rc = find_distances(checker);
    if (rc) return rc;
    for (size_t d = 0; d < problem->demands->n; d++)
        cost += (double)problem->demands->items[d].bytes / (double)problem->unit_bytes * checker->distance[d];
    if (cost > 0 && capacity <= proof->bound * cost * (1 + TOLERANCE)) return 0;
    return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "bound is %.12g, but its lengths prove no less than %.12g",
                   proof->bound, capacity / cost);
}

int cw_proof_verify_until(const struct cw_flow_problem *problem, const struct cw_proof *proof, unsigned n_threads,
                          double deadline, bool *verified)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    struct checker checker = {.problem = problem, .n_threads = n_threads, .deadline = deadline};
    if (proof->n > 0) {
        checker.length = cw_new_array(problem->net->n_channels, sizeof *checker.length, "channel lengths");
        checker.distance = cw_new_array(problem->demands->n, sizeof *checker.distance, "distances");
        rc = checker.length && checker.distance ? check(&checker, proof) : CW_ENOMEM;
    }
    free(checker.length);
    free(checker.distance);
    if (rc && rc != CW_ELIMIT) return rc;
    *verified = !rc;
    return 0;
}

int cw_proof_verify(const struct cw_flow_problem *problem, const struct cw_proof *proof)
{
    bool verified;
    return cw_proof_verify_until(problem, proof, 1, INFINITY, &verified);
}

int cw_proof_distances(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, double *out)
{
    struct checker checker = {.problem = problem, .n_threads = n_threads, .deadline = INFINITY, .distance = out};
    checker.length = cw_new_array(problem->net->n_channels, sizeof *checker.length, "channel lengths");
    if (!checker.length) return CW_ENOMEM;
    memcpy(checker.length, length, problem->net->n_channels * sizeof *length);
    const int rc = find_distances(&checker);
    free(checker.length);
    return rc;
}
