/* Routes as packet routings: packets take the routes' channels and lanes. */
#include "net/network_internal.h"
#include "packet_test.h"

#include "route/engine.h"

static void follow_all(const struct cw_packet_routing *routing, const struct cw_routes *routes)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    uint32_t *channels = zeros(cw_routes_max_hops(routes), sizeof *channels), hops;
    uint8_t *lanes = zeros(cw_routes_max_hops(routes), sizeof *lanes);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            if (src == dst) continue;
            must(cw_routes_paths(routes, 1, &src, &dst, &hops, channels, lanes));
            const struct trip trip = send_packet(routing, NULL, &random, src, dst);
            assert_int_equal(trip.hops + 2, hops);
            for (uint32_t h = 0; h <= trip.hops; h++) {
                assert_int_equal(trip.hop[h].channel, channels[h + 1]);
                assert_int_equal(trip.hop[h].lane, h < trip.hops ? lanes[h + 1] : 0);
            }
        }
    free(channels);
    free(lanes);
}

static void engines(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"torus:5x4", "dor"},
                                           {"torus:5x4", "dor:lanes=1"},
                                           {"torus:4x4", "dor:order=1x0,tie=balanced"},
                                           {"xgft:3:4,2,3:1,2,3", "dmodk"},
                                           {"xgft:3:4,2,3:1,2,3", "smodk"},
                                           {"dragonfly:2,3,2", "minhop"},
                                           {"crossbar:6", "random-minimal"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i][0]);
        struct cw_packet_routing *routing = packet_routing_of(net, cases[i][1]);
        struct cw_routes *routes = NULL;
        must(cw_engine_route(net, cases[i][1], 7, 1, &routes));
        assert_string_equal(cw_packet_routing_name(routing), cw_routes_name(routes));
        follow_all(routing, routes);
        cw_routes_free(routes);
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

/* Lanes of routes into endpoints do not count: such channels have one. */
static void lanes_into_endpoints(void **state)
{
    (void)state;
    struct cw_network *net = network_of("dragonfly:2,3,2");
    struct cw_packet_routing *routing = NULL;
    struct cw_routes *routes[2] = {NULL};
    for (int i = 0; i < 2; i++) must(cw_engine_route(net, "minimal", 0, 1, &routes[i]));
    must(cw_packet_routing_of_routes(routes[0], &routing));
    follow_all(routing, routes[1]);
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    cw_routes_free(routes[1]);
    cw_network_free(net);
}

/* Paths between all endpoints that no table could hold: they depend on the source. */
static void explicit_paths(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,4");
    struct cw_packet_routing *routing = NULL;
    struct cw_routes *smodk = NULL, *twice[2] = {NULL};
    uint32_t channels[8], hops;
    must(cw_engine_route(net, "smodk", 0, 1, &smodk));
    for (int i = 0; i < 2; i++) {
        struct cw_paths *paths = NULL;
        must(cw_paths_new(net, &paths));
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
                if (src == dst) continue;
                must(cw_routes_paths(smodk, 1, &src, &dst, &hops, channels, NULL));
                must(cw_paths_add(paths, src, dst, 1, channels, hops));
            }
        must(cw_paths_finish(paths, "mine", 0, &twice[i]));
    }
    must(cw_packet_routing_of_routes(twice[0], &routing));
    assert_string_equal(cw_packet_routing_name(routing), "mine");
    follow_all(routing, twice[1]);
    follow_all(routing, smodk);
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    cw_routes_free(twice[1]);
    cw_routes_free(smodk);
    cw_network_free(net);
}

/* A caller that does not know the source gets the route of one endpoint of its switch. */
static void unknown_source(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    struct cw_packet_routing *routing = packet_routing_of(net, "dor");
    for (uint32_t via = 0; via < 3; via++) {
        struct cw_packet packet = cw_packet_of(via == 2 ? CW_VIA_NONE : via, 3);
        packet = cw_packet_inject(cw_packet_routing_operations(routing), cw_packet_routing_state(routing),
                                  switch_of(net, 5), NULL, 0, packet);
        assert_int_equal(packet.via, 5);
    }
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* Holes are found when asked for; pairs that have no path do not matter to the check. */
static void holes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("mesh:3");
    struct cw_packet_routing *routing = NULL;
    struct cw_paths *paths = NULL;
    struct cw_routes *dor = NULL, *routes[2] = {NULL};
    uint32_t src = 0, dst = 2, channels[8], hops;
    must(cw_engine_route(net, "dor", 0, 1, &dor));
    must(cw_routes_paths(dor, 1, &src, &dst, &hops, channels, NULL));
    must(cw_paths_new(net, &paths));
    must(cw_paths_add(paths, src, dst, 1, channels, hops));
    must(cw_paths_finish(paths, "one", 0, &routes[0]));
    routes[1] = random_tables(net, 1, 0, 1000);
    for (int i = 0; i < 2; i++) {
        must(cw_packet_routing_of_routes(routes[i], &routing));
        must(cw_packet_routing_check(routing));
        const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
        struct cw_packet packet = inject(routing, NULL, 0, 1, 0);
        struct cw_hop hop;
        assert_int_equal(ops->next(cw_packet_routing_state(routing), 4, CW_NONE, 0, NULL, 0, &packet, &hop, 1),
                         CW_EROUTE);
        assert_non_null(strstr(cw_error_message(), "has no route to"));
        cw_packet_routing_free(routing);
    }
    cw_routes_free(dor);
    cw_network_free(net);
}

static void too_many_hops(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:520");
    struct cw_packet_routing *routing = NULL;
    assert_int_equal(cw_packet_routing_new(net, "dor", 0, 1, &routing), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "hops"));
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines),        cmocka_unit_test(lanes_into_endpoints),
                                       cmocka_unit_test(explicit_paths), cmocka_unit_test(unknown_source),
                                       cmocka_unit_test(holes),          cmocka_unit_test(too_many_hops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
