/* Dimension-order routes against a walk of coordinates by port numbers. */
#include "net/network_internal.h"
#include "route_test.h"

#include <stdio.h>

#include "route/check.h"

enum tie { PLUS, MINUS, EVEN_ODD, BALANCED };
static const char *const tie_names[] = {"plus", "minus", "even-odd", "balanced"};

static void coordinates(const struct cw_torus *torus, uint32_t node, uint32_t *x)
{
    for (uint32_t d = 0; d < torus->n; d++) {
        x[d] = node % torus->k[d];
        node /= torus->k[d];
    }
}

/* +1 or -1: the way to go in dimension D from X to Y. */
static int direction(const struct cw_torus *torus, enum tie tie, uint32_t d, const uint32_t *x, const uint32_t *y)
{
    const int k = (int)torus->k[d], ahead = ((int)y[d] - (int)x[d] + k) % k, back = k - ahead;
    uint32_t sum = 0;
    if (!torus->wrap) return y[d] > x[d] ? 1 : -1;
    if (ahead != back) return ahead < back ? 1 : -1;
    for (uint32_t e = 0; e < torus->n; e++) sum += y[e];
    if (tie == PLUS) return 1;
    if (tie == MINUS) return -1;
    return (tie == EVEN_ODD ? x[d] : sum) % 2 == 0 ? 1 : -1;
}

/* The route by definition, one step after another; the result is its length. */
static uint32_t brute_force(const struct cw_network *net, enum tie tie, const uint32_t *order, uint32_t src,
                            uint32_t dst, uint32_t *path, uint8_t *lanes)
{
    const struct cw_torus *torus = &net->shape.torus;
    uint32_t x[CW_TORUS_DIMENSIONS], y[CW_TORUS_DIMENSIONS], hops = 0, v = net->n_endpoints + src;
    if (src == dst) return 0;
    coordinates(torus, src, x);
    coordinates(torus, dst, y);
    path[hops] = net->first[src];
    lanes[hops++] = 0;
    for (uint32_t i = 0; i < torus->n; i++) {
        const uint32_t d = order[i], k = torus->k[d];
        bool crossed = false;
        while (x[d] != y[d]) {
            const int step = direction(torus, tie, d, x, y);
            const bool one_cable = k == 2 && !torus->doubled;
            const uint32_t channel = cw_network_channel_at(net, v, (step > 0 || one_cable ? 2 : 3) + 2 * d);
            const uint32_t next = (uint32_t)((int)x[d] + step + (int)k) % k;
            crossed = crossed || (step > 0 ? next < x[d] : next > x[d]);
            path[hops] = channel;
            lanes[hops++] = crossed;
            x[d] = next;
            v = net->head[channel];
        }
    }
    path[hops] = cw_network_channel_at(net, v, 1);
    lanes[hops++] = 0;
    return hops;
}

static void check_network(const char *spec, const char *engine, enum tie tie, const uint32_t *order)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = routes_of(net, engine);
    struct all_routes all = all_routes_of(routes);
    uint32_t *path = zeros(all.stride, sizeof *path), longest = 0;
    uint8_t *lanes = zeros(all.stride, sizeof *lanes);
    for (size_t i = 0; i < all.n; i++) {
        const uint32_t hops = brute_force(net, tie, order, all.src[i], all.dst[i], path, lanes);
        assert_int_equal(all.hops[i], hops);
        for (uint32_t h = 0; h < hops; h++) {
            assert_int_equal(all.channels[i * all.stride + h], path[h]);
            assert_int_equal(all.lanes[i * all.stride + h], cw_routes_lanes(routes) > 1 ? lanes[h] : 0);
        }
        if (hops > longest) longest = hops;
    }
    assert_int_equal(cw_routes_max_hops(routes), longest);
    assert_true(depends_on_destination(routes, &all));
    assert_shortest(net, &all);
    free(path);
    free(lanes);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void routes_are_those_of_a_plain_walk(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "torus:4", "torus:7",  "torus:8x3",  "torus:4x6",   "torus:2x2,doubled",  "torus:3x2x4",
        "mesh:5",  "mesh:4x3", "mesh:2x3x4", "hypercube:5", "torus:2x4x2,doubled"};
    const uint32_t ascending[] = {0, 1, 2, 3, 4};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (enum tie tie = PLUS; tie <= BALANCED; tie++) {
            char engine[64];
            snprintf(engine, sizeof engine, "dor:tie=%s", tie_names[tie]);
            check_network(specs[i], engine, tie, ascending);
        }
    check_network("torus:4x6", "dor", PLUS, ascending);
    check_network("torus:4x6", "dor:order=1x0", PLUS, (const uint32_t[]){1, 0});
    check_network("mesh:4x3x2", "dor:order=2x0x1,tie=minus", MINUS, (const uint32_t[]){2, 0, 1});
    check_network("torus:4x3x5", "dor:order=1x2x0,lanes=1", PLUS, (const uint32_t[]){1, 2, 0});
}

/* All-to-all on a ring of even size k, tie to "+": k/2·(k/2 + 1)/2 messages on every channel up, k/2·(k/2 - 1)/2 down.
 */
static void loads_of_a_ring(void **state)
{
    (void)state;
    for (uint32_t k = 4; k <= 12; k += 2) {
        char spec[32];
        snprintf(spec, sizeof spec, "torus:%u", k);
        struct cw_network *net = network_of(spec);
        struct cw_routes *routes = routes_of(net, "dor");
        struct all_routes all = all_routes_of(routes);
        uint32_t *load = zeros(net->n_channels, sizeof *load);
        must(cw_routes_count(routes, all.n, all.src, all.dst, load));
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
            assert_int_equal(load[cw_network_channel_at(net, v, 2)], k / 2 * (k / 2 + 1) / 2);
            assert_int_equal(load[cw_network_channel_at(net, v, 3)], k / 2 * (k / 2 - 1) / 2);
        }
        free(load);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Where `balanced` and `even-odd` share ties evenly, both directions of a dimension carry the same in all. */
static void balanced_ties_share(void **state)
{
    (void)state;
    static const char *const engines[] = {"dor:tie=even-odd", "dor:tie=balanced"};
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *net = network_of("torus:4x8");
        struct cw_routes *routes = routes_of(net, engines[i]);
        struct all_routes all = all_routes_of(routes);
        uint32_t *load = zeros(net->n_channels, sizeof *load);
        must(cw_routes_count(routes, all.n, all.src, all.dst, load));
        for (uint32_t d = 0; d < 2; d++) {
            uint32_t up = 0, down = 0;
            for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
                up += load[cw_network_channel_at(net, v, 2 + 2 * d)];
                down += load[cw_network_channel_at(net, v, 3 + 2 * d)];
            }
            assert_int_equal(up, down);
        }
        free(load);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static bool acyclic(const char *spec, const char *engine, uint32_t lanes)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = routes_of(net, engine);
    struct cw_deadlock deadlock;
    assert_int_equal(cw_routes_lanes(routes), lanes);
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    const bool result = deadlock.acyclic;
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    cw_network_free(net);
    return result;
}

static void two_lanes_cut_the_rings(void **state)
{
    (void)state;
    assert_true(acyclic("torus:4x5", "dor", 2));
    assert_true(acyclic("torus:6x4", "dor:tie=minus,order=1x0", 2));
    assert_true(acyclic("torus:6x4", "dor:tie=balanced", 2));
    assert_false(acyclic("torus:4x5", "dor:lanes=1", 1));
    assert_true(acyclic("torus:3x3", "dor", 1));
    assert_true(acyclic("mesh:5x4", "dor", 1));
    assert_true(acyclic("hypercube:4", "dor", 1));
}

static void bad_orders_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"dor:order=0",    "dor:order=0x0", "dor:order=0x2", "dor:order=0x1x2",
                                        "dor:order=-1x0", "dor:lanes=3",   "dor:tie=left"};
    struct cw_network *net = network_of("torus:4x5");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_routes *routes = NULL;
        assert_int_equal(cw_engine_route(net, specs[i], 0, 1, &routes), CW_EUSAGE);
        assert_null(routes);
    }
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routes_are_those_of_a_plain_walk),
                                       cmocka_unit_test(loads_of_a_ring), cmocka_unit_test(balanced_ties_share),
                                       cmocka_unit_test(two_lanes_cut_the_rings),
                                       cmocka_unit_test(bad_orders_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
