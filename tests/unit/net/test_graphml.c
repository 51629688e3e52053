/* GraphML: what we write is read back, and what other programs write means what their users mean. */
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

#define HEAD                                                                                                           \
    "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"                               \
    "<key id=\"d0\" for=\"node\" attr.name=\"kind\"/><key id=\"d1\" for=\"node\" attr.name=\"label\"/>"                \
    "<key id=\"d2\" for=\"edge\" attr.name=\"capacity\"><default>1e9</default></key>"                                  \
    "<key id=\"d3\" for=\"edge\" attr.name=\"LinkSpeedRaw\"/><key id=\"d4\" for=\"node\" attr.name=\"lid\"/>"          \
    "<key id=\"d5\" for=\"node\" attr.name=\"port_guid\"/><key id=\"d6\" for=\"edge\" attr.name=\"latency\"/>"
#define GRAPH      HEAD "<graph edgedefault=\"undirected\">\n"
#define DIRECTED   HEAD "<graph edgedefault=\"directed\">\n"
#define NODE(ID)   "<node id=\"" ID "\"/>"
#define EDGE(A, B) "<edge source=\"" A "\" target=\"" B "\"/>"
#define TAIL       "</graph></graphml>\n"

static void assert_same(struct cw_network *net)
{
    assert_read_back(net, &cw_writer_graphml, &cw_reader_graphml, net);
    cw_network_free(net);
}

static void test_read_back(void **state)
{
    (void)state;
    assert_same(sample_fabric());
    assert_same(sample_xgft(2, (uint32_t[]){3, 4}, (uint32_t[]){1, 2}, (uint32_t[]){1, 2}));
    assert_same(sample_torus(&(struct cw_torus){.n = 2, .k = {4, 3}, .wrap = true}));
    assert_same(sample_crossbar(3));
    struct cw_builder *builder = cw_builder_new(2, 2, 4);
    cw_builder_cable(builder, 0, 1, 2, 7, 1e9, 1e-7);
    cw_builder_back(builder, 2e9, 3e-7);
    cw_builder_cable(builder, 1, 1, 3, 1, 1e9, 1e-7);
    cw_builder_cable(builder, 2, 2, 3, 2, 1e9 / 3, 1e-7 / 3);
    cw_builder_back(builder, 0, 0);
    cw_builder_cable(builder, 2, 3, 3, 3, 1e9, 0);
    assert_same(sample_finish(builder));
}

/* What reading CONTENT remarks; the network into *NET. */
static char *remarks_of(const char *content, struct cw_network **net)
{
    struct cw_inputs inputs = {0};
    struct cw_inputs *before = cw_inputs_record(&inputs);
    *net = read_content(&cw_reader_graphml, content);
    cw_inputs_record(before);
    char *remarks = inputs.remarks.data ? strdup(inputs.remarks.data) : strdup("");
    cw_inputs_free(&inputs);
    return remarks;
}

static void assert_graph(const char *content, const char *vertices, const char *remarks)
{
    struct cw_network *net;
    char *said = remarks_of(content, &net);
    assert_vertices(net, vertices);
    assert_string_equal(said, remarks);
    free(said);
    cw_network_free(net);
}

static void test_who_is_an_endpoint(void **state)
{
    (void)state;
    assert_graph(GRAPH "<node id=\"s\"/><node id=\"a\"><data key=\"d0\">host</data></node><node id=\"b\"><data "
                       "key=\"d0\">router</data></node>" NODE("c") EDGE("a", "s") EDGE("s", "b") EDGE("c", "s") TAIL,
                 "a b|s c", "");
    assert_graph(GRAPH NODE("a") NODE("s") NODE("b") EDGE("a", "s") EDGE("s", "b") TAIL, "a b|s",
                 "file: No node has a kind, host or switch, so those with one edge are endpoints.\n");
    assert_graph(GRAPH NODE("x") NODE("y") NODE("z") EDGE("x", "y") EDGE("y", "z") EDGE("z", "x") TAIL,
                 "x.h y.h z.h|x y z",
                 "file: No node has a kind, host or switch, so each is a switch with an endpoint of its own.\n");
}

static void test_figures(void **state)
{
    (void)state;
    struct cw_network *net = read_content(
        &cw_reader_graphml, GRAPH NODE("a") NODE("s") NODE("b")
                                EDGE("a", "s") "<edge source=\"s\" target=\"b\"><data key=\"d2\">100Gbit/s</data><data "
                                               "key=\"d6\">5us</data></edge>" TAIL);
    assert_channels(net, "a/1>s/1 1e+09 1e-07\n"
                         "b/1>s/2 1.25e+10 5e-06\n"
                         "s/1>a/1 1e+09 1e-07\n"
                         "s/2>b/1 1.25e+10 5e-06\n");
    cw_network_free(net);
}

/* The Topology Zoo's: labels that several nodes share, and bit/s. */
static void test_zoo(void **state)
{
    (void)state;
    struct cw_network *net = read_content(
        &cw_reader_graphml,
        "<graphml><key attr.name=\"label\" for=\"node\" id=\"l\"/><key attr.name=\"LinkSpeedRaw\" attr.type=\"double\" "
        "for=\"edge\" id=\"r\"/><graph edgedefault=\"undirected\"><node id=\"0\"><data key=\"l\">None</data></node>"
        "<node id=\"1\"><data key=\"l\">Rome</data></node><node id=\"2\"><data key=\"l\">None</data></node>"
        "<edge source=\"0\" target=\"1\"><data key=\"r\">1e+10</data></edge>" EDGE("1", "2") TAIL);
    assert_vertices(net, "None (0) None (2)|Rome");
    assert_true(net->capacity[0] == 1.25e9 && net->capacity[1] == CW_DEFAULT_CAPACITY);
    cw_network_free(net);
}

/* yEd's: names are drawn, boxes are no nodes, and every edge has a direction, which means nothing. */
static void test_yed(void **state)
{
    (void)state;
    struct cw_network *net = read_content(
        &cw_reader_graphml,
        "<graphml><key for=\"node\" id=\"d6\" yfiles.type=\"nodegraphics\"/><graph edgedefault=\"directed\" id=\"G\">"
        "<node id=\"n0\" yfiles.foldertype=\"group\"><data key=\"d6\"><y:GroupNode><y:NodeLabel>Rack</y:NodeLabel>"
        "</y:GroupNode></data><graph edgedefault=\"directed\" id=\"n0:\"><node id=\"n0::n0\"><data key=\"d6\">"
        "<y:ShapeNode><y:Geometry/><y:NodeLabel alignment=\"center\">leaf &amp; more<y:LabelModel/></y:NodeLabel>"
        "</y:ShapeNode></data></node></graph></node><node id=\"n1\"/><node id=\"n2\"/>" EDGE("n1", "n0::n0")
            EDGE("n0::n0", "n2") EDGE("n0::n0", "n2") TAIL);
    assert_vertices(net, "n1|leaf & more n2");
    assert_int_equal(net->n_channels, 6);
    cw_network_free(net);
}

/* Where edges go both ways, as in a DiGraph of NetworkX, two are one cable; what is left works in one direction. */
static void test_directed(void **state)
{
    (void)state;
    struct cw_network *net = read_content(
        &cw_reader_graphml,
        DIRECTED NODE("a") NODE("s") NODE("t") NODE("b") EDGE("s", "t") EDGE("a", "s") EDGE("s", "t") EDGE("t", "b")
            EDGE("b", "t") EDGE("s", "a") "<edge source=\"t\" target=\"s\"><data key=\"d2\">2e9</data></edge>" TAIL);
    assert_channels(net, "a/1>s/2 1e+09 1e-07\n"
                         "b/1>t/3 1e+09 1e-07\n"
                         "s/1>t/1 1e+09 1e-07\n"
                         "s/2>a/1 1e+09 1e-07\n"
                         "s/3>t/2 1e+09 1e-07\n"
                         "t/1>s/1 2e+09 1e-07\n"
                         "t/2>s/3 0 1e-07\n"
                         "t/3>b/1 1e+09 1e-07\n");
    cw_network_free(net);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"<graphml><graph>\n<node id=\"a\"></graph></graphml>", "file:2: mismatched tag, expected well-formed XML"},
        {"<graphml>\n", "file:2: no element found, expected well-formed XML"},
        {"<!DOCTYPE g [\n<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><graphml>&b;</graphml>",
         "file:2: the entity 'a' is declared, expected none"},
        {"<graphml><graph/></graphml>", "file: no node, expected <node id="},
        {"<graphml><key for=\"node\"/></graphml>", "file:1: a key without an id"},
        {"<graphml><key id=\"a\"/>\n<key id=\"a\"/></graphml>", "file:2: key 'a' a second time"},
        {GRAPH "<node/>" TAIL, "file:3: a node without an id"},
        {GRAPH NODE("a") "\n" NODE("a") TAIL, "file:4: node 'a' is in line 3, too"},
        {GRAPH NODE("a") "<edge source=\"a\"/>" TAIL, "file:3: an edge without its ends"},
        {GRAPH NODE("a") EDGE("a", "b") TAIL, "file:3: an edge of 'b', which is no node"},
        {GRAPH NODE("a") EDGE("a", "a") TAIL, "file:3: a cable from 'a' to itself"},
        {GRAPH NODE("a") "<hyperedge/>" TAIL, "file:3: a hyperedge, expected edges"},
        {GRAPH NODE("a") "</graph>\n<graph>" TAIL, "file:4: a second graph, expected one"},
        {GRAPH "<node id=\"a\"><data key=\"d0\">nodes</data></node>" TAIL,
         "file:3: kind 'nodes', expected switch, host"},
        {GRAPH "<node id=\"a\"><data key=\"d4\">-1</data></node>" TAIL,
         "file:3: lid '-1', expected a number from 0 to"},
        {GRAPH "<node id=\"a\"><data key=\"d5\">0xg</data></node>" TAIL,
         "file:3: port_guid '0xg', expected at most 16 hexadecimal digits"},
        {GRAPH NODE("a") NODE("b") "<edge source=\"a\" target=\"b\"><data key=\"d2\">fast</data></edge>" TAIL,
         "file:3: capacity: 'fast' is not a rate"},
        {GRAPH NODE("a") NODE("b") "<edge source=\"a\" target=\"b\"><data key=\"d2\">0</data></edge>" TAIL,
         "file:3: capacity 0, expected more than 0"},
        {GRAPH NODE("a") NODE("b") "<edge source=\"a\" target=\"b\"><data key=\"d3\">-5</data></edge>" TAIL,
         "file:3: LinkSpeedRaw -5, expected more than 0 bit/s"},
        {GRAPH NODE("a") "<node id=\"b\"><data key=\"d1\">a</data></node>" TAIL, "file:3: a second node called 'a'"},
    };
    assert_refused(&cw_reader_graphml, cases, sizeof cases / sizeof *cases);
}

static void test_recognition(void **state)
{
    (void)state;
    static const struct {
        const char *content;
        bool is;
    } cases[] = {{"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- <x> -->\n<!DOCTYPE graphml>\n<graphml>", true},
                 {"<graphml\n xmlns=\"x\">", true},
                 {"<!DOCTYPE g [<!ENTITY a \"b\">]>\n<graphml>", true},
                 {"<!DOCTYPE g [<!ENTITY a", false},
                 {"<graphml/>", true},
                 {"<graphmlx>", false},
                 {"<graphml", false},
                 {"graphml", false},
                 {"<?xml <graphml>", false},
                 {"<!-- <graphml> ", false},
                 {"<", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cw_reader_graphml.recognises(cases[i].content, strlen(cases[i].content)), cases[i].is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_back), cmocka_unit_test(test_who_is_an_endpoint),
        cmocka_unit_test(test_figures),   cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_yed),       cmocka_unit_test(test_directed),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_recognition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
