/* ibnetdiscover's files: what real tools printed of one small fabric in four ways, and the oddities of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/input.h"
#include "ib_fixtures.h"
#include "net/builder.h"
#include "net/network_internal.h"

#define EDR 12.5e9
#define HDR 25e9

static void check_rails(const struct cw_network *net)
{
    assert_int_equal(net->n_endpoints, 7);
    assert_int_equal(cw_network_switches(net), 2);
    assert_int_equal(net->n_channels, 2 * 9);
    assert_cable(net, "node01 mlx5_0/P1", 1, "Leaf 1 # rack 7", 1, EDR);
    assert_cable(net, "node01 mlx5_0/P2", 2, "leaf2", 1, EDR);
    assert_cable(net, "node02 mlx5_0/P1", 1, "Leaf 1 # rack 7", 2, EDR);
    assert_cable(net, "node02 mlx5_0/P2", 2, "leaf2", 2, EDR);
    assert_cable(net, "gateway", 1, "Leaf 1 # rack 7", 7, 1e9);
    assert_cable(net, "Leaf 1 # rack 7", 11, "leaf2", 11, HDR);
    assert_cable(net, "Leaf 1 # rack 7", 12, "leaf2", 10, HDR);
    assert_cable(net, "leaf2", 5,
                 net->identity[0].node_guid ? "MT25408 ConnectX [0002c90300080d48]"
                                            : "MT25408 ConnectX [0002c90300080d4a]",
                 2, 2e9);
}

/* Natural order, hosts of the same description by GUID. */
static void plain(void **state)
{
    (void)state;
    static const char *const names[] = {"MT25408 ConnectX [0002c90300080d48]",
                                        "MT25408 ConnectX [0002c90300080d4b]",
                                        "gateway",
                                        "node01 mlx5_0/P1",
                                        "node01 mlx5_0/P2",
                                        "node02 mlx5_0/P1",
                                        "node02 mlx5_0/P2",
                                        "Leaf 1 # rack 7",
                                        "leaf2"};
    struct cw_network *net = read_fixture("rails.ibnetdiscover");
    check_rails(net);
    assert_names(net, names);
    const struct cw_identity *rail = &net->identity[4], *leaf = &net->identity[7];
    assert_true(rail->node_guid == 0x2c90300080d28 && rail->port_guid == 0x2c90300080d2a);
    assert_true(rail->system_guid == 0x2c90300080d2b);
    assert_int_equal(rail->lid, 3);
    assert_int_equal(rail->kind, CW_KIND_HOST);
    assert_int_equal(rail->ports, 2);
    assert_int_equal(rail->device, 0x1021);
    assert_int_equal(net->identity[2].kind, CW_KIND_ROUTER);
    assert_int_equal(leaf->kind, CW_KIND_SWITCH);
    assert_int_equal(leaf->lid, 8);
    assert_int_equal(leaf->ports, 12);
    assert_true(leaf->port_guid == 0x8f10500200b50);
    cw_network_free(net);
}

/* -f and -g print the same fabric with more words. */
static void full_and_grouped(void **state)
{
    (void)state;
    struct cw_network *net = read_fixture("rails.ibnetdiscover"), *full = read_fixture("rails-full.ibnetdiscover"),
                      *grouped = read_fixture("rails-grouped.ibnetdiscover");
    assert_same(net, full);
    assert_same(net, grouped);
    cw_network_free(net);
    cw_network_free(full);
    cw_network_free(grouped);
}

/* -p does not tell the node GUIDs of hosts, system GUIDs and devices; all else is the same. */
static void listing(void **state)
{
    (void)state;
    struct cw_network *net = read_fixture("rails-ports.ibnetdiscover"),
                      *plain_net = read_fixture("rails.ibnetdiscover");
    check_rails(net);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const struct cw_identity *a = &net->identity[v], *b = &plain_net->identity[v];
        assert_true(a->port_guid == b->port_guid);
        assert_true(a->node_guid == (v < net->n_endpoints ? 0 : b->node_guid));
        assert_int_equal(a->lid, b->lid);
        assert_int_equal(a->kind, b->kind);
        if (v >= net->n_endpoints || v == 3) assert_int_equal(a->ports, b->ports);
    }
    cw_network_free(net);
    cw_network_free(plain_net);
}

/* Adapters of one description, whose own GUIDs -p does not tell, are told apart by those of their first ports, in
 * whatever order the ports come. */
static void listing_of_namesakes(void **state)
{
    (void)state;
    static const char *const names[] = {"x [0000000000000011]/P1", "x [0000000000000011]/P2", "x [0000000000000021]/P1",
                                        "x [0000000000000021]/P2", "s"};
    static const char text[] = "CA  4  2 0x0000000000000012 4x QDR - SW  1  2 0x0000000000000001 ( 'x' - 's' )\n"
                               "CA  3  1 0x0000000000000011 4x QDR - SW  1  1 0x0000000000000001 ( 'x' - 's' )\n"
                               "CA  5  1 0x0000000000000021 4x QDR - SW  1  3 0x0000000000000001 ( 'x' - 's' )\n"
                               "CA  6  2 0x0000000000000022 4x QDR - SW  1  4 0x0000000000000001 ( 'x' - 's' )\n"
                               "SW  1  1 0x0000000000000001 4x QDR - CA  3  1 0x0000000000000011 ( 's' - 'x' )\n"
                               "SW  1  2 0x0000000000000001 4x QDR - CA  4  2 0x0000000000000012 ( 's' - 'x' )\n"
                               "SW  1  3 0x0000000000000001 4x QDR - CA  5  1 0x0000000000000021 ( 's' - 'x' )\n"
                               "SW  1  4 0x0000000000000001 4x QDR - CA  6  2 0x0000000000000022 ( 's' - 'x' )\n";
    struct cw_network *net = parse_text(text);
    assert_int_equal(net->n_vertices, 5);
    assert_names(net, names);
    cw_network_free(net);
}

/* Before a subnet manager ran, LIDs are 65535; an error stands among the rows. */
static void listing_without_lids(void **state)
{
    (void)state;
    static const char text[] = "CA 65535  1 0x0000000000000011 4x QDR - SW 65535  1 0x0000000000000001 ( 'x' - 's' )\n"
                               "src/query_smp.c:228; umad (DR path slid 0; dlid 0; 0,1) bad status 110\n"
                               "SW 65535  1 0x0000000000000001 4x QDR - CA 65535  1 0x0000000000000011 ( 's' - 'x' )\n";
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    struct cw_network *net = parse_text(text);
    cw_inputs_record(NULL);
    assert_int_equal(net->n_channels, 2);
    assert_int_equal(net->identity[0].lid, 0);
    assert_int_equal(net->identity[1].lid, 0);
    assert_non_null(strstr(inputs.remarks.data,
                           ":2: 1 line is no part of the map, the first here: passed over. 1 is an "
                           "error or warning"));
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* Blocks printed twice, chassis, quotes in descriptions, a loopback cable, hosts without a block or a description,
 * unknown and differing rates, rates in figures, "Hca", an aggregation node, an adapter without a cable. */
static void oddities(void **state)
{
    (void)state;
    static const char *const names[] = {"H-0000000000000111/P1", "H-0000000000000111/P2",
                                        "H-0000000000000121",    "Mellanox Technologies Aggregation Node",
                                        "lonely node1 HCA-1",    "node1 HCA-1",
                                        "core \"big\" one",      "edge"};
    struct cw_network *net = read_fixture("oddities.ibnetdiscover");
    assert_int_equal(net->n_endpoints, 6);
    assert_names(net, names);
    assert_int_equal(net->n_channels, 2 * 8);
    assert_cable(net, "core \"big\" one", 1, "edge", 1, HDR);
    assert_cable(net, "core \"big\" one", 2, "edge", 2, HDR / 2);    /* two lanes at one end, four at the other */
    assert_cable(net, "node1 HCA-1", 1, "core \"big\" one", 3, EDR); /* only one end knows */
    assert_cable(net, "edge", 3, "H-0000000000000111/P2", 2, 4 * 14.0625e9 * 64 / 66 / 8);
    assert_cable(net, "edge", 4, "H-0000000000000111/P1", 1, 5e9);
    assert_cable(net, "edge", 5, "H-0000000000000121", 1, CW_DEFAULT_CAPACITY);
    assert_cable(net, "edge", 6, "lonely node1 HCA-1", 1, 12 * 25e9);
    assert_int_equal(cw_network_channel_at(net, vertex(net, "core \"big\" one"), 4), CW_NONE);
    assert_int_equal(net->identity[3].kind, CW_KIND_AGGREGATION);
    assert_int_equal(net->identity[0].kind, CW_KIND_HOST);
    assert_true(net->identity[1].port_guid == 0x113 && net->identity[1].lid == 9 && net->identity[1].ports == 2);
    assert_true(net->identity[2].port_guid == 0x122); /* its own block does not say */
    assert_int_equal(net->identity[5].lmc, 1);
    assert_int_equal(net->identity[6].lmc, 2);
    assert_int_equal(net->identity[6].ports, 41);
    cw_network_free(net);
}

/* The text of a fixture with every '\n' replaced. */
static struct cw_text fixture_with(const char *prefix, const char *line_end)
{
    struct cw_text in = {0}, out = {0};
    if (cw_file_read(CW_TEST_DATA "/golden/fabric/rails.ibnetdiscover", &in)) fail_msg("%s", cw_error_message());
    cw_text_add(&out, prefix);
    for (const char *line = in.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        cw_text_append(&out, line, (size_t)(end - line));
        cw_text_add(&out, line_end);
    }
    cw_text_free(&in);
    return out;
}

static void bom_and_crlf(void **state)
{
    (void)state;
    struct cw_network *net = read_fixture("rails.ibnetdiscover");
    struct cw_text text = fixture_with("\xef\xbb\xbf", "\r\n");
    struct cw_network *dos = parse_text(text.data);
    assert_same(net, dos);
    cw_text_free(&text);
    cw_network_free(dos);
    cw_network_free(net);
}

/* Wherever the file is cut off, the reader says so; but if the cut is between two lines it cannot know as long as
 * nothing that remains mentions a switch that is gone. Hosts without a block are taken from the switches' lines. */
static void every_truncation(void **state)
{
    (void)state;
    struct cw_text text = fixture_with("", "\n");
    struct cw_network *whole = parse_text(text.data);
    for (size_t length = 0; length < text.length; length++) {
        struct cw_network *net = NULL;
        if (cw_network_parse("cut", text.data, length, &net)) continue;
        checked(net);
        const bool between_lines = text.data[length] == '\n' || text.data[length - 1] == '\n';
        if (!between_lines && net->n_channels != whole->n_channels)
            fail_msg("accepted after %zu bytes: …%s", length, text.data + length - (length < 60 ? length : 60));
        cw_network_free(net);
    }
    cw_network_free(whole);
    cw_text_free(&text);
}

/* The order of blocks does not matter. */
static void order_of_blocks(void **state)
{
    (void)state;
    struct cw_network *a = parse_text("switchguid=0x2(2)\nSwitch 4 \"S-0000000000000002\" # \"s\"\n"
                                      "[1] \"H-0000000000000011\"[1](12) # \"n10\" lid 2 4xQDR\n"
                                      "[2] \"H-0000000000000021\"[1](22) # \"n9\" lid 3 4xQDR\n\n"
                                      "Ca 1 \"H-0000000000000011\" # \"n10\"\n"
                                      "[1](12) \"S-0000000000000002\"[1] # lid 2 lmc 0 \"s\" lid 1 4xQDR\n\n"
                                      "Ca 1 \"H-0000000000000021\" # \"n9\"\n"
                                      "[1](22) \"S-0000000000000002\"[2] # lid 3 lmc 0 \"s\" lid 1 4xQDR\n");
    struct cw_network *b = parse_text("Ca 1 \"H-0000000000000021\" # \"n9\"\n"
                                      "[1](22) \"S-0000000000000002\"[2] # lid 3 lmc 0 \"s\" lid 1 4xQDR\n\n"
                                      "Ca 1 \"H-0000000000000011\" # \"n10\"\n"
                                      "[1](12) \"S-0000000000000002\"[1] # lid 2 lmc 0 \"s\" lid 1 4xQDR\n\n"
                                      "switchguid=0x2(2)\nSwitch 4 \"S-0000000000000002\" # \"s\"\n"
                                      "[2] \"H-0000000000000021\"[1](22) # \"n9\" lid 3 4xQDR\n"
                                      "[1] \"H-0000000000000011\"[1](12) # \"n10\" lid 2 4xQDR\n");
    assert_same(a, b);
    assert_string_equal(a->names + a->name_at[0], "n9");
    cw_network_free(a);
    cw_network_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(full_and_grouped),
        cmocka_unit_test(listing),
        cmocka_unit_test(listing_of_namesakes),
        cmocka_unit_test(listing_without_lids),
        cmocka_unit_test(oddities),
        cmocka_unit_test(bom_and_crlf),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(order_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
