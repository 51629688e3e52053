/* Adaptive routing of fat trees: shortest paths, and candidates in the order of their queues. */
#include "net/network_internal.h"
#include "packet_test.h"

static void paths_are_shortest(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,4:1,4", "xgft:3:4,2,3:1,2,3", "xgft:3:2,3,4:1,2,2:1,3,4",
                                        "xgft:1:5:1", "xgft:2:6,4:1,4:radix=12"};
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_packet_routing *routing = packet_routing_of(net, "adaptive-up");
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t *distance = distances_to(net, dst);
            for (uint32_t src = 0; src < net->n_endpoints; src++) {
                const struct queues queues = {.salt = cw_random_u64(&random)};
                const struct cw_queue_view view = view_of(&queues);
                if (src == dst) continue;
                const struct trip trip = send_packet(routing, &view, &random, src, dst);
                assert_int_equal(trip.hops + 2, distance[src]);
            }
            free(distance);
        }
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

/* All cables up are candidates, sorted; with fewer places, the best of them. */
static void candidates_are_sorted(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,6:1,4:1,2"); /* eight cables up */
    struct cw_packet_routing *routing = packet_routing_of(net, "adaptive-up");
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    const struct cw_hop start = {CW_NONE, 0};
    for (uint64_t k = 0; k < 200; k++) {
        const struct queues queues = {.salt = k};
        const struct cw_queue_view view = view_of(&queues);
        const uint64_t draw = cw_random_u64(&random);
        struct cw_packet packet = inject(routing, &view, 0, 0, 23);
        struct cw_hop all[CW_PACKET_CANDIDATES], some[3];
        assert_int_equal(candidates(routing, switch_of(net, 0), start, &view, draw, &packet, all, CW_PACKET_CANDIDATES),
                         8);
        for (int i = 1; i < 8; i++)
            assert_true(occupancy_of(&queues, all[i - 1].channel) <= occupancy_of(&queues, all[i].channel));
        assert_int_equal(candidates(routing, switch_of(net, 0), start, &view, draw, &packet, some, 3), 3);
        for (int i = 0; i < 3; i++) assert_int_equal(some[i].channel, all[i].channel);
    }
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* With equal queues every cable up is first for one of as many equally likely draws. */
static void ties_rotate(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,4");
    struct cw_packet_routing *routing = packet_routing_of(net, "adaptive-up");
    uint32_t *flits = zeros(net->n_channels, sizeof *flits), first[4] = {0};
    const struct queues queues = {.flits = flits};
    const struct cw_queue_view view = view_of(&queues);
    const uint32_t v = switch_of(net, 0);
    for (uint32_t k = 0; k < 4; k++) {
        struct cw_packet packet = inject(routing, &view, 0, 0, 15);
        struct cw_hop out[4];
        const uint64_t draw = cw_random_for_choice(k, 4);
        assert_int_equal(candidates(routing, v, (struct cw_hop){CW_NONE, 0}, &view, draw, &packet, out, 4), 4);
        first[out[0].channel - net->first[v] - 4]++;
    }
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(first[k], 1);
    free(flits);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_are_shortest), cmocka_unit_test(candidates_are_sorted),
                                       cmocka_unit_test(ties_rotate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
