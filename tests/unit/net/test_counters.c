/* Counters of ports: what real tools print of a fabric under ibsim, what is between two readings, and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/files/counters.h"
#include "net/files/formats.h"
#include "net/network_internal.h"

#define FOLDER CW_TEST_DATA "/golden/counters/"

static struct cw_ib_counters *read_golden(const char *name)
{
    struct cw_ib_counters *counters;
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", name);
    if (cw_ib_counters_read(path, &counters)) fail_msg("%s", cw_error_message());
    return counters;
}

static struct cw_ib_counters *parse(const char *text)
{
    struct cw_ib_counters *counters;
    if (cw_ib_counters_parse("counters", text, strlen(text), &counters)) fail_msg("%s", cw_error_message());
    return counters;
}

static struct cw_network *golden_map(void)
{
    struct cw_network *net;
    if (cw_network_read(FOLDER "map.ibnetdiscover", &net)) fail_msg("%s", cw_error_message());
    return net;
}

/* ibsim carries management packets only, of 288 bytes each: so many were counted on each channel, at both its ends. */
static void check_packets(const struct cw_network *net, const char *before_name, const char *after_name)
{
    struct cw_ib_counters *before = read_golden(before_name), *after = read_golden(after_name);
    struct cw_channel_counts counts;
    double sum = 0;
    assert_int_equal(before->n, 20);
    if (cw_ib_counters_difference(net, before, after, &counts)) fail_msg("%s", cw_error_message());
    assert_int_equal(counts.ports, 20);
    assert_int_equal(counts.once + counts.elsewhere + counts.wrapped + counts.full + counts.cleared, 0);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (counts.bytes[c] != 288 * counts.packets[c]) fail_msg("channel %u: %g", c, counts.bytes[c]);
        sum += counts.packets[c];
    }
    assert_true(sum > 100);
    for (uint32_t e = 1; e < net->n_endpoints; e++) /* each was asked as often, and answered; host 0 asks */
        assert_true(counts.packets[net->first[e]] == counts.packets[net->first[1]]);
    assert_true(counts.packets[net->first[0]] > 4 * counts.packets[net->first[1]]);
    cw_channel_counts_free(&counts);
    cw_ib_counters_free(before);
    cw_ib_counters_free(after);
}

static void test_ibsim(void **state)
{
    (void)state;
    struct cw_network *net = golden_map();
    check_packets(net, "plain-before.perfquery", "plain-after.perfquery");
    check_packets(net, "extended-before.perfquery", "extended-after.perfquery");
    cw_network_free(net);
}

/* ibqueryerrors names ports by GUID; what it says of data has 64 bits. */
static void test_listed(void **state)
{
    (void)state;
    struct cw_ib_counters *counters = read_golden("data.ibqueryerrors");
    assert_int_equal(counters->n, 20);
    for (size_t i = 0; i < counters->n; i++) {
        const struct cw_port_counters *port = &counters->ports[i];
        assert_true(port->guid > 0 && port->lid == 0);
        assert_int_equal(port->bits[CW_IB_COUNTER_SENT], 64);
        assert_int_equal(port->value[CW_IB_COUNTER_SENT], 72 * port->value[CW_IB_COUNTER_PACKETS_SENT]);
        assert_int_equal(port->value[CW_IB_COUNTER_RECEIVED], 72 * port->value[CW_IB_COUNTER_PACKETS_RECEIVED]);
    }
    cw_ib_counters_free(counters);
}

/* Both kinds of counters of one port: those with more bits count; of a kind the last. Older names; sums of ports and
 * other counters are passed over. */
static void test_several(void **state)
{
    (void)state;
    struct cw_ib_counters *counters = parse("# Port extended counters: Lid 3 port 7 (CapMask: 0x1300)\r\n"
                                            "PortXmitData:....................5000000000\r\n"
                                            "# Port counters: Lid 3 port 7 (CapMask: 0x1300)\n"
                                            "PortXmitData:....................4294967295\n"
                                            "PortXmitWait:....................17\n"
                                            "# Port counters: Lid 3 port 255 (CapMask: 0x1300)\n"
                                            "PortXmitData:....................1\n"
                                            "# PortXmitDataSL counters: Lid 3 port 7\n"
                                            "PortXmitData:....................2\n"
                                            "# Port counters: DR path slid 0; dlid 0; 0,1 port 7 (CapMask: 0x1300)\n"
                                            "PortXmitData:....................3\n"
                                            "# Port counters: Lid 2 port 1\nXmtData:...8\nRcvPkts:...9\n"
                                            "   GUID 0x10 port ALL: [PortXmitData == 5 (1)]\n"
                                            "   GUID 0x10 port 3: [SymbolErrorCounter == 1] [PortXmitWait == 23]\n"
                                            "         Link info:      3   3[  ] ==( 4X )==>\n");
    assert_int_equal(counters->n, 3);
    const struct cw_port_counters *old = &counters->ports[0], *both = &counters->ports[1], *waits = &counters->ports[2];
    assert_true(old->lid == 2 && old->port == 1 && old->value[CW_IB_COUNTER_SENT] == 8);
    assert_int_equal(old->value[CW_IB_COUNTER_PACKETS_RECEIVED], 9);
    assert_int_equal(old->bits[CW_IB_COUNTER_RECEIVED], 0);
    assert_true(both->lid == 3 && both->port == 7 && both->bits[CW_IB_COUNTER_SENT] == 64);
    assert_true(both->value[CW_IB_COUNTER_SENT] == 5000000000 && both->value[CW_IB_COUNTER_WAIT] == 17);
    assert_true(waits->guid == 0x10 && waits->port == 3 && waits->value[CW_IB_COUNTER_WAIT] == 23);
    assert_int_equal(waits->bits[CW_IB_COUNTER_SENT], 0);
    cw_ib_counters_free(counters);
}

static void assert_faults(const char *text, const char *message)
{
    struct cw_ib_counters *counters;
    assert_int_equal(cw_ib_counters_parse("counters", text, strlen(text), &counters), CW_EPARSE);
    assert_string_equal(cw_error_message(), message);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_faults("", "counters: no port's counters; expected what perfquery or ibqueryerrors --counters prints");
    assert_faults("PortXmitData:....1\n",
                  "counters: no port's counters; expected what perfquery or ibqueryerrors --counters prints");
    assert_faults("# Port counters: Lid 1 port 1\nPortXmitData:....x\n",
                  "counters:2: expected a counter such as 1584, found 'x'");
    assert_faults("GUID 0x1 port 1: [PortRcvData == 18446744073709551616]\n",
                  "counters:1: expected a counter of 64 bits, found '18446744073709551616]'");
}

/* Of h0, LID 4, and of its switch's port 1, what was sent and received before and behind; the bits of both. */
struct scene {
    unsigned bits;
    const char *host[2], *leaf[2]; /* sent by the host, received by the switch */
    double bytes;
    size_t wrapped, full, cleared;
};

static struct cw_ib_counters *scene_of(const struct scene *scene, int at, const struct cw_network *net, uint32_t lid)
{
    struct cw_text text = {0};
    const char *kind = scene->bits == 64 ? "extended " : "";
    const uint32_t leaf = net->head[net->first[0]];
    cw_text_printf(&text, "# Port %scounters: Lid 60000 port 1\nPortXmitData:..1\n", kind);
    cw_text_printf(&text, "# Port %scounters: Lid %u port 1\nPortXmitPkts:..1\n", kind, lid);
    if (scene->host[at]) cw_text_printf(&text, "PortXmitData:..%s\n", scene->host[at]);
    cw_text_printf(&text, "# Port %scounters: Lid %u port %u\n", kind, net->identity[leaf].lid,
                   cw_network_port(net, net->twin[net->first[0]]));
    if (scene->leaf[at]) cw_text_printf(&text, "PortRcvData:..%s\n", scene->leaf[at]);
    struct cw_ib_counters *counters = parse(text.data);
    cw_text_free(&text);
    return counters;
}

static void test_differences(void **state)
{
    (void)state;
    static const struct scene scenes[] = {
        {64, {"10", "15"}, {NULL, NULL}, 20, 0, 0, 0},
        {64, {"10", "15"}, {"10", "25"}, 20, 0, 0, 0}, /* the sender's own counts */
        {64, {NULL, "15"}, {"10", "25"}, 60, 0, 0, 0},
        {32, {"4294967290", "4"}, {NULL, NULL}, 40, 1, 0, 0},
        {32, {"5", "4294967295"}, {"7", "9"}, 8, 0, 1, 0},
        {32, {"5", "4294967295"}, {"7", "4294967295"}, NAN, 0, 2, 0},
        {64, {"5", "4294967295"}, {NULL, NULL}, 4.0 * 4294967290, 0, 0, 0},
        {64, {"100", "30"}, {NULL, NULL}, 120, 0, 0, 1},
    };
    struct cw_network *net = golden_map();
    const uint32_t lid = net->identity[0].lid, c = net->first[0];
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct cw_ib_counters *before = scene_of(&scenes[i], 0, net, lid), *after = scene_of(&scenes[i], 1, net, lid);
        struct cw_channel_counts counts;
        if (cw_ib_counters_difference(net, before, after, &counts)) fail_msg("%zu: %s", i, cw_error_message());
        const bool same = isnan(scenes[i].bytes) ? isnan(counts.bytes[c]) : counts.bytes[c] == scenes[i].bytes;
        if (!same) fail_msg("scene %zu: %g bytes", i, counts.bytes[c]);
        assert_true(counts.packets[c] == 0 && isnan(counts.wait[c]));
        assert_true(counts.wrapped == scenes[i].wrapped && counts.full == scenes[i].full);
        assert_true(counts.cleared == scenes[i].cleared && counts.elsewhere == 1);
        cw_channel_counts_free(&counts);
        cw_ib_counters_free(before);
        cw_ib_counters_free(after);
    }
    cw_network_free(net);
}

/* Adapters of one node have one GUID: the port says which. */
static void test_ports_of_a_node(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_channel_counts counts;
    if (cw_network_read(CW_TEST_DATA "/golden/fabric/rails.ibnetdiscover", &net)) fail_msg("%s", cw_error_message());
    uint32_t second = 1;
    while (net->identity[second].node_guid != net->identity[second - 1].node_guid) second++;
    struct cw_text text = {0};
    const unsigned port = cw_network_port(net, net->first[second]);
    cw_text_printf(&text, "GUID %#lx port %u: [PortXmitData == ", net->identity[second].node_guid, port);
    const size_t length = text.length;
    cw_text_add(&text, "1 (1)]\n");
    struct cw_ib_counters *before = parse(text.data);
    text.length = length;
    cw_text_add(&text, "3 (1)]\nGUID 0x77 port 1: [PortXmitData == 1]");
    struct cw_ib_counters *after = parse(text.data);
    assert_int_equal(cw_ib_counters_difference(net, before, after, &counts), 0);
    assert_true(counts.bytes[net->first[second]] == 8 && isnan(counts.bytes[net->first[second - 1]]));
    assert_true(counts.ports == 1 && counts.once == 1);
    cw_channel_counts_free(&counts);
    struct cw_ib_counters *other = parse("GUID 0x77 port 1: [PortXmitData == 1]");
    assert_int_equal(cw_ib_counters_difference(net, other, after, &counts), CW_EUSAGE);
    cw_ib_counters_free(other);
    cw_ib_counters_free(before);
    cw_ib_counters_free(after);
    cw_text_free(&text);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ibsim),    cmocka_unit_test(test_listed),      cmocka_unit_test(test_several),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_differences), cmocka_unit_test(test_ports_of_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
