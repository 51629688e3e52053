/* Tori, meshes, hypercubes and Blue Gene/Q partitions. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t coordinate(const struct cw_torus *torus, uint32_t node, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++) node /= torus->k[i];
    return node % torus->k[d];
}

/* Port 2 + 2d leads to x_d + 1 and port 3 + 2d to x_d - 1, nothing else is joined, and edges have no port. */
static void check_neighbours(const char *spec)
{
    struct cw_network *net = build(spec);
    const struct cw_torus *torus = &net->shape.torus;
    const uint32_t n = net->n_endpoints;
    for (uint32_t node = 0; node < n; node++) {
        const uint32_t v = n + node;
        uint32_t expected = 1;
        assert_int_equal(net->head[cw_network_channel_at(net, v, 1)], node);
        for (uint32_t d = 0; d < torus->n; d++) {
            const uint32_t k = torus->k[d], x = coordinate(torus, node, d);
            const bool single = k == 2 && !torus->doubled;
            for (uint32_t back = 0; back < 2; back++) {
                const uint32_t channel = cw_network_channel_at(net, v, 2 + 2 * d + back);
                const bool edge = single ? back == 1 : !torus->wrap && (back ? x == 0 : x + 1 == k);
                assert_int_equal(channel == CW_NONE, edge);
                if (edge) continue;
                expected++;
                const uint32_t other = net->head[channel] - n;
                assert_int_equal(coordinate(torus, other, d), back ? (x + k - 1) % k : (x + 1) % k);
                for (uint32_t i = 0; i < torus->n; i++)
                    if (i != d) assert_int_equal(coordinate(torus, other, i), coordinate(torus, node, i));
            }
        }
        assert_int_equal(cw_network_degree(net, v), expected);
    }
    cw_network_free(net);
}

static void test_neighbours(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:10x10", "torus:3x4x5",       "torus:2x3",    "torus:2x3,doubled",
                                        "torus:2x2x2", "torus:4x2,doubled", "mesh:4x3x2",   "mesh:7",
                                        "mesh:2x2",    "hypercube:5",       "torus:3x3x3x3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_neighbours(specs[i]);
}

static void test_hypercube_is_a_torus(void **state)
{
    (void)state;
    struct cw_network *cube = build("hypercube:4"), *torus = build("torus:2x2x2x2");
    assert_true(cw_network_equal(cube, torus));
    for (uint32_t c = 0; c < cube->n_channels; c++) {
        const uint32_t n = cube->n_endpoints, a = cube->tail[c], b = cube->head[c];
        if (a >= n && b >= n) assert_int_equal(__builtin_popcount((a - n) ^ (b - n)), 1);
    }
    cw_network_free(cube);
    cw_network_free(torus);
}

static void test_sizes(void **state)
{
    (void)state;
    struct cw_network *cube = build("torus:9x9x9");
    assert_int_equal(cube->n_endpoints, 729);
    cw_network_free(cube);
    cube = build("torus:17x17x17");
    assert_int_equal(cube->n_endpoints, 4913);
    cw_network_free(cube);
}

/* 2048 nodes, 4x4x4x16x2: node ids are row-major with E fastest, ten cables a node, nine where the two of E are merged.
 */
static void test_blue_gene(void **state)
{
    (void)state;
    struct cw_network *whole = build("bgq:2048"), *merged = build("bgq:2048,merge2");
    const uint32_t n = 2048;
    assert_int_equal(whole->n_endpoints, n);
    assert_int_equal(merged->n_endpoints, n);
    for (uint32_t v = n; v < 2 * n; v++) {
        assert_int_equal(cw_network_degree(whole, v), 10 + 1);
        assert_int_equal(cw_network_degree(merged, v), 9 + 1);
    }
    const uint32_t a = 1, b = 2, c = 3, d = 5, e = 1;
    const uint32_t node = (((a * 4 + b) * 4 + c) * 16 + d) * 2 + e;
    static const uint32_t stride[] = {1, 2, 32, 128, 512}; /* E D C B A */
    const uint32_t size[] = {2, 16, 4, 4, 4}, x[] = {e, d, c, b, a};
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t next = node - x[i] * stride[i] + (x[i] + 1) % size[i] * stride[i];
        assert_int_equal(whole->head[cw_network_channel_at(whole, n + node, 2 + 2 * i)], n + next);
    }
    cw_network_free(whole);
    cw_network_free(merged);
}

static void test_blue_gene_sizes(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {512, 1024, 2048, 4096, 8192, 16384, 24576, 32768, 49152};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "bgq:%u", nodes[i]);
        struct cw_network *net = build(spec);
        assert_int_equal(net->n_endpoints, nodes[i]);
        assert_int_equal(net->n_channels, 2 * nodes[i] * 6);
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_hypercube_is_a_torus), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_blue_gene),  cmocka_unit_test(test_blue_gene_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
