/*
 * torus-2qos: the tables, service levels and lanes that OpenSM gave a torus; rules of datelines, of parallel cables and
 * of failures. That random tori with failures are routed as OpenSM does is live_torus.py's.
 */
#include "net/network_internal.h"
#include "route_test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "lft_test.h"
#include "net/builder.h"
#include "net/faults.h"
#include "net/files/formats.h"
#include "route/check.h"
#include "route/files/lft_file.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"
#include "topo/recognise.h"

#define LEVELS  CW_TEST_DATA "/golden/levels/torus-3x5"
#define SEED_XY "xp_link 0x200000 0x200001\nyp_link 0x200000 0x200003\n"

#define NAMES_XY "xp_link s(0,0) s(1,0)\nyp_link s(0,0) s(0,1)\n" /* GUIDs are by number, without what has failed */

/* NET, which it takes over, without FAILED, recognised for what it is. */
static struct cw_network *network_without(struct cw_network *net, const char *failed)
{
    struct cw_faults *faults = NULL;
    struct cw_network *left = NULL;
    must(cw_faults_new(net, &faults));
    must(cw_faults_fail(faults, "failed", failed, 0));
    must(cw_network_with_faults(faults, &left));
    must(cw_network_recognise(left));
    if (!left->places) must(cw_faults_keep_places(faults, left));
    cw_faults_free(faults);
    cw_network_free(net);
    return left;
}

/* With a configuration of TEXT. 0 or the error. */
static int route_by(const struct cw_network *net, const char *text, unsigned n_threads, struct cw_routes **out)
{
    char path[] = "/tmp/crosswind-test-XXXXXX", spec[128];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    snprintf(spec, sizeof spec, "torus-2qos:%s", path);
    const int rc = cw_engine_route(net, spec, 0, n_threads, out);
    unlink(path);
    return rc;
}

static void assert_refused(const struct cw_network *net, const char *text, const char *message)
{
    struct cw_routes *routes = NULL;
    assert_true((text ? route_by(net, text, 1, &routes) : cw_engine_route(net, "torus-2qos", 0, 1, &routes)) < 0);
    assert_null(routes);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
}

static void assert_same_levels(const struct cw_service_levels *a, const struct cw_service_levels *b)
{
    const struct cw_network *net = a->net;
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            if (src != dst) assert_int_equal(cw_service_levels_of(a, src, dst), cw_service_levels_of(b, src, dst));
    for (uint32_t out = 0; out < net->n_channels; out++)
        for (uint32_t in = net->first[net->tail[out]]; in < net->first[net->tail[out] + 1]; in++)
            for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS && in != out; sl++) {
                const uint32_t before = cw_network_is_endpoint(net, net->tail[out]) ? CW_NONE : net->twin[in];
                assert_int_equal(cw_service_levels_lane(a, before, out, sl),
                                 cw_service_levels_lane(b, before, out, sl));
            }
}

/* Dumped by OpenSM 3.3.23 (tests/golden/levels/README.md). */
static void opensm_has_the_same(void **state)
{
    (void)state;
    static const char *const configs[] = {"torus 3 5 1\n" SEED_XY, "  torus 3T 5t 1 # sizes\r\n\n#\n" SEED_XY};
    struct cw_network *net = NULL;
    struct cw_routes *theirs = NULL;
    struct cw_service_levels *levels = NULL;
    must(cw_network_read(LEVELS ".ibnetdiscover", &net));
    must(cw_lft_read(net, LEVELS "-2qos.lfts", NULL, &theirs));
    must(cw_service_levels_read(net, LEVELS "-2qos.path-records", LEVELS "-2qos.sl2vl", &levels));
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct cw_routes *routes = NULL;
        must(route_by(net, configs[i], 2, &routes));
        assert_same_tables(routes, theirs);
        assert_same_levels(routes->levels, levels);
        cw_routes_free(routes);
    }
    cw_service_levels_free(levels);
    cw_routes_free(theirs);
    cw_network_free(net);
}

/* The shape says what a file would; the dateline is between the last coordinate and 0, wherever the seed is. */
static void datelines_are_moved(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:3x5");
    struct cw_routes *shape = routes_of(net, "torus-2qos"), *origin = NULL, *moved = NULL, *other = NULL;
    must(route_by(net, "torus 3 5 1\n" SEED_XY, 1, &origin));
    must(route_by(net, "torus 3 5 1\nxm_link 0x200004 s(0,1)\nyp_link 2097156 s(1,2)\nx_dateline -1\ny_dateline 4\n", 1,
                  &moved));
    must(route_by(net, "torus 3 5 1\nxm_link 0x200004 s(0,1)\nyp_link 2097156 s(1,2)\n", 1, &other));
    assert_same_tables(shape, origin);
    assert_same_levels(shape->levels, origin->levels);
    assert_same_tables(shape, moved);
    assert_same_levels(shape->levels, moved->levels);
    assert_same_tables(shape, other);                                       /* odd rings have no half-way */
    assert_int_equal(cw_service_levels_of(shape->levels, 0, 2), 1);         /* x from 0 to 2, by the dateline */
    assert_int_equal(cw_service_levels_of(shape->levels, 0, 14), 3);        /* and y from 0 to 4 */
    assert_int_equal(cw_service_levels_of(other->levels, 0, 14), 0);        /* from (2,4) to (1,3) */
    assert_int_equal(cw_service_levels_of(other->levels, 1, 3 * 4 + 0), 1); /* from (0,4) to (2,3) */
    cw_routes_free(shape);
    cw_routes_free(origin);
    cw_routes_free(moved);
    cw_routes_free(other);
    cw_network_free(net);
}

/* The examples of torus-2QoS(8): the switches from (1,1) to (3,3) of a 6x5 torus. */
static void examples_of_the_manual(void **state)
{
    (void)state;
    static const struct {
        const char *failed;
        uint32_t n, at[8];
    } cases[] = {{"s(1,4)-s(2,4)", 5, {7, 8, 9, 15, 21}}, /* elsewhere */
                 {"s(1,1)-s(2,1)", 7, {7, 6, 11, 10, 9, 15, 21}},
                 {"s(3,1)", 5, {7, 8, 14, 15, 21}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_without(network_of("torus:6x5"), cases[i].failed);
        struct cw_routes *routes = routes_of(net, "torus-2qos");
        const uint32_t src = 7, dst = 21;
        uint32_t hops, channels[64];
        char name[CW_NAME_SIZE], expected[CW_NAME_SIZE];
        must(cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL));
        assert_int_equal(hops, cases[i].n + 1);
        for (uint32_t h = 0; h < cases[i].n; h++) {
            snprintf(expected, sizeof expected, "s(%u,%u)", cases[i].at[h] % 6, cases[i].at[h] / 6);
            assert_string_equal(cw_network_name(net, net->head[channels[h]], name, sizeof name), expected);
        }
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* A ring of four is a square itself, but not one of a corner. */
static void rings_of_four(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x5");
    struct cw_routes *routes = NULL, *shape = routes_of(net, "torus-2qos");
    must(route_by(net,
                  "torus 4 5 1\nxp_link s(0,1) s(1,1)\nxm_link s(0,1) s(3,1)\nyp_link s(0,1) s(0,2)\ny_dateline -1\n",
                  1, &routes));
    assert_same_tables(routes, shape);
    assert_same_levels(routes->levels, shape->levels);
    cw_routes_free(routes);
    cw_routes_free(shape);
    cw_network_free(net);
}

/* Half-way round, routes go the way that does not pass the dateline. */
static void half_way_round(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x6");
    struct cw_routes *routes = routes_of(net, "torus-2qos");
    for (uint32_t x = 0; x < 4; x++) {
        const uint32_t dst = (x + 2) % 4, port = cw_routes_table_port(routes, net->n_endpoints + x, dst);
        assert_int_equal(net->head[net->first[net->n_endpoints + x] + port],
                         net->n_endpoints + (x < 2 ? x + 1 : x - 1));
        assert_int_equal(cw_service_levels_of(routes->levels, x, dst), 0);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Whatever has failed, levels stay, every pair that is there has a route, and there is no deadlock. */
static void failures_keep_levels(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"torus:5x5", "s(1,1)-s(2,1)"},
                                           {"torus:5x5", "s(3,1)"},
                                           {"torus:4x4x4", "s(0,0,0)"},
                                           {"torus:4x3x5", "s(1,1,1),s(1,1,2),s(0,0,0)-s(0,0,1),s(3,2,1)-s(3,2,0)"},
                                           {"torus:2x5x3", "s(0,1,1)"},
                                           {"torus:6x3", "s(2,0)-s(3,0),s(2,1)-s(3,1),s(5,2)"},
                                           {"mesh:3x3", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *whole = network_of(cases[i][0]), *net = network_of(cases[i][0]);
        if (cases[i][1]) net = network_without(net, cases[i][1]);
        struct cw_routes *before = routes_of(whole, "torus-2qos"), *after = routes_of(net, "torus-2qos");
        struct cw_deadlock deadlock;
        must(cw_routes_deadlock(after, 0, 2, &deadlock));
        assert_true(deadlock.acyclic);
        cw_deadlock_free(&deadlock);
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
                uint32_t hops, channels[64];
                if (src == dst || cw_network_degree(net, src) == 0 || cw_network_degree(net, dst) == 0) continue;
                assert_in_range(cw_routes_max_hops(after), 1, 64);
                must(cw_routes_paths(after, 1, &src, &dst, &hops, channels, NULL));
                assert_int_equal(cw_service_levels_of(after->levels, src, dst),
                                 cw_service_levels_of(before->levels, src, dst));
            }
        cw_routes_free(before);
        cw_routes_free(after);
        cw_network_free(whole);
        cw_network_free(net);
    }
}

/* Two switches with three cables and four endpoints each: these take turns, in the order of ports. */
static void cables_take_turns(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL, *ordered = NULL;
    struct cw_builder *builder = cw_builder_new(8, 2, 11);
    for (uint32_t e = 0; e < 8; e++) cw_builder_cable(builder, e, 0, 8 + e / 4, 0, 1, 0);
    for (uint32_t i = 0; i < 3; i++) cw_builder_cable(builder, 8, 0, 9, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    must(route_by(net, "mesh 2 1 1\nxp_link s0 s1\n", 1, &routes));
    must(route_by(net, "mesh 2 1 1\nport_order 3 3 1\nxp_link s0 s1\n", 1, &ordered));
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t turns[] = {1, 2, 0, 0}; /* ports 3, 1, 2, 4 */
        assert_int_equal(cw_routes_table_port(routes, 8, 4 + i), 4 + i % 3);
        assert_int_equal(cw_routes_table_port(ordered, 8, 4 + i), 4 + turns[i]);
    }
    assert_refused(net, "mesh 2 1 1\nport_order 9\nxp_link s0 s1\n", "port_order names port 9, and s0 has 7 ports");
    assert_refused(net, "mesh 2 1 1\nportgroup_max_ports 4\nxp_link s0 s1\n",
                   "s0 has 4 endpoints, with its own port more");
    cw_routes_free(routes);
    cw_routes_free(ordered);
    cw_network_free(net);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *network, *failed, *config, *message;
    } cases[] = {
        {"torus:5x5", "s(1,1),s(3,2)", NULL, "2 of its 25 switches are not found, at (1,1,0) and (3,2,0)"},
        {"torus:5x3", "s(1,1)-s(2,1),s(3,1)-s(4,1)", NULL, "the ring along x through (0,1,0) is broken in 2 pieces"},
        {"mesh:5x4", "s(1,1)-s(2,1)", NULL, "the line along x through (0,1,0) is broken in 2 pieces"},
        {"torus:2x2x3", "s(0,1,0),s(0,1,1),s(0,1,2)", NULL, "no root of multicast trees"},
        {"torus:6", NULL, NULL, "in one dimension"},
        {"dragonfly:2,4,2", NULL, NULL, "it needs a torus or mesh of at most 3 dimensions"},
        {"torus:3x3x3x3", NULL, NULL, "it needs a torus or mesh of at most 3 dimensions"},
        {"torus:3x5", NULL, "torus 3 5 1\nxp_link s(0,0) s(1,0)\nyp_link s(0,0) s(1,0)\n", "would stand at two places"},
        {"torus:3x5", NULL, "torus 3 5 1\nxp_link s(0,0) s(1,0)\n", "there is no yp_link and no ym_link"},
        {"torus:4x5", NULL, "torus 4 5 1\nxp_link s(0,0) s(1,0)\nyp_link s(0,0) s(0,1)\n",
         "x has size 4, and only xp_link"},
        {"torus:3x5", NULL, "torus 3 5 1\nxp_link s(0,0) s(1,0)\nyp_link s(1,0) s(1,1)\n", "yp_link does not begin at"},
        {"torus:3x5", "s(0,0)", "torus 3 5 1\n" NAMES_XY, "a switch of every seed is missing"},
        {"torus:3x5", NULL, SEED_XY, "no line says the sizes"},
        {"torus:3x5", NULL, "torus 3 5\n", ":1: the line ends here, expected three sizes"},
        {"torus:3x5", NULL, "torus 3 5 1\ntorus 3 5 1\n", ":2: 'torus', expected the sizes once"},
        {"torus:3x5", NULL, "torus 3 5 1\nx_dateline 3\n", ":2: '3', expected a number that is less"},
        {"torus:3x5", NULL, "torus 3 5 1\nport_order 1 x\n", ":2: 'x', expected numbers of ports"},
        {"torus:3x5", NULL, "torus 3 5 1\nw_link s(0,0) s(1,0)\n", ":2: 'w_link', expected torus, mesh, xp_link"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        if (cases[i].failed) net = network_without(net, cases[i].failed);
        assert_refused(net, cases[i].config, cases[i].message);
        cw_network_free(net);
    }
}

/* The seed that follows is taken if a switch of the first has failed. */
static void seeds_follow(void **state)
{
    (void)state;
    struct cw_network *net = network_without(network_of("torus:3x5"), "s(1,0)");
    struct cw_routes *routes = NULL, *shape = routes_of(net, "torus-2qos");
    must(route_by(net,
                  "torus 3 5 1\n" NAMES_XY "next_seed\nxm_link s(2,2) s(1,2)\nyp_link s(2,2) s(2,3)\n"
                  "x_dateline -2\ny_dateline -2\nmax_changes 5\n",
                  1, &routes));
    assert_same_tables(routes, shape);
    assert_same_levels(routes->levels, shape->levels);
    assert_int_equal(cw_routes_lanes(routes), 4); /* turns against the order around the gap */
    cw_routes_free(routes);
    cw_routes_free(shape);
    cw_network_free(net);
}

/* SPEC without FAILED (NULL: nothing) is routed by its shape as it is by the file of TEXT. */
static void assert_seeded(const char *spec, const char *failed, const char *text)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = NULL, *shape;
    if (failed) net = network_without(net, failed);
    shape = routes_of(net, "torus-2qos");
    must(route_by(net, text, 1, &routes));
    assert_same_tables(routes, shape);
    assert_same_levels(routes->levels, shape->levels);
    cw_routes_free(routes);
    cw_routes_free(shape);
    cw_network_free(net);
}

/* The first switch whose neighbours are there is the seed; at the far edge of a mesh they are behind it. */
static void seeds_of_shapes(void **state)
{
    (void)state;
    assert_seeded("mesh:4x5", NULL, "mesh 4 5 1\nxp_link s(0,0) s(1,0)\nyp_link s(0,0) s(0,1)\n");
    assert_seeded("torus:2x5", NULL, "torus 2m 5 1\nxp_link s(0,0) s(1,0)\nyp_link s(0,0) s(0,1)\n");
    assert_seeded("torus:2x5", "s(0,1)", "torus 2m 5 1\nxm_link s(1,0) s(0,0)\nyp_link s(1,0) s(1,1)\nx_dateline -1\n");
    assert_seeded("torus:2x3x5", "s(0,0,1)",
                  "torus 2m 3 5\nxm_link s(1,0,0) s(0,0,0)\nyp_link s(1,0,0) s(1,1,0)\nzp_link s(1,0,0) s(1,0,1)\n"
                  "x_dateline -1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opensm_has_the_same),    cmocka_unit_test(datelines_are_moved),
        cmocka_unit_test(examples_of_the_manual), cmocka_unit_test(rings_of_four),
        cmocka_unit_test(half_way_round),         cmocka_unit_test(failures_keep_levels),
        cmocka_unit_test(cables_take_turns),      cmocka_unit_test(what_is_refused),
        cmocka_unit_test(seeds_follow),           cmocka_unit_test(seeds_of_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
