/*
 * nue-even: free of deadlocks with any number of lanes, on all kinds of networks, connected or not; and the order of a
 * lane (lane_order.h), held to a search for cycles after every dependency that is taken, refused or dropped.
 */
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "base/random.h"
#include "net/builder.h"
#include "route/check.h"
#include "route/engines/balanced/lane_order.h"

/* --- the order of a lane ------------------------------------------------------------------------------------------ */

/* The dependencies of a lane, kept plainly. */
struct plain {
    const struct cw_network *net;
    uint32_t *uses; /* [n_channels · n_channels] */
};

/* True if TO waits for FROM, by way of others or not. */
static bool waits(const struct plain *plain, uint32_t to, uint32_t from)
{
    const uint32_t n = plain->net->n_channels;
    uint32_t *queue = zeros(n, sizeof *queue), n_queue = 0;
    bool *seen = zeros(n, sizeof *seen), found = false;
    queue[n_queue++] = to;
    for (uint32_t i = 0; i < n_queue && !found; i++)
        for (uint32_t c = 0; c < n && !found; c++) {
            if (plain->uses[(size_t)queue[i] * n + c] == 0 || seen[c]) continue;
            found = c == from;
            seen[c] = true;
            queue[n_queue++] = c;
        }
    free(queue);
    free(seen);
    return found;
}

static void take_or_drop(struct cw_lane_order *order, struct plain *plain, uint32_t from, uint32_t to, bool drop)
{
    uint32_t *uses = &plain->uses[(size_t)from * plain->net->n_channels + to];
    if (drop && *uses > 0) {
        cw_lane_order_drop(order, from, to);
        cw_lane_order_forgive(order);
        --*uses;
        return;
    }
    const bool expected = *uses > 0 || !waits(plain, to, from);
    assert_int_equal(cw_lane_order_take(order, from, to), expected);
    if (expected) ++*uses;
}

static void order_is_without_cycles(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:3x4");
    struct cw_lane_order order;
    struct plain plain = {.net = net, .uses = zeros((size_t)net->n_channels * net->n_channels, sizeof *plain.uses)};
    must(cw_lane_order_new(net, &order));
    uint32_t refused = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        const uint64_t hash = cw_random_hash(5, i);
        const uint32_t from = (uint32_t)(hash % net->n_channels), v = net->head[from];
        if (cw_network_is_endpoint(net, v)) continue;
        const uint32_t to = net->first[v] + (uint32_t)((hash >> 32) % cw_network_degree(net, v));
        if (to == net->twin[from]) continue;
        take_or_drop(&order, &plain, from, to, (hash >> 24) % 4 == 0);
        refused += plain.uses[(size_t)from * net->n_channels + to] == 0;
    }
    assert_true(refused > 100); /* otherwise nothing was tried */
    for (uint32_t from = 0; from < net->n_channels; from++)
        for (uint32_t to = 0; to < net->n_channels; to++)
            if (plain.uses[(size_t)from * net->n_channels + to] > 0) assert_true(order.label[from] < order.label[to]);
    cw_lane_order_free(&order);
    free(plain.uses);
    cw_network_free(net);
}

/* Two channels that change places again and again: room between labels is halved each time, and made anew. */
static void order_finds_room(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:3x4");
    struct cw_lane_order order;
    must(cw_lane_order_new(net, &order));
    uint32_t channel[2] = {net->first[net->n_endpoints]};
    while (cw_network_is_endpoint(net, net->head[channel[0]])) channel[0]++;
    channel[1] = net->twin[channel[0]];
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t from = channel[i % 2], to = channel[1 - i % 2];
        assert_true(cw_lane_order_take(&order, from, to));
        assert_true(order.label[from] < order.label[to]);
        assert_false(cw_lane_order_take(&order, to, from));
        cw_lane_order_drop(&order, from, to);
        cw_lane_order_forgive(&order);
    }
    for (uint32_t c = order.next[net->n_channels]; order.next[c] != net->n_channels; c = order.next[c])
        assert_true(order.label[c] < order.label[order.next[c]]);
    cw_lane_order_free(&order);
    cw_network_free(net);
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* Routes of NET on LANES lanes: all arrive, none wait in a circle, and all to one destination share a lane. */
static struct cw_reach check_lanes(const struct cw_network *net, unsigned lanes)
{
    char spec[32];
    snprintf(spec, sizeof spec, "nue-even:lanes=%u", lanes);
    struct cw_routes *routes = routes_of(net, spec);
    struct cw_deadlock deadlock;
    struct cw_reach reach;
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_true(deadlock.acyclic);
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.loops, 0);
    assert_true(cw_routes_lanes(routes) <= lanes);
    struct all_routes all = all_routes_of(routes);
    for (size_t i = 0; i < all.n; i++) {
        const size_t other = (i + net->n_endpoints) % all.n; /* from the next source to the same destination */
        if (all.hops[i] > 0 && all.hops[other] > 0)
            assert_int_equal(all.lanes[i * all.stride], all.lanes[other * all.stride]);
    }
    free_all_routes(&all);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    return reach;
}

static void any_number_of_lanes(void **state)
{
    (void)state;
    static const char *const networks[] = {"torus:5x5",      "dragonfly:2,4,2", "jellyfish:20,4,3", "hypercube:4",
                                           "xgft:2:3,3:2,3", "mesh:4x3",        "crossbar:5"};
    static const unsigned lanes[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct cw_network *net = network_of(networks[i]);
        double before = 1e9;
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
            struct cw_reach reach = check_lanes(net, lanes[k]);
            assert_int_equal(reach.reached, reach.pairs);
            assert_true(reach.hops_mean <= before); /* more lanes, fewer detours */
            before = reach.hops_mean;
            cw_reach_free(&reach);
        }
        cw_network_free(net);
    }
}

/* OpenSM's nue on one lane (test_nue.c) is never better. */
static void as_good_as_opensm(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        double max, hops;
    } cases[] = {{"torus:4x4", 20, 4.1833},        {"torus:5x5", 40, 4.6950},        {"torus:4x4x4", 390, 5.8031},
                 {"torus:8x8", 192, 6.5813},       {"mesh:5x5", 68, 5.4067},         {"hypercube:5", 32, 4.5927},
                 {"dragonfly:2,4,2", 276, 4.6076}, {"jellyfish:20,4,3", 261, 4.2729}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        struct cw_reach reach = check_lanes(net, 1);
        assert_true(reach.load_max <= cases[i].max);
        assert_true(reach.hops_mean <= cases[i].hops + 5e-5);
        cw_reach_free(&reach);
        cw_network_free(net);
    }
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
    struct cw_routes *routes = routes_of(net, "nue-even");
    struct cw_deadlock deadlock;
    struct cw_reach reach;
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_true(deadlock.acyclic);
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, 24);
    assert_int_equal(reach.holes, 72 - 24);
    cw_reach_free(&reach);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* N switches in a ring, one of them with a second endpoint; without the last cable if it is OPEN. */
static struct cw_network *ring(uint32_t n, bool open)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(n + 1, n, 2 * n + 1);
    for (uint32_t i = 0; i <= n; i++) cw_builder_cable(builder, i, 0, n + 1 + i % n, i / n, 1, 0);
    for (uint32_t i = 0; i + open < n; i++) cw_builder_cable(builder, n + 1 + i, 2, n + 1 + (i + 1) % n, 3, 1, 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

/* Packets take it where, and only where, minhop would have them wait in a circle. */
static void default_of_packets(void **state)
{
    (void)state;
    struct cw_network *nets[] = {ring(5, false), ring(5, true), network_of("torus:5")};
    static const char *const expected[] = {"nue-even:lanes=4", "minhop", "dor"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        const char *spec = NULL;
        struct cw_packet_routing *packets;
        must(cw_engine_default_of_packets(nets[i], 1, 1, &spec));
        assert_string_equal(spec, expected[i]);
        must(cw_packet_routing_new(nets[i], spec, 1, 1, &packets));
        must(cw_packet_routing_check(packets));
        cw_packet_routing_free(packets);
        cw_network_free(nets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_without_cycles),
                                       cmocka_unit_test(order_finds_room),
                                       cmocka_unit_test(any_number_of_lanes),
                                       cmocka_unit_test(as_good_as_opensm),
                                       cmocka_unit_test(parts),
                                       cmocka_unit_test(default_of_packets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
