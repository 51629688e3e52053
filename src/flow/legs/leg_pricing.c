/*
 * Pricing of paths that consist of legs (flow/legs/legs.h): for every demand the cheapest sequence of legs, when
 * channels have lengths. A leg costs what its cheapest way does; a path with at most r relays is a leg followed by the
 * cheapest path with at most r - 1.
 *
 * Time of a run: the channels of all legs once, then relays² · ends for each relay allowed beyond one, then demands ·
 * relays. Memory: a number for each (beginning, end), and for each relay beyond one.
 */
#include "flow/pricing/pricing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "flow/legs/legs.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

struct found {
    double distance;
    uint32_t n; /* channels */
};

/* All shortest ways to one endpoint, for switches that route adaptively. */
struct ways {
    uint32_t *hops, *order; /* [vertices] (cw_shortest_hops) */
    uint32_t n;             /* in `order` */
    uint32_t *next;         /* [vertices] the first channel of the cheapest */
};

struct cw_leg_pricing {
    const struct cw_flow_problem *problem;
    const struct cw_legs *legs;
    unsigned n_threads;
    bool *works;           /* [legs] */
    double *cost;          /* [n_from][n_to] of the cheapest way */
    uint8_t *way;          /* [n_from][n_to] which that is; n_routes: the one of `adaptive` */
    struct ways *adaptive; /* [n_to]; NULL: there are none */
    double **distance;     /* [workers][vertices] to one of them */
    unsigned n_workers;
    /* For each end t, [n_to][n_relays]: the cost from relay w to t with at most `level` more relays, 0 … max_relays -
     * 1, and the relay that comes after w, or CW_NONE. */
    double **rest;
    uint32_t **after; /* none for level 0 */
    unsigned n_levels;
    struct cw_demand_groups groups; /* by destination */
    const double *length;
    uint32_t room; /* channels that a path can have */
    struct found *found;
    uint32_t *channels; /* [demands][room] */
};

static size_t pair_of(const struct cw_leg_pricing *pricing, uint32_t f, uint32_t t)
{
    return (size_t)f * pricing->legs->n_to + t;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static int find_shortest(void *context, size_t t, unsigned thread)
{
    (void)thread;
    struct cw_leg_pricing *pricing = context;
    struct ways *ways = &pricing->adaptive[t];
    const size_t n = pricing->problem->net->n_vertices;
    ways->hops = cw_new_array(3 * n, sizeof *ways->hops, "shortest ways");
    if (!ways->hops) return CW_ENOMEM;
    ways->order = ways->hops + n;
    ways->next = ways->order + n;
    ways->n = cw_shortest_hops(pricing->problem, pricing->legs->to[t], ways->hops, ways->order);
    return 0;
}

static int make_adaptive(struct cw_leg_pricing *pricing)
{
    const uint32_t n_to = pricing->legs->n_to;
    if (!pricing->legs->setup.adaptive) return 0;
    pricing->n_workers = cw_parallel_threads(pricing->n_threads, n_to);
    pricing->adaptive = cw_new_array(n_to, sizeof *pricing->adaptive, "shortest ways");
    pricing->distance = cw_new_array(pricing->n_workers, sizeof *pricing->distance, "shortest ways");
    if (!pricing->adaptive || !pricing->distance) return CW_ENOMEM;
    for (unsigned i = 0; i < pricing->n_workers; i++) {
        pricing->distance[i] =
            cw_new_array(pricing->problem->net->n_vertices, sizeof **pricing->distance, "shortest ways");
        if (!pricing->distance[i]) return CW_ENOMEM;
    }
    return cw_parallel_for(pricing->n_threads, n_to, find_shortest, pricing);
}

/* The longest of all that work. */
static uint32_t find_works(struct cw_leg_pricing *pricing)
{
    const struct cw_legs *legs = pricing->legs;
    uint32_t longest = 0;
    size_t leg = 0;
    for (uint32_t f = 0; f < legs->n_from; f++)
        for (uint32_t t = 0; t < legs->n_to; t++)
            for (size_t r = 0; r < legs->setup.n_routes; r++, leg++) {
                uint32_t n;
                const uint32_t *channels = cw_legs_channels(legs, f, t, r, &n);
                pricing->works[leg] = cw_legs_works(pricing->problem, channels, n);
                if (pricing->works[leg] && n > longest) longest = n;
            }
    for (uint32_t t = 0; pricing->adaptive && t < legs->n_to; t++) {
        const struct ways *ways = &pricing->adaptive[t];
        const uint32_t farthest = ways->hops[ways->order[ways->n - 1]];
        if (farthest > longest) longest = farthest;
    }
    return longest;
}

static int group_demands(struct cw_leg_pricing *pricing)
{
    const struct cw_demands *demands = pricing->problem->demands;
    uint32_t *to = cw_new_array(demands->n, sizeof *to, "demands by destination");
    if (!to) return CW_ENOMEM;
    for (size_t d = 0; d < demands->n; d++) to[d] = pricing->legs->to_index[demands->items[d].dst];
    const int rc = cw_demand_groups_make(to, demands->n, &pricing->groups);
    free(to);
    return rc;
}

static int allocate_levels(struct cw_leg_pricing *pricing)
{
    const struct cw_legs *legs = pricing->legs;
    const size_t n = (size_t)legs->n_to * legs->n_relays;
    pricing->n_levels = legs->n_relays > 0 ? legs->setup.max_relays : 0;
    pricing->rest = cw_new_array(pricing->n_levels, sizeof *pricing->rest, "prices");
    pricing->after = cw_new_array(pricing->n_levels, sizeof *pricing->after, "prices");
    if (!pricing->rest || !pricing->after) return CW_ENOMEM;
    for (unsigned level = 0; level < pricing->n_levels; level++) {
        pricing->rest[level] = cw_new_array(n, sizeof **pricing->rest, "prices");
        pricing->after[level] = level > 0 ? cw_new_array(n, sizeof **pricing->after, "prices") : NULL;
        if (!pricing->rest[level] || (level > 0 && !pricing->after[level])) return CW_ENOMEM;
    }
    return 0;
}

static int allocate(struct cw_leg_pricing *pricing)
{
    const struct cw_legs *legs = pricing->legs;
    const size_t n_pairs = (size_t)legs->n_from * legs->n_to, n = pricing->problem->demands->n;
    pricing->works = cw_new_array(n_pairs * legs->setup.n_routes, sizeof *pricing->works, "legs");
    pricing->cost = cw_new_array(n_pairs, sizeof *pricing->cost, "prices");
    pricing->way = cw_new_array(n_pairs, sizeof *pricing->way, "prices");
    pricing->found = cw_new_array(n, sizeof *pricing->found, "pricing");
    if (!pricing->works || !pricing->cost || !pricing->way || !pricing->found) return CW_ENOMEM;
    int rc = allocate_levels(pricing);
    if (!rc) rc = make_adaptive(pricing);
    if (rc) return rc;
    pricing->room = find_works(pricing) * (pricing->n_levels + 1);
    pricing->channels = cw_new_array(n * pricing->room, sizeof *pricing->channels, "paths");
    return pricing->channels ? 0 : CW_ENOMEM;
}

int cw_leg_pricing_make(const struct cw_flow_problem *problem, unsigned n_threads, struct cw_leg_pricing **out)
{
    if (problem->legs->setup.n_routes >= UINT8_MAX)
        return cw_fail(CW_EUSAGE, "%zu routes for each leg; expected less than %d", problem->legs->setup.n_routes,
                       UINT8_MAX);
    struct cw_leg_pricing *pricing = cw_new_array(1, sizeof *pricing, "pricing");
    if (!pricing) return CW_ENOMEM;
    *pricing = (struct cw_leg_pricing){.problem = problem, .legs = problem->legs, .n_threads = n_threads};
    int rc = allocate(pricing);
    if (!rc) rc = group_demands(pricing);
    if (rc)
        cw_leg_pricing_free(pricing);
    else
        *out = pricing;
    return rc;
}

void cw_leg_pricing_free(struct cw_leg_pricing *pricing)
{
    if (!pricing) return;
    for (unsigned level = 0; pricing->rest && pricing->after && level < pricing->n_levels; level++) {
        free(pricing->rest[level]);
        free(pricing->after[level]);
    }
    for (uint32_t t = 0; pricing->adaptive && t < pricing->legs->n_to; t++) free(pricing->adaptive[t].hops);
    for (unsigned i = 0; pricing->distance && i < pricing->n_workers; i++) free(pricing->distance[i]);
    free(pricing->adaptive);
    free(pricing->distance);
    free(pricing->works);
    free(pricing->cost);
    free(pricing->way);
    free(pricing->rest);
    free(pricing->after);
    cw_demand_groups_free(&pricing->groups);
    free(pricing->found);
    free(pricing->channels);
    free(pricing);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* The cheapest ways of all legs that begin at from[F]. */
static int price_legs(void *context, size_t f, unsigned thread)
{
    (void)thread;
    struct cw_leg_pricing *pricing = context;
    const struct cw_legs *legs = pricing->legs;
    const size_t n_routes = legs->setup.n_routes;
    for (uint32_t t = 0; t < legs->n_to; t++) {
        const size_t pair = pair_of(pricing, (uint32_t)f, t);
        pricing->cost[pair] = INFINITY;
        for (size_t r = 0; r < n_routes; r++) {
            uint32_t n;
            if (!pricing->works[pair * n_routes + r]) continue;
            const uint32_t *channels = cw_legs_channels(legs, (uint32_t)f, t, r, &n);
            double cost = 0;
            for (uint32_t i = 0; i < n; i++) cost += pricing->length[channels[i]];
            if (cost >= pricing->cost[pair]) continue;
            pricing->cost[pair] = cost;
            pricing->way[pair] = (uint8_t)r;
        }
    }
    return 0;
}

/* The cheapest of all shortest ways to to[T], where they cost less than the routes. */
static int price_adaptive(void *context, size_t t, unsigned thread)
{
    struct cw_leg_pricing *pricing = context;
    const struct cw_network *net = pricing->problem->net;
    struct ways *ways = &pricing->adaptive[t];
    double *distance = pricing->distance[thread];
    for (uint32_t i = 0; i < ways->n; i++) {
        const uint32_t v = ways->order[i];
        distance[v] = i > 0 ? INFINITY : 0;
        for (uint32_t c = net->first[v]; i > 0 && c < net->first[v + 1]; c++) {
            if (!cw_is_shortest(pricing->problem, ways->hops, c)) continue;
            const double through = pricing->length[c] + distance[net->head[c]];
            if (through >= distance[v]) continue;
            distance[v] = through;
            ways->next[v] = c;
        }
    }
    for (uint32_t f = 0; f < pricing->legs->n_from; f++) {
        const uint32_t from = pricing->legs->from[f];
        const size_t pair = pair_of(pricing, f, (uint32_t)t);
        if (from == pricing->legs->to[t] || ways->hops[from] == CW_NONE) continue;
        if (!(distance[from] < pricing->cost[pair])) continue;
        pricing->cost[pair] = distance[from];
        pricing->way[pair] = (uint8_t)pricing->legs->setup.n_routes;
    }
    return 0;
}

/* The relay w of least FIRST[w] + REST[w], which becomes *COST if it is less than that; CW_NONE if none is. */
static uint32_t cheapest_relay(const double *first, const double *rest, uint32_t n, double *cost)
{
    double least = *cost;
    for (uint32_t w = 0; w < n; w++) {
        const double sum = first[w] + rest[w];
        least = sum < least ? sum : least;
    }
    if (!(least < *cost)) return CW_NONE;
    *cost = least;
    uint32_t w = 0;
    while (first[w] + rest[w] > least) w++;
    return w;
}

/* What is left of paths to to[T] from every relay, for each number of relays still allowed. */
static void price_rest(struct cw_leg_pricing *pricing, uint32_t t)
{
    const struct cw_legs *legs = pricing->legs;
    const size_t at = (size_t)t * legs->n_relays;
    for (unsigned level = 0; level < pricing->n_levels; level++) {
        double *rest = pricing->rest[level] + at;
        for (uint32_t w = 0; w < legs->n_relays; w++) {
            rest[w] = pricing->cost[pair_of(pricing, w, t)];
            if (level == 0) continue;
            const double *first = pricing->cost + pair_of(pricing, w, 0);
            pricing->after[level][at + w] =
                cheapest_relay(first, pricing->rest[level - 1] + at, legs->n_relays, &rest[w]);
        }
    }
}

static uint32_t add_leg(const struct cw_leg_pricing *pricing, uint32_t f, uint32_t t, uint32_t *channels, uint32_t n)
{
    uint32_t length;
    if (pricing->way[pair_of(pricing, f, t)] == pricing->legs->setup.n_routes) {
        const uint32_t *head = pricing->problem->net->head, to = pricing->legs->to[t];
        for (uint32_t v = pricing->legs->from[f]; v != to; v = head[channels[n - 1]])
            channels[n++] = pricing->adaptive[t].next[v];
        return n;
    }
    const uint32_t *leg = cw_legs_channels(pricing->legs, f, t, pricing->way[pair_of(pricing, f, t)], &length);
    memcpy(channels + n, leg, length * sizeof *channels);
    return n + length;
}

/* Writes the path from from[F] to to[T] that goes by the relay W first (CW_NONE: by none), with LEVEL more allowed. */
static uint32_t write_path(const struct cw_leg_pricing *pricing, uint32_t f, uint32_t t, uint32_t w, unsigned level,
                           uint32_t *channels)
{
    uint32_t n = 0;
    while (w != CW_NONE) {
        n = add_leg(pricing, f, w, channels, n);
        f = w;
        w = level > 0 ? pricing->after[level][(size_t)t * pricing->legs->n_relays + w] : CW_NONE;
        level -= level > 0;
    }
    return add_leg(pricing, f, t, channels, n);
}

static bool has_twice(const uint32_t *channels, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (channels[i] == channels[j]) return true;
    return false;
}

/* Writes the cheapest path with one relay at most that has no channel twice; its number of channels. */
static uint32_t write_simple(const struct cw_leg_pricing *pricing, uint32_t f, uint32_t t, uint32_t *channels)
{
    const struct cw_legs *legs = pricing->legs;
    const double *rest = pricing->rest[0] + (size_t)t * legs->n_relays;
    double least = pricing->cost[pair_of(pricing, f, t)];
    uint32_t best = CW_NONE;
    for (uint32_t w = 0; w < legs->n_relays; w++) {
        const double cost = pricing->cost[pair_of(pricing, f, w)] + rest[w];
        if (!(cost < least) || has_twice(channels, write_path(pricing, f, t, w, 0, channels))) continue;
        least = cost;
        best = w;
    }
    return isfinite(least) ? write_path(pricing, f, t, best, 0, channels) : 0;
}

static int price_demand(struct cw_leg_pricing *pricing, uint32_t d)
{
    const struct cw_legs *legs = pricing->legs;
    const struct cw_demand *demand = &pricing->problem->demands->items[d];
    const uint32_t f = legs->from_index[demand->src], t = legs->to_index[demand->dst];
    uint32_t *channels = pricing->channels + (size_t)d * pricing->room;
    double cost = pricing->cost[pair_of(pricing, f, t)];
    uint32_t w = CW_NONE;
    const unsigned level = pricing->n_levels > 0 ? pricing->n_levels - 1 : 0;
    if (pricing->n_levels > 0)
        w = cheapest_relay(pricing->cost + pair_of(pricing, f, 0), pricing->rest[level] + (size_t)t * legs->n_relays,
                           legs->n_relays, &cost);
    uint32_t n = isfinite(cost) ? write_path(pricing, f, t, w, level, channels) : 0;
    if (w != CW_NONE && has_twice(channels, n)) n = write_simple(pricing, f, t, channels);
    if (pricing->problem->quotient) cw_quotient_fold_path(pricing->problem->quotient, channels, n);
    pricing->found[d] = (struct found){.distance = cost, .n = n};
    if (n > 0) return 0;
    char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "there is no path of legs from %s to %s",
                   cw_network_name(legs->net, demand->src, src, sizeof src),
                   cw_network_name(legs->net, demand->dst, dst, sizeof dst));
}

static int price_destination(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct cw_leg_pricing *pricing = context;
    const struct cw_demand *items = pricing->problem->demands->items;
    int rc = 0;
    price_rest(pricing, pricing->legs->to_index[items[pricing->groups.order[pricing->groups.begin[index]]].dst]);
    for (size_t i = pricing->groups.begin[index]; i < pricing->groups.begin[index + 1] && !rc; i++)
        rc = price_demand(pricing, pricing->groups.order[i]);
    return rc;
}

int cw_leg_pricing_run(struct cw_leg_pricing *pricing, const double *length)
{
    pricing->length = length;
    int rc = cw_parallel_for(pricing->n_threads, pricing->legs->n_from, price_legs, pricing);
    if (!rc && pricing->adaptive)
        rc = cw_parallel_for(pricing->n_threads, pricing->legs->n_to, price_adaptive, pricing);
    return rc ? rc : cw_parallel_for(pricing->n_threads, pricing->groups.n, price_destination, pricing);
}

double cw_leg_pricing_distance(const struct cw_leg_pricing *pricing, size_t demand)
{
    return pricing->found[demand].distance;
}

const uint32_t *cw_leg_pricing_path(const struct cw_leg_pricing *pricing, size_t demand, uint32_t *n)
{
    *n = pricing->found[demand].n;
    return pricing->channels + demand * pricing->room;
}
