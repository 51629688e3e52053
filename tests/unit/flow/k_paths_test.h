/* What the tests of k shortest paths share: problems, and all simple paths of a pair by brute force. */
#ifndef CW_TESTS_K_PATHS_TEST_H
#define CW_TESTS_K_PATHS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "flow/paths/k_paths.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/topology.h"

/* --- problems, pairs connected or not ----------------------------------------------------------------------------- */

struct test_problem {
    struct cw_network *net;
    struct cw_demands demands;
    struct cw_flow_problem problem;
};

static inline void add_demand(struct cw_demands *demands, uint32_t src, uint32_t dst)
{
    demands->items = realloc(demands->items, (demands->n + 1) * sizeof *demands->items);
    assert_non_null(demands->items);
    demands->items[demands->n++] = (struct cw_demand){src, dst, 1};
}

/* Fills TEST (which must stay where it is) from NET, which it owns, with all pairs or none. */
static inline void open_problem(struct cw_network *net, bool host_limit, bool all_pairs, struct test_problem *test)
{
    *test = (struct test_problem){.net = net};
    double *capacity = calloc(net->n_channels, sizeof *capacity);
    assert_non_null(capacity);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool host = net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints;
        capacity[c] = host && !host_limit ? INFINITY : 1;
    }
    for (uint32_t s = 0; all_pairs && s < net->n_endpoints; s++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            if (s != d) add_demand(&test->demands, s, d);
    test->problem = (struct cw_flow_problem){
        .net = net, .demands = &test->demands, .capacity = capacity, .unit_capacity = 1, .unit_bytes = 1};
}

static inline void open_topology(const char *spec, bool host_limit, bool all_pairs, struct test_problem *test)
{
    struct cw_network *net = NULL;
    if (cw_topology_build(spec, &net)) fail_msg("%s: %s", spec, cw_error_message());
    open_problem(net, host_limit, all_pairs, test);
}

static inline void close_problem(struct test_problem *test)
{
    free(test->problem.capacity);
    free(test->demands.items);
    cw_network_free(test->net);
}

static inline struct cw_k_paths find(const struct test_problem *test, uint32_t k, enum cw_ties ties, uint32_t max_hops,
                                     unsigned n_threads)
{
    const struct cw_k_paths_setup setup = {.k = k, .ties = ties, .max_hops = max_hops};
    struct cw_k_paths paths = {0};
    if (cw_k_paths_find(&test->problem, &setup, n_threads, &paths)) fail_msg("%s", cw_error_message());
    return paths;
}

static inline uint32_t length_of(const struct cw_k_paths *paths, size_t i)
{
    return (uint32_t)(paths->begin[i + 1] - paths->begin[i]);
}

/* --- brute force -------------------------------------------------------------------------------------------------- */

#define BRUTE_LENGTH 12 /* longest path looked at */

struct brute_path {
    uint32_t n, channel[BRUTE_LENGTH];
    bool taken;
};

struct brute {
    const struct cw_flow_problem *problem;
    uint32_t dst, max_hops;
    bool *visited;
    struct brute_path path; /* as far as it is */
    struct brute_path *items;
    size_t n, capacity;
};

static inline void extend(struct brute *brute, uint32_t v, uint32_t hops)
{
    const struct cw_network *net = brute->problem->net;
    if (v == brute->dst) {
        if (brute->n == brute->capacity) {
            brute->capacity = 2 * brute->capacity + 16;
            brute->items = realloc(brute->items, brute->capacity * sizeof *brute->items);
            assert_non_null(brute->items);
        }
        brute->items[brute->n++] = brute->path;
        return;
    }
    if (brute->path.n == BRUTE_LENGTH || (brute->path.n > 0 && v < net->n_endpoints)) return;
    brute->visited[v] = true;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const double capacity = brute->problem->capacity[c];
        const uint32_t more = hops + !isinf(capacity);
        if (!(capacity > 0) || brute->visited[net->head[c]] || more > brute->max_hops) continue;
        brute->path.channel[brute->path.n++] = c;
        extend(brute, net->head[c], more);
        brute->path.n--;
    }
    brute->visited[v] = false;
}

static inline int compare_brute(const void *a, const void *b)
{
    const struct brute_path *p = a, *q = b;
    if (p->n != q->n) return p->n < q->n ? -1 : 1;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->channel[i] != q->channel[i]) return p->channel[i] < q->channel[i] ? -1 : 1;
    return 0;
}

/* All simple paths of up to MAX_HOPS channels with a limit and BRUTE_LENGTH in all, in the order of CW_TIES_PLAIN. */
static inline struct brute brute_force(const struct cw_flow_problem *problem, const struct cw_demand *demand,
                                       uint32_t max_hops)
{
    struct brute brute = {.problem = problem, .dst = demand->dst, .max_hops = max_hops ? max_hops : UINT32_MAX};
    brute.visited = calloc(problem->net->n_vertices, sizeof *brute.visited);
    assert_non_null(brute.visited);
    extend(&brute, demand->src, 0);
    free(brute.visited);
    if (brute.n > 0) qsort(brute.items, brute.n, sizeof *brute.items, compare_brute);
    return brute;
}

/* The next path by (length, use, plain order), counted in USE [channels] if that is given; NULL after the last. */
static inline const struct brute_path *take_next(struct brute *brute, uint32_t *use)
{
    struct brute_path *best = NULL;
    uint64_t best_use = 0;
    for (size_t i = 0; i < brute->n; i++) {
        struct brute_path *path = &brute->items[i];
        uint64_t sum = 0;
        if (path->taken || (best && path->n > best->n)) continue;
        for (uint32_t j = 0; use && j < path->n; j++) sum += use[path->channel[j]];
        if (best && sum >= best_use) continue;
        best = path;
        best_use = sum;
    }
    if (!best) return NULL;
    best->taken = true;
    for (uint32_t j = 0; use && j < best->n; j++)
        if (!isinf(brute->problem->capacity[best->channel[j]])) use[best->channel[j]]++;
    return best;
}

#endif
