/* Lines by least squares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"
#include "study/bench/fits.h"

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance;
}

/* Anscombe's first set (The American Statistician 27, 1973), whose figures are printed there: 3.00 + 0.500 x, standard
 * error of the slope .118, residual sum of squares 13.75, R² .667. */
static void test_anscombe(void **state)
{
    (void)state;
    const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    struct cw_line line;
    assert_int_equal(cw_line_fit(x, y, 11, &line), 0);
    assert_true(near(line.intercept, 3.00, 0.005) && near(line.slope.value, 0.500, 0.0005));
    assert_true(near(line.r2, 0.667, 0.0005) && near(line.deviation * line.deviation * 9, 13.75, 0.02));
    const double t = 2.262157; /* 9 degrees of freedom */
    assert_true(near(line.slope.high - line.slope.value, t * 0.118, 0.001));
    assert_true(near(line.slope.value - line.slope.low, t * 0.118, 0.001));
    /* In the middle the mean of y is known as well as without a slope; further out less well. */
    const struct cw_estimate middle = cw_line_at(&line, 9), end = cw_line_at(&line, 14);
    assert_true(near(middle.value, 7.50, 0.005) && near(middle.high - middle.value, t * 1.2366 / sqrt(11), 0.001));
    assert_true(near(end.high - end.value, t * 1.2366 * sqrt(1.0 / 11 + 25.0 / 110), 0.001));
    assert_true(near(end.value - end.low, end.high - end.value, 1e-12));
}

static void test_few_points(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2}, y[] = {3, 5, 5};
    struct cw_line line;
    assert_int_equal(cw_line_fit(x, y, 2, &line), 0);
    assert_true(near(cw_line_at(&line, 10).value, 21, 1e-12) && isnan(cw_line_at(&line, 10).low));
    assert_true(isnan(line.slope.low) && isnan(line.deviation) && near(line.r2, 1, 1e-12));
    assert_int_equal(cw_line_fit(x + 1, y, 2, &line), CW_EUSAGE);
    assert_int_equal(cw_line_fit(x, y, 1, &line), CW_EUSAGE);
    const double flat[] = {4, 4, 4};
    assert_int_equal(cw_line_fit(x, flat, 3, &line), 0);
    assert_true(line.slope.value == 0 && isnan(line.r2));
}

/* Of 2,000 lines through noise, 95 % of bands and of slopes' intervals hold the truth. */
static void test_coverage(void **state)
{
    (void)state;
    unsigned band = 0, slope = 0;
    for (size_t t = 0; t < 2000; t++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, t);
        double x[12], y[12];
        struct cw_line line;
        for (size_t i = 0; i < 12; i++) {
            x[i] = (double)(i / 2);
            y[i] = 2 + 0.7 * x[i] + cw_normal_quantile(cw_random_unit(&random) + 0x1p-54);
        }
        assert_int_equal(cw_line_fit(x, y, 12, &line), 0);
        const struct cw_estimate at = cw_line_at(&line, 5);
        band += at.low <= 5.5 && 5.5 <= at.high;
        slope += line.slope.low <= 0.7 && 0.7 <= line.slope.high;
    }
    assert_in_range(band, 1870, 1930);
    assert_in_range(slope, 1870, 1930);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anscombe),
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
