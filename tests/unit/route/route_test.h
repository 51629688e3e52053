/*
 * What the tests of routes and engines share: walking one hop at a time, with every promise of route/routes.h checked.
 */
#ifndef CW_TEST_ROUTE_TEST_H
#define CW_TEST_ROUTE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_test.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/lft.h"

static inline struct cw_routes *routes_of(const struct cw_network *net, const char *engine)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, engine, 7, 1, &routes));
    return routes;
}

/* WHOLE without what FAILED names or, by SEED, draws (NULL: nothing), not yet recognised. */
static inline struct cw_network *damaged(const struct cw_network *whole, const char *failed, uint64_t seed)
{
    struct cw_faults *faults = NULL;
    struct cw_network *left = NULL;
    must(cw_faults_new(whole, &faults));
    if (failed) must(cw_faults_fail(faults, "--failed", failed, seed));
    must(cw_network_with_faults(faults, &left));
    cw_faults_free(faults);
    return left;
}

/* The tables of WHOLE that NET, which is WHOLE without some cables, still has: as a file of them would be read. */
static inline struct cw_routes *what_is_left(const struct cw_network *whole, const struct cw_routes *routes,
                                             const struct cw_network *net)
{
    struct cw_lft *tables;
    struct cw_routes *out;
    char name[CW_NAME_SIZE];
    must(cw_lft_new(net, &tables));
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t was = cw_network_find(whole, cw_network_name(net, v, name, sizeof name));
        for (uint32_t d = 0; d < net->n_endpoints; d++) {
            const uint32_t port = cw_routes_table_port(routes, was, d);
            if (port == CW_NO_PORT) continue;
            const uint32_t c = cw_network_channel_at(net, v, cw_network_port(whole, whole->first[was] + port));
            if (c != CW_NONE) cw_lft_set(tables, v, d, c - net->first[v]);
        }
    }
    must(cw_lft_finish(tables, "the file", &out));
    return out;
}

/* True if a walk arrives, step by step. */
static inline bool arrives(const struct cw_routes *routes, uint32_t s, uint32_t d)
{
    const struct cw_network *net = cw_routes_network(routes);
    if (cw_network_degree(net, s) == 0) return false;
    uint32_t v = net->head[net->first[s]];
    for (uint32_t hops = 0; v != d; hops++) {
        if (cw_network_is_endpoint(net, v) || hops > net->n_vertices) return false;
        const uint32_t port = cw_routes_table_port(routes, v, d);
        if (port == CW_NO_PORT) return false;
        v = net->head[net->first[v] + port];
    }
    return true;
}

/* The route from SRC to DST into PATH and LANES (room for max_hops), walked hop by hop; the result is its length. */
static inline uint32_t walk(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t *path, uint8_t *lanes)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct cw_walk walk = {0};
    struct cw_hop hop;
    uint32_t hops = 0, v = src;
    int n;
    must(cw_walk_begin(&walk, routes, src, dst));
    while ((n = cw_walk_candidates(&walk, &hop, 1)) == 1) {
        assert_true(hops < cw_routes_max_hops(routes));
        assert_int_equal(net->tail[hop.channel], v);
        assert_true(hops == 0 || v >= net->n_endpoints);
        assert_true(hop.lane < cw_routes_lanes(routes));
        path[hops] = hop.channel;
        lanes[hops++] = hop.lane;
        v = net->head[hop.channel];
        cw_walk_take(&walk, hop);
        assert_int_equal(walk.vertex, v);
        assert_int_equal(walk.hops, hops);
    }
    must(n);
    assert_int_equal(v, dst);
    cw_walk_end(&walk);
    return hops;
}

/* All routes of a small network at once: route (src, dst) is at src · n_endpoints + dst. */
struct all_routes {
    size_t n;
    uint32_t stride;
    uint32_t *src, *dst, *hops, *channels;
    uint8_t *lanes;
};

static inline struct all_routes all_routes_of(const struct cw_routes *routes)
{
    const uint32_t n = cw_routes_network(routes)->n_endpoints, stride = cw_routes_max_hops(routes);
    struct all_routes all = {.n = (size_t)n * n, .stride = stride};
    all.src = zeros(all.n, sizeof *all.src);
    all.dst = zeros(all.n, sizeof *all.dst);
    all.hops = zeros(all.n, sizeof *all.hops);
    all.channels = zeros(all.n * stride, sizeof *all.channels);
    all.lanes = zeros(all.n * stride, sizeof *all.lanes);
    for (size_t i = 0; i < all.n; i++) {
        all.src[i] = (uint32_t)(i / n);
        all.dst[i] = (uint32_t)(i % n);
    }
    must(cw_routes_paths(routes, all.n, all.src, all.dst, all.hops, all.channels, all.lanes));
    return all;
}

static inline void free_all_routes(struct all_routes *all)
{
    free(all->src);
    free(all->dst);
    free(all->hops);
    free(all->channels);
    free(all->lanes);
}

/* True if no two routes to one destination leave a vertex by different channels. */
static inline bool depends_on_destination(const struct cw_routes *routes, const struct all_routes *all)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *next = zeros((size_t)net->n_vertices * net->n_endpoints, sizeof *next);
    bool same = true;
    for (size_t i = 0; i < all->n; i++)
        for (uint32_t h = 0; h < all->hops[i]; h++) {
            const uint32_t channel = all->channels[i * all->stride + h];
            uint32_t *known = &next[(size_t)net->tail[channel] * net->n_endpoints + all->dst[i]];
            if (*known != 0 && *known != channel + 1) same = false;
            *known = channel + 1;
        }
    free(next);
    return same;
}

/* The routes of two sets are the same, lanes apart. */
static inline void assert_same_paths(const struct all_routes *a, const struct all_routes *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->hops[i], b->hops[i]);
        if (a->hops[i] == 0) continue;
        assert_memory_equal(a->channels + i * a->stride, b->channels + i * b->stride, a->hops[i] * sizeof *a->channels);
    }
}

/* Every route is as long as the distance. */
static inline void assert_shortest(const struct cw_network *net, const struct all_routes *all)
{
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            assert_int_equal(all->hops[(size_t)src * net->n_endpoints + dst], distance[src]);
        free(distance);
    }
}

#endif
