/* Measuring a collective beside a computation (mpi/overlap/overlap_run.h), where it is known how long both take: the
 * collectives are made up, and the ranks those of ranks_test.h. */
#include "ranks_test.h"

#include <sched.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "mpi/bench/bench_operation.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_run.h"

enum { N = 3, BYTES = 24, ROOT = 0 };

#define INIT    1e-3 /* s that starting takes, … */
#define LASTS   4e-3 /* … and the collective after it, at least; a blocking one takes this alone */
#define COMPUTE 6e-3

struct nbc_job nbc_job;

/* What ranks do, what the collectives do, and what comes of it. */
static struct {
    struct overlap_setup setup;
    struct cw_overlap_methods methods;
    void (*look)(int rank); /* what is measured */
    int first_core[RANKS], last_core[RANKS];
    double lasts[RANKS]; /* s */
    double quicker;      /* s that collective number QUICK takes less */
    int quick;
    int stale;           /* the loop, from 1, of which nothing is delivered to rank 1 */
    int refuses;         /* the rank to which no call is given; -1: none */
    int n_enough;        /* samples that are enough */
    int calls[RANKS][4]; /* collectives: blocking, native, ours, all */
    int verified[RANKS];
    long slack[RANKS];
    cpu_set_t cores[RANKS]; /* where they are */
    bool all_cores[RANKS];  /* … while a collective of a method with all cores is begun */
    int rc[RANKS];
    char message[RANKS][256];
    struct cw_overlap_samples samples[RANKS];
    double seconds[RANKS][CW_OVERLAP_METHODS], end[RANKS], rate[RANKS];
    struct cw_nbc_sharing sharing;
    struct cw_nbc_call ours;
} test;

/* --- the machine -------------------------------------------------------------------------------------------------- */

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    must_be(process == 0, "cores of another process");
    CPU_ZERO_S(size, set);
    for (int core = test.first_core[self]; core <= test.last_core[self]; core++) CPU_SET_S((size_t)core, size, set);
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    must_be(process == 0 && size == sizeof *set, "cores of another process");
    test.cores[self] = *set;
    return 0;
}

int prctl(int what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    if (what == PR_SET_TIMERSLACK) test.slack[self] = va_arg(arguments, int);
    va_end(arguments);
    return 0;
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

static const unsigned char result[BYTES] = "what ranks are to have";
static unsigned char buffers[RANKS][2][BYTES];

int call_new(const struct cw_collective_traits *operation, size_t bytes, int root, MPI_Comm comm,
             enum cw_wait_mode mode, struct call *out)
{
    if (self == test.refuses) return cw_fail(CW_ELIMIT, "refused");
    must_be(mode == CW_WAIT_SPIN && root == ROOT && bytes == BYTES, "another call");
    *out = (struct call){.operation = operation,
                         .comm = comm,
                         .rank = self,
                         .n = job.n,
                         .root = root,
                         .bytes = bytes,
                         .count = 3,
                         .type = MPI_DOUBLE,
                         .combine = MPI_SUM,
                         .send = buffers[self][0],
                         .receive = buffers[self][1]};
    return 0;
}

void call_free(struct call *call)
{
    (void)call;
}

size_t call_received(const struct call *call)
{
    (void)call;
    return BYTES;
}

void call_fill(const struct call *call)
{
    memset(call->receive, 'e', BYTES);
}

/* Collective number so many of this rank: how long it takes; what it delivers is there. */
static double collect_one(unsigned char *receive, int how)
{
    test.calls[self][how]++;
    const int number = ++test.calls[self][3];
    test.all_cores[self] = CPU_COUNT(&test.cores[self]) == test.last_core[self] - test.first_core[self] + 1;
    if (self != 1 || (number + 5) / 6 != test.stale) memcpy(receive, result, BYTES);
    return test.lasts[self] - (number > test.quick && number <= test.quick + 12 ? test.quicker : 0);
}

int call_run(const struct call *call)
{
    const double seconds = collect_one(call->receive, 0);
    if (seconds > 0) pause_for(seconds);
    return 0;
}

void call_start(const struct call *call, MPI_Request *request)
{
    pause_for(INIT);
    begin_timer(collect_one(call->receive, 1), call->comm, request);
}

int call_verify(const struct call *call)
{
    test.verified[self]++;
    return memcmp(call->receive, result, BYTES) == 0 ? 0 : cw_fail(CW_EINTERNAL, "it is wrong");
}

static MPI_Request timers[RANKS];

int cw_nbc_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, cw_nbc_request *request)
{
    must_be(!decided, "it decides");
    test.sharing = nbc_job.settings.sharing;
    test.ours = *call;
    pause_for(INIT);
    begin_timer(collect_one(call->recv, 2), MPI_COMM_WORLD, &timers[self]);
    *request = (cw_nbc_request)&timers[self];
    return 0;
}

int cw_nbc_wait(cw_nbc_request *request)
{
    must_be(*request == (cw_nbc_request)&timers[self], "another request");
    return MPI_Wait(&timers[self], MPI_STATUS_IGNORE);
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static const struct cw_collective_traits *collective(const char *name)
{
    const struct cw_collective_traits *traits = cw_collectives;
    while (strcmp(traits->name, name) != 0) traits++;
    return traits;
}

/* Methods of LIST among ranks that have two cores each, for themselves. */
static void begin(const char *list)
{
    memset(&test, 0, sizeof test);
    set_up(N);
    job.nap = job.poll = 1e-4;
    assert_int_equal(cw_overlap_methods_parse(list, &test.methods), 0);
    test.setup = (struct overlap_setup){.comm = MPI_COMM_WORLD,
                                        .operation = collective("allreduce"),
                                        .bytes = BYTES,
                                        .methods = &test.methods,
                                        .kind = CW_OVERLAP_ACCELERATOR,
                                        .seconds = COMPUTE,
                                        .repetitions = 3};
    test.refuses = -1;
    for (int r = 0; r < N; r++) {
        test.first_core[r] = 2 * r;
        test.last_core[r] = 2 * r + 1;
        test.lasts[r] = LASTS;
    }
}

static void keep(int rank, int rc)
{
    test.rc[rank] = rc;
    test.end[rank] = job.now - START;
    snprintf(test.message[rank], sizeof test.message[rank], "%s", rc ? cw_error_message() : "");
}

/* The second core of each is for communication. */
static void measure(int rank)
{
    struct overlap_setup setup = test.setup;
    cpu_set_t second;
    CPU_ZERO(&second);
    CPU_SET((size_t)test.last_core[rank], &second);
    overlap_places_find(&setup.places);
    if (test.first_core[rank] < test.last_core[rank]) overlap_places_avoid(&setup.places, &second);
    keep(rank, overlap_run(&setup, &test.samples[rank]));
}

static void measure_alone(int rank)
{
    struct overlap_setup setup = test.setup;
    overlap_places_find(&setup.places);
    keep(rank, overlap_alone(&setup, test.seconds[rank]));
}

static void go(void (*rank)(int))
{
    run_ranks(rank);
    assert_int_equal(tear_down(), 0);
}

static void discard(void)
{
    for (int r = 0; r < N; r++) cw_overlap_samples_free(&test.samples[r]);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 3e-4) fail_msg("%g, expected %g", value, expected);
}

static void assert_times(const struct cw_overlap_times *times, double pure, double total, double init, double within)
{
    assert_near(times->pure, pure);
    assert_near(times->compute, COMPUTE);
    assert_near(times->total, total);
    assert_near(times->init, init);
    assert_near(times->within, within);
}

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

static bool are_enough(const struct cw_overlap_samples *samples, size_t methods)
{
    must_be(methods == 2, "other methods");
    return samples->n >= (size_t)test.n_enough;
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
        job.offset[2] = ahead * 1000.;
        test.setup.repetitions = 1;
        go(measure);
        assert_times(&test.samples[2].items[0].most, LASTS, LASTS + COMPUTE, 0, COMPUTE);
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
        cmocka_unit_test(times_are_those_of_the_methods),
        cmocka_unit_test(loops_are_as_long_as_computations),
        cmocka_unit_test(time_ends_it),
        cmocka_unit_test(who_has_enough_ends_it),
        cmocka_unit_test(ranks_begin_together),
        cmocka_unit_test(calls_are_those_of_the_operation),
        cmocka_unit_test(a_wrong_result_is_an_error_of_all),
        cmocka_unit_test(the_fastest_loop_counts),
        cmocka_unit_test(loops_alone_are_enough),
        cmocka_unit_test(a_wrong_result_alone),
        cmocka_unit_test(ranks_keep_off_cores),
        cmocka_unit_test(computations_take_as_long_as_they_should),
        cmocka_unit_test(all_ranks_have_one_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
