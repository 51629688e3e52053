/* Trials of one process of several: blocks that are handed out, and when the next is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <time.h>

#include "base/stopwatch.h"
#include "study/trial_queue.h"

/* Every trial once and in order; half of a process's share at most, at last one by one. */
static void test_blocks(void **state)
{
    (void)state;
    size_t next = 0;
    for (size_t left = 1000; left > 0;) {
        const struct cw_trial_block block = cw_trial_block_next(1000, 5, 40, &next);
        const size_t share = left / 10, expected = share > 40 ? 40 : share > 0 ? share : 1;
        assert_true(block.first == 1000 - left && block.end == block.first + expected && next == block.end);
        left -= expected;
    }
    const struct cw_trial_block none = cw_trial_block_next(1000, 5, 40, &next);
    assert_true(none.first == none.end && next == 1000);
    next = 0;
    assert_int_equal(cw_trial_block_next(1000, 1, 0, &next).end, 1);
}

/* What N threads want that have run DONE trials in SECONDS and have LEFT more; WAITS: one of them has none. */
static size_t wanted(size_t done, double seconds, size_t left, unsigned n_threads, bool waits)
{
    struct cw_trial_queue queue;
    cw_trial_queue_begin(&queue, n_threads);
    queue.done = done;
    queue.begun = cw_stopwatch_now() - seconds;
    queue.now = (struct cw_trial_block){7, 7 + left};
    queue.waiting = waits;
    const size_t first = cw_trial_queue_wants(&queue);
    if (first > 0) assert_int_equal(cw_trial_queue_wants(&queue), 0); /* they are on their way */
    cw_trial_queue_end(&queue);
    return first;
}

static void test_wanted(void **state)
{
    (void)state;
    assert_int_equal(wanted(0, 0, 0, 4, true), 4); /* nobody knows how long one takes */
    assert_int_equal(wanted(0, 0, 0, 4, false), 0);
    /* 1000 a second: 50 in 50 ms, but not more than twice what has run; 5 in 5 ms are enough for the moment */
    const size_t n = wanted(100000, 100, 3, 4, false);
    assert_true(n >= 45 && n <= 50);
    assert_int_equal(wanted(100000, 100, 6, 4, false), 0);
    assert_true(wanted(2, 1e-6, 0, 4, false) <= 4);
    /* one a second, on four threads: only who waits is given one */
    assert_int_equal(wanted(100, 100, 0, 4, false), 0);
    assert_int_equal(wanted(100, 100, 0, 4, true), 1);
    /* 60 a second on four threads: dear; 100 a second are not */
    assert_int_equal(wanted(6000, 100, 0, 4, false), 0);
    assert_true(wanted(10000, 100, 0, 4, false) >= 4);
}

static void test_nothing_wanted(void **state)
{
    (void)state;
    struct cw_trial_queue queue;
    cw_trial_queue_begin(&queue, 2);
    queue.waiting = 1;
    cw_trial_queue_put(&queue, (struct cw_trial_block){3, 4});
    assert_int_equal(cw_trial_queue_wants(&queue), 0); /* one is there */
    queue.next = (struct cw_trial_block){0, 0};
    assert_int_equal(cw_trial_queue_wants(&queue), 2);
    cw_trial_queue_put(&queue, (struct cw_trial_block){0, 0});
    cw_trial_queue_close(&queue);
    assert_int_equal(cw_trial_queue_wants(&queue), 0);
    queue.over = false;
    assert_int_equal(cw_trial_queue_wants(&queue), 2);
    queue.asked = false;
    assert_false(cw_trial_queue_finished(&queue));
    cw_trial_queue_finish(&queue);
    assert_true(cw_trial_queue_finished(&queue));
    assert_int_equal(cw_trial_queue_wants(&queue), 0);
    cw_trial_queue_end(&queue);
}

enum { THREADS = 3, TRIALS = 200 };

struct share {
    struct cw_trial_queue queue;
    pthread_mutex_t lock;
    unsigned times[TRIALS];
};

static void *work(void *context)
{
    struct share *share = context;
    size_t trial;
    while (share->queue.handout.next(&share->queue.handout, &trial)) {
        pthread_mutex_lock(&share->lock);
        share->times[trial]++;
        pthread_mutex_unlock(&share->lock);
        share->queue.handout.done(&share->queue.handout);
    }
    return NULL;
}

/* Three threads, as long as there are trials; the main thread brings every other one, which is its share. */
static void test_threads(void **state)
{
    (void)state;
    static struct share share = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS];
    cw_trial_queue_begin(&share.queue, THREADS);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, work, &share), 0);
    for (size_t next = 0; next < TRIALS;) {
        cw_trial_queue_wait(&share.queue, 0.1);
        const size_t n = cw_trial_queue_wants(&share.queue);
        if (n == 0) continue;
        const struct cw_trial_block block = cw_trial_block_next(TRIALS, 2, n, &next);
        cw_trial_queue_put(&share.queue, block);
        next += next < TRIALS; /* of another process */
    }
    while (cw_trial_queue_wants(&share.queue) == 0) cw_trial_queue_wait(&share.queue, 0.1);
    cw_trial_queue_close(&share.queue);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    size_t sum = 0;
    for (size_t i = 0; i < TRIALS; i++) {
        assert_true(share.times[i] <= 1);
        sum += share.times[i];
    }
    assert_true(sum > 0 && sum < TRIALS && cw_trial_queue_done(&share.queue) == sum);
    cw_trial_queue_finish(&share.queue);
    cw_trial_queue_end(&share.queue);
}

/* Who brings trials sleeps as long as nobody wants any and the threads have not ended, also across a second's end. */
static void test_waiting(void **state)
{
    (void)state;
    struct cw_trial_queue queue;
    cw_trial_queue_begin(&queue, 2);
    for (int i = 0; i < 4; i++) {
        const double before = cw_stopwatch_now();
        cw_trial_queue_wait(&queue, 0.3);
        assert_true(cw_stopwatch_now() - before > 0.29);
    }
    double before = cw_stopwatch_now();
    queue.waiting = 1; /* a thread wants some */
    cw_trial_queue_wait(&queue, 0.9);
    queue.waiting = 0;
    cw_trial_queue_finish(&queue);
    cw_trial_queue_wait(&queue, 0.9);
    assert_true(cw_stopwatch_now() - before < 0.89);
    cw_trial_queue_end(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_wanted),
                                       cmocka_unit_test(test_nothing_wanted), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_waiting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
