/* Quantiles with intervals, boxes, the bootstrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/estimate.h"
#include "base/random.h"
#include "base/statistics.h"

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance;
}

/* 1 … n: a value is its rank. */
static void ranks(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) values[i] = (double)(i + 1);
}

/* Published ranks of the median's 95 % interval (e.g. Conover, "Practical Nonparametric Statistics", table A3). */
static void test_published_ranks(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double low, high;
    } table[] = {{6, 1, 6},   {8, 1, 8},    {9, 2, 8},    {10, 2, 9},   {20, 6, 15},
                 {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
    double values[100];
    ranks(values, 100);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct cw_estimate estimate = cw_quantile_estimate(values, table[i].n, 0.5, 0.95);
        assert_true(estimate.low == table[i].low && estimate.high == table[i].high);
        assert_true(estimate.value == 0.5 * (double)(table[i].n + 1));
    }
    assert_true(isnan(cw_quantile_estimate(values, 5, 0.5, 0.95).low));
    /* .99^n ≤ .025 from 368 on: the greatest of fewer values may well lie below the quantile. */
    static double many[1000];
    ranks(many, 1000);
    assert_true(isnan(cw_quantile_estimate(many, 367, 0.99, 0.95).high));
    assert_true(cw_quantile_estimate(many, 368, 0.99, 0.95).high == 368);
}

/* The probability of fewer than K of N, one value after another. */
static double below(size_t n, size_t k, double q)
{
    double share[401] = {1}, sum = 0; /* of i so far */
    for (size_t value = 0; value < n; value++)
        for (size_t i = value + 1; i > 0; i--) {
            share[i] += q * share[i - 1];
            share[i - 1] *= 1 - q;
        }
    for (size_t i = 0; i < k; i++) sum += share[i];
    return sum;
}

static void test_ranks_by_brute_force(void **state)
{
    (void)state;
    static const double quantiles[] = {0.05, 0.25, 0.5, 0.9, 0.99};
    double values[400];
    ranks(values, 400);
    for (size_t n = 1; n <= 400; n += n < 40 ? 1 : 13)
        for (size_t i = 0; i < 5; i++) {
            const double q = quantiles[i];
            const struct cw_estimate estimate = cw_quantile_estimate(values, n, q, 0.9);
            size_t low = 0, high = n + 1;
            while (low < n && below(n, low + 1, q) <= 0.05) low++;
            while (high > 1 && 1 - below(n, high - 1, q) <= 0.05) high--;
            if (low == 0 || high == n + 1) {
                assert_true(isnan(estimate.low) && isnan(estimate.high));
                continue;
            }
            assert_true(estimate.low == (double)low && estimate.high == (double)high);
        }
    static double million[1000000];
    ranks(million, 1000000);
    const struct cw_estimate estimate = cw_quantile_estimate(million, 1000000, 0.5, 0.95);
    assert_true(near(estimate.high - estimate.low, 2 * 1.959964 * 500, 3));
}

static void test_box(void **state)
{
    (void)state;
    const double values[] = {1, 10, 11, 12, 13, 14, 15, 16, 17, 40, 41};
    const struct cw_box box = cw_box_of(values, 11);
    assert_true(box.n == 11 && box.min == 1 && box.max == 41 && box.median == 14);
    assert_true(box.q25 == 11.5 && box.q75 == 16.5);
    assert_true(near(box.notch_low, 14 - 1.57 * 5 / sqrt(11), 1e-12));
    assert_true(near(box.notch_high, 14 + 1.57 * 5 / sqrt(11), 1e-12));
    assert_true(box.tukey_low == 10 && box.tukey_high == 17); /* within 4 … 24 */
    assert_int_equal(box.outliers, 3);
    const double one = 7;
    const struct cw_box single = cw_box_of(&one, 1);
    assert_true(single.notch_low == 7 && single.tukey_high == 7 && single.outliers == 0);
}

/* The median of 2k+1 values drawn with replacement is above the i-th of N = 2k+1 if at most k draws are among the first
 * i (Efron, 1979): its distribution is known, and percentiles of many resamples come near it. */
static void test_bootstrap_of_median(void **state)
{
    (void)state;
    double values[15];
    struct cw_estimate estimate;
    ranks(values, 15);
    for (size_t i = 0; i < 15; i++) { /* any order */
        const double swapped = values[i];
        values[i] = values[(i * 7) % 15];
        values[(i * 7) % 15] = swapped;
    }
    size_t low = 1, high = 1;
    while (below(15, 8, (double)low / 15) > 1 - 0.025) low++;
    while (below(15, 8, (double)high / 15) > 0.025) high++;
    assert_int_equal(cw_bootstrap_median(values, 15, 20000, 1, 0, &estimate), 0);
    assert_true(estimate.value == 8 && estimate.low == (double)low && estimate.high == (double)high);
    assert_true(low == 4 && high == 12);
    struct cw_estimate again, other;
    assert_int_equal(cw_bootstrap_median(values, 15, 200, 1, 0, &again), 0);
    assert_int_equal(cw_bootstrap_median(values, 15, 200, 1, 0, &other), 0);
    assert_memory_equal(&again, &other, sizeof again);
    assert_int_equal(cw_bootstrap_median(values, 5, 200, 1, 0, &estimate), 0);
    assert_true(isnan(estimate.low) && isnan(estimate.high));
}

struct mean {
    const double *values;
    size_t n;
};

static double weighted_mean(void *context, const uint32_t *counts)
{
    const struct mean *mean = context;
    double sum = 0;
    uint64_t drawn = 0;
    for (size_t i = 0; i < mean->n; i++) {
        sum += counts[i] * mean->values[i];
        drawn += counts[i];
    }
    return drawn == mean->n ? sum / (double)drawn : (double)NAN;
}

/* A mean's bootstrap is nearly normal, with the deviation of the values over √n. */
static void test_bootstrap_of_mean(void **state)
{
    (void)state;
    double values[100];
    struct cw_estimate estimate;
    ranks(values, 100);
    struct mean mean = {values, 100};
    const struct cw_bootstrap bootstrap = {
        .n = 100, .statistic = weighted_mean, .context = &mean, .resamples = 20000, .confidence = 0.95, .seed = 3};
    assert_int_equal(cw_bootstrap_run(&bootstrap, &estimate), 0);
    const double error = sqrt((100.0 * 100 - 1) / 12 / 100);
    assert_true(estimate.value == 50.5);
    assert_true(near(estimate.low, 50.5 - 1.96 * error, 0.15) && near(estimate.high, 50.5 + 1.96 * error, 0.15));
}

static double drawn_of_first(void *context, const uint32_t *counts)
{
    const size_t *first = context;
    double drawn = 0;
    for (size_t i = 0; i < *first; i++) drawn += counts[i];
    return drawn;
}

/* Of two samples each is drawn from itself. */
static void test_bootstrap_of_two(void **state)
{
    (void)state;
    struct cw_estimate estimate;
    size_t first = 3;
    const struct cw_bootstrap bootstrap = {.n = 10,
                                           .n_first = first,
                                           .statistic = drawn_of_first,
                                           .context = &first,
                                           .resamples = 1000,
                                           .confidence = 0.99,
                                           .seed = 3};
    assert_int_equal(cw_bootstrap_run(&bootstrap, &estimate), 0);
    assert_true(estimate.value == 3 && estimate.low == 3 && estimate.high == 3);
}

/* Intervals of medians hold the true one as often as they say: 2,000 samples of a skewed distribution. */
static void test_coverage(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    const double truth = log(2); /* of the exponential distribution */
    unsigned by_order = 0, by_bootstrap = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, t);
        struct cw_estimate bootstrap;
        double values[20];
        for (size_t i = 0; i < 20; i++) values[i] = -log1p(-cw_random_unit(&random));
        assert_int_equal(cw_bootstrap_median(values, 20, 400, 5, t << 32, &bootstrap), 0);
        cw_sort_reals(values, 20);
        const struct cw_estimate order = cw_quantile_estimate(values, 20, 0.5, 0.95);
        by_order += order.low <= truth && truth <= order.high;
        by_bootstrap += bootstrap.low <= truth && truth <= bootstrap.high;
    }
    assert_true(by_order >= 0.945 * TRIALS && by_order <= 0.975 * TRIALS); /* .9586 by the binomial distribution */
    assert_true(by_bootstrap >= 0.925 * TRIALS && by_bootstrap <= 0.975 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_ranks),
        cmocka_unit_test(test_ranks_by_brute_force),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_bootstrap_of_median),
        cmocka_unit_test(test_bootstrap_of_mean),
        cmocka_unit_test(test_bootstrap_of_two),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
