#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/random.h"

enum { N = 2000 };

struct job {
    unsigned n_threads;
    atomic_uint runs[N];
    uint64_t results[N];
    uint64_t of_thread[64]; /* a workspace a thread, written without a lock */
    atomic_bool bad_thread;
};

static int draw(void *context, size_t index, unsigned thread)
{
    struct job *job = context;
    if (thread >= job->n_threads) atomic_store(&job->bad_thread, true);
    atomic_fetch_add(&job->runs[index], 1);
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, index);
    for (unsigned i = 0; i < 100; i++) job->results[index] += cw_random_u64(&random);
    job->of_thread[thread]++;
    return 0;
}

static struct job *new_job(unsigned n_threads)
{
    struct job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    job->n_threads = n_threads;
    return job;
}

static void every_item_once(void **state)
{
    (void)state;
    struct job *serial = new_job(1);
    assert_int_equal(cw_parallel_for(1, N, draw, serial), 0);
    for (unsigned n_threads = 1; n_threads <= 16; n_threads++) {
        struct job *job = new_job(n_threads);
        assert_int_equal(cw_parallel_for(n_threads, N, draw, job), 0);
        uint64_t done = 0;
        for (size_t i = 0; i < N; i++) assert_int_equal(atomic_load(&job->runs[i]), 1);
        for (size_t i = 0; i < 64; i++) done += job->of_thread[i];
        assert_int_equal(done, N);
        assert_false(atomic_load(&job->bad_thread));
        assert_memory_equal(job->results, serial->results, sizeof job->results);
        free(job);
    }
    free(serial);
}

static int must_not_run(void *context, size_t index, unsigned thread)
{
    (void)context, (void)index, (void)thread;
    return cw_fail(CW_EINTERNAL, "ran");
}

static void nothing_to_do(void **state)
{
    (void)state;
    for (unsigned n_threads = 0; n_threads < 4; n_threads++)
        assert_int_equal(cw_parallel_for(n_threads, 0, must_not_run, NULL), 0);
}

static void number_of_threads(void **state)
{
    (void)state;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    const unsigned cores = (unsigned)CPU_COUNT(&set);
    assert_int_equal(cw_parallel_threads(0, 1000000), cores);
    assert_int_equal(cw_parallel_threads(7, 1000000), 7);
    assert_int_equal(cw_parallel_threads(7, 3), 3);
    assert_int_equal(cw_parallel_threads(7, 0), 1);
    assert_int_equal(cw_parallel_threads(0, 1), 1);
    assert_int_equal(cw_parallel_threads(0, 0), 1);

    /* A process bound to one core gets one thread. */
    cpu_set_t one;
    CPU_ZERO(&one);
    size_t core = 0;
    while (!CPU_ISSET(core, &set)) core++;
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cw_parallel_threads(0, 1000000), 1);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* All threads wait for each other, so that no one can do another's items: all of them must really exist. */
static int meet(void *context, size_t index, unsigned thread)
{
    (void)index;
    struct job *job = context;
    atomic_fetch_add(&job->runs[0], 1);
    while (atomic_load(&job->runs[0]) < job->n_threads) sched_yield();
    job->of_thread[thread]++;
    return 0;
}

static void threads_run_side_by_side(void **state)
{
    (void)state;
    struct job *job = new_job(5);
    assert_int_equal(cw_parallel_for(5, 5, meet, job), 0);
    for (size_t i = 0; i < 5; i++) assert_int_equal(job->of_thread[i], 1);
    free(job);
}

struct failures {
    size_t fails[3];
    atomic_size_t runs;
    atomic_bool seen[N];
};

/* The failing items with low numbers take longest, so that others fail before them. */
static int fail_some(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct failures *failures = context;
    atomic_fetch_add(&failures->runs, 1);
    atomic_store(&failures->seen[index], true);
    for (unsigned i = 0; i < 3; i++) {
        if (failures->fails[i] != index) continue;
        for (unsigned wait = 0; wait < 20 * (3 - i); wait++) sched_yield();
        return cw_fail(i == 0 ? CW_EIO : CW_EROUTE, "item %zu is bad", index);
    }
    return 0;
}

static void lowest_failure_wins(void **state)
{
    (void)state;
    for (size_t first = 0; first < 60; first += 3) {
        for (unsigned n_threads = 1; n_threads <= 8; n_threads++) {
            struct failures failures = {.fails = {first, first + 1, first + 3}};
            char expected[64];
            snprintf(expected, sizeof expected, "item %zu is bad", first);
            cw_fail(CW_EUSAGE, "an older message");
            assert_int_equal(cw_parallel_for(n_threads, N, fail_some, &failures), CW_EIO);
            assert_string_equal(cw_error_message(), expected);
            for (size_t i = 0; i <= first; i++) assert_true(atomic_load(&failures.seen[i]));
        }
    }
}

/* Item 0 fails at once, the others take half a second together. */
static int fail_first(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct failures *failures = context;
    atomic_fetch_add(&failures->runs, 1);
    if (index == 0) return cw_fail(CW_EIO, "the first item is bad");
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
    return 0;
}

static void rest_is_not_begun(void **state)
{
    (void)state;
    struct failures failures = {.fails = {10, N, N}};
    assert_int_equal(cw_parallel_for(1, N, fail_some, &failures), CW_EIO);
    assert_int_equal(atomic_load(&failures.runs), 11);

    bool all_begun = true; /* as they are where the thread of the first item rests for so long, which is rare */
    for (int attempt = 0; attempt < 10 && all_begun; attempt++) {
        struct failures first = {0};
        assert_int_equal(cw_parallel_for(4, N, fail_first, &first), CW_EIO);
        all_begun = atomic_load(&first.runs) == N;
    }
    assert_false(all_begun);
}

/* A loop may run inside a task. */
static int nested(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct job *job = new_job(3);
    const int code = cw_parallel_for(3, 50, draw, job);
    uint64_t sum = 0;
    for (size_t i = 0; i < 50; i++) sum += job->results[i];
    free(job);
    uint64_t *sums = context;
    sums[index] = sum;
    return code;
}

static void loops_nest(void **state)
{
    (void)state;
    uint64_t sums[8] = {0};
    assert_int_equal(cw_parallel_for(4, 8, nested, sums), 0);
    for (size_t i = 1; i < 8; i++) assert_int_equal(sums[i], sums[0]);
    assert_int_not_equal(sums[0], 0);
}

static int interrupt_at_7(void *context, size_t index, unsigned thread)
{
    atomic_uint *runs = context;
    (void)thread;
    atomic_fetch_add(runs, 1);
    if (index == 7) cw_interrupt();
    while (index > 7 && !cw_interrupted()) sched_yield();
    return 0;
}

/* What has begun ends; then the loop says that it was interrupted, and no other begins before that is cleared. */
static void interruption_ends_a_loop(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads += 3) {
        atomic_uint runs = 0;
        assert_int_equal(cw_parallel_for(n_threads, N, interrupt_at_7, &runs), CW_EINTERRUPTED);
        assert_string_equal(cw_error_message(), "interrupted");
        /* each other thread may hold an index below 7 whose task it has not begun */
        assert_in_range(atomic_load(&runs), 8 - (n_threads - 1), 8 + n_threads);
        assert_int_equal(cw_interrupt_check(), CW_EINTERRUPTED);
        const unsigned before = atomic_load(&runs);
        assert_int_equal(cw_parallel_for(n_threads, N, interrupt_at_7, &runs), CW_EINTERRUPTED);
        assert_int_equal(atomic_load(&runs), before);
        cw_interrupt_clear();
        assert_int_equal(cw_interrupt_check(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(number_of_threads),
        cmocka_unit_test(lowest_failure_wins),
        cmocka_unit_test(threads_run_side_by_side),
        cmocka_unit_test(rest_is_not_begun),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(interruption_ends_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
