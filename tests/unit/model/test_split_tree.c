/* The split-tree model: its formulas by another way of counting, and every figure that is published or was found
 * independently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "model/split_tree.h"

static const struct cw_split_model knl = {.cores = 64, .ratio = 1}, skylake = {.cores = 48, .ratio = 1};

static struct cw_split_model with(struct cw_split_model model, enum cw_collective_kind collective)
{
    model.collective = collective;
    return model;
}

static void assert_three_digits(double value, double expected)
{
    const double digit = pow(10, floor(log10(expected)) - 2);
    if (fabs(value - expected) > digit / 2) fail_msg("%.5g instead of %.5g", value, expected);
}

/* Edges of a level, one by one: rank i + d is the child of i, a multiple of 2d. */
static void test_levels_are_counted(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 300; n++) {
        const uint32_t height = cw_split_height(n);
        assert_true(UINT32_C(1) << height >= n && UINT32_C(1) << (height - 1) < n);
        double all = 0;
        for (uint32_t level = 1; level <= height; level++) {
            const uint32_t d = UINT32_C(1) << (height - level);
            uint32_t counted = 0;
            for (uint32_t i = 0; i + d < n; i += 2 * d) counted++;
            assert_true(cw_split_edges(CW_SPLIT_EXACT, n, level) == counted);
            all += counted;
        }
        assert_true(all == n - 1);
    }
    assert_int_equal(cw_split_height(1), 0);
}

/* Half an edge at the root, too many elsewhere, and right for powers of two. */
static void test_equation_as_printed(void **state)
{
    (void)state;
    static const double of_seven[] = {.5, 2, 4}, of_51[] = {.5, 2, 3, 6, 13, 26};
    for (uint32_t level = 1; level <= 3; level++)
        assert_true(cw_split_edges(CW_SPLIT_PRINTED, 7, level) == of_seven[level - 1]);
    for (uint32_t level = 1; level <= 6; level++)
        assert_true(cw_split_edges(CW_SPLIT_PRINTED, 51, level) == of_51[level - 1]);
    for (uint32_t n = 2; n <= 256; n *= 2)
        for (uint32_t level = 1; level <= cw_split_height(n); level++)
            assert_true(cw_split_edges(CW_SPLIT_PRINTED, n, level) == cw_split_edges(CW_SPLIT_EXACT, n, level));
    for (uint32_t cores = 2; cores <= 128; cores++)
        for (uint32_t n = 1; n < cores; n++) {
            struct cw_split_model exact = {.cores = cores, .ratio = 1}, printed = exact;
            printed.equation = CW_SPLIT_PRINTED;
            if (cores == 64 || cores == 48)
                assert_int_equal(cw_split_best_steps(&exact, n), cw_split_best_steps(&printed, n));
        }
}

/* Least N of 64 or 48 for which S is best. */
static void check_switches(const struct cw_split_model *model, const uint32_t *at, uint32_t n_switches)
{
    uint32_t steps = 0;
    for (uint32_t n = 1; n < model->cores; n++) {
        if (steps < n_switches && n == at[steps]) steps++;
        assert_int_equal(cw_split_best_steps(model, n), steps);
    }
    assert_int_equal(steps, n_switches);
}

static void check_minimum(const struct cw_split_model *model, uint32_t steps, uint32_t n, double time)
{
    for (uint32_t other = 1; other < model->cores; other++)
        assert_true(cw_split_times_of(model, other, steps).overlapped >= cw_split_times_of(model, n, steps).overlapped);
    assert_three_digits(cw_split_times_of(model, n, steps).overlapped, time);
}

static void test_figure_3(void **state)
{
    (void)state;
    static const uint32_t switches[] = {52, 58, 62};
    check_switches(&knl, switches, 3);
    assert_int_equal(cw_split_best_ranks(&knl), 51);
    assert_int_equal(cw_split_best_steps(&knl, 51), 0);
    check_minimum(&knl, 0, 51, 7.529);
    check_minimum(&knl, 1, 57, 7.737);
    check_minimum(&knl, 2, 60, 8.400);
    check_minimum(&knl, 3, 62, 9.194);
    assert_int_equal(cw_split_best_ranks(&skylake), 38);
    assert_three_digits(cw_split_times_of(&skylake, 38, 0).overlapped, 7.579);
    /* a blocking collective beside its computation, here and with all cores */
    const struct cw_split_times most = cw_split_times_of(&knl, 63, 0);
    assert_three_digits(most.blocking + most.compute, 12.095);
    const struct cw_split_times all = cw_split_times_of(&knl, 64, 6);
    assert_true(all.blocking + all.compute == 12 && all.non_blocking == 6 && all.overlapped == 12);
}

static void test_figure_4(void **state)
{
    (void)state;
    static const uint32_t switches[] = {58, 60, 61, 63};
    for (int gather = 0; gather < 2; gather++) {
        const struct cw_split_model model = with(knl, gather ? CW_COLLECTIVE_GATHER : CW_COLLECTIVE_SCATTER);
        check_switches(&model, switches, 4);
        assert_int_equal(cw_split_best_ranks(&model), 60);
        check_minimum(&model, 2, 60, 70.20);
        /* blocking: all that leaves the root, one level after another */
        assert_true(cw_split_times_of(&model, 64 - 1, 0).blocking == 63);
    }
}

/* All levels on application cores are the blocking collective; on one core for each edge, one level takes one step. */
static void test_ends(void **state)
{
    (void)state;
    const struct cw_collective_traits *traits;
    for (size_t i = 0; (traits = cw_registry_item(&cw_collective_trees, i)); i++) {
        const struct cw_split_model model = with(knl, cw_collective_kind_of(traits));
        for (uint32_t n = 1; n < 64; n++) {
            const struct cw_split_times all = cw_split_times_of(&model, n, 99);
            assert_true(all.non_blocking == all.blocking && all.overlapped == all.blocking + all.compute);
            for (uint32_t steps = 0; n <= 32 && steps <= 5; steps++)
                assert_true(cw_split_times_of(&model, n, steps).non_blocking == all.blocking);
        }
        const struct cw_split_times none = cw_split_times_of(&model, 1, 0);
        assert_true(none.blocking == 0 && none.overlapped == none.compute);
    }
    /* one core for all: each transfer by itself */
    assert_true(cw_split_times_of(&knl, 63, 0).non_blocking == 62);
    const struct cw_split_model both = with(knl, CW_COLLECTIVE_ALLREDUCE);
    const struct cw_split_times once = cw_split_times_of(&knl, 60, 2), twice = cw_split_times_of(&both, 60, 2);
    assert_true(twice.overlapped == 2 * once.overlapped && twice.compute == 2 * once.compute);
}

static void test_ratio(void **state)
{
    (void)state;
    struct cw_split_model model = knl;
    model.ratio = 0;
    assert_true(cw_split_times_of(&model, 60, 1).overlapped == cw_split_times_of(&knl, 60, 1).non_blocking);
    model.ratio = 1000; /* there is time for everything */
    assert_int_equal(cw_split_best_steps(&model, 63), 0);
    assert_int_equal(cw_split_best_ranks(&model), 63);
}

static void test_slices(void **state)
{
    (void)state;
    assert_int_equal(cw_split_best_sliced(&knl), 56);
    assert_three_digits(cw_split_slices_of(&knl, 56).overlapped, 6.860);
    assert_three_digits(cw_split_slices_of(&knl, 60).overlapped, 6.957);
    assert_three_digits(cw_split_slices_of(&knl, 63).overlapped, 6.983);
    assert_three_digits(cw_split_times_of(&knl, 60, 2).overlapped, 8.400);
    assert_three_digits(cw_split_times_of(&knl, 63, 3).overlapped, 10.0);
    for (uint32_t n = 1; n < 64; n++) {
        const struct cw_split_slices slices = cw_split_slices_of(&knl, n);
        const double compute = cw_split_times_of(&knl, n, 0).compute;
        assert_true(slices.fraction >= 0 && slices.fraction <= 1);
        /* what communication cores do fits beside the computation, and all that does not is left */
        const double beside = (1 - slices.fraction) * (n - 1) / (64 - n);
        assert_true(beside <= compute + 1e-12);
        if (slices.fraction > 0) assert_true(fabs(beside - compute) < 1e-12);
        assert_true(fabs(slices.overlapped - compute - slices.fraction * (n - 1) / n) < 1e-12);
        assert_true(slices.overlapped <= cw_split_times_of(&knl, n, cw_split_best_steps(&knl, n)).overlapped + 1e-12);
    }
}

/* The first N, and the first S for it, with the least time of all; with little to compute one rank does best. */
static void test_best_of_all(void **state)
{
    (void)state;
    static const double ratios[] = {0, 0.01, 0.3, 1, 10};
    bool one = false;
    for (uint32_t cores = 2; cores <= 40; cores++) {
        for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
            const struct cw_split_model model = {.cores = cores, .ratio = ratios[i]};
            uint32_t ranks = 0, sliced = 0;
            double least = INFINITY, least_sliced = INFINITY;
            for (uint32_t n = cores - 1; n >= 1; n--) {
                double least_here = INFINITY;
                uint32_t best = 0;
                for (uint32_t steps = cw_split_height(n) + 1; steps-- > 0;) {
                    const double time = cw_split_times_of(&model, n, steps).overlapped;
                    if (time <= least_here) best = steps;
                    least_here = fmin(time, least_here);
                }
                assert_int_equal(cw_split_best_steps(&model, n), best);
                if (least_here <= least) ranks = n;
                if (cw_split_slices_of(&model, n).overlapped <= least_sliced) sliced = n;
                least = fmin(least_here, least);
                least_sliced = fmin(cw_split_slices_of(&model, n).overlapped, least_sliced);
            }
            assert_int_equal(cw_split_best_ranks(&model), ranks);
            assert_int_equal(cw_split_best_sliced(&model), sliced);
            one = one || (ranks == 1 && cores > 2);
        }
    }
    assert_true(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_are_counted),
        cmocka_unit_test(test_equation_as_printed),
        cmocka_unit_test(test_figure_3),
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_best_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
