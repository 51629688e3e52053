/* Every registered packet routing, and engines as packet routings, on networks of all kinds: packets arrive, on the
 * lanes they may use, and wait only for what the routing says they may wait for, which has no cycle. */
#include "../engine_example.h"
#include "net/network_internal.h"
#include "packet_test.h"

#include "route/engine.h"
#include "route/packets/ways.h"

#include "base/text.h"
#include "route/dependency_graph.h"

#define DRAWS 2 /* packets between each two endpoints */

static const char *const networks[] = {"dragonfly:1,3,2",
                                       "dragonfly:1,4,2",
                                       "dragonfly:1,2,1",
                                       "dragonfly:2,4,2,g=4",
                                       "dragonfly:1,6,3,g=5",
                                       "dragonfly:2,4,2,g=3",
                                       "dragonfly:2,1,4",
                                       "dragonfly:1,4,1,g=2",
                                       "dragonfly:2,4,2,g=1",
                                       "xgft:2:4,4:1,4",
                                       "xgft:3:4,2,3:1,2,3",
                                       "xgft:3:4,2,3:1,2,2:1,2,3",
                                       "xgft:2:4,6:1,4:1,1",
                                       "xgft:2:3,4:1,4:1,6",
                                       "xgft:2:6,4:1,4:radix=12",
                                       "xgft:1:8:1",
                                       "hyperx:3x4,1,k=2x1",
                                       "hyperx:4,2",
                                       "hyperx:2x3x2,1",
                                       "slimfly:3,1",
                                       "slimfly:4,1",
                                       "slimfly:5,1",
                                       "jellyfish:12,3,1",
                                       "jellyfish:10,4,1,seed=2",
                                       "megafly:1,2,2,2",
                                       "megafly:2,1,3,1",
                                       "megafly:2,3,2,2,g=3",
                                       "rail:4,2,3",
                                       "rail:4,4,2,pods=2,spines=2",
                                       "rail:6,3,2,pods=3,spines=1",
                                       "torus:3x3",
                                       NULL};

#define NO_GROUP "sends packets through an intermediate group; a network of 2 groups has none"

/* Those that send packets through intermediate groups need three; they say so where there are two. */
static bool needs_group(const struct cw_engine *kind)
{
    struct cw_network *two = network_of("dragonfly:1,4,1,g=2");
    struct cw_packet_routing *routing = NULL;
    const int rc = cw_packet_routing_new(two, kind->name, 0, 1, &routing);
    const bool refused = rc == CW_EUSAGE && strstr(cw_error_message(), NO_GROUP);
    cw_packet_routing_free(routing);
    cw_network_free(two);
    return refused;
}

static bool accepts(const struct cw_engine *kind, const struct cw_network *net)
{
    if (!kind->packets || !cw_engine_accepts(kind, net, NULL)) return false;
    return net->shape.kind != &cw_shape_dragonfly || net->shape.dragonfly.g >= 3 || !needs_group(kind);
}

static int add_edge(void *context, struct cw_hop from, struct cw_hop to)
{
    struct cw_dependencies *graph = context;
    assert_true(from.lane < graph->lanes && to.lane < graph->lanes);
    assert_int_equal(graph->net->head[from.channel], graph->net->tail[to.channel]);
    assert_true(graph->net->tail[from.channel] >= graph->net->n_endpoints);
    assert_true(graph->net->head[to.channel] >= graph->net->n_endpoints);
    cw_dependencies_add(graph, from.channel, from.lane, to.channel, to.lane);
    return 0;
}

static bool has_edge(const struct cw_dependencies *graph, struct cw_hop from, struct cw_hop to)
{
    const uint32_t port = to.channel - graph->net->first[graph->net->tail[to.channel]];
    const uint32_t bit = port * graph->lanes + to.lane;
    const uint64_t word = graph->words[graph->row[(size_t)from.channel * graph->lanes + from.lane] + bit / 64];
    return word >> bit % 64 & 1;
}

static struct cw_dependencies dependencies_of(const struct cw_packet_routing *routing)
{
    struct cw_dependencies graph;
    must(cw_dependencies_new(cw_packet_routing_network(routing), 8, &graph));
    must(cw_packet_routing_operations(routing)->dependencies(cw_packet_routing_state(routing), add_edge, &graph));
    return graph;
}

/* Every two hops that follow one another are among the dependencies. */
static void check_transitions(const struct cw_dependencies *graph, const struct trip *trip)
{
    for (uint32_t i = 0; i + 1 < trip->hops; i++) assert_true(has_edge(graph, trip->hop[i], trip->hop[i + 1]));
}

static uint64_t send_all(const struct cw_packet_routing *routing, const struct cw_dependencies *graph,
                         struct cw_dependencies *seen, unsigned draws)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, 0);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            for (unsigned i = 0; i < draws && src != dst; i++) {
                const struct queues queues = {.salt = cw_random_u64(&random)};
                const struct cw_queue_view view = view_of(&queues);
                const struct trip trip = send_packet(routing, &view, &random, src, dst);
                check_transitions(graph, &trip);
                for (uint32_t h = 0; h + 1 < trip.hops; h++) add_edge(seen, trip.hop[h], trip.hop[h + 1]);
            }
    return cw_dependencies_count(seen);
}

static void check_lanes(const struct cw_packet_routing *routing)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool host = net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints;
        assert_in_range(cw_packet_routing_lanes(routing, c), 1, host ? 1 : 8);
    }
}

/* The share of the stated dependencies that packets were seen to have. */
static double check_routing(const struct cw_packet_routing *routing, unsigned draws)
{
    struct cw_dependencies graph = dependencies_of(routing), seen;
    must(cw_dependencies_new(graph.net, 8, &seen));
    check_lanes(routing);
    const uint64_t n = send_all(routing, &graph, &seen, draws), all = cw_dependencies_count(&graph);
    must(cw_packet_routing_check(routing));
    cw_dependencies_free(&graph);
    cw_dependencies_free(&seen);
    return all > 0 ? (double)n / (double)all : 1;
}

/* What chooses by queues says so, and nothing else: then there are no choices to enumerate. */
static void check_choices(const struct cw_engine *engine, const struct cw_packet_routing *routing)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    const uint32_t dst = net->n_endpoints - 1, sw = net->head[net->first[0]];
    if (sw != net->head[net->first[dst]]) assert_int_equal(cw_ways_choices(routing, sw, dst) == 0, engine->by_queues);
}

static void all_routings(void **state)
{
    (void)state;
    unsigned routed[64] = {0};
    for (size_t i = 0; networks[i]; i++) {
        struct cw_network *net = network_of(networks[i]);
        for (size_t k = 0; cw_engines[k]; k++) {
            if (!accepts(cw_engines[k], net)) continue;
            struct cw_packet_routing *routing = packet_routing_of(net, example_of_engine(cw_engines[k]));
            assert_string_equal(cw_packet_routing_name(routing), cw_engines[k]->name);
            check_routing(routing, net->n_endpoints > 40 ? 1 : DRAWS);
            check_choices(cw_engines[k], routing);
            routed[k]++;
            cw_packet_routing_free(routing);
        }
        cw_network_free(net);
    }
    for (size_t k = 0; cw_engines[k]; k++) assert_true(!cw_engines[k]->packets || routed[k] > 0);
}

/* Wherever the global cables are, and however many join two groups. */
static void any_wiring(void **state)
{
    (void)state;
    static const struct cw_dragonfly shapes[] = {{1, 4, 2, 9}, {2, 3, 2, 4}, {1, 4, 3, 5}, {2, 2, 3, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct cw_network *net = any_dragonfly(shapes[i], i);
        for (size_t k = 0; cw_engines[k]; k++) {
            if (!accepts(cw_engines[k], net)) continue;
            struct cw_packet_routing *routing = packet_routing_of(net, example_of_engine(cw_engines[k]));
            check_routing(routing, 2);
            cw_packet_routing_free(routing);
        }
        cw_network_free(net);
    }
}

static void engines(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"torus:4x4", "dor:lanes=2"}, {"torus:5x3x2", "dor"},
                                           {"mesh:3x4", "dor"},          {"hypercube:4", "dor"},
                                           {"crossbar:8", "minhop"},     {"xgft:3:4,2,3:1,2,3", "dmodk"},
                                           {"xgft:2:4,4:1,4", "smodk"},  {"mesh:4x4", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i][0]);
        struct cw_packet_routing *routing = packet_routing_of(net, cases[i][1]);
        assert_float_equal(check_routing(routing, 1), 1, 1e-12); /* exactly the dependencies that occur */
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

/* The dependencies are a superset, but not of much more than what occurs: nearly all of them are seen. */
static void dependencies_are_tight(void **state)
{
    (void)state;
    static const struct {
        const char *network, *routing;
        double least;
    } cases[] = {{"dragonfly:1,3,2", "minimal", 1},
                 {"dragonfly:1,2,1", "minimal", 1},
                 {"xgft:2:4,4:1,4", "adaptive-up", 1},
                 {"xgft:3:4,2,3:1,2,3", "adaptive-up", 1},
                 {"dragonfly:1,3,2", "valiant-restricted", 0.9},
                 {"dragonfly:1,3,2", "valiant-any", 0.9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        struct cw_packet_routing *routing = packet_routing_of(net, cases[i].routing);
        const double share = check_routing(routing, 25);
        if (share < cases[i].least) fail_msg("%s on %s: %g", cases[i].routing, cases[i].network, share);
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

static void larger_ones_are_proven(void **state)
{
    (void)state;
    static const char *const dragonflies[] = {"dragonfly:4,8,4", "dragonfly:3,6,3", "dragonfly:4,8,4,g=9"};
    for (size_t i = 0; i < sizeof dragonflies / sizeof *dragonflies; i++) {
        struct cw_network *net = network_of(dragonflies[i]);
        for (size_t k = 0; cw_engines[k]; k++) {
            if (!accepts(cw_engines[k], net)) continue;
            struct cw_packet_routing *routing = packet_routing_of(net, example_of_engine(cw_engines[k]));
            must(cw_packet_routing_check(routing));
            cw_packet_routing_free(routing);
        }
        cw_network_free(net);
    }
}

static void assert_refused(const struct cw_network *net, const char *spec, const char *message)
{
    struct cw_packet_routing *routing = NULL;
    assert_int_equal(cw_packet_routing_new(net, spec, 0, 1, &routing), CW_EUSAGE);
    assert_null(routing);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
}

static void refusals(void **state)
{
    (void)state;
    static const char *const through_groups[] = {"valiant-restricted", "valiant-any", "ugal-l", "ugal-g", "par",
                                                 "ugal-mix",           NULL};
    struct cw_network *torus = network_of("torus:4x4"), *two = network_of("dragonfly:1,4,1,g=2");
    struct cw_network *wide = network_of("xgft:2:4,4:2,2");
    assert_refused(torus, "valiant-all", "did you mean 'valiant-any'?");
    assert_refused(torus, "dorr", "did you mean 'dor'?");
    assert_refused(torus, "telepathy", "valiant-restricted");
    assert_refused(torus, "ugal-l", "ugal-l cannot route torus:4x4; it needs a dragonfly");
    assert_refused(torus, "minimal", "minimal cannot route torus:4x4; it needs a dragonfly");
    assert_refused(torus, "dor:lanes=3", "lanes");
    assert_refused(two, "ugal-l:thresold=3", "threshold");
    assert_refused(two, "valiant-any:3", "valiant-any");
    for (size_t i = 0; through_groups[i]; i++) assert_refused(two, through_groups[i], NO_GROUP);
    assert_refused(wide, "dmodk", "h0 has 2 cables");
    assert_refused(wide, "adaptive-up", "h0 has 2 cables");
    cw_network_free(torus);
    cw_network_free(two);
    cw_network_free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_routings),
                                       cmocka_unit_test(any_wiring),
                                       cmocka_unit_test(engines),
                                       cmocka_unit_test(dependencies_are_tight),
                                       cmocka_unit_test(larger_ones_are_proven),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
