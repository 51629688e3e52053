/* The test of Anderson and Darling against its definition, its published limits and its level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "base/estimate.h"
#include "base/random.h"
#include "base/statistics.h"
#include "study/bench/sample_tests.h"

/* N sorted normal values. */
static void normal_values(uint64_t index, size_t n, double *values)
{
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, index);
    for (size_t i = 0; i < n; i++) values[i] = 10 + 3 * cw_normal_quantile(cw_random_unit(&random) + 0x1p-54);
    cw_sort_reals(values, n);
}

/* A² = n ∫ (F_n - F)² / (F (1 - F)) dF, by the midpoint rule over F. */
static double a2_by_definition(const double *sorted, size_t n)
{
    enum { STEPS = 400000 };
    double mean = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += sorted[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    const double deviation = sqrt(squares / (double)(n - 1));
    size_t below = 0;
    for (size_t step = 0; step < STEPS; step++) {
        const double f = ((double)step + 0.5) / STEPS;
        while (below < n && 0.5 * erfc(-(sorted[below] - mean) / deviation / sqrt(2)) <= f) below++;
        const double apart = (double)below / (double)n - f;
        sum += apart * apart / (f * (1 - f)) / STEPS;
    }
    return (double)n * sum * (1 + 0.75 / (double)n + 2.25 / (double)(n * n));
}

static void test_definition(void **state)
{
    (void)state;
    double values[50];
    for (size_t n = 8; n <= 50; n += 7) {
        normal_values(n, n, values);
        if (n % 2) values[n - 1] += 2;
        assert_true(fabs(cw_normality_test(values, n).a2 - a2_by_definition(values, n)) < 1e-3);
    }
}

/* D'Agostino and Stephens, table 4.7: A² of .631, .752, .873, 1.035 and 1.159 has p of 10, 5, 2.5, 1 and .5 %. Samples
 * stretched until they have such an A² show which p the test gives. */
static void test_published_limits(void **state)
{
    (void)state;
    static const double limits[][2] = {{0.631, 0.1}, {0.752, 0.05}, {0.873, 0.025}, {1.035, 0.01}, {1.159, 0.005}};
    for (size_t i = 0; i < 5; i++) {
        double values[20], low = 0, high = 3;
        struct cw_normality test = {0, 0};
        for (int step = 0; step < 60; step++) {
            const double skew = 0.5 * (low + high);
            for (size_t k = 0; k < 20; k++) values[k] = exp(skew * cw_normal_quantile(((double)k + 0.5) / 20)) / skew;
            test = cw_normality_test(values, 20);
            if (test.a2 < limits[i][0])
                low = skew;
            else
                high = skew;
        }
        assert_true(fabs(test.a2 - limits[i][0]) < 1e-6);
        assert_true(fabs(test.p - limits[i][1]) < 0.03 * limits[i][1]);
    }
}

static void test_level_and_power(void **state)
{
    (void)state;
    unsigned normal = 0, skewed = 0;
    for (size_t t = 0; t < 2000; t++) {
        double values[30];
        normal_values(100 + t, 30, values);
        const double p = cw_normality_test(values, 30).p;
        normal += p < 0.05;
        assert_true(p > 0 && p <= 1);
        for (size_t i = 0; i < 30; i++) values[i] = exp((values[i] - 10) / 3);
        skewed += cw_normality_test(values, 30).p < 0.05;
    }
    assert_in_range(normal, 70, 130);
    assert_true(skewed > 1800);
}

/* One value beyond all reason, p does not rise again; and samples that have no test. */
static void test_extremes(void **state)
{
    (void)state;
    static double values[10000];
    normal_values(7, 10000, values);
    values[9999] = 1e6;
    const struct cw_normality far = cw_normality_test(values, 10000);
    assert_true(far.a2 > 1000 && isfinite(far.a2) && far.p < 1e-20);
    normal_values(8, 7, values);
    assert_true(isnan(cw_normality_test(values, 7).a2) && isnan(cw_normality_test(values, 0).p));
    for (size_t i = 0; i < 9; i++) values[i] = 0.1;
    assert_true(isnan(cw_normality_test(values, 9).p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_published_limits),
        cmocka_unit_test(test_level_and_power),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
