/* Ways to switches: pieces of the routes to endpoints, and what is added where no route passes. */
#include "net/network_internal.h"
#include "route_test.h"

#include "route/engine.h"
#include "route/lft.h"
#include "route/switch_ways.h"

/* Every switch reaches every other by PORTS. The number of steps in all. */
static uint64_t walk_all(const struct cw_network *net, const uint8_t *ports)
{
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    uint64_t steps = 0;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            uint32_t at = from;
            for (uint32_t hops = 0; at != to; hops++, steps++) {
                const uint8_t port = ports[(size_t)at * n + to];
                if (port == 0 || hops > n) fail_msg("no way from switch %u to %u on %s", from, to, net->title);
                const uint32_t c = cw_network_channel_at(net, base + at, port);
                assert_true(c != CW_NONE && !cw_network_is_closed(net, c));
                assert_true(net->head[c] >= base);
                at = net->head[c] - base;
            }
        }
    return steps;
}

/* The first switch behind V on the route to DST, by its entry; CW_NONE: the endpoint itself, or none. */
static uint32_t next_switch(const struct cw_routes *routes, uint32_t v, uint32_t dst)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t port = cw_routes_table_port(routes, v, dst);
    const uint32_t head = port == CW_NO_PORT ? dst : net->head[net->first[v] + port];
    return cw_network_is_endpoint(net, head) ? CW_NONE : head;
}

/* The way to a neighbour that the first route over both takes is that route's. */
static void check_pieces(const struct cw_routes *routes, const uint8_t *ports)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    bool *seen = zeros((size_t)n * n, sizeof *seen);
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
        for (uint32_t v = base; v < net->n_vertices; v++) {
            const uint32_t port = cw_routes_table_port(routes, v, dst);
            for (uint32_t at = next_switch(routes, v, dst); at != CW_NONE; at = next_switch(routes, at, dst)) {
                const size_t way = (size_t)(v - base) * n + (at - base);
                if (!seen[way]) assert_int_equal(ports[way], cw_network_port(net, net->first[v] + port));
                seen[way] = true;
            }
        }
    free(seen);
}

static void check(const char *spec, const char *failed, const char *engine)
{
    struct cw_network *whole = network_of(spec), *net = damaged(whole, failed, 1);
    struct cw_routes *routes;
    uint8_t *ports;
    must(cw_engine_route(net, engine, 1, 1, &routes));
    must(cw_switch_ways(routes, &ports));
    assert_true(walk_all(net, ports) > 0);
    check_pieces(routes, ports);
    free(ports);
    cw_routes_free(routes);
    cw_network_free(net);
    cw_network_free(whole);
}

/* Also where routes use some of the spines only, or no route passes a switch. */
static void all_are_reached(void **state)
{
    (void)state;
    static const char *const engines[] = {"lash", "nue", "nue-even", "dfsssp", "min-max-load", "random-minimal"};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        check("xgft:2:3,4:1,4", NULL, engines[i]);
        check("xgft:3:2,3,2:1,2,2", "s1.0-s2.0", engines[i]);
        check("torus:4x3", "10%", engines[i]);
        check("dragonfly:2,4,2", NULL, engines[i]);
        check("jellyfish:12,4,2", "h0,h1", engines[i]);
    }
    check("xgft:2:3,4:1,4", "s2.0>s1.0", "random-minimal"); /* in one direction only */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
