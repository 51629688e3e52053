/* What a fabric's lines contradict one another in: LIDs are remarked upon, GUIDs refused, loop-back cables left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/input.h"
#include "ib_fixtures.h"
#include "net/network_internal.h"

#define SWITCH  "switchguid=0x1(1)\nSwitch 8 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
#define LINE_11 "[1] \"H-0000000000000011\"[1](12) # \"a\" lid 4 4xQDR\n"
#define LINE_21 "[2] \"H-0000000000000021\"[1](22) # \"b\" lid 6 4xQDR\n"
#define NODE_11 "Ca 1 \"H-0000000000000011\" # \"a\"\n"
#define NODE_21 "Ca 1 \"H-0000000000000021\" # \"b\"\n"
#define BACK_1  "\"S-0000000000000001\"[1] # lid 4 lmc 1 \"s\" lid 1 4xQDR\n"
#define BACK_2  "\"S-0000000000000001\"[2] # lid 6 lmc 0 \"s\" lid 1 4xQDR\n"

/* Reads TEXT, of which there must be the REMARKS. */
static void assert_remarks(const char *text, const char *remarks)
{
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    cw_network_free(parse_text(text));
    cw_inputs_record(NULL);
    assert_string_equal(inputs.remarks.data ? inputs.remarks.data : "", remarks);
    cw_inputs_free(&inputs);
}

static void those_that_agree(void **state)
{
    (void)state;
    assert_remarks(SWITCH LINE_11 LINE_21 NODE_11 "[1](12) " BACK_1 NODE_21 "[1](22) " BACK_2, "");
}

/* With a mask of one bit the port with base LID 4 has LID 5, too. */
static void shared_lids(void **state)
{
    (void)state;
    assert_remarks(SWITCH LINE_11 "[2] \"H-0000000000000021\"[1](22) # \"b\" lid 5 4xQDR\n" NODE_11
                                  "[1](12) " BACK_1 NODE_21
                                  "[1](22) \"S-0000000000000001\"[2] # lid 5 lmc 0 \"s\" lid 1 4xQDR\n",
                   "test:8: 'H-0000000000000021' has LID 5, which 'H-0000000000000011' has, too (line 6).\n");
    assert_remarks(SWITCH "[1] \"H-0000000000000011\"[1](12) # \"a\" lid 4 4xQDR\n"
                          "[2] \"H-0000000000000021\"[1](22) # \"b\" lid 4 4xQDR\n" NODE_11 "[1](12) " BACK_1 NODE_21
                          "[1](22) \"S-0000000000000001\"[2] # lid 4 lmc 1 \"s\" lid 1 4xQDR\n",
                   "test:8: 'H-0000000000000021' has LID 4, which 'H-0000000000000011' has, too (line 6).\n"
                   "test: 2 LIDs have two owners. Routes from tables may be wrong.\n");
}

/* The switch says LID 7 of the adapter, and the adapter LID 3 of the switch. */
static void lids_of_peers(void **state)
{
    (void)state;
    assert_remarks(SWITCH LINE_11 "[2] \"H-0000000000000021\"[1](22) # \"b\" lid 7 4xQDR\n" NODE_11
                                  "[1](12) " BACK_1 NODE_21 "[1](22) " BACK_2,
                   "test:4: 'H-0000000000000021' has LID 7 here, but LID 6 by its own line 8.\n");
    assert_remarks(SWITCH LINE_11 LINE_21 NODE_11
                   "[1](12) \"S-0000000000000001\"[1] # lid 4 lmc 1 \"s\" lid 3 4xQDR\n" NODE_21
                   "[1](22) \"S-0000000000000001\"[2] # lid 6 lmc 0 \"s\" lid 3 4xQDR\n",
                   "test:6: 'S-0000000000000001' has LID 3 here, but LID 1 by its own line 2.\n"
                   "test: 2 lines contradict a peer's own LID, as in a map made during a sweep.\n");
}

static void shared_guids(void **state)
{
    (void)state;
    static const char text[] = SWITCH LINE_11 LINE_21 NODE_11 "[1](12) " BACK_1 NODE_21 "[1](12) " BACK_2;
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_parse("test", text, strlen(text), &net), CW_EPARSE);
    assert_string_equal(
        cw_error_message(),
        "test:8: 'H-0000000000000021' has port GUID 0x12, which 'H-0000000000000011' has, too (line 6)");
}

/* A cable has two ends, also where both are one port. */
static void loop_backs(void **state)
{
    (void)state;
    static const char one[] = SWITCH LINE_11 LINE_21 "[3] \"S-0000000000000001\"[4] # \"s\" lid 1 4xQDR\n"
                                                     "[4] \"S-0000000000000001\"[3] # \"s\" lid 1 4xQDR\n";
    assert_remarks(one, "test:5: 1 loop-back cable was left out, the first here: 'S-0000000000000001' to itself.\n");
    static const char two[] = SWITCH LINE_11 LINE_21 "[3] \"S-0000000000000001\"[4] # \"s\" lid 1 4xQDR\n"
                                                     "[4] \"S-0000000000000001\"[3] # \"s\" lid 1 4xQDR\n"
                                                     "[5] \"S-0000000000000001\"[5] # \"s\" lid 1 4xQDR\n";
    assert_remarks(two, "test:5: 2 loop-back cables were left out, the first here: 'S-0000000000000001' to itself.\n");
}

/* What an adapter's own line does not say, the switch's does. */
static void ports_known_to_peers(void **state)
{
    (void)state;
    struct cw_network *net = parse_text(SWITCH LINE_11 NODE_11 "[1] \"S-0000000000000001\"[1]\n");
    assert_int_equal(net->n_endpoints, 1);
    assert_int_equal(net->identity[0].lid, 4);
    assert_true(net->identity[0].port_guid == 0x12 && net->identity[0].node_guid == 0x11);
    assert_true(net->capacity[0] == 4e9); /* four lanes of 8 Gbit/s */
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_agree), cmocka_unit_test(shared_lids), cmocka_unit_test(lids_of_peers),
        cmocka_unit_test(shared_guids),     cmocka_unit_test(loop_backs),  cmocka_unit_test(ports_known_to_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
