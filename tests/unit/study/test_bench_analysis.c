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
    const struct cw_summary *ratios = &effect->ratios;
    assert_true(near(effect->median.value, 2.5, 1e-12) && near(ratios->median, 2.5, 1e-12));
    assert_true(near(ratios->q25, 1.75, 1e-12) && near(ratios->q75, 3.5, 1e-12));
    assert_true(near(ratios->min, 1, 1e-12) && near(ratios->max, 5, 1e-12) && near(ratios->mean, 19.0 / 7, 1e-12));
    assert_true(effect->median.low >= 1 && effect->median.low < 2.5 && effect->median.high <= 5 &&
                effect->median.high > 2.5);
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
    assert_true(near(summary->times[CW_BENCH_CLEAN].clock_error, 4e-6, 1e-12));
    assert_true(near(summary->times[CW_BENCH_CLEAN].clock_error_max, 7e-6, 1e-12));
    assert_int_equal(summary->times[CW_BENCH_CONTROL].n_splits, 0);
    assert_int_equal(summary->effects[CW_BENCH_CONTROL].n, 0);
    assert_int_equal(summary->over_control.n, 0);
    assert_int_equal(summary->n_application, 9);
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

/* Splits on which the application was slowed RATIOS times, the control CONTROL times [N]; 0: it was not measured. */
static void begin_ratios(struct cw_bench_run *run, const double *ratios, const double *control, size_t n)
{
    bench_begin(&ten_ranks, run);
    for (uint32_t s = 0; s < n; s++) {
        const double clean = 1e-3 * (1 + s), perturbed = clean * ratios[s], beside = clean * control[s];
        add_block(run, s, CW_BENCH_CLEAN, (double)NAN, &clean, 1);
        if (perturbed > 0) add_block(run, s, CW_BENCH_PERTURBED, 1e8, &perturbed, 1);
        if (beside > 0) add_block(run, s, CW_BENCH_CONTROL, 1e8, &beside, 1);
    }
}

/* Perturbed / control is of splits that have both, split by split. */
static void test_over_control(void **state)
{
    (void)state;
    static const double ratios[] = {4, 3, 6, 8, 5, 0, 2, 9}, control[] = {2, 1, 2, 2, 1, 3, 2, 0};
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    begin_ratios(&run, ratios, control, 8);
    must(cw_bench_analyse(&run, 1, &analysis));
    const struct cw_bench_effect *effect = &analysis.cases[0].over_control;
    assert_int_equal(effect->n, 6); /* 2 3 3 4 5 1 */
    assert_true(near(effect->median.value, 3, 1e-12) && near(effect->ratios.mean, 3, 1e-12));
    assert_true(near(effect->ratios.min, 1, 1e-12) && near(effect->ratios.max, 5, 1e-12));
    assert_true(effect->median.low >= 1 && effect->median.high <= 5);
    assert_int_equal(analysis.cases[0].effects[CW_BENCH_PERTURBED].n, 7);
    assert_int_equal(analysis.cases[0].effects[CW_BENCH_CONTROL].n, 7);
    /* One call a split has no standard error, but the control varies: its quartiles are 1.5 and 2. */
    assert_true(isnan(analysis.cases[0].splits[0].errors[CW_BENCH_CLEAN]));
    assert_true(near(analysis.cases[0].scatter, log(2 / 1.5) / 1.349, 1e-9));
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

struct groups {
    double ratios[10];
    size_t n, n_slow; /* n_slow: 0: they are no two groups */
    double others_max, slow_min;
};

/* Slowdowns that fall into two groups, and some that do not. */
static void test_groups(void **state)
{
    (void)state;
    static const double control[10] = {0};
    static const struct groups all[] = {
        {{1.2, 8.8, 1.6, 1, 3.4, 1.1, 1.3, 2.7, 1.05, 1.4}, 10, 3, 1.6, 2.7},
        {{1, 1.01, 9, 1.02, 7, 1.03}, 6, 2, 1.03, 7},
        {{1, 1.01, 9, 1.02, 1, 1.03}, 6, 0, 0, 0},            /* one alone is no group */
        {{0.2, 1, 1.1, 1.05, 0.22, 1.1}, 6, 4, 0.22, 1},      /* the lower group may be the small one */
        {{1, 9, 1, 9, 1}, 5, 0, 0, 0},                        /* too few to say anything */
        {{1, 1.1, 1, 1.1, 1, 1.1}, 6, 0, 0, 0},               /* no gap worth telling */
        {{1, 1.3, 1.7, 2.2, 2.8, 3.7, 4.8, 6.3}, 8, 0, 0, 0}, /* gaps everywhere */
        {{2, 2, 2, 2, 2, 2}, 6, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct cw_bench_run run;
        struct cw_bench_analysis analysis;
        begin_ratios(&run, all[i].ratios, control, all[i].n);
        must(cw_bench_analyse(&run, 1, &analysis));
        const struct cw_bench_effect *effect = &analysis.cases[0].effects[CW_BENCH_PERTURBED];
        assert_int_equal(effect->n_slow, all[i].n_slow);
        if (effect->n_slow > 0)
            assert_true(near(effect->others_max, all[i].others_max, 1e-12) &&
                        near(effect->slow_min, all[i].slow_min, 1e-12));
        cw_bench_analysis_free(&analysis);
        cw_bench_run_free(&run);
    }
}

/* Blocks whose clocks may be off by more than half of the calls took count nowhere, and are counted. */
static void test_unclocked(void **state)
{
    (void)state;
    const double calls[] = {9e-7, 2e-6, 3e-6, 4e-6, 5e-6}, perturbed[] = {1, 1, 1};
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    bench_begin(&ten_ranks, &run);
    for (uint32_t s = 0; s < 5; s++) { /* clocks may be off by 1 to 5 µs, half of the calls took 3 µs or less */
        add_block(&run, s, CW_BENCH_CLEAN, (double)NAN, calls, 5);
        add_block(&run, s, CW_BENCH_PERTURBED, 1e8, perturbed, 3);
    }
    for (size_t b = 0; b < run.n_blocks; b++) assert_true(run.blocks[b].unclocked == (b == 6 || b == 8));
    must(cw_bench_analyse(&run, 1, &analysis));
    const struct cw_bench_summary *summary = &analysis.cases[0];
    const struct cw_bench_times *clean = &summary->times[CW_BENCH_CLEAN];
    assert_true(clean->n_blocks == 5 && clean->unclocked == 2 && clean->n_splits == 3);
    assert_int_equal(clean->counts[CW_BENCH_OK], 15);
    assert_true(isnan(summary->splits[3].medians[CW_BENCH_CLEAN]) && summary->times[1].unclocked == 0);
    assert_int_equal(summary->effects[CW_BENCH_PERTURBED].n, 3);
    assert_true(near(clean->clock_error, 3e-6, 1e-9) && near(clean->clock_error_max, 5e-6, 1e-9));
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
    bench_begin(&ten_ranks, &run);
    add_block(&run, 8, CW_BENCH_CLEAN, (double)NAN, calls, 5);
    assert_int_equal(cw_bench_analyse(&run, 1, &analysis), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "this run has no call that counts, of 5: in 1 of 1 blocks clocks may be off by more than a "
                        "call took; expected calls that take longer, or clocks that are closer");
    cw_bench_run_free(&run);
}

/* What the slowest rank took by its own clock says how long a call was, late ones do not, and an unknown error is none.
 */
static void test_clock_of_a_block(void **state)
{
    (void)state;
    struct cw_bench_sample samples[] = {
        {0, 9e-6, 2e-6, CW_BENCH_OK}, {0, 1, 1, CW_BENCH_LATE}, {0, 1, 1, CW_BENCH_LATE}};
    struct cw_bench_block block = {.clock_error = 3e-6, .goodput = (double)NAN};
    struct cw_bench_run run;
    const double one = 1;
    bench_begin(&ten_ranks, &run);
    add_block(&run, 0, CW_BENCH_CLEAN, (double)NAN, &one, 1);
    must(cw_bench_run_block(&run, &block, samples, 3));
    samples[0].slowest = 4e-6;
    must(cw_bench_run_block(&run, &block, samples, 3));
    must(cw_bench_run_block(&run, &block, samples + 1, 2)); /* nothing that could be too short */
    block.clock_error = (double)NAN;
    samples[0].slowest = 1e-9;
    must(cw_bench_run_block(&run, &block, samples, 3));
    const bool expected[] = {false, true, false, false, false};
    for (size_t b = 0; b < 5; b++) assert_true(run.blocks[b].unclocked == expected[b]);
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
    assert_true(isnan(summary->effects[CW_BENCH_PERTURBED].median.value));
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

/* The fewest ranks of either side count, and 20 and 100 calls are enough for a tail. */
static void test_least(void **state)
{
    (void)state;
    static const char *const letters[] = {"aaaaaapppp", "aaaaaaaapp", "aaaappp---"};
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    struct cw_bench_case one = {"allreduce", 8, 0, "permutation", 1, 0.1};
    struct cw_bench_sample samples[100];
    struct cw_bench_block block = {.clock_error = (double)NAN, .goodput = (double)NAN};
    bench_begin(&ten_ranks, &run);
    for (int i = 0; i < 100; i++) samples[i] = (struct cw_bench_sample){.time = 1 + i};
    for (uint32_t c = 0; c < 4; c++) {
        one.ratio += 0.1;
        must(cw_bench_run_case(&run, &one, &block.case_index));
        for (int s = 0; s < (c == 0 ? 3 : 1); s++) {
            uint8_t roles[10];
            for (int r = 0; r < 10; r++) roles[r] = (uint8_t)(letters[s][r] == 'a' ? 1 : letters[s][r] == 'p' ? 2 : 0);
            must(cw_bench_run_split(&run, roles, &block.split));
            must(cw_bench_run_block(&run, &block, samples, c == 1 ? 20 : c == 2 ? 100 : c == 3 ? 99 : 1));
        }
    }
    must(cw_bench_analyse(&run, 1, &analysis));
    const struct cw_bench_summary *cases = analysis.cases;
    assert_true(cases[0].n_application == 4 && cases[0].n_perturbing == 2 && cases[0].ranks_differ);
    assert_true(cases[1].n_application == 6 && cases[1].n_perturbing == 4 && !cases[1].ranks_differ);
    assert_true(cases[1].times[0].p95.value == 19 && isnan(cases[1].times[0].p99.value));
    assert_true(cases[2].times[0].p99.value == 99 && isnan(cases[3].times[0].p99.value));
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&run);
}

/* Cases differ in anything but their ratio. */
static void test_similar(void **state)
{
    (void)state;
    const struct cw_bench_case one = {"bcast", 8, 1, "shift", 100, 0.1};
    struct cw_bench_case others[] = {one, one, one, one, one};
    strcpy(others[0].operation, "reduce");
    others[1].bytes++;
    others[2].root++;
    strcpy(others[3].perturbation, "incast");
    others[4].perturbation_bytes++;
    for (size_t i = 0; i < 5; i++) assert_false(cw_bench_case_similar(&one, &others[i]));
    others[0] = one;
    others[0].ratio = 0.9;
    assert_true(cw_bench_case_similar(&one, &others[0]));
}

/* Of many runs the interval holds the planted slowdown in 95 %, though calls of a split depend on each other; and of
 * runs without an effect the test finds one in 5 % at most. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 200 };
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
    unsigned held = 0, held_mean = 0, found = 0, held_clean = 0;
    for (plan.seed = 0; plan.seed < RUNS; plan.seed++) {
        struct cw_bench_run run;
        struct cw_bench_analysis analysis;
        bench_begin(&plan, &run);
        bench_add_case(&plan, &run);
        must(cw_bench_analyse(&run, plan.seed, &analysis));
        const struct cw_bench_summary *summary = &analysis.cases[0];
        const struct cw_estimate *ratio = &summary->effects[CW_BENCH_PERTURBED].median;
        const struct cw_estimate *clean = &summary->times[CW_BENCH_CLEAN].median;
        const struct cw_summary *ratios = &summary->effects[CW_BENCH_PERTURBED].ratios;
        held += ratio->low <= plan.slowdown && plan.slowdown <= ratio->high;
        held_mean += fabs(ratios->mean - plan.slowdown * exp(plan.paired * plan.paired / 2)) <= ratios->ci95;
        held_clean += clean->low <= plan.clean && plan.clean <= clean->high;
        found += summary->effects[CW_BENCH_CONTROL].test.p < 0.05;
        assert_true(summary->effects[CW_BENCH_PERTURBED].test.p < 0.01);
        cw_bench_analysis_free(&analysis);
        cw_bench_run_free(&run);
    }
    assert_in_range(held, 0.91 * RUNS, 0.99 * RUNS);
    assert_in_range(held_mean, 0.89 * RUNS, 0.98 * RUNS); /* of skewed ratios, in 92 % */
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
    /* A split that was measured in one state only has no slowdown, wherever it stands among the others. */
    for (size_t b = 0; b < run.n_blocks; b++) {
        if (run.blocks[b].state != CW_BENCH_PERTURBED || b % 7 > 1) continue;
        for (size_t i = 0; i < run.blocks[b].n_samples; i++)
            run.samples[run.blocks[b].first_sample + i].status = CW_BENCH_LATE;
    }
    must(cw_bench_analyse(&run, 1, &analysis));
    assert_true(analysis.fits[0].line.n < 24 && analysis.fits[0].line.n >= 12);
    assert_true(near(analysis.fits[0].line.intercept, 1, 1e-9) && near(analysis.fits[0].line.slope.value, 3, 1e-9));
    cw_bench_analysis_free(&analysis);
    for (size_t i = 0; i < run.n_samples; i++) run.samples[i].status = CW_BENCH_OK;
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
        &run,
        "allreduce of 8 B at ratio 0.5 takes 3 times as long with perturbation (median of 8 splits, 95 % interval 3 to "
        "3); half of the splits 3 to 3 times, all 3 to 3 (clean",
        true);
    assert_said(&run, "are left out", false);
    assert_said(&run, "compared with the control", false);
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
    run.blocks[0].clock_error = 3e-4;
    assert_said(&run, "Clocks may be off by 100 µs (median of the blocks; 300 µs at most), 1", true);
    run.blocks[3].unclocked = true;
    assert_said(&run, "1 of 24 blocks are left out: there, clocks may be off by more than a call took.", true);
    cw_bench_run_free(&run);

    plan.n_splits = 5;
    plan.control = 1.5;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    assert_said(&run, "Of 5 splits no interval can be given: it takes 6", true);
    assert_said(&run, "takes 1.5 times as long as clean (no interval): ranks contend", true);
    assert_said(&run, "compared with the control", false); /* of five splits nothing can be said */
    cw_bench_run_free(&run);

    plan.n_splits = 6; /* a control that varies from a half to five times */
    plan.control = 1.3;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    for (size_t i = 0; i < 2 * 20; i++) run.samples[60 * (i / 20) + 40 + i % 20].time /= 3;
    assert_said(&run, "only a part of the slowdown", false);
    assert_said(&run, "too uncertain to tell the network from processors", true);
    cw_bench_run_free(&run);

    plan.n_splits = 8;
    plan.control = 0;
    plan.slowdown = 1;
    plan.paired = 0.2;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    assert_said(&run, "No case has a control: slowdowns may also come from processors that ranks share.", true);
    assert_said(&run, "The median shows no effect: its interval holds 1.", true);
    assert_said(&run, "compatible with a normal distribution: the Anderson-Darling test rejects that in 1 of 8", true);
    cw_bench_run_free(&run);

    plan.control = 1; /* one case's control is near 1, the other's is not */
    plan.paired = 0;
    bench_begin(&plan, &run);
    bench_add_case(&plan, &run);
    plan.ratio = 0.3;
    plan.control = 1.5;
    bench_add_case(&plan, &run);
    assert_said(&run, "stays near 1", false);
    assert_said(&run, "at ratio 0.3: the control, which", true);
    assert_said(&run, "at ratio 0.5: the control, which", false);
    cw_bench_run_free(&run);
}

/* Sentences of splits that fall into two groups, and of ranks that contend for more than the network. */
static void test_notes_of_groups(void **state)
{
    (void)state;
    static const double ratios[] = {1.2, 8.8, 1.6, 1, 3.4, 1.1, 1.3, 2.7, 1.05, 1.4}, few[] = {1, 1, 1.1, 5, 1, 1.2};
    static const double control[10] = {0}, contended[] = {1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
    static const double more[] = {3, 3.1, 3.2, 2.9, 3, 3};
    struct cw_bench_run run;
    begin_ratios(&run, ratios, control, 10);
    assert_said(&run,
                "allreduce of 8 B at ratio 0.1: 3 of 10 splits were slowed 2.7 to 8.8 times, the others 1 to 1.6 times",
                true);
    assert_said(&run, "The median, 1.35 (95 % interval", true);
    assert_said(&run, "no effect", false);
    cw_bench_run_free(&run);
    begin_ratios(&run, few, control, 6);
    assert_said(&run, "half of the splits 1 to 1.18 times, all 1 to 5 (clean", true);
    cw_bench_run_free(&run);
    begin_ratios(&run, more, contended, 6);
    assert_said(&run, "takes 1.5 times as long as clean (95 % interval 1.5 to 1.5): ranks contend", true);
    assert_said(&run, "compared with the control, perturbed calls take 2 times as long (95 % interval", true);
    assert_said(&run, "That much is the network's.", true);
    cw_bench_run_free(&run);
    static const double unsteady[] = {0.7, 0.7, 0.9, 0.9, 1.1, 1.1};
    begin_ratios(&run, more, unsteady, 6);
    assert_said(&run, "takes 0.9 times as long as clean (95 % interval 0.7 to 1.1). That is too uncertain", true);
    cw_bench_run_free(&run);
    begin_ratios(&run, contended, contended, 6);
    assert_said(&run, "perturbed calls take 1 times as long (95 % interval 1 to 1). No effect of the network", true);
    cw_bench_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paired),
        cmocka_unit_test(test_over_control),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_unclocked),
        cmocka_unit_test(test_clock_of_a_block),
        cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_similar),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_notes_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
