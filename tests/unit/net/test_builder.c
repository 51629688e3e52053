/* The builder: channels and ports in their order, and every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#include "net/network_internal.h"
#include "sample_networks.h"

static void assert_fails(struct cw_builder *builder, int code, const char *words)
{
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), code);
    assert_null(net);
    if (!strstr(cw_error_message(), words)) fail_msg("'%s' does not say '%s'", cw_error_message(), words);
}

static void test_channels_follow_the_calls(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 1, 1); /* more cables than expected */
    for (uint32_t i = 0; i < 3; i++) cw_builder_cable(builder, 3, 0, 2 - i, 0, 1e9 + i, 1e-9 * i);
    struct cw_network *net = sample_finish(builder);
    assert_int_equal(net->n_channels, 6);
    assert_null(net->port);
    assert_null(net->names);
    assert_null(net->identity);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t down = net->first[3] + i;
        assert_int_equal(net->head[down], 2 - i);
        assert_int_equal(net->twin[down], 2 - i);
        assert_int_equal(cw_network_port(net, down), i + 1);
        assert_true(net->capacity[down] == 1e9 + i && net->latency[2 - i] == 1e-9 * i);
    }
    cw_network_free(net);
}

static void test_numbered_ports_come_first(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(0, 2, 4);
    cw_builder_cable(builder, 0, 0, 1, 1, 1, 0);
    cw_builder_cable(builder, 0, 7, 1, 2, 2, 0);
    cw_builder_cable(builder, 1, 3, 0, 0, 3, 0);
    cw_builder_cable(builder, 1, 4, 0, 2, 4, 0);
    struct cw_network *net = sample_finish(builder);
    const uint32_t ports[] = {2, 7, 8, 9, 1, 2, 3, 4};
    const double capacities[] = {4, 2, 1, 3, 1, 2, 3, 4};
    for (uint32_t c = 0; c < 8; c++) {
        assert_int_equal(cw_network_port(net, c), ports[c]);
        assert_true(net->capacity[c] == capacities[c]);
    }
    cw_network_free(net);
}

static void test_ports_in_sequence_need_no_array(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(2, 1, 2);
    cw_builder_cable(builder, 0, 1, 2, 2, 1, 0);
    cw_builder_cable(builder, 1, 1, 2, 1, 1, 0);
    struct cw_network *net = sample_finish(builder);
    assert_null(net->port);
    assert_int_equal(net->head[net->first[2]], 1);
    cw_network_free(net);
}

/* Against the obvious way: of every vertex, all ends sorted by port. */
static void test_random_multigraph(void **state)
{
    (void)state;
    enum { VERTICES = 9, CABLES = 60 };
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    uint32_t ends[CABLES][4], used[VERTICES][256] = {{0}};
    struct cw_builder *builder = cw_builder_new(2, VERTICES - 2, CABLES);
    for (uint32_t i = 0; i < CABLES; i++) {
        ends[i][0] = cw_random_below(&random, VERTICES);
        ends[i][2] = (ends[i][0] + 1 + cw_random_below(&random, VERTICES - 1)) % VERTICES;
        for (int end = 0; end < 4; end += 2) {
            do ends[i][end + 1] = 1 + cw_random_below(&random, 255);
            while (used[ends[i][end]][ends[i][end + 1]]);
            used[ends[i][end]][ends[i][end + 1]] = i + 1;
        }
        cw_builder_cable(builder, ends[i][0], ends[i][1], ends[i][2], ends[i][3], i + 1, i);
    }
    struct cw_network *net = sample_finish(builder);
    uint32_t c = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        assert_int_equal(net->first[v], c);
        for (uint32_t port = 1; port < 256; port++) {
            if (!used[v][port]) {
                assert_int_equal(cw_network_channel_at(net, v, port), CW_NONE);
                continue;
            }
            const uint32_t i = used[v][port] - 1, end = ends[i][0] == v && ends[i][1] == port ? 0 : 2;
            assert_int_equal(cw_network_channel_at(net, v, port), c);
            assert_int_equal(net->head[c], ends[i][2 - end]);
            assert_int_equal(cw_network_port(net, net->twin[c]), ends[i][3 - end]);
            assert_true(net->capacity[c] == i + 1 && net->latency[c] == i);
            c++;
        }
    }
    assert_int_equal(c, 2 * CABLES);
    cw_network_free(net);
}

static void test_first_error_is_reported(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(2, 1, 2);
    cw_builder_cable(builder, 0, 0, 3, 0, 1, 0);
    cw_builder_cable(builder, 0, 0, 0, 0, 1, 0);
    cw_builder_name(builder, 0, "");
    assert_fails(builder, CW_EUSAGE, "vertex 3");

    builder = cw_builder_new(2, 1, 2);
    cw_builder_fail(builder, cw_fail_at("file", 7, "wrong"));
    cw_fail(CW_EIO, "something else");
    cw_builder_cable(builder, 0, 0, 0, 0, 1, 0);
    assert_fails(builder, CW_EPARSE, "file:7: wrong");
}

static void test_wrong_cables(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, port, b;
        double capacity, latency;
        const char *words;
    } cases[] = {{0, 0, 0, 1, 0, "itself"},       {0, 0, 2, 0, 0, "capacity"},        {0, 0, 2, -1, 0, "capacity"},
                 {0, 0, 2, NAN, 0, "capacity"},   {0, 0, 2, INFINITY, 0, "capacity"}, {0, 0, 2, 1, -1e-9, "latency"},
                 {0, 0, 2, 1, NAN, "latency"},    {0, 0, 2, 1, INFINITY, "latency"},  {0, 0, 3, 1, 0, "vertex 3"},
                 {0, UINT32_MAX, 2, 1, 0, "port"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_builder *builder = cw_builder_new(2, 1, 1);
        cw_builder_cable(builder, cases[i].a, cases[i].port, cases[i].b, 0, cases[i].capacity, cases[i].latency);
        assert_fails(builder, CW_EUSAGE, cases[i].words);
    }
}

static void test_wrong_ports(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(2, 1, 2);
    cw_builder_cable(builder, 0, 1, 2, 5, 1, 0);
    cw_builder_cable(builder, 1, 1, 2, 5, 1, 0);
    assert_fails(builder, CW_EUSAGE, "port 5 of s0 has two cables");

    builder = cw_builder_new(2, 1, 2);
    cw_builder_cable(builder, 0, 1, 2, 65535, 1, 0);
    cw_builder_cable(builder, 1, 1, 2, 0, 1, 0);
    assert_fails(builder, CW_ELIMIT, "port 65536 of s0");
}

static void test_names(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(1, 1, 0);
    cw_builder_name(builder, 1, "b");
    assert_fails(builder, CW_EUSAGE, "vertex 0 has no name");

    builder = cw_builder_new(1, 1, 0);
    cw_builder_name(builder, 1, "b");
    cw_builder_name(builder, 0, "b");
    assert_fails(builder, CW_EUSAGE, "both named 'b'");

    builder = cw_builder_new(1, 1, 0);
    cw_builder_name(builder, 0, "");
    assert_fails(builder, CW_EUSAGE, "name of vertex 0");

    char name[CW_NAME_SIZE + 1];
    memset(name, 'x', CW_NAME_SIZE);
    name[CW_NAME_SIZE] = '\0';
    builder = cw_builder_new(1, 1, 0);
    cw_builder_name(builder, 0, name);
    assert_fails(builder, CW_EUSAGE, "name of vertex 0");

    builder = cw_builder_new(1, 1, 0);
    cw_builder_name(builder, 1, "b");
    cw_builder_name(builder, 0, "b");
    cw_builder_name(builder, 1, name + 1); /* the last name counts, and may have this length */
    struct cw_network *net = sample_finish(builder);
    char found[CW_NAME_SIZE];
    assert_string_equal(cw_network_name(net, 1, found, sizeof found), name + 1);
    assert_string_equal(cw_network_name(net, 0, found, sizeof found), "b");
    cw_network_free(net);
}

static void test_identities(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(2, 1, 0);
    cw_builder_identity(builder, 1, &(struct cw_identity){.lid = 5, .kind = CW_KIND_ROUTER});
    struct cw_network *net = sample_finish(builder);
    assert_int_equal(net->identity[0].kind, CW_KIND_HOST); /* nothing was said of it */
    assert_int_equal(net->identity[1].kind, CW_KIND_ROUTER);
    assert_int_equal(net->identity[2].kind, CW_KIND_SWITCH);
    cw_network_free(net);

    builder = cw_builder_new(2, 1, 0);
    cw_builder_identity(builder, 2, &(struct cw_identity){.kind = CW_KIND_HOST});
    assert_fails(builder, CW_EUSAGE, "vertex 2");
    builder = cw_builder_new(2, 1, 0);
    cw_builder_identity(builder, 0, &(struct cw_identity){.kind = 9});
    assert_fails(builder, CW_EUSAGE, "kind 9");
}

static void test_shape_must_fit(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(4, 2, 0);
    cw_builder_shape(builder, &(struct cw_shape){.kind = &cw_shape_crossbar});
    assert_fails(builder, CW_EUSAGE, "shape");
}

static void test_too_large_is_refused(void **state)
{
    (void)state;
    assert_fails(cw_builder_new(UINT64_C(1) << 32, 0, 0), CW_ELIMIT, "4294967296 vertices");
    assert_fails(cw_builder_new(UINT64_MAX, UINT64_MAX, UINT64_MAX), CW_ELIMIT, "vertices");
    assert_fails(cw_builder_new(1, 1, UINT64_C(1) << 31), CW_ELIMIT, "4294967296 channels");
}

static void test_empty_network(void **state)
{
    (void)state;
    struct cw_network *net = sample_finish(cw_builder_new(0, 0, 0));
    assert_int_equal(net->n_vertices, 0);
    assert_int_equal(net->n_channels, 0);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_follow_the_calls),
        cmocka_unit_test(test_numbered_ports_come_first),
        cmocka_unit_test(test_ports_in_sequence_need_no_array),
        cmocka_unit_test(test_random_multigraph),
        cmocka_unit_test(test_first_error_is_reported),
        cmocka_unit_test(test_wrong_cables),
        cmocka_unit_test(test_wrong_ports),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_shape_must_fit),
        cmocka_unit_test(test_too_large_is_refused),
        cmocka_unit_test(test_empty_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
