/* Who sends to whom: the very draws of a simulation of congestion, each pair once, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "study/pair_traffic.h"
#include "topo/topology.h"

static void check_order(const struct cw_pair_traffic *traffic)
{
    for (size_t i = 1; i < traffic->n; i++)
        assert_true(traffic->dst[i - 1] < traffic->dst[i] ||
                    (traffic->dst[i - 1] == traffic->dst[i] && traffic->src[i - 1] < traffic->src[i]));
}

/* What the messages put on channels, by their routes. */
static void check_loads(const struct cw_congestion_setup *setup, const struct cw_congestion_result *result,
                        const struct cw_pair_traffic *traffic)
{
    const uint32_t n_channels = cw_routes_network(setup->routes)->n_channels, most = cw_routes_max_hops(setup->routes);
    double *load = calloc(n_channels, sizeof *load);
    uint32_t *channels = calloc(most, sizeof *channels), hops;
    assert_true(load && channels);
    for (size_t i = 0; i < traffic->n; i++) {
        assert_int_equal(cw_routes_paths(setup->routes, 1, &traffic->src[i], &traffic->dst[i], &hops, channels, NULL),
                         0);
        for (uint32_t k = 0; k < hops; k++) load[channels[k]] += traffic->amount[i];
    }
    for (uint32_t c = 0; c < n_channels; c++)
        assert_true(fabs(load[c] - result->channel_messages[c] / (double)setup->trials) < 1e-9);
    free(load);
    free(channels);
}

static void check(const char *spec, const char *placed, const char *sends, size_t trials, uint32_t ranks, bool by_bytes)
{
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_placement *placement;
    struct cw_pattern *pattern;
    struct cw_congestion_result result;
    struct cw_pair_traffic traffic;
    assert_int_equal(cw_topology_build(spec, &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    assert_int_equal(cw_placement_new(placed, net, NULL, &placement), 0);
    assert_int_equal(cw_placement_pattern(placement, sends, &pattern), 0);
    const struct cw_congestion_setup setup = {.routes = routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .ranks = ranks,
                                              .trials = trials,
                                              .seed = 5,
                                              .n_threads = 2};
    assert_int_equal(cw_congestion_run(&setup, &result), 0);
    assert_int_equal(result.by_bytes, by_bytes);
    assert_int_equal(cw_pair_traffic_of(&setup, by_bytes, 1000000, &traffic), 0);
    assert_false(traffic.too_many);
    assert_int_not_equal(traffic.n, 0);
    check_order(&traffic);
    check_loads(&setup, &result, &traffic);
    const size_t n = traffic.n;
    cw_pair_traffic_free(&traffic);
    for (int less = 0; less < 2; less++) { /* just as many as asked for, and one more */
        assert_int_equal(cw_pair_traffic_of(&setup, by_bytes, n - (size_t)less, &traffic), 0);
        assert_int_equal(traffic.too_many, less);
        assert_int_equal(traffic.n, less ? 0 : n);
        cw_pair_traffic_free(&traffic);
    }
    cw_congestion_free(&result);
    cw_pattern_free(pattern);
    cw_placement_free(placement);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_draws(void **state)
{
    (void)state;
    check("xgft:2:4,4:1,2", "contiguous", "shift:4", 1, 0, false);
    check("torus:4x4", "random", "permutation", 9, 0, false);
    check("torus:4x4", "contiguous", "alltoall", 1, 11, false);
    check("xgft:2:10,10:1,5", "random", "alltoall", 30, 100, false); /* merged again and again */
}

static void test_bytes(void **state)
{
    (void)state;
    char name[] = "/tmp/cw_pairs_XXXXXX", spec[64];
    const int file = mkstemp(name);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    assert_non_null(stream);
    fputs("0,2,16\n1,0,8\n0,3,1\n", stream);
    fclose(stream);
    snprintf(spec, sizeof spec, "matrix:%s", name);
    check("torus:4x4", "random", spec, 5, 0, true);
    unlink(name);
}

static void test_all(void **state)
{
    (void)state;
    static const uint32_t endpoints[] = {3, 5, 9};
    static const uint32_t pairs[][2] = {{5, 3}, {9, 3}, {3, 5}, {9, 5}, {3, 9}, {5, 9}};
    struct cw_pair_traffic traffic;
    assert_int_equal(cw_pair_traffic_of_all(endpoints, 3, 6, &traffic), 0);
    assert_int_equal(traffic.n, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(traffic.src[i], pairs[i][0]);
        assert_int_equal(traffic.dst[i], pairs[i][1]);
        assert_true(traffic.amount[i] == 1);
    }
    cw_pair_traffic_free(&traffic);
    assert_int_equal(cw_pair_traffic_of_all(endpoints, 3, 5, &traffic), 0);
    assert_true(traffic.too_many && traffic.n == 0);
    cw_pair_traffic_free(&traffic);
    for (uint32_t n = 0; n < 2; n++) {
        assert_int_equal(cw_pair_traffic_of_all(endpoints, n, 5, &traffic), 0);
        assert_true(!traffic.too_many && traffic.n == 0);
        cw_pair_traffic_free(&traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws), cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
