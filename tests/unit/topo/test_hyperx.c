/* HyperX: every cable by the definition, and the published figures. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <math.h>
#include <string.h>

#include "topo/metrics.h"

static uint32_t coordinate(const struct cw_hyperx *hyperx, uint32_t index, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++) index /= hyperx->s[i];
    return index % hyperx->s[d];
}

/* Cables between two switches by the definition: K_d if they differ in dimension d alone. */
static uint32_t cables(const struct cw_hyperx *hyperx, uint32_t a, uint32_t b)
{
    uint32_t differing = 0, k = 0;
    for (uint32_t d = 0; d < hyperx->n; d++) {
        if (coordinate(hyperx, a, d) == coordinate(hyperx, b, d)) continue;
        differing++;
        k = hyperx->k[d];
    }
    return differing == 1 ? k : 0;
}

static void check_cables(const char *spec)
{
    struct cw_network *net = build(spec);
    const struct cw_hyperx *hyperx = &net->shape.hyperx;
    const uint32_t n = net->n_endpoints, switches = cw_network_switches(net);
    for (uint32_t e = 0; e < n; e++) {
        assert_int_equal(cw_network_degree(net, e), 1);
        assert_int_equal(net->head[net->first[e]], n + e / hyperx->t);
    }
    for (uint32_t a = 0; a < switches; a++)
        for (uint32_t b = 0; b < switches; b++) {
            uint32_t found = 0;
            for (uint32_t c = net->first[n + a]; c < net->first[n + a + 1]; c++) found += net->head[c] == n + b;
            assert_int_equal(found, cables(hyperx, a, b));
        }
    cw_network_free(net);
}

static void test_cables(void **state)
{
    (void)state;
    static const char *const specs[] = {"hyperx:5,2", "hyperx:4x4,2", "hyperx:3x4,2,k=2x1", "hyperx:2x3x4,1,k=1x3x2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_cables(specs[i]);
}

/* With one endpoint a switch and sizes of 2 it is a hypercube, with one dimension a complete graph. */
static void test_special_cases(void **state)
{
    (void)state;
    struct cw_network *net = build("hyperx:2x2x2x2,1"), *cube = build("hypercube:4");
    assert_int_equal(net->n_channels, cube->n_channels);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t a = net->tail[c], b = net->head[c];
        if (a >= 16 && b >= 16) assert_int_equal(__builtin_popcount((a - 16) ^ (b - 16)), 1);
    }
    cw_network_free(net);
    cw_network_free(cube);
}

/* Ahn et al.: relative bisection K·S/2T of the worst dimension, diameter of L hops between switches. */
static void test_published_figures(void **state)
{
    (void)state;
    struct cw_network *net = build("hyperx:8x8,8");
    struct cw_bisection bisection;
    struct cw_distances distances;
    assert_int_equal(net->n_endpoints, 512);
    assert_int_equal(cw_network_degree(net, 512), 8 + 7 + 7);
    assert_int_equal(cw_network_bisection_by_formula(net, &bisection), 0);
    assert_true(fabs(bisection.channels / (512 / 2.0) - 8 / 16.0) < 1e-12);
    assert_int_equal(cw_network_distances_by_formula(net, &distances), 0);
    assert_int_equal(distances.diameter, 2 + 2);
    cw_network_free(net);
}

static void assert_refused(const char *spec, const char *message)
{
    struct cw_network *net = NULL;
    assert_int_equal(cw_topology_build(spec, &net), CW_EUSAGE);
    assert_null(net);
    if (!strstr(cw_error_message(), message)) fail_msg("%s: %s", spec, cw_error_message());
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("hyperx:1x4,2", "dimension 0 has 1 switches; expected 2");
    assert_refused("hyperx:4x4,2,k=2", "1 numbers of parallel cables for 2 dimensions");
    assert_refused("hyperx:2x2x2x2x2x2x2x2x2,1", "9 dimensions; at most 8");
    assert_refused("hyperx:60000x60000,1", "ports; at most 65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cables), cmocka_unit_test(test_special_cases),
                                       cmocka_unit_test(test_published_figures), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
