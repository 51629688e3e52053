/*
 * OpenSM's nue: what it gives (tests/oracle/live_nue.py compares every entry), free of deadlocks with any number of
 * lanes on all kinds of networks, connected or not; and its parts, a lane with and without OpenSM's oversight among
 * them.
 */
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "base/random.h"
#include "net/builder.h"
#include "route/check.h"
#include "route/engines/opensm/nue_internal.h"

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* Routes of NET on LANES lanes: none goes round or waits in a circle. */
static struct cw_reach check_lanes(const struct cw_network *net, unsigned lanes)
{
    char spec[32];
    snprintf(spec, sizeof spec, "nue:lanes=%u,mend", lanes);
    struct cw_routes *routes = routes_of(net, spec);
    struct cw_deadlock deadlock;
    struct cw_reach reach;
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_true(deadlock.acyclic);
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.loops, 0);
    assert_int_equal(cw_routes_lanes(routes), lanes < net->n_endpoints ? lanes : net->n_endpoints);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    return reach;
}

/* What OpenSM 3.3.23 gives. */
static void as_opensm(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        double max, hops;
    } cases[] = {
        {"torus:4x4", 20, 4.1833},        {"torus:5x5", 40, 4.6950},         {"torus:4x4x4", 390, 5.8031},
        {"torus:8x8", 192, 6.5813},       {"mesh:5x5", 68, 5.4067},          {"hypercube:5", 32, 4.5927},
        {"dragonfly:2,4,2", 276, 4.6076}, {"jellyfish:20,4,3", 261, 4.2729}, {"xgft:3:3,3,2:1,3,2", 21, 4.8235}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        struct cw_routes *routes = routes_of(net, "nue");
        struct cw_reach reach;
        must(cw_routes_reach(routes, NULL, 0, 1, &reach));
        assert_int_equal(reach.reached, reach.pairs);
        assert_true(reach.load_max == cases[i].max);
        assert_true(reach.hops_mean > cases[i].hops - 6e-5 && reach.hops_mean < cases[i].hops + 6e-5);
        cw_reach_free(&reach);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* N switches, each cabled to one before it, and as many cables more between any two, parallel ones among them; hosts at
 * two of three switches. */
static struct cw_network *random_network(uint32_t n, uint64_t seed)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(n, n, 3 * n);
    uint32_t *ports = zeros(n, sizeof *ports);
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t v = (uint32_t)(cw_random_hash(seed, e) % n) * 2 / 3;
        cw_builder_cable(builder, e, 0, n + v, ports[v]++, 1, 0);
    }
    for (uint32_t i = 1; i < 2 * n; i++) {
        const uint64_t hash = cw_random_hash(seed, n + i);
        const uint32_t a = i < n ? i : (uint32_t)(hash >> 32) % n, b = (uint32_t)hash % (i < n ? i : n);
        if (a == b) continue;
        cw_builder_cable(builder, n + a, ports[a]++, n + b, ports[b]++, 1, 0);
    }
    free(ports);
    must(cw_builder_finish(builder, &net));
    return net;
}

static void any_number_of_lanes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct cw_network *net = random_network(3 + (uint32_t)seed % 23, seed);
        struct cw_reach reach = check_lanes(net, 1 + (unsigned)seed % 9);
        assert_int_equal(reach.reached, reach.pairs);
        cw_reach_free(&reach);
        cw_network_free(net);
    }
}

/* Here OpenSM's routes wait in a circle. */
static void circles_are_mended(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:8x6x7");
    struct cw_routes *routes = routes_of(net, "nue");
    struct cw_deadlock deadlock;
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_false(deadlock.acyclic);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    struct cw_reach reach = check_lanes(net, 1);
    assert_int_equal(reach.reached, reach.pairs);
    cw_reach_free(&reach);
    cw_network_free(net);
}

/* Two rings of four and a switch with no cables to them. */
static void parts(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(9, 9, 17);
    for (uint32_t i = 0; i < 9; i++) cw_builder_cable(builder, i, 0, 9 + i, 0, 1, 0);
    for (uint32_t i = 0; i < 8; i++) cw_builder_cable(builder, 9 + i, 1, 9 + i / 4 * 4 + (i + 1) % 4, 2, 1, 0);
    must(cw_builder_finish(builder, &net));
    for (unsigned lanes = 1; lanes <= 3; lanes++) {
        struct cw_reach reach = check_lanes(net, lanes);
        assert_int_equal(reach.reached, 24);
        assert_int_equal(reach.holes, 72 - 24);
        cw_reach_free(&reach);
    }
    cw_network_free(net);
}

/* --- a lane ------------------------------------------------------------------------------------------------------- */

/* All switches of NET in their order. */
static void whole(const struct cw_network *net, struct cw_nue_part *part)
{
    must(cw_nue_part_new(net, part));
    part->n = cw_network_switches(net);
    for (uint32_t v = 0; v < part->n; v++) part->order[v] = v;
    for (uint32_t c = 0; c < net->n_channels; c++) part->weight[c] = (uint64_t)part->n * part->n;
}

/* Every switch has its way to ROOT, whose weights grow. Marks its dependencies in USED. */
static void walk_back(const struct cw_nue_lane *lane, bool *used)
{
    const struct cw_network *net = lane->part->net;
    for (uint32_t start = 0; start < lane->part->n; start++) {
        uint32_t hops = 0;
        for (uint32_t v = start; v != lane->root; v = cw_nue_tail(net, lane->into[v])) {
            const uint32_t before = lane->into[cw_nue_tail(net, lane->into[v])];
            assert_int_equal(cw_nue_head(net, lane->into[v]), v);
            assert_true(hops++ < lane->part->n);
            lane->part->weight[lane->into[v]]++;
            if (before != CW_NONE) used[(size_t)before * net->n_channels + lane->into[v]] = true;
        }
    }
}

/* The ways to all switches of NET in a lane. With all dependencies kept, each that is used is known in the end. */
static void check_lane(const struct cw_network *net, bool keeping)
{
    struct cw_nue_part part;
    struct cw_nue_lane lane;
    bool *used = zeros((size_t)net->n_channels * net->n_channels, sizeof *used);
    whole(net, &part);
    must(cw_nue_lane_new(&part, &lane));
    uint32_t *n_here = zeros(part.n, sizeof *n_here);
    for (uint32_t v = 0; v < part.n; v++) n_here[v] = 1;
    must(cw_nue_lane_begin(&lane, n_here, keeping));
    for (uint32_t root = 0; root < part.n; root++) {
        must(cw_nue_lane_find(&lane, root));
        walk_back(&lane, used);
    }
    for (uint32_t from = 0; from < net->n_channels && keeping; from++)
        for (uint32_t to = 0; to < net->n_channels; to++)
            if (used[(size_t)from * net->n_channels + to])
                assert_int_equal(cw_lane_order_state(&lane.order, from, to), CW_DEPENDENCY_TAKEN);
    assert_int_equal(lane.forgot, !keeping);
    assert_true(cw_nue_lane_is_sound(&lane));
    free(n_here);
    free(used);
    cw_nue_lane_free(&lane);
    cw_nue_part_free(&part);
}

/* On this torus OpenSM's oversight happens. */
static void dependencies_are_kept(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:6x5x4");
    check_lane(net, false);
    check_lane(net, true);
    cw_network_free(net);
}

/* A cycle among the dependencies of ways that were forgotten is found. */
static void circles_are_found(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4");
    struct cw_nue_part part;
    struct cw_nue_lane lane;
    const uint32_t n_here[4] = {1, 1, 1, 1};
    whole(net, &part);
    must(cw_nue_lane_new(&part, &lane));
    must(cw_nue_lane_begin(&lane, n_here, false));
    for (uint32_t c = 0; c < net->n_channels; c++)
        for (uint32_t on = net->first[net->head[c]]; on < net->first[net->head[c] + 1]; on++)
            if (cw_nue_leads_on(net, c) && cw_nue_leads_on(net, on) && on != net->twin[c])
                lane.real[lane.order.edge[c] + (on - net->first[net->head[c]])] = true;
    assert_true(cw_nue_lane_is_sound(&lane)); /* nothing was forgotten, so nobody looks */
    lane.forgot = true;
    assert_false(cw_nue_lane_is_sound(&lane));
    cw_nue_lane_free(&lane);
    cw_nue_part_free(&part);
    cw_network_free(net);
}

static void centres(void **state)
{
    (void)state;
    static const struct {
        uint32_t n_here[7], centre;
    } cases[] = {{{1, 1, 1, 1, 1, 1, 1}, 3}, {{1, 1, 1, 1, 1, 0, 0}, 2}, {{0, 0, 0, 0, 2, 1, 1}, 5}, {{0, 3, 0}, 1}};
    struct cw_network *net = network_of("mesh:7");
    struct cw_nue_part part;
    whole(net, &part);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t centre = CW_NONE;
        must(cw_nue_centre(&part, cases[i].n_here, &centre));
        assert_int_equal(centre, cases[i].centre);
    }
    cw_nue_part_free(&part);
    cw_network_free(net);
}

/* The least key comes first, whatever is lowered and removed in between. */
static void heap(void **state)
{
    (void)state;
    enum { N = 40 };
    struct cw_nue_heap heap;
    uint64_t key[N];
    bool in[N] = {false};
    must(cw_nue_heap_new(N, &heap));
    for (uint64_t i = 0; i < 5000; i++) {
        const uint64_t hash = cw_random_hash(7, i);
        const uint32_t item = (uint32_t)hash % N;
        uint32_t least = CW_NONE;
        if (!in[item]) {
            cw_nue_heap_add(&heap, key[item] = (hash >> 32) % 100 + 100, item);
        } else if (hash >> 60 == 0) {
            cw_nue_heap_remove(&heap, item);
        } else
            cw_nue_heap_lower(&heap, key[item] -= (hash >> 32) % 4, item);
        in[item] = !in[item] || hash >> 60 != 0;
        if ((hash >> 56 & 3) != 0) continue;
        for (uint32_t k = 0; k < N; k++)
            if (in[k] && (least == CW_NONE || key[k] < key[least])) least = k;
        const uint32_t first = cw_nue_heap_take(&heap);
        if (least == CW_NONE) {
            assert_int_equal(first, CW_NONE);
            continue;
        }
        assert_true(in[first] && key[first] == key[least]);
        in[first] = false;
    }
    cw_nue_heap_free(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_opensm),
                                       cmocka_unit_test(any_number_of_lanes),
                                       cmocka_unit_test(circles_are_mended),
                                       cmocka_unit_test(parts),
                                       cmocka_unit_test(dependencies_are_kept),
                                       cmocka_unit_test(circles_are_found),
                                       cmocka_unit_test(centres),
                                       cmocka_unit_test(heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
