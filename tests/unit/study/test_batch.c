/* Points of figures side by side: each once, the dear ones first, figure after figure; what fails or is stopped leaves
 * what was done before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "../block_executor.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "study/papers/batch.h"

enum { POINTS = 9 };
static const int figures[POINTS] = {4, 4, 4, 2, 7, 7, 7, 7, 7};
static const double costs[POINTS] = {1, 3, 3, 9, 5, 1, 7, 1, 2};

struct seen {
    int computed[POINTS];
    size_t order[POINTS], n_begun, n_after;
    struct {
        size_t first, n, computed;
        bool complete;
    } after[4];
    size_t fails, stops; /* the point that fails, and the one that is interrupted; POINTS: none */
    size_t refuses;      /* the call of after that fails */
    bool blocks;         /* an executor runs them */
};

static int figure_of(void *context, size_t point)
{
    (void)context;
    return figures[point];
}

static double cost_of(void *context, size_t point)
{
    (void)context;
    return costs[point];
}

static int compute(void *context, size_t point, void *outcome)
{
    struct seen *seen = context;
    *(size_t *)outcome = point + 1;
    if (point == seen->fails) return cw_fail(CW_ELIMIT, "planted");
    if (point == seen->stops) cw_interrupt();
    return 0;
}

static void keep(void *context, size_t point, const void *outcome)
{
    struct seen *seen = context;
    assert_int_equal(*(const size_t *)outcome, point + 1);
    seen->computed[point]++;
}

static void before(void *context, size_t begun, size_t point)
{
    struct seen *seen = context;
    assert_int_equal(begun, seen->n_begun + 1);
    seen->order[seen->n_begun++] = point;
}

static int after(void *context, size_t first, size_t n, bool complete)
{
    struct seen *seen = context;
    size_t computed = 0;
    for (size_t i = first; i < first + n; i++) computed += (size_t)seen->computed[i];
    seen->after[seen->n_after].first = first;
    seen->after[seen->n_after].n = n;
    seen->after[seen->n_after].computed = computed;
    seen->after[seen->n_after].complete = complete;
    return seen->n_after++ == seen->refuses ? CW_EIO : 0;
}

static int run(struct seen *seen, unsigned n_threads)
{
    const struct cw_figure_points batches = {.n = POINTS,
                                             .figure_of = figure_of,
                                             .cost_of = cost_of,
                                             .outcome_size = sizeof(size_t),
                                             .compute = compute,
                                             .keep = keep,
                                             .context = seen};
    struct block_executor blocks = block_executor(3);
    const struct cw_figure_study study = {.n_threads = n_threads,
                                          .executor = seen->blocks ? &blocks.executor : NULL,
                                          .before = before,
                                          .after = after,
                                          .context = seen};
    return cw_figure_points_run(&study, &batches);
}

static void check_after(const struct seen *seen, size_t i, size_t first, size_t n, size_t computed, bool complete)
{
    assert_true(seen->n_after > i);
    assert_int_equal(seen->after[i].first, first);
    assert_int_equal(seen->after[i].n, n);
    assert_int_equal(seen->after[i].computed, computed);
    assert_int_equal(seen->after[i].complete, complete);
}

static void test_order(void **state)
{
    (void)state;
    static const size_t expected[POINTS] = {1, 2, 0, 3, 6, 4, 8, 5, 7};
    struct seen seen = {.fails = POINTS, .stops = POINTS, .refuses = POINTS};
    assert_int_equal(run(&seen, 1), 0);
    assert_memory_equal(seen.order, expected, sizeof expected);
    for (unsigned threads = 1; threads <= 8; threads++) {
        seen = (struct seen){.fails = POINTS, .stops = POINTS, .refuses = POINTS, .blocks = threads > 4};
        assert_int_equal(run(&seen, threads), 0);
        assert_int_equal(seen.n_begun, POINTS);
        assert_int_equal(seen.n_after, 3);
        check_after(&seen, 0, 0, 3, 3, true);
        check_after(&seen, 1, 3, 1, 1, true);
        check_after(&seen, 2, 4, 5, 5, true);
    }
}

/* The point before the last of figure 7: its error is told, and what was done stays. */
static void test_failure(void **state)
{
    (void)state;
    struct seen seen = {.fails = 5, .stops = POINTS, .refuses = POINTS};
    assert_int_equal(run(&seen, 1), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "planted");
    assert_int_equal(seen.n_after, 3);
    check_after(&seen, 2, 4, 5, 3, false);
    assert_int_equal(seen.n_begun, 8);
}

static void test_interrupted(void **state)
{
    (void)state;
    struct seen seen = {.fails = POINTS, .stops = 2, .refuses = POINTS};
    const int error = run(&seen, 1);
    cw_interrupt_clear();
    assert_int_equal(error, CW_EINTERRUPTED);
    assert_int_equal(seen.n_after, 1);
    check_after(&seen, 0, 0, 3, 2, false);
}

/* A figure that cannot be written ends the study. */
static void test_refused(void **state)
{
    (void)state;
    struct seen seen = {.fails = POINTS, .stops = POINTS, .refuses = 1};
    assert_int_equal(run(&seen, 2), CW_EIO);
    assert_int_equal(seen.n_after, 2);
    assert_int_equal(seen.n_begun, 4);
    const struct cw_figure_points none = {.n = 0};
    assert_int_equal(cw_figure_points_run(&(struct cw_figure_study){.n_threads = 1}, &none), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_failure),
                                       cmocka_unit_test(test_interrupted), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
