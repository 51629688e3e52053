/* Overlap: by hand, and the ends of both metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "study/overlap/overlap_runs.h"

static void check(struct cw_overlap_times times, double imb, double osu)
{
    assert_true(fabs(cw_overlap_imb(&times) - imb) < 1e-9);
    assert_true(fabs(cw_overlap_osu(&times) - osu) < 1e-9);
}

static void test_by_hand(void **state)
{
    (void)state;
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 4}, 100, 100);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 8}, 0, 0);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 5}, 75, 75);
    /* less computation than there is to hide: IMB measures what could be hidden, OSU the whole */
    check((struct cw_overlap_times){.pure = 4, .within = 2, .total = 4}, 100, 50);
    check((struct cw_overlap_times){.pure = 2, .within = 10, .total = 11}, 50, 50);
    /* slower than one after the other; faster than the computation */
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 9}, 0, 0);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 3.9}, 100, 102.5);
    /* the computation takes longer beside the collective than alone: total tells, not the overlap */
    check((struct cw_overlap_times){.pure = 4, .compute = 4, .within = 6, .total = 7}, 75, 75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
