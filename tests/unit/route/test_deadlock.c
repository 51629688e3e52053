/*
 * cw_routes_deadlock: dependencies against those of every route walked alone, cycles against the transitive closure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_test.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/engines/laned_tables.h"
#include "route/routes_internal.h"

/* --- dependencies one by one -------------------------------------------------------------------------------------- */

struct plain {
    uint32_t n; /* (channel, lane) pairs */
    bool *edge; /* [n][n] */
    uint64_t edges;
    bool cyclic;
};

static void close_transitively(struct plain *plain)
{
    const uint32_t n = plain->n;
    bool *reach = zeros((size_t)n * n, sizeof *reach);
    memcpy(reach, plain->edge, (size_t)n * n * sizeof *reach);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; reach[(size_t)i * n + k] && j < n; j++)
                reach[(size_t)i * n + j] |= reach[(size_t)k * n + j];
    for (uint32_t i = 0; i < n; i++) plain->cyclic |= reach[(size_t)i * n + i];
    free(reach);
}

static void walk(const struct cw_routes *routes, struct plain *plain)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t lanes = plain->n / net->n_channels, stride = cw_routes_max_hops(routes);
    uint32_t *path = zeros(stride, sizeof *path), hops;
    uint8_t *lane = zeros(stride, sizeof *lane);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            if (cw_routes_paths(routes, 1, &src, &dst, &hops, path, lane) != 0) continue;
            for (uint32_t h = 1; h < hops; h++)
                plain->edge[(size_t)(path[h - 1] * lanes + lane[h - 1]) * plain->n + path[h] * lanes + lane[h]] = true;
        }
    free(path);
    free(lane);
}

static struct plain walk_all(const struct cw_routes *routes)
{
    struct plain plain = {.n = cw_routes_network(routes)->n_channels * cw_routes_lanes(routes)};
    plain.edge = zeros((size_t)plain.n * plain.n, sizeof *plain.edge);
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++) walk(cw_routes_to_lid(routes, lid), &plain);
    for (size_t i = 0; i < (size_t)plain.n * plain.n; i++) plain.edges += plain.edge[i];
    close_transitively(&plain);
    return plain;
}

/* Checks routes against the plain way; returns the length of the cycle. */
static uint32_t check(const struct cw_routes *routes, unsigned n_threads)
{
    const uint32_t lanes = cw_routes_lanes(routes);
    struct plain plain = walk_all(routes);
    struct cw_deadlock deadlock;
    must(cw_routes_deadlock(routes, 0, n_threads, &deadlock));
    assert_false(deadlock.sampled);
    if (!deadlock.by_rule) assert_int_equal(deadlock.dependencies, plain.edges);
    assert_int_equal(deadlock.acyclic, !plain.cyclic);
    const uint32_t length = deadlock.cycle_length;
    assert_int_equal(length > 0, plain.cyclic);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t j = (i + 1) % length;
        const uint32_t from = deadlock.cycle[i] * lanes + deadlock.cycle_lanes[i];
        const uint32_t to = deadlock.cycle[j] * lanes + deadlock.cycle_lanes[j];
        assert_true(plain.edge[(size_t)from * plain.n + to]);
    }
    if (length == 0) assert_null(deadlock.cycle);
    cw_deadlock_free(&deadlock);
    free(plain.edge);
    return length;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Dimension by dimension, the shorter way round, ties to "+". */
static struct cw_routes *dimension_order(const struct cw_network *net)
{
    const struct cw_torus *torus = &net->shape.torus;
    struct cw_lft *tables = NULL;
    struct cw_routes *routes = NULL;
    must(cw_lft_new(net, &tables));
    for (uint32_t at = 0; at < net->n_endpoints; at++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t port = 1, a = at, b = dst;
            for (uint32_t d = 0; d < torus->n && port == 1; d++) {
                const uint32_t k = torus->k[d], ahead = (b % k + k - a % k) % k;
                if (ahead > 0) port = 2 + 2 * d + (2 * ahead > k ? 1 : 0);
                a /= k;
                b /= k;
            }
            const uint32_t v = net->n_endpoints + at;
            cw_lft_set(tables, v, dst, cw_network_channel_at(net, v, port) - net->first[v]);
        }
    must(cw_lft_finish(tables, "dimension order", &routes));
    return routes;
}

static uint32_t torus_cycle(const char *spec)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = dimension_order(net);
    const uint32_t length = check(routes, 2);
    cw_routes_free(routes);
    cw_network_free(net);
    return length;
}

/* Around a ring of k a route that takes two hops makes neighbouring channels depend on each other: a cycle from k = 4
 * on
 * ("+" takes the tie), of length k. Nothing turns back in dimension order, so there are no others. */
static void test_tori(void **state)
{
    (void)state;
    assert_int_equal(torus_cycle("torus:3x3"), 0);
    assert_int_equal(torus_cycle("torus:4x3"), 4);
    assert_int_equal(torus_cycle("torus:3x5"), 5);
    assert_int_equal(torus_cycle("torus:4x4"), 4);
    assert_int_equal(torus_cycle("torus:6"), 6);
    assert_int_equal(torus_cycle("torus:12"), 12);
}

/* Shortest routes on a complete tree only go up and then down. */
static void test_trees(void **state)
{
    (void)state;
    static const char *const specs[] = {"crossbar:4", "xgft:2:4,4:1,2", "xgft:3:2,3,2:1,2,2", "xgft:2:3,3:2,2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct cw_network *net = network_of(specs[i]);
            struct cw_routes *routes = random_tables(net, seed, 0, 0);
            assert_int_equal(check(routes, 3), 0);
            cw_routes_free(routes);
            cw_network_free(net);
        }
}

/* Any tables, with holes and loops: only routes that arrive count. The same as explicit paths. */
static void test_any_tables(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:3,3:1,2", "xgft:2:2,3:2,2", "torus:3x3", "dragonfly:1,3,1"};
    unsigned cyclic = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct cw_network *net = network_of(specs[i]);
            struct cw_routes *tables = random_tables(net, seed, 150, 30), *paths = paths_of_tables(tables);
            const uint32_t length = check(tables, 4);
            assert_int_equal(check(paths, 4), length);
            cyclic += length > 0;
            cw_routes_free(paths);
            cw_routes_free(tables);
            cw_network_free(net);
        }
    assert_true(cyclic > 0);
}

/* The shorter way round a ring of four; to the endpoints of HALF "+" where both are as long, to the others "-". */
static struct cw_routes *half_ways(const struct cw_network *net, uint32_t half)
{
    struct cw_lft *tables = NULL;
    struct cw_routes *routes = NULL;
    must(cw_lft_new(net, &tables));
    for (uint32_t at = 0; at < 4; at++)
        for (uint32_t dst = 0; dst < 4; dst++) {
            const uint32_t ports[] = {1, 2, dst / 2 == half ? 2 : 3, 3}, v = 4 + at;
            cw_lft_set(tables, v, dst, cw_network_channel_at(net, v, ports[(dst + 4 - at) % 4]) - net->first[v]);
        }
    must(cw_lft_finish(tables, "half ways", &routes));
    return routes;
}

/* The routes to all LIDs of an endpoint count together, though those to each are free of deadlocks. */
static void test_lids(void **state)
{
    (void)state;
    static const char *const engines[] = {"dfsssp:lmc=2", "minhop:lmc=1", "sssp:lmc=1"};
    struct cw_network *torus = network_of("torus:4x4");
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct cw_routes *routes = NULL;
        must(cw_engine_route(torus, engines[i], 0, 1, &routes));
        assert_int_equal(check(routes, 3) == 0, i == 0);
        cw_routes_free(routes);
    }
    cw_network_free(torus);
    struct cw_network *ring = network_of("torus:4");
    struct cw_routes *both = half_ways(ring, 0), *second = half_ways(ring, 1);
    assert_int_equal(check(both, 1), 0);
    assert_int_equal(check(second, 1), 0);
    cw_routes_add_lid(both, second);
    assert_int_equal(check(both, 2), 4);
    second->lanes_unknown = true; /* then nothing is said of them */
    struct cw_deadlock deadlock;
    must(cw_routes_deadlock(both, 0, 1, &deadlock));
    assert_true(deadlock.acyclic && deadlock.first_lids);
    cw_deadlock_free(&deadlock);
    cw_routes_free(both);
    cw_network_free(ring);
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* All routes of a ring go "+"; with a date line they change from lane 0 to lane 1 where they pass from the last switch
 * to the first. */
struct ring {
    const struct cw_network *net;
    bool date_line;
};

static int ring_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                      uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct ring *ring = state;
    const struct cw_network *net = ring->net;
    const uint32_t k = net->n_endpoints;
    for (size_t i = 0; i < n; i++) {
        uint32_t *path = channels + i * stride, h = 0, at = src[i];
        uint8_t *lane = lanes ? lanes + i * stride : NULL, now = 0;
        hops[i] = 0;
        if (src[i] == dst[i]) continue;
        if (lane) lane[0] = 0;
        path[h++] = net->first[at];
        for (; at != dst[i]; at = (at + 1) % k) {
            if (at == k - 1 && ring->date_line) now = 1;
            if (lane) lane[h] = now;
            path[h++] = cw_network_channel_at(net, k + at, 2);
        }
        if (lane) lane[h] = now;
        path[h++] = cw_network_channel_at(net, k + at, 1);
        hops[i] = h;
    }
    return 0;
}

static void test_lanes(void **state)
{
    (void)state;
    static const struct cw_formula formula = {.name = "ring", .paths = ring_paths, .free_state = free};
    struct cw_network *net = network_of("torus:7");
    for (int date_line = 0; date_line < 2; date_line++) {
        struct ring *ring = zeros(1, sizeof *ring);
        *ring = (struct ring){net, date_line};
        struct cw_routes *routes = NULL;
        must(cw_routes_from_formula(net, &formula, ring, 8, 2, true, &routes));
        assert_int_equal(check(routes, 2), date_line ? 0 : 7);
        cw_routes_free(routes);
    }
    cw_network_free(net);
}

static struct cw_network *network_without(const char *spec, const char *failed)
{
    struct cw_network *whole = network_of(spec), *net = NULL;
    struct cw_faults *faults;
    if (!failed) return whole;
    must(cw_faults_new(whole, &faults));
    must(cw_faults_fail(faults, "--failed", failed, 1));
    must(cw_network_with_faults(faults, &net));
    must(cw_faults_keep_places(faults, net));
    cw_faults_free(faults);
    cw_network_free(whole);
    return net;
}

/* Tables whose lanes follow a rule: all sources are looked at together, also where parts are missing. */
static void test_lanes_by_rule(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *engine, *failed;
    } cases[] = {{"slimfly:3,2", "hop-lanes", NULL},    {"jellyfish:14,3,2", "hop-lanes", NULL},
                 {"xgft:2:3,4:2,2", "hop-lanes", NULL}, {"torus:4x4", "dor", "10%"},
                 {"torus:7", "dor", "s(2)-s(3)"},       {"torus:7", "dor", "s(2)-s(3),s(5)-s(6)"},
                 {"mesh:12", "hop-lanes", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_without(cases[i].spec, cases[i].failed);
        struct cw_routes *routes = NULL;
        must(cw_engine_route(net, cases[i].engine, 1, 2, &routes));
        assert_true(cw_routes_lanes(routes) > 1);
        assert_non_null(cw_routes_own_tables(routes));
        assert_int_equal(check(routes, 1 + (unsigned)i % 3), 0);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Checks routes of TABLES, which it frees, in layers of LANES with random places. Returns how many lanes they have. */
static uint32_t check_places(struct cw_routes *tables, uint32_t lanes, uint64_t seed)
{
    const uint32_t n = cw_routes_network(tables)->n_channels * lanes;
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, lanes);
    struct cw_routes *routes = NULL;
    uint32_t *place = zeros(n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) place[i] = 1 + cw_random_below(&random, n);
    must(cw_routes_with_places(tables, "places", place, lanes, 1, &routes));
    const uint32_t all = cw_routes_lanes(routes);
    check(routes, lanes);
    cw_routes_free(routes);
    return all;
}

/* Lanes that follow from places: many of them; of tables with holes and loops. */
static void test_lanes_by_places(void **state)
{
    (void)state;
    struct cw_network *line = network_of("mesh:20"), *torus = network_of("torus:3x4");
    for (uint32_t lanes = 1; lanes <= 3; lanes++) {
        struct cw_routes *tables = NULL;
        must(cw_engine_route(line, "minhop", 1, 1, &tables));
        assert_true(check_places(tables, lanes, 1) > 8);
        for (uint64_t seed = 0; seed < 5; seed++) check_places(random_tables(torus, seed, 150, 30), lanes, seed);
    }
    cw_network_free(line);
    cw_network_free(torus);
}

/* --- samples and threads ------------------------------------------------------------------------------------------ */

static void test_sample(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x5");
    struct cw_routes *tables = dimension_order(net), *paths = paths_of_tables(tables);
    struct cw_deadlock all, some, again;
    must(cw_routes_deadlock(tables, 1, 0, &all));
    must(cw_routes_deadlock(paths, 200, 1, &some));
    must(cw_routes_deadlock(paths, 200, 4, &again));
    assert_false(all.sampled || all.acyclic);
    assert_true(some.sampled);
    assert_true(some.dependencies > 0 && some.dependencies <= all.dependencies);
    assert_int_equal(some.dependencies, again.dependencies);
    assert_int_equal(some.cycle_length, again.cycle_length);
    if (some.cycle_length > 0)
        assert_int_equal(memcmp(some.cycle, again.cycle, some.cycle_length * sizeof *some.cycle), 0);
    cw_deadlock_free(&all);
    cw_deadlock_free(&some);
    cw_deadlock_free(&again);
    cw_deadlock_free(NULL);
    cw_routes_free(paths);
    cw_routes_free(tables);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tori),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_any_tables),
        cmocka_unit_test(test_lids),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_lanes_by_rule),
        cmocka_unit_test(test_lanes_by_places),
        cmocka_unit_test(test_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
