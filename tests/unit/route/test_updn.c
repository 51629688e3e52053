/* Up-down, down-up and dimension-order tables: roots, rules and files. That they are OpenSM's is live_engines.py's. */
#include "net/network_internal.h"
#include "route_test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/input.h"
#include "net/builder.h"
#include "route/check.h"
#include "route/engines/opensm/updown.h"
#include "route/lft.h"
#include "route/roots.h"
#include "route/switch_ways.h"

/* ENGINE with OPTION=a file of TEXT. 0 or the error. */
static int route_by_file(const struct cw_network *net, const char *engine, const char *option, const char *text,
                         struct cw_routes **out)
{
    char path[] = "/tmp/crosswind-test-XXXXXX", spec[128];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    snprintf(spec, sizeof spec, "%s:%s=%s", engine, option, path);
    const int rc = cw_engine_route(net, spec, 0, 2, out);
    unlink(path);
    return rc;
}

static void assert_refused(const struct cw_network *net, const char *engine, const char *option, const char *text,
                           const char *message)
{
    struct cw_routes *routes = NULL;
    assert_true(route_by_file(net, engine, option, text, &routes) != 0);
    assert_null(routes);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
}

/* The port of the first switch towards the second, with minhop in ORDER. */
static uint32_t port_to_switch(const struct cw_network *net, const char *order)
{
    char path[] = "/tmp/crosswind-test-XXXXXX", spec[128];
    const struct cw_text text = {.data = (char *)order, .length = strlen(order)};
    struct cw_routes *routes;
    close(mkstemp(path));
    must(cw_file_write(path, &text));
    snprintf(spec, sizeof spec, "minhop:order=%s", path);
    must(cw_engine_route(net, spec, 0, 1, &routes));
    must(cw_engine_to_switches(routes, spec, 2));
    unlink(path);
    uint8_t *ports;
    must(cw_switch_ways(routes, &ports));
    const uint32_t port = ports[1];
    free(ports);
    cw_routes_free(routes);
    return port;
}

static void assert_same(const struct cw_routes *a, const struct cw_routes *b)
{
    struct all_routes x = all_routes_of(a), y = all_routes_of(b);
    assert_same_paths(&x, &y);
    free_all_routes(&x);
    free_all_routes(&y);
}

/* The top of a fat tree; nothing in a ring, all of whose switches are as central. */
static void roots_are_found(void **state)
{
    (void)state;
    struct cw_network *tree = network_of("xgft:3:4,4,4:1,2,2"), *ring = network_of("torus:6");
    uint32_t *roots = NULL, n = 0;
    must(cw_roots_of_opensm(tree, &roots, &n));
    assert_int_equal(n, 4);
    for (uint32_t i = 0; i < n; i++) assert_true(roots[i] >= tree->n_vertices - 4);
    free(roots);
    must(cw_roots_of_opensm(ring, &roots, &n));
    assert_int_equal(n, 0);
    must(cw_roots_add_tops(ring, roots, &n));
    assert_int_equal(n, 1);
    assert_int_equal(roots[0], ring->n_endpoints); /* all are equal: the first */
    must(cw_roots_add_tops(ring, roots, &n));
    assert_int_equal(n, 1); /* there is one now */
    free(roots);
    cw_network_free(tree);
    cw_network_free(ring);
}

/* One leaf with FAR of 40 endpoints hangs behind another leaf. */
static uint32_t roots_with_far(uint32_t far)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(40, 4, 43);
    for (uint32_t e = 0; e < 40; e++) cw_builder_cable(builder, e, 0, e < far ? 43 : 41 + e % 2, 0, 1, 0);
    for (uint32_t leaf = 41; leaf < 43; leaf++) cw_builder_cable(builder, 40, 0, leaf, 0, 1, 0);
    cw_builder_cable(builder, 41, 0, 43, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    uint32_t *roots = NULL, n = 0;
    must(cw_roots_of_opensm(net, &roots, &n));
    free(roots);
    cw_network_free(net);
    return n;
}

static void shares_of_roots(void **state)
{
    (void)state;
    assert_int_equal(roots_with_far(0), 1);
    assert_int_equal(roots_with_far(2), 1); /* 5% at another distance is not too much */
    assert_int_equal(roots_with_far(3), 0);
}

/* A chain of switches, of which those with HOSTS have an endpoint; all pairs are to be connected by ENGINE. */
static void assert_chain_connected(const char *hosts, const uint64_t *guids, const char *engine, const char *roots)
{
    const uint32_t n = (uint32_t)strlen(hosts);
    uint32_t n_hosts = 0, next = 0;
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_reach reach;
    for (uint32_t i = 0; i < n; i++) n_hosts += hosts[i] == 'h';
    struct cw_builder *builder = cw_builder_new(n_hosts, n, n + n_hosts);
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_identity identity = {.node_guid = guids[i], .port_guid = guids[i]};
        if (hosts[i] == 'h') cw_builder_cable(builder, next++, 0, n_hosts + i, 0, 1, 0);
        if (i + 1 < n) cw_builder_cable(builder, n_hosts + i, 0, n_hosts + i + 1, 0, 1, 0);
        cw_builder_identity(builder, n_hosts + i, &identity);
    }
    for (uint32_t e = 0; e < n_hosts; e++) {
        const struct cw_identity identity = {.node_guid = 64 + 2 * e, .port_guid = 65 + 2 * e, .kind = CW_KIND_HOST};
        cw_builder_identity(builder, e, &identity);
    }
    must(cw_builder_finish(builder, &net));
    if (roots)
        must(route_by_file(net, engine, "roots", roots, &routes));
    else
        routes = routes_of(net, engine);
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, n_hosts * (n_hosts - 1));
    cw_reach_free(&reach);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* All steps between roots go up, whatever their GUIDs; and of down-up routing those between equals are allowed behind
 * any other. */
static void steps_between_equals(void **state)
{
    (void)state;
    static const uint64_t orders[][5] = {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {1, 4, 2, 5, 3}, {3, 1, 5, 2, 4}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        assert_chain_connected("h-h", orders[i], "updn", "s0\ns1\ns2\n");
        assert_chain_connected("h---h", orders[i], "updn", "s1\ns2\ns3\n");
        assert_chain_connected("hh-h", orders[i], "dnup", NULL);
    }
}

/* A switch of tests/golden/met-again that is met again while it waits goes on in the direction in which it was met
 * last: OpenSM's entries, which tests/golden/opensm-tables.csv has the hash of. */
static void met_again(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    must(cw_network_open(CW_TEST_DATA "/golden/met-again/fabric.net", &net));
    must(cw_engine_route(net, "updn:" CW_TEST_DATA "/golden/met-again/roots", 0, 1, &routes));
    static const struct {
        const char *at;
        uint32_t port;
    } entries[] = {{"s6", 2}, {"s7", 3}};
    for (size_t i = 0; i < 2; i++) {
        const uint32_t v = cw_network_find(net, entries[i].at);
        const uint32_t port = cw_routes_table_port(routes, v, cw_network_find(net, "h0"));
        assert_int_equal(cw_network_port(net, net->first[v] + port), entries[i].port);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Two trees side by side, and two rings: each part has roots of its own, for a subnet manager knows no other. */
static void parts_have_roots(void **state)
{
    (void)state;
    static const char *const nets[] = {"xgft:3:3,4,3:1,3,2", "torus:2x6"};
    static const char *const between[] = {"s3.0,s3.1,s3.2,s3.3,s3.4,s3.5",
                                          "s(0,0)-s(1,0),s(0,1)-s(1,1),s(0,2)-s(1,2),s(0,3)-s(1,3),s(0,4)-s(1,4),"
                                          "s(0,5)-s(1,5)"};
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *whole = network_of(nets[i]), *parts = damaged(whole, between[i], 1);
        struct cw_reach reach, most;
        struct cw_routes *updn = routes_of(parts, "updn"), *minhop = routes_of(parts, "minhop"), *found = NULL;
        must(cw_routes_reach(updn, NULL, 0, 1, &reach));
        must(cw_routes_reach(minhop, NULL, 0, 1, &most));
        assert_true(reach.reached == most.reached && reach.reached < reach.pairs);
        uint32_t roots[64], n = 0;
        must(cw_roots_add_tops(parts, roots, &n));
        assert_int_equal(n, i == 0 ? 9 : 2); /* the 3 tops of each part; one of each ring */
        const int rc = cw_engine_route(parts, "updn:found", 0, 1, &found);
        assert_int_equal(rc, i == 0 ? 0 : CW_EUSAGE);
        for (uint32_t v = parts->n_endpoints; found && v < parts->n_vertices; v++)
            for (uint32_t d = 0; d < parts->n_endpoints; d++)
                assert_int_equal(cw_routes_table_port(updn, v, d), cw_routes_table_port(found, v, d));
        cw_reach_free(&reach);
        cw_reach_free(&most);
        cw_routes_free(updn);
        cw_routes_free(minhop);
        cw_routes_free(found);
        cw_network_free(parts);
        cw_network_free(whole);
    }
}

/* Where OpenSM finds no root, one is chosen, said, and connects all pairs. */
static void refusal_and_remark(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:5x3"), *crossbar = network_of("crossbar:4");
    struct cw_routes *routes = NULL;
    struct cw_inputs inputs = {0};
    assert_int_equal(cw_engine_route(ring, "updn:found", 0, 1, &routes), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "no root in torus:5x3, nor does OpenSM"));
    cw_inputs_record(&inputs);
    routes = routes_of(ring, "updn");
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, reach.pairs);
    cw_reach_free(&reach);
    cw_routes_free(routes);
    assert_non_null(strstr(inputs.remarks.data, "The root is "));
    inputs.remarks.length = 0;
    routes = routes_of(crossbar, "updn");
    assert_int_equal(inputs.remarks.length, 0);
    cw_inputs_record(NULL);
    cw_inputs_free(&inputs);
    cw_routes_free(routes);
    cw_network_free(ring);
    cw_network_free(crossbar);
}

/* On a ring with a root no route passes the switch opposite to it, and there is no deadlock. An endpoint stands for its
 * switch, whose name it is given by. */
static void routes_go_up_then_down(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:6");
    struct cw_routes *routes = NULL, *by_guid = NULL;
    struct cw_deadlock deadlock;
    must(route_by_file(ring, "updn", "roots", "# the root\nh2 # an endpoint\n", &routes));
    must(route_by_file(ring, "updn", "roots", "0x200002\n", &by_guid));
    assert_same(routes, by_guid);
    struct all_routes all = all_routes_of(routes);
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t h = 1; h + 1 < all.hops[i]; h++) {
            const uint32_t v = ring->head[all.channels[i * all.stride + h]];
            if (v == ring->n_endpoints + 5) assert_int_equal(all.dst[i], 5);
        }
    free_all_routes(&all);
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_true(deadlock.acyclic);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    cw_routes_free(by_guid);
    cw_network_free(ring);
}

/* Where all switches have endpoints they are equals, and down-up routing allows every path. */
static void equals_may_be_passed(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:5");
    struct cw_routes *dnup = routes_of(ring, "dnup"), *minhop = routes_of(ring, "minhop");
    assert_same(dnup, minhop);
    cw_routes_free(dnup);
    cw_routes_free(minhop);
    cw_network_free(ring);
}

static void dimensions_by_ports(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4", "torus:5x3x2", "torus:6x6", "mesh:4x3x2", "hypercube:5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *dor = routes_of(net, "dor:lanes=1"), *ports = routes_of(net, "dor-ports");
        assert_same(dor, ports);
        cw_routes_free(dor);
        cw_routes_free(ports);
        cw_network_free(net);
    }
}

/* Two switches and two cables between them, ports 3 and 4 of the first; h2 and h3 at the second. */
static void files_change_tables(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_builder *builder = cw_builder_new(4, 2, 6);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 0, 4 + e / 2, 0, 1, 0);
    for (int i = 0; i < 2; i++) cw_builder_cable(builder, 4, 0, 5, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    static const struct {
        const char *option, *text;
        uint32_t port[2]; /* index of switch 4's towards h2 and h3 */
    } cases[] = {{"order", "", {2, 3}},       {"order", "h3\nh0\n", {3, 2}},
                 {"ports", "s0 4\n", {3, 2}}, {"ports", "0x200000 9 4 4 3\n", {3, 2}},
                 {"ports", "s1 4\n", {2, 3}}, {"weights", "s0 3 2\n", {3, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must(route_by_file(net, "minhop", cases[i].option, cases[i].text, &routes));
        for (uint32_t d = 0; d < 2; d++) assert_int_equal(cw_routes_table_port(routes, 4, 2 + d), cases[i].port[d]);
        cw_routes_free(routes);
    }
    assert_refused(net, "minhop", "order", "h9\n", ":1: no vertex of the network in this file");
    assert_refused(net, "minhop", "ports", "s0\n", ":1: expected a switch and numbers of its ports");
    assert_refused(net, "minhop", "ports", "s0 0\n", "ports from 1 to 254");
    assert_refused(net, "minhop", "ports", "\nh0 1\n", ":2: no switch of the network in this file");
    assert_refused(net, "minhop", "ports", "s0 x\n", "'x', expected a switch and numbers");
    assert_refused(net, "minhop", "weights", "s0 3 255\n", "a weight from 1 to 254");
    assert_refused(net, "updn", "roots", "\n", "names no switch");
    cw_network_free(net);
}

/* What the network does not have is passed over and remarked, in all files of all engines alike. */
static void unknown_lines(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,2");
    static const struct {
        const char *engine, *option, *known, *more;
    } cases[] = {{"updn", "roots", "s2.1\n", "0xdead\ns2.1\nspine9\n"},
                 {"updn", "ids", "s2.1 7\n", "0xdead 9\ns2.1 7\nh0 8\n"},
                 {"minhop", "order", "h3\nh2\n", "h3\nnobody\nh2\n00000000deadbeef\n"},
                 {"minhop", "ports", "s1.0 6\n", "s1.9 5\ns1.0 6\nh0 1\n"},
                 {"minhop", "weights", "s1.0 5 3\n", "s1.9 5 2\ns1.0 5 3\ns1.8 6 2\n"},
                 {"updn", "roots", "s2.1\ns2.0\n", "s2.[1,0]\ns2.[2-3]\n"},
                 {"ftree", "roots", "s2.0\ns2.1\n", "s2.0\ns2.1\ns2.2\nh0\n"},
                 {"ftree", "roots", "s2.0\ns2.1\n", "s2.[0-3]\n"},
                 {"ftree", "compute", "h0\nh5\nh7\n", "h[0,5]\nh99\nh7,h8\nh[7]\n"},
                 {"ftree", "compute", "h0\nh5\nh7\n", "h0\nh5\nh99\nh7\ns2.0\n"},
                 {"ftree", "io", "h0\nh5\n", "s1.0\nh0\nh99\nh5\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_routes *known = NULL, *more = NULL;
        struct cw_inputs inputs = {0};
        cw_inputs_record(&inputs);
        must(route_by_file(net, cases[i].engine, cases[i].option, cases[i].known, &known));
        assert_int_equal(inputs.remarks.length, 0);
        must(route_by_file(net, cases[i].engine, cases[i].option, cases[i].more, &more));
        assert_non_null(strstr(inputs.remarks.data, ": 2 of "));
        cw_inputs_record(NULL);
        cw_inputs_free(&inputs);
        assert_same(known, more);
        cw_routes_free(known);
        cw_routes_free(more);
        assert_refused(net, cases[i].engine, cases[i].option, "nobody 1\n", ":1: no ");
    }
    assert_refused(net, "ftree", "roots", "# none\n", "names no switch");
    assert_refused(net, "updn", "roots", "s2.[0-\n", ":1: 's2.[0-': '[' without ']'");
    assert_refused(net, "ftree", "roots", "s1.0\ns1.1\ns1.2\ns1.3\n", "the roots have the compute nodes");
    cw_network_free(net);
}

/* GUIDs and numbers as OpenSM reads them, which live_files.py tells: those of C, and what is glued to them. */
static void opensm_lines(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,2");
    static const struct {
        const char *engine, *option, *plain, *other;
    } cases[] = {
        {"minhop", "order", "0x100000301\n0x100000001\n", "# x\r\n\t4294968065#h3\r\n\r\n 040000000001 h0"},
        {"minhop", "order", "0x100000301\n", "0x100000301\n0x100000200\n100000001\n"}, /* a node's, and a decimal one */
        {"updn", "ids", "0x200005 7\n0x200004 0\n", "0x200005 1\n0x200005 0x7 8 x\n0x200004\n"},
        {"minhop", "weights", "0x200000 5 3\n", "0x200000 05 0x3#x\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_routes *plain = NULL, *other = NULL;
        must(route_by_file(net, cases[i].engine, cases[i].option, cases[i].plain, &plain));
        must(route_by_file(net, cases[i].engine, cases[i].option, cases[i].other, &other));
        assert_same(plain, other);
        cw_routes_free(plain);
        cw_routes_free(other);
    }
    assert_refused(net, "minhop", "order", "0x100000301\n\n0x100000001,\n", ":3: OpenSM refuses this");
    assert_refused(net, "updn", "roots", "0x100000001\n", ":1: no vertex"); /* an endpoint's counts among ports only */
    assert_refused(net, "updn", "roots", "0x200005\n0002c90300a1b2c3\n", ":2: OpenSM refuses this");
    assert_refused(net, "updn", "ids", "0x200005 7x\n", ":1: '7x', expected a switch and numbers");
    assert_refused(net, "updn", "ids", "0x200005 7#x\n", ":1: '7#x', expected");
    cw_network_free(net);
}

/* The ways to a switch that is listed look at the endpoints before it only. Two cables join two switches. */
static void order_of_switches(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(4, 2, 6);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 0, 4 + e / 2, 0, 1, 0);
    for (int i = 0; i < 2; i++) cw_builder_cable(builder, 4, 0, 5, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    static const struct {
        const char *order;
        uint32_t port; /* of s0 to s1 */
    } cases[] = {{"", 3},
                 {"h2\ns1\n", 4},
                 {"s1\nh2\n", 3},
                 {"h2\nh3\ns1\n", 3},
                 {"s1\nh2\ns1\n", 3},
                 {"h2\nh2\n0x200001\nh3\n", 4},
                 {"s0\nh2\n", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(port_to_switch(net, cases[i].order), cases[i].port);
    cw_network_free(net);
}

/* Weights are hops of the way there: two cheap cables before one dear one. */
static void weights_add_up(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:3");
    struct cw_routes *routes = NULL;
    uint32_t path[8], hops;
    uint8_t lanes[8];
    must(route_by_file(ring, "minhop", "weights", "0x200000 2 3\n", &routes)); /* to the second switch */
    hops = walk(routes, 0, 1, path, lanes);
    assert_int_equal(hops, 4);
    assert_int_equal(walk(routes, 1, 0, path, lanes), 3);
    cw_routes_free(routes);
    cw_network_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots_are_found),
                                       cmocka_unit_test(shares_of_roots),
                                       cmocka_unit_test(parts_have_roots),
                                       cmocka_unit_test(steps_between_equals),
                                       cmocka_unit_test(met_again),
                                       cmocka_unit_test(refusal_and_remark),
                                       cmocka_unit_test(unknown_lines),
                                       cmocka_unit_test(routes_go_up_then_down),
                                       cmocka_unit_test(equals_may_be_passed),
                                       cmocka_unit_test(dimensions_by_ports),
                                       cmocka_unit_test(files_change_tables),
                                       cmocka_unit_test(opensm_lines),
                                       cmocka_unit_test(order_of_switches),
                                       cmocka_unit_test(weights_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
