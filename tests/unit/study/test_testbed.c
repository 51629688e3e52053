/* Testbeds: the plan is the network, its routes are those of the routing, names and addresses are ones that Linux
 * takes, and the script says what the plan says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/lft.h"
#include "study/testbed/testbed_script.h"
#include "topo/topology.h"

#define RATE 12.5e6 /* byte/s: 100 Mbit/s */

static struct cw_network *net;
static struct cw_routes *routes;
static struct cw_testbed testbed;
static const uint32_t all[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static void route(const char *spec, const char *routing)
{
    if (cw_topology_build(spec, &net) || cw_engine_route(net, routing, 1, 1, &routes))
        fail_msg("%s", cw_error_message());
}

static void plan(const uint32_t *hosts, uint32_t n)
{
    if (cw_testbed_plan(routes, hosts, n, RATE, 1, &testbed)) fail_msg("%s", cw_error_message());
}

static void end(void)
{
    cw_testbed_free(&testbed);
    cw_routes_free(routes);
    cw_network_free(net);
    routes = NULL;
    net = NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static const struct cw_testbed_route *route_at(uint32_t node, uint32_t host)
{
    const struct cw_testbed_route *found = NULL;
    for (size_t i = 0; i < testbed.n_routes; i++) {
        const struct cw_testbed_route *one = &testbed.routes[i];
        if (one->node != node || one->host != host) continue;
        assert_null(found);
        found = one;
    }
    return found;
}

/* Follows the plan's routes from A to B beside the walk of the network's. */
static void check_walk(uint32_t a, uint32_t b)
{
    struct cw_walk walk = {0};
    uint32_t node = a;
    assert_int_equal(cw_walk_begin(&walk, routes, testbed.nodes[a].vertex, testbed.nodes[b].vertex), 0);
    for (struct cw_hop hop; cw_walk_candidates(&walk, &hop, 1) == 1; cw_walk_take(&walk, hop)) {
        const struct cw_testbed_route *one = route_at(node, b);
        assert_non_null(one);
        assert_int_equal(testbed.links[one->link].node, node);
        assert_int_equal(testbed.links[one->link].channel, hop.channel);
        node = testbed.links[testbed.links[one->link].peer].node;
        assert_int_equal(testbed.nodes[node].vertex, net->head[hop.channel]);
    }
    assert_int_equal(node, b);
    cw_walk_end(&walk);
}

static void check_links(void)
{
    for (uint32_t i = 0; i < testbed.n_links; i++) {
        const struct cw_testbed_link *link = &testbed.links[i], *peer = &testbed.links[link->peer];
        assert_int_equal(peer->peer, i);
        assert_int_equal(net->twin[link->channel], peer->channel);
        assert_int_equal(testbed.nodes[link->node].vertex, net->tail[link->channel]);
        for (uint32_t j = 0; j < i; j++)
            assert_false(testbed.links[j].node == link->node && strcmp(testbed.links[j].device, link->device) == 0);
    }
}

static void check_nodes(void)
{
    for (uint32_t i = 0; i < testbed.n_nodes; i++) {
        const struct cw_testbed_node *node = &testbed.nodes[i];
        assert_int_equal(i < testbed.n_hosts, cw_network_is_endpoint(net, node->vertex));
        assert_true(islower(node->name[0]));
        for (const char *c = node->name; *c; c++) assert_true(islower(*c) || isdigit(*c) || *c == '-');
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(node->name, testbed.nodes[j].name);
            assert_string_not_equal(node->address, testbed.nodes[j].address);
        }
    }
}

/* Fat trees, also one whose hosts have two cables, a torus, a dragonfly, parallel cables. */
static void test_plans(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *routing;
        uint32_t switches, cables;
    } cases[] = {{"xgft:2:4,2:1,2", NULL, 4, 12}, {"xgft:2:4,2:1,2", "minhop", 4, 12},
                 {"xgft:2:2,2:2,2", NULL, 8, 16}, {"xgft:2:4,2:1,2:1,2", NULL, 4, 16},
                 {"torus:4x4", NULL, 16, 48},     {"dragonfly:1,2,1", NULL, 6, 12},
                 {"crossbar:16", NULL, 1, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        route(cases[i].spec, cases[i].routing);
        plan(all, net->n_endpoints);
        assert_int_equal(testbed.n_nodes - testbed.n_hosts, cases[i].switches);
        assert_int_equal(testbed.n_links, 2 * cases[i].cables);
        check_nodes();
        check_links();
        for (uint32_t a = 0; a < testbed.n_hosts; a++)
            for (uint32_t b = 0; b < testbed.n_hosts; b++)
                if (a != b) check_walk(a, b);
        end();
    }
}

/* Every switch can answer every host: a route there, which arrives within the plan. */
static void test_switches_answer(void **state)
{
    (void)state;
    route("xgft:2:4,2:1,2", NULL);
    plan(all, 8);
    for (uint32_t v = testbed.n_hosts; v < testbed.n_nodes; v++)
        for (uint32_t host = 0; host < testbed.n_hosts; host++) {
            uint32_t node = v;
            for (int hops = 0; node != host; hops++) {
                const struct cw_testbed_route *one = route_at(node, host);
                assert_non_null(one);
                assert_in_range(hops, 0, 3);
                node = testbed.links[testbed.links[one->link].peer].node;
            }
        }
    end();
}

/* Two neighbours of a large torus and nothing else, in the order in which they were given. */
static void test_subset(void **state)
{
    (void)state;
    static const uint32_t hosts[] = {9, 8};
    route("torus:8x8", NULL);
    plan(hosts, 2);
    assert_int_equal(testbed.n_nodes, 4);
    assert_int_equal(testbed.n_links, 6);
    assert_int_equal(testbed.nodes[0].vertex, 9);
    assert_string_equal(testbed.nodes[0].address, "10.78.0.1");
    assert_string_equal(testbed.nodes[1].address, "10.78.0.2");
    assert_string_equal(testbed.nodes[3].address, "10.78.1.2");
    end();
}

/* --- a network by hand -------------------------------------------------------------------------------------------- */

/* Hosts at one switch, the last one's channel to it at half the capacity of all others, and back at a quarter. */
static void build_star(uint32_t n, const char *const *names)
{
    struct cw_builder *builder = cw_builder_new(n, 1, n);
    for (uint32_t i = 0; i < n; i++) {
        cw_builder_cable(builder, i, 0, n, 10 + i, i + 1 < n ? 4e9 : 2e9, 0);
        if (i + 1 == n) cw_builder_back(builder, 1e9, 0);
    }
    for (uint32_t i = 0; names && i <= n; i++) cw_builder_name(builder, i, names[i]);
    cw_builder_title(builder, "a star");
    if (cw_builder_finish(builder, &net) || cw_engine_route(net, "minhop", 1, 1, &routes))
        fail_msg("%s", cw_error_message());
}

static void test_rates(void **state)
{
    (void)state;
    build_star(3, NULL);
    plan(all, 3);
    for (size_t i = 0; i < testbed.n_links; i++) {
        const struct cw_testbed_link *link = &testbed.links[i];
        const uint64_t rate = link->node == 2 ? 50000000 : strcmp(link->device, "p12") == 0 ? 25000000 : 100000000;
        assert_int_equal(link->rate, rate);
    }
    cw_testbed_free(&testbed);
    assert_int_equal(cw_testbed_plan(routes, all, 3, 3000, 1, &testbed), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "would get 6 kbit/s, but rates"));
    end();
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"Node 1 (HCA-1)", "node-1-hca/1", "10.0.0.1", "--", "localhost", "a_b", "a.b"};
    static const char *const expected[] = {"node-1-hca-1", "node-1-hca-1-2", "n10-0-0-1", "n", "localhost-2",
                                           "a-b",          "a-b-2"};
    build_star(6, names);
    plan(all, 6);
    for (size_t i = 0; i < 7; i++) assert_string_equal(testbed.nodes[i].name, expected[i]);
    end();
}

/* --- the script --------------------------------------------------------------------------------------------------- */

/* What the nodes of a star are told; the cases of the command line have a whole script. */
static const char host_script[] = "ip -n ${p}h1 -batch - <<.\n"
                                  "link set lo up\n"
                                  "addr add 10.78.0.2/24 dev eth0 noprefixroute\n"
                                  "link set eth0 up\n"
                                  "neigh add 10.78.1.1 lladdr 02:00:00:00:00:03 dev eth0 nud permanent\n"
                                  "route add 10.78.0.1/32 via 10.78.1.1 dev eth0 onlink src 10.78.0.2\n"
                                  ".\n"
                                  "tc -n ${p}h1 -batch - <<.\n"
                                  "qdisc add dev eth0 root tbf rate 50000000bit burst 32768 limit 7000\n"
                                  ".\n";
static const char switch_script[] = "ip -n ${p}s0 -batch - <<.\n"
                                    "link set lo up\n"
                                    "addr add 10.78.1.1/32 dev lo\n"
                                    "link set p10 up\n"
                                    "neigh add 10.78.0.1 lladdr 02:00:00:00:00:00 dev p10 nud permanent\n"
                                    "link set p11 up\n"
                                    "neigh add 10.78.0.2 lladdr 02:00:00:00:00:01 dev p11 nud permanent\n"
                                    "route add 10.78.0.1/32 via 10.78.0.1 dev p10 onlink src 10.78.1.1\n"
                                    "route add 10.78.0.2/32 via 10.78.0.2 dev p11 onlink src 10.78.1.1\n"
                                    ".\n"
                                    "tc -n ${p}s0 -batch - <<.\n"
                                    "qdisc add dev p10 root tbf rate 100000000bit burst 32768 limit 7000\n"
                                    "qdisc add dev p11 root tbf rate 25000000bit burst 32768 limit 7000\n"
                                    ".\n";
static const char cable_script[] = "ip -n ${p}h1 -batch - <<.\n"
                                   "link add eth0 address 02:00:00:00:00:01 type veth peer name p11 "
                                   "address 02:00:00:00:00:03 netns ${p}s0\n"
                                   ".\n";

static void test_script(void **state)
{
    (void)state;
    static const struct cw_testbed_place place = {"crosswind-5-", "/run/crosswind-testbed/5", 7000, 3, true};
    static const char *const parts[] = {
        host_script,        switch_script, cable_script,
        "p=crosswind-5-\n", "# a\\x0ab\n", "for n in h0 h1; do new $n 0; done\nfor n in s0; do new $n 1; done\n"};
    struct cw_text text = {0};
    build_star(2, NULL);
    plan(all, 2);
    cw_testbed_make_script(&testbed, &place, "a\nb", &text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text.data, parts[i])) fail_msg("missing:\n%s\nin:\n%s", parts[i], text.data);
    cw_text_free(&text);
    cw_testbed_hosts(&testbed, &text);
    assert_string_equal(text.data, "127.0.0.1 localhost\n10.78.0.1 h0\n10.78.0.2 h1\n10.78.1.1 s0\n");
    cw_text_free(&text);
    cw_testbed_slots(&testbed, &place, " slots=", &text);
    cw_testbed_slots(&testbed, &place, ":", &text);
    assert_string_equal(text.data, "h0 slots=3\nh1 slots=3\nh0:3\nh1:3\n");
    cw_text_free(&text);
    end();
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refuse(uint32_t n, int code, const char *why)
{
    assert_int_equal(cw_testbed_plan(routes, all, n, RATE, 1, &testbed), code);
    if (!strstr(cw_error_message(), why)) fail_msg("%s", cw_error_message());
    end();
}

static void test_refusals(void **state)
{
    (void)state;
    route("xgft:2:4,5:1,2", NULL);
    refuse(17, CW_ELIMIT, "17 hosts");
    route("crossbar:16", NULL);
    refuse(1, CW_EUSAGE, "two hosts");
    route("xgft:2:4,2:1,2", "smodk");
    refuse(8, CW_EUSAGE, "depend on the source");
    route("mesh:32", NULL);
    plan(all, 16);
    assert_int_equal(testbed.n_nodes, 32);
    end();
}

/* A line of 21 switches with a host at either end: one too many; a line of 20 is not. */
static void test_switches(void **state)
{
    (void)state;
    static const uint32_t ends[] = {0, 20}, within[] = {0, 19};
    route("mesh:32", NULL);
    plan(within, 2);
    assert_int_equal(testbed.n_nodes, 22);
    cw_testbed_free(&testbed);
    assert_int_equal(cw_testbed_plan(routes, ends, 2, RATE, 1, &testbed), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "more than 20 switches"));
    end();
}

/* A hole on the way between two hosts is not filled. */
static void test_hole(void **state)
{
    (void)state;
    struct cw_lft *tables;
    route("torus:4x4", NULL);
    cw_routes_free(routes);
    assert_int_equal(cw_lft_new(net, &tables), 0);
    for (uint32_t v = 16; v < 32; v++)
        for (uint32_t dst = 0; dst < 16; dst++)
            if (v == dst + 16) cw_lft_set(tables, v, dst, 0);
    assert_int_equal(cw_lft_finish(tables, "holes", &routes), 0);
    refuse(2, CW_EROUTE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),    cmocka_unit_test(test_switches_answer), cmocka_unit_test(test_subset),
        cmocka_unit_test(test_rates),    cmocka_unit_test(test_names),           cmocka_unit_test(test_script),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_switches),        cmocka_unit_test(test_hole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
