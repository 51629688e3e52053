/* ibdiagnet's tables: columns by name, speeds, LIDs, and what is wrong with a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "reader_test.h"

#define NODES                                                                                                          \
    "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID,PortGUID,SystemImageGUID,DeviceID,VendorID\n"                    \
    "\"leaf, \"a\" b\",36,2,0x11,0x11,0x10,53000,0x2c9\n\"node1\",1,1,0x21,0x22,N/A,,\nnode2,2,1,0x31,,,,\n"           \
    "\"spare\",8,2,0x41,0x41,0x41,1,1\nEND_NODES\n"
#define PORTS                                                                                                          \
    "START_PORTS\nportnum,NODEGUID,PortGuid,LID,LMC,LinkSpeedActv,LinkWidthActv,More\n1,0x11,0x11,9,0,512,2,x,y\n"     \
    "0,0x11,0x11,7,1,0,0\n1,0x21,0x22,3,2,512,2\n2,0x31,0x33,65535,0,65536,16\n2,0x11,0x11,0,0,16,2\nEND_PORTS\n"
#define LINKS "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x21,1,0x11,1\n0x11,2,0x31,2\nEND_LINKS\n"

static void test_fabric(void **state)
{
    (void)state;
    static const char *const contents[] = {NODES PORTS LINKS, "# x\nSTART_OTHER\nx,\"\nEND_NODES\nEND_OTHER\n" LINKS
                                                              "\n" PORTS "\n" NODES};
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *net = read_content(&cw_reader_ibdiagnet, contents[i]);
        assert_vertices(net, "node1 node2|leaf, \"a\" b spare");
        assert_channels(net, "node1/1>leaf, \"a\" b/1 1.25e+10 1e-07\n"
                             "node2/2>leaf, \"a\" b/2 2.5e+09 1e-07\n"
                             "leaf, \"a\" b/1>node1/1 1.25e+10 1e-07\n"
                             "leaf, \"a\" b/2>node2/2 2.5e+09 1e-07\n");
        const struct cw_identity *leaf = cw_network_identity(net, 2), *node = cw_network_identity(net, 0);
        assert_int_equal(leaf->lid, 7);
        assert_int_equal(leaf->lmc, 1);
        assert_int_equal(leaf->port_guid, 0x11);
        assert_int_equal(leaf->system_guid, 0x10);
        assert_int_equal(leaf->device, 53000);
        assert_int_equal(leaf->vendor, 0x2c9);
        assert_int_equal(leaf->ports, 36);
        assert_int_equal(node->lid, 3);
        assert_int_equal(node->lmc, 2);
        assert_int_equal(node->node_guid, 0x21);
        assert_int_equal(node->port_guid, 0x22);
        assert_int_equal(cw_network_identity(net, 1)->port_guid, 0x33);
        assert_int_equal(cw_network_identity(net, 1)->lid, 0);
        cw_network_free(net);
    }
}

/* All widths and speeds; what is unknown has the default. */
static void test_speeds(void **state)
{
    (void)state;
    static const struct {
        unsigned width, speed;
        double capacity;
    } cases[] = {{2, 1, 1e9},      {2, 2, 2e9},     {2, 4, 4e9},         {2, 65536, 5e9}, {2, 512, 12.5e9},
                 {2, 1024, 25e9},  {2, 2048, 50e9}, {2, 1 << 24, 100e9}, {1, 4, 1e9},     {16, 1024, 12.5e9},
                 {4, 2048, 100e9}, {8, 4, 12e9},    {0, 512, 5e9},       {2, 0, 5e9},     {2, 4096, 5e9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char content[1024];
        snprintf(content, sizeof content,
                 NODES
                 "START_PORTS\nNodeGuid,PortNum,LinkWidthActv,LinkSpeedActv\n0x11,1,%u,%u\n0x21,1,%u,%u\nEND_PORTS\n"
                 "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x21,1,0x11,1\nEND_LINKS\n",
                 cases[i].width, cases[i].speed, cases[i].width, cases[i].speed);
        struct cw_network *net = read_content(&cw_reader_ibdiagnet, content);
        if (net->capacity[0] != cases[i].capacity) fail_msg("%zu: %g", i, net->capacity[0]);
        cw_network_free(net);
    }
}

#define NODE(ROW) "START_NODES\nNodeGUID,NumPorts,NodeType,VendorID\n" ROW "\nEND_NODES\n"
#define PORT(ROW) NODES "START_PORTS\nNodeGuid,PortNum,LID,LMC\n" ROW "\nEND_PORTS\n"
#define LINK(ROW) NODES PORTS "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n" ROW "\nEND_LINKS\n"

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"", "file: no table NODES, expected START_NODES … END_NODES"},
        {NODES LINKS, "file: no table PORTS, expected START_PORTS"},
        {NODES PORTS, "file: no table LINKS, expected START_LINKS"},
        {NODES NODES, "file:8: a second table NODES, expected one"},
        {NODES "START_OTHER\n", "file: the file ends within the table OTHER; is it truncated?"},
        {"START_NODES\nNumPorts,NodeType\n", "file:2: no column NodeGUID, expected it in the table NODES"},
        {"START_LINKS\nNodeGuid1,PortNum1,NodeGuid2\n", "file:2: no column PortNum2, expected it in the table LINKS"},
        {NODE("0xx,1,1"), "file:3: NodeGUID '0xx', expected a GUID of at most 16"},
        {NODE(",1,1"), "file:3: NodeGUID '', expected a GUID"},
        {NODE("0x1,256,1"), "file:3: NumPorts '256', expected a number up to 255"},
        {NODE("0x1,1,4"), "file:3: NodeType '4', expected a number up to 3"},
        {NODE("0x1,1"), "file:3: NodeType '', expected 1 (adapter), 2 (switch) or 3 (router)"},
        {NODE("0x1,1,1,-2"), "file:3: VendorID '-2', expected a number up to 4294967295"},
        {NODE("0x1,1,1\n0x1,1,1"), "file:4: a second node '0x1', expected each GUID once"},
        {PORT("0x11,256,1"), "file:10: PortNum '256', expected a number up to 255"},
        {PORT("0x11,1,1,8"), "file:10: LMC '8', expected a number up to 7"},
        {PORT("0x11,1,1\n0x11,1,1"), "file:11: a second port '1', expected each of a node once"},
        {LINK("0x11,0,0x21,1"), "file:18: PortNum1 '0', expected a port number from 1 to 255"},
        {LINK("0x11,1,0x51,1"), "file:18: a link of node 0x0000000000000051, which the table NODES lacks"},
        {LINK("0x11,37,0x21,1"), "file:18: "},
        {"START_NODES\nNodeGUID,NumPorts,NodeType\nEND_NODES\n" PORTS "START_LINKS\nEND_LINKS\n",
         "file: no node, expected"},
    };
    assert_refused(&cw_reader_ibdiagnet, cases, sizeof cases / sizeof *cases);
}

static void test_other_content_is_not_recognised(void **state)
{
    (void)state;
    static const char *const contents[] = {"", "START_", "START_1", "x START_NODES", "start_NODES"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        assert_false(cw_reader_ibdiagnet.recognises(contents[i], strlen(contents[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fabric),
        cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_other_content_is_not_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
