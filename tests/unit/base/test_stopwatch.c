#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/stopwatch.h"

static void test_time(void **state)
{
    (void)state;
    static const struct {
        double moment;
        struct timespec time;
    } cases[] = {{0, {0, 0}},           {0.25, {0, 250000000}}, {1, {1, 0}},
                 {7.5, {7, 500000000}}, {1e-9, {0, 1}},         {86400.125, {86400, 125000000}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct timespec time = cw_stopwatch_time(cases[i].moment);
        assert_int_equal(time.tv_sec, cases[i].time.tv_sec);
        assert_int_equal(time.tv_nsec, cases[i].time.tv_nsec);
    }
    for (double moment = 99.9; moment < 100.1; moment += 1e-5) {
        const struct timespec time = cw_stopwatch_time(moment);
        assert_true(time.tv_nsec >= 0 && time.tv_nsec < 1000000000);
        assert_true(fabs((double)time.tv_sec + 1e-9 * (double)time.tv_nsec - moment) < 2e-9);
    }
}

static void test_deadline(void **state)
{
    (void)state;
    const double before = cw_stopwatch_now(), end = cw_stopwatch_deadline(5);
    assert_true(end >= before + 5 && end <= cw_stopwatch_now() + 5);
    assert_true(isinf(cw_stopwatch_deadline(0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time), cmocka_unit_test(test_deadline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
