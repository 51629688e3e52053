/* LogGP parameters: those by which round trips were computed come back, and figures by hand are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/bench/loggp.h"

#define N     3
#define WIDTH (3 + 2 * N)

static const double L = 4e-6, O = 0.5e-6, SMALL_G = 0.75e-6, G = 2e-10;
static const uint64_t bytes[N] = {10000, 30000, 1000000};

/* By the formula of the header. */
static double prtt(uint32_t n, double d, double s)
{
    return 2 * (L + 2 * O + s * G) + (n - 1) * fmax(O + d, SMALL_G + s * G);
}

/* A round of N messages with a pause of DELAY. */
static void fill(uint32_t n, double delay, double times[WIDTH])
{
    times[0] = prtt(1, 0, 0);
    times[1] = prtt(n, delay, 0);
    times[2] = prtt(n, 0, 0);
    for (int i = 0; i < N; i++) {
        times[3 + 2 * i] = prtt(1, 0, (double)bytes[i]);
        times[4 + 2 * i] = prtt(n, 0, (double)bytes[i]);
    }
}

static void test_known(void **state)
{
    (void)state;
    assert_int_equal(cw_loggp_width(N), WIDTH);
    for (uint32_t n = 2; n < 20; n += 5) {
        double times[2][WIDTH] = {{0}}, found[CW_LOGGP_PARAMETERS]; /* the second round counts */
        fill(n, 9e-6, times[1]);
        const struct cw_loggp_rounds rounds = {n, 9e-6, N, bytes, 2, times[0]};
        assert_int_equal(cw_loggp_fit(&rounds, 1, found), 0);
        assert_true(fabs(found[CW_LOGGP_L] - L) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_O] - O) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_SMALL_G] - SMALL_G) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_G] - G) < 1e-16);
    }
}

static void test_one_size(void **state)
{
    (void)state;
    static const uint64_t same[2] = {8, 8};
    static const double times[7] = {1, 1, 1, 1, 1, 1, 1};
    double found[CW_LOGGP_PARAMETERS];
    const struct cw_loggp_rounds rounds = {2, 0, 2, same, 1, times};
    struct cw_result *result;
    assert_int_equal(cw_loggp_fit(&rounds, 0, found), CW_EUSAGE);
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_loggp_show(&rounds, "nobody", result), CW_EUSAGE);
    cw_result_free(result);
}

static void check_row(const struct cw_table *table, size_t row, size_t first, const double *expected, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        const double found = cw_table_cell_real(table, row, first + c);
        if (!(fabs(found - expected[c]) <= 1e-9 * fabs(expected[c])))
            fail_msg("row %zu, column %zu: %.12g, expected %.12g", row, first + c, found, expected[c]);
    }
}

/* Seven rounds whose times are FACTOR times those of the formula: the fourth of these is 1. */
static struct cw_result *shown(double times[7][WIDTH], double latency)
{
    static const double factors[7] = {1.02, 0.7, 1, 1.05, 0.99, 1.5, 0.98};
    struct cw_result *result;
    for (int r = 0; r < 7; r++) {
        fill(5, 9e-6, times[r]);
        times[r][0] += 2 * latency;
        for (int i = 0; i < WIDTH; i++) times[r][i] *= factors[r];
    }
    const struct cw_loggp_rounds rounds = {5, 9e-6, N, bytes, 7, times[0]};
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_loggp_show(&rounds, "rank 3 on a and rank 5 on b", result), 0);
    assert_int_equal(cw_result_check(result), 0);
    return result;
}

static void expect(const struct cw_result *result, const char *sentence, bool there)
{
    struct cw_text text = {0};
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    if (!strstr(text.data, sentence) == there) fail_msg("'%s': expected %d in %s", sentence, there, text.data);
    cw_text_free(&text);
}

static void test_tables(void **state)
{
    (void)state;
    double times[7][WIDTH];
    struct cw_result *result = shown(times, 0);
    const struct cw_table *parameters = cw_result_table(result, 0), *sizes = cw_result_table(result, 1);
    assert_int_equal(cw_table_rows(parameters), 4);
    /* G and g are proportional to the times, o + d is, and L is half of PRTT(1, 0, 1) less 2o: medians and ends */
    const double o = O + 9e-6, small = (L + 2 * O);
    check_row(parameters, 0, 2,
              (const double[]){L, 1.5 * small - 2 * (1.5 * o - 9e-6), 0.7 * small - 2 * (0.7 * o - 9e-6)}, 3);
    check_row(parameters, 1, 2, (const double[]){O, 0.7 * o - 9e-6, 1.5 * o - 9e-6}, 3);
    check_row(parameters, 2, 2, (const double[]){SMALL_G, 0.7 * SMALL_G, 1.5 * SMALL_G}, 3);
    check_row(parameters, 3, 2, (const double[]){G, 0.7 * G, 1.5 * G}, 3);
    for (size_t p = 0; p < 4; p++) {
        static const char *const names[] = {"L", "o", "g", "G"}, *const units[] = {"s", "s", "s", "s/byte"};
        assert_string_equal(cw_table_cell_text(parameters, p, 0), names[p]);
        assert_string_equal(cw_table_cell_text(parameters, p, 5), units[p]);
    }
    assert_int_equal(cw_table_rows(sizes), N + 1);
    check_row(sizes, 0, 0, (const double[]){1, small, 0.7 * small, 1.5 * small, SMALL_G, 1 / SMALL_G, small + G}, 7);
    for (size_t i = 0; i < N; i++) {
        const double s = (double)bytes[i], way = small + s * G, apart = SMALL_G + s * G;
        check_row(sizes, i + 1, 0, (const double[]){s, way, 0.7 * way, 1.5 * way, apart, s / apart, way}, 7);
    }
    expect(result, "For crosswind noise: --time loggp --L 4us --o 1us --G 0.2ns", true);
    expect(result,
           "Measured between rank 3 on a and rank 5 on b, in 7 rounds of parametrised round trips (Hoefler, Lichei and "
           "Rehm 2007), 5 messages in a row.",
           true);
    expect(result, "L is negative", false);
    cw_result_free(result);
}

/* Where both ends share a processor, half a round trip is less than the overheads: o takes what L lacks. */
static void test_negative_latency(void **state)
{
    (void)state;
    double times[7][WIDTH];
    struct cw_result *result = shown(times, -3e-6); /* of 5 us; o grows by 1.5 us, L falls to 2 - 4 us */
    check_row(cw_result_table(result, 0), 0, 2, (const double[]){-2e-6}, 1);
    check_row(cw_result_table(result, 0), 1, 2, (const double[]){2e-6}, 1);
    expect(result, "--time loggp --L 0us --o 2us --G 0.2ns", true);
    expect(result, "L is negative", true);
    cw_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_one_size),
                                       cmocka_unit_test(test_tables), cmocka_unit_test(test_negative_latency)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
