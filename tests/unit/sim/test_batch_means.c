/* Batch means on synthetic series whose mean, correlation and drift are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"
#include "sim/flit/batch_means.h"

static void check_near(double got, double right, double tolerance)
{
    if (!(fabs(got - right) <= tolerance)) fail_msg("%.17g instead of %.17g", got, right);
}

#define SEEDS  400
#define LENGTH 640
#define LONG   1280

/* A stationary first-order autoregression of unit variance around a curve, below independent noise of the variance
 * `noise`. */
struct series {
    double correlation, mean, decay, decay_length, noise;
};

/* One standard normal number (Box and Muller). */
static double draw_normal(struct cw_random *random)
{
    const double radius = sqrt(-2 * log(1 - cw_random_unit(random)));
    return radius * cos(2 * M_PI * cw_random_unit(random));
}

static void make(const struct series *of, uint64_t seed, double *values, size_t n)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 0);
    const double innovation = sqrt(1 - of->correlation * of->correlation);
    double noise = draw_normal(&random);
    for (size_t i = 0; i < n; i++) {
        const double curve = of->decay != 0 ? of->decay * exp(-(double)i / of->decay_length) : 0;
        values[i] = of->mean + curve + noise;
        if (of->noise > 0) values[i] += sqrt(of->noise) * draw_normal(&random);
        noise = of->correlation * noise + innovation * draw_normal(&random);
    }
}

/* How many of SEEDS intervals hold the mean, and how many series are said to drift. */
struct outcome {
    unsigned covered, drifting;
    double half_width;   /* mean */
    double narrow, wide; /* half widths that a tenth of the intervals are below, and above */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static struct outcome try(const struct series *of, size_t n, double confidence)
{
    static double values[LONG], half_widths[SEEDS];
    struct outcome out = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cw_batch_means means;
        make(of, seed, values, n);
        assert_int_equal(cw_batch_means(values, n, 0, confidence, &means), 0);
        out.covered += fabs(means.mean - of->mean) <= means.half_width;
        out.drifting += fabs(means.drift) > means.drift_half_width;
        out.half_width += means.half_width / SEEDS;
        half_widths[seed] = means.half_width;
    }
    qsort(half_widths, SEEDS, sizeof *half_widths, compare);
    out.narrow = half_widths[SEEDS / 10];
    out.wide = half_widths[SEEDS - SEEDS / 10];
    return out;
}

static void check_coverage(double correlation, size_t n)
{
    const struct series of = {.correlation = correlation, .mean = 40};
    const struct outcome out = try(&of, n, 0.95);
    const double covered = (double)out.covered / SEEDS, drifting = (double)out.drifting / SEEDS;
    const double most = correlation < 0 ? 1 : 0.99; /* neighbours that differ make the interval no smaller */
    if (covered < 0.90 || covered > most) fail_msg("correlation %g, %zu values: %g covered", correlation, n, covered);
    if (drifting > 0.10) fail_msg("correlation %g, %zu values: %g are said to drift", correlation, n, drifting);
}

static void test_coverage(void **state)
{
    (void)state;
    check_coverage(0, 40);
    check_coverage(0, LENGTH);
    check_coverage(0.5, LENGTH);
    check_coverage(0.8, LENGTH);
    check_coverage(0.9, LENGTH);
    check_coverage(-0.3, LENGTH);
}

/* A swing of which the correlation lasts for a fifteenth of the series and more, alone and below noise that hides it
 * from neighbours; the latter is what saturated networks are like. */
static void test_coverage_of_swings(void **state)
{
    (void)state;
    const double lasts[] = {5, 30, 60, 80}, noises[] = {0, 0.25, 9};
    for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
        for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
            const struct series of = {.correlation = exp(-1 / lasts[i]), .mean = 40, .noise = noises[k]};
            const struct outcome out = try(&of, LONG, 0.95);
            if (out.covered < SEEDS * 9 / 10 || out.covered > SEEDS * 99 / 100)
                fail_msg("lasting for %g below noise of %g: %u of %d covered", lasts[i], noises[k], out.covered, SEEDS);
            if (out.wide > 5 * out.narrow)
                fail_msg("lasting for %g below noise of %g: half widths from %g to %g", lasts[i], noises[k], out.narrow,
                         out.wide);
        }
}

/* The interval is neither of use nor honest unless it is about as wide as theory has it: the variance of the mean of n
 * values of correlation r is (1 + r) / (1 - r) / n. */
static void test_half_width(void **state)
{
    (void)state;
    const double correlations[] = {0, 0.5, 0.8, 0.9};
    for (size_t i = 0; i < sizeof correlations / sizeof *correlations; i++) {
        const struct series of = {.correlation = correlations[i], .mean = 1};
        const double right = 1.96 * sqrt((1 + correlations[i]) / (1 - correlations[i]) / LENGTH);
        const double got = try(&of, LENGTH, 0.95).half_width;
        if (got < 0.9 * right || got > 1.4 * right) fail_msg("correlation %g: %g for %g", correlations[i], got, right);
    }
}

static void test_confidence_widens(void **state)
{
    (void)state;
    const struct series of = {.correlation = 0.5, .mean = 1};
    const struct outcome narrow = try(&of, 300, 0.8), wide = try(&of, 300, 0.99);
    assert_true(wide.half_width > 1.5 * narrow.half_width);
    assert_true(wide.covered > narrow.covered);
}

/* A decay across the series, of a few deviations, is seen; so is a slow one, and a rise. */
static void test_decay_is_seen(void **state)
{
    (void)state;
    const struct series decays[] = {
        {.correlation = 0.5, .mean = 40, .decay = 3, .decay_length = LENGTH / 4.0},
        {.correlation = 0.5, .mean = 40, .decay = 10, .decay_length = LENGTH * 4.0},
        {.correlation = 0.8, .mean = 40, .decay = -4, .decay_length = LENGTH / 2.0},
    };
    for (size_t i = 0; i < sizeof decays / sizeof *decays; i++)
        assert_true(try(&decays[i], LENGTH, 0.95).drifting > SEEDS * 9 / 10);
}

/* A series that rests at 0 or 1 for 100 values or so each time. A look at 100 of them may see no change at all and be
 * certain of a wrong mean; the 540 before tell how it scatters. */
static void test_rests(void **state)
{
    (void)state;
    double values[LENGTH];
    unsigned alone = 0, informed = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 1);
        struct cw_batch_means means;
        double level = cw_random_below(&random, 2);
        for (size_t i = 0; i < LENGTH; i++) {
            if (cw_random_below(&random, 100) == 0) level = 1 - level;
            values[i] = level + 0.1 * draw_normal(&random);
        }
        assert_int_equal(cw_batch_means(values + LENGTH - 100, 100, 0, 0.95, &means), 0);
        alone += fabs(means.mean - 0.5) <= means.half_width;
        assert_int_equal(cw_batch_means(values, LENGTH, LENGTH - 100, 0.95, &means), 0);
        informed += fabs(means.mean - 0.5) <= means.half_width;
    }
    if (alone > SEEDS * 7 / 10 || informed < SEEDS * 9 / 10) fail_msg("%u and %u of %d", alone, informed, SEEDS);
}

/* Without noise: the drift of a straight line is two thirds of its rise; a constant has none and an interval of 0. */
static void test_exact_values(void **state)
{
    (void)state;
    double values[300];
    struct cw_batch_means means;
    for (size_t i = 0; i < 300; i++) values[i] = 5 + 0.01 * (double)i;
    assert_int_equal(cw_batch_means(values, 300, 0, 0.95, &means), 0);
    check_near(means.mean, 5 + 0.01 * 149.5, 1e-12);
    check_near(means.drift, 2, 1e-12);
    assert_int_equal(cw_batch_means(values, 300, 150, 0.95, &means), 0);
    check_near(means.mean, 5 + 0.01 * 224.5, 1e-12);
    check_near(means.drift, 1, 1e-12);
    check_near(means.drift_half_width, 0, 1e-12);
    for (size_t i = 0; i < 300; i++) values[i] = 0.25;
    assert_int_equal(cw_batch_means(values, 300, 0, 0.95, &means), 0);
    assert_true(means.mean == 0.25 && means.half_width == 0 && means.drift == 0 && means.joined == 1);
}

/* Ten independent values: nothing is joined and the interval is the textbook's. */
static void test_few_values(void **state)
{
    (void)state;
    const double values[] = {1, 5, 2, 6, 3, 4, 7, 1, 5, 2};
    struct cw_batch_means means;
    struct cw_summary summary;
    assert_int_equal(cw_batch_means(values, 10, 0, 0.95, &means), 0);
    assert_int_equal(cw_summarise(values, 10, &summary), 0);
    assert_int_equal(means.groups, 10);
    check_near(means.mean, summary.mean, 1e-12);
    check_near(means.half_width, summary.ci95, 1e-9);
}

/* By hand. 40 values are joined to twenty, 1 1 -1 -1 five times, around which they lie: their squares add up to 20 and
 * products of neighbours to 1. That correlation of 1/20 is 0.11 without its bias of (1 + 4/20)/20, which widens the
 * variance. With a half of them, nothing is joined. */
static void test_what_correlation_is_left(void **state)
{
    (void)state;
    double values[40];
    struct cw_batch_means means;
    for (size_t i = 0; i < 40; i++) values[i] = 7 + (i / 4 % 2 ? -1 : 1) + (i % 2 ? 0.5 : -0.5);
    assert_int_equal(cw_batch_means(values, 40, 0, 0.95, &means), 0);
    check_near(means.half_width, cw_student_quantile(0.975, 20 * 0.89 / 1.11 - 1) * sqrt(20.0 / 19 * 1.11 / 0.89 / 20),
               1e-9);
    for (size_t i = 0; i < 20; i++) values[i] = i / 2 % 2 ? -1 : 1;
    assert_int_equal(cw_batch_means(values, 20, 0, 0.95, &means), 0);
    check_near(means.half_width, cw_student_quantile(0.975, 20 * 0.89 / 1.11 - 1) * sqrt(20.0 / 19 * 1.11 / 0.89 / 20),
               1e-9);
}

/* Pairs of equal values, 12 of correlation 5/8, are joined to six for neighbours to be independent, no further for
 * these are few. */
static void test_joined(void **state)
{
    (void)state;
    const double values[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3};
    struct cw_batch_means means;
    assert_int_equal(cw_batch_means(values, 12, 0, 0.95, &means), 0);
    assert_int_equal(means.groups, 6);
    assert_int_equal(means.joined, 2);
}

static void test_refusals(void **state)
{
    (void)state;
    const double values[10] = {0};
    struct cw_batch_means means;
    assert_int_equal(cw_batch_means(values, 9, 0, 0.95, &means), CW_EUSAGE);
    assert_int_equal(cw_batch_means(values, 10, 1, 0.95, &means), CW_EUSAGE);
    assert_int_equal(cw_batch_means(values, 10, 11, 0.95, &means), CW_EUSAGE);
    assert_int_equal(cw_batch_means(values, 10, 0, 1, &means), CW_EUSAGE);
    assert_int_equal(cw_batch_means(values, 10, 0, 0, &means), CW_EUSAGE);
    assert_int_equal(cw_batch_means(values, 10, 0, NAN, &means), CW_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),      cmocka_unit_test(test_coverage_of_swings),
        cmocka_unit_test(test_half_width),    cmocka_unit_test(test_confidence_widens),
        cmocka_unit_test(test_decay_is_seen), cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_few_values),    cmocka_unit_test(test_what_correlation_is_left),
        cmocka_unit_test(test_joined),        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
