#include "route/route_pairs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/lft.h"
#include "route/routes_internal.h"

#define BEARABLE_ENTRIES (UINT64_C(1) << 30) /* of tables that are made for a check only */

static uint64_t all_pairs(uint64_t n)
{
    return n > 0 ? n * (n - 1) : 0;
}

/* True if N endpoints have more than MAX_PAIRS (0: no limit) ordered pairs. */
static bool are_too_many(uint32_t n, uint64_t max_pairs)
{
    return max_pairs > 0 && all_pairs(n) > max_pairs;
}

uint32_t cw_pairs_switch(const struct cw_network *net, uint32_t v)
{
    if (cw_network_degree(net, v) != 1) return CW_NONE;
    const uint32_t head = net->head[net->first[v]];
    return !cw_network_forwards(net, head) ? CW_NONE : head;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts endpoints by the switch they are on. */
static int sort_by_switch(const struct cw_network *net, uint32_t *endpoints, uint32_t n)
{
    uint64_t *keys = cw_new_array(n, sizeof *keys, "destinations");
    if (!keys) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) keys[i] = (uint64_t)cw_pairs_switch(net, endpoints[i]) << 32 | endpoints[i];
    qsort(keys, n, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < n; i++) endpoints[i] = (uint32_t)keys[i];
    free(keys);
    return 0;
}

uint32_t cw_pairs_endpoint(const struct cw_pairs *pairs, uint32_t place)
{
    return pairs->selection ? pairs->selection->endpoints[place] : place;
}

int cw_pairs_new(const struct cw_network *net, const struct cw_selection *selection, uint64_t max_pairs,
                 struct cw_pairs *pairs)
{
    const uint32_t n = selection ? selection->n : net->n_endpoints;
    struct cw_pairs made = {
        .selection = selection, .n_endpoints = n, .total = all_pairs(n), .sampled = are_too_many(n, max_pairs)};
    made.n_destinations = made.sampled && max_pairs < n ? (uint32_t)max_pairs : n;
    made.n_sources = n > 0 ? n - 1 : 0;
    if (made.sampled) made.n_sources = (uint32_t)(max_pairs / made.n_destinations);
    made.destinations = cw_new_array(made.n_destinations, sizeof *made.destinations, "destinations");
    if (!made.destinations) return CW_ENOMEM;
    struct cw_random random = cw_random_of(0, CW_STREAM_SAMPLE, UINT64_MAX);
    for (uint32_t i = 0; i < made.n_destinations; i++) { /* one of each stretch of n / n_destinations endpoints */
        const uint32_t from = (uint32_t)((uint64_t)i * n / made.n_destinations);
        const uint32_t to = (uint32_t)((uint64_t)(i + 1) * n / made.n_destinations);
        made.destinations[i] =
            cw_pairs_endpoint(&made, from + (to > from + 1 ? cw_random_below(&random, to - from) : 0));
    }
    const int rc = sort_by_switch(net, made.destinations, made.n_destinations);
    if (rc)
        cw_pairs_free(&made);
    else
        *pairs = made;
    return rc;
}

void cw_pairs_free(struct cw_pairs *pairs)
{
    if (!pairs) return;
    free(pairs->destinations);
    *pairs = (struct cw_pairs){0};
}

struct cw_pair_cursor cw_pairs_begin(const struct cw_pairs *pairs, uint32_t dst)
{
    return (struct cw_pair_cursor){.dst = pairs->selection ? cw_selection_index(pairs->selection, dst) : dst,
                                   .left = pairs->n_sources,
                                   .random = cw_random_of(0, CW_STREAM_SAMPLE, dst)};
}

uint32_t cw_pairs_next(const struct cw_pairs *pairs, struct cw_pair_cursor *cursor, uint32_t room, uint32_t *src)
{
    uint32_t n = 0;
    for (; n < room && cursor->left > 0; n++, cursor->left--) {
        uint32_t s = pairs->sampled ? cw_random_below(&cursor->random, pairs->n_endpoints - 1) : cursor->next++;
        if (s >= cursor->dst) s++; /* one of the others */
        src[n] = cw_pairs_endpoint(pairs, s);
    }
    return n;
}

int cw_pairs_tables(const struct cw_routes *routes, uint64_t max_pairs, unsigned n_threads,
                    const struct cw_routes **tables, struct cw_routes **made)
{
    const struct cw_network *net = cw_routes_network(routes);
    *made = NULL;
    *tables = cw_routes_own_tables(routes);
    if (*tables) return 0;
    const uint64_t entries = (uint64_t)net->n_endpoints * net->n_vertices;
    const bool bearable = entries <= BEARABLE_ENTRIES || (routes->formula && routes->formula->make_tables);
    if (!cw_routes_by_destination(routes) || !are_too_many(net->n_endpoints, max_pairs) || !bearable) return 0;
    const int rc = cw_routes_to_tables(routes, n_threads, made);
    if (rc == 0) *tables = *made;
    return rc == CW_ELIMIT ? 0 : rc;
}
