/* LogGP parameters: those by which round trips were computed come back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "study/bench/fits.h"

#define N 3

static const double L = 4e-6, O = 0.5e-6, SMALL_G = 0.75e-6, G = 2e-10;
static const double bytes[N] = {1e4, 3e4, 1e6};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* By the formula of the header. */
static double prtt(uint32_t n, double d, double s)
{
    return 2 * (L + 2 * O + s * G) + (n - 1) * larger(O + d, SMALL_G + s * G);
}

static void test_known(void **state)
{
    (void)state;
    for (uint32_t n = 2; n < 20; n += 5) {
        double one[N], many[N], found[CW_LOGGP_PARAMETERS];
        for (int i = 0; i < N; i++) {
            one[i] = prtt(1, 0, bytes[i]);
            many[i] = prtt(n, 0, bytes[i]);
        }
        const struct cw_prtt round = {.messages = n,
                                      .delay = 9e-6,
                                      .small = prtt(1, 0, 0),
                                      .small_paced = prtt(n, 9e-6, 0),
                                      .small_many = prtt(n, 0, 0),
                                      .n_sizes = N,
                                      .bytes = bytes,
                                      .one = one,
                                      .many = many};
        assert_int_equal(cw_loggp_fit(&round, found), 0);
        assert_true(fabs(found[CW_LOGGP_L] - L) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_O] - O) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_SMALL_G] - SMALL_G) < 1e-12);
        assert_true(fabs(found[CW_LOGGP_G] - G) < 1e-16);
    }
}

static void test_one_size(void **state)
{
    (void)state;
    static const double same[2] = {8, 8}, times[2] = {1, 1};
    double found[CW_LOGGP_PARAMETERS];
    const struct cw_prtt round = {.messages = 2, .n_sizes = 2, .bytes = same, .one = times, .many = times};
    assert_int_equal(cw_loggp_fit(&round, found), CW_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_one_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
