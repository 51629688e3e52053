/* Tests by ranks against published examples and counting all ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "study/bench/sample_tests.h"

static bool near(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance;
}

static void test_ranks(void **state)
{
    (void)state;
    const double values[] = {3, 1, 3, 2, 3, 1};
    const double expected[] = {5, 1.5, 5, 3, 5, 1.5};
    double ranks[6], ties;
    assert_int_equal(cw_ranks_of_values(values, 6, ranks, &ties), 0);
    assert_memory_equal(ranks, expected, sizeof ranks);
    assert_true(ties == 6 + 24);
}

/* Permeability of human membranes at term and at 12 to 26 weeks (Hollander and Wolfe, table 4.1): W = 35, one-sided
 * p = .1272. */
static void test_published_rank_sum(void **state)
{
    (void)state;
    const double a[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double b[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    struct cw_rank_sum test;
    assert_int_equal(cw_rank_sum_test(a, 10, b, 5, &test), 0);
    assert_true(test.u == 35 && test.exact && near(test.p, 2 * 0.1272, 1e-4));
    assert_int_equal(cw_rank_sum_test(b, 5, a, 10, &test), 0);
    assert_true(test.u == 15 && near(test.p, 2 * 0.1272, 1e-4));
}

static double pairs_won(const double *values, size_t n, unsigned chosen)
{
    double u = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (chosen >> i & 1 && !(chosen >> k & 1))
                u += values[i] > values[k] ? 1 : values[i] == values[k] ? 0.5 : 0;
    return u;
}

/* The share of all ways to choose N_A of N values whose U is as far from the mean. */
static double share_as_far(const double *values, size_t n_a, size_t n, double u)
{
    const double mean = 0.5 * (double)n_a * (double)(n - n_a);
    double found = 0, all = 0;
    for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
        if ((size_t)__builtin_popcount(chosen) != n_a) continue;
        all++;
        found += fabs(pairs_won(values, n, chosen) - mean) >= fabs(u - mean);
    }
    return found / all;
}

static void test_rank_sum_by_counting(void **state)
{
    (void)state;
    for (size_t t = 0; t < 60; t++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, t);
        const size_t n_a = 1 + t % 5, n = n_a + 1 + t % 4;
        double values[12];
        struct cw_rank_sum test;
        for (size_t i = 0; i < n; i++) values[i] = cw_random_unit(&random);
        assert_int_equal(cw_rank_sum_test(values, n_a, values + n_a, n - n_a, &test), 0);
        assert_true(test.exact && test.u == pairs_won(values, n, (1u << n_a) - 1));
        assert_true(near(test.p, share_as_far(values, n_a, n, test.u), 1e-12));
    }
}

/* With ties p comes near the share of all ways, and both roads agree where the exact one ends. */
static void test_rank_sum_approximation(void **state)
{
    (void)state;
    const double tied[] = {1, 2, 2, 3, 3, 3, 4, 5, 2, 3, 4, 4, 5, 5, 5, 6};
    struct cw_rank_sum test, exact;
    assert_int_equal(cw_rank_sum_test(tied, 8, tied + 8, 8, &test), 0);
    assert_false(test.exact);
    assert_true(near(test.p, 0.0605296, 1e-7)); /* erfc(17.5 / √(2 · 86.93)): U = 14, ties of 3, 3, 4 and 4 values */
    assert_true(near(test.p, share_as_far(tied, 8, 16, test.u), 0.015));
    double values[62];
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    for (size_t i = 0; i < 62; i++) values[i] = cw_random_unit(&random) + (i < 30 ? 0.1 : 0);
    assert_int_equal(cw_rank_sum_test(values, 30, values + 30, 30, &exact), 0);
    assert_true(exact.exact);
    values[60] = values[0]; /* one tie */
    memmove(values + 30, values + 31, 30 * sizeof *values);
    values[59] = values[0];
    assert_int_equal(cw_rank_sum_test(values, 30, values + 30, 30, &test), 0);
    assert_false(test.exact);
    assert_true(near(test.p, exact.p, 0.05));
}

static void test_rank_sum_of_nothing(void **state)
{
    (void)state;
    const double equal[] = {2, 2, 2, 2};
    struct cw_rank_sum test;
    assert_int_equal(cw_rank_sum_test(equal, 2, equal + 2, 2, &test), 0);
    assert_true(test.p == 1);
    assert_int_equal(cw_rank_sum_test(equal, 4, equal, 0, &test), 0);
    assert_true(test.p == 1);
}

/* 95 % of tests of equal distributions have p > 5 %, at most a little more for counted ways. */
static void test_rank_sum_level(void **state)
{
    (void)state;
    unsigned rejected = 0;
    for (size_t t = 0; t < 2000; t++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, t);
        double values[24];
        struct cw_rank_sum test;
        for (size_t i = 0; i < 24; i++) values[i] = cw_random_unit(&random);
        assert_int_equal(cw_rank_sum_test(values, 12, values + 12, 12, &test), 0);
        rejected += test.p < 0.05;
    }
    assert_in_range(rejected, 65, 125);
}

/* Hamilton's depression scale before and after therapy (Hollander and Wolfe, table 3.1): 5 of 45 signed ranks are the
 * other way, p = 2 · .0195. */
static void test_published_signed_rank(void **state)
{
    (void)state;
    const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double differences[10] = {0};
    struct cw_signed_rank test;
    for (size_t i = 0; i < 9; i++) differences[i] = before[i] - after[i];
    assert_int_equal(cw_signed_rank_test(differences, 10, &test), 0); /* a difference of 0 is left out */
    assert_true(test.n == 9 && test.v == 40 && test.exact && near(test.p, 2 * 0.01953125, 1e-12));
    for (size_t i = 0; i < 9; i++) differences[i] = -differences[i];
    assert_int_equal(cw_signed_rank_test(differences, 9, &test), 0);
    assert_true(test.v == 5 && near(test.p, 2 * 0.01953125, 1e-12));
}

/* Against all signs; with ties, and where both roads meet, nearly. */
static void test_signed_rank_by_counting(void **state)
{
    (void)state;
    for (size_t t = 0; t < 60; t++) {
        struct cw_random random = cw_random_of(6, CW_STREAM_TEST, t);
        const size_t n = 1 + t % 12;
        double differences[12], ranks[12], sizes[12], found = 0;
        struct cw_signed_rank test;
        for (size_t i = 0; i < n; i++) differences[i] = cw_random_unit(&random) - (t % 2 ? 0.5 : 0.2);
        for (size_t i = 0; i < n && t % 3 == 0; i++) differences[i] = round(8 * differences[i]) + 0.5;
        for (size_t i = 0; i < n; i++) sizes[i] = fabs(differences[i]);
        assert_int_equal(cw_ranks_of_values(sizes, n, ranks, NULL), 0);
        assert_int_equal(cw_signed_rank_test(differences, n, &test), 0);
        const double mean = 0.25 * (double)(n * (n + 1));
        for (unsigned signs = 0; signs < 1u << n; signs++) {
            double v = 0;
            for (size_t i = 0; i < n; i++) v += signs >> i & 1 ? ranks[i] : 0;
            found += fabs(v - mean) >= fabs(test.v - mean) - 1e-9;
        }
        assert_true(near(test.p, found / (1u << n), test.exact ? 1e-12 : n < 6 ? 0.3 : 0.1));
    }
    double many[61];
    struct cw_signed_rank exact, test;
    for (size_t i = 0; i < 61; i++) many[i] = (double)(i + 1) * (i % 3 == 0 ? -1 : 1);
    assert_int_equal(cw_signed_rank_test(many, 60, &exact), 0);
    assert_int_equal(cw_signed_rank_test(many, 61, &test), 0);
    assert_true(exact.exact && !test.exact);
    many[59] = 59; /* a tie */
    assert_int_equal(cw_signed_rank_test(many, 60, &test), 0);
    assert_true(!test.exact && near(test.p, exact.p, 0.002));
    const double tied[] = {1, 1, 1, 1, 2, 2, -2, 3};
    assert_int_equal(cw_signed_rank_test(tied, 8, &test), 0);
    assert_true(test.v == 30 && near(test.p, 0.1012795, 1e-7)); /* erfc(11.5 / √(2 · 49.25)): ties of 4 and 3 */
    assert_int_equal(cw_signed_rank_test(many, 0, &test), 0);
    assert_true(test.p == 1 && test.n == 0);
}

/* Hours of television against intelligence, an example found everywhere: ρ = -29/165, p = .627188 by Student's t. */
static void test_published_spearman(void **state)
{
    (void)state;
    const double x[] = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110}, y[] = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    struct cw_spearman result;
    assert_int_equal(cw_spearman_of(x, y, 10, &result), 0);
    assert_true(near(result.r, -29.0 / 165, 1e-12) && near(result.p, 0.627188, 1e-6));
    /* atanh r ∓ 1.96 √((1 + r²/2)/7) */
    assert_true(near(result.low, tanh(-0.17760 - 0.74654), 1e-4) && near(result.high, tanh(-0.17760 + 0.74654), 1e-4));
}

/* Published critical values (Zar, 1972): of 5 pairs r = 1 has p = 2/120, r = .9 has 10/120. */
static void test_small_spearman(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, same[] = {10, 20, 30, 40, 50}, swapped[] = {2, 1, 3, 4, 5},
                 flat[] = {1, 1, 1, 1, 1};
    struct cw_spearman result;
    assert_int_equal(cw_spearman_of(x, same, 5, &result), 0);
    assert_true(result.r == 1 && near(result.p, 2.0 / 120, 1e-12) && isnan(result.low));
    assert_int_equal(cw_spearman_of(x, swapped, 5, &result), 0);
    assert_true(near(result.r, 0.9, 1e-12) && near(result.p, 10.0 / 120, 1e-12));
    assert_int_equal(cw_spearman_of(x, flat, 5, &result), 0);
    assert_true(isnan(result.r) && isnan(result.p));
    assert_int_equal(cw_spearman_of(x, same, 1, &result), 0);
    assert_true(isnan(result.r));
}

/* All permutations and Student's t agree where one takes over from the other; intervals hold the truth. */
static void test_spearman_of_many(void **state)
{
    (void)state;
    const double truth = 6 / M_PI * asin(0.5 * 0.7); /* of normal pairs with correlation .7 */
    unsigned held = 0, rejected = 0;
    for (size_t t = 0; t < 1000; t++) {
        struct cw_random random = cw_random_of(4, CW_STREAM_TEST, t);
        double x[40], y[40], z[40];
        struct cw_spearman result;
        for (size_t i = 0; i < 40; i++) {
            const double r = sqrt(-2 * log1p(-cw_random_unit(&random))), angle = 2 * M_PI * cw_random_unit(&random);
            x[i] = r * cos(angle);
            y[i] = 0.7 * x[i] + sqrt(1 - 0.49) * r * sin(angle);
            z[i] = cw_random_unit(&random);
        }
        assert_int_equal(cw_spearman_of(x, y, 40, &result), 0);
        held += result.low <= truth && truth <= result.high;
        assert_int_equal(cw_spearman_of(x, z, 9, &result), 0);
        rejected += result.p < 0.05;
    }
    assert_in_range(held, 930, 970);
    assert_in_range(rejected, 30, 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_published_rank_sum),
        cmocka_unit_test(test_rank_sum_by_counting),
        cmocka_unit_test(test_rank_sum_approximation),
        cmocka_unit_test(test_rank_sum_of_nothing),
        cmocka_unit_test(test_rank_sum_level),
        cmocka_unit_test(test_published_signed_rank),
        cmocka_unit_test(test_signed_rank_by_counting),
        cmocka_unit_test(test_published_spearman),
        cmocka_unit_test(test_small_spearman),
        cmocka_unit_test(test_spearman_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
