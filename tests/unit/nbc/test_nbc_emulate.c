/* The engine on emulated cores is never faster than what depends on what, and who does what, allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_emulate.h"

/* Computation of a second and more is only noted. */
static struct timespec slept;

int __real_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    if (flags == TIMER_ABSTIME || time->tv_sec == 0) return __real_clock_nanosleep(clock, flags, time, left);
    slept = *time;
    return 0;
}

static double emulated(enum cw_collective_kind collective, uint32_t n, uint32_t communication, uint32_t steps,
                       double compute)
{
    const struct cw_nbc_emulation setup = {.collective = collective,
                                           .n = n,
                                           .communication = communication,
                                           .schedule = CW_NBC_SPLIT_TREE,
                                           .steps = steps,
                                           .compute = compute,
                                           .unit = 4e-3};
    double time = 0;
    assert_int_equal(cw_nbc_emulate(&setup, &time), 0);
    return time;
}

static void test_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const enum cw_collective_kind collective = i ? CW_COLLECTIVE_REDUCE : CW_COLLECTIVE_BCAST;
        assert_true(emulated(collective, 1, 1, 0, 3) >= 3);
        assert_true(emulated(collective, 8, 7, 0, 0) >= 3); /* levels */
        assert_true(emulated(collective, 8, 1, 0, 0) >= 7); /* edges, one after the other */
        assert_true(emulated(collective, 8, 2, 0, 9) >= 9); /* computation */
        assert_true(emulated(collective, 6, 5, 1, 4) >= 5); /* the lowest level, not beside the computation */
        assert_true(emulated(collective, 8, 1, 1, 0) >= 4); /* two other levels, of three edges, on one core */
    }
    assert_true(emulated(CW_COLLECTIVE_BCAST, 8, 1, 9, 2) >= 5);     /* all by ranks that wait */
    assert_true(emulated(CW_COLLECTIVE_SCATTER, 8, 1, 0, 0) >= 12);  /* blocks along edges: 4, 2·2, 4·1 */
    assert_true(emulated(CW_COLLECTIVE_GATHER, 8, 7, 0, 0) >= 4);    /* the longest edge */
    assert_true(emulated(CW_COLLECTIVE_ALLREDUCE, 8, 7, 0, 0) >= 6); /* levels up, then down */
    assert_true(emulated(CW_COLLECTIVE_ALLREDUCE, 8, 1, 0, 0) >= 14);
}

/* On a machine that is not too busy, hardly slower than that either: the fastest of some attempts. */
static void check_fast(enum cw_collective_kind collective, uint32_t n, uint32_t communication, double compute,
                       double bound)
{
    double least = emulated(collective, n, communication, 0, compute);
    for (int attempt = 0; attempt < 30 && least > 1.6 * bound; attempt++) {
        const double time = emulated(collective, n, communication, 0, compute);
        if (time < least) least = time;
    }
    if (least < bound || least > 1.6 * bound) fail_msg("%g units instead of %g", least, bound);
}

static void test_times(void **state)
{
    (void)state;
    check_fast(CW_COLLECTIVE_BCAST, 8, 7, 0, 3);
    check_fast(CW_COLLECTIVE_BCAST, 8, 1, 0, 7);
    check_fast(CW_COLLECTIVE_REDUCE, 8, 2, 9, 9); /* beside the computation */
    check_fast(CW_COLLECTIVE_ALLREDUCE, 4, 3, 0, 4);
}

static void test_slices(void **state)
{
    (void)state;
    const struct cw_nbc_emulation setup = {.collective = CW_COLLECTIVE_BCAST,
                                           .n = 5,
                                           .communication = 2,
                                           .schedule = CW_NBC_SLICES,
                                           .fraction = 0,
                                           .compute = 2,
                                           .unit = 4e-3};
    double time = 0;
    assert_int_equal(cw_nbc_emulate(&setup, &time), 0);
    assert_true(time >= 2.8); /* four messages by five ranks */
}

static void test_long_computation(void **state)
{
    (void)state;
    const struct cw_nbc_emulation setup = {
        .collective = CW_COLLECTIVE_BCAST, .n = 1, .communication = 1, .compute = 3, .unit = 1.25};
    double time = 0;
    assert_int_equal(cw_nbc_emulate(&setup, &time), 0);
    assert_int_equal(slept.tv_sec, 3);
    assert_int_equal(slept.tv_nsec, 750000000);
}

static void test_refusals(void **state)
{
    (void)state;
    double time = 0;
    const struct cw_nbc_emulation setups[] = {
        {.collective = CW_COLLECTIVE_ALLTOALL, .n = 2, .communication = 1, .unit = 1},
        {.collective = CW_COLLECTIVE_BCAST, .n = 0, .communication = 1, .unit = 1},
        {.collective = CW_COLLECTIVE_BCAST, .n = 2, .communication = 0, .unit = 1},
        {.collective = CW_COLLECTIVE_BCAST, .n = 2, .communication = 1, .unit = 0},
        {.n = 2, .communication = 1, .unit = 1, .compute = -1}};
    for (unsigned i = 0; i < sizeof setups / sizeof *setups; i++)
        assert_int_equal(cw_nbc_emulate(&setups[i], &time), CW_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_slices), cmocka_unit_test(test_long_computation),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
