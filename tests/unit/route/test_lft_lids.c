/*
 * Routes to all 2^LMC LIDs of an endpoint: those of OpenSM's dumps with LMC 1, in all formats, and by hand what OpenSM
 * never writes: endpoints with more LIDs than others, gaps, wrong counts.
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
#include "route/lft.h"

enum { MAX = 4 };

/* Routes to all LIDs in a file of tests/golden/fabric. */
static struct cw_routes *read_lids(const struct cw_network *net, const char *name, uint32_t most)
{
    char path[512];
    struct cw_routes *routes = NULL;
    snprintf(path, sizeof path, FABRIC "%s", name);
    must(cw_lft_read_lids(net, path, most, NULL, &routes));
    return routes;
}

/* The same of a TEXT. */
static int read_text(const struct cw_network *net, const char *text, struct cw_lft_report *report,
                     struct cw_routes **out)
{
    char path[] = "/tmp/crosswind-lids-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    const int rc = cw_lft_read_lids(net, path, MAX, report, out);
    unlink(path);
    return rc;
}

/* The number on the port by which SWITCH sends what is for the LID at place I of ENDPOINT; 0: nowhere. */
static uint32_t port_to(const struct cw_routes *routes, uint32_t i, const char *name, const char *endpoint)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t at = cw_network_find(net, name), dst = cw_network_find(net, endpoint);
    const uint32_t index = cw_routes_table_port(cw_routes_to_lid(routes, i), at, dst);
    return index == CW_NO_PORT ? 0 : cw_network_port(net, net->first[at] + index);
}

/* --- OpenSM's own ------------------------------------------------------------------------------------------------- */

/* The second of the lines that a host has in each table is the second LID's. */
static void test_simple_scan(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    struct cw_text text = content("two-level-lmc.lfts");
    struct cw_routes *routes = read_lids(net, "two-level-lmc.lfts", MAX);
    assert_int_equal(cw_routes_lids(routes), 2);
    struct cw_lines lines = cw_lines_of("two-level-lmc.lfts", text.data, text.length);
    char at[64] = "", last[64] = "";
    unsigned seen = 0, differ = 0, before = 0;
    while (cw_lines_next(&lines)) {
        char line[256], name[64];
        unsigned port;
        snprintf(line, sizeof line, "%.*s", (int)lines.length, lines.line);
        if (sscanf(line, "Unicast lids %*s of switch Lid %*u guid %*s ('%63[^']", at) == 1) continue;
        if (sscanf(line, "0x%*x %u # Channel Adapter portguid %*s '%63[^']", &port, name) != 2) continue;
        const bool second = strcmp(name, last) == 0;
        assert_int_equal(port_to(routes, second, at, name), port);
        seen++;
        differ += second && port != before;
        before = port;
        strcpy(last, second ? "" : name);
    }
    assert_int_equal(seen, 2 * ENTRIES);
    assert_true(differ > ENTRIES / 2); /* else these are no tables to tell LIDs apart by */
    cw_routes_free(routes);
    cw_text_free(&text);
    cw_network_free(net);
}

/* dump_fts says "path #2 out of 2"; opensm.fdbs says nothing, but the fabric has the LIDs. */
static void test_formats(void **state)
{
    (void)state;
    static const char *const files[] = {"two-level-lmc.dump_fts", "two-level-lmc.fdbs"};
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    struct cw_routes *first = read_lids(net, "two-level-lmc.lfts", MAX);
    assert_int_equal(cw_routes_lids(first), 2);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct cw_routes *routes = read_lids(net, files[f], MAX);
        assert_int_equal(cw_routes_lids(routes), 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_same_tables(cw_routes_to_lid(routes, i), cw_routes_to_lid(first, i));
            assert_all_arrive(cw_routes_to_lid(routes, i));
        }
        cw_routes_free(routes);
    }
    struct cw_routes *one = read_lids(net, "two-level-lmc.lfts", 1);
    assert_int_equal(cw_routes_lids(one), 1);
    assert_same_tables(one, first);
    cw_routes_free(one);
    cw_routes_free(first);
    cw_network_free(net);
}

/* TEXT without the lines that begin with START. */
static void leave_out(struct cw_text *text, const char *start)
{
    char *to = text->data, *next;
    for (char *at = text->data; *at; at = next) {
        next = strchr(at, '\n') + 1;
        if (strncmp(at, start, strlen(start)) == 0) continue;
        memmove(to, at, (size_t)(next - at));
        to += next - at;
    }
    *to = '\0';
}

/* Of node-01, whose LIDs are 2 and 3 by the map, one is in no table: there are holes, and no other LID for it. */
static void test_missing_lid(void **state)
{
    (void)state;
    static const char *const lines[] = {"0x0002 ", "0x0003 "};
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    for (uint32_t missing = 0; missing < 2; missing++) {
        struct cw_text text = content("two-level-lmc.lfts");
        struct cw_routes *routes = NULL;
        struct cw_lft_report report;
        leave_out(&text, lines[missing]);
        must(read_text(net, text.data, &report, &routes));
        assert_int_equal(report.holes, missing == 0 ? SWITCHES : 0);
        assert_int_equal(port_to(routes, missing, "leaf-0", "node-01"), 0);
        assert_int_equal(port_to(routes, 1 - missing, "leaf-0", "node-01"), 1);
        assert_int_equal(port_to(routes, 1, "leaf-0", "node-16"), 6);
        cw_routes_free(routes);
        cw_text_free(&report.details);
        cw_text_free(&text);
    }
    cw_network_free(net);
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

static const char two_switches[] = "switchguid=0x5000a0\n"
                                   "Switch\t8 \"left\"\n"
                                   "[1]\t\"a\"[1]\n"
                                   "[2]\t\"b\"[1]\n"
                                   "[3]\t\"right\"[3]\n"
                                   "[4]\t\"right\"[4]\n"
                                   "[5]\t\"right\"[5]\n\n"
                                   "switchguid=0x5000b0\n"
                                   "Switch\t8 \"right\"\n"
                                   "[1]\t\"c\"[1]\n"
                                   "[3]\t\"left\"[3]\n"
                                   "[4]\t\"left\"[4]\n"
                                   "[5]\t\"left\"[5]\n\n"
                                   "caguid=0x700010\nHca\t1 \"a\"\n[1](700011)\t\"left\"[1]\n\n"
                                   "caguid=0x700020\nHca\t1 \"b\"\n[1](700021)\t\"left\"[2]\n\n"
                                   "caguid=0x700030\nHca\t1 \"c\"\n[1](700031)\t\"right\"[1]\n";

#define TO_C(LID, PORT) "0x" LID " " PORT " # Channel Adapter portguid 0x0000000000700031: 'c'\n"
#define LEFT                                                                                                           \
    "Unicast lids [0-20] of switch Lid 15 guid 0x00000000005000a0 ('left'):\n"                                         \
    "0x0002 001 # Channel Adapter portguid 0x0000000000700011: 'a'\n"                                                  \
    "0x0003 001 # Channel Adapter portguid 0x0000000000700011: 'a'\n"                                                  \
    "0x0005 002 # Channel Adapter portguid 0x0000000000700021: 'b'\n"
#define RIGHT                                                                                                          \
    "Unicast lids [0-20] of switch Lid 16 guid 0x00000000005000b0 ('right'):\n"                                        \
    "0x0002 003 # Channel Adapter portguid 0x0000000000700011: 'a'\n"                                                  \
    "0x0003 004 # Channel Adapter portguid 0x0000000000700011: 'a'\n"                                                  \
    "0x0005 005 # Channel Adapter portguid 0x0000000000700021: 'b'\n"

/* Three LIDs, two, and one: an endpoint's count from its first again where others have more. */
static void test_unequal_numbers(void **state)
{
    (void)state;
    static const char tables[] =
        LEFT TO_C("0008", "003") TO_C("0009", "005") TO_C("000a", "004") "6 lids dumped\n" RIGHT TO_C("0008", "001")
            TO_C("0009", "001") TO_C("000a", "001") "6 lids dumped\n";
    static const uint32_t to_c[] = {3, 5, 4}, to_a[] = {3, 4, 3};
    struct cw_network *net = NULL;
    must(cw_network_parse("two switches", two_switches, strlen(two_switches), &net));
    struct cw_routes *routes = NULL;
    struct cw_lft_report report;
    must(read_text(net, tables, &report, &routes));
    assert_int_equal(cw_routes_lids(routes), 3);
    assert_int_equal(report.lids_most, 3);
    assert_int_equal(report.entries, 6); /* of the first LIDs only */
    assert_int_equal(report.holes + report.entries_bad_port + report.lids_unknown, 0);
    for (uint32_t i = 0; i < cw_routes_lids(routes); i++) {
        assert_int_equal(port_to(routes, i, "left", "c"), to_c[i]);
        assert_int_equal(port_to(routes, i, "right", "a"), to_a[i]);
        assert_int_equal(port_to(routes, i, "right", "b"), 5);
        assert_int_equal(port_to(routes, i, "right", "c"), 1);
    }
    cw_routes_free(routes);
    cw_text_free(&report.details);
    cw_network_free(net);
}

/* A LID that does not follow the others is not one of 2^LMC. A second LID's entry that is missing, or leads to a port
 * without a cable, is a hole of that LID's routes alone. */
static void test_gaps(void **state)
{
    (void)state;
    static const char tables[] = LEFT TO_C("0008", "003") TO_C("0009", "007")
        TO_C("000b", "004") "6 lids dumped\n" RIGHT TO_C("0008", "001") TO_C("000b", "001") "5 lids dumped\n";
    struct cw_network *net = NULL;
    must(cw_network_parse("two switches", two_switches, strlen(two_switches), &net));
    struct cw_routes *routes = NULL;
    struct cw_lft_report report;
    must(read_text(net, tables, &report, &routes));
    assert_int_equal(cw_routes_lids(routes), 2);
    assert_int_equal(report.entries, 6);
    assert_int_equal(report.holes + report.entries_bad_port, 0);
    assert_int_equal(port_to(routes, 0, "left", "c"), 3);
    assert_int_equal(port_to(routes, 1, "left", "c"), 0);
    assert_int_equal(port_to(routes, 1, "right", "c"), 0);
    assert_int_equal(port_to(routes, 1, "right", "a"), 4);
    cw_routes_free(routes);
    cw_text_free(&report.details);
    cw_network_free(net);
}

/* Files that were cut or put together wrongly give nothing at all, however many LIDs are wanted. */
static void test_wrong_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {LEFT TO_C("0008", "003") TO_C("0009", "005") "4 lids dumped\n", "4"},
        {LEFT TO_C("0008", "003") TO_C("0008", "005") "5 lids dumped\n", "twice"},
        {LEFT TO_C("0008", "003"), "end"},
    };
    struct cw_network *net = NULL;
    must(cw_network_parse("two switches", two_switches, strlen(two_switches), &net));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_routes *routes = NULL;
        assert_int_equal(read_text(net, cases[i].text, NULL, &routes), CW_EPARSE);
        if (!strstr(cw_error_message(), cases[i].message)) fail_msg("case %zu: %s", i, cw_error_message());
        assert_null(routes);
    }
    cw_network_free(net);
}

/* Unicast LIDs end at 0xbfff by the standard of InfiniBand, 49151. */
static void test_last_lid(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    struct cw_routes *routes = read_lids(net, "two-level-lmc.lfts", 2);
    struct cw_text text = {0};
    assert_int_equal(net->identity[0].lmc, 1);
    net->identity[0].lid = 0xbffe;
    must(cw_lft_write(routes, &text));
    net->identity[0].lid = 0xbfff;
    assert_int_equal(cw_lft_write(routes, &text), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), " need LIDs up to 49152; a subnet has 49151"));
    cw_text_free(&text);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_scan),     cmocka_unit_test(test_formats), cmocka_unit_test(test_missing_lid),
        cmocka_unit_test(test_unequal_numbers), cmocka_unit_test(test_gaps),    cmocka_unit_test(test_wrong_counts),
        cmocka_unit_test(test_last_lid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
