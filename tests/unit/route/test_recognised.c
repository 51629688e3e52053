/* Engines on maps that were recognised as trees and tori: as on the generated network, and past what is missing. */
#include "net/network_internal.h"
#include "net/places.h"
#include "packet_test.h"
#include "route/check.h"
#include "route_test.h"
#include "topo/metrics.h"
#include "topo/recognise.h"
/* after those */
#include "../topo/shuffled.h"

static struct cw_network *map_of(const char *spec, uint64_t seed, struct losses losses)
{
    struct cw_network *generated = network_of(spec), *net = strip(generated, seed, &losses);
    must(cw_network_recognise(net));
    if (!net->places) fail_msg("%s was not recognised", spec);
    cw_network_free(generated);
    return net;
}

/* The endpoint of a shape's place P is at another number in the map; both routes must be the same channels. */
static void check_same(const char *spec, const char *engine)
{
    struct cw_network *net = map_of(spec, 3, (struct losses){0});
    const struct cw_places *places = net->places;
    struct cw_routes *routes = routes_of(net, engine), *regular = routes_of(places->ideal, engine);
    struct all_routes all = all_routes_of(routes), expected = all_routes_of(regular);
    const uint32_t n = net->n_endpoints;
    assert_int_equal(cw_routes_lanes(routes), cw_routes_lanes(regular));
    assert_int_equal(cw_routes_by_destination(routes), cw_routes_by_destination(regular));
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = 0; d < n; d++) {
            const size_t i = (size_t)s * n + d, j = (size_t)places->place[s] * n + places->place[d];
            assert_int_equal(all.hops[i], expected.hops[j]);
            for (uint32_t h = 0; h < all.hops[i]; h++) {
                const uint32_t c = all.channels[i * all.stride + h], e = expected.channels[j * expected.stride + h];
                assert_int_equal(net->tail[c], places->vertex[places->ideal->tail[e]]);
                assert_int_equal(net->head[c], places->vertex[places->ideal->head[e]]);
                assert_int_equal(all.lanes[i * all.stride + h], expected.lanes[j * expected.stride + h]);
            }
        }
    assert_shortest(net, &all);
    free_all_routes(&all);
    free_all_routes(&expected);
    cw_routes_free(routes);
    cw_routes_free(regular);
    cw_network_free(net);
}

static void test_same_routes(void **state)
{
    (void)state;
    static const char *const trees[] = {"xgft:2:4,4:1,4",          "xgft:2:3,4:2,2",
                                        "xgft:3:2,3,2:1,2,3",      "xgft:2:4,8:1,4:radix=8",
                                        "xgft:2:4,4:1,4:radix=10", "xgft:3:3,4,3:1,3,2:1,1,2"};
    static const char *const tori[] = {"torus:5x3", "mesh:4x3", "torus:4x3x2x2", "torus:6x2,doubled", "mesh:7"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        check_same(trees[i], "dmodk");
        check_same(trees[i], "smodk");
        check_same(trees[i], NULL);
    }
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        check_same(tori[i], "dor");
        check_same(tori[i], "dor:tie=balanced,lanes=1");
        check_same(tori[i], NULL);
    }
}

/* In a tree with full bisection every shift of the places is free of contention. */
static void test_shifts_are_free(void **state)
{
    (void)state;
    struct cw_network *net = map_of("xgft(3,12,4,12,2)", 11, (struct losses){0});
    struct cw_routes *routes = routes_of(net, NULL);
    const uint32_t n = net->n_endpoints;
    uint32_t *src = zeros(n, sizeof *src), *dst = zeros(n, sizeof *dst);
    uint32_t *load = zeros(net->n_channels, sizeof *load);
    assert_string_equal(cw_routes_name(routes), "dmodk");
    for (uint32_t shift = 1; shift < n; shift++) {
        for (uint32_t p = 0; p < n; p++) {
            src[p] = net->places->vertex[p];
            dst[p] = net->places->vertex[(p + shift) % n];
        }
        for (uint32_t c = 0; c < net->n_channels; c++) load[c] = 0;
        must(cw_routes_count(routes, n, src, dst, load));
        for (uint32_t c = 0; c < net->n_channels; c++) assert_true(load[c] <= 1);
    }
    free(src);
    free(dst);
    free(load);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- gaps --------------------------------------------------------------------------------------------------------- */

static bool joined(const struct cw_network *net, uint32_t u, uint32_t v)
{
    for (uint32_t c = net->first[u]; c < net->first[u + 1]; c++)
        if (net->head[c] == v) return true;
    return false;
}

/* Two levels, 6 hosts on each of 8 leaves, 6 spines, one cable a pair: a route to the endpoint at place d takes spine
 * d mod 6, or, of the 5 others in a circle, the first that both leaves still have: leaves of sources and of
 * destinations begin one behind the other. */
static void test_other_spines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct cw_network *net = map_of("xgft:2:6,8:1,6", seed, (struct losses){.cables = 5});
        const struct cw_places *places = net->places;
        struct cw_routes *routes = routes_of(net, NULL);
        uint32_t path[8], detours = 0;
        uint8_t lanes[8];
        assert_string_equal(cw_routes_name(routes), "dmodk");
        for (uint32_t s = 0; s < 48; s++)
            for (uint32_t d = 0; d < 48; d++) {
                if (s / 6 == d / 6) continue;
                const uint32_t from = places->vertex[48 + s / 6], to = places->vertex[48 + d / 6];
                uint32_t spine = d % 6, begin = d / 6 + s / 6;
                while (!joined(net, from, places->vertex[56 + spine]) || !joined(net, to, places->vertex[56 + spine]))
                    spine = (d % 6 + 1 + begin++ % 5) % 6;
                detours += spine != d % 6;
                assert_int_equal(walk(routes, places->vertex[s], places->vertex[d], path, lanes), 4);
                assert_int_equal(net->head[path[1]], places->vertex[56 + spine]);
            }
        assert_true(detours > 0);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void check_gaps(const char *spec, const char *engine, struct losses losses, bool tree)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cw_network *net = map_of(spec, seed, losses);
        struct cw_routes *routes = routes_of(net, NULL);
        assert_string_equal(cw_routes_name(routes), engine);
        struct all_routes all = all_routes_of(routes);
        assert_true(depends_on_destination(routes, &all));
        uint32_t path[64];
        uint8_t lanes[64];
        for (size_t i = 0; i < all.n; i += 7)
            if (all.src[i] != all.dst[i])
                assert_int_equal(walk(routes, all.src[i], all.dst[i], path, lanes), all.hops[i]);
        if (tree) {
            struct cw_deadlock deadlock;
            assert_shortest(net, &all);
            must(cw_routes_deadlock(routes, UINT64_MAX, 1, &deadlock));
            assert_true(deadlock.acyclic);
            cw_deadlock_free(&deadlock);
        }
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void test_trees_with_gaps(void **state)
{
    (void)state;
    check_gaps("xgft(2,12,6)", "dmodk", (struct losses){4, 10, 0}, true);
    check_gaps("xgft:3:3,4,4:1,4,4", "dmodk", (struct losses){5, 4, 1}, true);
    check_gaps("xgft:3:3,4,4:1,4,4", "dmodk", (struct losses){0, 0, 2}, true);
    check_gaps("xgft:4:2,3,3,3:1,3,3,3", "dmodk", (struct losses){6, 2, 1}, true);
    check_gaps("xgft:2:6,8:1,4:radix=12", "dmodk", (struct losses){3, 2, 0}, true); /* 6 up cables to 4 parents */
}

static void test_tori_with_gaps(void **state)
{
    (void)state;
    check_gaps("torus:6x5", "dor", (struct losses){3, 2, 0}, false);
    check_gaps("torus:4x4x4", "dor", (struct losses){6, 3, 0}, false);
    check_gaps("mesh:4x5x3", "dor", (struct losses){3, 1, 0}, false);
}

/* A route of a torus that passes no gap is dimension-order still, unless it ends up behind one that does. */
static void test_whole_ways_are_kept(void **state)
{
    (void)state;
    struct cw_network *net = map_of("torus:6x5", 2, (struct losses){.cables = 2});
    const struct cw_places *places = net->places;
    struct cw_routes *routes = routes_of(net, NULL), *regular = routes_of(places->ideal, "dor");
    struct all_routes all = all_routes_of(routes), ideal = all_routes_of(regular);
    uint32_t kept = 0, changed = 0;
    for (size_t i = 0; i < all.n; i++) {
        const size_t j = (size_t)places->place[all.src[i]] * 30 + places->place[all.dst[i]];
        bool whole = true, same = all.hops[i] == ideal.hops[j];
        for (uint32_t h = 0; h < ideal.hops[j]; h++) {
            const uint32_t channel = places->channel[ideal.channels[j * ideal.stride + h]];
            whole = whole && channel != CW_NONE;
            same = same && channel == all.channels[i * all.stride + h];
        }
        if (whole != same) fail_msg("route %zu: whole %d, kept %d", i, whole, same);
        kept += same;
        changed += !same;
    }
    assert_true(kept > 700 && changed > 10);
    free_all_routes(&all);
    free_all_routes(&ideal);
    cw_routes_free(routes);
    cw_routes_free(regular);
    cw_network_free(net);
}

/* Whatever is missing, the default engine joins all pairs that are joined at all. */
static void test_default_is_complete(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,6:1,4", "xgft:3:2,3,4:1,3,2:1,1,2", "torus:5x4", "hypercube:5"};
    uint32_t detours = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t seed = 1; seed <= 40; seed++) {
            const struct losses losses = {seed % 9, seed % 5, seed % 3};
            struct cw_network *generated = network_of(specs[i]), *net = strip(generated, seed, &losses);
            struct cw_distances distances;
            struct cw_reach reach;
            must(cw_network_recognise(net));
            must(cw_network_distances_by_search(net, 1, 1, 1e9, &distances));
            if (distances.unreachable == 0) {
                struct cw_routes *routes = routes_of(net, NULL);
                must(cw_routes_reach(routes, NULL, 0, 1, &reach));
                assert_int_equal(reach.reached, reach.pairs);
                detours += net->places != NULL && strcmp(cw_routes_name(routes), "minhop") != 0;
                cw_reach_free(&reach);
                cw_routes_free(routes);
            }
            cw_network_free(generated);
            cw_network_free(net);
        }
    assert_true(detours > 40);
}

/* Two leaves whose last common spine is gone: no way up and down is left between them, but there is a longer one. */
static void test_torn_tree(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(40, 14, 200);
    for (uint32_t e = 0; e < 40; e++) cw_builder_cable(builder, e, 0, 40 + e / 4, 0, 1e9, 0);
    for (uint32_t leaf = 0; leaf < 10; leaf++)
        for (uint32_t spine = 0; spine < 4; spine++) {
            if ((leaf == 0 && spine < 2) || (leaf == 1 && spine >= 2)) continue;
            cw_builder_cable(builder, 40 + leaf, 0, 50 + spine, 0, 1e9, 0);
        }
    struct cw_network *net;
    struct cw_text why = {0};
    must(cw_builder_finish(builder, &net));
    must(cw_network_recognise(net));
    assert_non_null(net->places);
    assert_int_equal(net->places->missing_cables, 4);
    assert_string_equal(cw_engine_default(net), "minhop");
    cw_engine_why(net, &why);
    assert_non_null(strstr(why.data, "dmodk does not find a way between all endpoints"));
    struct cw_routes *routes = routes_of(net, NULL);
    struct all_routes all = all_routes_of(routes);
    assert_int_equal(all.hops[5], 6);
    free_all_routes(&all);
    cw_routes_free(routes);
    assert_int_equal(cw_engine_route(net, "dmodk", 1, 1, &routes), CW_EUSAGE);
    cw_text_free(&why);
    cw_network_free(net);
}

/* --- endpoints beside the tree ------------------------------------------------------------------------------------ */

/* SPEC with an aggregation node in every switch, without LOST cables between switches. */
static struct cw_network *with_aggregation(const char *spec, uint32_t lost)
{
    const struct losses losses = {.cables = lost};
    struct cw_network *whole = network_of(spec), *generated = strip(whole, 4, &losses), *net = NULL;
    const uint32_t n = generated->n_endpoints, switches = cw_network_switches(generated);
    struct cw_builder *builder = cw_builder_new(n + switches, switches, generated->n_channels);
    for (uint32_t c = 0; c < generated->n_channels; c++) {
        const uint32_t u = generated->tail[c], v = generated->head[c];
        if (c < generated->twin[c]) cw_builder_cable(builder, u < n ? u : u + switches, 0, v + switches, 0, 1e9, 0);
    }
    for (uint32_t v = 0; v < n + 2 * switches; v++) {
        const struct cw_identity identity = {.kind = v < n              ? CW_KIND_HOST
                                                     : v < n + switches ? CW_KIND_AGGREGATION
                                                                        : CW_KIND_SWITCH};
        cw_builder_identity(builder, v, &identity);
        if (v >= n && v < n + switches) cw_builder_cable(builder, v, 0, v + switches, 0, 1e9, 0);
    }
    must(cw_builder_finish(builder, &net));
    must(cw_network_recognise(net));
    assert_non_null(net->places);
    assert_int_equal(net->places->beside, switches);
    assert_int_equal(net->places->missing_cables, lost);
    cw_network_free(generated);
    cw_network_free(whole);
    return net;
}

static void test_beside(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,6:1,4", "xgft:3:2,3,3:1,3,2"};
    for (size_t i = 0; i < 4; i++)
        for (int s_mod_k = 0; s_mod_k < 2; s_mod_k++) {
            struct cw_network *net = with_aggregation(specs[i % 2], i < 2 ? 0 : 2);
            struct cw_routes *routes = routes_of(net, s_mod_k ? "smodk" : NULL);
            struct cw_deadlock deadlock;
            uint32_t path[32];
            uint8_t lanes[32];
            assert_int_equal(cw_routes_lanes(routes), 2);
            struct all_routes all = all_routes_of(routes);
            for (size_t k = 0; k < all.n; k++) {
                if (all.src[k] == all.dst[k]) continue;
                assert_int_equal(walk(routes, all.src[k], all.dst[k], path, lanes), all.hops[k]);
            }
            if (!s_mod_k) assert_true(depends_on_destination(routes, &all));
            must(cw_routes_deadlock(routes, UINT64_MAX, 1, &deadlock));
            assert_true(deadlock.acyclic);
            cw_deadlock_free(&deadlock);
            free_all_routes(&all);
            cw_routes_free(routes);
            cw_network_free(net);
        }
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static void check_packets(struct cw_network *net)
{
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    struct cw_packet_routing *routing = packet_routing_of(net, "adaptive-up");
    must(cw_packet_routing_check(routing));
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++) {
            const struct queues queues = {.salt = cw_random_u64(&random)};
            const struct cw_queue_view view = view_of(&queues);
            if (src == dst) continue;
            const struct trip trip = send_packet(routing, &view, &random, src, dst);
            if (net->places->beside == 0) assert_int_equal(trip.hops + 2, distance[src]);
        }
        free(distance);
    }
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

static void test_adaptive_up(void **state)
{
    (void)state;
    check_packets(map_of("xgft:2:4,4:1,4", 2, (struct losses){0}));
    check_packets(map_of("xgft:3:2,3,4:1,2,2:1,3,4", 2, (struct losses){0}));
    check_packets(map_of("xgft:2:6,4:1,4:radix=12", 2, (struct losses){0}));
    check_packets(map_of("xgft:2:6,8:1,6", 2, (struct losses){4, 3, 0}));
    check_packets(map_of("xgft:3:3,4,4:1,4,4", 2, (struct losses){4, 3, 1}));
    check_packets(with_aggregation("xgft:2:4,6:1,4", 0));
    check_packets(with_aggregation("xgft:3:2,3,3:1,3,2", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_routes),    cmocka_unit_test(test_shifts_are_free),
        cmocka_unit_test(test_other_spines),   cmocka_unit_test(test_trees_with_gaps),
        cmocka_unit_test(test_tori_with_gaps), cmocka_unit_test(test_whole_ways_are_kept),
        cmocka_unit_test(test_torn_tree),      cmocka_unit_test(test_default_is_complete),
        cmocka_unit_test(test_beside),         cmocka_unit_test(test_adaptive_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
