/* ibsim's net files: read by ibsim's rules, and written so that nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "ib_fixtures.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "sample_networks.h"

/* What the real ibsim made of the file, as the real ibnetdiscover saw it: names, GUIDs, cables. Only the order differs,
 * and the LIDs, which the file does not have; "gateway" has no rate in the file. */
static void same_as_the_real_one(void **state)
{
    (void)state;
    struct cw_network *net = read_fixture("rails.net"), *real = read_fixture("rails.ibnetdiscover");
    assert_int_equal(net->n_vertices, real->n_vertices);
    assert_int_equal(net->n_channels, real->n_channels);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[256], other[256];
        const uint32_t w = vertex(real, cw_network_name(net, v, name, sizeof name));
        const struct cw_identity *a = &net->identity[v], *b = &real->identity[w];
        assert_true(a->node_guid == b->node_guid && a->port_guid == b->port_guid && a->system_guid == b->system_guid);
        assert_true(a->kind == b->kind && a->ports == b->ports && a->device == b->device);
        assert_int_equal(cw_network_degree(net, v), cw_network_degree(real, w));
        for (uint32_t i = 0; i < cw_network_degree(net, v); i++) {
            const uint32_t c = net->first[v] + i, d = real->first[w] + i;
            assert_int_equal(cw_network_port(net, c), cw_network_port(real, d));
            assert_int_equal(cw_network_port(net, net->twin[c]), cw_network_port(real, real->twin[d]));
            assert_string_equal(cw_network_name(net, net->head[c], name, sizeof name),
                                cw_network_name(real, real->head[d], other, sizeof other));
            const bool rated = a->kind != CW_KIND_ROUTER && net->identity[net->head[c]].kind != CW_KIND_ROUTER;
            assert_true(net->capacity[c] == (rated ? real->capacity[d] : CW_DEFAULT_CAPACITY));
        }
    }
    cw_network_free(net);
    cw_network_free(real);
}

static void keeps_the_order_of_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"node01 mlx5_0/P1",
                                        "node01 mlx5_0/P2",
                                        "node02 mlx5_0/P1",
                                        "node02 mlx5_0/P2",
                                        "MT25408 ConnectX [0002c90300080d48]",
                                        "MT25408 ConnectX [0002c90300080d4b]",
                                        "gateway",
                                        "Leaf 1 # rack 7",
                                        "leaf2"};
    struct cw_network *net = read_fixture("rails.net");
    assert_names(net, names);
    cw_network_free(net);
}

/* GUIDs count on by 1 a switch and by the number of ports plus 1 an adapter; "+" is relative to the last "=". */
static void guids(void **state)
{
    (void)state;
    struct cw_network *net = parse_text("Switch 2 \"a\"\n[1] \"h\"[1]\n\nSwitch 2 \"b\"\n[1] \"i\"[2]\n\n"
                                        "switchguid+0x10\nSwitch 3 \"c\"\n[1]\t\"j\"\n\n"
                                        "Hca 3 \"h\"\n[1] \"a\"[1]\n\nCa 2 \"i\"\n[2](77) \"b\"[1]\n\n"
                                        "caguid=0x5000\nvendid=0x2c9\nHca 1 \"j\"\n[1] \"c\"[1]\n");
    const struct cw_identity *id = net->identity;
    assert_true(id[0].node_guid == 0x100000 && id[0].port_guid == 0x100001);
    assert_true(id[1].node_guid == 0x100004 && id[1].port_guid == 0x77);
    assert_true(id[2].node_guid == 0x5000 && id[2].port_guid == 0x5001 && id[2].vendor == 0x2c9);
    assert_true(id[3].node_guid == 0x200000 && id[4].node_guid == 0x200001 && id[5].node_guid == 0x200010);
    assert_true(id[4].vendor == 0 && id[4].system_guid == 0x200001);
    assert_cable(net, "j", 1, "c", 1, CW_DEFAULT_CAPACITY); /* no number is port 1 */
    cw_network_free(net);
}

static void rates(void **state)
{
    (void)state;
    struct cw_network *net = parse_text(
        "Switch 9 \"s\" # leaf without quotes base port 0 lid 7 lmc 1\n"
        "[1] \"h1\"[1]\tw=8 s=7\n[2] \"h2\"[1] # to rack 3, 2nd shelf\n[3] \"h3\"[1] # \"\" lid 0 39Gbit/s 250ns\n"
        "[4] \"h4\"[1] w=2 # 4xQDR\n[5] \"h5\"[1]\ts=4 e=3\n\n"
        "Hca 1 \"h1\"\n[1] \"s\"[1]\tw=3 s=2\n\nHca 1 \"h2\"\n[1] \"s\"[2] # lid 5 lmc 3\n\n"
        "Hca 1 \"h3\"\n[1] \"s\"[3] # lid 6 lmc 0 \"\" lid 0 39Gbit/s 250ns\n\n"
        "Hca 1 \"h4\"\n[1] \"s\"[4] # 4xDDR\n\nwidth=1\nspeed=7\nHca 1 \"h5\"\n[1] \"s\"[5]\n");
    assert_cable(net, "h1", 1, "leaf without quotes", 1, 2e9); /* 12x QDR and 4x DDR: the lower */
    assert_cable(net, "h2", 1, "leaf without quotes", 2, CW_DEFAULT_CAPACITY);
    assert_cable(net, "h3", 1, "leaf without quotes", 3, 39e9 / 8);
    assert_cable(net, "h4", 1, "leaf without quotes", 4, 2e9);
    assert_cable(net, "h5", 1, "leaf without quotes", 5, 1e9);
    assert_true(net->latency[2] == 250e-9 && net->latency[0] == CW_DEFAULT_LATENCY);
    assert_true(net->identity[1].lid == 5 && net->identity[1].lmc == 3 && net->identity[2].lid == 6);
    assert_true(net->identity[5].lid == 7 && net->identity[5].lmc == 1);
    cw_network_free(net);
}

/* Ends that state unlike latencies have the longer one; one that states none has the other's. */
static void latencies(void **state)
{
    (void)state;
    struct cw_network *net = parse_text("Switch 2 \"s\"\n[1] \"h1\"[1] # \"\" lid 0 39Gbit/s 250ns\n"
                                        "[2] \"h2\"[1] # \"\" lid 0 39Gbit/s 400ns\n\n"
                                        "Hca 1 \"h1\"\n[1] \"s\"[1]\n\n"
                                        "Hca 1 \"h2\"\n[1] \"s\"[2] # lid 6 lmc 0 \"\" lid 0 39Gbit/s 300ns\n");
    assert_true(net->latency[0] == 250e-9 && net->latency[1] == 400e-9);
    assert_true(net->latency[net->twin[0]] == 250e-9 && net->latency[net->twin[1]] == 400e-9);
    cw_network_free(net);
}

/* Files with identities come back exactly. */
static void files_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"rails.net", "rails.ibnetdiscover", "oddities.ibnetdiscover"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cw_network *net = read_fixture(names[i]), *back = through_ibsim(net);
        assert_same(net, back);
        cw_network_free(net);
        cw_network_free(back);
    }
}

/* Generated networks gain the identities that ibsim gives; all else comes back, the shape too. Frees NET. */
static void assert_round_trip(struct cw_network *net)
{
    struct cw_network *back = through_ibsim(net);
    assert_ptr_equal(back->shape.kind, net->shape.kind);
    for (uint32_t v = 0; v < back->n_vertices; v++) {
        assert_true(back->identity[v].node_guid != 0);
        assert_int_equal(back->identity[v].kind, v < net->n_endpoints ? CW_KIND_HOST : CW_KIND_SWITCH);
    }
    struct cw_network *again = through_ibsim(back);
    assert_same(back, again);
    free(back->identity);
    back->identity = NULL;
    assert_same(net, back);
    cw_network_free(net);
    cw_network_free(back);
    cw_network_free(again);
}

static void shapes_round_trip(void **state)
{
    (void)state;
    const uint32_t m[] = {3, 2, 4}, w[] = {1, 3, 2}, up[] = {1, 3, 4};
    const struct cw_torus torus = {.n = 3, .k = {4, 3, 2}, .wrap = true, .doubled = true};
    const struct cw_torus mesh = {.n = 2, .k = {3, 3}};
    assert_round_trip(sample_xgft(3, m, w, up));
    assert_round_trip(sample_torus(&torus));
    assert_round_trip(sample_torus(&mesh));
    assert_round_trip(sample_crossbar(5));
}

/* Nor is a shape believed whose counts are right, and the hash of the cables, but not the cables. */
static void other_shapes_are_not_believed(void **state)
{
    (void)state;
    static const char stated[] = "torus k=4,4 wrap", other[] = "torus k=16 wrap ";
    struct cw_network *net = sample_torus(&(struct cw_torus){.n = 2, .k = {4, 4}, .wrap = true}), *read = NULL;
    struct cw_text text = {0};
    const struct cw_writer *const *writer = cw_writers;
    while (strcmp((*writer)->name, "ibsim") != 0) writer++;
    assert_int_equal((*writer)->write(net, &text), 0);
    char *at = strstr(text.data, stated);
    memcpy(at, other, sizeof other - 1);
    memmove(at + strlen(other) - 1, at + strlen(other), strlen(at + strlen(other)) + 1); /* without the blank */
    if (cw_network_parse("edited", text.data, strlen(text.data), &read)) fail_msg("%s", cw_error_message());
    assert_null(read->shape.kind);
    cw_network_free(read);
    cw_network_free(net);
    cw_text_free(&text);
}

/* Capacities and latencies that no unit divides evenly. */
static void numbers_round_trip(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(4, 1, 4);
    const double capacities[] = {1e9 / 3, 12.5e9, 123456789.125, 1e-3}, latencies[] = {1e-9 / 7, 0, 1.5e-6, 100e-9};
    for (uint32_t v = 0; v < 4; v++) cw_builder_cable(builder, v, 0, 4, 0, capacities[v], latencies[v]);
    assert_round_trip(sample_finish(builder));
}

/* Who takes a cable out of a written file gets a network without a shape. */
static void edited_files_lose_the_shape(void **state)
{
    (void)state;
    struct cw_network *net = sample_crossbar(3), *read = NULL;
    struct cw_text text = {0};
    const struct cw_writer *const *writer = cw_writers;
    while (strcmp((*writer)->name, "ibsim") != 0) writer++;
    assert_int_equal((*writer)->write(net, &text), 0);
    char *port = strstr(text.data, "[3]\t"), *block = strstr(text.data, "Hca");
    memset(port, '#', 1); /* at the switch, and the last host */
    for (char *next; (next = strstr(block + 1, "Hca"));) block = next;
    memset(strstr(block, "[1]\t"), '#', 1);
    if (cw_network_parse("edited", text.data, text.length, &read)) fail_msg("%s", cw_error_message());
    assert_int_equal(read->n_endpoints, 2);
    assert_null(read->shape.kind);
    cw_network_free(read);
    cw_network_free(net);
    cw_text_free(&text);
}

/* Names that ibsim could not have as ids: they stay names. */
static void awkward_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a \"quoted\" name",
                                        "user@host #3",
                                        "S-0008f10500200b50",
                                        "v17",
                                        "ä/P1 [guid]",
                                        " leading and trailing ",
                                        "a name that is much too long to be given to ibsim as a node id"};
    struct cw_builder *builder = cw_builder_new(6, 1, 6);
    for (uint32_t v = 0; v < 7; v++) cw_builder_name(builder, v, names[v]);
    for (uint32_t v = 0; v < 6; v++) cw_builder_cable(builder, v, 0, 6, 0, 5e9, 1e-7);
    assert_round_trip(sample_finish(builder));
}

static void assert_refused(struct cw_network *net, const char *message)
{
    struct cw_text text = {0};
    const struct cw_writer *const *writer = cw_writers;
    while (strcmp((*writer)->name, "ibsim") != 0) writer++;
    assert_int_equal((*writer)->write(net, &text), CW_EUSAGE);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' does not contain '%s'", cw_error_message(), message);
    cw_text_free(&text);
    cw_network_free(net);
}

static void what_ibsim_cannot_hold(void **state)
{
    (void)state;
    struct cw_builder *two = cw_builder_new(1, 2, 2), *none = cw_builder_new(1, 1, 0), *line = cw_builder_new(1, 1, 1);
    cw_builder_cable(two, 0, 0, 1, 0, 5e9, 0);
    cw_builder_cable(two, 0, 0, 2, 0, 5e9, 0);
    assert_refused(sample_finish(two), "has 2 cables");
    assert_refused(sample_finish(none), "has 0 cables");
    assert_refused(sample_crossbar(256), "port 256");
    assert_refused(sample_fabric(), "the same node GUID"); /* rails with names of their own */
    cw_builder_name(line, 0, "two\nlines");
    cw_builder_name(line, 1, "s");
    cw_builder_cable(line, 0, 0, 1, 0, 5e9, 0);
    assert_refused(sample_finish(line), "on one line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_real_one),
        cmocka_unit_test(keeps_the_order_of_the_file),
        cmocka_unit_test(guids),
        cmocka_unit_test(rates),
        cmocka_unit_test(latencies),
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(shapes_round_trip),
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(edited_files_lose_the_shape),
        cmocka_unit_test(other_shapes_are_not_believed),
        cmocka_unit_test(awkward_names),
        cmocka_unit_test(what_ibsim_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
