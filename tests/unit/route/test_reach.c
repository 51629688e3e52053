/*
 * cw_routes_reach against walks of every pair, one entry after another, with distances by relaxation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "check_test.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/route_tree.h"

static const char *const specs[] = {"crossbar:5", "xgft:2:4,4:1,2", "xgft:2:3,4:2,3",     "torus:4x3",
                                    "mesh:3x3",   "hypercube:3",    "dragonfly:2,4,2,g=5"};
#define N_SPECS (sizeof specs / sizeof *specs)

struct plain {
    uint64_t pairs, reached, holes, loops, minimal, hops, histogram[64];
    uint32_t hops_max;
    uint64_t *load;
    uint32_t first_src, first_dst;
};

/* Among the endpoints of SELECTION; NULL: all. */
static struct plain walk_among(const struct cw_routes *routes, const struct cw_selection *selection)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *path = zeros(net->n_vertices, sizeof *path), hops;
    struct plain sum = {.load = zeros(net->n_channels, sizeof *sum.load), .first_dst = CW_NONE};
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++) {
            if (src == dst) continue;
            if (selection &&
                (cw_selection_index(selection, src) == CW_NONE || cw_selection_index(selection, dst) == CW_NONE))
                continue;
            sum.pairs++;
            const enum ending ending = follow(routes, src, dst, path, &hops);
            if (ending != ARRIVES) {
                if (sum.first_dst == CW_NONE) {
                    sum.first_src = src;
                    sum.first_dst = dst;
                }
                *(ending == HOLE ? &sum.holes : &sum.loops) += 1;
                continue;
            }
            sum.reached++;
            sum.hops += hops;
            sum.histogram[hops < 63 ? hops : 63]++;
            if (hops > sum.hops_max) sum.hops_max = hops;
            if (hops == distance[src]) sum.minimal++;
            for (uint32_t h = 0; h < hops; h++) sum.load[path[h]]++;
        }
        free(distance);
    }
    free(path);
    return sum;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g, expected %.17g", value, expected);
}

static struct plain walk_all(const struct cw_routes *routes)
{
    return walk_among(routes, NULL);
}

static void assert_loads(const struct cw_network *net, const uint64_t *load, const struct cw_reach *reach)
{
    double n = 0, sum = 0, squares = 0, most = -1;
    uint32_t most_channel = CW_NONE;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints) continue;
        const double x = (double)load[c];
        n++;
        sum += x;
        squares += x * x;
        if (x > most) {
            most = x;
            most_channel = c;
        }
    }
    assert_int_equal(reach->load_max_channel, most_channel);
    if (n == 0) return;
    assert_near(reach->load_mean, sum / n, 1e-9 * (1 + sum));
    assert_near(reach->load_max, most, 0);
    assert_near(reach->load_deviation, sqrt(fabs(squares / n - sum / n * (sum / n))), 1e-6 * (1 + most));
}

static void assert_same(const struct cw_network *net, const struct plain *plain, const struct cw_reach *reach)
{
    assert_int_equal(reach->pairs, plain->pairs);
    assert_int_equal(reach->reached, plain->reached);
    assert_int_equal(reach->holes, plain->holes);
    assert_int_equal(reach->loops, plain->loops);
    assert_int_equal(reach->minimal, plain->minimal);
    assert_int_equal(reach->hops_max, plain->hops_max);
    assert_memory_equal(reach->histogram, plain->histogram, sizeof plain->histogram);
    if (plain->reached > 0) assert_near(reach->hops_mean, (double)plain->hops / (double)plain->reached, 1e-12);
    assert_false(reach->sampled);
    assert_loads(net, plain->load, reach);
}

/* The message says which destination is not reached, and by whom. */
static void assert_problem(const struct cw_network *net, const struct plain *plain, const struct cw_reach *reach)
{
    char name[128];
    if (plain->first_dst == CW_NONE) {
        assert_null(reach->first_problem.data);
        return;
    }
    assert_non_null(reach->first_problem.data);
    assert_non_null(strstr(reach->first_problem.data, cw_network_name(net, plain->first_dst, name, sizeof name)));
}

static void check_tables(const char *spec, uint64_t seed, uint32_t wrong, uint32_t missing)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = random_tables(net, seed, wrong, missing);
    struct plain plain = walk_all(routes);
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 1, 3, &reach)); /* tables are never sampled */
    assert_same(net, &plain, &reach);
    assert_problem(net, &plain, &reach);
    cw_reach_free(&reach);
    free(plain.load);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_shortest_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SPECS; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *routes = random_tables(net, i, 0, 0);
        struct cw_reach reach;
        must(cw_routes_reach(routes, NULL, 0, 1, &reach));
        const uint64_t pairs = (uint64_t)net->n_endpoints * (net->n_endpoints - 1);
        assert_int_equal(reach.reached, pairs);
        assert_int_equal(reach.minimal, pairs);
        assert_null(reach.first_problem.data);
        cw_reach_free(&reach);
        cw_routes_free(routes);
        cw_network_free(net);
        check_tables(specs[i], i, 0, 0);
    }
}

static void test_broken_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SPECS; i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            check_tables(specs[i], seed, 0, 20);
            check_tables(specs[i], seed, 100, 0);
            check_tables(specs[i], seed, 400, 50);
        }
}

/* Pairs of which one does not take part count for nothing, whether routes are tables or paths. */
static void test_selection(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SPECS; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *tables = random_tables(net, i, 100, 30), *paths = paths_of_tables(tables);
        uint32_t *endpoints = zeros(net->n_endpoints, sizeof *endpoints), n = 0;
        for (uint32_t v = 0; v < net->n_endpoints; v++)
            if (v % 3 != 1) endpoints[n++] = v;
        const struct cw_selection selection = {n, endpoints};
        struct plain plain = walk_among(tables, &selection);
        struct cw_reach reach;
        must(cw_routes_reach(tables, &selection, 0, 2, &reach));
        assert_same(net, &plain, &reach);
        assert_problem(net, &plain, &reach);
        cw_reach_free(&reach);
        must(cw_routes_reach(paths, &selection, 0, 2, &reach));
        assert_int_equal(reach.pairs, plain.pairs);
        assert_int_equal(reach.reached, plain.reached);
        assert_int_equal(reach.minimal, plain.minimal);
        assert_loads(net, plain.load, &reach);
        cw_reach_free(&reach);
        must(cw_routes_reach(paths, &selection, 2 * n, 1, &reach)); /* a sample of them */
        assert_true(reach.pairs <= 2 * n && reach.pairs > 0);
        assert_true(reach.reached <= reach.pairs);
        cw_reach_free(&reach);
        free(plain.load);
        free(endpoints);
        cw_routes_free(paths);
        cw_routes_free(tables);
        cw_network_free(net);
    }
}

/* What remains of broken tables as explicit paths goes the other way through the code and gives the same. */
static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SPECS; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *tables = random_tables(net, i, 100, 30), *paths = paths_of_tables(tables);
        struct plain plain = walk_all(tables);
        plain.holes += plain.loops; /* pairs without a path */
        plain.loops = 0;
        struct cw_reach reach;
        must(cw_routes_reach(paths, NULL, 0, 2, &reach));
        assert_same(net, &plain, &reach);
        assert_problem(net, &plain, &reach);
        cw_reach_free(&reach);
        free(plain.load);
        cw_routes_free(paths);
        cw_routes_free(tables);
        cw_network_free(net);
    }
}

/* Equal to the last bit, but for the message. */
static void assert_equal(const struct cw_reach *a, const struct cw_reach *b)
{
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->reached, b->reached);
    assert_int_equal(a->holes, b->holes);
    assert_int_equal(a->loops, b->loops);
    assert_int_equal(a->minimal, b->minimal);
    assert_int_equal(a->hops_max, b->hops_max);
    assert_memory_equal(a->histogram, b->histogram, sizeof a->histogram);
    assert_true(a->hops_mean == b->hops_mean && a->load_mean == b->load_mean);
    assert_true(a->load_max == b->load_max && a->load_deviation == b->load_deviation);
    assert_int_equal(a->load_max_channel, b->load_max_channel);
    assert_int_equal(a->sampled, b->sampled);
}

static void test_threads(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:3:4,4,4:1,2,2");
    struct cw_routes *tables = random_tables(net, 7, 50, 10), *paths = paths_of_tables(tables);
    const struct cw_routes *both[] = {tables, paths};
    for (int i = 0; i < 2; i++) {
        struct cw_reach one, four;
        must(cw_routes_reach(both[i], NULL, 2000, 1, &one));
        must(cw_routes_reach(both[i], NULL, 2000, 4, &four));
        assert_int_equal(one.sampled, i == 1);
        assert_equal(&one, &four);
        assert_string_equal(one.first_problem.data, four.first_problem.data);
        cw_reach_free(&one);
        cw_reach_free(&four);
    }
    cw_routes_free(paths);
    cw_routes_free(tables);
    cw_network_free(net);
}

/* A sample is even: as many pairs as asked for (rounded down to the same number for each destination), the scaled mean
 * load is near the exact one, and each pair counts for as many as it was chosen from. */
static void test_sample(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:6x6");
    struct cw_routes *tables = random_tables(net, 3, 0, 0), *paths = paths_of_tables(tables);
    struct cw_reach exact, sample, few;
    must(cw_routes_reach(paths, NULL, 36 * 35, 0, &exact));
    must(cw_routes_reach(paths, NULL, 36 * 35 - 1, 0, &sample));
    must(cw_routes_reach(paths, NULL, 10, 0, &few));
    assert_false(exact.sampled);
    assert_true(sample.sampled && few.sampled);
    assert_int_equal(sample.pairs, 36 * 34);
    assert_int_equal(sample.reached, 36 * 34);
    assert_int_equal(few.pairs, 10);
    assert_int_equal(few.minimal, 10);
    assert_near(sample.load_mean, exact.load_mean, 0.1 * exact.load_mean);
    assert_near(exact.load_mean, (exact.hops_mean - 2) * 36 * 35 / (36 * 4), 1e-9);
    /* each of ten pairs stands for 126: at least one channel carries one or more of them */
    assert_near(few.load_mean, (few.hops_mean - 2) * 36 * 35 / (36 * 4), 1e-9);
    assert_true(few.load_max >= 126 && few.load_max <= 1260 && fmod(few.load_max, 126) == 0);
    cw_reach_free(&exact);
    cw_reach_free(&sample);
    cw_reach_free(&few);
    cw_routes_free(paths);
    cw_routes_free(tables);
    cw_network_free(net);
}

/* Closed forms that can be counted by their structure are never sampled. */
static void test_closed_forms(void **state)
{
    (void)state;
    static const char *const specs_and_engines[][2] = {
        {"torus:5x4", "dor"}, {"xgft:3:3,2,3:1,2,2", "dmodk"}, {"xgft:3:3,2,3:1,2,2", "smodk"}};
    for (size_t i = 0; i < 3; i++) {
        struct cw_network *net = network_of(specs_and_engines[i][0]);
        struct cw_routes *routes = NULL;
        struct cw_reach all, limited;
        struct cw_deadlock every, few;
        must(cw_engine_route(net, specs_and_engines[i][1], 0, 1, &routes));
        assert_int_equal(cw_routes_kind(routes), CW_ROUTES_FORMULA);
        must(cw_routes_reach(routes, NULL, 0, 2, &all));
        must(cw_routes_reach(routes, NULL, 20, 2, &limited));
        assert_equal(&all, &limited);
        assert_int_equal(all.minimal, (uint64_t)net->n_endpoints * (net->n_endpoints - 1));
        assert_false(all.sampled);
        must(cw_routes_deadlock(routes, 0, 2, &every));
        must(cw_routes_deadlock(routes, 20, 2, &few));
        assert_false(few.sampled);
        assert_int_equal(few.dependencies, every.dependencies);
        assert_true(every.acyclic);
        cw_deadlock_free(&every);
        cw_deadlock_free(&few);
        cw_reach_free(&all);
        cw_reach_free(&limited);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* One endpoint: no pairs, and nothing to divide by. */
/* Shortest ways are found for many destinations at once: more switches than are held together, and distances of many
 * bits. */
static void test_many_switches(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"hyperx:9x9x8,1", "hyperx-dor"}, {"torus:521", "minhop"}, {"xgft:2:2,70:2,3", "minhop"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i][0]);
        struct cw_routes *routes = NULL;
        struct cw_reach reach;
        must(cw_engine_route(net, cases[i][1], 1, 2, &routes));
        must(cw_routes_reach(routes, NULL, 0, 2, &reach));
        assert_int_equal(reach.reached, (uint64_t)net->n_endpoints * (net->n_endpoints - 1));
        assert_int_equal(reach.minimal, reach.reached);
        cw_reach_free(&reach);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* The trees of SEVERAL, as they are one by one; and each switch comes before the next on its way, in all of them. */
static void assert_trees(const struct cw_network *net, const struct cw_tree *several, struct cw_tree *one)
{
    const uint32_t n = several->n, switches = cw_network_switches(net), base = net->n_endpoints;
    uint32_t *place = zeros(switches, sizeof *place);
    for (uint32_t o = 0; o < several->n_order; o++) place[several->order[o] - base] = o;
    for (uint32_t i = 0; i < n; i++) {
        cw_tree_fill(one, several->dst[i]);
        assert_int_equal(several->n_order, one->n_order);
        for (uint32_t v = 0; v < switches; v++) {
            const uint32_t channel = one->channel[v];
            assert_int_equal(several->channel[v * n + i], channel);
            assert_int_equal(several->hops[v * n + i], one->hops[v]);
            if (one->hops[v] == CW_TREE_LOOP || channel == CW_NONE || net->head[channel] < base) continue;
            assert_true(place[v] < place[net->head[channel] - base]);
        }
        for (uint32_t src = 0; src < base; src++) {
            assert_int_equal(cw_tree_start(several, i, src), cw_tree_start(one, 0, src));
            assert_int_equal(cw_tree_route(several, i, src), cw_tree_route(one, 0, src));
        }
    }
    free(place);
}

/* Those of all destinations, of tables that are shortest ones or not; a switch's endpoints are numbered one after
 * another. Of shortest ones those of a switch are always filled together. */
static void test_several_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SPECS; i++)
        for (uint32_t fault = 0; fault < 8; fault++) {
            struct cw_network *net = network_of(specs[i]);
            struct cw_routes *tables = random_tables(net, fault, fault % 4 * 40, fault / 4 * 40);
            struct cw_tree several, one;
            must(cw_tree_new(tables, &several));
            must(cw_tree_new(tables, &one));
            for (uint32_t dst[CW_TREES], e = 0; e < net->n_endpoints; e += several.n) {
                const uint32_t home = net->head[net->first[e]], left = net->n_endpoints - e;
                uint32_t n = 0, there = 0;
                for (; n < left && n < CW_TREES; n++) dst[n] = e + n;
                while (there < n && net->head[net->first[dst[there]]] == home) there++;
                if (cw_network_degree(net, e) > 1) there = 1;
                const uint32_t filled = cw_tree_fill_several(&several, dst, n);
                assert_int_equal(several.n, filled);
                assert_in_range(several.n, 1, there);
                if (fault == 0) assert_int_equal(several.n, there);
                assert_trees(net, &several, &one);
            }
            cw_tree_free(&several);
            cw_tree_free(&one);
            cw_routes_free(tables);
            cw_network_free(net);
        }
}

static void test_no_pairs(void **state)
{
    (void)state;
    struct cw_network *net = network_of("crossbar:1");
    struct cw_routes *tables = random_tables(net, 0, 0, 0);
    struct cw_reach reach;
    must(cw_routes_reach(tables, NULL, 0, 0, &reach));
    assert_int_equal(reach.pairs, 0);
    assert_true(reach.hops_mean == 0 && reach.load_mean == 0);
    cw_reach_free(&reach);
    cw_reach_free(NULL);
    cw_routes_free(tables);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest_tables), cmocka_unit_test(test_broken_tables),
        cmocka_unit_test(test_selection),       cmocka_unit_test(test_paths),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_sample),
        cmocka_unit_test(test_closed_forms),    cmocka_unit_test(test_no_pairs),
        cmocka_unit_test(test_several_trees),   cmocka_unit_test(test_many_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
