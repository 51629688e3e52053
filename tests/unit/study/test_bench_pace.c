/* What ranks decide between calls, held to what the header says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/bench/bench_pace.h"
#include "study/bench/rank_clock.h"

static void test_margin(void **state)
{
    (void)state;
    assert_true(fabs(cw_bench_margin(1e-3, 5e-4) - 2e-3) < 1e-15);
    assert_true(cw_bench_margin(0.5, 10) == 1);
    assert_true(fabs(cw_bench_margin(1e-3, 0) - 0.97e-3) < 1e-15); /* in time: shorter, though not missed by anything */
    assert_true(cw_bench_margin(0, 0) == 20e-6 && cw_bench_margin(20.1e-6, 0) == 20e-6);
}

static void test_nap(void **state)
{
    (void)state;
    for (double left = 1e-6; left < 3; left *= 1.3) {
        const double nap = cw_bench_nap(left);
        assert_true(nap >= 0 && nap < 1 && nap <= fmax(0, left - 50e-6 + 1e-12));
        assert_int_equal(nap > 0, left > 100e-6);
    }
    assert_true(fabs(cw_bench_nap(1e-3) - 0.95e-3) < 1e-12 && cw_bench_nap(2) == 0.1);
}

static void test_asks_for_end(void **state)
{
    (void)state;
    static const size_t asked[] = {1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64};
    size_t next = 0;
    for (size_t n = 1; n <= 64; n++) {
        const bool asks = n == asked[next];
        assert_int_equal(cw_bench_asks_for_end(n), asks);
        next += asks;
    }
}

static void test_messages_at_once(void **state)
{
    (void)state;
    const size_t room = (size_t)64 << 20;
    assert_int_equal(cw_bench_messages_at_once(room / 4, 100), 4);
    assert_int_equal(cw_bench_messages_at_once(room / 4 + 1, 100), 3);
    assert_int_equal(cw_bench_messages_at_once(room, 100), 1);
    assert_int_equal(cw_bench_messages_at_once(room + 1, 100), 1);
    assert_int_equal(cw_bench_messages_at_once(8, 100), 100);
    assert_int_equal(cw_bench_messages_at_once(room / 100, 100), 100);
    assert_int_equal(cw_bench_messages_at_once(1, 1u << 27), room);
    assert_int_equal(cw_bench_messages_at_once(0, 7), 7);
}

static void test_sync(void **state)
{
    (void)state;
    for (size_t n = 0; n <= CW_CLOCK_POINTS; n++) assert_true(cw_bench_is_sync_due(0, n));
    assert_false(cw_bench_is_sync_due(0.25, CW_CLOCK_POINTS + 1));
    assert_true(cw_bench_is_sync_due(0.2501, CW_CLOCK_POINTS + 1));
}

static void test_share(void **state)
{
    (void)state;
    double left = 12, of_all = 0;
    for (size_t step = 0; step < 5; step++) {
        const double share = cw_bench_share(left, step, 5);
        assert_true(fabs(share - 2.4) < 1e-12);
        of_all += share;
        left -= share;
    }
    assert_true(fabs(of_all - 12) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_margin),       cmocka_unit_test(test_nap),
                                       cmocka_unit_test(test_asks_for_end), cmocka_unit_test(test_messages_at_once),
                                       cmocka_unit_test(test_sync),         cmocka_unit_test(test_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
