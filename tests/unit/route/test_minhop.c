/* Minimum-hop tables against the rule carried out one destination after another. */
#include <stdio.h>

#include "minimal_test.h"
#include "net/network_internal.h"

static const char *const specs[] = {"xgft:3:4,4,2:1,4,4", "xgft:2:4,3:2,2", "torus:4x3", "dragonfly:2,4,2,g=5",
                                    "crossbar:5"};

/* An endpoint with what its place in the order depends on. */
struct place {
    uint32_t endpoints, first_switch, several, port, endpoint;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->endpoints != q->endpoints) return p->endpoints > q->endpoints ? -1 : 1;
    if (p->first_switch != q->first_switch) return p->first_switch < q->first_switch ? -1 : 1;
    if (p->several != q->several) return p->several < q->several ? -1 : 1;
    return (p->port > q->port) - (p->port < q->port);
}

/* Destinations: those at the fullest switch first, then by switch; there those with one cable first, then by port. */
static void order_of(const struct cw_network *net, struct place *places)
{
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t v = net->head[net->first[e]];
        places[e] = (struct place){.first_switch = v, .several = cw_network_degree(net, e) > 1, .endpoint = e};
        places[e].port = net->twin[net->first[e]];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            places[e].endpoints += net->head[c] < net->n_endpoints;
    }
    qsort(places, net->n_endpoints, sizeof *places, compare_places);
}

static void check_tables(const struct cw_network *net)
{
    struct cw_routes *routes = routes_of(net, "minhop");
    struct place *places = zeros(net->n_endpoints, sizeof *places);
    uint32_t *assigned = zeros(net->n_channels, sizeof *assigned), *ways = zeros(net->n_channels, sizeof *ways);
    order_of(net, places);
    for (uint32_t i = 0; i < net->n_endpoints; i++) {
        const uint32_t dst = places[i].endpoint;
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t v = 0; v < net->n_vertices; v++) {
            const uint32_t n = v == dst ? 0 : shortest_ways(net, v, distance, ways);
            if (v < net->n_endpoints && cw_network_degree(net, v) == 1) continue;
            uint32_t best = CW_NONE;
            for (uint32_t w = 0; w < n; w++)
                if (best == CW_NONE || assigned[ways[w]] < assigned[best]) best = ways[w];
            assert_int_equal(cw_routes_table_port(routes, v, dst), n == 0 ? CW_NO_PORT : best - net->first[v]);
            if (n > 0) assigned[best]++;
        }
        free(distance);
    }
    free(places);
    free(assigned);
    free(ways);
    cw_routes_free(routes);
}

static void tables_follow_the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        check_tables(net);
        cw_network_free(net);
    }
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct cw_network *net = random_network(seed);
        check_tables(net);
        cw_network_free(net);
    }
}

/* In a fat tree all up ports of a switch are equal, and get the same number of destinations to within one. */
static void up_ports_are_balanced(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:3:5,4,3:1,3,4:1,1,2");
    struct cw_routes *routes = routes_of(net, "minhop");
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t count[32] = {0}, least = UINT32_MAX, most = 0, ups = 0;
        for (uint32_t d = 0; d < net->n_endpoints; d++) count[cw_routes_table_port(routes, v, d)]++;
        for (uint32_t p = 0; p < cw_network_degree(net, v); p++) {
            if (net->head[net->first[v] + p] < v) continue; /* levels follow one another */
            if (count[p] < least) least = count[p];
            if (count[p] > most) most = count[p];
            ups++;
        }
        if (ups > 0) assert_true(most - least <= 1);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* More destinations than are held at a time, on one thread and several. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:13x11");
    struct cw_routes *one = NULL, *four = NULL;
    must(cw_engine_route(net, "minhop", 0, 1, &one));
    must(cw_engine_route(net, "minhop", 1, 4, &four));
    assert_int_equal(cw_routes_max_hops(one), 6 + 5 + 2);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            assert_int_equal(cw_routes_table_port(one, v, d), cw_routes_table_port(four, v, d));
    cw_routes_free(one);
    cw_routes_free(four);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_follow_the_rule),
                                       cmocka_unit_test(up_ports_are_balanced),
                                       cmocka_unit_test(threads_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
