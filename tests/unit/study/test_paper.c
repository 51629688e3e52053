/* The loop of published experiments: each point once, the dear ones first, figure after figure; what fails or is
 * stopped leaves what was done before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
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
    int code;                     /* of what fails; 0: CW_ELIMIT */
    bool unmade;                  /* what is made without points fails after its first claim */
    enum cw_verdict verdict;      /* of all claims */
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
    if (point->number == seen.fails) return cw_fail(seen.code ? seen.code : CW_ELIMIT, "planted");
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
    return cw_find(finding, seen.verdict, (double)n, "%zu", n);
}

static int draw(struct cw_paper_run *run, size_t figure)
{
    static const char *const paths[] = {"/nowhere/planted/a.svg", "/nowhere/planted/b.svg", "/nowhere/planted/c.svg"};
    assert_int_equal(seen.claims[figure], figure == 0 ? 2 : 1);
    seen.drawn[figure]++;
    return cw_paper_drawn(run, figure == seen.refuses ? cw_fail(CW_EIO, "no ink") : 0, paths[figure]);
}

static const struct cw_paper_claim claims[] = {{"so it is", "points", find}, {"and so", NULL, find}},
                                   corrected[] = {{"as printed", NULL, find},
                                                  {"once put right", NULL, find, .correction = "x is y"}};
static const struct cw_paper_figure figures[] = {{"4", "a", NULL, claims, 2},
                                                 {"two", "b", NULL, claims, 1},
                                                 {"7", "c", NULL, claims, 1},
                                                 {.name = "8"},
                                                 {.name = NULL}};
static const struct cw_column columns[] = {{"number", CW_COLUMN_INT, NULL, "of the point"}};
static const char *const remarks[] = {"Nothing.", NULL};
static const struct cw_paper_option takes[] = {{.name = NULL}};
static const struct cw_paper paper = {.name = "planted",
                                      .source = "Nobody.",
                                      .remarks = remarks,
                                      .written = "all.",
                                      .takes = takes,
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

static int make(struct cw_paper_run *run, size_t figure)
{
    struct cw_points none = {.size = sizeof(struct point)};
    const int rc = cw_paper_tell(run, figure, 0, 1, &none);
    if (rc || seen.unmade) return rc ? rc : cw_fail(CW_EIO, "unmade");
    return cw_paper_tell(run, figure, 1, 1, &none);
}

static const struct cw_paper_figure made[] = {{"table1", "d", "Table 1", corrected, 2, make}, {.name = NULL}};
static const struct cw_paper made_paper = {
    .name = "made", .source = "Nobody else.", .remarks = remarks, .written = "all.", .takes = takes, .figures = made};

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

/* --- all of them -------------------------------------------------------------------------------------------------- */

struct everything {
    struct cw_result *result;
    json_t *page;
    bool whole;
};

static int run_all(struct seen planted, struct everything *out)
{
    static const struct cw_paper *const papers[] = {&paper, &made_paper, NULL};
    struct cw_text page = {0};
    seen = planted;
    assert_int_equal(cw_result_new(&out->result), 0);
    const struct cw_paper_setup setup = {
        .directory = "/nowhere", .n_threads = 1, .sizes = CW_SIZES_SMALL, .result = out->result};
    const int rc = cw_papers_run(papers, &setup, &page, &out->whole);
    out->page = page.data ? json_loads(page.data, 0, NULL) : NULL;
    cw_text_free(&page);
    return rc;
}

static void everything_free(struct everything *all)
{
    cw_result_free(all->result);
    json_decref(all->page);
}

/* The rows of table TABLE are, in COLUMN, EXPECTED, which ends with NULL. */
static void check_column(const struct everything *all, const char *table_name, const char *column,
                         const char *const *expected)
{
    const struct cw_table *table = cw_result_find_table(all->result, table_name);
    size_t n = 0;
    assert_non_null(table);
    for (; expected[n]; n++) {
        assert_true(n < cw_table_rows(table));
        const char *text = cw_table_cell_text(table, n, cw_table_find_column(table, column));
        assert_string_equal(text ? text : "-", expected[n]);
    }
    assert_int_equal(cw_table_rows(table), n);
}

#define EXPECT(TABLE, COLUMN, ...) check_column(&all, TABLE, COLUMN, (const char *const[]){__VA_ARGS__, NULL})

static json_t *figure_of(const struct everything *all, size_t experiment, size_t figure)
{
    return json_array_get(json_object_get(json_array_get(all->page, experiment), "figures"), figure);
}

static void test_all_hold(void **state)
{
    (void)state;
    struct everything all;
    assert_int_equal(run_all(nothing, &all), 0);
    assert_true(all.whole);
    EXPECT("claims", "experiment", "planted", "planted", "planted", "planted", "made", "made");
    EXPECT("claims", "figure", "4", "4", "two", "7", "table1", "table1");
    EXPECT("claims", "holds", "yes", "yes", "yes", "yes", "yes", "corrected");
    EXPECT("claims", "correction", "-", "-", "-", "-", "-", "x is y");
    EXPECT("pictures", "picture", "planted/a.svg", "planted/b.svg", "planted/c.svg");
    EXPECT("pictures", "figure", "4", "two", "7");
    assert_int_equal(json_array_size(all.page), 2);
    const json_t *figure = figure_of(&all, 0, 1), *last = figure_of(&all, 1, 0);
    assert_string_equal(json_string_value(json_object_get(figure, "title")), "Experiment two");
    assert_string_equal(json_string_value(json_object_get(last, "title")), "Table 1");
    assert_int_equal(json_array_size(json_object_get(figure, "claims")), 1);
    assert_int_equal(json_array_size(json_object_get(figure, "pictures")), 1);
    assert_int_equal(json_array_size(json_object_get(last, "claims")), 2);
    assert_int_equal(json_array_size(json_object_get(last, "pictures")), 0);
    everything_free(&all);
}

/* What does not hold, or cannot be tested, is a result, too. */
static void test_all_verdicts(void **state)
{
    (void)state;
    for (enum cw_verdict verdict = CW_HOLDS_IN_PART; verdict <= CW_NOT_TESTED; verdict++) {
        struct everything all;
        struct seen planted = nothing;
        planted.verdict = verdict;
        assert_int_equal(run_all(planted, &all), 0);
        assert_true(all.whole);
        const char *word = cw_verdict_names[verdict];
        EXPECT("claims", "holds", word, word, word, word, word, word);
        EXPECT("claims", "correction", "-", "-", "-", "-", "-", "-");
        everything_free(&all);
    }
}

/* A point, a picture, and what is made without points: each ends its figure, and no other. */
static void test_all_go_on(void **state)
{
    (void)state;
    struct everything all;
    struct seen planted = nothing;
    planted.fails = 1;
    planted.refuses = 1;
    planted.unmade = true;
    assert_int_equal(run_all(planted, &all), 0);
    assert_false(all.whole);
    EXPECT("claims", "figure", "4", "4", "two", "7", "table1", "table1");
    EXPECT("claims", "holds", "failed", "failed", "yes", "yes", "yes", "failed");
    EXPECT("claims", "found", "planted", "planted", "1", "5", "0", "unmade");
    EXPECT("pictures", "picture", "planted/c.svg");
    everything_free(&all);
    planted = nothing; /* all claims hold, but one picture is missing */
    planted.refuses = 2;
    assert_int_equal(run_all(planted, &all), 0);
    assert_false(all.whole);
    EXPECT("claims", "holds", "yes", "yes", "yes", "yes", "yes", "corrected");
    everything_free(&all);
}

/* What ends all keeps what was there. */
static void test_all_end(void **state)
{
    (void)state;
    struct everything all;
    struct seen planted = nothing;
    planted.stops = 3;
    assert_int_equal(run_all(planted, &all), CW_EINTERRUPTED);
    cw_interrupt_clear();
    EXPECT("claims", "figure", "4", "4", "two");
    EXPECT("pictures", "picture", "planted/a.svg", "planted/b.svg");
    assert_int_equal(json_array_size(json_object_get(figure_of(&all, 0, 0), "claims")), 2);
    assert_null(figure_of(&all, 0, 2));
    everything_free(&all);
    planted = nothing;
    planted.fails = 3;
    planted.code = CW_ENOMEM;
    assert_int_equal(run_all(planted, &all), CW_ENOMEM);
    EXPECT("claims", "figure", "4", "4");
    everything_free(&all);
}

static int mute(void **state)
{
    (void)state;
    cw_files_mute();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),        cmocka_unit_test(test_chosen),    cmocka_unit_test(test_failure),
        cmocka_unit_test(test_interrupted),  cmocka_unit_test(test_refused),   cmocka_unit_test(test_all_hold),
        cmocka_unit_test(test_all_verdicts), cmocka_unit_test(test_all_go_on), cmocka_unit_test(test_all_end)};
    return cmocka_run_group_tests(tests, mute, NULL);
}
