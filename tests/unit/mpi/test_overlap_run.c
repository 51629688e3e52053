/* Measuring a collective beside a computation (mpi/overlap/overlap_run.h), where it is known how long both take. */
#include "overlap_run_test.h"

/* --- what is measured --------------------------------------------------------------------------------------------- */

/* A blocking collective comes after the computation, the others have it within. The slowest rank counts. A loop has two
 * rounds more than count, there are two loops of each method, and a repetition more than counts. */
static void times_are_those_of_the_methods(void **state)
{
    (void)state;
    for (int crowded = 0; crowded < 2; crowded++) {
        begin("blocking,native,native-yield,slices:0.5,blocking@all");
        test.lasts[1] = LASTS + 4e-3;
        for (int r = 0; crowded && r < N; r++)
            test.first_core[r] = test.last_core[r] = 5; /* they share a core, and sleep */
        go(measure);
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.rc[r], 0);
            assert_int_equal(test.samples[r].n, 3);
            for (size_t i = 0; i < 3; i++) {
                const struct cw_overlap_sample *sample = &test.samples[r].items[5 * i];
                assert_times(&sample[0].most, 8e-3, COMPUTE + 8e-3, 0, COMPUTE);
                for (int m = 1; m < 4; m++) assert_times(&sample[m].most, INIT + 8e-3, INIT + 8e-3, INIT, COMPUTE);
                assert_times(&sample[4].most, 8e-3, COMPUTE + 8e-3, 0, COMPUTE);
                assert_near(sample[0].imb, 0); /* nothing of a blocking one is hidden; else all but the call and 2 ms */
                assert_true(fabs(sample[1].imb - 100) < 3);
            }
            assert_int_equal(test.calls[r][0], 4 * 2 * 2 * (4 + 2));
            assert_int_equal(test.calls[r][1], 4 * 2 * 2 * (4 + 2));
            assert_int_equal(test.calls[r][2], 4 * 2 * (4 + 2));
            assert_int_equal(test.slack[r], 1);
            for (int i = 1; !crowded && i < 13; i += 6) assert_near(test.began[r][i], test.began[0][i]); /* together */
            assert_true(job.yields[r] > 100);
            assert_true(test.all_cores[r]); /* in the last method's turn, and not any more */
            assert_int_equal(CPU_COUNT(&test.cores[r]), 1);
            assert_true(CPU_ISSET((size_t)test.first_core[r], &test.cores[r]));
            assert_true(test.verified[r] >= 1 && test.verified[r] <= 2); /* then results are compared with the first */
        }
        assert_memory_equal(&test.sharing, &test.methods.items[3].sharing, sizeof test.sharing);
        discard();
    }
}

/* 10 ms of computations, but 4 rounds at least and 10 at most. */
static void loops_are_as_long_as_computations(void **state)
{
    static const struct {
        double seconds;
        int rounds;
    } cases[] = {{0, 10}, {1e-6, 10}, {1.3e-3, 7}, {2.1e-3, 4}, {1, 4}};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        begin("blocking");
        test.setup.seconds = cases[i].seconds;
        test.setup.repetitions = 1;
        go(measure);
        assert_int_equal(test.calls[0][0], 2 * 2 * (cases[i].rounds + 2));
        assert_near(test.samples[2].items[0].most.compute, cases[i].seconds);
        assert_near(test.samples[2].items[0].most.pure, LASTS);
        discard();
    }
}

/* No computation begins after the time is over; if that is so after the first, it counts. */
static void time_ends_it(void **state)
{
    const double once = 2 * 6 * LASTS + 10 * COMPUTE; /* two loops, one of them with computations, and those alone */
    (void)state;
    for (int turns = 1; turns < 4; turns++) {
        begin("blocking");
        test.setup.repetitions = 10;
        test.setup.time = (turns - 0.5) * once;
        go(measure);
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.samples[r].n, turns > 1 ? turns - 1 : 1);
            assert_true(fabs(test.end[r] / turns - once) < 0.02 * once);
        }
        discard();
    }
    begin("blocking"); /* as a signal does */
    cw_interrupt();
    go(measure);
    cw_interrupt_clear();
    assert_int_equal(test.rc[0], 0);
    assert_int_equal(test.samples[0].n, 1);
    assert_near(test.samples[0].items[0].most.total, LASTS + COMPUTE);
    discard();
}

static void who_has_enough_ends_it(void **state)
{
    (void)state;
    for (int n = 1; n < 5; n++) {
        begin("blocking,native");
        test.setup.enough = are_enough;
        test.n_enough = n;
        go(measure);
        for (int r = 0; r < N; r++) assert_int_equal(test.samples[r].n, n < 3 ? n : 3);
        assert_int_equal(test.calls[0][0], ((n < 3 ? n : 3) + 1) * 12);
        discard();
    }
}

/* Ranks that sleep begin together, at the moment that rank 0 has named: also one that comes a little late. Who is on
 * another host has another clock, and begins when it can. */
static void ranks_begin_together(void **state)
{
    (void)state;
    for (int ahead = -1; ahead < 2; ahead++) {
        begin("blocking");
        for (int r = 0; r < N; r++) test.first_core[r] = test.last_core[r] = 5;
        job.offset[1] = ahead * 1000.;
        test.setup.repetitions = 1;
        go(measure);
        assert_times(&test.samples[2].items[0].most, LASTS, LASTS + COMPUTE, 0, COMPUTE);
        assert_near(test.began[2][1], test.began[0][1]);
        assert_true((test.began[1][1] < test.began[0][1] - 1e-3) == (ahead != 0));
        discard();
    }
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* Who takes part in a broadcast sends nothing of its own by our functions. */
static void calls_are_those_of_the_operation(void **state)
{
    static const char *const names[] = {"bcast", "allreduce", "gather"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin("auto");
        test.setup.operation = collective(names[i]);
        test.setup.repetitions = 1;
        go(measure);
        assert_int_equal(test.ours.collective, cw_collective_kind_of(collective(names[i])));
        assert_true((test.ours.send == NULL) == (i == 0));
        assert_int_equal(test.ours.send_count, i == 0 ? 0 : 3);
        assert_int_equal(test.ours.recv_count, 3);
        assert_true(test.ours.send_type == MPI_DOUBLE && test.ours.recv_type == MPI_DOUBLE && test.ours.op == MPI_SUM);
        assert_true(test.ours.root == ROOT && test.ours.comm == MPI_COMM_WORLD);
        discard();
    }
}

/* --- what is wrong ------------------------------------------------------------------------------------------------ */

/* What is not delivered in a loop is found by who lacks it, and is what all are told when the method's turn is over. */
static void a_wrong_result_is_an_error_of_all(void **state)
{
    (void)state;
    for (int loop = 1; loop <= 8; loop++) {
        begin("native,blocking");
        test.setup.repetitions = 1;
        test.stale = loop;
        go(measure);
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.rc[r], CW_EINTERNAL);
            assert_string_equal(test.message[r], (loop - 1) / 2 % 2 ? "rank 1 on host0: method blocking: it is wrong"
                                                                    : "rank 1 on host0: method native: it is wrong");
            assert_int_equal(test.calls[r][3], (loop + 1) / 2 * 12);
            assert_null(test.samples[r].items);
        }
    }
    begin("native,blocking");
    test.refuses = 1;
    go(measure);
    for (int r = 0; r < N; r++) {
        assert_int_equal(test.rc[r], CW_ELIMIT);
        assert_string_equal(test.message[r], "rank 1 on host0: refused");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_the_methods),
        cmocka_unit_test(loops_are_as_long_as_computations),
        cmocka_unit_test(time_ends_it),
        cmocka_unit_test(who_has_enough_ends_it),
        cmocka_unit_test(ranks_begin_together),
        cmocka_unit_test(calls_are_those_of_the_operation),
        cmocka_unit_test(a_wrong_result_is_an_error_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
