/* What trials come to: over those that were kept, and of these over those in which a quantity applies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/jobs/flit_jobs_case.h"

enum { JOBS = 2, KEPT = 3 };

static void test_summaries(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[(KEPT + 1) * JOBS] = {0};
    const struct cw_flit_trials trials = {.wanted = KEPT + 1, .n_jobs = JOBS, .kept = KEPT, .outcomes = outcomes};
    struct cw_summary summary;
    for (size_t i = 0; i <= KEPT; i++) {
        outcomes[i * JOBS].of[CW_OUTCOME_TIME] = 10 * (double)(i + 1); /* 10, 20, 30; the 40 of no trial */
        outcomes[i * JOBS + 1].of[CW_OUTCOME_TIME] = 7;
        outcomes[i * JOBS].of[CW_OUTCOME_SLOWDOWN] = (double)NAN;
        outcomes[i * JOBS + 1].of[CW_OUTCOME_SLOWDOWN] = i == 0 ? (double)NAN : (double)i;
    }
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_TIME, &summary), 0);
    assert_int_equal(summary.n, 3);
    assert_true(fabs(summary.mean - 20) < 1e-12);
    assert_true(summary.max == 30);
    assert_int_equal(cw_flit_trials_summarise(&trials, 1, CW_OUTCOME_TIME, &summary), 0);
    assert_true(summary.mean == 7);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_SLOWDOWN, &summary), 0);
    assert_int_equal(summary.n, 0);
    assert_true(isnan(summary.mean) && isnan(summary.ci95));
    assert_int_equal(cw_flit_trials_summarise(&trials, 1, CW_OUTCOME_SLOWDOWN, &summary), 0);
    assert_int_equal(summary.n, 2);
    assert_true(summary.mean == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_summaries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
