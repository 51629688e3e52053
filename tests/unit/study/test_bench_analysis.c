/* What runs of the noise benchmark say, of planted times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "bench_example.h"
#include "study/bench/bench_report.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance * fabs(expected);
}

/* Adds a block of N calls of TIMES [s] on split SPLIT of ten ranks, of which rank SPLIT perturbs. */
static void add_block(struct cw_bench_run *run, uint32_t split, enum cw_bench_state state, double goodput,
                      const double *times, size_t n)
{
    const struct cw_bench_case one = {"allreduce", 8, 0, "permutation", 10 << 20, 0.1};
    struct cw_bench_block block = {.state = state, .goodput = goodput, .clock_error = 1e-6 * (split + 1)};
    struct cw_bench_sample samples[64];
    uint8_t roles[10];
    memset(roles, CW_BENCH_APPLICATION, sizeof roles);
    roles[split] = CW_BENCH_PERTURBING;
    for (size_t i = 0; i < n; i++) samples[i] = (struct cw_bench_sample){.time = times[i]};
    must(cw_bench_run_case(run, &one, &block.case_index));
    must(cw_bench_run_split(run, roles, &block.split));
    must(cw_bench_run_block(run, &block, samples, n));
}

static const struct bench_plan ten_ranks = {.n_ranks = 10};

/* Splits whose ratios are 2, 1.5, 4, 3, 1, 5, 2.5: their median, 2.5, is neither the ratio of medians, 3, nor any mean.
 */
static void test_paired(void **state)
{
    (void)state;
    static const double clean[] = {2, 4, 1, 1, 6, 0.6, 2}, perturbed[] = {4, 6, 4, 3, 6, 3, 5};
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    bench_begin(&ten_ranks, &run);
    for (uint32_t s = 0; s < 7; s++) {
        const double calm[] = {0.9 * clean[s], clean[s], 7 * clean[s]};
        const double rough[] = {9 * perturbed[s], perturbed[s], 0.5 * perturbed[s]};
        add_block(&run, s, CW_BENCH_CLEAN, (double)NAN, calm, 3);
        add_block(&run, s, CW_BENCH_PERTURBED, s < 4 ? 1e8 : 4e8, rough, 3);
    }
    must(cw_bench_analyse(&run, 1, &analysis));
    assert_int_equal(analysis.n_cases, 1);
    const struct cw_bench_summary *summary = &analysis.cases[0];
    const struct cw_bench_effect *effect = &summary->effects[CW_BENCH_PERTURBED];
    assert_int_equal(effect->n, 7);
    assert_true(near(effect->ratio.value, 2.5, 1e-12) && near(effect->q25, 1.75, 1e-12) &&
                near(effect->q75, 3.5, 1e-12));
    assert_true(effect->ratio.low >= 1 && effect->ratio.low < 2.5 && effect->ratio.high <= 5 &&
                effect->ratio.high > 2.5);
    assert_true(summary->times[CW_BENCH_CLEAN].median.value == 2 &&
                summary->times[CW_BENCH_PERTURBED].median.value == 4);
    assert_true(summary->times[CW_BENCH_CLEAN].median.low == 0.6 && summary->times[CW_BENCH_CLEAN].median.high == 6);
    /* Pairs of medians, not of calls. */
    double u = 0;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++) u += perturbed[i] > clean[k] ? 1 : perturbed[i] == clean[k] ? 0.5 : 0;
    assert_true(effect->test.u == u);
    assert_true(effect->paired_test.n == 6 &&
                effect->paired_test.v == 21); /* all slowed down, but for one as long as clean */
    assert_true(near(effect->paired_test.p, 2.0 / 64, 1e-12));
    /* Rates are averaged harmonically. */
    assert_true(near(summary->times[CW_BENCH_PERTURBED].goodput, 7 / (4 / 1e8 + 3 / 4e8), 1e-12));
    assert_true(isnan(summary->times[CW_BENCH_CLEAN].goodput));
    assert_true(near(summary->times[CW_BENCH_CLEAN].clock_error, 7e-6, 1e-12));
    assert_int_equal(summary->times[CW_BENCH_CONTROL].n_splits, 0);
    assert_int_equal(summary->effects[CW_BENCH_CONTROL].n, 0);
    assert_int_equal(summary->n_application, 9);
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

/* What does not count is counted, and changes no figure; blocks of one split are one. */
static void test_discarded(void **state)
{
    (void)state;
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    const double first[] = {1, 2, 900, 901}, second[] = {3, 4, 5};
    bench_begin(&ten_ranks, &run);
    add_block(&run, 0, CW_BENCH_CLEAN, (double)NAN, first, 4);
    add_block(&run, 1, CW_BENCH_CLEAN, (double)NAN, first, 1);
    add_block(&run, 0, CW_BENCH_CLEAN, (double)NAN, second, 3);
    add_block(&run, 2, CW_BENCH_PERTURBED, 1e6, second, 1);
    run.samples[2].status = CW_BENCH_LATE;
    run.samples[3].status = CW_BENCH_EXPIRED;
    run.samples[4].status = CW_BENCH_UNCOVERED;
    must(cw_bench_analyse(&run, 1, &analysis));
    const struct cw_bench_summary *summary = &analysis.cases[0];
    const size_t counts[] = {5, 1, 1, 1};
    assert_memory_equal(summary->times[CW_BENCH_CLEAN].counts, counts, sizeof counts);
    assert_int_equal(summary->times[CW_BENCH_CLEAN].n_splits, 1);
    assert_int_equal(summary->n_splits, 3);
    assert_true(summary->splits[0].medians[CW_BENCH_CLEAN] == 3 && isnan(summary->splits[1].medians[CW_BENCH_CLEAN]));
    assert_true(summary->times[CW_BENCH_CLEAN].box.max == 5 && summary->times[CW_BENCH_CLEAN].box.n == 5);
    assert_int_equal(summary->effects[CW_BENCH_PERTURBED].n, 0); /* no split in both */
    assert_true(isnan(summary->effects[CW_BENCH_PERTURBED].ratio.value));
    cw_bench_analysis_free(&analysis);
    for (size_t i = 0; i < run.n_samples; i++) run.samples[i].status = CW_BENCH_LATE;
    assert_int_equal(cw_bench_analyse(&run, 1, &analysis), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "this run has no call that counts, of 9");
    cw_bench_run_free(&run);
}

/* 95 and 99 % of 1, 2, …, 200 in any order; intervals over splits hold them. */
static void test_tails(void **state)
{
    (void)state;
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    bench_begin(&ten_ranks, &run);
    for (uint32_t s = 0; s < 10; s++) {
        double times[20];
        for (uint32_t i = 0; i < 20; i++) times[i] = 1 + (37 * (20 * s + i)) % 200;
        add_block(&run, s, CW_BENCH_CLEAN, (double)NAN, times, s == 9 ? 19 : 20);
        for (uint32_t i = 0; i < 20; i++) times[i] = s + 1;
        add_block(&run, s, CW_BENCH_PERTURBED, 1e6, times, 20);
    }
    must(cw_bench_analyse(&run, 1, &analysis));
    const struct cw_bench_times *times = &analysis.cases[0].times[CW_BENCH_CLEAN];
    const double left_out = 1 + (37 * 199) % 200; /* a small one: 164 */
    assert_true(left_out == 164 && times->counts[CW_BENCH_OK] == 199);
    assert_true(times->p95.value == 191 && times->p99.value == 199); /* 9 and 1 of 199 are above */
    assert_true(times->p95.low < 191 && times->p95.high >= 191 && times->p99.low <= 199 && times->p99.high >= 199);
    /* Where only splits differ, 200 calls say no more than 10: in a third of all draws the slowest is not there. */
    const struct cw_estimate *clustered = &analysis.cases[0].times[CW_BENCH_PERTURBED].p95;
    assert_true(clustered->value == 10 && clustered->low <= 8 && clustered->high == 10);
    /* Notches are for 10 splits. */
    assert_true(
        near(times->box.notch_high - times->box.median, 1.57 * (times->box.q75 - times->box.q25) / sqrt(10), 1e-9));
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

/* Of many runs the interval holds the planted slowdown in 95 %, though calls of a split depend on each other; and of
 * runs without an effect the test finds one in 5 % at most. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 300 };
    struct bench_plan plan = {.n_ranks = 16,
                              .n_splits = 12,
                              .n_samples = 9,
                              .ratio = 0.5,
                              .clean = 1e-3,
                              .slowdown = 2.5,
                              .control = 1,
                              .across = 0.1,
                              .within = 0.05,
                              .paired = 0.4};
    unsigned held = 0, found = 0, held_clean = 0;
    for (plan.seed = 0; plan.seed < RUNS; plan.seed++) {
        struct cw_bench_run run;
        struct cw_bench_analysis analysis;
        bench_begin(&plan, &run);
        bench_add_case(&plan, &run);
        must(cw_bench_analyse(&run, plan.seed, &analysis));
        const struct cw_bench_summary *summary = &analysis.cases[0];
        const struct cw_estimate *ratio = &summary->effects[CW_BENCH_PERTURBED].ratio;
        const struct cw_estimate *clean = &summary->times[CW_BENCH_CLEAN].median;
        held += ratio->low <= plan.slowdown && plan.slowdown <= ratio->high;
        held_clean += clean->low <= plan.clean && plan.clean <= clean->high;
        found += summary->effects[CW_BENCH_CONTROL].test.p < 0.05;
        assert_true(summary->effects[CW_BENCH_PERTURBED].test.p < 0.01);
        cw_bench_analysis_free(&analysis);
        cw_bench_run_free(&run);
    }
    assert_in_range(held, 0.91 * RUNS, 0.99 * RUNS);
    assert_in_range(held_clean, 0.93 * RUNS, RUNS);
    assert_in_range(found, 0, 0.07 * RUNS);
}

static void test_fit(void **state)
{
    (void)state;
    struct bench_plan plan = {.n_ranks = 16, .n_splits = 8, .n_samples = 5, .clean = 1e-3, .control = 0, .seed = 4};
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    bench_begin(&plan, &run);
    for (plan.ratio = 0.2; plan.ratio < 0.7; plan.ratio += 0.2) { /* slowdown 1 + 3 · ratio, without noise */
        plan.slowdown = 1 + 3 * plan.ratio;
        bench_add_case(&plan, &run);
    }
    must(cw_bench_analyse(&run, 1, &analysis));
    assert_int_equal(analysis.n_fits, 1);
    assert_int_equal(analysis.fits[0].n_ratios, 3);
    assert_int_equal(analysis.fits[0].line.n, 24);
    assert_true(near(analysis.fits[0].line.intercept, 1, 1e-9) && near(analysis.fits[0].line.slope.value, 3, 1e-9));
    assert_true(near(analysis.fits[0].line.r2, 1, 1e-9));
    /* Constant times are no sample of a normal distribution; nor is there a test for them. */
    assert_int_equal(analysis.cases[0].normality_tested, 0);
    cw_bench_analysis_free(&analysis);
    run.n_cases = 2; /* a line through two ratios fits always */
    run.n_blocks = 2 * 8 * 2;
    must(cw_bench_analyse(&run, 1, &analysis));
    assert_int_equal(analysis.n_fits, 0);
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

/* --- sentences ---------------------------------------------------------------------------------------------------- */

/* The text of RUN's notes. */
static char *notes_of(const struct cw_bench_run *run)
{
    struct cw_bench_analysis analysis;
    struct cw_result *result;
    struct cw_text text = {0};
    must(cw_result_new(&result));
    must(cw_bench_analyse(run, 1, &analysis));
    cw_bench_report_notes(&analysis, result);
    must(cw_result_write(result, CW_FORMAT_TEXT, 1000, &text));
    cw_bench_analysis_free(&analysis);
    cw_result_free(result);
    return text.data;
}

static void assert_said(const struct cw_bench_run *run, const char *words, bool said)
{
    char *notes = notes_of(run);
    if (!strstr(notes, words) == said) fail_msg("'%s' is %s in:\n%s", words, said ? "not" : "", notes);
    free(notes);
}

static void test_notes(void **state)
{
    (void)state;
    struct bench_plan plan = {.n_ranks = 10,
                              .n_splits = 8,
                              .n_samples = 20,
                              .ratio = 0.5,
                              .clean = 1e-3,
                              .slowdown = 3,
                              .control = 1,
                              .within = 0.001,
                              .seed = 4};
    struct cw_bench_run run;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    assert_said(
        &run, "allreduce of 8 B at ratio 0.5 takes 3 times as long with perturbation (95 % interval 3 to 3, 8 splits;",
        true);
    assert_said(&run, "stays near 1 (95 % intervals within 1 to 1): slowdowns come from the network", true);
    assert_said(&run, "compatible with a normal distribution", true);
    assert_said(&run, "no interval", false);
    assert_said(&run, "do not count", false);
    assert_said(&run, "ended early", false);
    assert_said(&run, "barrier", false);
    assert_said(&run, "more ranks than cores", false);
    assert_said(&run, "Clocks may be off", false);
    run.complete = false;
    assert_said(&run, "The run ended early", true);
    json_object_set_new(run.conditions, "start", json_string("barrier"));
    json_object_set_new(run.conditions, "oversubscribed", json_true());
    assert_said(&run, "Calls began after a barrier", true);
    assert_said(&run, "more ranks than cores: ranks waited", true);
    json_object_set_new(run.conditions, "wait", json_string("spin"));
    assert_said(&run, "more ranks than cores, and waiting ranks spun", true);
    for (size_t i = 0; i < run.n_samples / 10; i++) run.samples[10 * i].status = CW_BENCH_UNCOVERED;
    assert_said(&run, "10 % of the 480 calls do not count: 0 late, 0 expired, 48 not covered", true);
    for (size_t i = 0; i < run.n_samples; i++) run.samples[i].time = pow(run.samples[i].time * 1e3, 3000) * 1e-3;
    assert_said(&run, "Clean times are not normally distributed", true);
    for (size_t b = 0; b < run.n_blocks; b++) run.blocks[b].clock_error = 1e-4;
    assert_said(&run, "Clocks may be off by 100 µs, which is 1", true);
    cw_bench_run_free(&run);

    plan.n_splits = 5;
    plan.control = 1.5;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    assert_said(&run, "Of 5 splits no interval can be given: it takes 6", true);
    assert_said(&run, "is at 1.5 (no interval), not near 1: processors or memory", true);
    cw_bench_run_free(&run);

    plan.n_splits = 6; /* a control that varies from a half to five times */
    plan.control = 1.3;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    for (size_t i = 0; i < 2 * 20; i++) run.samples[60 * (i / 20) + 40 + i % 20].time /= 3;
    assert_said(&run, "not near 1", false);
    assert_said(&run, "too uncertain to tell the network from processors", true);
    cw_bench_run_free(&run);

    plan.n_splits = 8;
    plan.control = 0;
    plan.slowdown = 1;
    plan.paired = 0.2;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    assert_said(&run, "0 of 1 case have a control", true);
    assert_said(&run, "No effect is shown: the interval holds 1.", true);
    cw_bench_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paired),   cmocka_unit_test(test_discarded), cmocka_unit_test(test_tails),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_fit),       cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
