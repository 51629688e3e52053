#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance * fabs(expected);
}

/* Student's density is proportional to cos^(dof-1) of the angle θ with t = √dof · tan θ. Both the integral up to the
 * quantile and the whole are computed by Simpson's rule: no gamma or beta function is involved. For angles beyond
 * any reasonable step, the tail is integrated as a function of its own, over the distance φ from the right angle. */
static double integral_of_sine_power(double from, double to, double power, bool cosine)
{
    enum { STEPS = 20000 };
    const double h = (to - from) / STEPS;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double angle = from + i * h;
        const double base = cosine ? cos(angle) : sin(angle);
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * pow(fmax(base, 0), power);
    }
    return sum * h / 3;
}

static double student_tail(double t, double dof)
{
    const double right_angle = 2 * atan(1.0), tail = atan(sqrt(dof) / t);
    return integral_of_sine_power(0, tail, dof - 1, false) /
           (2 * integral_of_sine_power(0, right_angle, dof - 1, false));
}

static double student_centre(double t, double dof)
{
    const double right_angle = 2 * atan(1.0);
    return integral_of_sine_power(0, atan(t / sqrt(dof)), dof - 1, true) /
           (2 * integral_of_sine_power(0, right_angle, dof - 1, false));
}

static double student_density(double t, double dof)
{
    return exp(lgamma(0.5 * (dof + 1)) - lgamma(0.5 * dof)) / sqrt(dof * 4 * atan(1.0)) *
           pow(1 + t * t / dof, -0.5 * (dof + 1));
}

static void student_table(void **state)
{
    (void)state;
    static const struct {
        double dof, t975, t95, t995;
    } table[] = {
        {1, 12.7062047362, 6.31375151468, 63.6567411629},  {2, 4.30265272975, 2.91998558035, 9.92484320092},
        {5, 2.57058183564, 2.01504837333, 4.03214298356},  {10, 2.22813885199, 1.81246112281, 3.16927267262},
        {30, 2.04227245630, 1.69726088659, 2.74999565357},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(near(cw_student_quantile(0.975, table[i].dof), table[i].t975, 1e-11));
        assert_true(near(cw_student_quantile(0.95, table[i].dof), table[i].t95, 1e-11));
        assert_true(near(cw_student_quantile(0.995, table[i].dof), table[i].t995, 1e-11));
    }
}

static void student_two_sided(void **state)
{
    (void)state;
    for (double dof = 1; dof < 1e6; dof *= 3)
        for (double p = 1e-8; p < 1; p *= 2)
            assert_true(near(cw_student_two_sided(cw_student_quantile(p / 2, dof), dof), p, 1e-8));
    assert_true(cw_student_two_sided(0, 3) == 1 && cw_student_two_sided(INFINITY, 3) == 0);
    assert_true(isnan(cw_student_two_sided(NAN, 3)) && isnan(cw_student_two_sided(1, 0)));
}

/* One and two degrees of freedom have closed forms: tan(π(p - 1/2)) and (2p - 1) / √(2p(1-p)). */
static void student_closed_forms(void **state)
{
    (void)state;
    const double pi = 4 * atan(1.0);
    for (double p = 1e-6; p < 0.5; p *= 1.1) {
        /* Lower tail, where p itself is exact. */
        assert_true(near(cw_student_quantile(p, 1), -1 / tan(pi * p), 1e-12));
        assert_true(near(cw_student_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)), 1e-12));
        const double centre = (0.5 + p / 4) - 0.5; /* as a sum with 1/2 rounds it */
        assert_true(near(cw_student_quantile(0.5 + p / 4, 1), tan(pi * centre), 1e-12));
        assert_true(near(cw_student_quantile(0.5 + p / 4, 2), 2 * centre / sqrt(0.5 - 2 * centre * centre), 1e-12));
    }
    assert_true(near(cw_student_quantile(1e-300, 1), -1e300 / pi, 1e-10));
}

static void student_against_integration(void **state)
{
    (void)state;
    static const double dofs[] = {3, 4, 7, 29.5, 63.25, 127, 250, 1000, 19999};
    static const double tails[] = {1e-6, 1e-4, 0.01, 0.025, 0.2, 0.2499999, 0.25, 0.2500001, 0.4, 0.49};
    for (size_t d = 0; d < sizeof dofs / sizeof *dofs; d++) {
        for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
            const double dof = dofs[d], t = -cw_student_quantile(tails[i], dof);
            /* An error of the quantile is that of its probability over t times the density. */
            const double error =
                tails[i] < 0.25 ? student_tail(t, dof) - tails[i] : 0.5 - tails[i] - student_centre(t, dof);
            assert_true(fabs(error) < 1e-8 * t * student_density(t, dof));
        }
    }
}

static void student_symmetry_and_limits(void **state)
{
    (void)state;
    static const double dofs[] = {1, 1.5, 2, 12, 300, 19999, 20001, 1e7, INFINITY};
    for (size_t d = 0; d < sizeof dofs / sizeof *dofs; d++) {
        double last = -INFINITY;
        for (unsigned i = 1; i < 256; i++) {
            const double p = i / 256.0, t = cw_student_quantile(p, dofs[d]);
            assert_true(t == -cw_student_quantile(1 - p, dofs[d]));
            assert_true(t > last);
            last = t;
        }
        assert_true(cw_student_quantile(0.5, dofs[d]) == 0);
    }
    /* The series for many degrees of freedom meets the exact solution, and the normal distribution at the end. */
    for (double p = 1e-6; p < 0.5; p *= 3) {
        const double below = cw_student_quantile(p, 2e4), above = cw_student_quantile(p, 2e4 * (1 + 1e-9));
        assert_true(near(below, above, 1e-10));
        assert_true(near(cw_student_quantile(p, 1e15), cw_normal_quantile(p), 1e-13));
    }
    assert_true(isnan(cw_student_quantile(0, 5)) && isnan(cw_student_quantile(1, 5)));
    assert_true(isnan(cw_student_quantile(0.5, 0.5)) && isnan(cw_student_quantile(NAN, 5)));
    assert_true(isnan(cw_student_quantile(0.5, NAN)));
}

static void normal_quantiles(void **state)
{
    (void)state;
    assert_true(near(cw_normal_quantile(0.975), 1.959963984540054, 1e-14));
    assert_true(near(cw_normal_quantile(0.75), 0.6744897501960817, 1e-14));
    assert_true(near(cw_normal_quantile(0.9), 1.2815515655446004, 1e-14));
    assert_true(near(cw_normal_quantile(1e-6), -4.753424308822899, 1e-14));
    assert_true(near(cw_normal_quantile(1e-10), -6.361340902404056, 1e-13));
    assert_true(cw_normal_quantile(0.5) == 0);
    for (double p = 1e-300; p < 0.5; p *= 7) {
        const double z = cw_normal_quantile(p);
        const double density = exp(-0.5 * z * z) / sqrt(8 * atan(1.0));
        assert_true(fabs(0.5 * erfc(-z / sqrt(2)) - p) < 1e-11 * fabs(z) * density);
    }
    for (double centre = 0x1p-40; centre < 0.5; centre *= 2) {
        const double z = cw_normal_quantile(0.5 + centre);
        assert_true(near(0.5 * erf(z / sqrt(2)), centre, 1e-14));
        assert_true(z == -cw_normal_quantile(0.5 - centre));
    }
    assert_true(isnan(cw_normal_quantile(0)) && isnan(cw_normal_quantile(1)) && isnan(cw_normal_quantile(NAN)));
}

static void quantiles_interpolate(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4, 8, 16};
    assert_true(cw_quantile(values, 5, 0) == 1 && cw_quantile(values, 5, 1) == 16);
    assert_true(cw_quantile(values, 5, 0.25) == 2 && cw_quantile(values, 5, 0.5) == 4);
    assert_true(cw_quantile(values, 5, 0.625) == 6 && cw_quantile(values, 5, 0.875) == 12);
    assert_true(cw_quantile(values, 4, 0.5) == 3);
    assert_true(cw_quantile(values, 1, 0.3) == 1);
    assert_true(isnan(cw_quantile(values, 0, 0.5)) && isnan(cw_quantile(values, 5, 1.1)));
    assert_true(isnan(cw_quantile(values, 5, -0.1)) && isnan(cw_quantile(values, 5, NAN)));
}

static void summary_of_few(void **state)
{
    (void)state;
    const double values[] = {9, 2, 4, 5, 4, 5, 7, 4, 1, 9};
    struct cw_summary s;
    assert_int_equal(cw_summarise(values, 8, &s), 0);
    assert_int_equal(s.n, 8);
    assert_true(s.mean == 5);
    assert_true(near(s.deviation, sqrt(32.0 / 7), 1e-15));
    assert_true(near(s.standard_error, sqrt(32.0 / 56), 1e-15));
    assert_true(s.min == 2 && s.q25 == 4 && s.median == 4.5 && s.q75 == 5.5 && s.max == 9);
    assert_int_equal(cw_summarise(values, 10, &s), 0); /* squares of the deviations: 32 and 2 · 16 */
    assert_true(s.mean == 5);
    assert_true(near(s.ci95, 2.2621571627409915 * sqrt(64.0 / 90), 1e-9));

    assert_int_equal(cw_summarise(values, 1, &s), 0);
    assert_true(s.n == 1 && s.mean == 9 && s.deviation == 0 && s.standard_error == 0 && isnan(s.ci95));
    assert_true(s.min == 9 && s.q25 == 9 && s.median == 9 && s.q75 == 9 && s.max == 9);
}

static void bad_samples(void **state)
{
    (void)state;
    struct cw_summary s = {.n = 77};
    const double values[] = {1, 2, NAN, INFINITY};
    assert_int_equal(cw_summarise(values, 0, &s), CW_EUSAGE);
    assert_int_equal(cw_summarise(values, 3, &s), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "value 2 "));
    assert_int_equal(cw_summarise(values + 3, 1, &s), CW_EUSAGE);
    assert_int_equal(s.n, 77);
}

/* A plain sum of these loses the small values, and depends on the order. */
static void sums_are_compensated(void **state)
{
    (void)state;
    enum { N = 1002 };
    double values[N];
    values[0] = 1e16, values[1] = -1e16;
    for (size_t i = 2; i < N; i++) values[i] = 1;
    struct cw_summary a, b;
    assert_int_equal(cw_summarise(values, N, &a), 0);
    assert_true(near(a.mean, 1000.0 / N, 1e-15));
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    for (size_t i = N - 1; i > 0; i--) {
        const size_t j = cw_random_below(&random, (uint32_t)i + 1);
        const double value = values[i];
        values[i] = values[j], values[j] = value;
    }
    assert_int_equal(cw_summarise(values, N, &b), 0);
    assert_memory_equal(&a, &b, sizeof a);

    for (size_t i = 0; i < 3; i++) values[i] = 1e9 + 0.1 * (double)i; /* small spread on a large mean */
    assert_int_equal(cw_summarise(values, 3, &a), 0);
    assert_true(near(a.deviation, 0.1, 1e-6));
}

/* Nothing is said of the mean by few samples, nor by equal ones; a difference in the last bit is none. */
static void no_interval_rests_on_nothing(void **state)
{
    (void)state;
    enum { N = 1000 };
    double values[N];
    struct cw_summary s;
    for (size_t i = 0; i < N; i++) values[i] = 1 + (double)(i % 3);
    for (size_t n = 1; n < 20; n++) {
        struct cw_running running = {0};
        for (size_t i = 0; i < n; i++) cw_running_add(&running, values[i]);
        assert_int_equal(cw_summarise(values, n, &s), 0);
        assert_true(isnan(s.ci95) == (n < 10) && isnan(cw_running_ci95(&running)) == (n < 10));
    }
    for (int last_bits = 0; last_bits < 2; last_bits++) {
        struct cw_running running = {0};
        for (size_t i = 0; i < N; i++)
            cw_running_add(&running, values[i] = last_bits && i % 2 ? nextafter(0.3, 1) : 0.3);
        assert_int_equal(cw_summarise(values, N, &s), 0);
        assert_true(isnan(s.ci95) && isnan(cw_running_ci95(&running)));
    }
    for (size_t i = 0; i < N; i++) values[i] = 0; /* equal, and nothing to compare a deviation with */
    assert_int_equal(cw_summarise(values, N, &s), 0);
    assert_true(isnan(s.ci95));
}

/* In how many of the experiments that print an interval it holds the mean. DRAW gives samples with mean 0. */
static double coverage(double (*draw)(struct cw_random *random), size_t n)
{
    enum { EXPERIMENTS = 20000 };
    double values[100];
    unsigned covered = 0, printed = 0;
    for (unsigned i = 0; i < EXPERIMENTS; i++) {
        struct cw_random random = cw_random_of(2, CW_STREAM_TEST, i);
        struct cw_summary s;
        for (size_t k = 0; k < n; k++) values[k] = draw(&random);
        assert_int_equal(cw_summarise(values, n, &s), 0);
        if (isnan(s.ci95)) continue;
        printed++;
        covered += fabs(s.mean) <= s.ci95;
    }
    return printed > 0 ? covered / (double)printed : NAN;
}

static double draw_normal(struct cw_random *random)
{
    return cw_normal_quantile(cw_random_unit(random) + 0x1p-54);
}

/* As the clean times of a collective are: one in ten differs from the others. */
static double draw_clean(struct cw_random *random)
{
    return cw_random_unit(random) < 0.1 ? 0.9 : -0.1;
}

/* As slowdowns are: skewed, in steps. */
static double draw_slowdown(struct cw_random *random)
{
    static const double steps[] = {-0.5, -0.25, -0.25, 0, 0, 0, 0.25, 0.75};
    return steps[cw_random_below(random, 8)];
}

/* Deviation of a coverage: √(0.95·0.05/20000) = 0.00154. Exact for normal samples only; others are held to less, and
 * few of them have no interval at all. */
static void intervals_cover(void **state)
{
    (void)state;
    for (size_t n = 2; n < 10; n++) assert_true(isnan(coverage(draw_clean, n)) && isnan(coverage(draw_slowdown, n)));
    for (size_t n = 10; n <= 100; n *= 2) {
        assert_true(fabs(coverage(draw_normal, n) - 0.95) < 4 * 0.00155);
        assert_true(coverage(draw_clean, n) > 0.88);
        assert_true(coverage(draw_slowdown, n) > 0.93);
    }
}

static void running_agrees_with_summary(void **state)
{
    (void)state;
    enum { N = 500 };
    double values[N];
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, 0);
    for (size_t i = 0; i < N; i++) values[i] = -20 + 7 * cw_random_unit(&random);
    for (size_t cut = 0; cut <= N; cut += 125) {
        struct cw_running left = {0}, right = {0};
        for (size_t i = 0; i < N; i++) cw_running_add(i < cut ? &left : &right, values[i]);
        cw_running_merge(&left, &right);
        struct cw_summary s;
        assert_int_equal(cw_summarise(values, N, &s), 0);
        assert_int_equal(left.n, N);
        assert_true(near(left.mean, s.mean, 1e-14));
        assert_true(near(cw_running_deviation(&left), s.deviation, 1e-13));
        assert_true(near(cw_running_ci95(&left), s.ci95, 1e-13));
        assert_true(left.min == s.min && left.max == s.max);
    }
}

static void running_of_few(void **state)
{
    (void)state;
    struct cw_running running = {0}, none = {0};
    assert_true(cw_running_deviation(&running) == 0 && isnan(cw_running_ci95(&running)));
    cw_running_merge(&running, &none);
    assert_int_equal(running.n, 0);
    cw_running_add(&running, -5);
    assert_true(running.mean == -5 && running.min == -5 && running.max == -5);
    assert_true(cw_running_deviation(&running) == 0 && isnan(cw_running_ci95(&running)));
    cw_running_add(&running, -7);
    assert_true(running.mean == -6 && running.min == -7 && running.max == -5);
    assert_true(near(cw_running_deviation(&running), sqrt(2), 1e-15));
    for (int i = 0; i < 4; i++) {
        cw_running_add(&running, -5);
        cw_running_add(&running, -7);
    }
    assert_true(near(cw_running_ci95(&running), 2.2621571627409915 / 3, 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_table),
        cmocka_unit_test(student_two_sided),
        cmocka_unit_test(student_closed_forms),
        cmocka_unit_test(student_against_integration),
        cmocka_unit_test(student_symmetry_and_limits),
        cmocka_unit_test(normal_quantiles),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(summary_of_few),
        cmocka_unit_test(bad_samples),
        cmocka_unit_test(sums_are_compensated),
        cmocka_unit_test(no_interval_rests_on_nothing),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(running_agrees_with_summary),
        cmocka_unit_test(running_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
