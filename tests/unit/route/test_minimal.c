/* Minimal routes of dragonflies. */
#include "net/network_internal.h"
#include "route_test.h"

static uint32_t group_of(const struct cw_network *net, uint32_t v)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return (v - net->n_endpoints) / shape->a;
}

static bool is_global(const struct cw_network *net, uint32_t channel)
{
    const uint32_t tail = net->tail[channel], head = net->head[channel], n = net->n_endpoints;
    return tail >= n && head >= n && group_of(net, tail) != group_of(net, head);
}

/* Length of the shortest route with at most one global hop, by looking at every global channel. */
static uint32_t best_length(const struct cw_network *net, uint32_t src, uint32_t dst)
{
    const uint32_t from = net->head[net->first[src]], to = net->head[net->first[dst]];
    if (src == dst) return 0;
    if (group_of(net, from) == group_of(net, to)) return 2u + (from != to);
    uint32_t best = UINT32_MAX;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!is_global(net, c) || group_of(net, net->tail[c]) != group_of(net, from) ||
            group_of(net, net->head[c]) != group_of(net, to))
            continue;
        const uint32_t length = 3u + (net->tail[c] != from) + (net->head[c] != to);
        if (length < best) best = length;
    }
    return best;
}

/* The global channel of the rule from switch V: of those that make the route shortest with V's own first, number d mod
 * n, by looking at every channel of the network. */
static uint32_t best_channel(const struct cw_network *net, uint32_t v, uint32_t dst)
{
    const uint32_t to = net->head[net->first[dst]];
    uint32_t found[4][64], n[4] = {0}; /* own that end there, own, others that end there, others */
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!is_global(net, c) || group_of(net, net->tail[c]) != group_of(net, v) ||
            group_of(net, net->head[c]) != group_of(net, to))
            continue;
        const int kind = net->tail[c] == v ? net->head[c] != to : 2 + (net->head[c] != to);
        found[kind][n[kind]++] = c;
    }
    int best = 0;
    while (n[best] == 0) best++;
    return found[best][dst % n[best]];
}

/* Each global channel on a route is the rule's at the switch it leaves, and the switch before went there by it. */
static void the_rule_among_equal_channels(void **state)
{
    (void)state;
    static const char *const specs[] = {"dragonfly:2,4,2,g=5", "dragonfly:3,4,2,g=2", "dragonfly:1,3,4,g=3",
                                        "dragonfly:2,6,1,g=3", "dragonfly:3,4,3,g=4,arrangement=random,seed=7"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_network *net = network_of(specs[s]);
        struct cw_routes *routes = routes_of(net, "minimal");
        struct all_routes all = all_routes_of(routes);
        for (size_t i = 0; i < all.n; i++) {
            const uint32_t *path = all.channels + i * all.stride, from = net->head[net->first[all.src[i]]];
            for (uint32_t h = 0; h < all.hops[i]; h++) {
                if (!is_global(net, path[h])) continue;
                assert_int_equal(path[h], best_channel(net, net->tail[path[h]], all.dst[i]));
                assert_int_equal(net->tail[path[h]], net->tail[best_channel(net, from, all.dst[i])]);
            }
        }
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void check_route(const struct cw_network *net, const uint32_t *path, const uint8_t *lanes, uint32_t hops,
                        uint32_t most_lanes)
{
    uint32_t globals = 0;
    for (uint32_t h = 0; h < hops; h++) {
        assert_int_equal(lanes[h], globals);
        globals += is_global(net, path[h]);
    }
    assert_true(globals < 2 && globals < most_lanes);
}

static void at_most_local_global_local(void **state)
{
    (void)state;
    static const char *const specs[] = {"dragonfly:2,4,2",
                                        "dragonfly:1,1,1",
                                        "dragonfly:1,1,3",
                                        "dragonfly:3,3,1",
                                        "dragonfly:2,4,2,g=1",
                                        "dragonfly:2,4,2,g=2",
                                        "dragonfly:2,4,2,g=5",
                                        "dragonfly:1,4,3,g=6",
                                        "dragonfly:1,3,4,g=3",
                                        "dragonfly:2,4,2,arrangement=relative",
                                        "dragonfly:2,4,2,arrangement=consecutive,shuffle=3",
                                        "dragonfly:2,4,2,arrangement=random,seed=7",
                                        "dragonfly:1,3,4,g=3,arrangement=random,shuffle=1"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_network *net = network_of(specs[s]);
        struct cw_routes *routes = routes_of(net, "minimal");
        struct all_routes all = all_routes_of(routes);
        uint32_t longest = 0;
        assert_int_equal(cw_routes_lanes(routes), net->shape.dragonfly.g > 1 ? 2 : 1);
        for (size_t i = 0; i < all.n; i++) {
            assert_int_equal(all.hops[i], best_length(net, all.src[i], all.dst[i]));
            check_route(net, all.channels + i * all.stride, all.lanes + i * all.stride, all.hops[i],
                        cw_routes_lanes(routes));
            if (all.hops[i] > longest) longest = all.hops[i];
        }
        assert_true(longest <= cw_routes_max_hops(routes));
        assert_true(depends_on_destination(routes, &all));
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* All-to-all with all groups: each global channel joins its groups alone and carries (a·p)² messages. */
static void loads_of_global_channels(void **state)
{
    (void)state;
    struct cw_network *net = network_of("dragonfly:2,4,2");
    struct cw_routes *routes = routes_of(net, "minimal");
    struct all_routes all = all_routes_of(routes);
    uint32_t *load = zeros(net->n_channels, sizeof *load), globals = 0;
    must(cw_routes_count(routes, all.n, all.src, all.dst, load));
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!is_global(net, c)) continue;
        globals++;
        assert_int_equal(load[c], 4 * 2 * 4 * 2);
    }
    assert_int_equal(globals, 9 * 4 * 2);
    free(load);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* With several channels between two groups all of them are used. */
static void parallel_channels_share(void **state)
{
    (void)state;
    struct cw_network *net = network_of("dragonfly:2,4,2,g=3");
    struct cw_routes *routes = routes_of(net, "minimal");
    struct all_routes all = all_routes_of(routes);
    uint32_t *load = zeros(net->n_channels, sizeof *load);
    must(cw_routes_count(routes, all.n, all.src, all.dst, load));
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (is_global(net, c)) assert_true(load[c] > 0);
    free(load);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_most_local_global_local), cmocka_unit_test(the_rule_among_equal_channels),
        cmocka_unit_test(loads_of_global_channels), cmocka_unit_test(parallel_channels_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
