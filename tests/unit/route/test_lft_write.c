/*
 * Writing forwarding tables: as OpenSM writes them, and so that they are read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "lft_test.h"
#include "net/network_internal.h"
#include "route/switch_ways.h"
#include "route_test.h"

/* The lines about endpoints are those of the real OpenSM, in its order. */
static void assert_same_entries(const struct cw_text *a, const struct cw_text *b)
{
    static const char mark[] = "# Channel Adapter";
    struct cw_lines x = cw_lines_of("a", a->data, a->length), y = cw_lines_of("b", b->data, b->length);
    for (unsigned n = 0;; n++) {
        bool more_x, more_y;
        while ((more_x = cw_lines_next(&x)) && !memmem(x.line, x.length, mark, sizeof mark - 1)) continue;
        while ((more_y = cw_lines_next(&y)) && !memmem(y.line, y.length, mark, sizeof mark - 1)) continue;
        assert_int_equal(more_x, more_y);
        if (!more_x) {
            assert_true(n >= ENTRIES);
            return;
        }
        assert_int_equal(x.length, y.length);
        assert_int_equal(memcmp(x.line, y.line, x.length), 0);
    }
}

static void test_write_fabric(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level.ibnetdiscover");
    struct cw_text original = content("two-level.lfts"), written = {0};
    struct cw_lft_report report;
    struct cw_routes *routes = parse(net, &original, NULL);
    must(cw_lft_write(routes, &written));
    struct cw_routes *again = parse(net, &written, &report);
    assert_complete(&report, "opensm-lfts.dump");
    assert_same_tables(routes, again);
    assert_same_entries(&original, &written);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) { /* its table has the same head and end */
        char name[64], head[128];
        snprintf(head, sizeof head, "guid 0x%016llx ('%s'):\n", (unsigned long long)net->identity[v].node_guid,
                 cw_network_name(net, v, name, sizeof name));
        assert_non_null(strstr(written.data, head));
        assert_non_null(strstr(original.data, head));
    }
    assert_non_null(strstr(written.data, "Unicast lids [0-22] of switch Lid 11 guid 0x00000000005000a0 ('leaf-0'):\n"));
    assert_non_null(strstr(written.data, "0x000b 000 # Switch portguid 0x00000000005000a0: 'leaf-0'\n"));
    cw_routes_free(routes);
    cw_routes_free(again);
    cw_text_free(&original);
    cw_text_free(&written);
    cw_network_free(net);
}

/* Every LID of a port with several gets the port's route; the lower ones' are as OpenSM's. */
static void test_write_several_lids(void **state)
{
    (void)state;
    struct cw_network *net = fabric("two-level-lmc.ibnetdiscover");
    struct cw_text written = {0};
    struct cw_lft_report report;
    struct cw_routes *routes = tables(net, "two-level-lmc.lfts", NULL);
    must(cw_lft_write(routes, &written));
    struct cw_routes *again = parse(net, &written, &report);
    assert_complete(&report, "opensm-lfts.dump");
    assert_same_tables(routes, again);
    assert_non_null(strstr(written.data, "0x0004 008 # Channel Adapter portguid 0x0000000000700101: 'node-16'\n"
                                         "0x0005 008 # Channel Adapter portguid 0x0000000000700101: 'node-16'\n"));
    cw_routes_free(routes);
    cw_routes_free(again);
    cw_text_free(&written);
    cw_network_free(net);
}

/* In the written text, what a switch does with a LID: port number, or 255. */
static uint8_t *scan_ports(const struct cw_network *net, const struct cw_text *text)
{
    uint8_t *ports = zeros((size_t)net->n_vertices * (net->n_vertices + 1), 1);
    memset(ports, 255, (size_t)net->n_vertices * (net->n_vertices + 1));
    struct cw_lines lines = cw_lines_of("written", text->data, text->length);
    uint32_t at = CW_NONE;
    while (cw_lines_next(&lines)) {
        char line[256];
        unsigned lid, port;
        snprintf(line, sizeof line, "%.*s", (int)lines.length, lines.line);
        if (sscanf(line, "Unicast lids %*s of switch Lid %u", &lid) == 1) at = lid - 1;
        if (sscanf(line, "0x%x %u", &lid, &port) == 2) ports[(size_t)at * (net->n_vertices + 1) + lid] = (uint8_t)port;
    }
    return ports;
}

/* Switches are reached from all switches whose routes pass them, without loops. */
static void assert_switches_reached(const struct cw_network *net, const struct cw_text *text, bool all)
{
    uint8_t *ports = scan_ports(net, text);
    for (uint32_t to = net->n_endpoints; to < net->n_vertices; to++)
        for (uint32_t from = net->n_endpoints; from < net->n_vertices; from++) {
            uint32_t at = from, hops = 0;
            while (at != to && hops++ <= net->n_vertices) {
                const uint8_t port = ports[(size_t)at * (net->n_vertices + 1) + to + 1];
                if (port == 255 && at == from && !all) break; /* no route passes both */
                const uint32_t channel = cw_network_channel_at(net, at, port);
                assert_int_not_equal(channel, CW_NONE);
                at = net->head[channel];
                assert_true(at >= net->n_endpoints);
            }
            assert_true(hops <= net->n_vertices);
            assert_int_equal(ports[(size_t)to * (net->n_vertices + 1) + to + 1], 0);
        }
    free(ports);
}

static void check_generated(const char *spec, uint32_t wrong, uint32_t missing)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = random_tables(net, 5, wrong, missing);
    struct cw_text written = {0};
    struct cw_lft_report report;
    must(cw_lft_write(routes, &written));
    struct cw_routes *again = parse(net, &written, &report);
    assert_same_tables(routes, again);
    assert_int_equal(report.switches_matched, cw_network_switches(net));
    assert_int_equal(report.lids_unknown + report.entries_bad_port, 0);
    assert_switches_reached(net, &written, wrong + missing == 0 && net->shape.kind == &cw_shape_torus);
    cw_text_free(&report.details);
    cw_text_free(&written);
    cw_routes_free(again);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_write_generated(void **state)
{
    (void)state;
    static const char *const specs[] = {"crossbar:4", "xgft:2:4,4:1,2", "xgft:3:2,3,2:1,2,2", "torus:4x4",
                                        "mesh:3x3",   "hypercube:3",    "dragonfly:2,4,2,g=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        check_generated(specs[i], 0, 0);
        check_generated(specs[i], 0, 100);
        check_generated(specs[i], 100, 20);
    }
}

/* A generated network as a net file of ibsim, read back, is matched by tables written for the generated one. */
static void test_write_with_net_file(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,2"), *again = NULL;
    struct cw_routes *routes = random_tables(net, 1, 0, 0);
    struct cw_text net_file = {0}, written = {0};
    struct cw_lft_report report;
    const struct cw_writer *const *writer = cw_writers;
    while (strcmp((*writer)->name, "ibsim") != 0) writer++;
    must((*writer)->write(net, &net_file));
    must(cw_network_parse("a.net", net_file.data, net_file.length, &again));
    must(cw_lft_write(routes, &written));
    struct cw_routes *read = parse(again, &written, &report);
    assert_same_tables(routes, read);
    assert_int_equal(report.holes, 0);
    cw_routes_free(read);
    cw_routes_free(routes);
    cw_text_free(&report.details);
    cw_text_free(&net_file);
    cw_text_free(&written);
    cw_network_free(net);
    cw_network_free(again);
}

/* A file of several blocks, its lines across their borders. */
static void test_large_file(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:13x13");
    struct cw_routes *routes = random_tables(net, 2, 0, 30), *read = NULL;
    struct cw_text written = {0};
    char path[] = "lft-test-XXXXXX";
    must(cw_lft_write(routes, &written));
    assert_true(written.length > 3u << 20);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    must(cw_file_write(path, &written));
    must(cw_lft_read(net, path, NULL, &read));
    assert_same_tables(routes, read);
    assert_string_equal(cw_routes_name(read), path);
    close(descriptor);
    unlink(path);
    cw_routes_free(read);
    cw_routes_free(routes);
    cw_text_free(&written);
    cw_network_free(net);
}

/* TEXT without the names of switches: their GUIDs, which are numbers, are all that it says. */
static struct cw_text without_names(const struct cw_text *text)
{
    struct cw_text out = {0};
    for (const char *at = text->data, *end = at + text->length; at < end;) {
        const char *name = memmem(at, (size_t)(end - at), "('", 2);
        const char *stop = name ? name : end;
        cw_text_append(&out, at, (size_t)(stop - at));
        at = name ? strstr(name, "')") + 2 : end;
    }
    return out;
}

/* Tables of a network without GUIDs, read for the same network without the switches that FAILED names: those behind
 * them have other numbers, but the tables stay their own. So do those that are written then and read for the whole. */
static void check_taken_out(const char *spec, const char *failed, int write(const struct cw_routes *, struct cw_text *))
{
    struct cw_network *whole = network_of(spec), *net = damaged(whole, failed, 1);
    struct cw_routes *of_whole = routes_of(whole, "minhop"), *left = what_is_left(whole, of_whole, net);
    struct cw_text before = {0}, after = {0};
    assert_true(net->n_vertices < whole->n_vertices);
    must(write(of_whole, &before));
    struct cw_routes *read = parse(net, &before, NULL);
    assert_same_tables(read, left);
    must(write(left, &after));
    struct cw_routes *again = parse(whole, &after, NULL), *once_more = what_is_left(whole, again, net);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            assert_int_equal(cw_routes_table_port(once_more, v, d),
                             cw_network_degree(net, d) > 0 ? cw_routes_table_port(left, v, d) : CW_NO_PORT);
    cw_text_free(&before);
    cw_text_free(&after);
    cw_routes_free(once_more);
    cw_routes_free(again);
    cw_routes_free(read);
    cw_routes_free(left);
    cw_routes_free(of_whole);
    cw_network_free(net);
    cw_network_free(whole);
}

static void test_taken_out(void **state)
{
    (void)state;
    check_taken_out("xgft:2:4,4:1,3", "s1.0", cw_lft_write);
    check_taken_out("xgft:2:4,4:1,3", "s1.1,s2.0,h15", cw_lft_write_json);
    check_taken_out("torus:4x3", "s(1,0),s(2,2),h5", cw_lft_write);
    check_taken_out("dragonfly:2,4,2", "g0s1,g3s2", cw_lft_write_json);
}

/* Ways to switches go by name, too: without a leaf, the others' are as they were. */
static void test_ways_to_others(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("xgft:2:4,4:1,3"), *net = damaged(whole, "s1.0", 1);
    struct cw_routes *of_whole = routes_of(whole, "minhop");
    struct cw_text text = {0};
    uint8_t *were, *are;
    const uint32_t n = cw_network_switches(net), all = cw_network_switches(whole);
    must(cw_switch_ways(of_whole, &were));
    for (uint32_t i = 4 * all; i < all * all; i++) /* of spines, not the ways that would be found without the file */
        if (were[i] > 0) were[i] = (uint8_t)(were[i] == 1 ? 2 : 6 - were[i]);
    cw_routes_set_switch_ways(of_whole, were);
    must(cw_lft_write(of_whole, &text));
    struct cw_routes *read = parse(net, &text, NULL);
    must(cw_switch_ways(read, &are));
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) assert_int_equal(are[from * n + to], were[(from + 1) * all + to + 1]);
    free(are);
    cw_text_free(&text);
    cw_routes_free(read);
    cw_routes_free(of_whole);
    cw_network_free(net);
    cw_network_free(whole);
}

static void test_numbers_of_other_switches(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("xgft:2:4,4:1,3"), *net = damaged(whole, "s1.0", 1);
    struct cw_routes *routes = routes_of(whole, "minhop"), *read = NULL;
    struct cw_text named = {0};
    must(cw_lft_write(routes, &named));
    struct cw_text text = without_names(&named);
    assert_int_equal(cw_lft_parse(net, "f", text.data, text.length, NULL, &read), CW_EPARSE);
    assert_string_equal(
        cw_error_message(),
        "f: 7 tables, whose switches have numbers for GUIDs and no names, and the fabric has 6 switches: "
        "which is whose is not known; expected names or GUIDs");
    read = parse(whole, &text, NULL); /* nothing is missing: they are what they were */
    assert_same_tables(read, routes);
    cw_routes_free(read);
    cw_routes_free(routes);
    cw_text_free(&named);
    cw_text_free(&text);
    cw_network_free(net);
    cw_network_free(whole);
}

static void test_refused(void **state)
{
    (void)state;
    struct cw_text text = {0};
    struct cw_network *two_cables = network_of("xgft:2:3,3:2,2"), *wide = network_of("crossbar:255");
    struct cw_routes *routes = random_tables(two_cables, 0, 0, 0), *paths, *none = NULL;
    assert_int_equal(cw_lft_write(routes, &text), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "cables"));
    assert_int_equal(cw_lft_parse(two_cables, "f", "", 0, NULL, &none), CW_EUSAGE);
    paths = paths_of_tables(routes);
    assert_int_equal(cw_lft_write(paths, &text), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "expected tables"));
    cw_routes_free(paths);
    cw_routes_free(routes);
    routes = random_tables(wide, 0, 0, 0);
    assert_int_equal(cw_lft_write(routes, &text), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "port 255"));
    assert_null(text.data);
    cw_routes_free(routes);
    cw_network_free(two_cables);
    cw_network_free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_fabric),    cmocka_unit_test(test_write_several_lids),
        cmocka_unit_test(test_write_generated), cmocka_unit_test(test_write_with_net_file),
        cmocka_unit_test(test_large_file),      cmocka_unit_test(test_taken_out),
        cmocka_unit_test(test_ways_to_others),  cmocka_unit_test(test_numbers_of_other_switches),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
