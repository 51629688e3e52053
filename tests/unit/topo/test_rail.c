/* Rail clusters: every cable by the definition, and the speed of NVLink. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topo/metrics.h"

/* Cables that the definition has between two vertices, for one order of the two. */
static uint32_t cables(const struct cw_network *net, uint32_t a, uint32_t b)
{
    const struct cw_rail *rail = &net->shape.rail;
    const uint32_t n = net->n_endpoints, node = n + rail->n, leaf = node + rail->l * rail->r, m = rail->n / rail->l;
    if (a < n) return b >= n && b < node && a / rail->g == b - n;                      /* a GPU and its node's switch */
    if (a < node) return b >= node && b < leaf && (a - n) / m == (b - node) / rail->r; /* it and its pod's leaves */
    return a < leaf && b >= leaf;                                                      /* leaves and spines */
}

static void check_cables(const char *spec)
{
    struct cw_network *net = build(spec);
    for (uint32_t a = 0; a < net->n_vertices; a++)
        for (uint32_t b = a + 1; b < net->n_vertices; b++) {
            uint32_t found = 0;
            for (uint32_t c = net->first[a]; c < net->first[a + 1]; c++) found += net->head[c] == b;
            assert_int_equal(found, cables(net, a, b));
        }
    cw_network_free(net);
}

static void test_cables(void **state)
{
    (void)state;
    static const char *const specs[] = {"rail:4,4,4", "rail:6,3,2,pods=3,spines=2", "rail:4,8,8,pods=2,spines=4",
                                        "rail:3,2,2,spines=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_cables(specs[i]);
}

/* Port i of all nodes of a pod is on one leaf: that is what makes it rail-optimised. */
static void test_rails(void **state)
{
    (void)state;
    struct cw_network *net = build("rail:8,4,4,pods=2,spines=2");
    char name[CW_NAME_SIZE];
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 4; j++) {
            char expected[16];
            snprintf(expected, sizeof expected, "p%ur%u", i / 4, j);
            const uint32_t c = cw_network_channel_at(net, net->n_endpoints + i, 5 + j);
            assert_string_equal(cw_network_name(net, net->head[c], name, sizeof name), expected);
        }
    cw_network_free(net);
}

static void test_nvlink(void **state)
{
    (void)state;
    struct cw_network *net = build("rail:2,4,4,nvlink=3600Gbit/s@400Gbit/s,500ns");
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool host = net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints;
        assert_true(fabs(net->capacity[c] - (host ? 450e9 : 50e9)) < 1);
        assert_true(fabs(net->latency[c] - 500e-9) < 1e-15);
    }
    struct cw_bisection bisection;
    assert_int_equal(cw_network_bisection_by_formula(net, &bisection), CW_EUSAGE); /* capacities differ */
    assert_int_equal(cw_network_bisection(net, 1, &bisection), 0);
    assert_true(fabs(bisection.capacity - 4 * 50e9) < 1);
    cw_network_free(net);
}

/* Racks are nodes of 72 GPUs with 72 rails, at the machine's rates. */
static void test_racks(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"nvl72:2", "rail:2,72,72,nvlink=900GB/s@400Gbit/s"},
        {"nvl72:4,pods=2,spines=3,nvlink=450GB/s@800Gbit/s", "rail:4,72,72,pods=2,spines=3,nvlink=450GB/s@800Gbit/s"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct cw_network *racks = build(same[i][0]), *nodes = build(same[i][1]);
        assert_true(cw_network_equal(racks, nodes));
        cw_network_free(racks);
        cw_network_free(nodes);
    }
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
    assert_refused("rail:5,4,4,pods=2,spines=2", "5 nodes cannot be divided into 2 equal pods");
    assert_refused("rail:4,4,4,pods=2", "2 pods are not joined without spines");
    assert_refused("nvl72:5,pods=2,spines=2", "nvl72: 5 racks cannot be divided into 2 equal pods");
    assert_refused("nvl72:4,pods=2", "nvl72: 2 pods are not joined without spines");
    assert_refused("rail:1,40000,40000", "ports; at most 65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cables), cmocka_unit_test(test_rails),
                                       cmocka_unit_test(test_nvlink), cmocka_unit_test(test_racks),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
