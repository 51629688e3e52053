/* Programs as GOAL text: what is written is read again as it was, what text means, and what is refused. */
#include "traffic/goal_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static struct cw_program *parse(const char *content)
{
    struct cw_program *program = NULL;
    if (cw_goal_parse("p.goal", content, strlen(content), &program)) fail_msg("%s", cw_error_message());
    return program;
}

static void assert_same(const struct cw_program *a, const struct cw_program *b)
{
    assert_int_equal(a->n_ranks, b->n_ranks);
    assert_int_equal(a->n_actions, b->n_actions);
    for (uint32_t r = 0; r <= a->n_ranks; r++) assert_int_equal(a->first[r], b->first[r]);
    for (uint32_t i = 0; i < a->n_actions; i++) {
        const struct cw_action *x = &a->actions[i], *y = &b->actions[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->rank, y->rank);
        assert_int_equal(x->peer, y->peer);
        assert_int_equal(x->partner, y->partner);
        assert_int_equal(x->waits, y->waits);
        if (x->kind == CW_ACTION_COMPUTE)
            assert_true(x->seconds == y->seconds);
        else
            assert_true(x->bytes == y->bytes);
        assert_int_equal(a->first_next[i + 1], b->first_next[i + 1]);
    }
    for (size_t k = 0; k < a->first_next[a->n_actions]; k++) assert_int_equal(a->next[k], b->next[k]);
}

/* Frees PROGRAM. */
static void check_round_trip(struct cw_program *program)
{
    struct cw_text text = {0};
    assert_int_equal(cw_goal_write(program, &text), 0);
    struct cw_program *again = parse(text.data);
    assert_same(program, again);
    cw_program_free(again);
    cw_program_free(program);
    cw_text_free(&text);
}

static void test_schedules_come_back(void **state)
{
    (void)state;
    size_t met = 0;
    for (size_t k = 0; cw_schedule_kinds[k]; k++)
        for (uint32_t n = 1; n < 10; n++) {
            struct cw_schedule *schedule = NULL;
            struct cw_program *program = NULL;
            uint32_t rounds, blocks;
            assert_int_equal(cw_schedule_new(cw_schedule_kinds[k]->name, &schedule), 0);
            const int rc = cw_schedule_plan(schedule, n, &rounds, &blocks);
            if (!rc) assert_int_equal(cw_program_of_schedule(schedule, n, 1000, &program), 0);
            if (!rc) check_round_trip(program);
            met += !rc;
            cw_schedule_free(schedule);
        }
    assert_true(met > 100);
}

/* Messages that are received in another order than they are sent in need tags, those of other pairs none. */
static void test_crossed_messages_come_back(void **state)
{
    (void)state;
    static const uint32_t received[] = {4, 2, 0, 1, 5, 3};
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_program_begin(3, &builder), 0);
    for (uint32_t i = 0; i < 6; i++) {
        cw_program_send(builder, 0, 1, i + 100, i);
        cw_program_send(builder, 0, 2, i, 9);
        cw_program_receive(builder, 1, 0, received[i] + 100, received[i]);
        cw_program_receive(builder, 2, 0, i, 9);
    }
    const uint32_t earlier = cw_program_compute(builder, 2, 1.5e-6), later = cw_program_compute(builder, 2, 1e6);
    cw_program_wait(builder, later, earlier);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    assert_int_equal(cw_goal_write(program, &text), 0);
    assert_null(strstr(text.data, "tag 3")); /* 0 1 5, 2 3 and 4 are in order */
    assert_non_null(strstr(text.data, "l7: calc 1000000000000000\n"));
    cw_text_free(&text);
    check_round_trip(program);
}

static bool waits_for(const struct cw_program *program, uint32_t later, uint32_t earlier)
{
    for (size_t k = program->first_next[earlier]; k < program->first_next[earlier + 1]; k++)
        if (program->next[k] == later) return true;
    return false;
}

/* `one` begins after `before`, `two` when `one` begins: the fifth action of rank 0 stands for that beginning. */
static void test_what_text_means(void **state)
{
    (void)state;
    struct cw_program *program = parse("\xef\xbb\xbf// two messages\r\n"
                                       "num_ranks 2\r\n"
                                       "rank 0 {\r\n"
                                       "  two irequires one // before there are labels\r\n"
                                       "  one requires before\r\n"
                                       "  before: calc 1500\r\n"
                                       "  one: send 1000b to 1 tag 7 cpu 0 nic 1 /* which\r\n"
                                       "  waits: calc 7 */\r\n"
                                       "  two:send 10b to 1 tag 3\r\n"
                                       "  calc 20 cpu 0\r\n"
                                       "}\r\n"
                                       "rank 1{ recv 10b from 0 tag 3\r\n"
                                       "  one: recv 1000b from 0 nic 2 tag 7\r\n"
                                       "}");
    static const enum cw_action_kind kinds[] = {CW_ACTION_COMPUTE, CW_ACTION_SEND,    CW_ACTION_SEND,
                                                CW_ACTION_COMPUTE, CW_ACTION_COMPUTE, CW_ACTION_RECEIVE,
                                                CW_ACTION_RECEIVE};
    static const uint32_t waits[] = {0, 1, 1, 0, 1, 0, 0};
    assert_int_equal(program->n_ranks, 2);
    assert_int_equal(program->n_actions, 7);
    assert_int_equal(program->first[1], 5);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(program->actions[i].kind, kinds[i]);
        assert_int_equal(program->actions[i].waits, waits[i]);
    }
    assert_true(program->actions[0].seconds == 1.5e-6);
    assert_true(program->actions[3].seconds == 20e-9);
    assert_true(program->actions[4].seconds == 0);
    assert_int_equal(program->actions[1].bytes, 1000);
    assert_int_equal(program->actions[1].partner, 6);
    assert_int_equal(program->actions[2].partner, 5);
    assert_true(waits_for(program, 4, 0) && waits_for(program, 1, 4) && waits_for(program, 2, 4));
    cw_program_free(program);

    /* A beginning that waits for another one. */
    program = parse("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nb irequires a\nc irequires b\n}\n");
    assert_int_equal(program->n_actions, 5);
    assert_true(waits_for(program, 0, 3) && waits_for(program, 4, 3)); /* a and b's beginning, for a's */
    assert_true(waits_for(program, 1, 4) && waits_for(program, 2, 4));
    assert_int_equal(program->first_next[5], 4);
    cw_program_free(program);
}

static const char begin[] = "num_ranks 2\nrank 0 {\n", end[] = "}\nrank 1 {\n}\n";

static void test_refused(void **state)
{
    (void)state;
    /* BODY is the part of rank 0 of two, or with WHOLE all of the file. */
    static const struct {
        const char *body, *says;
        bool whole;
    } cases[] = {
        {"", "p.goal: no program; expected num_ranks N first", true},
        {"rank 0 {\n}\n", "p.goal:1: 'rank' is not understood; expected num_ranks N first", true},
        {"num_ranks\n", "p.goal:1: the line ends too early; expected a number of ranks", true},
        {"num_ranks 0\n", "p.goal:1: '0' is not understood; expected at least 1 rank", true},
        {"num_ranks 5000000000\n",
         "p.goal:1: '5000000000' is too large; expected a number of ranks of at most 4294967294", true},
        {"num_ranks 4000000\nrank 0 {}\n",
         "p.goal:1: 4000000 ranks in a file of 28 bytes; expected a part 'rank R { … }' of each", true},
        {"num_ranks 2\nnum_ranks 2\n", "p.goal:2: num_ranks was given before; expected it once", true},
        {"num_ranks 2\nrank 0 {}\ncalc 5\n", "p.goal:3: 'calc' is not understood; expected rank R {", true},
        {"num_ranks 2\nrank 2 {}\n", "p.goal:2: '2' is too large; expected a rank of at most 1", true},
        {"num_ranks 2\nrank 0\n{}\n", "p.goal:2: the line ends too early; expected '{'", true},
        {"num_ranks 2\nrank 0 {}\nrank 0 {}\n", "p.goal:3: rank 0 was given in line 2 already; expected each rank once",
         true},
        {"num_ranks 2\nrank 1 {}\n", "p.goal: rank 0 is missing; expected a part 'rank R { … }' of each of 2", true},
        {"num_ranks 2\nrank 0 {}\nrank 1 {\n", "p.goal:3: the part of rank 1 does not end; expected '}'", true},
        {"num_ranks 2\nrank 0 {}\n/* rank 1 {}\n\n", "p.goal:3: a comment that does not end; expected '*/'", true},
        {"rank 1 {\n", "p.goal:3: 'rank' is not understood; expected a label, send, recv, calc or '}'", false},
        {"9: calc 5\n", "p.goal:3: '9' is not understood; expected a label, send, recv, calc or '}'", false},
        {"a calc 5\n", "p.goal:3: 'calc' is not understood; expected ':', requires or irequires", false},
        {"a:\n", "p.goal:3: the line ends too early; expected send, recv or calc", false},
        {"a: put 5b to 1\n", "p.goal:3: 'put' is not understood; expected send, recv or calc", false},
        {"send 10 to 1\n", "p.goal:3: '10' is not understood; expected a length such as 10b", false},
        {"send xb to 1\n", "p.goal:3: 'x' is not understood; expected a length", false},
        {"send 99999999999999999999b to 1\n",
         "p.goal:3: '99999999999999999999' is too large; expected a length of at most 1000000000000000000", false},
        {"send 10b from 1\n", "p.goal:3: 'from' is not understood; expected 'to'", false},
        {"recv 10b to 1\n", "p.goal:3: 'to' is not understood; expected 'from'", false},
        {"send 10b to 2\n", "p.goal:3: '2' is too large; expected a rank of at most 1", false},
        {"recv 10b from -1\n",
         "p.goal:3: -1 takes any message, so that nobody can say before which one it is; expected a rank", false},
        {"recv 10b from 1 tag -1\n",
         "p.goal:3: -1 takes any message, so that nobody can say before which one it is; expected a tag", false},
        {"send 10b to 1 tag x\n", "p.goal:3: 'x' is not understood; expected a tag", false},
        {"send 10b to 1 port 2\n", "p.goal:3: 'port' is not understood; expected tag, cpu, nic or the line's end",
         false},
        {"send 10b to 1 cpu 1\n", "p.goal:3: processor 1, but a rank has one processor here; expected cpu 0", false},
        {"calc 5 tag 1\n", "p.goal:3: 'tag' is not understood; expected cpu, nic or the line's end", false},
        {"calc 1.5\n", "p.goal:3: '1.5' is not understood; expected a time in ns", false},
        {"calc 1000000000000001\n",
         "p.goal:3: '1000000000000001' is too large; expected a time in ns of at most 1000000000000000", false},
        {"a: calc 5\na: calc 6\n",
         "p.goal:4: label 'a' was given in line 3 already; expected each label once in a rank", false},
        {"a: calc 5\nb requires a\n", "p.goal:4: rank 0 has no label 'b'; expected that of an action", false},
        {"a: calc 5\na requires a2\n", "p.goal:4: rank 0 has no label 'a2'; expected that of an action", false},
        {"a: calc 5\na requires 5\n", "p.goal:4: '5' is not understood; expected a label", false},
        {"a: calc 5\na requires a a\n", "p.goal:4: 'a' is not understood; expected the line's end", false},
        {"send 10b to 1\n", "p.goal: rank 0 sends 10 bytes to rank 1 (tag 0), which does not receive them", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_text text = {0};
        struct cw_program *program = NULL;
        cw_text_printf(&text, "%s%s%s", cases[i].whole ? "" : begin, cases[i].body, cases[i].whole ? "" : end);
        assert_int_equal(cw_goal_parse("p.goal", text.data, text.length, &program), CW_EPARSE);
        assert_string_equal(cw_error_message(), cases[i].says);
        assert_null(program);
        cw_text_free(&text);
    }
    struct cw_program *program = NULL;
    assert_int_equal(cw_goal_read("/nowhere/p.goal", &program), CW_EIO);
}

static void test_what_cannot_be_written(void **state)
{
    (void)state;
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_program_begin(1, &builder), 0);
    cw_program_compute(builder, 0, 2e6);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    assert_int_equal(cw_goal_write(program, &text), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "rank 0 computes for 2e+06 s; GOAL is written with at most 1e+06 s");
    cw_program_free(program);
    assert_int_equal(cw_program_begin(0, &builder), 0);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    assert_int_equal(cw_goal_write(program, &text), CW_EUSAGE);
    cw_program_free(program);
    cw_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules_come_back),    cmocka_unit_test(test_crossed_messages_come_back),
        cmocka_unit_test(test_what_text_means),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
