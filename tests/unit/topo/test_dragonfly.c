/* Dragonflies: groups, and the global cables between each two of them. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdlib.h>

/* Group of switch V. */
static uint32_t group_of(const struct cw_network *net, uint32_t v)
{
    return (v - net->n_endpoints) / net->shape.dragonfly.a;
}

/* Counts the cables between groups: TRUNKS between each two, from ports behind the local ones, and A - 1 local to each
 * switch. */
static void check_groups(const char *spec, uint32_t groups, uint32_t trunks)
{
    struct cw_network *net = build(spec);
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    assert_int_equal(shape->g, groups);
    assert_int_equal(cw_network_switches(net), groups * shape->a);
    assert_int_equal(net->n_endpoints, groups * shape->a * shape->p);
    uint32_t *between = calloc((size_t)groups * groups, sizeof *between);
    assert_non_null(between);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t v = net->tail[c], u = net->head[c], port = cw_network_port(net, c);
        if (v < net->n_endpoints) {
            assert_int_equal(u, net->n_endpoints + v / shape->p);
            continue;
        }
        const int kind = (port > shape->p) + (port > shape->p + shape->a - 1);
        if (kind == 0) assert_int_equal(u, (v - net->n_endpoints) * shape->p + port - 1);
        if (kind == 1) assert_int_equal(group_of(net, v), group_of(net, u));
        if (kind == 2) between[group_of(net, v) * groups + group_of(net, u)]++;
        assert_true(port <= shape->p + shape->a - 1 + shape->h);
    }
    for (uint32_t i = 0; i < groups; i++)
        for (uint32_t j = 0; j < groups; j++) assert_int_equal(between[i * groups + j], i == j ? 0 : trunks);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t t = 0; t < shape->a; t++) {
            const uint32_t group = net->n_endpoints + group_of(net, v) * shape->a, s = v - group;
            if (t == s) continue;
            const uint32_t channel = cw_network_channel_at(net, v, shape->p + (t < s ? t : t - 1) + 1);
            assert_int_equal(net->head[channel], group + t);
        }
    free(between);
    cw_network_free(net);
}

static void test_full_size(void **state)
{
    (void)state;
    check_groups("dragonfly:1,1,1", 2, 1);
    check_groups("dragonfly:2,3,2", 7, 1);
    check_groups("dragonfly:2,4,2", 9, 1);
    check_groups("dragonfly:4,8,4", 33, 1);
    check_groups("dragonfly:3,5,3", 16, 1);
}

static void test_fewer_groups(void **state)
{
    (void)state;
    check_groups("dragonfly:2,4,2,g=5", 5, 2);
    check_groups("dragonfly:2,4,2,g=4", 4, 2); /* 8 channels, 6 used */
    check_groups("dragonfly:2,4,2,g=2", 2, 8);
    check_groups("dragonfly:4,8,4,g=7", 7, 5);
    check_groups("dragonfly:4,8,4,g=20", 20, 1);
    check_groups("dragonfly:2,4,2,g=1", 1, 0);
}

/* The default wiring, from its formula: channel q of group i to group i + q + 1, where it is a·h - 1 - q. */
static void test_default_wiring(void **state)
{
    (void)state;
    struct cw_network *net = build("dragonfly:4,8,4");
    const uint32_t p = 4, a = 8, h = 4, g = 33, globals = p + a; /* number of the first global port */
    for (uint32_t i = 0; i < g; i++)
        for (uint32_t q = 0; q < a * h; q++) {
            const uint32_t v = net->n_endpoints + i * a + q / h, far = a * h - 1 - q;
            const uint32_t c = cw_network_channel_at(net, v, globals + q % h);
            assert_true(c != CW_NONE);
            assert_int_equal(net->head[c], net->n_endpoints + (i + q + 1) % g * a + far / h);
            assert_int_equal(cw_network_port(net, net->twin[c]), globals + far % h);
        }
    cw_network_free(net);
}

/* The sizes that the paper studies begin at 42 nodes and end at 16,512. */
static void test_published_sizes(void **state)
{
    (void)state;
    struct cw_network *net = build("dragonfly:2,3,2");
    assert_int_equal(net->n_endpoints, 42);
    cw_network_free(net);
    net = build("dragonfly:8,16,8");
    assert_int_equal(net->n_endpoints, 16512);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_size),
        cmocka_unit_test(test_fewer_groups),
        cmocka_unit_test(test_default_wiring),
        cmocka_unit_test(test_published_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
