/* Two runs compared, of planted times. */
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
#include "study/bench/bench_comparison.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance * fabs(expected);
}

struct measured {
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
};

static void measure(const struct bench_plan *plan, struct measured *out)
{
    bench_begin(plan, &out->run);
    bench_add_case(plan, &out->run);
    must(cw_bench_analyse(&out->run, 1, &out->analysis));
}

/* The same splits and times, but FACTOR times as long when perturbed. */
static void measure_again(const struct measured *first, double factor, struct measured *out)
{
    out->run = (struct cw_bench_run){0};
    must(cw_bench_run_merge(&out->run, &first->run));
    for (size_t b = 0; b < out->run.n_blocks; b++) {
        const struct cw_bench_block *block = &out->run.blocks[b];
        for (size_t i = 0; i < block->n_samples && block->state == CW_BENCH_PERTURBED; i++)
            out->run.samples[block->first_sample + i].time *= factor;
    }
    must(cw_bench_analyse(&out->run, 1, &out->analysis));
}

static void end(struct measured *measured)
{
    cw_bench_analysis_free(&measured->analysis);
    cw_bench_run_free(&measured->run);
}

static const struct bench_plan plan = {.n_ranks = 20,
                                       .n_splits = 8,
                                       .n_samples = 9,
                                       .ratio = 0.5,
                                       .clean = 1e-3,
                                       .slowdown = 3,
                                       .across = 0.5,
                                       .within = 0.05,
                                       .paired = 0.5,
                                       .seed = 2};

/* Pairs show what their spread would hide. */
static void test_pairs(void **state)
{
    (void)state;
    struct measured first, second;
    struct cw_bench_comparison comparison;
    measure(&plan, &first);
    measure_again(&first, 0.9, &second);
    must(cw_bench_compare(&first.analysis, &second.analysis, 1, &comparison));
    assert_int_equal(comparison.n, 3); /* no control was measured */
    const struct cw_bench_difference *clean = &comparison.items[0], *perturbed = &comparison.items[1];
    const struct cw_bench_difference *slowdown = &comparison.items[2];
    assert_true(clean->quantity == CW_BENCH_CLEAN && slowdown->quantity == CW_BENCH_SLOWDOWN);
    assert_int_equal(slowdown->n_pairs, 8);
    assert_true(clean->ratio.value == 1 && clean->ratio.low == 1 && clean->ratio.high == 1);
    assert_true(near(perturbed->ratio.low, 0.9, 1e-9) && near(perturbed->ratio.high, 0.9, 1e-9));
    assert_true(near(slowdown->ratio.value, 0.9, 1e-9) && slowdown->test.p > 0.1); /* the test knows no pairs */
    assert_true(near(slowdown->values[1], 0.9 * slowdown->values[0], 1e-9));
    cw_bench_comparison_free(&comparison);

    /* Other hosts, other splits: the same figures, but nothing of it is certain. */
    strcpy(second.run.hosts[0], "x");
    must(cw_bench_compare(&first.analysis, &second.analysis, 1, &comparison));
    slowdown = &comparison.items[2];
    assert_int_equal(slowdown->n_pairs, 0);
    assert_true(near(slowdown->ratio.value, 0.9, 1e-9));
    assert_true(slowdown->ratio.low < 0.8 && slowdown->ratio.high > 1.1);
    cw_bench_comparison_free(&comparison);
    end(&first);
    end(&second);
}

/* Only splits that both have are paired: here 6 of 8, then too few. */
static void test_some_pairs(void **state)
{
    (void)state;
    struct measured first, second;
    struct cw_bench_comparison comparison;
    measure(&plan, &first);
    measure_again(&first, 2, &second);
    for (int others = 2; others <= 3; others++) {
        for (int s = 0; s < others; s++) { /* another split: two ranks swap their roles */
            uint8_t *roles = second.run.splits[s].roles, *a = memchr(roles, 1, 20), *b = memchr(roles, 2, 20);
            *a = 2;
            *b = 1;
        }
        must(cw_bench_compare(&first.analysis, &second.analysis, 1, &comparison));
        assert_int_equal(comparison.items[2].n[0], 8);
        assert_int_equal(comparison.items[2].n_pairs, others == 2 ? 6 : 0);
        assert_true(near(comparison.items[2].ratio.value, 2, 1e-9));
        cw_bench_comparison_free(&comparison);
        cw_bench_analysis_free(&second.analysis);
        cw_bench_run_free(&second.run);
        measure_again(&first, 2, &second);
    }
    end(&first);
    end(&second);
}

/* Of independent runs the interval holds the planted ratio of medians in 95 %. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 200 };
    struct bench_plan one = plan, other = plan;
    unsigned held = 0, found = 0;
    one.n_splits = 10;
    other.n_splits = 14;
    other.slowdown = 4.5;
    one.n_samples = other.n_samples = 3;
    for (uint64_t t = 0; t < RUNS; t++) {
        struct measured first, second;
        struct cw_bench_comparison comparison;
        one.seed = 2 * t;
        other.seed = 2 * t + 1;
        measure(&one, &first);
        measure(&other, &second);
        must(cw_bench_compare(&first.analysis, &second.analysis, t, &comparison));
        const struct cw_bench_difference *slowdown = &comparison.items[2], *clean = &comparison.items[0];
        assert_int_equal(slowdown->n_pairs, 0);
        held += slowdown->ratio.low <= 1.5 && 1.5 <= slowdown->ratio.high;
        found += clean->test.p < 0.05;
        cw_bench_comparison_free(&comparison);
        end(&first);
        end(&second);
    }
    assert_in_range(held, 0.9 * RUNS, RUNS);
    assert_in_range(found, 0, 0.09 * RUNS);
}

static void test_nothing_in_common(void **state)
{
    (void)state;
    struct bench_plan other = plan;
    struct measured first, second;
    struct cw_bench_comparison comparison;
    other.ratio = 0.25;
    measure(&plan, &first);
    measure(&other, &second);
    assert_int_equal(cw_bench_compare(&first.analysis, &second.analysis, 1, &comparison), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "the two runs have no case in common: there is nothing to compare");
    assert_int_equal(cw_bench_compare(&second.analysis, &first.analysis, 1, &comparison), CW_EUSAGE);
    end(&first);
    end(&second);
}

/* What the report says of the slowdown's change by FACTOR. */
static void assert_said(double factor, const char *words)
{
    struct measured first, second;
    struct cw_bench_comparison comparison;
    struct cw_result *result;
    struct cw_text text = {0};
    measure(&plan, &first);
    measure_again(&first, factor, &second);
    must(cw_bench_compare(&first.analysis, &second.analysis, 1, &comparison));
    must(cw_result_new(&result));
    must(cw_bench_comparison_report(&comparison, "one", "two", result));
    must(cw_result_write(result, CW_FORMAT_TEXT, 1000, &text));
    if (!strstr(text.data, words)) fail_msg("'%s' is not in:\n%s", words, text.data);
    assert_non_null(strstr(text.data, "one (first) and two (second)"));
    cw_text_free(&text);
    cw_result_free(result);
    cw_bench_comparison_free(&comparison);
    end(&first);
    end(&second);
}

static void test_report(void **state)
{
    (void)state;
    assert_said(0.5, "the slowdown of the second run is smaller");
    assert_said(1.5, "the slowdown of the second run is greater");
    assert_said(1, "no difference is shown (second / first 95 % interval 1 to 1)");
    assert_said(1, "Splits that both runs measured are compared in pairs.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),    cmocka_unit_test(test_some_pairs),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_nothing_in_common),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
