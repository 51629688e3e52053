/* One name is one routing: congestion, which walks routes, flit-level simulation, which sends packets, and the model,
 * which enumerates them, put the same messages on every channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/link_load.h"
#include "route/engine.h"
#include "sim/congestion.h"
#include "study/flit_case.h"
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

/* The same by flits: every rank of MADE sends one message of one. */
static void check_flits(const struct cw_flit_case *made, const uint64_t *messages)
{
    const struct cw_flit_job job = {.kind = CW_FLIT_FINITE,
                                    .n_ranks = made->n_ranks,
                                    .endpoints = made->endpoints,
                                    .workload = made->workload,
                                    .load = 1,
                                    .message_flits = 1,
                                    .bytes = 64};
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
    const uint64_t *flits = cw_flit_channel_flits(simulation);
    for (uint32_t c = 0; c < made->net->n_channels; c++) assert_int_equal(flits[c], messages[c]);
    cw_flit_free(simulation);
}

static void check_model(const struct cw_flit_case *made, const uint64_t *messages)
{
    struct cw_link_load load;
    must(cw_link_load_compute(made->routing, made->workload, made->endpoints, 1, &load));
    for (uint32_t c = 0; c < made->net->n_channels; c++) assert_true(load.load[c] == (double)messages[c]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_messages_on_every_channel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
