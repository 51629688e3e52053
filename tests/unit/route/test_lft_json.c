/*
 * Forwarding tables as JSON: what is written is read back, with LIDs, ways to switches and service levels, and what is
 * wrong is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "lft_test.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/service_levels.h"
#include "route/switch_ways.h"
#include "route_test.h"

static void assert_same_ways(const struct cw_routes *a, const struct cw_routes *b)
{
    const size_t n = cw_network_switches(cw_routes_network(a));
    uint8_t *x = NULL, *y = NULL;
    must(cw_switch_ways(a, &x));
    must(cw_switch_ways(b, &y));
    assert_memory_equal(x, y, n * n);
    free(x);
    free(y);
}

/* The lanes of all hops of all routes. */
static void assert_same_lanes(const struct cw_routes *a, const struct cw_routes *b)
{
    const struct cw_network *net = cw_routes_network(a);
    assert_int_equal(cw_routes_lanes(a), cw_routes_lanes(b));
    assert_int_equal(cw_routes_lanes_known(a), cw_routes_lanes_known(b));
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t channels[2][64], hops[2];
            uint8_t lanes[2][64];
            must(cw_routes_paths(a, 1, &src, &dst, &hops[0], channels[0], lanes[0]));
            must(cw_routes_paths(b, 1, &src, &dst, &hops[1], channels[1], lanes[1]));
            assert_int_equal(hops[0], hops[1]);
            assert_memory_equal(lanes[0], lanes[1], hops[0]);
        }
}

static void check_round_trip(const struct cw_network *net, struct cw_routes *routes)
{
    struct cw_text text = {0};
    struct cw_lft_report report;
    char path[] = "/tmp/crosswind-json-XXXXXX";
    struct cw_routes *again = NULL;
    close(mkstemp(path));
    must(cw_lft_write_json(routes, &text));
    must(cw_file_write(path, &text));
    must(cw_lft_read_lids(net, path, CW_LIDS_MAX, &report, &again));
    unlink(path);
    assert_string_equal(report.format, "JSON");
    assert_null(report.details.data);
    assert_int_equal(cw_routes_lids(again), cw_routes_lids(routes));
    for (uint32_t i = 0; i < cw_routes_lids(routes); i++)
        assert_same_tables(cw_routes_to_lid(routes, i), cw_routes_to_lid(again, i));
    assert_same_ways(routes, again);
    assert_same_lanes(routes, again);
    cw_text_free(&text);
    cw_routes_free(routes);
    cw_routes_free(again);
}

static void check_engine(const char *spec, const char *routing)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, routing, 1, 1, &routes));
    must(cw_engine_to_switches(routes, routing, 1));
    check_round_trip(net, routes);
    cw_network_free(net);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    check_engine("xgft:2:4,4:1,2", "minhop");
    check_engine("xgft:2:4,4:1,2", "minhop:lmc=2");
    check_engine("torus:5x5", "dfsssp"); /* lanes are levels */
    check_engine("dragonfly:2,4,2", "updn");
}

/* A fabric's own dumps: LIDs of the fabric, entries to switches, one without a way to another. */
static void dumps_become_json(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"two-level.ibnetdiscover", "two-level.lfts"},
                                           {"two-level.ibnetdiscover", "two-level-updn.lfts"},
                                           {"boxes.ibnetdiscover", "boxes-dor.lfts"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cw_network *net = fabric(files[i][0]);
        char path[512];
        struct cw_routes *routes = NULL;
        snprintf(path, sizeof path, FABRIC "%s", files[i][1]);
        must(cw_lft_read_lids(net, path, CW_LIDS_MAX, NULL, &routes));
        check_round_trip(net, routes);
        cw_network_free(net);
    }
}

#define LIDS                                                                                                           \
    "\"lids\": [{\"lid\": 2, \"guid\": \"0x100000001\"}, {\"lid\": 3, \"guid\": \"0x100000101\"},"                     \
    "{\"lid\": 4, \"guid\": \"0x200000\", \"switch\": true}]"
#define HEAD "{\"format\": \"crosswind-tables\", \"version\": 1, "

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]}", "f:1: "},
        {"{\"format\": \"crosswind-tables\", \"version\": 2}", "\"version\" is not 1"},
        {HEAD LIDS "}", "\"tables\" is missing, expected a list"},
        {HEAD LIDS ", \"tables\": []}", "\"tables\" is empty"},
        {HEAD "\"tables\": []}", "\"lids\" is missing"},
        {HEAD "\"lids\": [{\"lid\": 0, \"guid\": \"0x1\"}], \"tables\": []}",
         "lids[0].lid is 0, expected a unicast LID"},
        {HEAD "\"lids\": [{\"lid\": 5, \"guid\": 7}], \"tables\": []}", "lids[0].guid is 7, expected a text of 0x"},
        {HEAD "\"lids\": [{\"lid\": 5, \"guid\": \"0x1\"}, {\"lid\": 5, \"guid\": \"0x1\"}], \"tables\": []}",
         "lids[1].lid is 5, expected a unicast LID that no other item has"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2]}]}",
         "tables[0].ports is [1,2], expected a list of as many as there are \"lids\": 3"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 255, 0]}]}",
         "tables[0].ports[1] is 255, expected a port from 0 to 254, or null"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]},"
                   "{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]}]}",
         "tables[1] is a second table of switch 0x0000000000200000"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x7\", \"ports\": [1, 2, 0]}]}",
         "no table is of a switch of this fabric"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]}], \"service_levels\": [{\"guid\": "
                   "\"0x100000001\", \"levels\": [null, 16, null]}]}",
         "service_levels[0].levels[1] is 16, expected a service level"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]}], \"service_levels\": []}",
         "there is no path record from h0 to h1"},
        {HEAD LIDS ", \"tables\": [{\"guid\": \"0x200000\", \"ports\": [1, 2, 0]}], \"service_levels\": [], "
                   "\"lanes_of_levels\": [{\"guid\": \"0x100000001\", \"lanes\": [1]}]}",
         "lanes_of_levels[0].lanes is [1], expected a list of 16 lanes"},
    };
    struct cw_network *net = network_of("crossbar:2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_routes *routes = NULL;
        assert_int_equal(cw_lft_parse(net, "f", cases[i].text, strlen(cases[i].text), NULL, &routes), CW_EPARSE);
        if (!strstr(cw_error_message(), cases[i].message)) fail_msg("case %zu: %s", i, cw_error_message());
        assert_null(routes);
    }
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read_back),
                                       cmocka_unit_test(dumps_become_json), cmocka_unit_test(what_is_wrong_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
