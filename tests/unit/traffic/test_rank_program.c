/* Programs: who waits for whom, which messages belong together, and what schedules and flows become. */
#include "traffic/rank_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Marks all that ACTION waits for, directly or not, of its rank. */
static void mark_before(const struct cw_program *program, uint32_t action, bool *marked)
{
    for (uint32_t i = program->first[program->actions[action].rank]; i < action; i++)
        for (size_t k = program->first_next[i]; k < program->first_next[i + 1]; k++)
            if (program->next[k] == action && !marked[i]) {
                marked[i] = true;
                mark_before(program, i, marked);
            }
}

/* Sends of a rank in the order of the schedule: the next one is SEND of ROUND. It waits for all that the rank received
 * in rounds before, which are BEFORE of its receives in order, and for nothing else that is received. */
static void check_send(const struct cw_program *program, uint32_t send, uint32_t before, bool is_free)
{
    bool *marked = calloc(program->n_actions, sizeof *marked);
    const uint32_t rank = program->actions[send].rank;
    uint32_t receives = 0;
    assert_non_null(marked);
    mark_before(program, send, marked);
    for (uint32_t i = program->first[rank]; i < program->first[rank + 1]; i++) {
        if (program->actions[i].kind != CW_ACTION_RECEIVE) continue;
        if (marked[i] != (!is_free && receives < before))
            fail_msg("send %u of rank %u, %u receives before it: %u is %d", send, rank, before, receives, marked[i]);
        receives++;
    }
    free(marked);
}

static void check_schedule(const char *spec, uint32_t n)
{
    struct cw_schedule *schedule = NULL;
    struct cw_program *program = NULL;
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
    uint64_t total;
    assert_int_equal(cw_schedule_new(spec, &schedule), 0);
    if (cw_schedule_plan(schedule, n, &rounds, &blocks)) {
        cw_schedule_free(schedule);
        return;
    }
    assert_int_equal(cw_schedule_total_bytes(schedule, n, 1000, &total), 0);
    assert_int_equal(cw_program_of_schedule(schedule, n, 1000, &program), 0);
    uint32_t *at = calloc(n, sizeof *at), *received = calloc(2 * n, sizeof *received), sends = 0;
    assert_true(at && received);
    memcpy(at, program->first, n * sizeof *at);
    for (uint32_t round = 0; round < rounds; round++) {
        messages.n = 0;
        assert_int_equal(cw_schedule_round(schedule, n, round, &messages), 0);
        for (size_t i = 0; i < messages.n; i++) {
            const struct cw_message *message = &messages.items[i];
            if (message->src == message->dst) continue;
            uint32_t *send = &at[message->src];
            while (program->actions[*send].kind != CW_ACTION_SEND) ++*send;
            const struct cw_action *action = &program->actions[*send];
            assert_int_equal(action->peer, message->dst);
            assert_true(action->bytes == cw_schedule_bytes(total, blocks, message->block, message->n_blocks));
            assert_int_equal(program->actions[action->partner].peer, message->src);
            check_send(program, *send, received[message->src], message->free);
            ++*send;
            sends++;
            received[n + message->dst]++;
        }
        memcpy(received, received + n, n * sizeof *received);
    }
    for (uint32_t i = 0; i < program->n_actions; i++) sends -= program->actions[i].kind == CW_ACTION_SEND;
    assert_int_equal(sends, 0);
    free(at);
    free(received);
    cw_messages_free(&messages);
    cw_program_free(program);
    cw_schedule_free(schedule);
}

static void test_schedules_keep_their_dependences(void **state)
{
    (void)state;
    for (size_t k = 0; cw_schedule_kinds[k]; k++)
        for (uint32_t n = 1; n < 10; n++) check_schedule(cw_schedule_kinds[k]->name, n);
}

/* Between two ranks, tags are apart, and within one the first send goes to the first receive. */
static void test_messages_are_matched(void **state)
{
    (void)state;
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    static const uint32_t sent[] = {5, 7, 5, 7, 5}, received[] = {7, 5, 5, 7, 5};
    assert_int_equal(cw_program_begin(2, &builder), 0);
    for (uint32_t i = 0; i < 5; i++) cw_program_receive(builder, 1, 0, received[i], 8);
    for (uint32_t i = 0; i < 5; i++) cw_program_send(builder, 0, 1, sent[i], 8);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    static const uint32_t partners[] = {6, 5, 7, 8, 9};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(program->actions[i].kind, CW_ACTION_SEND);
        assert_int_equal(program->actions[i].partner, partners[i]);
        assert_int_equal(program->actions[partners[i]].partner, i);
    }
    cw_program_free(program);
}

/* Action I of ROUND of a program of RANK that is repeated TIMES times: a gate is behind the actions of all rounds but
 * the last. */
static uint32_t place(const struct cw_program *once, const struct cw_program *again, uint32_t i, uint32_t round)
{
    const uint32_t rank = once->actions[i].rank, own = once->first[rank + 1] - once->first[rank];
    return again->first[rank] + round * (own + 1) + (i - once->first[rank]);
}

static void check_repeated(const struct cw_program *once, uint32_t times)
{
    struct cw_program *again = NULL;
    assert_int_equal(cw_program_repeat(once, times, &again), 0);
    assert_int_equal(again->n_actions, once->n_actions * times + once->n_ranks * (times - 1));
    uint32_t *waits = calloc(again->n_actions + 1, sizeof *waits);
    bool *marked = calloc(again->n_actions + 1, sizeof *marked);
    assert_true(waits && marked);
    for (size_t k = 0; k < again->first_next[again->n_actions]; k++) waits[again->next[k]]++;
    for (uint32_t i = 0; i < again->n_actions; i++) assert_int_equal(again->actions[i].waits, waits[i]);
    for (uint32_t i = 0; i < once->n_actions; i++)
        for (uint32_t round = 0; round < times; round++) {
            const uint32_t at = place(once, again, i, round), rank = once->actions[i].rank;
            const struct cw_action *action = &again->actions[at], *original = &once->actions[i];
            assert_true(action->kind == original->kind && action->rank == rank && action->peer == original->peer);
            assert_true(action->bytes == original->bytes);
            if (action->kind != CW_ACTION_COMPUTE)
                assert_int_equal(action->partner, place(once, again, original->partner, round));
            /* It waits for all of its rank in rounds before, and of its own for what it waited for. */
            memset(marked, 0, again->n_actions * sizeof *marked);
            mark_before(again, at, marked);
            bool *before = calloc(once->n_actions, sizeof *before);
            assert_non_null(before);
            mark_before(once, i, before);
            for (uint32_t k = once->first[rank]; k < once->first[rank + 1]; k++)
                for (uint32_t other = 0; other < times; other++)
                    assert_int_equal(marked[place(once, again, k, other)],
                                     other < round || (other == round && before[k]));
            free(before);
        }
    free(waits);
    free(marked);
    cw_program_free(again);
}

static void test_repeated(void **state)
{
    (void)state;
    static const char *const specs[] = {"ring-allreduce", "binomial-bcast", "recursive-doubling", "alltoall"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (uint32_t n = 2; n < 6; n++) {
            struct cw_schedule *schedule = NULL;
            struct cw_program *program = NULL;
            if (cw_schedule_new(specs[k], &schedule)) fail_msg("%s", cw_error_message());
            if (!cw_program_of_schedule(schedule, n, 1000, &program))
                for (uint32_t times = 1; times < 4; times++) check_repeated(program, times);
            cw_program_free(program);
            cw_schedule_free(schedule);
        }
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL, *again = NULL;
    assert_int_equal(cw_program_begin(1, &builder), 0);
    for (uint32_t i = 0; i < 5000; i++) cw_program_compute(builder, 0, 1);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    assert_int_equal(cw_program_repeat(program, 1000000, &again), CW_ELIMIT);
    assert_string_equal(cw_error_message(),
                        "a program of 5000 actions for 1000000 times; expected less than 4294967295 in all");
    cw_program_free(program);
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    assert_int_equal(cw_program_begin(2, &builder), 0);
    const uint32_t one = cw_program_compute(builder, 0, 1), other = cw_program_compute(builder, 1, 1);
    cw_program_wait(builder, one, other);
    assert_int_equal(cw_program_finish(builder, &program), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "action 0 waits for action 1; expected two of one rank");
    assert_int_equal(cw_program_begin(2, &builder), 0);
    cw_program_compute(builder, 0, -1);
    assert_int_equal(cw_program_finish(builder, &program), CW_EUSAGE);
    assert_int_equal(cw_program_begin(2, &builder), 0);
    cw_program_send(builder, 0, 1, 0, 8);
    cw_program_abandon(builder);
    cw_program_abandon(NULL);
    assert_int_equal(cw_program_begin(0, &builder), 0);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    assert_int_equal(program->n_actions, 0);
    cw_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules_keep_their_dependences),
        cmocka_unit_test(test_messages_are_matched),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
