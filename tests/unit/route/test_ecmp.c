/* Equal-cost multi-path by flow: a flow has one shortest way, the flows of a pair have several, switches spread them by
 * their own hash or all by the same, and weights follow what gets to the destination. */
#include <math.h>
#include <stdlib.h>

#include "packet_test.h"
#include "route/packets/ways.h"

/* Adds to SUM[channels] the shares of all pairs of endpoints of different switches; how many pairs. */
static uint32_t sum_shares(const struct cw_packet_routing *routing, uint32_t flows, double *sum)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    struct cw_ways ways;
    uint32_t pairs = 0;
    must(cw_ways_init(&ways, net));
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++) {
            if (switch_of(net, src) == switch_of(net, dst)) continue;
            must(cw_ways_find(routing, src, dst, &ways));
            double hops = 0;
            for (size_t i = 0; i < ways.n; i++) {
                const uint32_t c = ways.channels[i];
                const double counted = ways.shares[i] * flows;
                assert_int_equal(distance[net->tail[c]], distance[net->head[c]] + 1);
                assert_float_equal(counted, round(counted), 1e-9);
                hops += ways.shares[i];
                sum[c] += ways.shares[i];
            }
            assert_float_equal(hops, distance[src], 1e-9);
            pairs++;
        }
        free(distance);
    }
    cw_ways_free(&ways);
    return pairs;
}

static void shares_are_counts_of_flows(void **state)
{
    (void)state;
    static const char *const networks[] = {"torus:4x4", "xgft:2:4,4:1,2:1,3", "jellyfish:12,3,2", "slimfly:5,1"};
    static const char *const specs[] = {"ecmp", "ecmp:flows=3", "ecmp:flows=3,weights", "ecmp:flows=7,hash=same"};
    static const uint32_t flows[] = {1, 3, 3, 7};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            struct cw_network *net = network_of(networks[i]);
            struct cw_packet_routing *routing = packet_routing_of(net, specs[k]);
            double *sum = zeros(net->n_channels, sizeof *sum);
            assert_true(sum_shares(routing, flows[k], sum) > 0);
            free(sum);
            cw_packet_routing_free(routing);
            cw_network_free(net);
        }
}

/* Where all pairs send, each of the 6 channels up of a switch has a sixth of its flows, but for chance (five
 * deviations, had each flow been drawn). */
static void ports_are_taken_alike(void **state)
{
    (void)state;
    static const char *const specs[] = {"ecmp:flows=8", "ecmp:flows=8,hash=same", "ecmp:flows=8,weights"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of("xgft:2:6,5:1,2:1,3");
        struct cw_packet_routing *routing = packet_routing_of(net, specs[i]);
        double *sum = zeros(net->n_channels, sizeof *sum);
        const double all = sum_shares(routing, 8, sum) / 5.0, slack = 5 * sqrt(all * (5.0 / 36) / 8);
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const bool up = net->tail[c] >= net->n_endpoints && net->head[c] > net->tail[c];
            if (up && fabs(sum[c] - all / 6) > slack)
                fail_msg("%s: channel %u has %g, expected %g", specs[i], c, sum[c], all / 6);
        }
        free(sum);
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

/* How many channels between switches of the second and third level of a tree carry something. */
static uint32_t channels_in_use(const char *spec)
{
    struct cw_network *net = network_of("xgft:3:4,4,4:1,4,4");
    struct cw_packet_routing *routing = packet_routing_of(net, spec);
    double *sum = zeros(net->n_channels, sizeof *sum);
    uint32_t n = 0;
    sum_shares(routing, 16, sum);
    for (uint32_t c = 0; c < net->n_channels; c++)
        n += net->tail[c] >= net->n_endpoints + 16 && net->head[c] >= net->n_endpoints + 32 && sum[c] > 0;
    free(sum);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return n;
}

/* Each of 16 switches has 4 channels up. If all hash alike, what comes by spine i of a leaf goes up by port i. */
static void polarisation(void **state)
{
    (void)state;
    assert_int_equal(channels_in_use("ecmp:flows=16"), 64);
    assert_int_equal(channels_in_use("ecmp:flows=16,hash=same"), 16);
}

/* Two leaves, three spines: the cables of the first have a speed of 3 and the others' of 1, but the third's to the
 * second leaf has .5: 3, 1 and .5 get through, both ways. */
static void weights(void **state)
{
    (void)state;
    enum { HOSTS = 40, FLOWS = 16 };
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(2 * HOSTS, 5, 2 * HOSTS + 6);
    static const double speed[2][3] = {{3, 1, 1}, {3, 1, 0.5}};
    for (uint32_t v = 0; v < 2 * HOSTS; v++) cw_builder_cable(builder, v, 1, 2 * HOSTS + v % 2, 4 + v / 2, 1, 0);
    for (uint32_t leaf = 0; leaf < 2; leaf++)
        for (uint32_t spine = 0; spine < 3; spine++)
            cw_builder_cable(builder, 2 * HOSTS + leaf, spine + 1, 2 * HOSTS + 2 + spine, leaf + 1, speed[leaf][spine],
                             0);
    must(cw_builder_finish(builder, &net));
    for (int weighted = 0; weighted < 2; weighted++) {
        struct cw_packet_routing *routing =
            packet_routing_of(net, weighted ? "ecmp:flows=16,weights" : "ecmp:flows=16");
        double *sum = zeros(net->n_channels, sizeof *sum);
        sum_shares(routing, FLOWS, sum);
        static const double parts[2][3] = {{1 / 3.0, 1 / 3.0, 1 / 3.0}, {3 / 4.5, 1 / 4.5, 0.5 / 4.5}};
        const double slack = 5 * sqrt(HOSTS * HOSTS / 4.0 / FLOWS);
        for (uint32_t leaf = 0; leaf < 2; leaf++)
            for (uint32_t spine = 0; spine < 3; spine++) {
                const double there = sum[net->first[2 * HOSTS + leaf] + spine];
                assert_true(fabs(there - HOSTS * HOSTS * parts[weighted][spine]) <= slack);
            }
        free(sum);
        cw_packet_routing_free(routing);
    }
    cw_network_free(net);
}

/* A packet's way is that of its flow: as many ways as flows at most, whatever is drawn further on; another seed has
 * other ways. */
static void flows_have_one_way(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,16");
    struct cw_packet_routing *routing = packet_routing_of(net, "ecmp:flows=2"), *other = NULL;
    struct cw_random random = cw_random_of(5, CW_STREAM_TEST, 0);
    uint32_t different = 0, changed = 0;
    must(cw_packet_routing_new(net, "ecmp:flows=2", 8, 1, &other));
    for (uint32_t src = 0; src < 4; src++)
        for (uint32_t dst = 4; dst < net->n_endpoints; dst++) {
            uint32_t first[2] = {CW_NONE, CW_NONE};
            for (uint32_t flow = 0; flow < 2; flow++)
                for (unsigned i = 0; i < 3; i++) {
                    struct cw_hop hop, elsewhere;
                    const uint64_t draw = cw_random_for_choice(flow, 2);
                    struct cw_packet packet = inject(routing, NULL, draw, src, dst);
                    struct cw_packet again = inject(other, NULL, draw, src, dst);
                    const uint32_t v = switch_of(net, src);
                    const struct cw_hop in = {CW_NONE, 0};
                    candidates(routing, v, in, NULL, cw_random_u64(&random), &packet, &hop, 1);
                    candidates(other, v, in, NULL, cw_random_u64(&random), &again, &elsewhere, 1);
                    assert_true(first[flow] == CW_NONE || first[flow] == hop.channel);
                    first[flow] = hop.channel;
                    changed += hop.channel != elsewhere.channel;
                }
            different += first[0] != first[1];
        }
    assert_in_range(different, 36, 48); /* of 48 pairs, each with 15/16 */
    assert_in_range(changed, 216, 288);
    cw_packet_routing_free(routing);
    cw_packet_routing_free(other);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_are_counts_of_flows),
                                       cmocka_unit_test(ports_are_taken_alike), cmocka_unit_test(polarisation),
                                       cmocka_unit_test(weights), cmocka_unit_test(flows_have_one_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
