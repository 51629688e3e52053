/* When a run has measured enough: against intervals computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/statistics.h"
#include "study/bench/bench_run.h"

#define RANKS 24

static void add_block(struct cw_bench_run *run, uint32_t split, enum cw_bench_state state, uint32_t order, double time)
{
    /* The sample that does not count would change the median. */
    const struct cw_bench_sample samples[] = {{0, time, time, CW_BENCH_OK}, {1, 99, 99, CW_BENCH_LATE}};
    struct cw_bench_block block = {.split = split, .state = state, .order = order, .goodput = NAN, .clock_error = NAN};
    assert_int_equal(cw_bench_run_block(run, &block, samples, 2), 0);
}

static void begin(struct cw_bench_run *run)
{
    static const struct cw_bench_case one = {
        .operation = "allreduce", .bytes = 8, .perturbation = "shift", .perturbation_bytes = 1, .ratio = 0.5};
    static const char *hosts[RANKS];
    uint32_t index;
    for (size_t i = 0; i < RANKS; i++) hosts[i] = "h";
    assert_int_equal(cw_bench_run_begin(run, RANKS, hosts, json_object(), json_object()), 0);
    assert_int_equal(cw_bench_run_case(run, &one, &index), 0);
}

/* A split of its own for each NUMBER. */
static uint32_t add_split(struct cw_bench_run *run, uint32_t number)
{
    uint8_t roles[RANKS];
    uint32_t index;
    for (uint32_t i = 0; i < RANKS; i++) roles[i] = i == number ? CW_BENCH_IDLE : i % 2 ? 1 : 2;
    assert_int_equal(cw_bench_run_split(run, roles, &index), 0);
    return index;
}

static void test_precision(void **state)
{
    (void)state;
    struct cw_bench_run run = {0};
    begin(&run);
    assert_true(isinf(cw_bench_precision(&run)));
    struct cw_running logs = {0};
    for (uint32_t i = 0; i < 12; i++) {
        const double slowdown = 2 + 0.1 * i;
        const uint32_t split = add_split(&run, i);
        if (i % 2) add_block(&run, split, CW_BENCH_CONTROL, 0, 50);
        add_block(&run, split, CW_BENCH_PERTURBED, i % 2, 3 * slowdown);
        if (i % 2 == 0) add_block(&run, split, CW_BENCH_CONTROL, 1, 50);
        add_block(&run, split, CW_BENCH_CLEAN, 2, 3);
        cw_running_add(&logs, log(slowdown));
        assert_true(isinf(cw_bench_precision(&run)) == (i + 1 < CW_INTERVAL_SAMPLES));
    }
    /* The logarithms' interval times the mean is that of the slowdown. */
    const double expected = exp(cw_running_ci95(&logs)) - 1;
    assert_true(expected > 0.05 && fabs(cw_bench_precision(&run) / expected - 1) < 1e-9);
    /* What clocks cannot measure changes nothing. */
    const uint32_t split = add_split(&run, 12);
    const struct cw_bench_sample samples[] = {{0, 1e-6, 1e-6, CW_BENCH_OK}};
    const struct cw_bench_block clean = {
        .split = split, .state = CW_BENCH_CLEAN, .order = 1, .goodput = NAN, .clock_error = 1e-5};
    add_block(&run, split, CW_BENCH_PERTURBED, 0, 5);
    assert_int_equal(cw_bench_run_block(&run, &clean, samples, 1), 0);
    assert_true(fabs(cw_bench_precision(&run) / expected - 1) < 1e-9);
    /* Nor does a split that was measured clean only, whatever comes next. */
    add_block(&run, add_split(&run, 13), CW_BENCH_CLEAN, 0, 3);
    const uint32_t last = add_split(&run, 14);
    add_block(&run, last, CW_BENCH_PERTURBED, 0, 3 * 2.5);
    add_block(&run, last, CW_BENCH_CLEAN, 1, 3);
    cw_running_add(&logs, log(2.5));
    const double widest = exp(cw_running_ci95(&logs)) - 1;
    assert_true(fabs(cw_bench_precision(&run) / widest - 1) < 1e-9);
    /* Of several cases that counts of which least is known. */
    const struct cw_bench_case other = {
        .operation = "bcast", .bytes = 8, .perturbation = "shift", .perturbation_bytes = 1, .ratio = 0.5};
    uint32_t index;
    assert_int_equal(cw_bench_run_case(&run, &other, &index), 0);
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t order = 0; order < 2; order++) {
            const double time = order ? 1 : 2 + 0.001 * i;
            const struct cw_bench_sample sample = {0, time, time, CW_BENCH_OK};
            const struct cw_bench_block block = {.case_index = index,
                                                 .split = i,
                                                 .state = order ? CW_BENCH_CLEAN : CW_BENCH_PERTURBED,
                                                 .order = order,
                                                 .goodput = NAN,
                                                 .clock_error = NAN};
            assert_int_equal(cw_bench_run_block(&run, &block, &sample, 1), 0);
        }
    assert_true(fabs(cw_bench_precision(&run) / widest - 1) < 1e-9);
    cw_bench_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
