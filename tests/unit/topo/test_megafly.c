/* Megafly: cables within groups by the definition, between them each two groups once, and the published figures. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <string.h>

#include "topo/metrics.h"

/* Channels from one group to another. */
static uint32_t joints(const struct cw_network *net, uint32_t from, uint32_t to)
{
    const uint32_t n = net->n_endpoints, all = net->shape.megafly.l + net->shape.megafly.s;
    uint32_t found = 0;
    for (uint32_t c = net->first[n + from * all]; c < net->first[n + (from + 1) * all]; c++)
        found += net->head[c] >= n && (net->head[c] - n) / all == to;
    return found;
}

static void check_groups(const char *spec)
{
    struct cw_network *net = build(spec);
    const struct cw_megafly *shape = &net->shape.megafly;
    const uint32_t n = net->n_endpoints, all = shape->l + shape->s;
    for (uint32_t v = n; v < net->n_vertices; v++) {
        const uint32_t i = (v - n) % all;
        uint32_t hosts = 0, within = 0, away = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t head = net->head[c];
            if (head < n) {
                assert_int_equal(head / shape->p, (v - n) / all * shape->l + i);
                hosts++;
            } else if ((head - n) / all == (v - n) / all) {
                assert_true(((head - n) % all < shape->l) != (i < shape->l));
                assert_false(cw_network_is_global(net, c));
                within++;
            } else {
                assert_true((head - n) % all >= shape->l);
                assert_true(cw_network_is_global(net, c));
                away++;
            }
        }
        assert_int_equal(hosts, i < shape->l ? shape->p : 0);
        assert_int_equal(within, i < shape->l ? shape->s : shape->l);
        assert_true(i < shape->l ? away == 0 : away <= shape->h);
    }
    const bool full = shape->g == shape->s * shape->h + 1;
    for (uint32_t i = 0; i < shape->g; i++)
        for (uint32_t j = 0; j < shape->g; j++)
            if (i != j) assert_true(full ? joints(net, i, j) == 1 : joints(net, i, j) >= 1);
    cw_network_free(net);
}

static void test_groups(void **state)
{
    (void)state;
    static const char *const specs[] = {"megafly:2,2,2,2", "megafly:1,3,2,3", "megafly:2,4,3,2,g=4", "megafly:3,1,4,1",
                                        "megafly:1,2,2,1,g=2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_groups(specs[i]);
}

/* Of 16-port switches (p = s = l = h = 8) 65 groups of 64 endpoints (Shpiner et al.: k²/4·(k²/4 + 1)). */
static void test_published_figures(void **state)
{
    (void)state;
    struct cw_network *net = build("megafly:8,8,8,8");
    struct cw_distances distances;
    assert_int_equal(net->n_endpoints, 64 * 65);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) assert_int_equal(cw_network_degree(net, v), 16);
    assert_int_equal(cw_network_distances_by_formula(net, &distances), 0);
    assert_int_equal(distances.diameter, 5);
    cw_network_free(net);
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    assert_int_equal(cw_topology_build("megafly:1,2,2,2,g=6", &net), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "at most 5 groups"));
    assert_int_equal(cw_topology_build("megafly:60000,2,60000,2", &net), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "at most 65535 are possible"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_published_figures),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
