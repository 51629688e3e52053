/*
 * Balanced routes (min-max-load): loads that are kept up to date are those of the routes; the busiest channel is held
 * to its bound; lanes are written.
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

static struct cw_reach reach_of(const char *network, const char *engine)
{
    struct cw_network *net = network_of(network);
    struct cw_routes *routes = routes_of(net, engine);
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    cw_routes_free(routes);
    cw_network_free(net);
    return reach;
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
    static const char *const engines[] = {"minhop", "random-minimal"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        const double bound = (double)bound_of(nets[i]);
        struct cw_reach best = reach_of(nets[i], "min-max-load");
        assert_true(bound >= best.load_mean - 1e-6);
        assert_true(bound <= best.load_max);
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            struct cw_reach reach = reach_of(nets[i], engines[e]);
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
    struct cw_reach reach = reach_of("xgft:3:3,3,4:1,3,1", "min-max-load");
    assert_int_equal(bound_of("xgft:3:3,3,4:1,3,1"), (uint64_t)reach.load_max);
    assert_true(reach.load_mean < 0.95 * reach.load_max);
    cw_reach_free(&reach);
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
    check_written("torus:6", "nue-even:lanes=2", 2);
    check_written("torus:5x5", "nue-even:lanes=3", 3);
    check_written("xgft:2:2,3:1,2", "nue-even:lanes=1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_those_of_the_routes), cmocka_unit_test(bounds_hold),
                                       cmocka_unit_test(bounds_are_reached), cmocka_unit_test(lanes_are_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
