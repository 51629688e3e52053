/* Routings of HyperX, Megafly, rail clusters, Slim Fly and Jellyfish: the ways that packets take, by their definition.
 */
#include "net/network_internal.h"
#include "packet_test.h"

#include <string.h>

#include "route_test.h"

static uint32_t coordinate(const struct cw_hyperx *shape, uint32_t index, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++) index /= shape->s[i];
    return index % shape->s[d];
}

/* The dimension that a channel between switches of a HyperX is in. */
static uint32_t dimension_of(const struct cw_network *net, uint32_t channel)
{
    const uint32_t a = net->tail[channel] - net->n_endpoints, b = net->head[channel] - net->n_endpoints;
    uint32_t d = 0;
    while (coordinate(&net->shape.hyperx, a, d) == coordinate(&net->shape.hyperx, b, d)) d++;
    return d;
}

/* One hop in each dimension that differs, in ascending order, by any of the parallel cables. */
static void hyperx_dor(void **state)
{
    (void)state;
    struct cw_network *net = network_of("hyperx:3x2x4,2,k=1x3x2");
    struct cw_routes *routes = routes_of(net, NULL);
    assert_string_equal(cw_routes_name(routes), "hyperx-dor");
    struct all_routes all = all_routes_of(routes);
    uint32_t *used = zeros(net->n_channels, sizeof *used);
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t h = 0; h < all.hops[i]; h++) {
            const uint32_t c = all.channels[i * all.stride + h];
            used[c]++;
            if (h > 1 && h + 1 < all.hops[i])
                assert_true(dimension_of(net, c) > dimension_of(net, all.channels[i * all.stride + h - 1]));
        }
    for (uint32_t c = 0; c < net->n_channels; c++) assert_true(used[c] > 0);
    free(used);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void check_detours(const struct cw_network *net, const struct trip *trip, uint32_t src, uint32_t dst)
{
    const struct cw_hyperx *shape = &net->shape.hyperx;
    const uint32_t last = dst / shape->t;
    uint32_t hops[CW_HYPERX_DIMENSIONS] = {0};
    for (uint32_t h = 0; h < trip->hops; h++) {
        assert_int_equal(trip->hop[h].lane, h);
        hops[dimension_of(net, trip->hop[h].channel)]++;
    }
    for (uint32_t d = 0; d < shape->n; d++) {
        const bool differs = coordinate(shape, src / shape->t, d) != coordinate(shape, last, d);
        assert_in_range(hops[d], differs ? 1 : 0, differs ? 2 : 0);
    }
}

/* In each dimension that differs one hop, or a detour and one; none where queues are empty. */
static void dal(void **state)
{
    (void)state;
    struct cw_network *net = network_of("hyperx:4x3x5,2");
    struct cw_packet_routing *routing = packet_routing_of(net, "dal");
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 0);
    uint32_t *none = zeros(net->n_channels, sizeof *none), longest = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t src = cw_random_below(&random, net->n_endpoints),
                       dst = cw_random_below(&random, net->n_endpoints);
        if (src == dst) continue;
        const struct queues queues = {.salt = cw_random_u64(&random), .flits = i % 2 ? none : NULL};
        const struct cw_queue_view view = view_of(&queues);
        const struct trip trip = send_packet(routing, &view, &random, src, dst);
        check_detours(net, &trip, src, dst);
        if (trip.hops > longest) longest = trip.hops;
    }
    assert_int_equal(longest, 6);
    free(none);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* What `next` names first from the switch of endpoint 0 to DST. */
static uint32_t first_choice(const struct cw_packet_routing *routing, const uint32_t *flits, uint32_t dst)
{
    const struct queues queues = {.flits = flits};
    const struct cw_queue_view view = view_of(&queues);
    struct cw_packet packet = inject(routing, &view, 5, 0, dst);
    struct cw_hop out;
    const struct cw_network *net = cw_packet_routing_network(routing);
    assert_int_equal(candidates(routing, switch_of(net, 0), (struct cw_hop){CW_NONE, 0}, &view, 5, &packet, &out, 1),
                     1);
    return net->head[out.channel] - net->n_endpoints;
}

/* A detour has two hops, so the direct cable must have more than twice as much waiting. */
static void dal_weighs_queues(void **state)
{
    (void)state;
    struct cw_network *net = network_of("hyperx:3,1");
    struct cw_packet_routing *routing = packet_routing_of(net, "dal");
    uint32_t *flits = zeros(net->n_channels, sizeof *flits);
    const uint32_t direct = cw_network_channel_at(net, 3, 3), detour = cw_network_channel_at(net, 3, 2);
    assert_int_equal(net->head[direct], 3 + 2);
    assert_int_equal(first_choice(routing, flits, 2), 2);
    flits[direct] = 9;
    flits[detour] = 4;
    assert_int_equal(first_choice(routing, flits, 2), 2);
    flits[direct] = 10;
    assert_int_equal(first_choice(routing, flits, 2), 1);
    free(flits);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* Exactly one group besides the source's and the destination's; up, across, perhaps down and up, across, down. */
static void megafly_valiant(void **state)
{
    (void)state;
    struct cw_network *net = network_of("megafly:1,3,2,2");
    const uint32_t n = net->n_endpoints, all = 5;
    struct cw_packet_routing *routing = packet_routing_of(net, "megafly-valiant");
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 1);
    uint32_t by_leaf = 0, directly = 0, visits[5] = {0};
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t src = cw_random_below(&random, n), dst = cw_random_below(&random, n);
        if (src == dst) continue;
        const struct trip trip = send_packet(routing, NULL, &random, src, dst);
        uint32_t globals = 0, between = CW_NONE;
        for (uint32_t h = 0; h < trip.hops; h++) {
            const uint32_t c = trip.hop[h].channel;
            if (!cw_network_is_global(net, c)) continue;
            if (globals++ == 0) between = (net->head[c] - n) / all;
        }
        assert_int_equal(globals, 2);
        assert_true(between != src / 3 && between != dst / 3);
        assert_true(trip.hops == 4 || trip.hops == 6);
        by_leaf += trip.hops == 6;
        directly += trip.hops == 4;
        visits[between]++;
    }
    assert_true(by_leaf > 100 && directly > 100);
    for (uint32_t group = 0; group < 5; group++) assert_in_range(visits[group], 4000 / 5 - 200, 4000 / 5 + 200);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* By the destination's rail, by spines between pods only; sprayed by each rail and each spine. */
static void rails(void **state)
{
    (void)state;
    struct cw_network *net = network_of("rail:4,4,2,pods=2,spines=3");
    const uint32_t n = net->n_endpoints, leaves = n + 4, spines = leaves + 4;
    struct cw_packet_routing *local = packet_routing_of(net, NULL), *spray = packet_routing_of(net, "rail-spray");
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 2);
    uint32_t ways[2][3] = {{0}};
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t src = cw_random_below(&random, n), dst = cw_random_below(&random, n);
        if (src / 4 == dst / 4) continue;
        struct trip trip = send_packet(local, NULL, &random, src, dst);
        assert_int_equal(trip.hops, src / 8 == dst / 8 ? 2 : 4);
        assert_int_equal((net->head[trip.hop[0].channel] - leaves) % 2, dst % 4 % 2);
        trip = send_packet(spray, NULL, &random, src, dst);
        assert_int_equal(trip.hops, 4);
        const uint32_t up = net->head[trip.hop[0].channel], spine = net->head[trip.hop[1].channel];
        assert_true(spine >= spines);
        assert_int_equal((net->tail[trip.hop[3].channel] - leaves) % 2, (up - leaves) % 2);
        ways[(up - leaves) % 2][spine - spines]++;
    }
    for (uint32_t rail = 0; rail < 2; rail++)
        for (uint32_t spine = 0; spine < 3; spine++) assert_in_range(ways[rail][spine], 250, 550); /* 400 of 2400 */
    cw_packet_routing_free(local);
    cw_packet_routing_free(spray);
    cw_network_free(net);
}

/* Sprayed packets take every shortest way about as often: between opposite corners of a 2x2 HyperX there are two. */
static void spray(void **state)
{
    (void)state;
    struct cw_network *net = network_of("hyperx:2x2,1");
    struct cw_packet_routing *routing = packet_routing_of(net, "spray");
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 3);
    uint32_t by[4] = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        const struct trip trip = send_packet(routing, NULL, &random, 0, 3);
        assert_int_equal(trip.hops, 2);
        by[net->head[trip.hop[0].channel] - 4]++;
    }
    assert_in_range(by[1], 700, 1300); /* 64 draws: a binomial of 32 ± 4 of them */
    assert_int_equal(by[1] + by[2], 2000);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* Valiant's packets pass by a switch that is uniformly drawn, by shortest ways, a lane further at each hop. */
static void valiant(void **state)
{
    (void)state;
    struct cw_network *net = network_of("slimfly:3,1");
    const uint32_t n = net->n_endpoints;
    struct cw_packet_routing *routing = packet_routing_of(net, "valiant");
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 4);
    uint32_t drawn[18] = {0};
    for (uint32_t i = 0; i < 6000; i++) {
        const uint32_t src = cw_random_below(&random, n), dst = cw_random_below(&random, n);
        if (src == dst) continue;
        const struct trip trip = send_packet(routing, NULL, &random, src, dst);
        bool passed = trip.injected.via == src;
        for (uint32_t h = 0; h < trip.hops; h++) {
            assert_int_equal(trip.hop[h].lane, h);
            passed = passed || net->head[trip.hop[h].channel] - n == trip.injected.via;
        }
        assert_true(passed && trip.hops <= 4);
        drawn[trip.injected.via]++;
    }
    for (uint32_t v = 0; v < 18; v++) assert_in_range(drawn[v], 230, 410); /* 315 ± 17 */
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

static void hop_lanes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("jellyfish:20,3,2");
    struct cw_routes *routes = routes_of(net, NULL);
    assert_string_equal(cw_routes_name(routes), "hop-lanes");
    struct all_routes all = all_routes_of(routes);
    uint32_t most = 0;
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t h = 0; h < all.hops[i]; h++) {
            const bool host = h == 0 || h + 1 == all.hops[i];
            assert_int_equal(all.lanes[i * all.stride + h], host ? 0 : h - 1);
            if (!host && h > most) most = h;
        }
    assert_int_equal(cw_routes_lanes(routes), most);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hyperx_dor),      cmocka_unit_test(dal),       cmocka_unit_test(dal_weighs_queues),
        cmocka_unit_test(megafly_valiant), cmocka_unit_test(rails),     cmocka_unit_test(spray),
        cmocka_unit_test(valiant),         cmocka_unit_test(hop_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
