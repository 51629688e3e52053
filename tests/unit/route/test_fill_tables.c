/* Filling the holes of forwarding tables: old entries stay, every switch reaches every endpoint, nothing loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "route/engine.h"
#include "route/tables.h"
#include "topo/topology.h"

static void check(const char *spec)
{
    struct cw_network *net;
    struct cw_routes *routes, *tables, *filled;
    assert_int_equal(cw_network_open(spec, &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    assert_int_equal(cw_routes_to_tables(routes, 1, &tables), 0);
    assert_int_equal(cw_routes_fill_tables(tables, 2, &filled), 0);
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
            const uint32_t before = cw_routes_table_port(tables, v, dst);
            if (before != CW_NO_PORT) assert_int_equal(cw_routes_table_port(filled, v, dst), before);
            uint32_t at = v, hops = 0;
            while (at != dst) {
                assert_true(hops++ < net->n_vertices);
                const uint32_t port = cw_routes_table_port(filled, at, dst);
                assert_int_not_equal(port, CW_NO_PORT);
                at = net->head[net->first[at] + port];
            }
        }
    cw_routes_free(filled);
    cw_routes_free(tables);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_complete(void **state)
{
    (void)state;
    check("xgft:2:4,4:1,2:radix=8"); /* D-mod-k uses only some spines for each destination */
    check("xgft:3:2,3,2:1,2,2");
    check("torus:4x3");
    check("dragonfly:2,4,2");
}

static void test_only_tables(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_routes *routes, *filled;
    assert_int_equal(cw_network_open("torus:3x3", &net), 0);
    assert_int_equal(cw_engine_route(net, "dor", 1, 1, &routes), 0);
    assert_int_equal(cw_routes_fill_tables(routes, 1, &filled), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "routes \"dor\" are no forwarding tables, expected tables");
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete), cmocka_unit_test(test_only_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
