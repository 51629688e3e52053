/* Edge lists: who becomes an endpoint, numbering, units, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/builder.h"
#include "reader_test.h"

static struct cw_network *read_edges(const char *content)
{
    return read_content(&cw_reader_edges, content);
}

static void test_leaves_are_endpoints(void **state)
{
    (void)state;
    struct cw_network *net = read_edges("# a small tree\n"
                                        "leaf2 c 100Gbit/s 80ns\n"
                                        "leaf2 d 100Gbit/s\r\n"
                                        "\n"
                                        "  a\tleaf1   # comment\n"
                                        "b leaf1\n"
                                        "leaf1 leaf2 2GB/s 1us\n"
                                        "leaf1 leaf2 2GB/s 1us");
    assert_vertices(net, "c d a b|leaf2 leaf1");
    assert_int_equal(net->n_channels, 12);
    assert_true(net->capacity[0] == 12.5e9 && net->latency[0] == 80e-9);
    assert_true(net->capacity[1] == 12.5e9 && net->latency[1] == CW_DEFAULT_LATENCY);
    assert_true(net->capacity[2] == CW_DEFAULT_CAPACITY && net->latency[2] == CW_DEFAULT_LATENCY);
    char name[2 * CW_NAME_SIZE];
    assert_string_equal(cw_network_channel_name(net, net->first[5] + 3, name, sizeof name), "leaf1/4>leaf2/4");
    assert_true(net->capacity[net->first[5] + 3] == 2e9 && net->latency[net->first[5] + 3] == 1e-6);
    cw_network_free(net);
}

static void test_plain_graph_gets_endpoints(void **state)
{
    (void)state;
    struct cw_network *net = read_edges("x y 1GB/s\ny z 3GB/s\nz x 2GB/s");
    assert_vertices(net, "x.h y.h z.h|x y z");
    const double fastest[] = {2e9, 3e9, 3e9};
    for (uint32_t v = 0; v < 3; v++) {
        assert_int_equal(net->head[v], 3 + v);
        assert_true(net->capacity[v] == fastest[v]);
        assert_int_equal(cw_network_port(net, net->twin[v]), 1);
        assert_int_equal(cw_network_degree(net, 3 + v), 3);
    }
    cw_network_free(net);
}

static void test_declared_endpoints(void **state)
{
    (void)state;
    struct cw_network *net = read_edges("endpoint n2\nn1 s1\nn2 s1\nn2 s2\ns1 s2\nspare s2\nendpoint \"n 9\"\n");
    assert_vertices(net, "n2 n 9|n1 s1 s2 spare");
    assert_int_equal(cw_network_degree(net, 0), 2);
    assert_int_equal(cw_network_degree(net, 1), 0);
    cw_network_free(net);
}

static void test_quoted_names(void **state)
{
    (void)state;
    struct cw_network *net = read_edges("\"endpoint\" \"the # switch\"\n\"b c\" \"the # switch\" #x\n");
    assert_vertices(net, "endpoint b c|the # switch");
    cw_network_free(net);

    net = read_edges("a b");
    assert_vertices(net, "a b");
    cw_network_free(net);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"a b\nc\n", "file:2: a single word, expected 'A B"},
        {"a b 1GB/s 1us x\n", "file:1: more words than"},
        {"a \"b\n", "file:1: a quoted name without its end"},
        {"a \"b\"c\n", "file:1: text behind a quoted name"},
        {"a \"\"\n", "file:1: a name of 0 bytes"},
        {"a b 5parsec\n", "file:1: capacity: '5parsec' is not a rate"},
        {"a b 0\n", "file:1: capacity 0, expected more than 0"},
        {"a b -1\n", "file:1: capacity: -1 is negative"},
        {"a b 1GB/s 3\u00b5\n", "file:1: latency: '3\u00b5' is not a time"},
        {"a b 1e999\n", "file:1: capacity"},
        {"a b\nb b\n", "file:2: a cable from 'b' to itself"},
        {"endpoint a\nendpoint a\na b", "file:2: endpoint 'a' a second time"},
        {"endpoint a\n", "file: no cable"},
        {"", "file: no cable"},
        {"a b\nb c\nc a\na.h b\na.h c\n", "vertices 0 and 7 are both named 'a.h'"},
    };
    assert_refused(&cw_reader_edges, cases, sizeof cases / sizeof *cases);
    struct cw_network *net = NULL;
    assert_int_equal(cw_reader_edges.read("file", "a b\0c", 5, NULL, &net), CW_EPARSE);
}

static void test_other_content_is_not_recognised(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "",       "# only a comment\n", "One sentence of a text, and another.\n", "word\n", "a b c\n", "PK\x03\x04",
        "a \"b\n"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        assert_false(cw_reader_edges.recognises(contents[i], strlen(contents[i])));
    assert_false(cw_reader_edges.recognises("a b\0c", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_are_endpoints),
        cmocka_unit_test(test_plain_graph_gets_endpoints),
        cmocka_unit_test(test_declared_endpoints),
        cmocka_unit_test(test_quoted_names),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_other_content_is_not_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
