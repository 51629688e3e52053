/* Who is a leaf, and how far above are the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/builder.h"
#include "net/network_internal.h"
#include "net/roles.h"

enum { LEAVES = 5, MANY = 40, USUAL = 8, HOSTS = MANY + (LEAVES - 1) * USUAL + 1, SPINES = 2, CORE = 1 };

/* Five leaves, the first with 40 hosts and the others with 8, below two spines, one of which has a host of its own, as
 * for a gateway; and a core above. */
static struct cw_network *uneven(void)
{
    struct cw_builder *builder = cw_builder_new(HOSTS, LEAVES + SPINES + CORE, 0);
    struct cw_network *net = NULL;
    const uint32_t spine = HOSTS + LEAVES, core = spine + SPINES;
    for (uint32_t e = 0; e < HOSTS - 1; e++)
        cw_builder_cable(builder, e, 0, HOSTS + (e < MANY ? 0 : 1 + (e - MANY) / USUAL), 0, 1e9, 0);
    cw_builder_cable(builder, HOSTS - 1, 0, spine, 0, 1e9, 0);
    for (uint32_t s = 0; s < SPINES; s++) {
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) cw_builder_cable(builder, HOSTS + leaf, 0, spine + s, 0, 1e9, 0);
        cw_builder_cable(builder, spine + s, 0, core, 0, 1e9, 0);
    }
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    return net;
}

static void test_uneven_leaves(void **state)
{
    (void)state;
    struct cw_network *net = uneven();
    uint32_t roles[HOSTS + LEAVES + SPINES + CORE], levels = 0;
    assert_int_equal(cw_network_roles(net, roles, &levels), 0);
    assert_int_equal(levels, 3);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t expected = v < HOSTS                     ? CW_ROLE_HOST
                                  : v < HOSTS + LEAVES          ? CW_ROLE_LEAF
                                  : v < HOSTS + LEAVES + SPINES ? CW_ROLE_LEAF + 1
                                                                : CW_ROLE_LEAF + 2;
        if (roles[v] != expected) fail_msg("vertex %u: role %u, expected %u", v, roles[v], expected);
    }
    cw_network_free(net);
}

/* What is usual is the median of all switches with hosts, whatever order they are in: a few hosts at a spine, which
 * stands between leaf switches here, make no leaf of it. */
static void test_order_of_switches(void **state)
{
    (void)state;
    static const uint32_t hosts[][3] = {{8, 1, 8}, {1, 8, 8}, {8, 8, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct cw_builder *builder = cw_builder_new(17, 3, 19);
        struct cw_network *net = NULL;
        uint32_t roles[20], levels = 0, e = 0, spine = 0;
        for (uint32_t s = 0; s < 3; s++) {
            if (hosts[i][s] == 1) spine = 17 + s;
            for (uint32_t k = 0; k < hosts[i][s]; k++) cw_builder_cable(builder, e++, 0, 17 + s, 0, 1e9, 0);
        }
        for (uint32_t v = 17; v < 20; v++)
            if (v != spine) cw_builder_cable(builder, v, 0, spine, 0, 1e9, 0);
        assert_int_equal(cw_builder_finish(builder, &net), 0);
        assert_int_equal(cw_network_roles(net, roles, &levels), 0);
        assert_int_equal(levels, 2);
        for (uint32_t v = 17; v < 20; v++) assert_int_equal(roles[v], v == spine ? CW_ROLE_LEAF + 1 : CW_ROLE_LEAF);
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_uneven_leaves), cmocka_unit_test(test_order_of_switches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
