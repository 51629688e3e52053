/* BookSim's anynet files: what a line leaves out, ports, refusals, and what is written of a network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/builder.h"
#include "reader_test.h"
#include "sample_networks.h"

/* As BookSim 2 builds it: latencies of nodes are those of both directions, those of routers of one, and a channel that
 * no line mentions goes back in one cycle, here 12.8 ns. */
static void test_channels(void **state)
{
    (void)state;
    struct cw_network *net = read_content(&cw_reader_anynet, "router 0 node 1 2 router 1 5\r\n"
                                                             "\n"
                                                             "  router 1\tnode 0 router 2 \n"
                                                             "router 2 router 1 4");
    assert_vertices(net, "h0 h1|s0 s1 s2");
    assert_channels(net, "h0/1>s1/1 5e+09 1.28e-08\n"
                         "h1/1>s0/1 5e+09 2.56e-08\n"
                         "s0/1>h1/1 5e+09 2.56e-08\n"
                         "s0/2>s1/3 5e+09 6.4e-08\n"
                         "s1/1>h0/1 5e+09 1.28e-08\n"
                         "s1/2>s2/1 5e+09 1.28e-08\n"
                         "s1/3>s0/2 5e+09 1.28e-08\n"
                         "s2/1>s1/2 5e+09 5.12e-08\n");
    cw_network_free(net);
}

/* The last of several mentions counts, and none makes a second channel; a node's line is one of its router. */
static void test_mentioned_again(void **state)
{
    (void)state;
    struct cw_network *net = read_content(&cw_reader_anynet, "node 0 router 1\n"
                                                             "router 1 router 0 7 router 0\n"
                                                             "router 0 router 1 2\n"
                                                             "router 1 node 0 3\n");
    assert_channels(net, "h0/1>s1/1 5e+09 3.84e-08\n"
                         "s0/1>s1/2 5e+09 2.56e-08\n"
                         "s1/1>h0/1 5e+09 3.84e-08\n"
                         "s1/2>s0/1 5e+09 1.28e-08\n");
    cw_network_free(net);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"router 0 node 0\nhost 1 router 0\n", "file:2: 'host 1 router 0', expected 'router N' or 'node N'"},
        {"router 0 nodes 0\n", "file:1: 'nodes 0', expected 'router N' or 'node N'"},
        {"router 0 node\n", "file:1: a node without a number, expected 'node N'"},
        {"router x\n", "file:1: a router without a number, expected 'router N'"},
        {"router 0x node 0\n", "file:1: a router without a number"},
        {"router 0 node 0 router 99 node 1\n", "file:1: router 99, but the file has not so many"},
        {"router 0 node 0 0\n", "file:1: a latency that is no number of cycles, expected 1 to 1000000"},
        {"router 0 node 0 1000001\n", "file:1: a latency that is no"},
        {"router 0 node 0 5 5\n", "file:1: '5', expected 'router N'"},
        {"router 0 node 0\nnode 1\n", "file:2: a node alone, expected 'node N router N'"},
        {"node 0 node 1\n", "file:1: a channel from node to node"},
        {"node 0 router 1 7\n",
         "file:1: a latency in a line of a node, which BookSim misreads; expected 'router 1 node "
         "0 7'"},
        {"router 0 node 0\nrouter 1 node 0\n", "file:2: node 0 is at router 0 in line 1, expected one router"},
        {"router 0 node 0 router 0\n", "file:1: a channel from router 0 to itself"},
        {"router 0 node 0 router 2\n", "file: router 1 is missing, expected all from 0 to 2"},
        {"router 0 node 1\n", "file: node 0 is missing, expected all from 0 to 1"},
        {"router 0 router 1\n", "file: no node, expected 'router N node N'"},
        {"", "file: no node"},
    };
    assert_refused(&cw_reader_anynet, cases, sizeof cases / sizeof *cases);
}

static void test_other_content_is_not_recognised(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "", "\n \n", "router", "router a b", "node1 router1", "router 0 5", "nodes 1 2", "router 0x router 1"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        assert_false(cw_reader_anynet.recognises(contents[i], strlen(contents[i])));
}

#define CYCLE (64 / 5e9)

/* Whole cycles and other latencies for the way back. */
static void test_read_back(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 3, 6);
    cw_builder_cable(builder, 0, 0, 4, 0, 5e9, CYCLE);
    cw_builder_cable(builder, 4, 0, 3, 0, 5e9, CYCLE);
    cw_builder_back(builder, 5e9, 9 * CYCLE);
    cw_builder_cable(builder, 1, 0, 3, 0, 5e9, CYCLE);
    cw_builder_cable(builder, 3, 0, 5, 0, 5e9, 2 * CYCLE);
    cw_builder_cable(builder, 2, 0, 3, 0, 5e9, CYCLE);
    struct cw_network *net = sample_finish(builder);
    assert_read_back(net, &cw_writer_anynet, &cw_reader_anynet, net);
    cw_network_free(net);
}

/* Latencies become the cycles that `crosswind flit` makes of them: 100 ns and 100 Gbit/s are 19.5. Those of endpoints
 * are left out, for BookSim does not understand them. */
static void test_cycles(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(1, 3, 3);
    struct cw_text text = {0};
    cw_builder_cable(builder, 0, 0, 1, 0, 12.5e9, 100e-9);
    cw_builder_cable(builder, 1, 0, 2, 0, 12.5e9, 100e-9);
    cw_builder_cable(builder, 2, 0, 3, 0, 12.5e9, 0);
    struct cw_network *net = sample_finish(builder);
    assert_int_equal(cw_writer_anynet.write(net, &text), 0);
    assert_string_equal(text.data, "router 0 node 0 router 1 20\nrouter 1 router 0 20 router 2\nrouter 2 router 1\n");
    cw_text_free(&text);
    cw_network_free(net);
}

/* A cable between vertices A and B of two endpoints and two switches. */
struct cable {
    uint32_t a, b;
    double capacity, latency;
};

static void test_what_cannot_be_written(void **state)
{
    (void)state;
    static const struct {
        struct cable odd;
        const char *words;
    } cases[] = {
        {{0, 3, 5e9, 0}, "a node of BookSim's anynet has one cable, to a router; h0 has another number"},
        {{0, 1, 5e9, 0}, "a node of BookSim's anynet has one cable, to a router; h0 has another number"},
        {{2, 3, 1e9, 0},
         "in BookSim's anynet all channels have one capacity; s0/2>s1/2 has 8 Gbit/s, others 40 Gbit/s"},
        {{2, 3, 5e9, 0.1}, "channel s0/2>s1/2 has a latency of 0.1 s; expected at most 1000000 cycles of 1.28e-08 s"},
        {{2, 3, 5e9, 0}, "several cables between s0 and s1; BookSim's anynet has at most one between two switches"},
    };
    struct cw_text text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cable *odd = &cases[i].odd;
        struct cw_builder *builder = cw_builder_new(2, 2, 4);
        cw_builder_cable(builder, 0, 0, 2, 0, 5e9, 0);
        if (odd->b != 1) cw_builder_cable(builder, 1, 0, 3, 0, 5e9, 0);
        cw_builder_cable(builder, odd->a, 0, odd->b, 0, odd->capacity, odd->latency);
        cw_builder_cable(builder, 2, 0, 3, 0, 5e9, 0);
        struct cw_network *net = sample_finish(builder);
        assert_int_equal(cw_writer_anynet.write(net, &text), CW_EUSAGE);
        if (strncmp(cw_error_message(), cases[i].words, strlen(cases[i].words)) != 0)
            fail_msg("%zu: %s", i, cw_error_message());
        cw_network_free(net);
    }
    cw_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_mentioned_again),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_other_content_is_not_recognised),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
