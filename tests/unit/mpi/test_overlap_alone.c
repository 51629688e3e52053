/* Collectives alone, where ranks run, and how fast they compute (mpi/overlap/overlap_run.h). */
#include "overlap_run_test.h"

/* --- alone -------------------------------------------------------------------------------------------------------- */

/* The fastest loop counts, as its slowest rank has it. Each loop has 12 rounds, of which 10 count, and ranks sleep as
 * long as these took. */
static void the_fastest_loop_counts(void **state)
{
    (void)state;
    begin("blocking@all,native@all");
    test.setup.kind = CW_OVERLAP_CPU;
    test.setup.seconds = 0;
    test.lasts[2] = 9e-3;
    test.quick = 2 * 12 * 3; /* the third of each that counts, with the one before it to warm up */
    test.quicker = 2e-3;
    go(measure_alone);
    for (int r = 0; r < N; r++) {
        assert_int_equal(test.rc[r], 0);
        assert_near(test.seconds[r][0], 7e-3);
        assert_near(test.seconds[r][1], 9e-3 + INIT);
        assert_int_equal(test.calls[r][3], 2 * 12 * (5 + 1)); /* 5 are enough: 2 · 0.19 s each */
        assert_true(test.all_cores[r]);
        assert_int_equal(CPU_COUNT(&test.cores[r]), 1); /* afterwards */
        assert_true(test.seconds[r][2] == 0);           /* of no method */
    }
}

/* So many loops that they take a second, or the share of a time that there is; but 5 at least, or 2, and 100 at most.
 */
static void loops_alone_are_enough(void **state)
{
    static const struct {
        double lasts, time;
        bool clear; /* it need only be clear */
        int loops;
    } cases[] = {{7e-3, 0, false, 8}, {40e-3, 0, false, 5},  {40e-3, 0, true, 2}, {7e-3, 2, false, 5},
                 {7e-3, 3, true, 5},  {7e-3, 100, false, 8}, {0, 0, false, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin("blocking@all");
        test.setup.seconds = 0;
        test.setup.time = cases[i].time;
        if (cases[i].clear) test.setup.enough = are_enough;
        for (int r = 0; r < N; r++) test.lasts[r] = cases[i].lasts;
        go(measure_alone);
        assert_int_equal(test.calls[0][0], 12 * (cases[i].loops + 1));
        assert_true(fabs(test.end[0] - (cases[i].loops + 1) * 22 * cases[i].lasts) < 0.03);
        assert_near(test.seconds[1][0], cases[i].lasts);
    }
}

static void a_wrong_result_alone(void **state)
{
    (void)state;
    for (int stale = 1; stale < 5; stale += 3) {
        begin("native@all");
        test.setup.seconds = 0;
        test.stale = 2 * stale; /* and the other half of that loop */
        go(measure_alone);
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.rc[r], 0);
            assert_near(test.seconds[r][0], INIT + LASTS);
        }
        begin("native@all,blocking@all");
        test.setup.seconds = 1; /* 4 rounds and 2 */
        test.stale = stale;
        go(measure_alone);
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.rc[r], CW_EINTERNAL);
            assert_string_equal(test.message[r], "rank 1 on host0: it is wrong");
            assert_int_equal(test.calls[r][3], (stale + 1) / 2 * 12);
        }
    }
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static struct overlap_places places;
static int places_rc;
static char places_message[256];

static void avoid(int rank)
{
    cpu_set_t cores;
    overlap_places_find(&places);
    assert_true(CPU_EQUAL(&places.all, &places.own) && CPU_COUNT(&places.all) == 4);
    CPU_ZERO(&cores);
    for (size_t core = 2; core < 9; core++) CPU_SET(core, &cores);
    overlap_places_avoid(&places, &cores); /* but for 0 and 1 */
    assert_int_equal(CPU_COUNT(&places.own), 2);
    assert_true(CPU_ISSET(0, &places.own) && CPU_ISSET(1, &places.own) && CPU_EQUAL(&test.cores[rank], &places.own));
    CPU_SET(0, &cores);
    CPU_SET(1, &cores);
    overlap_places_avoid(&places, &cores); /* none would be left */
    assert_int_equal(CPU_COUNT(&places.own), 2);
    overlap_places_reset(&places);
    assert_true(CPU_EQUAL(&places.own, &places.all) && CPU_EQUAL(&test.cores[rank], &places.all));
    places_rc = overlap_places_avoid_given(&places);
    snprintf(places_message, sizeof places_message, "%s", cw_error_message());
}

static void avoid_given(const char *cores)
{
    begin("blocking");
    set_up(1);
    test.last_core[0] = 3;
    if (cores)
        setenv("CROSSWIND_NBC_CORES", cores, 1);
    else
        unsetenv("CROSSWIND_NBC_CORES");
    run_ranks(avoid);
    tear_down();
    unsetenv("CROSSWIND_NBC_CORES");
}

static void ranks_keep_off_cores(void **state)
{
    (void)state;
    avoid_given(NULL);
    assert_true(places_rc == 0 && CPU_COUNT(&places.own) == 4);
    avoid_given("");
    assert_true(places_rc == 0 && CPU_COUNT(&places.own) == 4);
    avoid_given("1,3");
    assert_true(places_rc == 0 && CPU_COUNT(&places.own) == 2 && CPU_ISSET(2, &places.own));
    assert_true(CPU_EQUAL(&test.cores[0], &places.own));
    avoid_given("one");
    assert_int_equal(places_rc, CW_EUSAGE);
    assert_non_null(strstr(places_message, "CROSSWIND_NBC_CORES"));
    assert_int_equal(CPU_COUNT(&places.own), 4);
}

/* --- what they compute -------------------------------------------------------------------------------------------- */

static void calibrate(int rank)
{
    test.rate[rank] = overlap_calibrate(MPI_COMM_WORLD);
    test.setup.rate = test.rate[rank];
    if (rank == 0) measure(rank);
}

/* By the machine's clock: whatever else it does, a computation does not take less than it should. */
static void computations_take_as_long_as_they_should(void **state)
{
    (void)state;
    begin("blocking");
    set_up(1);
    job.real_time = true;
    test.setup.kind = CW_OVERLAP_CPU;
    test.setup.repetitions = 2;
    test.lasts[0] = 0;
    go(calibrate);
    assert_int_equal(test.rc[0], 0);
    assert_true(test.rate[0] > 1e6 && test.rate[0] < 1e11);
    const double took = fmin(test.samples[0].items[0].most.compute, test.samples[0].items[1].most.compute);
    if (took < 0.8 * COMPUTE || took > 20 * COMPUTE) fail_msg("%g s", took);
    discard();
}

static void rates_are_the_fastest(int rank)
{
    test.rate[rank] = overlap_calibrate(MPI_COMM_WORLD);
}

static void all_ranks_have_one_rate(void **state)
{
    (void)state;
    begin("blocking");
    job.real_time = true;
    go(rates_are_the_fastest);
    assert_true(test.rate[0] == test.rate[1] && test.rate[1] == test.rate[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_loop_counts),
        cmocka_unit_test(loops_alone_are_enough),
        cmocka_unit_test(a_wrong_result_alone),
        cmocka_unit_test(ranks_keep_off_cores),
        cmocka_unit_test(computations_take_as_long_as_they_should),
        cmocka_unit_test(all_ranks_have_one_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
