/* crosswind-mpi overlap --tuning: what it measures in which order, with how much time, and what it keeps. */
#include "overlap_test.h"

#include "nbc/nbc_tuning.h"

/* --- tuning ------------------------------------------------------------------------------------------------------- */

static struct cw_nbc_tuning read_tuning(void)
{
    struct cw_nbc_tuning *tuning = calloc(1, sizeof *tuning);
    struct cw_text path = {0};
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    if (cw_nbc_tuning_read(path.data, tuning)) fail_msg("%s", cw_error_message());
    const struct cw_nbc_tuning out = *tuning;
    free(tuning);
    cw_text_free(&path);
    return out;
}

static void write_tuning(const char *content)
{
    struct cw_text path = {0};
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    write_text(path.data, content);
    cw_text_free(&path);
}

/* The largest messages of all collectives come first; their blocking ones say how long ranks compute. What is kept of
 * other collectives stays. */
static void all_is_tuned(void **state)
{
    static const char *const carried[] = {"bcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall"};
    static const size_t sizes[] = {2 << 20, 256 << 10, 32 << 10, 8 << 10};
    (void)state;
    begin(3, 1);
    test.lasts = 0.05;
    struct ran ran = result_on("overlap --tuning --time 0");
    assert_true(test.right_environment);
    assert_int_equal(test.n_calls, 28);
    assert_int_equal(test.n_alone, 28);
    assert_true(test.totals == 28 && test.steps == 28);
    for (int i = 0; i < 28; i++) {
        const struct measured *call = &test.calls[i];
        assert_string_equal(call->operation, carried[i % 7]);
        assert_int_equal(call->bytes, sizes[i / 7]);
        assert_true(call->ranks == 3 && call->repetitions == 25 && call->tunes && call->time == 0);
        assert_near(call->seconds, 3e-3); /* of a blocking one alone */
        assert_int_equal(test.alone[i].methods, 1);
    }
    assert_int_equal(rows_of(&ran, "tuning"), 28);
    check_int(&ran, "tuning", 0, "cores", 1);
    check_int(&ran, "tuning", 0, "ranks", 3);
    assert_int_equal(notes_with(&ran, "for lack of time") + notes_with(&ran, "leave no core"), 0);
    ran_free(&ran);
    const struct cw_nbc_tuning first = read_tuning();
    assert_int_equal(first.n, 28);

    begin(2, 1);
    ran = result_on("overlap --tuning --op bcast,gather --repetitions 3");
    ran_free(&ran);
    assert_int_equal(test.n_calls, 8);
    assert_int_equal(test.calls[0].repetitions, 3);
    assert_int_equal(read_tuning().n, 28 + 8);

    struct cw_text path = {0}; /* of another MPI */
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    char *kept = content_of(path.data);
    memcpy(strstr(kept, "v9.9"), "v8.8", 4);
    write_tuning(kept);
    free(kept);
    cw_text_free(&path);
    begin(2, 1);
    ran = result_on("overlap --tuning --op reduce");
    ran_free(&ran);
    assert_int_equal(read_tuning().n, 4);

    write_tuning("what is this\n");
    begin(2, 1);
    ran = result_on("overlap --tuning --op bcast");
    ran_free(&ran);
    assert_int_equal(read_tuning().n, 4);
}

/* Each point has its share of what is left of 5 s, and none begins after them. */
static void tuning_ends_in_time(void **state)
{
    (void)state;
    begin(3, 1);
    test.lasts = 1;
    test.crowded = true;
    struct ran ran = result_on("overlap --tuning --ranks 2,3 --op bcast,reduce");
    assert_near(test.calls[0].rate, RATE / 3); /* as the most ranks have it */
    assert_int_equal(test.n_calls, 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(test.calls[i].time * (16 - i) - (5 - i)) < 0.5);
    check_note(&ran, "It took 5.");
    check_note(&ran, "11 short collectives were not measured for lack of time");
    ran_free(&ran);
    begin(3, 1);
    test.lasts = 1;
    test.calibrates = 0.7;
    ran = result_on("overlap --tuning --op bcast --time 0.5s"); /* the first is measured in any case */
    assert_int_equal(test.n_calls, 1);
    check_note(&ran, "3 short collectives were not measured for lack of time");
    ran_free(&ran);
}

/* Parts of all ranks have 16 MiB, and where no core is to spare nothing is measured. */
static void tuning_leaves_out_what_has_no_room(void **state)
{
    (void)state;
    for (int n = 8; n < 10; n++) {
        begin(n, 1);
        struct ran ran = result_on("overlap --tuning --op bcast,scatter,gather,alltoall --time 0");
        assert_int_equal(test.n_calls, n == 8 ? 16 : 13);
        assert_int_equal(notes_with(&ran, "for lack of time"), 0);
        ran_free(&ran);
    }
    begin(3, 0);
    struct ran ran = result_on("overlap --tuning --ranks 2,3");
    check_note(&ran, "2 ranks leave no core to spare");
    check_note(&ran, "3 ranks leave no core to spare");
    assert_int_equal(notes_with(&ran, "It took"), 0);
    assert_int_equal(test.n_calls, 0);
    ran_free(&ran);
}

/* A tree that takes much longer is not tried for smaller messages; another number of ranks begins anew. */
static void trees_that_are_beaten_are_left_out(void **state)
{
    (void)state;
    begin(3, 1);
    test.ours = 1;
    struct ran ran = result_on("overlap --tuning --ranks 2,3 --op bcast --time 0");
    for (int i = 0; i < 8; i++)
        assert_true(i % 4 ? test.calls[i].methods <= test.calls[0].methods
                          : test.calls[i].methods == test.calls[0].methods);
    check_note(&ran, "MPI's own collectives are the fastest everywhere");
    ran_free(&ran);
}

static void what_fails_ends_tuning(void **state)
{
    (void)state;
    begin(2, 1);
    test.fails_at = 3;
    struct ran ran = run_on_ranks("overlap --tuning --op bcast,reduce");
    check_ended();
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "it is wrong"));
    assert_int_equal(test.n_calls, 3);
    assert_int_equal(rows_of(&ran, "tuning"), 2);
    assert_int_equal(notes_with(&ran, "It took"), 0);
    ran_free(&ran);
    begin(2, 1);
    test.interrupts_at = 2;
    ran = run_on_ranks("overlap --tuning --op bcast,reduce");
    check_ended();
    assert_int_equal(test.n_calls, 2);
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_tuned),
        cmocka_unit_test(tuning_ends_in_time),
        cmocka_unit_test(tuning_leaves_out_what_has_no_room),
        cmocka_unit_test(trees_that_are_beaten_are_left_out),
        cmocka_unit_test(what_fails_ends_tuning),
    };
    return cmocka_run_group_tests(tests, enter_own_folder, leave_folder);
}
