/*
 * The tables of OpenSM's engines to all 2^LMC LIDs of each endpoint, and to switches, beside OpenSM's own: a fat tree
 * with LMC 1, and switches joined at random, several of them in one box, with LMC 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "packet_test.h"

#include "lft_test.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/packets/ways.h"
#include "route/routes_internal.h"
#include "route/service_levels.h"
#include "topo/topology.h"

static struct cw_routes *routes_of(const struct cw_network *net, const char *spec)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, spec, 1, 1, &routes));
    return routes;
}

static void check(const char *map, const char *file, const char *spec, uint32_t lids)
{
    char path[512];
    struct cw_network *net = fabric(map);
    struct cw_routes *own = routes_of(net, spec), *theirs = NULL;
    snprintf(path, sizeof path, FABRIC "%s", file);
    must(cw_lft_read_lids(net, path, CW_LIDS_MAX, NULL, &theirs));
    assert_int_equal(cw_routes_lids(own), lids);
    assert_int_equal(cw_routes_lids(theirs), lids);
    for (uint32_t i = 0; i < lids; i++) assert_same_tables(cw_routes_to_lid(own, i), cw_routes_to_lid(theirs, i));
    cw_routes_free(own);
    cw_routes_free(theirs);
    cw_network_free(net);
}

/* Without a parameter the LMC is the map's. */
static void tables_are_those_of_opensm(void **state)
{
    (void)state;
    check("two-level-lmc.ibnetdiscover", "two-level-lmc.lfts", "minhop", 2);
    check("two-level-lmc.ibnetdiscover", "two-level-lmc.lfts", "minhop:lmc=1", 2);
    check("boxes.ibnetdiscover", "boxes-minhop.lfts", "minhop", 8);
    check("boxes.ibnetdiscover", "boxes-dor.lfts", "dor-ports", 8);
}

/* The lines of TEXT that are about LIDs of switches, without the names. */
static struct cw_text switch_lines(const struct cw_text *text)
{
    struct cw_text found = {0};
    struct cw_lines lines = cw_lines_of("tables", text->data, text->length);
    while (cw_lines_next(&lines))
        if (memmem(lines.line, lines.length, "# Switch", 8)) cw_text_printf(&found, "%.48s\n", lines.line);
    return found;
}

static void check_switches(const char *map, const char *file, const char *spec)
{
    struct cw_network *net = fabric(map);
    struct cw_routes *routes = routes_of(net, spec);
    struct cw_text theirs = content(file), written = {0};
    must(cw_engine_to_switches(routes, spec, 1));
    must(cw_lft_write(routes, &written));
    struct cw_text expected = switch_lines(&theirs), found = switch_lines(&written);
    assert_true(expected.length > 500);
    assert_string_equal(found.data, expected.data);
    cw_text_free(&expected);
    cw_text_free(&found);
    cw_text_free(&theirs);
    cw_text_free(&written);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void ways_to_switches_are_those_of_opensm(void **state)
{
    (void)state;
    check_switches("two-level.ibnetdiscover", "two-level.lfts", "minhop");
    check_switches("two-level.ibnetdiscover", "two-level-updn.lfts", "updn");
    check_switches("three-level.ibnetdiscover", "three-level-ftree.lfts", "ftree");
    check_switches("boxes.ibnetdiscover", "boxes-minhop.lfts", "minhop");
    check_switches("boxes.ibnetdiscover", "boxes-dor.lfts", "dor-ports");
}

/* An LMC of 0 is what there is without one. */
static void no_lmc_is_one_table(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover"), *several = fabric("two-level-lmc.ibnetdiscover");
    struct cw_routes *plain = routes_of(net, "minhop"), *zero = routes_of(several, "minhop:lmc=0");
    assert_int_equal(cw_routes_lids(plain), 1);
    assert_int_equal(cw_routes_lids(zero), 1);
    assert_ptr_equal(cw_routes_to_lid(zero, 0), zero);
    assert_same_tables(plain, zero);
    cw_routes_free(plain);
    cw_routes_free(zero);
    cw_network_free(net);
    cw_network_free(several);
}

/* What is written is read back, LID by LID; endpoints of a network without LIDs get as many as there are tables. */
static void check_written(const struct cw_network *net, const char *spec)
{
    struct cw_text text = {0};
    struct cw_routes *routes = routes_of(net, spec), *again = NULL;
    char path[] = "/tmp/crosswind-lids-XXXXXX";
    close(mkstemp(path));
    must(cw_lft_write(routes, &text));
    must(cw_file_write(path, &text));
    must(cw_lft_read_lids(net, path, CW_LIDS_MAX, NULL, &again));
    assert_int_equal(cw_routes_lids(again), cw_routes_lids(routes));
    for (uint32_t i = 0; i < cw_routes_lids(routes); i++)
        assert_same_tables(cw_routes_to_lid(routes, i), cw_routes_to_lid(again, i));
    unlink(path);
    cw_text_free(&text);
    cw_routes_free(routes);
    cw_routes_free(again);
}

static void written_tables_are_read_back(void **state)
{
    (void)state;
    struct cw_network *map = fabric("boxes.ibnetdiscover"), *plain = fabric("boxes.net");
    check_written(map, "minhop");
    check_written(plain, "minhop:lmc=2");
    struct cw_routes *more = routes_of(map, "minhop:lmc=4");
    struct cw_text text = {0};
    assert_int_equal(cw_lft_write(more, &text), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "has 8 LIDs by the network file, but the routes lead to 16"));
    cw_text_free(&text);
    cw_routes_free(more);
    cw_network_free(map);
    cw_network_free(plain);
}

/* Records of the paths to each LID have the level of that LID: LIDs of endpoint e of N LIDs begin with N · (e + 1). */
static void records_are_by_lid(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    must(cw_topology_build("torus:5x5", &net));
    struct cw_routes *routes = routes_of(net, "dfsssp:lmc=1");
    struct cw_text records = {0};
    must(cw_path_records_write(routes, &records));
    const char *at = records.data;
    uint32_t others = 0;
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        at = strstr(at, "Channel Adapter");
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            for (uint32_t lid = 0; lid < 2 && dst != src; lid++) {
                unsigned told, level;
                uint32_t hops, path[16];
                uint8_t lanes[16];
                at = strstr(at, "\n0x");
                assert_int_equal(sscanf(at++, " 0x%x : %u", &told, &level), 2);
                assert_int_equal(told, 2 * (dst + 1) + lid);
                must(cw_routes_paths(cw_routes_to_lid(routes, lid), 1, &src, &dst, &hops, path, lanes));
                assert_int_equal(level, lanes[0]);
                others += level > 0;
            }
    }
    assert_true(others > 100);
    cw_text_free(&records);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Packets over all LIDs: each channel has the part of the routes that take it. */
static void shares_are_counts_of_routes(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    struct cw_routes *routes = routes_of(net, "minhop:lmc=3"), *over = NULL;
    const uint32_t most = cw_routes_max_hops(routes);
    uint32_t *path = calloc(most, sizeof *path), hops, several = 0;
    double *sum = calloc(net->n_channels, sizeof *sum);
    struct cw_ways ways;
    must(cw_ways_init(&ways, net));
    must(cw_routes_over_lids(routes_of(net, "minhop:lmc=3"), &over));
    assert_int_equal(cw_routes_kind(over), CW_ROUTES_WAYS);
    assert_string_equal(cw_routes_name(over), cw_routes_name(routes));
    assert_int_equal(cw_routes_need_paths(over), CW_EUSAGE);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            for (uint32_t i = 0; i < 8; i++) {
                must(cw_routes_paths(cw_routes_to_lid(routes, i), 1, &src, &dst, &hops, path, NULL));
                for (uint32_t h = 0; h < hops; h++) sum[path[h]] += 1.0 / 8;
            }
            must(cw_routes_ways(over, src, dst, &ways));
            for (size_t i = 0; i < ways.n; i++) {
                assert_true(ways.shares[i] == sum[ways.channels[i]]); /* eighths: exact */
                sum[ways.channels[i]] = 0;
            }
            for (uint32_t c = 0; c < net->n_channels; c++) assert_true(sum[c] == 0);
            several += ways.n > most;
        }
    assert_true(several > 0);
    free(path);
    free(sum);
    cw_ways_free(&ways);
    cw_routes_free(over);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* A LID to which no route leads is an error, and the workspace is as good as before. */
static void a_hole_to_one_lid(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_lft *holes = NULL;
    struct cw_routes *routes = routes_of(net, "minhop"), *empty = NULL, *over = NULL, *whole = NULL;
    struct cw_ways ways;
    must(cw_ways_init(&ways, net));
    must(cw_lft_new(net, &holes));
    must(cw_lft_finish(holes, "none", &empty));
    cw_routes_add_lid(routes, empty);
    must(cw_routes_over_lids(routes, &over));
    must(cw_routes_over_lids(routes_of(net, "minhop:lmc=1"), &whole));
    const uint32_t far = net->n_endpoints - 1;
    assert_int_equal(cw_routes_ways(over, 0, far, &ways), CW_EROUTE);
    assert_int_equal(ways.n, 0);
    must(cw_routes_ways(whole, 0, far, &ways));
    assert_true(ways.shares[0] == 1 && ways.channels[0] == net->first[0]);
    cw_ways_free(&ways);
    cw_routes_free(over);
    cw_routes_free(whole);
    cw_network_free(net);
}

/* Packets follow the routes to the LID that they draw, on their lanes, whoever sends them. */
static void packets_follow_the_lid_they_draw(void **state)
{
    (void)state;
    static const char *const specs[] = {"dfsssp:lmc=1", "minhop:lmc=2"};
    uint32_t others = 0, laned = 0;
    struct cw_network *net = network_of("torus:5x5");
    for (size_t s = 0; s < 2; s++) {
        struct cw_routes *routes = routes_of(net, specs[s]);
        const struct cw_routes *over = NULL;
        struct cw_packet_routing *routing = NULL;
        must(cw_packet_routing_over_lids(net, specs[s], 1, 1, &routing, &over));
        const uint32_t n = cw_routes_lids(routes), most = cw_routes_max_hops(routes);
        assert_int_equal(n, 2 << s);
        assert_int_equal(cw_routes_lids(over), n);
        assert_string_equal(cw_packet_routing_spec(routing), specs[s]);
        for (uint32_t pair = 0; pair < net->n_endpoints * net->n_endpoints; pair++)
            for (uint32_t lid = 0; lid < n; lid++) {
                uint32_t src = pair / net->n_endpoints, dst = pair % net->n_endpoints, hops, path[MOST_HOPS];
                uint8_t lanes[MOST_HOPS];
                if (src == dst || most > MOST_HOPS) continue;
                must(cw_routes_paths(cw_routes_to_lid(routes, lid), 1, &src, &dst, &hops, path, lanes));
                struct cw_packet packet = inject(routing, NULL, cw_random_for_choice(lid, n), src, dst);
                struct cw_hop in = {CW_NONE, 0}, hop;
                for (uint32_t h = 1; h < hops; h++, in = hop) {
                    assert_int_equal(candidates(routing, net->tail[path[h]], in, NULL, 0, &packet, &hop, 1), 1);
                    assert_int_equal(hop.channel, path[h]);
                    assert_int_equal(hop.lane, h + 1 < hops ? lanes[h] : 0);
                    laned += hop.lane > 0;
                }
                others += lid > 0 && hops > 3;
            }
        cw_packet_routing_free(routing);
        cw_routes_free(routes);
    }
    assert_true(others > 1000 && laned > 100);
    cw_network_free(net);
}

/* Routes of SPECS, one to each of two LIDs, as a packet routing. */
static int packets_of_two(const struct cw_network *net, const char *const *specs, struct cw_packet_routing **out)
{
    struct cw_routes *routes = routes_of(net, specs[0]);
    cw_routes_add_lid(routes, routes_of(net, specs[1]));
    must(cw_routes_over_lids(routes, &routes));
    return cw_packet_routing_of_routes(routes, out);
}

/* The check for deadlocks counts the routes to all LIDs; lanes must be known of all. */
static void all_lids_are_checked(void **state)
{
    (void)state;
    static const char *const sound[] = {"updn", "updn"}, *const circle[] = {"updn", "minhop"},
                             *const laned[] = {"minhop", "dfsssp"};
    struct cw_network *net = network_of("torus:5");
    struct cw_packet_routing *routing = NULL;
    const struct cw_routes *over;
    must(packets_of_two(net, sound, &routing));
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    must(packets_of_two(net, circle, &routing));
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "can deadlock"));
    cw_packet_routing_free(routing);
    assert_int_equal(packets_of_two(net, laned, &routing), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "for some LIDs only"));
    must(cw_packet_routing_over_lids(net, "dor", 1, 1, &routing, &over)); /* one LID: nothing to draw */
    assert_null(over);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_opensm),  cmocka_unit_test(ways_to_switches_are_those_of_opensm),
        cmocka_unit_test(no_lmc_is_one_table),         cmocka_unit_test(written_tables_are_read_back),
        cmocka_unit_test(shares_are_counts_of_routes), cmocka_unit_test(a_hole_to_one_lid),
        cmocka_unit_test(records_are_by_lid),          cmocka_unit_test(packets_follow_the_lid_they_draw),
        cmocka_unit_test(all_lids_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
