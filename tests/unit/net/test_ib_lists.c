/* Lists of a fabric by port, OpenSM's opensm-subnet.lst and iblinkinfo's output: what the real tools wrote of two small
 * fabrics (tests/golden/fabric) against the same fabrics as ibnetdiscover prints them, and lines of other versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "ib_fixtures.h"
#include "net/builder.h"
#include "net/network_internal.h"

#define EDR 12.5e9
#define FDR (4 * 14.0625e9 * 64 / 66 / 8)

static const char *const fabrics[] = {"rails", "two-level"};

static struct cw_network *read_form(const char *fabric, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", fabric, suffix);
    return read_fixture(name);
}

/* opensm-subnet.lst has all that ibnetdiscover's file has, to the last GUID and device. */
static void subnet_is_the_map(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *map = read_form(fabrics[i], ".ibnetdiscover"), *list = read_form(fabrics[i], ".subnet.lst");
        assert_same(map, list);
        cw_network_free(map);
        cw_network_free(list);
    }
}

/* iblinkinfo tells as much as ibnetdiscover -p, and the same with the settings of -p. */
static void plain_is_the_listing(void **state)
{
    (void)state;
    struct cw_network *listing = read_fixture("rails-ports.ibnetdiscover"), *plain = read_fixture("rails.iblinkinfo"),
                      *settings = read_fixture("rails-settings.iblinkinfo");
    assert_same(listing, plain);
    assert_same(listing, settings);
    cw_network_free(listing);
    cw_network_free(plain);
    cw_network_free(settings);
}

/* The vertex of NET that MAP calls V: of the same port GUID. */
static uint32_t by_port_guid(const struct cw_network *net, const struct cw_identity *identity)
{
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->identity[v].port_guid == identity->port_guid) return v;
    fail_msg("no vertex has port GUID 0x%llx", (unsigned long long)identity->port_guid);
    return CW_NONE;
}

static uint32_t by_lid(const struct cw_network *net, const struct cw_identity *identity)
{
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->identity[v].lid == identity->lid) return v;
    fail_msg("no vertex has LID %u", identity->lid);
    return CW_NONE;
}

/* NET has the cables of MAP, with ports and capacities, between vertices found by SAME. */
static void assert_same_cables(const struct cw_network *map, const struct cw_network *net,
                               uint32_t (*same)(const struct cw_network *net, const struct cw_identity *identity))
{
    assert_int_equal(net->n_endpoints, map->n_endpoints);
    assert_int_equal(net->n_vertices, map->n_vertices);
    assert_int_equal(net->n_channels, map->n_channels);
    for (uint32_t c = 0; c < map->n_channels; c++) {
        const uint32_t tail = same(net, &map->identity[map->tail[c]]),
                       other = cw_network_channel_at(net, tail, cw_network_port(map, c));
        assert_true(other != CW_NONE);
        assert_int_equal(net->head[other], same(net, &map->identity[map->head[c]]));
        assert_int_equal(cw_network_port(net, net->twin[other]), cw_network_port(map, map->twin[c]));
        assert_true(net->capacity[other] == map->capacity[c]);
        assert_int_equal(net->identity[tail].lid, map->identity[map->tail[c]].lid);
    }
}

static void all_forms_have_the_cables(void **state)
{
    (void)state;
    static const char *const forms[] = {".iblinkinfo", "-lines.iblinkinfo", "-switches-lines.iblinkinfo"};
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *map = read_form(fabrics[i], ".ibnetdiscover");
        for (size_t j = 0; j < 3; j++) {
            struct cw_network *net = read_form(fabrics[i], forms[j]);
            assert_same_cables(map, net, by_port_guid);
            cw_network_free(net);
        }
        struct cw_network *net = read_form(fabrics[i], "-switches.iblinkinfo");
        assert_same_cables(map, net, by_lid);
        cw_network_free(net);
        cw_network_free(map);
    }
}

/* Without adapters' lines nothing says which ports are one adapter's, and LIDs tell hosts of one name apart. */
static void names_without_guids(void **state)
{
    (void)state;
    static const char *const names[] = {"MT25408 ConnectX [LID 6]", "MT25408 ConnectX [LID 7]", "gateway",
                                        "node01 mlx5_0 [LID 1]",    "node01 mlx5_0 [LID 3]",    "node02 mlx5_0 [LID 4]",
                                        "node02 mlx5_0 [LID 5]",    "Leaf 1 # rack 7",          "leaf2"};
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    struct cw_network *net = read_fixture("rails-switches.iblinkinfo");
    cw_inputs_record(NULL);
    assert_names(net, names);
    assert_true(net->identity[0].port_guid == 0 && net->identity[0].node_guid == 0);
    assert_non_null(strstr(inputs.remarks.data, "(--switches-only): what is no switch is taken for a host"));
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* Two nodes on a switch in a list; LINK is the first cable's width, state and speed. */
static struct cw_network *subnet_with(const char *link, const char *lid)
{
    char text[4096];
    static const char host[] = "{ CA Ports:01 SystemGUID:0 NodeGUID:10%d PortGUID:11%d VenID:2C9 DevID:1017 Rev:A1 "
                               "{node%d {a} HCA-1} LID:%s PN:01 }",
                      leaf[] = "{ SW-SM Ports:24 SystemGUID:0 NodeGUID:90 PortGUID:90 VenID:2C9 DevID:C738 Rev:0 LID:9 "
                               "PN:%02X }";
    char hosts[2][256], leaves[2][256];
    for (int i = 0; i < 2; i++) {
        snprintf(hosts[i], sizeof hosts[i], host, i + 1, i + 1, i + 1, i == 0 ? lid : "2");
        snprintf(leaves[i], sizeof leaves[i], leaf, 0x1a + i);
    }
    static const char other[] = "PHY=4x LOG=ACT SPD=10";
    snprintf(text, sizeof text,
             "[root@head ~]# cat opensm-subnet.lst\n# a comment\n%s %s %s\n%s %s %s\n\n%s %s %s\n%s %s %s\n", hosts[0],
             leaves[0], link, hosts[1], leaves[1], other, leaves[0], hosts[0], link, leaves[1], hosts[1], other);
    return parse_text(text);
}

/* Speeds in the words of every version: figures without fraction, exact figures, names, none, unknown. */
static void subnet_speeds(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        double capacity;
    } cases[] = {{"PHY=4x LOG=ACT SPD=2.5", 1e9},
                 {"PHY=4x LOG=ACT SPD=5", 2e9},
                 {"PHY=1x LOG=INI SPD=10", 1e9},
                 {"PHY=12x LOG=ARM SPD=10", 12e9},
                 {"PHY=4x LOG=ACT SPD=FDR10", 5e9},
                 {"PHY=4x LOG=ACT SPD=14", FDR},
                 {"PHY=4x LOG=ACT SPD=14.0625", FDR},
                 {"PHY=4x LOG=ACT SPD=25", EDR},
                 {"PHY=2x LOG=ACT SPD=EDR", EDR / 2},
                 {"PHY=4x LOG=ACT SPD=50", 25e9},
                 {"PHY=4x LOG=ACT SPD=HDR", 25e9},
                 {"PHY=4x LOG=ACT SPD=106.25", 50e9},
                 {"PHY=4x LOG=ACT SPD=100", 50e9},
                 {"PHY=4x LOG=ACT SPD=200", 100e9},
                 {"PHY=4x LOG=ACT SPD=??", CW_DEFAULT_CAPACITY},
                 {"PHY=?? LOG=ACT SPD=?", CW_DEFAULT_CAPACITY},
                 {"PHY=4x LOG=ACT", CW_DEFAULT_CAPACITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = subnet_with(cases[i].link, "1");
        assert_int_equal(net->n_channels, 4);
        assert_cable(net, "node1 {a} HCA-1", 1, "S-0000000000000090", 0x1a, cases[i].capacity);
        assert_cable(net, "node2 {a} HCA-1", 1, "S-0000000000000090", 0x1b, 4e9);
        cw_network_free(net);
    }
}

/* ibdiagnet may print an LMC; a port without a LID says ffff; a cable that is down is none. */
static void subnet_oddities(void **state)
{
    (void)state;
    struct cw_network *net = subnet_with("PHY=4x LOG=ACT SPD=25", "14 LMC:2");
    assert_int_equal(net->identity[0].lid, 0x14);
    assert_int_equal(net->identity[0].lmc, 2);
    assert_int_equal(net->identity[0].device, 0x1017);
    assert_int_equal(net->identity[2].device, 0xc738);
    assert_int_equal(net->identity[2].ports, 36);
    cw_network_free(net);
    net = subnet_with("PHY=4x LOG=ACT SPD=25", "FFFF");
    assert_int_equal(net->identity[0].lid, 0);
    cw_network_free(net);
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    net = subnet_with("PHY=4x LOG=DWN SPD=25", "1");
    cw_inputs_record(NULL);
    assert_int_equal(net->n_channels, 2);
    assert_int_equal(net->n_endpoints, 1);
    assert_string_equal(inputs.remarks.data,
                        "test:1: 1 line is no part of the map, the first here: passed over.\n"
                        "test:3: 2 ports are down (LOG=DWN), the first here: the cable is left out.\n");
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* What is said of TEXT beside the map; *RC is what reading it gives. */
static void assert_remarked(const char *text, int rc, const char *remarks)
{
    struct cw_inputs inputs = {0};
    struct cw_network *net = NULL;
    cw_inputs_record(&inputs);
    assert_int_equal(cw_network_parse("test", text, strlen(text), &net), rc);
    cw_inputs_record(NULL);
    assert_string_equal(inputs.remarks.data ? inputs.remarks.data : "", remarks);
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* Ports that are down are counted: none is none, and what cannot be read is not said to be left out. */
static void subnet_ports_that_are_down(void **state)
{
    (void)state;
#define HOST "{ CA Ports:01 SystemGUID:0 NodeGUID:101 PortGUID:111 VenID:2C9 DevID:1017 Rev:A1 {node1} LID:1 PN:01 } "
#define LEAF "{ SW Ports:24 SystemGUID:0 NodeGUID:90 PortGUID:90 VenID:2C9 DevID:C738 Rev:0 LID:9 PN:1A } "
#define DOWN "{ SW Ports:24 SystemGUID:0 NodeGUID:90 PortGUID:90 VenID:2C9 DevID:C738 Rev:0 LID:9 PN:1B } "
    static const char all[] = HOST LEAF "PHY=4x LOG=ACT SPD=10\n" LEAF HOST "PHY=4x LOG=ACT SPD=10\n",
                      one[] = HOST LEAF "PHY=4x LOG=ACT SPD=10\n" LEAF HOST "PHY=4x LOG=ACT SPD=10\n" DOWN HOST
                                        "PHY=4x LOG=DWN SPD=10\n",
                      broken[] = DOWN HOST "PHY=4x LOG=DWN SPD=10\n" HOST LEAF "PHY=4x LOG=ACT SPD=10\n" LEAF "x\n";
    assert_remarked(all, 0, "");
    assert_remarked(one, 0, "test:3: 1 port is down (LOG=DWN), the first here: the cable is left out.\n");
    assert_remarked(broken, CW_EPARSE, "");
#undef HOST
#undef LEAF
#undef DOWN
}

/* Two adapters back to back; LINK is what stands between the arrows of both lines. */
static int linkinfo_with(const char *link, struct cw_network **net)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "CA: a:\n 0x11 1 1[  ] ==(%s)==>  2  1[  ] \"b\" ( )\nCA: b:\n 0x21 2 1[  ] ==(%s)==>  1  1[  ] \"a\" ( )\n",
        link, link);
    *net = NULL;
    return cw_network_parse("test", text, strlen(text), net);
}

/* Blanks stand anywhere between width, speed and states, or nowhere. */
static void linkinfo_links(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        double capacity; /* 0: it is refused */
    } cases[] = {{" 4X 5.0 Gbps Active/ LinkUp", 2e9},
                 {"4X 5.0 Gbps Active/LinkUp", 2e9},
                 {"   4X   5.0 Gbps     Active   /  LinkUp ", 2e9},
                 {"Active/LinkUp", CW_DEFAULT_CAPACITY},
                 {"   Armed / LinkUp", CW_DEFAULT_CAPACITY},
                 {" Initialize/", CW_DEFAULT_CAPACITY},
                 {" 4X 5.0 Gbps Active LinkUp", 0},
                 {" 4X 5.0 Gbps Asleep/ LinkUp", 0},
                 {" 4X 5.0 GbpsActive/ LinkUp", 0},
                 {" 4X 5.0 Gbps Activ/ LinkUp", 0},
                 {" four Active/ LinkUp", 0},
                 {" / LinkUp", 0},
                 {"/LinkUp", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net;
        const int rc = linkinfo_with(cases[i].link, &net);
        if (rc && cases[i].capacity > 0) fail_msg("'%s': %s", cases[i].link, cw_error_message());
        if (!rc && cases[i].capacity <= 0) fail_msg("'%s' is no link, but was read", cases[i].link);
        if (rc && !strstr(cw_error_message(), "test:2: expected a width, a speed and states"))
            fail_msg("'%s': %s", cases[i].link, cw_error_message());
        if (!rc) assert_cable(net, "a", 1, "b", 1, cases[i].capacity);
        cw_network_free(net);
    }
    struct cw_network *net;
    assert_int_equal(linkinfo_with("Down/ Polling", &net), CW_EPARSE); /* no cable is left, and so no map */
}

/* Old headlines, a place in a chassis, FDR10, an unknown speed, states before a subnet manager, a silent peer, a name
 * with a colon and quotes, a warning of the tool. */
static void linkinfo_oddities(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    struct cw_network *net = parse_text(
        "Switch 0x0000000000000090 SX6036: \"core\":\n"
        "  9  1[ 3] ==( 4X 10.0 Gbps (FDR10) Active/  LinkUp)==>  1  1[  ] \"node1\" (Could be 14.0625 Gbps)\n"
        "  9  2[  ] ==( 4X undefined (16) Armed/  LinkUp)==>  2  1[  ] \"node2\"\n"
        "  9  3[  ] ==( 1X 53.125 Gbps Initialize/  LinkUp)==>  3  1[17] \"node3\" ( )\n"
        "ibwarn: [4711] mad_rpc: timed out\n"
        "  9  4[  ] ==( 4X 14.0625 Gbps Active/  LinkUp)==>    \"Port not available\"\n"
        "  9  5[  ] ==(                Down/Disabled)==>             [  ] \"\" ( )\n"
        "CA: node1:\n 0x11 1 1[  ] ==( 4X 10.0 Gbps (FDR10) Active/  LinkUp)==>  9  1[ 3] \"SX6036: \"core\"\" ( )\n"
        "CA: node2:\n 0x21 2 1[  ] ==( 4X No Extended Speed Active/  LinkUp)==>  9  2[  ] \"SX6036: \"core\"\" ( )\n"
        "Router: node3:\n 0x31 3 1[17] ==( 1X 53.125 Gbps Initialize/  LinkUp)==>  9  3[  ] \"SX6036: \"core\"\" ( "
        ")\n");
    cw_inputs_record(NULL);
    assert_int_equal(net->n_endpoints, 3);
    assert_int_equal(net->identity[2].kind, CW_KIND_ROUTER);
    assert_int_equal(net->identity[3].ports, 5);
    assert_cable(net, "SX6036: \"core\"", 1, "node1", 1, 5e9);
    assert_cable(net, "SX6036: \"core\"", 2, "node2", 1, CW_DEFAULT_CAPACITY);
    assert_cable(net, "SX6036: \"core\"", 3, "node3", 1, 6.25e9);
    assert_string_equal(
        inputs.remarks.data,
        "test:5: 1 line is no part of the map, the first here: passed over. 1 is an error or warning of "
        "the tool that wrote it: what it could not reach is missing here.\n"
        "test:6: 1 port is up but not followed (\"Port not available\"), the first here: left out.\n");
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* Two adapters back to back, without any switch. */
static void back_to_back(void **state)
{
    (void)state;
    struct cw_network *plain =
                          parse_text("CA: a:\n 0x11 1 1[  ] ==( 4X 5.0 Gbps Active/  LinkUp)==>  2  1[  ] \"b\" ( )\n"
                                     "CA: b:\n 0x21 2 1[  ] ==( 4X 5.0 Gbps Active/  LinkUp)==>  1  1[  ] \"a\" ( )\n"),
                      *lines = parse_text(
                          "0x11 \" a\" 1 1[  ] ==( 4X 5.0 Gbps Active/  LinkUp)==>  0x21 2 1[  ] \"b\" ( )\n"
                          "0x21 \" b\" 2 1[  ] ==( 4X 5.0 Gbps Active/  LinkUp)==>  0x11 1 1[  ] \"a\" ( )\n");
    assert_int_equal(plain->n_endpoints, 2);
    assert_cable(plain, "a", 1, "b", 1, 2e9);
    assert_same(plain, lines);
    cw_network_free(plain);
    cw_network_free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subnet_is_the_map),
        cmocka_unit_test(plain_is_the_listing),
        cmocka_unit_test(all_forms_have_the_cables),
        cmocka_unit_test(names_without_guids),
        cmocka_unit_test(subnet_speeds),
        cmocka_unit_test(subnet_oddities),
        cmocka_unit_test(subnet_ports_that_are_down),
        cmocka_unit_test(linkinfo_links),
        cmocka_unit_test(linkinfo_oddities),
        cmocka_unit_test(back_to_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
