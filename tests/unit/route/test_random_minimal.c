/* Random shortest paths. */
#include <stdio.h>

#include "minimal_test.h"
#include "net/network_internal.h"

static struct cw_routes *routes_with(const struct cw_network *net, uint64_t seed, unsigned n_threads)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, "random-minimal", seed, n_threads, &routes));
    return routes;
}

/* Every entry is a shortest way, and missing only where there is none. */
static void entries_are_shortest_ways(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct cw_network *net = random_network(seed);
        struct cw_routes *routes = routes_with(net, seed, 1);
        uint32_t *ways = zeros(net->n_channels, sizeof *ways);
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t *distance = distances_to(net, dst);
            for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
                const uint32_t n = shortest_ways(net, v, distance, ways), port = cw_routes_table_port(routes, v, dst);
                bool found = n == 0 && port == CW_NO_PORT;
                for (uint32_t i = 0; i < n; i++) found = found || ways[i] - net->first[v] == port;
                assert_true(found);
            }
            free(distance);
        }
        free(ways);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static uint32_t differing_entries(const struct cw_routes *a, const struct cw_routes *b)
{
    const struct cw_network *net = cw_routes_network(a);
    uint32_t n = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            n += cw_routes_table_port(a, v, d) != cw_routes_table_port(b, v, d);
    return n;
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:3:4,4,4:1,4,4");
    struct cw_routes *one = routes_with(net, 5, 1), *same = routes_with(net, 5, 3), *other = routes_with(net, 6, 1);
    assert_int_equal(differing_entries(one, same), 0);
    assert_true(differing_entries(one, other) > 0);
    cw_routes_free(one);
    cw_routes_free(same);
    cw_routes_free(other);
    cw_network_free(net);
}

/* From the leaves of a fat tree every up port is as likely: the squared deviations of 4 ports' counts, divided by what
 * is expected, stay below 16.3 (χ², 3 degrees of freedom, p = 0.001). */
static void choices_are_even(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,32:1,4");
    struct cw_routes *routes = routes_with(net, 1, 1);
    uint32_t count[4] = {0}, n = 0;
    for (uint32_t leaf = 0; leaf < 32; leaf++)
        for (uint32_t d = 0; d < net->n_endpoints; d++) {
            const uint32_t port = cw_routes_table_port(routes, net->n_endpoints + leaf, d);
            if (d / 4 == leaf) continue;
            count[port - 4]++; /* up ports follow 4 down ports */
            n++;
        }
    double chi_squared = 0;
    for (int p = 0; p < 4; p++) chi_squared += (count[p] - n / 4.0) * (count[p] - n / 4.0) / (n / 4.0);
    assert_true(chi_squared < 16.3);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_shortest_ways),
                                       cmocka_unit_test(the_seed_alone_decides), cmocka_unit_test(choices_are_even)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
