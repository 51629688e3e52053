/* Figures 3 to 6 of the noise papers, of runs with planted slowdowns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "bench_example.h"
#include "study/bench/bench_file.h"
#include "study/papers/noise_paper.h"

static char folder[] = "/tmp/noise-measured-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Writes FILE: RANKS ranks, at ratios 1/4, 1/2 and 3/4, where a split is slowed by SLOWDOWN + GROWTH · ratio. */
static void measure(const char *file, uint32_t ranks, double slowdown, double growth)
{
    struct bench_plan plan = {
        .n_ranks = ranks, .n_splits = 12, .n_samples = 40, .clean = 1e-3, .within = .05, .paired = .02, .seed = ranks};
    struct cw_bench_run run;
    struct cw_bench_writer *writer;
    bench_begin(&plan, &run);
    for (int quarter = 1; quarter < 4; quarter++) {
        plan.ratio = .25 * quarter;
        plan.slowdown = slowdown + growth * plan.ratio;
        bench_add_case(&plan, &run);
    }
    assert_int_equal(cw_bench_writer_open(file, &run, &writer), 0);
    assert_int_equal(cw_bench_writer_close(writer), 0);
    cw_bench_run_free(&run);
}

static struct cw_finding findings[8];
static size_t n_findings;

static int found(void *context, const struct cw_paper *paper, const struct cw_finding *finding)
{
    (void)context, (void)paper;
    findings[n_findings++] = *finding;
    return 0;
}

/* Asks figures 3 to 6 of the RUNS: five claims. */
static void ask(const char *runs)
{
    const struct cw_paper_watcher watcher = {.found = found};
    struct cw_paper_setup setup = {
        .directory = folder, .figures = "3,4,5,6", .runs = runs, .trials = 10, .seed = 1, .watcher = &watcher};
    n_findings = 0;
    assert_int_equal(cw_result_new(&setup.result), 0);
    const int rc = cw_paper_run(&cw_paper_noise, &setup);
    if (rc) fail_msg("%s", cw_error_message());
    cw_result_free(setup.result);
    assert_int_equal(n_findings, 5);
}

static void expect(size_t i, enum cw_verdict verdict, double value, double tolerance, const char *words)
{
    if (findings[i].verdict != verdict || !strstr(findings[i].found, words) ||
        !(fabs(findings[i].value - value) <= tolerance))
        fail_msg("claim %zu holds: %s, %g: %s", i, cw_verdict_names[findings[i].verdict], findings[i].value,
                 findings[i].found);
}

/* Slowdowns of 1 + 4 · ratio on 16 ranks, and of 2 + 4 · ratio on 32. */
static void test_growing(void **state)
{
    (void)state;
    measure("small.csv", 16, 1, 4);
    measure("large.csv", 32, 2, 4);
    ask("large.csv,small.csv");
    expect(0, CW_HOLDS, 5, .1, "6 of 6 cases are slowed; most of all ");
    expect(0, CW_HOLDS, 5, .1, "on 8 of 32 ranks on 32 hosts");
    expect(1, CW_HOLDS, 4, .2, "of 2 straight lines 2 rise and 0 fall");
    expect(2, CW_HOLDS, 3, .1, "at ratio 0.25 allreduce takes");
    expect(3, CW_HOLDS, 4, .1, " at 16 ranks, ");
    expect(4, CW_HOLDS, 4, .8, "in 2 of 2 cases");
}

/* Nobody is slowed down: what differs is chance. Twice the same file is one allocation with twice the splits. */
static void test_none(void **state)
{
    (void)state;
    measure("calm.csv", 16, 1, 0);
    ask("calm.csv,calm.csv");
    assert_int_equal(findings[0].verdict, CW_HOLDS_NOT);
    expect(1, CW_NOT_TESTED, 0, .05, "of 1 straight line 0 rise and 0 fall");
    expect(2, CW_HOLDS_NOT, 1, .02, "at ratio 0.25");
    assert_int_equal(findings[3].verdict, CW_NOT_TESTED);
    assert_non_null(strstr(findings[3].found, "allocations of one size only"));
    expect(4, CW_HOLDS_NOT, 1, .2, "in 0 of 1 cases");
}

/* The more ranks perturb, the less a collective is slowed. */
static void test_falling(void **state)
{
    (void)state;
    measure("falling.csv", 16, 5, -4);
    ask("falling.csv");
    expect(1, CW_HOLDS_NOT, -4, .2, "0 rise and 1 fall");
}

/* Larger allocations suffer less, or no more than chance has it. */
static void test_shrinking(void **state)
{
    (void)state;
    measure("small.csv", 16, 3, 0);
    measure("large.csv", 32, 2, 0);
    ask("small.csv,large.csv");
    expect(3, CW_HOLDS_NOT, 2, .05, " at 16 ranks, 2.00 at 32 ranks");
    measure("large.csv", 32, 3, 0);
    ask("small.csv,large.csv");
    expect(3, CW_NOT_TESTED, 3, .1, "which intervals do not tell apart");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_falling),
        cmocka_unit_test(test_shrinking),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
