/* Filling the holes of forwarding tables: old entries stay, every switch reaches every endpoint, nothing loops. */
#include "net/network_internal.h"
#include "route_test.h"

#include "base/error.h"
#include "topo/recognise.h"

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

/* True if packets for D that are at the switch V arrive; a loop fails the test. */
static bool arrives_from(const struct cw_routes *routes, uint32_t v, uint32_t d)
{
    const struct cw_network *net = cw_routes_network(routes);
    for (uint32_t hops = 0; v != d; hops++) {
        assert_true(hops < net->n_vertices);
        const uint32_t port = cw_network_is_endpoint(net, v) ? CW_NO_PORT : cw_routes_table_port(routes, v, d);
        if (port == CW_NO_PORT) return false;
        v = net->head[net->first[v] + port];
    }
    return true;
}

/* Tables made before something failed: what is filled in leads to where packets arrive, never back to where an old
 * entry sends them, and nothing leads to an endpoint that has lost its cable. */
static void check_left(const char *spec, const char *engine, const char *failed, uint64_t seed)
{
    struct cw_network *whole = network_of(spec), *net = damaged(whole, failed, seed);
    struct cw_routes *closed = routes_of(whole, engine), *tables, *left, *filled;
    must(cw_routes_to_tables(closed, 1, &tables));
    left = what_is_left(whole, tables, net);
    must(cw_routes_fill_tables(left, 2, &filled));
    for (uint32_t d = 0; d < net->n_endpoints; d++)
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
            const uint32_t was = cw_routes_table_port(left, v, d), is = cw_routes_table_port(filled, v, d);
            if (cw_network_degree(net, d) == 0) {
                assert_int_equal(is, CW_NO_PORT);
                continue;
            }
            const bool arrives = arrives_from(filled, v, d);
            if (was != CW_NO_PORT) assert_int_equal(is, was);
            if (was != is) assert_true(arrives);
            if (arrives || is != CW_NO_PORT) continue;
            for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
                if (!cw_network_is_endpoint(net, net->head[c]) && !cw_network_is_closed(net, c))
                    assert_false(arrives_from(filled, net->head[c], d));
        }
    cw_routes_free(filled);
    cw_routes_free(left);
    cw_routes_free(tables);
    cw_routes_free(closed);
    cw_network_free(net);
    cw_network_free(whole);
}

static void test_left(void **state)
{
    (void)state;
    check_left("xgft:2:4,4:1,2", "dmodk", "h5", 1);
    check_left("torus:4x3", "dor", "h0,h7", 1);
    for (uint64_t seed = 1; seed < 8; seed++) {
        check_left("xgft:2:4,4:1,3", "dmodk", "20%,h3", seed);
        check_left("xgft:3:2,3,2:1,2,2", "minhop", "s1.1,20%", seed);
        check_left("torus:4x4", "minhop", "s(1,1),25%", seed);
        check_left("torus:4x4", "minhop", "s(0,0)>s(1,0),s(2,1)>s(2,2),s(3,3)>s(3,2),s(0,1)>s(0,0),20%", seed);
    }
}

/* The tables of a network that has fallen apart have a route where the engine has one, and nowhere else. */
static void check_apart(const char *spec, const char *failed)
{
    struct cw_network *whole = network_of(spec), *net;
    struct cw_faults *faults;
    uint32_t checked = 0;
    must(cw_faults_new(whole, &faults));
    must(cw_faults_fail(faults, "--failed", failed, 1));
    must(cw_network_with_faults(faults, &net));
    must(cw_network_recognise(net));
    must(cw_faults_keep_places(faults, net));
    cw_faults_free(faults);
    const struct cw_engine *engine;
    for (size_t i = 0; (engine = cw_registry_item(&cw_engine_registry, i)); i++) {
        struct cw_routes *routes, *tables;
        if (cw_engine_route(net, engine->name, 1, 1, &routes)) continue;
        if (cw_routes_by_destination(routes) && cw_routes_kind(routes) != CW_ROUTES_TABLE) {
            must(cw_routes_to_tables(routes, 2, &tables));
            uint32_t path[64];
            for (uint32_t s = 0; s < net->n_endpoints; s++)
                for (uint32_t d = 0, hops; d < net->n_endpoints; d++) {
                    if (s == d || cw_routes_max_hops(routes) > 64) continue;
                    const bool there = cw_routes_paths(routes, 1, &s, &d, &hops, path, NULL) == 0;
                    assert_int_equal(arrives(tables, s, d), there);
                }
            cw_routes_free(tables);
            checked++;
        }
        cw_routes_free(routes);
    }
    if (checked == 0) fail_msg("%s without %s: no engine has routes that are no tables", spec, failed);
    cw_network_free(net);
    cw_network_free(whole);
}

static void test_apart(void **state)
{
    (void)state;
    check_apart("torus:4x3", "h3");
    check_apart("torus:4x4", "h3,h7");
    check_apart("xgft:2:4,4:1,2", "h5");
    check_apart("xgft:2:4,4:1,2", "s1.1,h1");
    check_apart("xgft:3:2,3,2:1,2,2", "s2.0,h7");
    check_apart("mesh:3x3", "h8");
}

static void test_only_tables(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_routes *routes, *filled;
    assert_int_equal(cw_network_open("torus:3x3", &net), 0);
    assert_int_equal(cw_engine_route(net, "dor", 1, 1, &routes), 0);
    assert_int_equal(cw_routes_fill_tables(routes, 1, &filled), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "routes \"dor\" are not forwarding tables, expected tables");
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete), cmocka_unit_test(test_left),
                                       cmocka_unit_test(test_apart), cmocka_unit_test(test_only_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
