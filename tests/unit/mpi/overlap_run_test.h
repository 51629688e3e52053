/* Collectives that take a known time, for tests of measuring them beside a computation (mpi/overlap/overlap_run.h).
 * Ranks are those of ranks_test.h. */
#ifndef CW_TESTS_OVERLAP_RUN_TEST_H
#define CW_TESTS_OVERLAP_RUN_TEST_H

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
    int stale;               /* the loop, from 1, of which nothing is delivered to rank 1 */
    int refuses;             /* the rank to which no call is given; -1: none */
    int n_enough;            /* samples that are enough */
    int calls[RANKS][4];     /* collectives: blocking, native, ours, all */
    double began[RANKS][61]; /* the first of these collectives */
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
    if (number <= 60) test.began[self][number] = job.now;
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

static inline void keep(int rank, int rc)
{
    test.rc[rank] = rc;
    test.end[rank] = job.now - START;
    snprintf(test.message[rank], sizeof test.message[rank], "%s", rc ? cw_error_message() : "");
}

/* The second core of each is for communication. */
static inline void keep_off(int rank, struct overlap_places *places)
{
    cpu_set_t second;
    CPU_ZERO(&second);
    CPU_SET((size_t)test.last_core[rank], &second);
    if (test.first_core[rank] < test.last_core[rank]) overlap_places_avoid(places, &second);
}

static inline void measure(int rank)
{
    struct overlap_setup setup = test.setup;
    overlap_places_find(&setup.places);
    keep_off(rank, &setup.places);
    keep(rank, overlap_run(&setup, &test.samples[rank]));
}

static inline void measure_alone(int rank)
{
    struct overlap_setup setup = test.setup;
    overlap_places_find(&setup.places);
    keep_off(rank, &setup.places);
    keep(rank, overlap_alone(&setup, test.seconds[rank]));
}

static void go(void (*rank)(int))
{
    run_ranks(rank);
    assert_int_equal(tear_down(), 0);
}

static inline void discard(void)
{
    for (int r = 0; r < N; r++) cw_overlap_samples_free(&test.samples[r]);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 3e-4) fail_msg("%g, expected %g", value, expected);
}

static inline void assert_times(const struct cw_overlap_times *times, double pure, double total, double init,
                                double within)
{
    assert_near(times->pure, pure);
    assert_near(times->compute, COMPUTE);
    assert_near(times->total, total);
    assert_near(times->init, init);
    assert_near(times->within, within);
}

static inline bool are_enough(const struct cw_overlap_samples *samples, size_t methods)
{
    must_be(methods == 2, "other methods");
    return samples->n >= (size_t)test.n_enough;
}

#endif
