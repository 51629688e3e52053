/* One name is one routing: congestion, which walks routes, flit-level simulation, which sends packets, and the model,
 * which enumerates them, put the same messages on every channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/link_load.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/packets/ways.h"
#include "sim/congestion.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

static void must(int error)
{
    if (error) fail_msg("%s", cw_error_message());
}

/* Messages on each channel of NET, each endpoint sending one by PATTERN. */
static struct cw_congestion_result congestion_of(const struct cw_network *net, const char *routing,
                                                 const char *pattern_spec)
{
    struct cw_routes *routes;
    struct cw_pattern *pattern;
    struct cw_placement *placement;
    struct cw_congestion_result result;
    must(cw_engine_route(net, routing, 1, 1, &routes));
    must(cw_pattern_new(pattern_spec, NULL, &pattern));
    must(cw_placement_new("contiguous", net, NULL, &placement));
    const struct cw_congestion_setup setup = {
        .routes = routes, .pattern = pattern, .placement = placement, .trials = 1, .seed = 1, .n_threads = 1};
    must(cw_congestion_run(&setup, &result));
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    cw_routes_free(routes);
    return result;
}

/* Flits on each channel, the caller's, when every rank of MADE has sent N messages of one. */
static uint64_t *flits_of(const struct cw_flit_case *made, uint64_t n)
{
    const struct cw_flit_job job = {.kind = CW_FLIT_FINITE,
                                    .n_ranks = made->n_ranks,
                                    .endpoints = made->endpoints,
                                    .workload = made->workload,
                                    .load = 1,
                                    .message_flits = 1,
                                    .bytes = 64 * n};
    const struct cw_flit_setup setup = {.routing = made->routing,
                                        .hardware = cw_flit_default_hardware(),
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .seed = 1,
                                        .n_threads = 1};
    struct cw_flit_simulation *simulation;
    struct cw_flit_window window;
    must(cw_flit_new(&setup, &simulation));
    must(cw_flit_run(simulation, 100000, &window));
    assert_true(window.finished);
    const size_t size = made->net->n_channels * sizeof(uint64_t);
    uint64_t *flits = malloc(size);
    assert_non_null(flits);
    memcpy(flits, cw_flit_channel_flits(simulation), size);
    cw_flit_free(simulation);
    return flits;
}

/* The same by flits: every rank of MADE sends one message of one. */
static void check_flits(const struct cw_flit_case *made, const double *messages)
{
    uint64_t *flits = flits_of(made, 1);
    for (uint32_t c = 0; c < made->net->n_channels; c++) assert_true((double)flits[c] == messages[c]);
    free(flits);
}

static void check_model(const struct cw_flit_case *made, const double *messages)
{
    struct cw_link_load load;
    must(cw_link_load_compute(made->routing, made->workload, made->endpoints, 1, &load));
    for (uint32_t c = 0; c < made->net->n_channels; c++) assert_true(fabs(load.load[c] - messages[c]) <= 1e-9);
    cw_link_load_free(&load);
}

static void the_same_messages_on_every_channel(void **state)
{
    (void)state;
    static const struct {
        const char *network, *routing;
    } cases[] = {{"dragonfly:2,4,2,g=5", "minimal"},
                 {"dragonfly:2,4,2", "minimal"},
                 {"dragonfly:3,4,3,g=4", "minimal"},
                 {"dragonfly:2,6,2,g=4,arrangement=random,seed=7", "minimal"},
                 {"dragonfly:2,4,2,g=2", "minimal"},
                 {"torus:4x4", "dor"},
                 {"bgq:512", "bgq"},
                 {"xgft:2:4,4:1,2", "smodk"},
                 {"xgft:2:4,4:1,2", "minhop"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net;
        struct cw_packet_routing *packets;
        must(cw_topology_build(cases[i].network, &net));
        must(cw_packet_routing_new(net, cases[i].routing, 1, 1, &packets));
        struct cw_congestion_result congestion = congestion_of(net, cases[i].routing, "bitcomp");
        struct cw_flit_case made = {.net = net,
                                    .routing = packets,
                                    .traffic_spec = "bitcomp",
                                    .placement_spec = "contiguous",
                                    .seed = 1,
                                    .n_threads = 1};
        must(cw_flit_case_make(&made));
        check_flits(&made, congestion.channel_messages);
        check_model(&made, congestion.channel_messages);
        cw_flit_case_free(&made);
        cw_congestion_free(&congestion);
        cw_packet_routing_free(packets);
        cw_network_free(net);
    }
}

/* Through an intermediate group, on dragonflies of full size: each group sends a·p messages to the opposite one, in
 * equal parts by the g - 2 others. So a global channel from group i to group j has a·p / (g - 2) messages of group i
 * unless j is where these go, and as many of those to group j unless they are i's; the middle group, which sends to
 * itself, has g - 1 to choose from. */
static void valiant_on_global_channels(void **state)
{
    (void)state;
    static const char *const routings[] = {"valiant-restricted", "valiant-any"};
    static const char *const networks[] = {"dragonfly:2,4,2", "dragonfly:1,3,1", "dragonfly:3,4,1", "dragonfly:4,8,4"};
    for (size_t k = 0; k < 8; k++) {
        struct cw_network *net;
        must(cw_topology_build(networks[k / 2], &net));
        const struct cw_dragonfly *shape = &net->shape.dragonfly;
        struct cw_congestion_result congestion = congestion_of(net, routings[k % 2], "bitcomp");
        const double all = shape->a * shape->p;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints) continue;
            const uint32_t i = (net->tail[c] - net->n_endpoints) / shape->a, last = shape->g - 1;
            const uint32_t j = (net->head[c] - net->n_endpoints) / shape->a;
            if (i == j) continue;
            double expected = 0;
            if (j != last - i) expected += all / (shape->g - (2 * i == last ? 1 : 2));
            if (i != last - j) expected += all / (shape->g - (2 * j == last ? 1 : 2));
            if (fabs(congestion.channel_messages[c] - expected) > 1e-6)
                fail_msg("%s on %s, %u to %u: %g, not %g", routings[k % 2], networks[k / 2], i, j,
                         congestion.channel_messages[c], expected);
        }
        cw_congestion_free(&congestion);
        cw_network_free(net);
    }
}

/* All that draw: what is expected, in congestion and in the model; and one message has a whole share of its own ends.
 */
static void drawn_ways(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"dragonfly:2,4,2,g=5", "valiant-any"},
                                           {"dragonfly:2,4,2", "valiant-restricted"},
                                           {"torus:3x3", "valiant"},
                                           {"slimfly:5,1", "spray"},
                                           {"megafly:2,2,2,2", "megafly-valiant"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net;
        struct cw_packet_routing *packets;
        must(cw_topology_build(cases[i][0], &net));
        must(cw_packet_routing_new(net, cases[i][1], 1, 1, &packets));
        struct cw_congestion_result congestion = congestion_of(net, cases[i][1], "shift:1");
        struct cw_ways ways;
        double *sum = calloc(net->n_channels, sizeof *sum);
        must(cw_ways_init(&ways, net));
        for (uint32_t e = 0; e < net->n_endpoints; e++) {
            must(cw_ways_find(packets, e, (e + 1) % net->n_endpoints, &ways));
            assert_true(ways.channels[0] == net->first[e] && ways.shares[0] == 1);
            for (size_t w = 0; w < ways.n; w++) sum[ways.channels[w]] += ways.shares[w];
        }
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const bool host = net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints;
            assert_true(!host || sum[c] == 1);
            assert_true(fabs(congestion.channel_messages[c] - sum[c]) < 1e-6);
            assert_true(fabs(congestion.channel_max[c] - sum[c]) < 1e-12);
        }
        free(sum);
        cw_ways_free(&ways);
        cw_congestion_free(&congestion);
        cw_packet_routing_free(packets);
        cw_network_free(net);
    }
}

/* Packets that switches draw for, many of them: on each channel what is expected, but for chance (five deviations). */
static void drawn_packets(void **state)
{
    (void)state;
    enum { MESSAGES = 400 };
    static const char *const cases[][2] = {{"xgft:2:4,4:1,2:1,3", "spray"},
                                           {"jellyfish:10,4,2,seed=1", "spray"},
                                           {"xgft:2:4,4:1,2:1,3", "ecmp:flows=1,hash=same"},
                                           {"jellyfish:10,4,2,seed=1", "ecmp:flows=3,weights"},
                                           {"jellyfish:10,4,2,seed=1", "valiant"},
                                           {"slimfly:5,1", "ugal-mix:minimal=0.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net;
        struct cw_packet_routing *packets;
        struct cw_ways ways;
        must(cw_topology_build(cases[i][0], &net));
        must(cw_packet_routing_new(net, cases[i][1], 1, 1, &packets));
        must(cw_ways_init(&ways, net));
        double *mean = calloc(net->n_channels, sizeof *mean), *variance = calloc(net->n_channels, sizeof *variance);
        for (uint32_t e = 0; e < net->n_endpoints; e++) {
            must(cw_ways_find(packets, e, net->n_endpoints - 1 - e, &ways)); /* bitcomp */
            for (size_t w = 0; w < ways.n; w++) {
                mean[ways.channels[w]] += MESSAGES * ways.shares[w];
                /* a detour may take a channel twice: then a packet counts for two, at most */
                variance[ways.channels[w]] += 2 * MESSAGES * ways.shares[w] * (ways.shares[w] < 1);
            }
        }
        struct cw_flit_case made = {.net = net,
                                    .routing = packets,
                                    .traffic_spec = "bitcomp",
                                    .placement_spec = "contiguous",
                                    .seed = 1,
                                    .n_threads = 1};
        must(cw_flit_case_make(&made));
        uint64_t *flits = flits_of(&made, MESSAGES);
        for (uint32_t c = 0; c < net->n_channels; c++)
            if (fabs((double)flits[c] - mean[c]) > 5 * sqrt(variance[c]))
                fail_msg("%s on %s: %llu flits on channel %u, expected %g", cases[i][1], cases[i][0],
                         (unsigned long long)flits[c], c, mean[c]);
        free(flits);
        free(mean);
        free(variance);
        cw_flit_case_free(&made);
        cw_ways_free(&ways);
        cw_packet_routing_free(packets);
        cw_network_free(net);
    }
}

/* What has no expected ways, or no single ones, says so. */
static void refusals(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_routes *routes = NULL;
    must(cw_topology_build("dragonfly:2,4,2", &net));
    assert_int_equal(cw_engine_route(net, "ugal-l", 1, 1, &routes), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "queues"));
    must(cw_engine_route(net, "valiant-any", 1, 1, &routes));
    uint32_t load[1], src = 0, dst = 9;
    struct cw_walk walk = {0};
    assert_int_equal(cw_routes_count(routes, 1, &src, &dst, load), CW_EUSAGE);
    assert_int_equal(cw_walk_begin(&walk, routes, src, dst), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "several ways"));
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_messages_on_every_channel),
                                       cmocka_unit_test(valiant_on_global_channels), cmocka_unit_test(drawn_ways),
                                       cmocka_unit_test(drawn_packets), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
