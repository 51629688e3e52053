/* What lldpd knows: one cable of two reports, names of ports, who is an endpoint, speeds; and what is not that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/input.h"
#include "reader_test.h"

#define NAMED(NAME) "\"name\": [{\"value\": \"" NAME "\"}]"
#define CAN(TYPE, ENABLED)                                                                                             \
    ", \"capability\": [{\"type\": \"" TYPE "\", \"enabled\": " ENABLED "}, {\"type\": \"Station\", \"enabled\": "     \
    "true}]"
#define CHASSIS(WHAT)        "\"chassis\": [{" WHAT "}]"
#define LOCAL(WHAT)          "{\"local-chassis\": [{" CHASSIS(WHAT) "}]}\n"
#define NEIGHBOURS(WHAT)     "{\"lldp\": [{\"interface\": [" WHAT "]}]}\n"
#define PORT(TYPE, ID, MORE) "\"port\": [{\"id\": [{\"type\": \"" TYPE "\", \"value\": \"" ID "\"}]" MORE "}]"
#define DESCRIBED(TEXT)      ", \"descr\": [{\"value\": \"" TEXT "\"}]"
#define SPEED(TEXT)          ", \"auto-negotiation\": [{\"enabled\": true, \"current\": [{\"value\": \"" TEXT "\"}]}]"
#define AT(NAME, WHO, WHERE) "{\"name\": \"" NAME "\", " CHASSIS(WHO) ", " WHERE "}"
#define SWITCH(NAME)         NAMED(NAME) CAN("Bridge", "true")
#define HOST(NAME)           NAMED(NAME) CAN("Bridge", "false")
#define HOST_OF(NAME, PLACE) AT(PLACE, HOST(NAME), PORT("mac", "00:01", DESCRIBED("eth0")))

/* Two switches with two cables between them, which both tell of; one calls its ports by addresses, the other by names.
 */
static void test_both_ends(void **state)
{
    (void)state;
    struct cw_network *net = read_content(
        &cw_reader_lldp,
        LOCAL(SWITCH("s"))
            NEIGHBOURS(HOST_OF("a", "p1") ", " AT("p2", SWITCH("t"), PORT("ifname", "q2", DESCRIBED("to s"))) ", " AT(
                "p3", SWITCH("t"), PORT("ifname", "q3", ""))) LOCAL(SWITCH("t"))
                NEIGHBOURS(AT("q2", SWITCH("s"), PORT("mac", "00:02", DESCRIBED("p2"))) ", " AT(
                    "q3", SWITCH("s"), PORT("mac", "00:03", DESCRIBED("p3"))) ", " HOST_OF("b", "q1")) LOCAL(HOST("b"))
                    NEIGHBOURS(AT("eth0", SWITCH("t"), PORT("ifname", "q1", ""))));
    assert_vertices(net, "a b|s t");
    assert_int_equal(net->n_channels, 2 * 4);
    cw_network_free(net);
}

/* Without capabilities, who has one cable is an endpoint; with them, who does not forward, however many it has. */
static void test_roles(void **state)
{
    (void)state;
    struct cw_network *net =
        read_content(&cw_reader_lldp, LOCAL(NAMED("s")) NEIGHBOURS(AT("1", NAMED("a"), PORT("ifname", "x", "")) ", " AT(
                                          "2", NAMED("b"), PORT("ifname", "x", ""))));
    assert_vertices(net, "a b|s");
    cw_network_free(net);
    net = read_content(&cw_reader_lldp,
                       LOCAL(HOST("h")) NEIGHBOURS(AT("1", SWITCH("s"), PORT("ifname", "x", "")) ", " AT(
                           "2", SWITCH("t"), PORT("ifname", "x", "")))
                           LOCAL("\"id\": [{\"type\": \"mac\", \"value\": \"0a:0b\"}]" CAN("Router", "true"))
                               NEIGHBOURS(AT("1", SWITCH("s"), PORT("ifname", "y", "")) ", " HOST_OF("g", "2")));
    assert_vertices(net, "h g|s t 0a:0b");
    cw_network_free(net);
}

/* A speed that one end knows is that of the cable; where none does it is the default, and that is said. */
static void test_speeds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double rate;
    } cases[] = {{"10GigBaseLR - R fiber over 1310nm", 10e9}, {"100GbaseCR4", 100e9}, {"1000BaseTFD - pairs", 1e9}};
    char content[2048];
    struct cw_inputs inputs = {0};
    struct cw_inputs *before = cw_inputs_record(&inputs);
    for (size_t i = 0; i < 3; i++) {
        snprintf(content, sizeof content,
                 LOCAL(SWITCH("s")) NEIGHBOURS(AT("1", HOST("a"), PORT("ifname", "x", SPEED("%s"))) ", " AT(
                     "2", HOST("b"), PORT("ifname", "x", ""))) LOCAL(HOST("a"))
                     NEIGHBOURS(AT("x", SWITCH("s"), PORT("ifname", "1", ""))) LOCAL(HOST("b"))
                     NEIGHBOURS(AT("x", SWITCH("s"), PORT("ifname", "2", SPEED("%s")))),
                 cases[i].text, cases[i].text);
        struct cw_network *net = read_content(&cw_reader_lldp, content);
        for (uint32_t c = 0; c < net->n_channels; c++) assert_true(net->capacity[c] == cases[i].rate / 8);
        cw_network_free(net);
    }
    assert_null(inputs.remarks.data);
    cw_network_free(read_content(&cw_reader_lldp, LOCAL(SWITCH("s")) NEIGHBOURS(HOST_OF("a", "1") ", " AT(
                                                      "2", HOST("b"), PORT("ifname", "x", SPEED("unknown"))))));
    cw_inputs_record(before);
    assert_non_null(strstr(inputs.remarks.data, "The speed of some ports is not said"));
    cw_inputs_free(&inputs);
}

static void test_recognised(void **state)
{
    (void)state;
    static const char *const contents[] = {LOCAL(NAMED("s")), "\n{\n  \"lldp\": [{}]}", "{}", "{\"lldpx\": 1}", "lldp"};
    for (size_t i = 0; i < 5; i++) assert_int_equal(cw_reader_lldp.recognises(contents[i], strlen(contents[i])), i < 2);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {LOCAL(NAMED("s")), "file: no neighbour, expected some"},
        {NEIGHBOURS(HOST_OF("a", "1")), "file:1: expected the device itself before its neighbours"},
        {LOCAL(NAMED("s")) NEIGHBOURS("") "\n" NEIGHBOURS(""), "file:4: expected the device itself"},
        {LOCAL(NAMED("s")) "{\"lldp\": {\"interface\": {}}}", "file:2: expected {\"local-chassis\""},
        {LOCAL(NAMED("s")) NEIGHBOURS(AT("1", "", PORT("ifname", "x", ""))), "file:2: expected a chassis with a name"},
        {LOCAL(NAMED("s")) NEIGHBOURS(AT("1", NAMED("a"), "\"port\": []")),
         "file:2: expected an interface with a name"},
        {LOCAL(NAMED("s")) NEIGHBOURS(AT("1", NAMED("s"), PORT("ifname", "x", ""))),
         "file:2: a cable from 's' to itself"},
        {LOCAL(NAMED("s")) "\n{", "file:3: "},
        {LOCAL(NAMED("s")) "[]", "file:2: expected {\"local-chassis\""},
    };
    assert_refused(&cw_reader_lldp, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ends),  cmocka_unit_test(test_roles),     cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_recognised), cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
