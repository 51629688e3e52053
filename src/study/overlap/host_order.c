#include "study/overlap/host_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/sort.h"
#include "net/network_internal.h"
#include "sim/round.h"

struct walk {
    const struct cw_network *net;
    struct cw_round round;
    struct cw_load load;
};

static int walk_new(const struct cw_routes *routes, struct walk *walk)
{
    *walk = (struct walk){.net = cw_routes_network(routes)};
    const int rc = cw_load_init(&walk->load, walk->net->n_channels);
    return rc ? rc : cw_round_init(&walk->round, routes);
}

static void walk_free(struct walk *walk)
{
    cw_load_free(&walk->load);
    cw_round_free(&walk->round);
}

/* The ways of the round's messages, which are on the load: LENGTHS[i] gets that of message i; *LATENCY the longest. */
static int measure(struct walk *walk, double *lengths, double *latency)
{
    struct cw_round *round = &walk->round;
    const uint32_t *next = round->channels;
    *latency = 0;
    for (size_t i = 0; i < round->n; i++) {
        struct cw_round_way way;
        const int rc = cw_round_next_way(round, i, &next, &way);
        if (rc) return rc;
        double delay = 0;
        lengths[i] = 0;
        for (size_t c = 0; c < way.n; c++) {
            const double share = way.shares ? way.shares[c] : 1;
            lengths[i] += share / walk->net->capacity[way.channels[c]];
            delay += share * walk->net->latency[way.channels[c]];
        }
        *latency = fmax(*latency, delay);
    }
    return 0;
}

/* --- what they mean ----------------------------------------------------------------------------------------------- */

/* Of the N messages of the round that is made. */
static int weigh(struct walk *walk, uint32_t n, double *lengths, struct cw_host_load *out)
{
    *out = (struct cw_host_load){.length = 0};
    int rc = cw_round_route(&walk->round, &walk->load);
    if (!rc) rc = measure(walk, lengths, &out->latency);
    if (rc) return rc;
    for (uint32_t i = 0; i < n; i++) out->length += lengths[i];
    for (uint32_t c = 0; c < walk->net->n_channels; c++) {
        const double messages = cw_load_own(&walk->load, c);
        if (messages == 0) continue; /* also of those that are closed */
        out->crossings = fmax(out->crossings, messages);
        out->gap = fmax(out->gap, messages / walk->net->capacity[c]);
    }
    cw_round_remove(&walk->round, &walk->load);
    return 0;
}

int cw_host_load_of(const struct cw_routes *routes, uint32_t n, const uint32_t *src, const uint32_t *dst,
                    struct cw_host_load *out)
{
    struct walk walk;
    double *lengths = cw_new_array(n, sizeof *lengths, "routes");
    int rc = walk_new(routes, &walk);
    if (!rc) rc = lengths ? cw_round_begin(&walk.round, n) : CW_ENOMEM;
    if (!rc) {
        memcpy(walk.round.src, src, n * sizeof *src);
        memcpy(walk.round.dst, dst, n * sizeof *dst);
        rc = weigh(&walk, n, lengths, out);
    }
    walk_free(&walk);
    free(lengths);
    return rc;
}

int cw_host_load_of_round(const struct cw_routes *routes, uint32_t n, const uint32_t *endpoints,
                          struct cw_host_load *out)
{
    uint32_t *next = cw_new_array(n, sizeof *next, "hosts");
    if (!next) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) next[i] = endpoints[(i + 1) % n];
    const int rc = cw_host_load_of(routes, n, endpoints, next, out);
    free(next);
    return rc;
}

/* --- nearest neighbours ------------------------------------------------------------------------------------------- */

/* Endpoints on one leaf switch follow one another. */
struct leaf {
    uint32_t number;   /* the switch */
    uint32_t first, n; /* of the endpoints as they were given, sorted by leaf */
    bool visited;
};

struct tour {
    struct walk walk;
    uint32_t *endpoints; /* [n] by leaf switch, then by number */
    struct leaf *leaves;
    uint32_t n_leaves;
    uint32_t *candidates; /* [n_leaves] leaves that were not visited */
    double *lengths;      /* [n_leaves] */
};

static uint32_t leaf_of(const struct cw_network *net, uint32_t endpoint)
{
    return net->head[net->first[endpoint]];
}

static int compare_leaves(const void *a, const void *b, void *context)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t on_x = leaf_of(context, x), on_y = leaf_of(context, y);
    return on_x != on_y ? (on_x > on_y) - (on_x < on_y) : (x > y) - (x < y);
}

/* The leaf with the lowest endpoint first. */
static int compare_firsts(const void *a, const void *b, void *endpoints)
{
    const uint32_t *all = endpoints;
    return cw_compare_numbers(&all[((const struct leaf *)a)->first], &all[((const struct leaf *)b)->first]);
}

static void find_leaves(struct tour *tour, uint32_t n)
{
    qsort_r(tour->endpoints, n, sizeof *tour->endpoints, compare_leaves, (void *)(uintptr_t)tour->walk.net);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = leaf_of(tour->walk.net, tour->endpoints[i]);
        if (tour->n_leaves == 0 || tour->leaves[tour->n_leaves - 1].number != number)
            tour->leaves[tour->n_leaves++] = (struct leaf){.number = number, .first = i};
        tour->leaves[tour->n_leaves - 1].n++;
    }
    qsort_r(tour->leaves, tour->n_leaves, sizeof *tour->leaves, compare_firsts, tour->endpoints);
}

/* The leaf that is nearest to AT, of those that were not visited. */
static int find_nearest(struct tour *tour, uint32_t at, uint32_t *out)
{
    struct cw_round *round = &tour->walk.round;
    uint32_t n = 0, best = 0;
    double latency;
    for (uint32_t i = 0; i < tour->n_leaves; i++)
        if (!tour->leaves[i].visited) tour->candidates[n++] = i;
    int rc = cw_round_begin(round, n);
    if (rc) return rc;
    for (uint32_t i = 0; i < n; i++) {
        round->src[i] = tour->endpoints[tour->leaves[at].first];
        round->dst[i] = tour->endpoints[tour->leaves[tour->candidates[i]].first];
    }
    rc = cw_round_route(round, &tour->walk.load);
    if (!rc) rc = measure(&tour->walk, tour->lengths, &latency);
    if (rc) return rc;
    cw_round_remove(round, &tour->walk.load);
    for (uint32_t i = 1; i < n; i++)
        if (tour->lengths[i] < tour->lengths[best] * (1 - 1e-9)) best = i;
    *out = tour->candidates[best];
    return 0;
}

static int visit(struct tour *tour, uint32_t *order)
{
    uint32_t at = 0, n = 0;
    for (uint32_t visited = 1;; visited++) {
        struct leaf *leaf = &tour->leaves[at];
        leaf->visited = true;
        memcpy(order + n, tour->endpoints + leaf->first, leaf->n * sizeof *order);
        n += leaf->n;
        if (visited == tour->n_leaves) return 0;
        int rc = cw_interrupt_check();
        if (!rc) rc = find_nearest(tour, at, &at);
        if (rc) return rc;
    }
}

/* Passing on and back: routes back may be others, and cables may be slower in one direction. */
static int weigh_both_ways(const struct cw_routes *routes, uint32_t n, const uint32_t *endpoints, uint32_t *scratch,
                           struct cw_host_load *out)
{
    struct cw_host_load back;
    for (uint32_t i = 0; i < n; i++) scratch[i] = endpoints[n - 1 - i];
    int rc = cw_host_load_of_round(routes, n, endpoints, out);
    if (!rc) rc = cw_host_load_of_round(routes, n, scratch, &back);
    if (rc) return rc;
    out->gap = fmax(out->gap, back.gap);
    out->length += back.length;
    return 0;
}

static bool is_better(const struct cw_host_load *a, const struct cw_host_load *b)
{
    if (fabs(a->gap - b->gap) > 1e-9 * b->gap) return a->gap < b->gap;
    return a->length < b->length * (1 - 1e-9);
}

/* ENDPOINTS are in the order of their numbers; ORDER gets that of nearest neighbours, if it is better. */
static int choose(const struct cw_routes *routes, struct tour *tour, uint32_t n, uint32_t *endpoints, uint32_t *order,
                  bool *nearest)
{
    struct cw_host_load by_number, by_distance;
    memcpy(tour->endpoints, endpoints, n * sizeof *endpoints);
    find_leaves(tour, n);
    int rc = visit(tour, order); /* the last that needs tour->endpoints */
    if (!rc) rc = weigh_both_ways(routes, n, endpoints, tour->endpoints, &by_number);
    if (!rc) rc = weigh_both_ways(routes, n, order, tour->endpoints, &by_distance);
    if (rc) return rc;
    *nearest = is_better(&by_distance, &by_number);
    if (*nearest) memcpy(endpoints, order, n * sizeof *endpoints);
    return 0;
}

int cw_host_order(const struct cw_routes *routes, uint32_t n, uint32_t *endpoints, bool *nearest)
{
    struct tour tour = {.endpoints = cw_new_array(n, sizeof(uint32_t), "hosts"),
                        .leaves = cw_new_array(n, sizeof(struct leaf), "leaf switches"),
                        .candidates = cw_new_array(n, sizeof(uint32_t), "leaf switches"),
                        .lengths = cw_new_array(n, sizeof(double), "routes")};
    uint32_t *order = cw_new_array(n, sizeof *order, "hosts");
    int rc = walk_new(routes, &tour.walk);
    if (!rc && (!tour.endpoints || !tour.leaves || !tour.candidates || !tour.lengths || !order)) rc = CW_ENOMEM;
    if (!rc) {
        cw_sort_numbers(endpoints, n);
        rc = choose(routes, &tour, n, endpoints, order, nearest);
    }
    walk_free(&tour.walk);
    free(tour.endpoints);
    free(tour.leaves);
    free(tour.candidates);
    free(tour.lengths);
    free(order);
    return rc;
}
