/* Saved repetitions of the overlap benchmark: reading, medians, and what is found of the paper's figure 7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "paper_example.h"
#include "study/papers/split_tree_points.h"

#define HEADER                                                                                                         \
    "mpi,processors,operation,bytes,beside,ranks,cores,method,repetition,pure,compute,total,init,overlap_imb,"         \
    "overlap_osu\n"

static int read_text(const char *text, struct cw_overlap_runs *runs)
{
    char path[] = "/tmp/cw_runs_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    const int rc = cw_overlap_runs_read(path, runs);
    unlink(path);
    return rc;
}

static void test_medians(void **state)
{
    (void)state;
    struct cw_overlap_runs runs;
    assert_int_equal(read_text(HEADER "MPICH 4.0.2,8,reduce,1024,cpu,6,2,auto,0,3,1,5,0,90,\n"
                                      "MPICH 4.0.2,8,reduce,1024,cpu,7,1,auto,0,9,9,9,0,90,\n"
                                      "MPICH 4.0.2,8,reduce,1024,cpu,6,2,native,0,9,9,8,0,90,\n"
                                      "MPICH 4.0.2,8,reduce,1024,cpu,6,2,auto,1,2,4,9,0,90,\n"
                                      "MPICH 4.0.2,8,reduce,1024,cpu,6,2,auto,2,1,2,6,0,90,\n",
                               &runs),
                     0);
    assert_int_equal(runs.n, 3);
    assert_true(runs.items[0].repetitions == 3 && runs.items[1].repetitions == 1);
    assert_true(runs.items[0].total.value == 6 && runs.items[0].pure.value == 2 && runs.items[0].compute.value == 2);
    assert_true(runs.items[0].ranks == 6 && runs.items[0].cores == 2 && runs.items[0].bytes == 1024);
    assert_string_equal(runs.items[2].method, "native");
    assert_true(cw_overlap_is_native(&runs.items[2]) && !cw_overlap_is_native(&runs.items[0]));
    cw_overlap_runs_free(&runs);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "is empty"},
                 {"mpi,processors\n", ":1: "},
                 {HEADER "a,1,b,1,cpu,2,1,auto,0,1,1,1,0,1\n", ":2: "},
                 {HEADER "a,1,b,1,cpu,2,1,auto,0,1,1,1,0,1,1,1\n", ":2: "},
                 {HEADER "a,1,b,1,cpu,1,1,auto,0,1,1,1,0,1,1\n", ":2: "},
                 {HEADER "a,1,b,1,cpu,2,1,auto,0,1,1,x,0,1,1\n", ":2: "},
                 {HEADER "a,1,b,1,cpu,2,1,auto,0,1,1,inf,0,1,1\n", ":2: "},
                 {HEADER "a,1,b,1,cpu,2,1,,0,1,1,1,0,1,1\n", ":2: "}};
    struct cw_overlap_runs runs;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_text(cases[i].text, &runs), CW_EPARSE);
        assert_non_null(strstr(cw_error_message(), cases[i].message));
    }
    assert_int_equal(cw_overlap_runs_read("/nowhere/runs.csv", &runs), CW_EIO);
}

#define POINT(MPI, RANKS, METHOD, COMPUTE, TOTAL)                                                                      \
    {                                                                                                                  \
        .mpi = MPI, .operation = "reduce", .beside = "cpu", .method = METHOD, .processors = 8, .ranks = RANKS,         \
        .compute = {.value = COMPUTE}, .total = {                                                                      \
            .value = TOTAL                                                                                             \
        }                                                                                                              \
    }

static void find(struct cw_overlap_point *points, size_t n, enum cw_verdict faster, enum cw_verdict async,
                 enum cw_verdict trade_off)
{
    const struct cw_overlap_runs runs = {points, n};
    const struct cw_split_measured of = {&runs, "reduce"};
    const enum cw_verdict expected[] = {faster, async, trade_off};
    for (size_t i = 0; i < 3; i++)
        check_claim(&cw_paper_split_tree, CW_SPLIT_FIG7, i, &of, expected[i], INFINITY, "reduce");
}

static void test_findings(void **state)
{
    (void)state;
    struct cw_overlap_point points[] = {POINT("A", 6, "native", 1, 3),         POINT("A", 6, "slices:1", 1, 1.5),
                                        POINT("A", 6, "native-async", 1.1, 4), POINT("A", 8, "native", 1, 2),
                                        POINT("A", 8, "auto", 1, 1.8),         POINT("B", 6, "native", 1, 1.4),
                                        POINT("B", 6, "auto", 1, 1.6),         POINT("B", 6, "native-async", 2, 9)};
    find(points, 5, CW_HOLDS, CW_HOLDS, CW_HOLDS);
    find(points, 7, CW_HOLDS_IN_PART, CW_HOLDS, CW_HOLDS); /* B's native is the better one, with 6 ranks */
    find(points + 5, 2, CW_HOLDS_NOT, CW_NOT_TESTED, CW_NOT_TESTED);
    find(points + 5, 3, CW_HOLDS_NOT, CW_NOT_TESTED, CW_NOT_TESTED); /* another computation */
    find(points, 1, CW_NOT_TESTED, CW_NOT_TESTED, CW_NOT_TESTED);
    points[4].total.value = 1;
    find(points, 5, CW_HOLDS, CW_HOLDS, CW_HOLDS_NOT); /* all cores are best */
    points[2].total.value = 2;
    find(points, 5, CW_HOLDS, CW_HOLDS_NOT, CW_HOLDS_NOT);
    for (size_t i = 0; i < 5; i++) strcpy(points[i].beside, "accelerator");
    find(points, 5, CW_HOLDS, CW_HOLDS_NOT, CW_NOT_TESTED);
}

/* A short message takes less than a long one, with however many ranks. */
static void test_best_of_one_size(void **state)
{
    (void)state;
    struct cw_overlap_point points[] = {POINT("A", 8, "auto", 1, 0.1), POINT("A", 6, "auto", 1, 1.5),
                                        POINT("A", 8, "auto", 1, 1.8)};
    points[0].bytes = 32 << 10;
    points[1].bytes = points[2].bytes = 2 << 20;
    find(points, 3, CW_NOT_TESTED, CW_NOT_TESTED, CW_HOLDS);
    find(points, 2, CW_NOT_TESTED, CW_NOT_TESTED, CW_NOT_TESTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_medians), cmocka_unit_test(test_malformed),
                                       cmocka_unit_test(test_findings), cmocka_unit_test(test_best_of_one_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
