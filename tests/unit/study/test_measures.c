/* Which figures are best, by more than chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/compare/measures.h"

static size_t lead_of(enum cw_better better, size_t n, const double *values, const double *ci95, bool *best)
{
    struct cw_measured figures[8];
    for (size_t i = 0; i < n; i++) figures[i] = (struct cw_measured){.value = values[i], .ci95 = ci95[i]};
    return cw_measured_best(better, figures, n, best);
}

/* The rows that are best are the bits of EXPECTED. */
static void check_best(enum cw_better better, size_t n, const double *values, const double *ci95, size_t lead,
                       unsigned expected)
{
    bool best[8];
    unsigned bits = 0;
    assert_int_equal(lead_of(better, n, values, ci95, best), lead);
    for (size_t i = 0; i < n; i++) bits |= (unsigned)best[i] << i;
    assert_int_equal(bits, expected);
}

static void test_best(void **state)
{
    (void)state;
    const double values[] = {1, 3, 2.9, 1, NAN}, none[5] = {0}, narrow[] = {.01, .06, .07, .01, NAN},
                 wide[] = {2, 2, 2, 2, NAN}, unknown[] = {NAN, NAN, NAN, NAN, NAN};
    check_best(CW_BETTER_MORE, 5, values, none, 1, 1u << 1);
    check_best(CW_BETTER_LESS, 5, values, none, 0, 1u << 0 | 1u << 3);
    check_best(CW_BETTER_NEITHER, 5, values, none, 5, 0);
    /* .1 apart is more than hypot(.06, .07) = .092; 2 is less than hypot(2, 2) */
    check_best(CW_BETTER_MORE, 5, values, narrow, 1, 1u << 1);
    check_best(CW_BETTER_MORE, 5, values, wide, 5, 0);
    check_best(CW_BETTER_MORE, 5, values, unknown, 5, 0);
    check_best(CW_BETTER_MORE, 1, values, none, 1, 0);
}

/* With a third that is certainly worse the first two are told apart from it, not from each other. */
static void test_tied(void **state)
{
    (void)state;
    const double values[] = {2.95, 1, 3}, ci95[] = {.06, .06, .06};
    check_best(CW_BETTER_MORE, 3, values, ci95, 2, 1u << 0 | 1u << 2);
    const double alike[] = {2, 2, 2}, exact[3] = {0};
    check_best(CW_BETTER_LESS, 3, alike, exact, 3, 0);
    /* an interval that is not known proves nothing, but hides nothing of the others either */
    const double half_known[] = {0, 0, NAN};
    check_best(CW_BETTER_LESS, 3, values, half_known, 1, 1u << 1 | 1u << 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_tied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
