/* The order of hosts, and what trees in it take: by hand, where that can be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "study/host_map.h"
#include "study/overlap/host_order.h"
#include "study/overlap/host_trees.h"
#include "topo/topology.h"

#define HOSTS 8

/* Hosts by turns on two switches with a cable between them that is five times as slow. */
static struct cw_network *thin_network(void)
{
    struct cw_builder *builder = cw_builder_new(HOSTS, 2, HOSTS + 1);
    struct cw_network *net;
    for (uint32_t host = 0; host < HOSTS; host++) cw_builder_cable(builder, host, 0, HOSTS + host % 2, 0, 5e6, 0);
    cw_builder_cable(builder, HOSTS, 0, HOSTS + 1, 0, 1e6, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    return net;
}

static struct cw_routes *route(const struct cw_network *net)
{
    struct cw_routes *routes;
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    return routes;
}

static void number(uint32_t n, uint32_t *endpoints)
{
    for (uint32_t i = 0; i < n; i++) endpoints[i] = n - 1 - i; /* in any order */
}

static void test_order_by_switch(void **state)
{
    (void)state;
    static const uint32_t started[] = {0, 1, 2, 3, 4, 5, 6, 7}, expected[] = {0, 2, 4, 6, 1, 3, 5, 7};
    struct cw_network *net = thin_network();
    struct cw_routes *routes = route(net);
    struct cw_host_load load;
    uint32_t order[HOSTS];
    bool nearest = false;
    number(HOSTS, order);
    assert_int_equal(cw_host_order(routes, HOSTS, order, &nearest), 0);
    assert_true(nearest);
    assert_memory_equal(order, expected, sizeof order);
    assert_int_equal(cw_host_load_of_round(routes, HOSTS, started, &load), 0);
    assert_true(load.crossings == 4 && fabs(load.gap - 4e-6) < 1e-15);
    assert_true(fabs(load.length - HOSTS * 1.4e-6) < 1e-12);
    assert_int_equal(cw_host_load_of_round(routes, HOSTS, order, &load), 0);
    assert_true(load.crossings == 1 && fabs(load.gap - 1e-6) < 1e-15);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* On a fat tree the numbers are an order in which each channel is crossed once, also by any selection of the hosts. */
static void test_order_of_a_tree(void **state)
{
    (void)state;
    struct cw_network *net;
    assert_int_equal(cw_topology_build("xgft:3:4,3,2:1,2,2", &net), 0);
    struct cw_routes *routes = route(net);
    uint32_t order[24], some[24];
    struct cw_host_load load;
    bool nearest = true;
    number(24, order);
    assert_int_equal(cw_host_order(routes, 24, order, &nearest), 0);
    assert_false(nearest);
    for (uint32_t i = 0; i < 24; i++) assert_int_equal(order[i], i);
    for (uint32_t mask = 3; mask < 0x1000000; mask = mask * 5 + 3) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < 24; i++)
            if (mask >> i & 1) some[n++] = order[i];
        assert_int_equal(cw_host_load_of_round(routes, n, some, &load), 0);
        assert_true(load.crossings == 1);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Three switches in a ring, which is faster one way round: what a broadcast gains there a reduction loses. */
static void test_order_both_ways(void **state)
{
    (void)state;
    static const uint32_t expected[] = {0, 1, 2};
    struct cw_builder *builder = cw_builder_new(3, 3, 6);
    struct cw_network *net;
    for (uint32_t i = 0; i < 3; i++) cw_builder_cable(builder, i, 0, 3 + i, 0, 9e6, 0);
    for (uint32_t i = 0; i < 3; i++) {
        cw_builder_cable(builder, 3 + i, 0, 3 + (i + 1) % 3, 0, 1e6, 0);
        cw_builder_back(builder, 5e6, 0);
    }
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    struct cw_routes *routes = route(net);
    uint32_t order[3];
    bool nearest = true;
    number(3, order);
    assert_int_equal(cw_host_order(routes, 3, order, &nearest), 0);
    assert_false(nearest);
    assert_memory_equal(order, expected, sizeof order);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

#define OVERHEAD 1e-3
#define GAP      1e-6 /* s/byte */

struct site {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_placement *placement;
    uint32_t order[64];
    struct cw_host_trees_setup setup;
};

static struct site open_site(struct cw_network *net, const char *placement)
{
    struct site site = {.net = net, .routes = route(net)};
    bool nearest;
    assert_int_equal(cw_placement_new(placement, net, NULL, &site.placement), 0);
    number(net->n_endpoints, site.order);
    assert_int_equal(cw_host_order(site.routes, net->n_endpoints, site.order, &nearest), 0);
    site.setup = (struct cw_host_trees_setup){.routes = site.routes,
                                              .placement = site.placement,
                                              .n_order = net->n_endpoints,
                                              .timing = {.loggp = true, .overhead = OVERHEAD, .gap = GAP},
                                              .trials = 1,
                                              .seed = 1,
                                              .n_threads = 1};
    return site;
}

static void close_site(struct site *site)
{
    cw_placement_free(site->placement);
    cw_routes_free(site->routes);
    cw_network_free(site->net);
}

static void predict(struct site *site, int64_t *jobs, size_t n_jobs, uint64_t *bytes, size_t n_bytes,
                    struct cw_host_tree_points *points)
{
    site->setup.order = site->order;
    site->setup.jobs = (struct cw_ints){jobs, n_jobs};
    site->setup.bytes = (struct cw_sizes){bytes, n_bytes};
    if (cw_host_trees_predict(&site->setup, points)) fail_msg("%s", cw_error_message());
}

static void predict_again(struct site *site, struct cw_host_tree_points *points, int64_t job, uint64_t bytes)
{
    cw_host_trees_free(points);
    predict(site, &job, 1, &bytes, 1, points);
}

static const struct cw_host_tree_point *find(const struct cw_host_tree_points *points,
                                             enum cw_collective_kind collective, uint32_t hosts, uint64_t bytes)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].collective == collective && points->items[i].hosts == hosts &&
            points->items[i].bytes == bytes)
            return &points->items[i];
    fail_msg("no point");
    return NULL;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * expected) fail_msg("%.9g instead of %.9g", value, expected);
}

/* Where nobody meets anybody: a segment takes o + G·bytes from host to host. */
static void test_formulas(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_host_tree_points points;
    int64_t jobs[] = {3, 8};
    uint64_t bytes[] = {16384, 1 << 18};
    const double segment = OVERHEAD + 16384 * GAP; /* of both: 1 and 16 of them */
    assert_int_equal(cw_topology_build("crossbar:8", &net), 0);
    struct site site = open_site(net, "contiguous");
    predict(&site, jobs, 2, bytes, 2, &points);
    assert_int_equal(points.n, 2 * 5 * 2);
    const struct cw_host_tree_point *shorter = find(&points, CW_COLLECTIVE_BCAST, 8, 16384);
    const struct cw_host_tree_point *longer = find(&points, CW_COLLECTIVE_BCAST, 8, 1 << 18);
    assert_near(shorter->time[0], 7 * segment);
    assert_near(shorter->time[1], 3 * segment);
    assert_near(longer->time[0], (7 + 15) * segment);
    assert_near(longer->time[1], (3 + 3 * 15) * segment);
    assert_int_equal(shorter->best, 1);
    assert_int_equal(longer->best, 0);
    assert_int_equal(shorter->started, CW_HOST_SHAPES + 1);
    for (int tree = 0; tree < 4; tree++) /* no order is better here */
        assert_near(shorter->time[CW_HOST_SHAPES + tree], shorter->time[tree]);
    assert_true(isnan(find(&points, CW_COLLECTIVE_BCAST, 3, 16384)->time[2])); /* of three there is no tree of four */
    assert_true(isnan(shorter->time[4]));                                      /* and no broadcast goes round */
    /* the root's cable has to let 7 messages in, whatever rounds they are of */
    const struct cw_host_tree_point *reduce = find(&points, CW_COLLECTIVE_REDUCE, 8, 1 << 18);
    assert_near(reduce->time[0], (7 + 15) * segment);
    assert_true(reduce->time[3] >= 7 * (1 << 18) * GAP);
    for (int tree = 0; tree < 4; tree++) assert_near(reduce->time[tree], longer->time[tree]); /* backwards */
    const struct cw_host_tree_point *both = find(&points, CW_COLLECTIVE_ALLREDUCE, 8, 1 << 18);
    /* a host in the middle sends up and down by the same cable */
    assert_near(both->time[0], 2 * (1 << 18) * GAP);
    const struct cw_host_tree_point *up_and_down = find(&points, CW_COLLECTIVE_ALLREDUCE, 8, 16384);
    assert_near(up_and_down->time[0], 2 * 7 * segment);
    assert_near(both->time[4], 2 * 7 * (2 * OVERHEAD + (1 << 15) * GAP)); /* two segments a step */
    assert_int_equal(both->started, CW_HOST_SHAPES + 4);
    const struct cw_host_tree_point *scatter = find(&points, CW_COLLECTIVE_SCATTER, 8, 16384);
    assert_true(scatter->straight);
    assert_near(scatter->time[scatter->best], 7 * segment); /* one after another */
    assert_near(find(&points, CW_COLLECTIVE_GATHER, 8, 16384)->time[0], OVERHEAD + 7 * 16384 * GAP);
    /* of 4 MiB a segment has 32 KiB, also the last one of an allreduce that goes down again */
    predict_again(&site, &points, 8, 4 << 20);
    assert_near(find(&points, CW_COLLECTIVE_ALLREDUCE, 8, 4 << 20)->time[1],
                (3 + 3 * 127 + 3) * (OVERHEAD + (1 << 15) * GAP));
    cw_host_trees_free(&points);
    close_site(&site);
}

/* By flows: a segment takes o, its bytes at the cable's rate, and the latencies of both channels, which are beside L;
 * the next one leaves as soon as processor and cable are free. */
static void test_flows(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_host_tree_points points;
    int64_t jobs[] = {8};
    uint64_t bytes[] = {16384, 1 << 18};
    const double o = 1e-6, sent = 16384 / 5e9;
    assert_int_equal(cw_topology_build("crossbar:8", &net), 0);
    struct site site = open_site(net, "contiguous");
    site.setup.by_flows = true;
    for (int stated = 0; stated < 2; stated++) {
        const double late = 200e-9 + stated * 3e-6;
        site.setup.timing = (struct cw_timing){.loggp = true,
                                               .overhead = o,
                                               .latency = stated ? 3e-6 : CW_TIMING_OF_CHANNELS,
                                               .gap = CW_TIMING_OF_CHANNELS};
        predict(&site, jobs, 1, bytes, 2, &points);
        const struct cw_host_tree_point *shorter = find(&points, CW_COLLECTIVE_BCAST, 8, 16384);
        assert_near(shorter->time[0], 7 * (o + sent + late));
        assert_near(shorter->time[1], 3 * (o + sent + late));
        assert_near(find(&points, CW_COLLECTIVE_BCAST, 8, 1 << 18)->time[0], 7 * (o + sent + late) + 15 * sent);
        assert_near(find(&points, CW_COLLECTIVE_ALLREDUCE, 8, 1 << 18)->time[4], 2 * 7 * (2 * o + 2 * sent + late));
        const struct cw_host_tree_point *scatter = find(&points, CW_COLLECTIVE_SCATTER, 8, 16384);
        assert_near(scatter->time[0], o + 7 * sent + late);
        cw_host_trees_free(&points);
    }
    close_site(&site);
}

/* In the order of ranks each segment crosses the thin cable four times each way, in that of the fabric once. */
static void test_thin_cable(void **state)
{
    (void)state;
    struct cw_host_tree_points points;
    int64_t jobs[] = {HOSTS};
    uint64_t bytes[] = {16 << 20};
    struct site site = open_site(thin_network(), "contiguous");
    site.setup.timing = (struct cw_timing){.loggp = true, .latency = 0, .gap = CW_TIMING_OF_CHANNELS};
    predict(&site, jobs, 1, bytes, 1, &points);
    for (int collective = 0; collective < CW_COLLECTIVES; collective++) {
        if (!cw_nbc_between_passes((enum cw_collective_kind)collective)) continue;
        const struct cw_host_tree_point *point = find(&points, (enum cw_collective_kind)collective, HOSTS, 16 << 20);
        assert_true(cw_host_trees[point->best].by_fabric && !cw_host_trees[point->started].by_fabric);
        assert_true(point->time[point->started] > 3.5 * point->time[point->best]);
        assert_true(point->time[point->best] >= (16 << 20) * 1e-6);
    }
    cw_host_trees_free(&points);
    close_site(&site);
}

static void test_threads(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_host_tree_points one, many;
    int64_t jobs[] = {4, 9, 16};
    uint64_t bytes[] = {1 << 18, 1 << 21};
    assert_int_equal(cw_topology_build("torus:4x4", &net), 0);
    struct site site = open_site(net, "random");
    site.setup.trials = 3;
    predict(&site, jobs, 3, bytes, 2, &one);
    site.setup.n_threads = 3;
    predict(&site, jobs, 3, bytes, 2, &many);
    assert_int_equal(one.n, many.n);
    for (size_t i = 0; i < one.n; i++) {
        assert_memory_equal(one.items[i].time, many.items[i].time, sizeof one.items[i].time);
        assert_true(one.items[i].time[one.items[i].best] > 0);
    }
    cw_host_trees_free(&one);
    cw_host_trees_free(&many);
    site.setup.jobs.values[0] = 17;
    assert_int_equal(cw_host_trees_predict(&site.setup, &one), CW_EUSAGE);
    close_site(&site);
}

/* --- what is kept ------------------------------------------------------------------------------------------------- */

/* Switches in a random tree with some more cables, hosts on any of them; cables of four speeds. */
static struct cw_network *random_network(uint64_t seed)
{
    static const double rates[] = {1e6, 2e6, 5e6, 10e6};
    struct cw_random random = cw_random_of(seed, 0, 0);
    const uint32_t switches = 2 + cw_random_below(&random, 5), more = cw_random_below(&random, 4);
    struct cw_builder *builder = cw_builder_new(12, switches, 12 + switches - 1 + more);
    struct cw_network *net;
    for (uint32_t host = 0; host < 12; host++)
        cw_builder_cable(builder, host, 0, 12 + cw_random_below(&random, switches), 0,
                         rates[cw_random_below(&random, 4)], 0);
    for (uint32_t i = 1; i < switches + more; i++) {
        const uint32_t a = i < switches ? i : 1 + cw_random_below(&random, switches - 1);
        cw_builder_cable(builder, 12 + a, 0, 12 + cw_random_below(&random, a), 0, rates[cw_random_below(&random, 4)],
                         0);
    }
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    return net;
}

/* The time of what the library does by what is kept. */
static double time_by(const struct cw_nbc_trees *trees, const struct cw_host_tree_point *point)
{
    const struct cw_nbc_between any = {.shape = CW_NBC_SHAPE_AUTO};
    const struct cw_nbc_between kept =
        cw_nbc_trees_choose(trees, &any, point->collective, true, point->hosts, point->bytes);
    for (uint32_t t = 0; t < CW_HOST_TREES; t++)
        if (cw_host_trees[t].shape == kept.shape && cw_host_trees[t].radix == kept.radix &&
            cw_host_trees[t].by_fabric == kept.by_fabric)
            return point->time[t];
    fail_msg("a tree that was not predicted");
    return 0;
}

static void check_kept(uint64_t seed, const char *placement, uint32_t *by_ranks)
{
    struct site site = open_site(random_network(seed), placement);
    struct cw_host_tree_points points;
    struct cw_nbc_trees trees = {.n = 0};
    int64_t jobs[] = {2, 4, 7, 12};
    uint64_t bytes[] = {1 << 15, 1 << 18, 1 << 20};
    site.setup.trials = 2;
    site.setup.timing = (struct cw_timing){.loggp = true, .overhead = 1e-3, .gap = CW_TIMING_OF_CHANNELS};
    predict(&site, jobs, 4, bytes, 3, &points);
    assert_int_equal(cw_host_trees_keep(&points, &trees), 0);
    assert_int_equal(trees.n, 3 * 4 * 3);
    for (size_t i = 0; i < points.n; i++) {
        const struct cw_host_tree_point *point = &points.items[i];
        if (point->straight) continue;
        const double kept = time_by(&trees, point), started = point->time[point->started];
        if (kept > started) fail_msg("seed %u: %g s are kept, %g without", (unsigned)seed, kept, started);
        *by_ranks += !cw_host_trees[point->best].by_fabric;
    }
    cw_host_trees_free(&points);
    close_site(&site);
}

/* On no network anything is kept that is predicted to be slower than what the library does without. */
static void test_nothing_slower_is_kept(void **state)
{
    (void)state;
    uint32_t by_ranks = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) check_kept(seed, seed % 2 ? "random" : "contiguous", &by_ranks);
    assert_true(by_ranks > 0); /* or this says nothing about orders */
}

/* --- in a few lines ----------------------------------------------------------------------------------------------- */

static struct cw_host_tree_point point_of(enum cw_collective_kind collective, uint32_t hosts, uint64_t bytes,
                                          uint32_t best, double gain)
{
    struct cw_host_tree_point point = {
        .collective = collective, .hosts = hosts, .bytes = bytes, .best = best, .started = CW_HOST_TREES - 1};
    point.time[best] = 1;
    point.time[CW_HOST_TREES - 1] = gain;
    return point;
}

static void test_choices(void **state)
{
    (void)state;
    struct cw_host_tree_point items[] = {
        point_of(CW_COLLECTIVE_REDUCE, 4, 10, 5, 1),
        point_of(CW_COLLECTIVE_BCAST, 16, 30, 0, 4),
        point_of(CW_COLLECTIVE_BCAST, 16, 10, 1, 1.25),
        point_of(CW_COLLECTIVE_BCAST, 16, 20, 0, 2),
        point_of(CW_COLLECTIVE_BCAST, 4, 20, 0, 3),
        point_of(CW_COLLECTIVE_BCAST, 4, 30, 0, 1.5),
        point_of(CW_COLLECTIVE_BCAST, 4, 10, 1, 2),
        point_of(CW_COLLECTIVE_BCAST, 64, 10, 1, 2),
        point_of(CW_COLLECTIVE_BCAST, 64, 20, 1, 2),
        {.collective = CW_COLLECTIVE_SCATTER, .hosts = 4, .straight = true},
    };
    const struct cw_host_tree_points points = {items, sizeof items / sizeof *items};
    struct cw_host_choices choices;
    assert_int_equal(cw_host_choices_of(&points, &choices), 0);
    assert_int_equal(choices.n, 3);
    const struct cw_host_choice *joined = &choices.items[0], *large = &choices.items[1], *other = &choices.items[2];
    assert_true(joined->collective == CW_COLLECTIVE_BCAST && joined->first == 4 && joined->last == 16);
    assert_int_equal(joined->n_steps, 2);
    assert_true(joined->steps[0].bytes == 10 && joined->steps[0].tree == 1);
    assert_true(joined->steps[1].bytes == 20 && joined->steps[1].tree == 0);
    assert_true(joined->least == 1.25 && joined->most == 4);
    assert_true(large->first == 64 && large->last == 64 && large->n_steps == 1);
    assert_true(other->collective == CW_COLLECTIVE_REDUCE && other->first == 4 && other->steps[0].tree == 5);
    cw_host_choices_free(&choices);
}

/* Jobs whose trees change at another size, or to another tree, have lines of their own. */
static void test_choices_apart(void **state)
{
    (void)state;
    struct cw_host_tree_point items[] = {
        point_of(CW_COLLECTIVE_BCAST, 4, 10, 1, 2), point_of(CW_COLLECTIVE_BCAST, 4, 20, 0, 2),
        point_of(CW_COLLECTIVE_BCAST, 4, 30, 0, 2), point_of(CW_COLLECTIVE_BCAST, 8, 10, 1, 2),
        point_of(CW_COLLECTIVE_BCAST, 8, 20, 1, 2), point_of(CW_COLLECTIVE_BCAST, 8, 30, 0, 2),
        point_of(CW_COLLECTIVE_BCAST, 9, 10, 1, 2), point_of(CW_COLLECTIVE_BCAST, 9, 20, 1, 2),
        point_of(CW_COLLECTIVE_BCAST, 9, 30, 5, 2),
    };
    const struct cw_host_tree_points points = {items, sizeof items / sizeof *items};
    struct cw_host_choices choices;
    assert_int_equal(cw_host_choices_of(&points, &choices), 0);
    assert_int_equal(choices.n, 3);
    for (int i = 0; i < 3; i++) assert_true(choices.items[i].first == choices.items[i].last);
    assert_true(choices.items[0].steps[1].bytes == 20 && choices.items[1].steps[1].bytes == 30);
    assert_true(choices.items[1].steps[1].tree == 0 && choices.items[2].steps[1].tree == 5);
    cw_host_choices_free(&choices);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const uint32_t endpoints[] = {3, 0, 2, 5};
    char *names[4] = {NULL};
    struct cw_network *net;
    FILE *file = fopen("hosts_test.txt", "w");
    fputs("x h1\nnode7 h3 # first\nnode7 h2\nother 5\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(cw_topology_build("crossbar:6", &net), 0);
    assert_int_equal(cw_host_names(net, "hosts_test.txt", 4, endpoints, names), 0);
    assert_string_equal(names[0], "node7");
    assert_string_equal(names[1], "h0");
    assert_null(names[2]); /* another rail of node7 */
    assert_string_equal(names[3], "other");
    for (int i = 0; i < 4; i++) free(names[i]);
    remove("hosts_test.txt");
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_slower_is_kept),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_choices_apart),
        cmocka_unit_test(test_order_by_switch),
        cmocka_unit_test(test_order_both_ways),
        cmocka_unit_test(test_order_of_a_tree),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_thin_cable),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
