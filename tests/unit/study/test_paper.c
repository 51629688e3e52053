/* The loop of published experiments: each point once, the dear ones first, figure after figure; what fails or is
 * stopped leaves what was done before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "../block_executor.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "study/papers/paper.h"

enum { POINTS = 9, FIGURES = 3 };
static const size_t of_figure[POINTS] = {0, 0, 0, 1, 2, 2, 2, 2, 2};
static const double costs[POINTS] = {1, 3, 3, 9, 5, 1, 7, 1, 2};

struct point {
    struct cw_point point;
    size_t number;
    const char *own; /* leads nowhere in another process */
    /* results */
    size_t outcome;
};

static struct seen {
    atomic_size_t begun;
    size_t order[POINTS], rows[FIGURES], sums[FIGURES], claims[FIGURES], drawn[FIGURES];
    size_t fails, stops, refuses; /* the point that fails, the one that is interrupted, the figure that is not drawn */
} seen;

static int add(struct cw_paper_run *run, size_t figure)
{
    for (size_t i = 0; i < POINTS; i++) {
        const struct point point = {.point = {.figure = figure, .cost = costs[i]}, .number = i, .own = "here"};
        if (of_figure[i] == figure && !cw_points_add(&run->points, &point)) return CW_ENOMEM;
    }
    return 0;
}

static int compute(const struct cw_paper_run *run, void *space)
{
    struct point *point = space;
    (void)run;
    assert_false(point->point.done);
    seen.order[atomic_fetch_add(&seen.begun, 1)] = point->number;
    point->outcome = point->number + 1;
    point->own = NULL;
    if (point->number == seen.fails) return cw_fail(CW_ELIMIT, "planted");
    if (point->number == seen.stops) cw_interrupt();
    return 0;
}

static void rows(const struct cw_paper_run *run, struct cw_table *table, const void *of)
{
    const struct point *point = of;
    (void)run;
    assert_string_equal(point->own, "here");
    assert_int_equal(point->outcome, point->number + 1);
    seen.rows[point->point.figure]++;
    cw_table_int(table, (int64_t)point->number);
}

static void sum(struct cw_paper_run *run, size_t figure)
{
    (void)run;
    assert_int_equal(seen.claims[figure], 0);
    seen.sums[figure]++;
}

static int find(const void *points, struct cw_finding *finding)
{
    size_t at = 0, n = 0;
    while (cw_points_next(points, finding->index, &at)) n++;
    seen.claims[finding->index]++;
    return cw_find(finding, CW_HOLDS, (double)n, "%zu", n);
}

static int draw(struct cw_paper_run *run, size_t figure)
{
    (void)run;
    assert_int_equal(seen.claims[figure], figure == 0 ? 2 : 1);
    seen.drawn[figure]++;
    return figure == seen.refuses ? CW_EIO : 0;
}

static const struct cw_paper_claim claims[] = {{"so it is", "points", find}, {"and so", NULL, find}};
static const struct cw_paper_figure figures[] = {{"4", "a", NULL, claims, 2},
                                           {"two", "b", NULL, claims, 1},
                                           {"7", "c", NULL, claims, 1},
                                           {.name = "8"},
                                           {.name = NULL}};
static const struct cw_column columns[] = {{"number", CW_COLUMN_INT, NULL, "of the point"}};
static const char *const remarks[] = {"Nothing.", NULL};
static const struct cw_paper paper = {.name = "planted",
                                      .source = "Nobody.",
                                      .remarks = remarks,
                                      .written = "all.",
                                      .figures = figures,
                                      .point_size = sizeof(struct point),
                                      .results = offsetof(struct point, outcome),
                                      .add = add,
                                      .compute = compute,
                                      .columns = columns,
                                      .n_columns = 1,
                                      .rows = rows,
                                      .sum = sum,
                                      .draw = draw};

/* Runs FIGURES and gives the rows of the claims' table. */
static int run(const char *which, unsigned n_threads, bool blocks, struct seen planted, size_t *n_claims)
{
    struct block_executor executor = block_executor(3);
    struct cw_result *result;
    seen = planted;
    assert_int_equal(cw_result_new(&result), 0);
    const struct cw_paper_setup setup = {.directory = "/nowhere",
                                         .figures = which,
                                         .n_threads = n_threads,
                                         .executor = blocks ? &executor.executor : NULL,
                                         .result = result};
    const int rc = cw_paper_run(&paper, &setup);
    *n_claims = cw_result_tables(result) > 0 ? cw_table_rows(cw_result_table(result, 0)) : 0;
    if (cw_result_tables(result) > 0)
        assert_int_equal(cw_table_expected(cw_result_table(result, 0)), strcmp(which, "8,4") == 0 ? 3 : 4);
    cw_result_free(result);
    return rc;
}

static const struct seen nothing = {.fails = POINTS, .stops = POINTS, .refuses = FIGURES};

static void test_order(void **state)
{
    (void)state;
    static const size_t expected[POINTS] = {1, 2, 0, 3, 6, 4, 8, 5, 7}, points[FIGURES] = {3, 1, 5};
    size_t n_claims;
    assert_int_equal(run("all", 1, false, nothing, &n_claims), 0);
    assert_memory_equal(seen.order, expected, sizeof expected);
    for (unsigned threads = 1; threads <= 8; threads++) {
        assert_int_equal(run("all", threads, threads > 4, nothing, &n_claims), 0);
        assert_int_equal(seen.begun, POINTS);
        assert_int_equal(n_claims, 4);
        for (size_t i = 0; i < FIGURES; i++)
            assert_true(seen.rows[i] == points[i] && seen.sums[i] == 1 && seen.drawn[i] == 1);
    }
}

/* Another name of the figure before stands for that one; each is computed once. */
static void test_chosen(void **state)
{
    (void)state;
    size_t n_claims;
    assert_int_equal(run("8,4", 1, false, nothing, &n_claims), 0);
    assert_true(seen.begun == 8 && n_claims == 3 && seen.rows[1] == 0 && seen.rows[2] == 5);
    assert_int_equal(run("4,9", 1, false, nothing, &n_claims), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "4, two, 7, 8"));
    assert_int_equal(run("", 1, false, nothing, &n_claims), CW_EUSAGE);
}

/* The point before the last of figure 7: its error is told, and what was done stays. */
static void test_failure(void **state)
{
    (void)state;
    struct seen planted = nothing;
    size_t n_claims;
    planted.fails = 5;
    assert_int_equal(run("all", 1, false, planted, &n_claims), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "planted");
    assert_int_equal(seen.begun, 8);
    assert_true(seen.rows[2] == 3 && seen.sums[2] == 0 && seen.drawn[1] == 1 && seen.drawn[2] == 0 && n_claims == 3);
}

static void test_interrupted(void **state)
{
    (void)state;
    struct seen planted = nothing;
    size_t n_claims;
    planted.stops = 2;
    const int error = run("all", 1, false, planted, &n_claims);
    cw_interrupt_clear();
    assert_int_equal(error, CW_EINTERRUPTED);
    assert_true(seen.rows[0] == 2 && seen.rows[1] == 0 && n_claims == 0 && seen.drawn[0] == 0);
}

/* A figure that cannot be drawn ends the run; its claims are told. */
static void test_refused(void **state)
{
    (void)state;
    struct seen planted = nothing;
    size_t n_claims;
    planted.refuses = 1;
    assert_int_equal(run("all", 2, false, planted, &n_claims), CW_EIO);
    assert_true(seen.begun == 4 && n_claims == 3 && seen.rows[2] == 0);
}

static int mute(void **state)
{
    (void)state;
    cw_files_mute();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_chosen),
                                       cmocka_unit_test(test_failure), cmocka_unit_test(test_interrupted),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, mute, NULL);
}
