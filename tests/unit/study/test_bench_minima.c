/* Samples of a block from what its ranks noted, against times by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/bench/bench_minima.h"

#define SAMPLES 3
#define SIZE    32

/* A clock that is OFFSET behind that of rank 0, to ERROR at 0, and worse later. */
static struct cw_clock_model clock_of(double offset, double error)
{
    const struct cw_clock_point points[] = {{0, offset, error}, {1, offset, error}};
    return cw_clock_fit(points, 2);
}

static void reduce(double *into, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) into[i] = fmin(into[i], from[i]);
}

static void check(const struct cw_bench_sample *sample, double start, double time, double slowest,
                  enum cw_bench_status status)
{
    assert_true(fabs(sample->start - start) < 1e-12);
    assert_true(fabs(sample->time - time) < 1e-12);
    assert_true(fabs(sample->slowest - slowest) < 1e-12);
    assert_int_equal(sample->status, status);
}

/* Two ranks of the application, of which the second's clock is 10 s behind, two of the perturbation, one bystander. */
static void test_block(void **state)
{
    (void)state;
    const struct cw_clock_model zero = {0}, behind = clock_of(10, 1e-3), worse = clock_of(-2, 0.5);
    const struct cw_bench_moment first[SAMPLES] = {{1, 2, false}, {3, 4.5, false}, {6, 7, false}};
    const struct cw_bench_moment second[SAMPLES] = {{-8.5, -7.5, false}, {-7, -6, true}, {-4.5, -1.5, false}};
    const size_t n = cw_bench_minima_size(SAMPLES);
    double all[SIZE], own[SIZE];
    struct cw_bench_sample samples[SAMPLES];
    assert_true(n <= SIZE && cw_bench_minima_size(0) < n);
    cw_bench_minima_clear(all, SAMPLES); /* the bystander */
    cw_bench_minima_clear(own, SAMPLES);
    cw_bench_minima_enter(&zero, first, SAMPLES, own);
    reduce(all, own, n);
    cw_bench_minima_clear(own, SAMPLES);
    cw_bench_minima_enter(&behind, second, SAMPLES, own);
    reduce(all, own, n);
    const double error = fmax(cw_clock_error(&behind, -8.5), cw_clock_error(&behind, -1.5));
    assert_true(error > 2e-3 && cw_clock_error(&behind, -8.5) > cw_clock_error(&behind, -7));

    assert_true(fabs(cw_bench_minima_samples(all, SAMPLES, false, samples) - error) < 1e-15);
    check(&samples[0], 1, 1.5, 1, CW_BENCH_OK);
    check(&samples[1], 3, 1.5, 1.5, CW_BENCH_LATE); /* the second was */
    check(&samples[2], 5.5, 3, 3, CW_BENCH_OK);
    cw_bench_minima_samples(all, SAMPLES, true, samples); /* nobody perturbed */
    assert_int_equal(samples[1].status, CW_BENCH_LATE);

    static const struct {
        double began[2], ended[2]; /* by their clocks: right, and 2 s ahead */
        enum cw_bench_status status[SAMPLES];
    } cases[] = {{{0, 2.5}, {9, 11}, {CW_BENCH_OK, CW_BENCH_LATE, CW_BENCH_OK}},
                 {{0, 3}, {8.5, 11}, {CW_BENCH_OK, CW_BENCH_LATE, CW_BENCH_OK}}, /* just */
                 {{0, 3.1}, {9, 11}, {CW_BENCH_UNCOVERED, CW_BENCH_LATE, CW_BENCH_OK}},
                 {{1.1, 2}, {9, 11}, {CW_BENCH_UNCOVERED, CW_BENCH_LATE, CW_BENCH_OK}},
                 {{0, 2}, {8.4, 11}, {CW_BENCH_OK, CW_BENCH_LATE, CW_BENCH_UNCOVERED}},
                 {{0, 2}, {9, 10.4}, {CW_BENCH_OK, CW_BENCH_LATE, CW_BENCH_UNCOVERED}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double whole[SIZE];
        for (size_t j = 0; j < n; j++) whole[j] = all[j];
        for (size_t rank = 0; rank < 2; rank++) {
            cw_bench_minima_clear(own, SAMPLES);
            cw_bench_minima_perturb(rank ? &worse : &zero, cases[i].began[rank], cases[i].ended[rank], own);
            reduce(whole, own, n);
        }
        assert_true(fabs(cw_bench_minima_samples(whole, SAMPLES, true, samples) - error) < 1e-15);
        for (size_t j = 0; j < SAMPLES; j++) assert_int_equal(samples[j].status, cases[i].status[j]);
    }
}

/* By bad clocks a call ends before it began: it took as long as its slowest rank did. */
static void test_bad_clocks(void **state)
{
    (void)state;
    const struct cw_clock_model zero = {0}, behind = clock_of(-3, 1);
    const struct cw_bench_moment zeroth = {5, 5.25, false}, other = {5.5, 6, false};
    double all[SIZE], own[SIZE];
    struct cw_bench_sample sample;
    cw_bench_minima_clear(all, 1);
    cw_bench_minima_enter(&behind, &other, 1, all);
    cw_bench_minima_samples(all, 1, false, &sample);
    check(&sample, 2.5, 0.5, 0.5, CW_BENCH_OK);
    cw_bench_minima_clear(own, 1);
    cw_bench_minima_enter(&zero, &zeroth, 1, own);
    reduce(all, own, cw_bench_minima_size(1));
    cw_bench_minima_samples(all, 1, false, &sample);
    check(&sample, 2.5, 2.75, 0.5, CW_BENCH_OK);
    assert_true(fabs(cw_bench_minima_samples(own, 1, false, &sample)) < 1e-15); /* the clock of rank 0 is right */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_block), cmocka_unit_test(test_bad_clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
