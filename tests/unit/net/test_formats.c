/* The registries: content is recognised by one reader, extensions choose writers, and the drawings are well-formed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/builder.h"
#include "net/files/formats.h"

#include "net/network_internal.h"
#include "sample_networks.h"

/* All readers, in the order in which they are asked. */
#define FORMATS                                                                                                        \
    "edges, anynet, slurm, graphml, simgrid, opensm-subnet, lldp, json, ibdiagnet, iblinkinfo, ibnetdiscover, ibsim"

static const struct cw_writer *writer_named(const char *name)
{
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++)
        if (strcmp((*writer)->name, name) == 0) return *writer;
    fail_msg("no writer %s", name);
    return NULL;
}

/* A writer of a format that can be read is understood by its reader, and by no reader asked before. */
static void test_written_is_recognised(void **state)
{
    (void)state;
    struct cw_network *net = sample_xgft(2, (uint32_t[]){3, 4}, (uint32_t[]){1, 2}, (uint32_t[]){1, 2});
    unsigned found = 0;
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++) {
        struct cw_text text = {0};
        assert_int_equal((*writer)->write(net, &text), 0);
        const struct cw_reader *const *reader = cw_readers;
        while (*reader && !(*reader)->recognises(text.data, text.length)) reader++;
        const struct cw_reader *const *same = cw_readers;
        while (*same && strcmp((*same)->name, (*writer)->name) != 0) same++;
        if (*same) {
            assert_ptr_equal(*reader, *same);
            found++;
        } else {
            assert_null(*reader);
        }
        cw_text_free(&text);
    }
    assert_int_equal(found, 6); /* json, ibsim, graphml, slurm, anynet, simgrid */
    cw_network_free(net);
}

static void assert_reader(const char *content, const char *name)
{
    const struct cw_reader *const *reader = cw_readers;
    while (*reader && !(*reader)->recognises(content, strlen(content))) reader++;
    assert_non_null(*reader);
    assert_string_equal((*reader)->name, name);
}

static void test_recognition(void **state)
{
    (void)state;
    assert_reader("<!DOCTYPE platform SYSTEM \"x\">\n<platform version=\"4.1\"/>", "simgrid");
    assert_reader("\n\t{ \"x\": 1", "json");
    assert_reader("# crosswind edge list\na b\n", "edges");
    assert_reader("\xef\xbb\xbf# crosswind edge list\r\nendpoint x\n", "edges");
    assert_reader("\n router 0 node 0\n", "anynet");
    assert_reader("node 3 router 1\n", "anynet");
    assert_reader("# made by slurmibtopology\n\n SwitchName=leaf1 Nodes=n[1-4]\n", "slurm");
    assert_reader("switchname=top\n", "slurm");
    assert_reader("<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n</graphml>\n", "graphml");
    assert_reader("#\n# Topology file\n#\nvendid=0x2c9\ndevid=0x1017\nsysimgguid=0x1\nswitchguid=0x1(1)\n"
                  "Switch\t36 \"S-0000000000000001\"\t\t# \"leaf\" enhanced port 0 lid 3 lmc 0\n",
                  "ibnetdiscover");
    assert_reader("[root@head ~]# ibnetdiscover\n#\n# Topology file\n", "ibnetdiscover");
    assert_reader("[sudo] password for joe: \nCA  3  1 0x11 4x QDR - SW", "ibnetdiscover");
    assert_reader("[root@head ~]# cat x\n{ CA-SM Ports:01 SystemGUID:0", "opensm-subnet");
    assert_reader("# Running version: x\n\nSTART_NODES\nNodeDesc,NumPorts\n", "ibdiagnet");
    assert_reader("Switch: 0x90 leaf:\n  9  1[  ] ==(   Down/ Polling)==>   [  ] \"\" ( )\n", "iblinkinfo");
    assert_reader("Switch 0x90 leaf:\n  9  1[  ] ==(   Down/ Polling)==>   [  ] \"\" ( )\n", "iblinkinfo");
    assert_reader("0x90 \"  leaf\"  9  1[  ] ==(   Down/ Polling)==>   [  ] \"\" ( )\n", "iblinkinfo");
    assert_reader("Switch 8 \"leaf\"\n[1] \"node\"[1]\n\nHca 1 \"node\"\n[1] \"leaf\"[1]\n", "ibsim");
}

/* Writes CONTENT (NULL: NET) to a file called like NAME and reads it; the result is that of cw_network_read. */
static int through_file(const struct cw_network *net, const char *content, char *path, int suffix,
                        struct cw_network **out)
{
    const int descriptor = mkstemps(path, suffix);
    assert_true(descriptor >= 0);
    if (content) assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    close(descriptor);
    int rc = content ? 0 : cw_network_write(net, path);
    if (!rc) rc = cw_network_read(path, out);
    unlink(path);
    return rc;
}

static void test_nothing(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_parse("empty", " \n\t\r\n", 5, &net), CW_EPARSE);
    assert_string_equal(cw_error_message(), "empty: nothing is in it; expected one of " FORMATS);
}

/* Two words a line are in many files: without its first line a list of cables is none, unless it is said. */
static void test_formats_by_name(void **state)
{
    (void)state;
    static const char cables[] = "a s\nb s\n";
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_parse("cables", cables, strlen(cables), &net), CW_EPARSE);
    assert_string_equal(cw_error_message(),
                        "cables: the content is in no known format; expected one of " FORMATS
                        " (a list of cables begins with the line \"# "
                        "crosswind edge list\"; ibnetdiscover prints the map of an InfiniBand fabric)");
    assert_int_equal(
        cw_network_parse_as(&(struct cw_reading){.format = "edges"}, "cables", cables, strlen(cables), &net), 0);
    assert_int_equal(net->n_endpoints, 2);
    cw_network_free(net);
    net = NULL;
    assert_int_equal(
        cw_network_parse_as(&(struct cw_reading){.format = "json"}, "cables", cables, strlen(cables), &net), CW_EPARSE);
    assert_int_equal(
        cw_network_parse_as(&(struct cw_reading){.format = "yaml"}, "cables", cables, strlen(cables), &net), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "there is no format 'yaml' of networks; expected one of " FORMATS);
    assert_int_equal(cw_network_read_as(&(struct cw_reading){.format = "yaml"}, "no/such/file", &net), CW_EUSAGE);
    assert_null(net);
}

/* Files of other tools are called by their name. */
static void test_foreign_files(void **state)
{
    (void)state;
    static const struct {
        const char *content, *seems;
    } files[] = {
        {"BlockName=block1 Nodes=n[1-8]\n", "a Slurm topology.conf of blocks; give a topology.conf of switches"},
        {"---\n- topology: topo1\n  tree:\n    switches:\n      - switch: top\n", "a Slurm topology.yaml"},
        {"graph \"net\" {\n  0 -- 1;\n}\n", "a graph in DOT"},
        {"// drawn\nstrict digraph {\n}\n", "a graph in DOT"},
        {"<!DOCTYPE html>\n<html>\n", "a page of HTML"},
        {"Jun 05 14:15:10 123456 [7F3A8000] 0x01 -> osm_report_notice: Reporting\n", "a log of OpenSM"},
        {"Unicast lids [0-22] of switch Lid 2 guid 0x5000a0 ('leaf'):\n", "forwarding tables; they are for --lft"},
        {"osm_ucast_mgr_dump_ucast_routes: Switch 0x5000a0\n", "forwarding tables; they are for --lft"},
        {"Switch\t: 0x5000a0 ports 8 \"leaf\" base port 0 lid 2 lmc 0\n", "a list of nodes (ibswitches)"},
        {"Ca\t: 0x700010 ports 1 \"node\"\n", "a list of nodes (ibhosts)"},
        {"adm: #\nadm: # Topology file: generated on Mon\n",
         "a map of ibnetdiscover with something in front of its lines"},
        {"<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n", "what lstopo writes; it is about one host"},
        {"<system version=\"1\">\n", "a topology of NCCL"},
        {"\tGPU0\tGPU1\n", "what nvidia-smi topo prints"},
        {"hca_id:\tmlx5_0\n", "what ibv_devinfo prints"},
        {"#\n# DEVICE ATTRIBUTES OPTIONS\n", "an opensm.conf"},
        {"bash: ibnetdiscover: command not found\n", "an error message of the shell"},
        {"0x0002c90300001 0x0001 0x0001\n", "a list of GUIDs, such as guid2lid"},
        {"[{\"id\": 1}]\n", "JSON of another tool; give the map"},
        {"<!doctype html>\n", "a page of HTML"},
        {"-I- Using port 1\n", "what ibdiagnet prints; give the file that it writes, ibdiagnet2.db_csv or"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cw_network *net = NULL;
        assert_int_equal(cw_network_parse("file", files[i].content, strlen(files[i].content), &net), CW_EPARSE);
        assert_null(net);
        if (strncmp(cw_error_message(), "file: this seems to be ", 23) != 0 ||
            strncmp(cw_error_message() + 23, files[i].seems, strlen(files[i].seems)) != 0)
            fail_msg("%zu: %s", i, cw_error_message());
        assert_non_null(strstr(cw_error_message(), " (expected one of " FORMATS ")"));
    }
}

static void test_files(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric(), *read = NULL;
    char path[] = "formats-XXXXXX.json";
    if (through_file(net, NULL, path, 5, &read)) fail_msg("%s", cw_error_message());
    assert_true(cw_network_equal(net, read));
    assert_string_equal(read->title, path);
    cw_network_free(read);
    cw_network_free(net);

    read = NULL;
    char unknown[] = "formats-XXXXXX";
    assert_int_equal(through_file(NULL, "Lorem ipsum dolor sit amet.\n", unknown, 0, &read), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), unknown));
    assert_non_null(strstr(cw_error_message(), "expected one of " FORMATS));
    char empty[] = "formats-XXXXXX";
    assert_int_equal(through_file(NULL, "", empty, 0, &read), CW_EPARSE);
    assert_int_equal(cw_network_read("no/such/file", &read), CW_EIO);
    assert_null(read);
}

/* What the builder refuses gets the file's name. */
static void test_refusal_names_the_file(void **state)
{
    (void)state;
    static const char content[] =
        "{\"format\": \"crosswind-network\", \"version\": 1, \"endpoints\": 1, \"switches\": 1,"
        " \"names\": [\"a\", \"a\"]}";
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_parse("some.json", content, sizeof content - 1, &net), CW_EPARSE);
    assert_string_equal(cw_error_message(), "some.json: vertices 0 and 1 are both named 'a'");
}

static void test_unknown_extension(void **state)
{
    (void)state;
    struct cw_network *net = sample_crossbar(2);
    const char *const paths[] = {"net.xm", "json", ".json", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(cw_network_write(net, paths[i]), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), ".json, .net, .dot, .graphml"));
    }
    cw_network_free(net);
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) n++;
    return n;
}

static void test_dot(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_text text = {0};
    assert_int_equal(writer_named("dot")->write(net, &text), 0);
    assert_int_equal(count(text.data, " -- "), net->n_channels / 2);
    assert_int_equal(count(text.data, "[label="), net->n_vertices);
    assert_int_equal(count(text.data, "shape=ellipse"), net->n_endpoints);
    assert_non_null(strstr(text.data, "2 [label=\"node3 \\\"a\\\" \\\\\""));
    assert_non_null(
        strstr(text.data, "10 -- 11 [taillabel=\"1\", headlabel=\"4\", capacity=\"25000000000\", latency=\"0\"];"));
    cw_text_free(&text);
    cw_network_free(net);
}

/* Levels stand side by side, cables lead upwards, and what is slow or works in one direction is seen. */
static void test_dot_levels(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(4, 3, 8);
    struct cw_network *net;
    struct cw_text text = {0};
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 1, 5 + e / 2, 1 + e % 2, 4e9, 0);
    cw_builder_cable(builder, 4, 1, 5, 3, 4e9, 0); /* 4 is the spine */
    cw_builder_cable(builder, 4, 2, 6, 3, 3e9, 0);
    cw_builder_cable(builder, 4, 3, 5, 4, 2e9, 0);
    cw_builder_cable(builder, 4, 4, 6, 4, 4e9, 0);
    cw_builder_back(builder, 0, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(writer_named("dot")->write(net, &text), 0);
    assert_non_null(strstr(text.data, "rankdir=BT"));
    assert_non_null(strstr(text.data, "{ rank=same; 5; 6; }"));
    assert_non_null(strstr(text.data, "{ rank=same; 4; }"));
    assert_non_null(
        strstr(text.data, "5 -- 4 [taillabel=\"3\", headlabel=\"1\", capacity=\"4000000000\", latency=\"0\"];"));
    assert_non_null(strstr(text.data, "capacity=\"3000000000\", latency=\"0\", color=\"orange\"]"));
    assert_non_null(strstr(text.data, "capacity=\"2000000000\", latency=\"0\", color=\"red\"]"));
    assert_non_null(strstr(
        text.data, "6 -- 4 [taillabel=\"4\", headlabel=\"4\", capacity=\"0\", latency=\"0\", style=dashed, dir=back]"));
    assert_int_equal(count(text.data, "color="), 2);
    cw_text_free(&text);
    cw_network_free(net);
}

static void test_graphml(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_text text = {0};
    assert_int_equal(writer_named("graphml")->write(net, &text), 0);
    assert_int_equal(count(text.data, "<edge "), net->n_channels / 2);
    assert_int_equal(count(text.data, "<node "), net->n_vertices);
    assert_int_equal(count(text.data, "<data "), count(text.data, "</data>"));
    assert_non_null(strstr(text.data, ">node&lt;5&gt;&amp;'x'</data><data key=\"kind\">host</data>"));
    assert_non_null(strstr(text.data, "<data key=\"kind\">aggregation</data>"));
    assert_non_null(
        strstr(text.data,
               "<data key=\"node_guid\">0x0002c90300000010</data><data key=\"port_guid\">0x0002c90300000011</data>"));
    cw_text_free(&text);
    cw_network_free(net);

    net = sample_crossbar(2);
    assert_int_equal(writer_named("graphml")->write(net, &text), 0);
    assert_null(strstr(text.data, "lid"));
    cw_text_free(&text);
    cw_network_free(net);
}

/* Every cable once, as it is in the network, both figures to the last bit. */
static void test_graphml_edges(void **state)
{
    (void)state;
    struct cw_text text = {0};
    struct cw_network *net = sample_fabric();
    uint32_t cables = 0;
    assert_int_equal(writer_named("graphml")->write(net, &text), 0);
    for (const char *edge = text.data; (edge = strstr(edge, "<edge ")); edge++, cables++) {
        unsigned tail, head, from, to;
        double capacity, latency;
        assert_int_equal(
            sscanf(edge,
                   "<edge source=\"n%u\" target=\"n%u\"><data key=\"source_port\">%u</data><data key=\"target_port\">%u"
                   "</data><data key=\"capacity\">%lf</data><data key=\"latency\">%lf</data></edge>",
                   &tail, &head, &from, &to, &capacity, &latency),
            6);
        const uint32_t channel = cw_network_channel_at(net, tail, from);
        assert_int_not_equal(channel, CW_NONE);
        assert_int_equal(net->head[channel], head);
        assert_int_equal(cw_network_channel_at(net, head, to), net->twin[channel]);
        assert_true(capacity == net->capacity[channel] && latency == net->latency[channel]);
    }
    assert_int_equal(2 * cables, net->n_channels);
    cw_text_free(&text);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_is_recognised),
        cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_formats_by_name),
        cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refusal_names_the_file),
        cmocka_unit_test(test_unknown_extension),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_dot_levels),
        cmocka_unit_test(test_graphml),
        cmocka_unit_test(test_graphml_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
