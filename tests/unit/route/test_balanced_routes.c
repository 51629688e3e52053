/*
 * Balanced routes (sssp, dfsssp, min-max-load) and the lanes that keep them free of deadlocks: loads that are kept up
 * to date are those of the routes; trees of full bisection bandwidth are balanced perfectly; lanes are no more than
 * OpenSM needs.
 */
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "route/check.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/files/lft_file.h"
#include "route/lft.h"
#include "route/service_levels.h"

static const char *const networks[] = {"torus:4x3",       "xgft:2:4,4:1,2", "xgft:2:3,3:2,3",
                                       "dragonfly:2,4,2", "hypercube:4",    "crossbar:5"};

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* ROUNDS times: lays the routes of every destination, but for the first time beside those of all others. */
static void lay(struct cw_balanced_trees *trees, struct cw_lft *tables, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < trees->n_order; i++) {
            if (round > 0) cw_trees_lift(trees, trees->order[i], tables);
            cw_trees_search(trees, trees->order[i]);
            cw_trees_lay(trees);
            cw_trees_enter(trees, tables);
        }
}

/* What was laid and lifted is what the routes use; an endpoint with one cable does not choose, so its own channel is
 * not counted. */
static void loads_are_those_of_the_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct cw_network *net = network_of(networks[i]);
        struct cw_balanced_trees trees;
        struct cw_lft *tables;
        struct cw_routes *routes;
        must(cw_lft_new(net, &tables));
        must(cw_trees_new(net, &trees));
        lay(&trees, tables, 3);
        must(cw_lft_finish(tables, "laid", &routes));
        struct all_routes all = all_routes_of(routes);
        uint32_t *load = zeros(net->n_channels, sizeof *load);
        must(cw_routes_count(routes, all.n, all.src, all.dst, load));
        for (uint32_t c = 0; c < net->n_channels; c++)
            if (cw_network_degree(net, net->tail[c]) > 1 || !cw_network_is_endpoint(net, net->tail[c]))
                assert_int_equal(load[c], trees.load[c]);
        free(load);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_trees_free(&trees);
        cw_network_free(net);
    }
}

static struct cw_reach reach_of(const char *network, const char *engine, uint32_t *lanes)
{
    struct cw_network *net = network_of(network);
    struct cw_routes *routes = routes_of(net, engine);
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    *lanes = cw_routes_lanes(routes);
    cw_routes_free(routes);
    cw_network_free(net);
    return reach;
}

/* On trees with as many channels up as down all channels can carry the same: so they do on two levels, and nearly on
 * three, where minhop has the double. */
static void trees_are_even(void **state)
{
    (void)state;
    static const char *const trees[] = {"xgft:2:4,4:1,4", "xgft:2:6,8:1,6", "xgft:3:4,4,4:1,4,4"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        uint32_t lanes;
        struct cw_reach reach = reach_of(trees[i], "sssp", &lanes);
        assert_true(reach.load_max <= (i < 2 ? 1 : 1.12) * reach.load_mean);
        cw_reach_free(&reach);
    }
}

/* --- the busiest channel ------------------------------------------------------------------------------------------ */

static uint64_t bound_of(const char *network)
{
    struct cw_network *net = network_of(network);
    struct cw_routes *routes = routes_of(net, "min-max-load");
    const uint64_t bound = cw_routes_load_bound(routes);
    cw_routes_free(routes);
    cw_network_free(net);
    return bound;
}

/* Between the mean, which no shortest routes change, and what any of them have; and min-max-load is the best of them.
 */
static void bounds_hold(void **state)
{
    (void)state;
    static const char *const nets[] = {"torus:5x5",       "mesh:4x3",         "xgft:2:3,3:2,3",
                                       "dragonfly:2,4,2", "jellyfish:12,4,2", "hypercube:4"};
    static const char *const engines[] = {"minhop", "random-minimal", "sssp"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        uint32_t lanes;
        const double bound = (double)bound_of(nets[i]);
        struct cw_reach best = reach_of(nets[i], "min-max-load", &lanes);
        assert_true(bound >= best.load_mean - 1e-6);
        assert_true(bound <= best.load_max);
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            struct cw_reach reach = reach_of(nets[i], engines[e], &lanes);
            assert_true(best.load_max <= reach.load_max);
            cw_reach_free(&reach);
        }
        cw_reach_free(&best);
    }
}

/* Where there is one way only, the bound is the load: n/2 · n/2 routes over the middle of a chain. In the tree the
 * bound proves the routes best though the mean is lower. */
static void bounds_are_reached(void **state)
{
    (void)state;
    assert_int_equal(bound_of("mesh:4"), 4);
    assert_int_equal(bound_of("mesh:9"), 20);
    uint32_t lanes;
    struct cw_reach reach = reach_of("xgft:3:3,3,4:1,3,1", "min-max-load", &lanes);
    assert_int_equal(bound_of("xgft:3:3,3,4:1,3,1"), (uint64_t)reach.load_max);
    assert_true(reach.load_mean < 0.95 * reach.load_max);
    cw_reach_free(&reach);
}

/* --- against OpenSM ----------------------------------------------------------------------------------------------- */

/* What OpenSM 3.3.23 gives these fabrics with -R dfsssp: the most routes on a channel, their standard deviation, and
 * the "Virtual Lanes needed" of its log. tests/oracle/live_lanes.py asks it again. */
static void as_good_as_opensm(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        double max, deviation;
        uint32_t lanes;
    } cases[] = {{"torus:6", 5, 0.5, 2},        {"torus:4x4", 13, 1.84, 3},        {"torus:5x5", 21, 2.13, 4},
                 {"torus:4x4x4", 55, 6.45, 7},  {"torus:8x8", 94, 8.88, 8},        {"mesh:5x5", 37, 6.01, 3},
                 {"hypercube:5", 30, 3.93, 5},  {"dragonfly:2,4,2", 94, 12.48, 4}, {"jellyfish:20,4,3", 156, 24.59, 3},
                 {"xgft:2:4,4:1,4", 12, 0.0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t lanes;
        struct cw_reach reach = reach_of(cases[i].network, "dfsssp", &lanes);
        assert_int_equal(reach.minimal, reach.pairs);
        assert_true(reach.load_max <= cases[i].max);
        assert_true(reach.load_deviation <= cases[i].deviation + 0.005);
        assert_in_range(lanes, 1, cases[i].lanes);
        cw_reach_free(&reach);
    }
}

/* A ring of six cannot do with one lane: shortest routes go round it both ways. */
static void too_few_lanes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:6");
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_engine_route(net, "dfsssp:lanes=1", 0, 1, &routes), CW_ELIMIT);
    assert_null(routes);
    assert_non_null(strstr(cw_error_message(), "need more than 1 virtual lane to be free of deadlocks"));
    must(cw_engine_route(net, "dfsssp:lanes=2", 0, 1, &routes));
    assert_int_equal(cw_routes_lanes(routes), 2);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Lanes that breaking the cycles of one full lane after another takes 6, 10 and 9 of. */
static void few_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        uint32_t lanes;
    } cases[] = {{"torus:8x8", 4}, {"torus:10x10", 5}, {"hypercube:7", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t lanes;
        struct cw_reach reach = reach_of(cases[i].network, "dfsssp", &lanes);
        assert_in_range(lanes, 2, cases[i].lanes);
        cw_reach_free(&reach);
    }
}

/* The lanes change nothing about the ways; a route stays on one. */
static void same_ways(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4x3");
    struct cw_routes *plain = routes_of(net, "sssp"), *layered = routes_of(net, "dfsssp");
    struct all_routes a = all_routes_of(plain), b = all_routes_of(layered);
    assert_same_paths(&a, &b);
    for (size_t i = 0; i < b.n; i++)
        for (uint32_t h = 1; h < b.hops[i]; h++) assert_int_equal(b.lanes[i * b.stride + h], b.lanes[i * b.stride]);
    free_all_routes(&a);
    free_all_routes(&b);
    cw_routes_free(plain);
    cw_routes_free(layered);
    cw_network_free(net);
}

/* --- several LIDs ------------------------------------------------------------------------------------------------- */

/* The first LID is routed as if it were the only one. On a tree with as many ways as LIDs each LID has its own. */
static void lids_take_other_ways(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,4");
    struct cw_routes *one = routes_of(net, "sssp"), *four = routes_of(net, "sssp:lmc=2");
    assert_int_equal(cw_routes_lids(one), 1);
    assert_int_equal(cw_routes_lids(four), 4);
    struct all_routes first = all_routes_of(one), of_lid[4];
    for (uint32_t lid = 0; lid < 4; lid++) of_lid[lid] = all_routes_of(cw_routes_to_lid(four, lid));
    assert_same_paths(&first, &of_lid[0]);
    for (size_t i = 0; i < first.n; i++)
        for (uint32_t a = 1; a < 4 && first.hops[i] == 4; a++)
            for (uint32_t b = 0; b < a; b++)
                assert_int_not_equal(of_lid[a].channels[i * of_lid[a].stride + 1],
                                     of_lid[b].channels[i * of_lid[b].stride + 1]);
    for (uint32_t lid = 0; lid < 4; lid++) free_all_routes(&of_lid[lid]);
    free_all_routes(&first);
    cw_routes_free(one);
    cw_routes_free(four);
    cw_network_free(net);
}

/* The most routes on a channel between switches, to all LIDs together. */
static uint32_t busiest_of(const struct cw_routes *routes)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *load = zeros(net->n_channels, sizeof *load), most = 0;
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++) {
        struct all_routes all = all_routes_of(cw_routes_to_lid(routes, lid));
        must(cw_routes_count(cw_routes_to_lid(routes, lid), all.n, all.src, all.dst, load));
        free_all_routes(&all);
    }
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]) && load[c] > most)
            most = load[c];
    free(load);
    return most;
}

/* What OpenSM 3.3.23 gives with -R dfsssp -l LMC: routes on the busiest channel and lanes. As above. */
static void lids_as_good_as_opensm(void **state)
{
    (void)state;
    static const struct {
        const char *network, *engine;
        uint32_t max, lanes;
    } cases[] = {{"torus:4x4", "dfsssp:lmc=1", 23, 4},        {"torus:5x5", "dfsssp:lmc=2", 79, 5},
                 {"mesh:5x5", "dfsssp:lmc=3", 300, 4},        {"hypercube:4", "dfsssp:lmc=1", 21, 4},
                 {"dragonfly:2,4,2", "dfsssp:lmc=1", 192, 3}, {"jellyfish:20,4,3", "dfsssp:lmc=2", 612, 4},
                 {"xgft:2:4,4:1,4", "dfsssp:lmc=2", 48, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        struct cw_routes *routes = routes_of(net, cases[i].engine);
        assert_in_range(busiest_of(routes), 1, cases[i].max);
        for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++)
            assert_in_range(cw_routes_lanes(cw_routes_to_lid(routes, lid)), 1, cases[i].lanes);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Records of the paths to each LID have the level of that LID: LIDs of endpoint e of N LIDs begin with N · (e + 1). */
static void records_are_by_lid(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x5");
    struct cw_routes *routes = routes_of(net, "dfsssp:lmc=1");
    struct cw_text records = {0};
    must(cw_path_records_write(routes, &records));
    const char *at = records.data;
    uint32_t others = 0;
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        at = strstr(at, "Channel Adapter");
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            for (uint32_t lid = 0; lid < 2 && dst != src; lid++) {
                unsigned told, level;
                at = strstr(at, "\n0x");
                assert_int_equal(sscanf(at++, " 0x%x : %u", &told, &level), 2);
                assert_int_equal(told, 2 * (dst + 1) + lid);
                uint32_t path[16];
                uint8_t lanes[16];
                walk(cw_routes_to_lid(routes, lid), src, dst, path, lanes);
                assert_int_equal(level, lanes[0]);
                others += level > 0;
            }
    }
    assert_true(others > 100);
    cw_text_free(&records);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- service levels ----------------------------------------------------------------------------------------------- */

/* What is written of the lanes of ENGINE comes back: the same on every hop. */
static void check_written(const char *network, const char *engine, uint32_t lanes)
{
    struct cw_network *net = network_of(network);
    struct cw_routes *routes = routes_of(net, engine), *read = NULL;
    struct cw_service_levels *levels;
    struct cw_text tables = {0}, a = {0}, b = {0};
    assert_int_equal(cw_routes_lanes(routes), lanes);
    must(cw_lft_write(routes, &tables));
    must(cw_path_records_write(routes, &a));
    must(cw_sl2vl_write(routes, &b));
    const struct cw_levels_file path_records = {"a", a.data, a.length}, sl2vl = {"b", b.data, b.length};
    must(cw_lft_parse(net, "tables", tables.data, tables.length, NULL, &read));
    must(cw_service_levels_parse(net, &path_records, &sl2vl, &levels));
    must(cw_routes_set_service_levels(read, levels));
    assert_int_equal(cw_routes_lanes(read), lanes);
    struct all_routes before = all_routes_of(routes), after = all_routes_of(read);
    assert_same_paths(&before, &after);
    for (size_t i = 0; i < before.n; i++)
        assert_memory_equal(before.lanes + i * before.stride, after.lanes + i * after.stride, before.hops[i]);
    free_all_routes(&before);
    free_all_routes(&after);
    cw_text_free(&tables);
    cw_text_free(&a);
    cw_text_free(&b);
    cw_routes_free(read);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void lanes_are_written(void **state)
{
    (void)state;
    check_written("torus:6", "dfsssp", 2);
    check_written("torus:5x5", "nue:lanes=3", 3);
    check_written("xgft:2:2,3:1,2", "dfsssp", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_those_of_the_routes),
                                       cmocka_unit_test(trees_are_even),
                                       cmocka_unit_test(bounds_hold),
                                       cmocka_unit_test(bounds_are_reached),
                                       cmocka_unit_test(as_good_as_opensm),
                                       cmocka_unit_test(too_few_lanes),
                                       cmocka_unit_test(few_lanes),
                                       cmocka_unit_test(same_ways),
                                       cmocka_unit_test(lids_take_other_ways),
                                       cmocka_unit_test(lids_as_good_as_opensm),
                                       cmocka_unit_test(records_are_by_lid),
                                       cmocka_unit_test(lanes_are_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
