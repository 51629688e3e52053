/* One clock for all ranks (mpi/bench/bench_clock.h), on the ranks of ranks_test.h, whose clocks are known: two ranks of
 * host 0, two of host 1, and one of host 2. */
#include "ranks_test_messages.h"

#include "mpi/bench/bench_clock.h"

enum { N = 5 };

static const int hosts[] = {0, 0, 1, 1, 2};
static const double offsets[] = {0, 0, 1000, 1000, -3}, drifts[] = {0, 0, 200e-6, 200e-6, -50e-6};

static struct {
    enum cw_wait_mode mode;
    double forth, back; /* s that messages take to rank 0 and from it */
    int syncs;
    double pause; /* s between two */
    /* What each finds in the end. */
    struct bench_clock clocks[N];
    double now[N], global[N], error[N]; /* at one moment */
    double zero;                        /* by rank 0's clock, since its time 0 */
    int leaders[N];
} test;

static double takes(int from, int to, int tag, size_t bytes)
{
    assert_true(from == 0 || to == 0);
    assert_int_equal(tag, 0);
    assert_int_equal(bytes, sizeof(double));
    return to == 0 ? test.forth : test.back;
}

static double lasts(enum kind kind, int rank)
{
    (void)kind;
    return 1e-3 * rank; /* who waits for others knows it at another moment than they */
}

static void rank(int r)
{
    struct ranks ranks;
    struct bench_clock clock;
    assert_int_equal(ranks_begin(&ranks), 0);
    pause_for(0.1 * r);
    assert_int_equal(bench_clock_init(&ranks, ranks.comm, test.mode, &clock), 0);
    assert_int_equal(clock.n_syncs, 0);
    for (int i = 0; i < test.syncs; i++) {
        if (i > 0) pause_for(test.pause);
        assert_int_equal(bench_clock_sync(&clock), 0);
        assert_true(fabs(bench_clock_now(&clock) - clock.synchronised) < 0.2);
    }
    pause_for(START + 90 - job.now);
    test.clocks[r] = clock;
    test.now[r] = bench_clock_now(&clock);
    test.global[r] = cw_clock_global(&clock.model, test.now[r]);
    test.error[r] = cw_clock_error(&clock.model, test.now[r]);
    if (r == 0) test.zero = test.now[0];
    if (r == 0) memcpy(test.leaders, clock.leaders, (size_t)clock.n_leaders * sizeof *clock.leaders);
    bench_clock_free(&clock);
    assert_null(clock.leaders);
    MPI_Comm_free(&ranks.comm);
    assert_int_equal(open_comms(r), 0);
}

static void run(int n)
{
    set_up(n);
    job.eager = true;
    job.leap = 1;
    job.hosts = hosts;
    memcpy(job.offset, offsets, sizeof offsets);
    memcpy(job.drift, drifts, sizeof drifts);
    job.message_takes = takes;
    job.collective_takes = lasts;
    run_ranks(rank);
    assert_int_equal(tear_down(), 0);
}

/* The clock is right within the error that it states, which is half of the shortest way there and back. */
static void check(double within)
{
    const double most = (test.forth + test.back) / 2;
    for (int r = 0; r < N; r++) {
        if (fabs(test.global[r] - test.zero) > within)
            fail_msg("rank %d: %.9f instead of %.9f", r, test.global[r], test.zero);
        assert_true(fabs(test.global[r] - test.zero) <= test.error[r] + 1e-8);
        assert_true(hosts[r] == 0 ? test.error[r] == 0 : test.error[r] < 90 * CW_CLOCK_DRIFT + most);
        assert_int_equal(test.clocks[r].n_syncs, test.syncs);
        assert_int_equal(test.clocks[r].base, test.clocks[hosts[r] < 2 ? 2 * hosts[r] : r].base);
        assert_int_equal(test.clocks[r].model.n, hosts[r] > 0 ? test.syncs : 0);
    }
    assert_int_equal(test.clocks[0].n_leaders, 2);
    assert_int_equal(test.leaders[0], 2);
    assert_int_equal(test.leaders[1], 4);
    for (int r = 1; r < N; r++) {
        const bool leads = r == 2 || r == 4;
        assert_true(test.clocks[r].leads == leads);
        assert_int_equal(job.sent[r][0], leads ? 20 * test.syncs : 0);
        assert_int_equal(job.sent[0][r], leads ? 20 * test.syncs : 0);
    }
    assert_true(test.clocks[0].leads);
    assert_int_equal(test.clocks[0].model.n, 0);
}

/* After the last of three comparisons there are 60 s, over which drifts are known. */
static void test_clocks(void **state)
{
    (void)state;
    test.syncs = 3;
    test.pause = 10;
    test.forth = test.back = 1e-4;
    for (test.mode = CW_WAIT_SPIN; test.mode <= CW_WAIT_SLEEP; test.mode++) {
        run(N);
        check(1e-5);
        for (int r = 0; r < N; r++) {
            const double drift = 1 / (1 + drifts[r]) - 1;
            assert_true(fabs(test.clocks[r].model.drift - drift) < 1e-7);
        }
    }
}

/* Messages that take longer one way than the other: what cannot be known is within the error. */
static void test_lopsided(void **state)
{
    (void)state;
    test.mode = CW_WAIT_SLEEP;
    test.syncs = 2;
    test.pause = 30;
    test.forth = 5e-4;
    test.back = 1e-4;
    run(N);
    check(2.2e-4);
    assert_true(fabs(test.global[2] - test.zero) > 1.5e-4);
}

/* One comparison says where a clock stands at that moment. */
static void test_once(void **state)
{
    (void)state;
    test.mode = CW_WAIT_YIELD;
    test.syncs = 1;
    test.forth = test.back = 2e-4;
    run(N);
    check(0.02);
    for (int r = 2; r < N; r++) {
        const struct cw_clock_point *point = &test.clocks[r].model.points[0];
        assert_true(fabs(point->error - 2e-4) < 5e-6);
        assert_true(fabs(point->local - test.clocks[r].synchronised) < 0.1);
    }
}

static void test_alone(void **state)
{
    (void)state;
    test.syncs = 2;
    test.pause = 1;
    run(1);
    assert_true(test.global[0] == test.zero && test.error[0] == 0);
    assert_int_equal(test.clocks[0].n_leaders, 0);
    run(2); /* one clock */
    assert_true(test.global[1] == test.zero && job.sent[1][0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clocks), cmocka_unit_test(test_lopsided),
                                       cmocka_unit_test(test_once), cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
