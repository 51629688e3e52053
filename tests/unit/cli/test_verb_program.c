/* crosswind program: figures that are counted by hand, of a recording and of the same as GOAL text. */
#include "cli_test.h"

extern const struct verb verb_program;
const struct verb *const verbs[] = {&verb_program, NULL};

static const char recording[] = "crosswind-recording 1 rank 0 of 3 block 0\ncommunicator 0 0 c0 0-2\n"
                                "Isend 3000 1000 >0 0 1 7 1000\nIsend 0 1000 >1 0 2 7 3000\n"
                                "Waitall 1000 4000 =0 =1\nBcast 2000 3000 * 0 bcast 0 40\nend 5000 0\n"
                                "crosswind-recording 1 rank 1 of 3 block 0\ncommunicator 0 0 c0 0-2\n"
                                "Recv 0 9000 < 0 0 7\nBcast 2000 1000 * 0 bcast 0 40\nend 8000 0\n"
                                "crosswind-recording 1 rank 2 of 3 block 0\ncommunicator 0 0 c0 0-2\n"
                                "Recv 1000 8000 < 0 0 7\nBcast 2000 1000 * 0 bcast 0 40\nend 8000 0\n";

static void test_recording(void **state)
{
    (void)state;
    write_text("p.rec", recording);
    struct ran ran =
        result_of("program p.rec --collectives bcast=linear-bcast --write-goal p.goal --write-matrix p.csv");
    check_int(&ran, "program", 0, "ranks", 3);
    check_int(&ran, "program", 0, "messages", 4);
    check_int(&ran, "program", 0, "bytes", 4080);
    check_real(&ran, "program", 0, "time", 20e-6);
    check_real(&ran, "program", 0, "computing", 32.0 / 60);
    assert_int_equal(rows_of(&ran, "calls"), 4);
    check_text(&ran, "calls", 0, "call", "Recv");
    check_real(&ran, "calls", 0, "time", 17e-6);
    check_text(&ran, "calls", 1, "call", "Bcast");
    check_int(&ran, "calls", 1, "bytes", 120);
    check_real(&ran, "calls", 1, "share", 5.0 / 60);
    assert_int_equal(rows_of(&ran, "sizes"), 3);
    check_int(&ran, "sizes", 0, "from", 32);
    check_int(&ran, "sizes", 0, "to", 63);
    check_int(&ran, "sizes", 0, "messages", 2);
    check_int(&ran, "sizes", 2, "from", 2048);
    assert_int_equal(rows_of(&ran, "matrix"), 2);
    check_int(&ran, "matrix", 0, "dst", 2);
    check_int(&ran, "matrix", 0, "bytes", 3040);
    assert_int_equal(rows_of(&ran, "ranks"), 3);
    check_real(&ran, "ranks", 1, "computing", 0.5);
    check_note(&ran, "Ranks computed for 53.3 % of their time");
    ran_free(&ran);
    char *matrix = content_of("p.csv");
    assert_string_equal(matrix, "src,dst,bytes\n0,1,1040\n0,2,3040\n");
    free(matrix);
    ran = result_of("program p.goal");
    check_int(&ran, "program", 0, "messages", 4);
    check_int(&ran, "program", 0, "bytes", 4080);
    check_real(&ran, "program", 0, "computed", 32e-6);
    assert_true(json_is_null(cell(&ran, "program", 0, "time")));
    ran_free(&ran);
}

static void test_timeline(void **state)
{
    (void)state;
    write_text("p.rec", recording);
    struct ran ran = result_of("program p.rec --rank 0");
    assert_int_equal(rows_of(&ran, "timeline"), 4);
    check_text(&ran, "timeline", 2, "call", "Waitall");
    check_text(&ran, "timeline", 2, "what", "=0 =1");
    check_real(&ran, "timeline", 2, "begin", 6e-6);
    check_real(&ran, "timeline", 3, "computed", 2e-6);
    for (size_t r = 0; r < 4; r++)
        check_real(&ran, "timeline", r, "end",
                   json_real_value(cell(&ran, "timeline", r, "begin")) +
                       json_real_value(cell(&ran, "timeline", r, "time")));
    ran_free(&ran);
    write_text(
        "p.goal",
        "num_ranks 2\nrank 0 {\na: calc 3000\nb: send 10b to 1\nb requires a\n}\nrank 1 {\nrecv 10b from 0\n}\n");
    ran = result_of("program p.goal --rank 0");
    assert_int_equal(rows_of(&ran, "timeline"), 2);
    check_text(&ran, "timeline", 0, "kind", "compute");
    check_real(&ran, "timeline", 0, "time", 3e-6);
    check_int(&ran, "timeline", 1, "peer", 1);
    check_int(&ran, "timeline", 1, "waits", 1);
    ran_free(&ran);
}

/* Ranks whose recording ends early, and messages whose other end is missing. */
static void test_cut(void **state)
{
    (void)state;
    write_text("p.rec", "crosswind-recording 1 rank 0 of 2 block 0\ncommunicator 0 0 c0 0-1\nSend 1 1 > 0 1 7 1000\n"
                        "crosswind-recording 1 rank 1 of 2 block 0\ncommunicator 0 0 c0 0-1\nend 5 0\n");
    struct ran ran = result_of("program p.rec");
    check_note(&ran, "Of 1 of 2 ranks the recording does not reach MPI_Finalize");
    check_note(&ran, "1 sends, receives and calls of collectives are left out");
    check_int(&ran, "program", 0, "messages", 0);
    ran_free(&ran);
}

static void test_refused(void **state)
{
    (void)state;
    write_text("p.rec", recording);
    write_text("p.goal", "num_ranks 1\nrank 0 {\n}\n");
    check_refused("program p.rec --rank 3", 2, "--rank 3: the program has 3 ranks, numbered from 0");
    check_refused("program p.goal --collectives bcast=linear-bcast", 2, "--collectives is for recordings");
    check_refused("program p.rec --collectives bcast=ring-allreduce", 2, "ring-allreduce is a schedule of allreduce");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_recording, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_timeline, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_cut, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_refused, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
