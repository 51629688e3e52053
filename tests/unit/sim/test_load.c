/* Counters of one byte and wider: which of them a channel has must not show. */
#include "sim/load.h"
#include "sim_test.h"

#define CHANNELS 5

/* The congestion of a message on channels A and B. */
static struct cw_congestion congestion_on(const struct cw_load *load, uint32_t a, uint32_t b)
{
    const uint32_t hops[] = {1, 2}, channels[] = {4, a, b};
    struct cw_congestion congestion[2];
    cw_load_congestion(load, 2, hops, channels, congestion);
    return congestion[1];
}

static void add_times(struct cw_load *load, bool background, uint32_t channel, size_t n)
{
    for (; n > 0; n--)
        assert_int_equal(background ? cw_load_add_background(load, &channel, 1) : cw_load_add_own(load, &channel, 1),
                         0);
}

/* OWN and BACKGROUND messages on channel 2, one own on channel 1, three of the background on channel 3. */
static void check_counts(struct cw_load *load, size_t own, size_t background)
{
    add_times(load, false, 2, own);
    add_times(load, true, 2, background);
    add_times(load, false, 1, 1);
    add_times(load, true, 3, 3);
    assert_int_equal(cw_load_own(load, 1), 1);
    assert_int_equal(cw_load_own(load, 2), own);
    assert_int_equal(cw_load_own(load, 3), 0);
    const struct cw_congestion both = congestion_on(load, 1, 2), other = congestion_on(load, 3, 1);
    assert_int_equal(both.own, own > 1 ? own : 1);
    assert_int_equal(both.with_background, own + background > 1 ? own + background : 1);
    assert_int_equal(other.own, 1);
    assert_int_equal(other.with_background, 3);
    const uint32_t used[] = {2, 1};
    cw_load_clear_own(load, used, 2);
    assert_int_equal(congestion_on(load, 1, 2).own, 0);
    assert_int_equal(congestion_on(load, 1, 2).with_background, background);
    cw_load_clear_background(load);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        assert_int_equal(congestion_on(load, c, c).own, 0);
        assert_int_equal(congestion_on(load, c, c).with_background, 0);
    }
}

/* Every pair of counts around what a byte holds, each on a new load, and all one after another on the same. */
static void test_counts(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 127, 128, 254, 255, 256, 257, 1000};
    const size_t n = sizeof counts / sizeof *counts;
    struct cw_load kept;
    assert_int_equal(cw_load_init(&kept, CHANNELS), 0);
    for (size_t i = 0; i < n * n; i++) {
        struct cw_load load;
        assert_int_equal(cw_load_init(&load, CHANNELS), 0);
        check_counts(&load, counts[i / n], counts[i % n]);
        check_counts(&load, counts[i % n], counts[i / n]);
        cw_load_free(&load);
        check_counts(&kept, counts[i / n], counts[i % n]);
    }
    cw_load_free(&kept);
    cw_load_free(&kept);
}

/* A byte that fills up in the midst of one call: what comes before and after is counted once. */
static void test_many_at_once(void **state)
{
    (void)state;
    uint32_t channels[2000];
    struct cw_load load;
    for (uint32_t i = 0; i < 2000; i++) channels[i] = i % 4 == 0 ? 0 : 1 + i % 2;
    assert_int_equal(cw_load_init(&load, CHANNELS), 0);
    assert_int_equal(cw_load_add_own(&load, channels, 2000), 0);
    assert_int_equal(cw_load_add_background(&load, channels, 1000), 0);
    assert_int_equal(cw_load_own(&load, 0), 500);
    assert_int_equal(cw_load_own(&load, 1), 500);
    assert_int_equal(cw_load_own(&load, 2), 1000);
    assert_int_equal(cw_load_own(&load, 3), 0);
    assert_int_equal(congestion_on(&load, 0, 3).with_background, 750);
    assert_int_equal(congestion_on(&load, 2, 3).with_background, 1500);
    cw_load_free(&load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
