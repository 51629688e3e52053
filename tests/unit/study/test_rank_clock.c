/* Offsets and drifts of clocks whose true ones are known: the stated errors must hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "study/bench/rank_clock.h"

/* A clock: own time t is t + offset + drift · t of rank 0. */
struct truth {
    double offset, drift;
};

static double global(const struct truth *truth, double local)
{
    return local + truth->offset + truth->drift * local;
}

/* N exchanges from time LOCAL on, of which the two ways take THERE and BACK and up to NOISE more each. */
static struct cw_clock_point exchange(const struct truth *truth, struct cw_random *random, size_t n, double local,
                                      double there, double back, double noise)
{
    struct cw_clock_exchange all[64];
    for (size_t i = 0; i < n; i++) {
        all[i].sent = local;
        local += there + noise * cw_random_unit(random);
        all[i].remote = global(truth, local);
        local += back + noise * cw_random_unit(random);
        all[i].received = local;
    }
    return cw_clock_best(all, n);
}

static void test_best(void **state)
{
    (void)state;
    static const struct cw_clock_exchange all[] = {{0, 5.5, 1}, {2, 7.1, 2.2}, {3, 8.4, 3.5}};
    const struct cw_clock_point point = cw_clock_best(all, 3);
    assert_true(fabs(point.local - 2.1) < 1e-12 && fabs(point.offset - 5) < 1e-12 && fabs(point.error - 0.1) < 1e-12);
}

/* However unlike the two ways, and whatever the noise, the true offset is within the error, where the clock was
 * compared, in between, and behind it. */
static void test_bounds(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 500; trial++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
        const struct truth truth = {.offset = 1000 * (cw_random_unit(&random) - 0.5),
                                    .drift = 200e-6 * (cw_random_unit(&random) - 0.5)};
        const double there = 1e-6 + 50e-6 * cw_random_unit(&random), back = 1e-6 + 50e-6 * cw_random_unit(&random);
        const double noise = trial % 2 ? 1e-3 : 1e-6;
        struct cw_clock_point points[6];
        const size_t n = 1 + trial / 2 % 6; /* of quiet and of noisy exchanges */
        for (size_t i = 0; i < n; i++)
            points[i] = exchange(&truth, &random, 10, (double)i + cw_random_unit(&random), there, back, noise);
        const struct cw_clock_model model = cw_clock_fit(points, n);
        for (double local = points->local; local < points[n - 1].local + 3; local += 0.1) {
            const double off = cw_clock_global(&model, local) - global(&truth, local);
            assert_true(fabs(off) <= cw_clock_error(&model, local) + 1e-12);
            assert_true(fabs(model.drift - truth.drift) <= cw_clock_drift_error(&model) + 1e-12);
            assert_true(fabs(cw_clock_local(&model, cw_clock_global(&model, local)) - local) < 1e-9);
        }
    }
}

/* A model to which points are added one by one is that of the last of them. */
static void test_add(void **state)
{
    (void)state;
    struct cw_clock_point points[3 * CW_CLOCK_POINTS];
    struct cw_clock_model model = {0};
    for (size_t i = 0; i < 3 * CW_CLOCK_POINTS; i++) {
        points[i] = (struct cw_clock_point){(double)i, 7 + 1e-4 * (double)(i * i), 1e-6 * (double)(i + 1)};
        cw_clock_add(&model, &points[i]);
        const size_t n = i < CW_CLOCK_POINTS ? i + 1 : CW_CLOCK_POINTS;
        const struct cw_clock_model expected = cw_clock_fit(&points[i + 1 - n], n);
        assert_int_equal(model.n, n);
        assert_memory_equal(model.points, expected.points, n * sizeof *points);
        assert_true(model.origin == expected.origin && model.offset == expected.offset &&
                    model.drift == expected.drift);
    }
}

/* The error is no excuse: with quick exchanges it is small, and the drift is found. */
static void test_sharp(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(4, CW_STREAM_TEST, 0);
    const struct truth truth = {.offset = -77, .drift = 50e-6};
    struct cw_clock_point points[8];
    for (size_t i = 0; i < 8; i++) points[i] = exchange(&truth, &random, 20, (double)i, 2e-6, 2e-6, 20e-6);
    const struct cw_clock_model model = cw_clock_fit(points, 8);
    assert_true(fabs(model.drift - 50e-6) < 2e-6);
    assert_true(cw_clock_error(&model, 3.5) < 20e-6);
    assert_true(cw_clock_error(&model, 8) < 25e-6);
    /* One point knows nothing of the drift. */
    const struct cw_clock_model one = cw_clock_fit(points, 1);
    assert_true(one.drift == 0 && cw_clock_error(&one, points->local + 1) > 50e-6);
    /* A bad exchange among good ones hardly moves the line. */
    points[4].offset += 1e-3;
    points[4].error += 1e-3;
    const struct cw_clock_model disturbed = cw_clock_fit(points, 8);
    assert_true(fabs(cw_clock_global(&disturbed, 3.5) - cw_clock_global(&model, 3.5)) < 2e-6);
    assert_true(cw_clock_error(&disturbed, 4) < 2 * cw_clock_error(&model, 4));
}

/* Two points and what they allow, by hand: in the middle the mean of their bounds, beyond the steepest line. */
static void test_two_points(void **state)
{
    (void)state;
    const struct cw_clock_point points[] = {{.local = 0, .offset = 5, .error = 1e-6},
                                            {.local = 2, .offset = 5, .error = 3e-6}};
    const struct cw_clock_model model = cw_clock_fit(points, 2);
    assert_true(fabs(cw_clock_error(&model, 0) - 1e-6) < 1e-12);
    assert_true(fabs(cw_clock_error(&model, 1) - 2e-6) < 1e-12);
    assert_true(fabs(cw_clock_error(&model, 4) - 7e-6) < 1e-12);
    assert_true(fabs(cw_clock_error(&model, -1) - 3e-6) < 1e-12);
    assert_true(fabs(cw_clock_drift_error(&model) - 2e-6) < 1e-12);
}

/* A drift that changes: no line passes, and the error says how far off the points are. */
static void test_no_line(void **state)
{
    (void)state;
    const struct cw_clock_point points[] = {{.local = 0, .offset = 0, .error = 1e-6},
                                            {.local = 1, .offset = 100e-6, .error = 1e-6},
                                            {.local = 2, .offset = 0, .error = 1e-6}};
    const struct cw_clock_model model = cw_clock_fit(points, 3);
    assert_true(cw_clock_error(&model, 1) >= 65e-6);
    assert_true(cw_clock_drift_error(&model) == CW_CLOCK_DRIFT);
}

/* Rank 0 itself. */
static void test_zero(void **state)
{
    (void)state;
    const struct cw_clock_model zero = {0};
    assert_true(cw_clock_global(&zero, 3.25) == 3.25 && cw_clock_local(&zero, 3.25) == 3.25);
    assert_true(cw_clock_error(&zero, 3.25) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best),       cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_add),        cmocka_unit_test(test_sharp),
                                       cmocka_unit_test(test_two_points), cmocka_unit_test(test_no_line),
                                       cmocka_unit_test(test_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
