/* Platforms of SimGrid: routes are cables, units, what is written, and what is no graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/input.h"
#include "net/builder.h"
#include "reader_test.h"
#include "sample_networks.h"

#define ZONE "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Floyd\">\n"
#define TWO                                                                                                            \
    "<host id=\"a\" speed=\"1Gf\"/><router id=\"r\"/><router id=\"s\"/><host id=\"b\" speed=\"1Gf\"/>"                 \
    "<link id=\"x\" bandwidth=\"10Gbps\" latency=\"50us\" sharing_policy=\"SPLITDUPLEX\"/>"                            \
    "<link id=\"y\" bandwidth=\"125MBps\"/><link id=\"z\" bandwidth=\"2kBps\" latency=\"0.5ms\"/>\n"
#define ROUTE(A, B, L) "<route src=\"" A "\" dst=\"" B "\"><link_ctn id=\"" L "\"/></route>\n"
#define WAY(A, B, L)   "<route src=\"" A "\" dst=\"" B "\" symmetrical=\"NO\"><link_ctn id=\"" L "\"/></route>\n"
#define SPLIT(A, B, L, D)                                                                                              \
    "<route src=\"" A "\" dst=\"" B "\" symmetrical=\"NO\"><link_ctn id=\"" L "\" direction=\"" D "\"/></route>\n"
#define END "</zone></platform>\n"

static void test_cables(void **state)
{
    (void)state;
    struct cw_network *net =
        read_content(&cw_reader_simgrid, ZONE TWO ROUTE("a", "r", "x") ROUTE("s", "b", "y") WAY("r", "s", "z") END);
    assert_vertices(net, "a b|r s");
    assert_channels(net, "a/1>r/1 1.25e+09 5e-05\n"
                         "b/1>s/1 1.25e+08 0\n"
                         "r/1>a/1 1.25e+09 5e-05\n"
                         "r/2>s/2 2000 0.0005\n"
                         "s/1>b/1 1.25e+08 0\n"
                         "s/2>r/2 0 0.0005\n");
    cw_network_free(net);
}

/* A cable of two links, or of both directions of one. */
static void test_both_ways(void **state)
{
    (void)state;
    struct cw_network *net = read_content(&cw_reader_simgrid, ZONE TWO WAY("a", "r", "y") SPLIT("r", "b", "x", "DOWN")
                                                                  WAY("r", "a", "z") SPLIT("b", "r", "x", "UP") END);
    assert_channels(net, "a/1>r/1 1.25e+08 0\n"
                         "b/1>r/2 1.25e+09 5e-05\n"
                         "r/1>a/1 2000 0.0005\n"
                         "r/2>b/1 1.25e+09 5e-05\n");
    cw_network_free(net);
}

/* What both directions share there is said. */
static void test_shared(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    struct cw_inputs *before = cw_inputs_record(&inputs);
    cw_network_free(
        read_content(&cw_reader_simgrid, ZONE TWO ROUTE("a", "r", "x") WAY("r", "b", "z") WAY("b", "r", "y") END));
    assert_null(inputs.remarks.data);
    cw_network_free(read_content(&cw_reader_simgrid, ZONE TWO ROUTE("a", "r", "x") "\n" ROUTE("r", "b", "z") END));
    cw_inputs_record(before);
    assert_non_null(strstr(inputs.remarks.data, "file:6: Both directions share the bandwidth"));
    cw_inputs_free(&inputs);
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *bandwidth, *latency;
        double rate, time;
    } cases[] = {{"1e9", "3", 1e9, 3},        {"8bps", "1ms", 1, 1e-3},       {"8kbps", "1us", 1e3, 1e-6},
                 {"8Mbps", "1ns", 1e6, 1e-9}, {"8Gbps", "1ps", 1e9, 1e-12},   {"8Tbps", "0", 1e12, 0},
                 {"1KiBps", "1s", 1024, 1},   {"8Kibps", "0s", 1024, 0},      {"1MiBps", "0s", 1048576, 0},
                 {"8Mibps", "0", 1048576, 0}, {"1GiBps", "0", 1073741824, 0}, {"8Gibps", "0", 1073741824, 0},
                 {"2GBps", "0", 2e9, 0},      {"2TBps", "0", 2e12, 0},        {"0.5kBps", "0", 500, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_text text = {0};
        cw_text_printf(&text,
                       ZONE "<host id=\"a\"/><router id=\"r\"/><link id=\"x\" bandwidth=\"%s\" latency=\"%s\"/>" ROUTE(
                           "a", "r", "x") END,
                       cases[i].bandwidth, cases[i].latency);
        struct cw_network *net = read_content(&cw_reader_simgrid, text.data);
        if (net->capacity[0] != cases[i].rate || net->latency[0] != cases[i].time)
            fail_msg("%zu: %g %g", i, net->capacity[0], net->latency[0]);
        cw_network_free(net);
        cw_text_free(&text);
    }
}

/* Written and read, a network is the same but for its ports; here they are in the order of routes. */
static void test_read_back(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 3, 6);
    static const char *const names[] = {"<a> & \"b\"", "h", "x", "s", "t", "u"};
    for (uint32_t v = 0; v < 6; v++) cw_builder_name(builder, v, names[v]);
    cw_builder_cable(builder, 0, 0, 3, 0, 1e9 / 3, 1e-7 / 3);
    cw_builder_cable(builder, 1, 0, 3, 0, 1e9, 0);
    cw_builder_back(builder, 2e9, 1e-6);
    cw_builder_cable(builder, 2, 0, 4, 0, 1e9, 1e-7);
    cw_builder_cable(builder, 3, 0, 4, 0, 1e9, 1e-7);
    cw_builder_cable(builder, 3, 0, 5, 0, 1e9, 1e-7);
    cw_builder_cable(builder, 4, 0, 5, 0, 1e9, 1e-7);
    cw_builder_back(builder, 0, 1e-7);
    struct cw_network *net = sample_finish(builder);
    assert_read_back(net, &cw_writer_simgrid, &cw_reader_simgrid, net);
    cw_network_free(net);
}

static void test_parallel_cables(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_text text = {0};
    assert_int_equal(cw_writer_simgrid.write(net, &text), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "several cables between leaf1 and spine1; in a zone of SimGrid there is at "
                                            "most one between two vertices");
    cw_text_free(&text);
    cw_network_free(net);
}

#define LINK(ATTRIBUTES) ZONE "<link " ATTRIBUTES "/>" END

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"<platform>\n<zone id=\"z\" routing=\"Full\"/></platform>",
         "file:2: routing 'Full', in which routes do not tell"},
        {"<platform><AS id=\"z\"/></platform>", "file:1: <AS> without routing, expected routing=\"…\""},
        {"<platform><cluster topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"/></platform>",
         "file:1: a cluster FAT_TREE 2;4,4;1,2;1,2, which SimGrid generates; give xgft:h:m1"},
        {"<platform><cluster topology=\"TORUS\" topo_parameters=\"3,2\"/></platform>",
         "file:1: a cluster TORUS 3,2, which SimGrid generates; give torus:AxBxC instead"},
        {"<platform><cluster/></platform>", "file:1: a cluster, which SimGrid generates; give crossbar:HOSTS instead"},
        {"<platform><cluster topology=\"DRAGONFLY\"/></platform>",
         "file:1: a cluster DRAGONFLY, which SimGrid generates; "
         "give a topology of Crosswind"},
        {ZONE "<zoneRoute/>" END, "file:3: <zoneRoute>, expected one zone of hosts"},
        {ZONE "<host/>" END, "file:3: <host> without id"},
        {ZONE "<host id=\"a\"/><router id=\"a\"/>" END, "file:3: a second host or router 'a'"},
        {LINK("bandwidth=\"1Bps\""), "file:3: <link> without id"},
        {LINK("id=\"l\""), "file:3: <link> without bandwidth"},
        {LINK("id=\"l\" bandwidth=\"fast\""), "file:3: bandwidth 'fast', expected a number with a unit"},
        {LINK("id=\"l\" bandwidth=\"1Xbps\""), "file:3: bandwidth '1Xbps', expected a number with a unit"},
        {LINK("id=\"l\" bandwidth=\"-1Bps\""), "file:3: bandwidth '-1Bps', expected a number with a unit"},
        {LINK("id=\"l\" bandwidth=\"1Bps\" latency=\"1h\""), "file:3: latency '1h', expected a number with a unit"},
        {LINK("id=\"l\" bandwidth=\"1Bps\" sharing_policy=\"FATPIPE\""), "file:3: sharing_policy 'FATPIPE', expected "
                                                                         "SPLITDUPLEX or SHARED"},
        {ZONE TWO "<link id=\"x\" bandwidth=\"1Bps\"/>" END, "file:4: a second link 'x'"},
        {ZONE TWO ROUTE("a", "c", "x") END, "file:4: a route of 'c', which is no host and no router above"},
        {ZONE TWO ROUTE("a", "r", "w") END, "file:4: the link 'w', which is not defined above"},
        {ZONE TWO "<route src=\"a\" dst=\"r\"/>" END, "file:4: a route of 0 links, expected one"},
        {ZONE TWO "<route src=\"a\" dst=\"r\"><link_ctn id=\"x\"/><link_ctn id=\"y\"/></route>" END,
         "file:4: a route of 2 links, expected one"},
        {ZONE TWO ROUTE("a", "r", "x") ROUTE("b", "r", "x") END, "file:5: the link 'x' is in the route of line 4, too"},
        {ZONE TWO WAY("a", "r", "y") WAY("r", "a", "y") END, "file:5: the link 'y' is in the route of line 4, too"},
        {ZONE TWO ROUTE("a", "a", "x") END, "file:4: a cable from 'a' to itself"},
        {ZONE TWO END, "file: no route, expected one for each cable"},
    };
    assert_refused(&cw_reader_simgrid, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cables),    cmocka_unit_test(test_both_ways), cmocka_unit_test(test_shared),
        cmocka_unit_test(test_units),     cmocka_unit_test(test_read_back), cmocka_unit_test(test_parallel_cables),
        cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
