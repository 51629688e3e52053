/*
 * Reading files of forwarding tables: all formats must give the same tables, and those that a simple scan of the dump
 * gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "lft_test.h"
#include "net/network_internal.h"
#include "net/part.h"

/* The same lines with sscanf and the fabric's names: every port leads where the file says. */
static void test_simple_scan(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_text text = content("two-level.lfts");
    struct cw_routes *routes = parse(net, &text, NULL);
    struct cw_lines lines = cw_lines_of("two-level.lfts", text.data, text.length);
    uint32_t at = CW_NONE, entries = 0;
    while (cw_lines_next(&lines)) {
        char line[256], name[64];
        unsigned lid, port;
        snprintf(line, sizeof line, "%.*s", (int)lines.length, lines.line);
        if (sscanf(line, "Unicast lids %*s of switch Lid %*u guid %*s ('%63[^']", name) == 1) {
            at = cw_network_find(net, name);
        } else if (sscanf(line, "0x%x %u # Channel Adapter portguid %*s '%63[^']", &lid, &port, name) == 3) {
            const uint32_t index = cw_routes_table_port(routes, at, cw_network_find(net, name));
            assert_int_equal(cw_network_port(net, net->first[at] + index), port);
            entries++;
        }
    }
    assert_int_equal(entries, ENTRIES);
    cw_routes_free(routes);
    cw_text_free(&text);
    cw_network_free(net);
}

static void test_formats(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"two-level.lfts", "opensm-lfts.dump"},
                                           {"two-level.fdbs", "opensm.fdbs"},
                                           {"two-level.dump_fts", "dump_fts"},
                                           {"two-level.dump_fts-n", "dump_fts"},
                                           {"two-level.ibroute-a", "dump_fts"}};
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_routes *first = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cw_lft_report report;
        struct cw_routes *routes = tables(net, files[i][0], &report);
        assert_complete(&report, files[i][1]);
        assert_string_equal(cw_routes_name(routes), "tables");
        assert_all_arrive(routes);
        if (i > 0) {
            assert_same_tables(routes, first);
            cw_routes_free(routes);
        } else {
            first = routes;
        }
    }
    cw_routes_free(first);
    cw_network_free(net);
}

/* Up/down leaves spines unreachable from spines: entries that are missing in one format and said to be so in another.
 */
static void test_missing_entries(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_lft_report report[2];
    struct cw_routes *dump = tables(net, "two-level-updn.lfts", &report[0]);
    struct cw_routes *fdbs = tables(net, "two-level-updn.fdbs", &report[1]);
    assert_complete(&report[0], "opensm-lfts.dump");
    assert_complete(&report[1], "opensm.fdbs");
    assert_same_tables(dump, fdbs);
    assert_all_arrive(dump);
    cw_routes_free(dump);
    cw_routes_free(fdbs);
    cw_network_free(net);
}

static void test_line_ends(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    static const char *const files[] = {"two-level.lfts", "two-level.fdbs", "two-level.dump_fts"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cw_text text = content(files[i]), crlf = {0};
        cw_text_add(&crlf, "\xef\xbb\xbf\r\n# a comment\r\n");
        for (size_t at = 0; at < text.length; at++) {
            if (text.data[at] == '\n') cw_text_add(&crlf, "\r");
            cw_text_append(&crlf, text.data + at, 1);
        }
        struct cw_routes *plain = parse(net, &text, NULL), *changed = parse(net, &crlf, NULL);
        assert_same_tables(plain, changed);
        cw_routes_free(plain);
        cw_routes_free(changed);
        cw_text_free(&text);
        cw_text_free(&crlf);
    }
    cw_network_free(net);
}

/* --- LIDs --------------------------------------------------------------------------------------------------------- */

/* Two LIDs an endpoint: the routes are those of the lower. Read with a fabric of other LIDs, the port GUIDs count. */
static void test_several_lids(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover"), *other = fabric("two-level.ibnetdiscover");
    struct cw_lft_report report[4];
    struct cw_routes *routes[4] = {
        tables(net, "two-level-lmc.lfts", &report[0]), tables(net, "two-level-lmc.dump_fts", &report[1]),
        tables(net, "two-level-lmc.fdbs", &report[2]), tables(other, "two-level-lmc.lfts", &report[3])};
    assert_complete(&report[0], "opensm-lfts.dump");
    assert_complete(&report[1], "dump_fts");
    assert_complete(&report[2], "opensm.fdbs");
    assert_int_equal(report[3].entries, ENTRIES);
    assert_int_equal(report[3].lids_unknown, 0);
    assert_int_equal(report[3].lids_moved, 38); /* all LIDs in use */
    assert_non_null(
        strstr(report[3].details.data, "LID 0x0002 is node-01 by the file's port GUID, but not by the fabric's"));
    for (int i = 1; i < 3; i++) assert_same_tables(routes[i], routes[0]);
    /* 0x0004 and 0x0005 are node-16, which leaf-0 reaches by ports 8 and 6 */
    const uint32_t leaf = cw_network_find(net, "leaf-0"), node = cw_network_find(net, "node-16");
    assert_int_equal(cw_network_port(net, net->first[leaf] + cw_routes_table_port(routes[0], leaf, node)), 8);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            char name[64], to[64];
            const uint32_t w = cw_network_find(other, cw_network_name(net, v, name, sizeof name));
            const uint32_t d = cw_network_find(other, cw_network_name(net, dst, to, sizeof to));
            assert_int_equal(cw_routes_table_port(routes[0], v, dst), cw_routes_table_port(routes[3], w, d));
        }
    for (int i = 0; i < 4; i++) cw_routes_free(routes[i]);
    cw_text_free(&report[3].details);
    cw_network_free(net);
    cw_network_free(other);
}

/* A net file of ibsim knows GUIDs, but no LIDs. */
static void test_fabric_without_lids(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.net");
    struct cw_lft_report report;
    struct cw_routes *routes = tables(net, "two-level.lfts", &report);
    assert_complete(&report, "opensm-lfts.dump");
    assert_all_arrive(routes);
    cw_routes_free(routes);
    struct cw_text text = content("two-level.fdbs");
    assert_int_equal(cw_lft_parse(net, "f", text.data, text.length, NULL, &routes), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "no port GUIDs and the fabric no LIDs"));
    cw_text_free(&text);
    cw_network_free(net);
}

/* Port GUIDs that the fabric does not know: the LID's number counts if its switch still delivers it to that endpoint.
 */
static void test_unknown_guids(void **state)
{
    (void)state;
    static const char from[] = "portguid 0x0000000000700", to[] = "portguid 0x0000000000900";
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_text text = content("two-level.lfts");
    struct cw_routes *plain = parse(net, &text, NULL);
    for (char *at = text.data; (at = strstr(at, from)); at++) memcpy(at, to, strlen(to));
    struct cw_lft_report report;
    struct cw_routes *routes = parse(net, &text, &report);
    assert_int_equal(report.lids_by_number, HOSTS);
    assert_int_equal(report.lids_unknown + report.lids_moved, 0);
    assert_int_equal(report.holes, 0);
    assert_same_tables(plain, routes);
    cw_routes_free(routes);
    cw_text_free(&report.details);
    /* leaf-0 sends the LID of node-01 to another port of its own */
    char *entry = strstr(text.data, "0x0001 001");
    assert_non_null(entry);
    memcpy(entry, "0x0001 002", 10);
    routes = parse(net, &text, &report);
    assert_int_equal(report.lids_by_number, HOSTS - 1);
    assert_int_equal(report.lids_unknown, 1);
    assert_int_equal(report.lids_moved, 1);
    assert_int_equal(report.endpoints_without_lid, 1);
    cw_routes_free(routes);
    cw_routes_free(plain);
    cw_text_free(&report.details);
    cw_text_free(&text);
    cw_network_free(net);
}

static void test_reduced_fabric(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover"), *part = NULL;
    bool keep[HOSTS];
    for (uint32_t v = 0; v < HOSTS; v++) keep[v] = v % 4 != 1;
    must(cw_network_keep_endpoints(net, keep, &part));
    static const char *const files[] = {"two-level.lfts", "two-level.fdbs"};
    struct cw_routes *all = tables(net, files[0], NULL);
    for (size_t i = 0; i < 2; i++) {
        struct cw_lft_report report;
        struct cw_routes *routes = tables(part, files[i], &report);
        assert_int_equal(report.lids_unknown, HOSTS / 4);
        assert_int_equal(report.lids_moved, 0);
        assert_int_equal(report.entries, SWITCHES * HOSTS * 3 / 4);
        assert_int_equal(report.holes + report.entries_bad_port, 0);
        for (uint32_t v = 0, w = 0; v < HOSTS; v++) {
            if (!keep[v]) continue;
            const uint32_t spine = SWITCHES - 1; /* by order of vertices, in both; its ports stay the same */
            assert_int_equal(cw_routes_table_port(routes, part->n_endpoints + spine, w),
                             cw_routes_table_port(all, HOSTS + spine, v));
            w++;
        }
        cw_text_free(&report.details);
        cw_routes_free(routes);
    }
    cw_routes_free(all);
    cw_network_free(part);
    cw_network_free(net);
}

/* --- what does not match ------------------------------------------------------------------------------------------ */

static void test_report(void **state)
{
    (void)state;
    static const char file[] = "Unicast lids [0-30] of switch Lid 11 guid 0x00000000005000a0 ('leaf-0'):\n"
                               "0x0001 001 # Channel Adapter portguid 0x0000000000700011: 'node-01'\n"
                               "0x0002 099 # Channel Adapter portguid 0x0000000000700101: 'node-16'\n"
                               "0x0003 000 # Channel Adapter portguid 0x0000000000700021: 'node-02'\n"
                               "0x0004 255 # Channel Adapter portguid 0x0000000000700031: 'node-03'\n"
                               "0x0014 005 # Switch portguid 0x00000000005000f0: 'spine-0'\n"
                               "0x0018 007 # Channel Adapter portguid 0x0000000000700999: 'gone'\n"
                               "0x0019 007 # Switch portguid 0x0000000000500999: 'gone, too'\n"
                               "0x001a 007 # unknown node and type\n"
                               "30 lids dumped\n"
                               "Unicast lids [0-30] of switch Lid 25 guid 0x0000000000500999 ('gone, too'):\n"
                               "0x0001 001\n"
                               "30 lids dumped\n";
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_lft_report report;
    struct cw_routes *routes = NULL;
    must(cw_lft_parse(net, "tables", file, sizeof file - 1, &report, &routes));
    assert_int_equal(report.switches_matched, 1);
    assert_int_equal(report.switches_without_table, 5);
    assert_int_equal(report.switches_unknown, 1);
    assert_int_equal(report.lids_unknown, 2);
    assert_int_equal(report.endpoints_without_lid, 13);
    assert_int_equal(report.entries, 1);
    assert_int_equal(report.entries_bad_port, 2);
    assert_int_equal(report.holes, ENTRIES - 1);
    unsigned lines = 0;
    for (const char *p = report.details.data; *p; p++) lines += *p == '\n';
    assert_true(lines <= 20);
    static const char *const told[] = {
        "the file has a table of switch 0x0000000000500999, which is not in the fabric\n",
        "LID 0x0018 (port GUID 0x0000000000700999) belongs to nothing in the fabric\n",
        "LID 0x001a belongs to nothing in the fabric\n",
        "no LID in the file leads to node-03\n",
        "leaf-0 sends what is for node-16 to its port 99, which is not connected\n",
        "leaf-0 sends what is for node-02 to its port 0, which is not connected\n",
        "the file has no table of switch leaf-1\n",
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strstr(report.details.data, told[i])) fail_msg("%s is missing in\n%s", told[i], report.details.data);
    cw_text_free(&report.details);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_scan),     cmocka_unit_test(test_formats),
        cmocka_unit_test(test_missing_entries), cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_several_lids),    cmocka_unit_test(test_fabric_without_lids),
        cmocka_unit_test(test_unknown_guids),   cmocka_unit_test(test_reduced_fabric),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
