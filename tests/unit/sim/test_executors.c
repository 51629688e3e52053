/* Noise, congestion and bisection bandwidth are the same to the last bit whoever runs the trials. */
#include "net/network_internal.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim/noise.h"
#include "sim_test.h"

#include "../block_executor.h"

static const char *const networks[][2] = {{"torus:5x4", NULL}, {"dragonfly:2,4,2,g=3", "valiant-any"}};
enum { N_NETWORKS = sizeof networks / sizeof *networks, TRIALS = 23 };

static void test_ebb(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NETWORKS; i++) {
        struct test_fabric fabric = open_fabric(networks[i][0], networks[i][1]);
        struct block_executor executor = block_executor(4);
        struct cw_ebb_setup setup = {.routes = fabric.routes, .trials = TRIALS, .seed = 1, .n_threads = 2};
        struct cw_ebb_result here, there;
        assert_int_equal(cw_ebb_run(&setup, &here), 0);
        setup.executor = &executor.executor;
        assert_int_equal(cw_ebb_run(&setup, &there), 0);
        assert_int_equal(executor.calls, 1);
        assert_memory_equal(&here, &there, sizeof here);
        close_fabric(&fabric);
    }
}

static void compare_congestion(const struct cw_congestion_result *here, const struct cw_congestion_result *there,
                               uint32_t n_channels)
{
    assert_memory_equal(&here->max, &there->max, sizeof here->max);
    assert_memory_equal(&here->time, &there->time, sizeof here->time);
    assert_true(here->message_mean == there->message_mean && here->bandwidth_mean == there->bandwidth_mean);
    assert_int_equal(here->bin_max, there->bin_max);
    assert_memory_equal(here->samples, there->samples, TRIALS * sizeof *here->samples);
    assert_memory_equal(here->channel_max, there->channel_max, n_channels * sizeof *here->channel_max);
    assert_memory_equal(here->channel_time, there->channel_time, n_channels * sizeof *here->channel_time);
    assert_memory_equal(here->channel_messages, there->channel_messages, n_channels * sizeof *here->channel_messages);
    assert_memory_equal(here->of_channels, there->of_channels, (here->bin_max + 1) * sizeof *here->of_channels);
    assert_memory_equal(here->of_messages, there->of_messages, (here->bin_max + 1) * sizeof *here->of_messages);
}

static void test_congestion(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NETWORKS; i++) {
        struct test_fabric fabric = open_fabric(networks[i][0], networks[i][1]);
        struct block_executor executor = block_executor(5);
        struct cw_pattern *pattern = open_pattern("permutation");
        struct cw_placement *placement = open_placement("random", fabric.net);
        struct cw_congestion_setup setup = {
            .routes = fabric.routes, .pattern = pattern, .placement = placement, .trials = TRIALS, .n_threads = 2};
        struct cw_congestion_result here, there;
        assert_int_equal(cw_congestion_run(&setup, &here), 0);
        setup.executor = &executor.executor;
        assert_int_equal(cw_congestion_run(&setup, &there), 0);
        assert_int_equal(executor.calls, 1);
        compare_congestion(&here, &there, fabric.net->n_channels);
        cw_congestion_free(&here);
        cw_congestion_free(&there);
        cw_placement_free(placement);
        cw_pattern_free(pattern);
        close_fabric(&fabric);
    }
}

static void test_noise(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NETWORKS; i++) {
        struct test_fabric fabric = open_fabric(networks[i][0], networks[i][1]);
        struct block_executor executor = block_executor(3);
        struct cw_schedule *schedule = open_schedule("binomial-bcast");
        struct cw_pattern *pattern = open_pattern("permutation");
        struct cw_placement *placement = open_placement("random", fabric.net);
        struct cw_noise_setup setup = {.collective = {.routes = fabric.routes, .schedule = schedule},
                                       .background = pattern,
                                       .placement = placement,
                                       .ratio = 0.5,
                                       .trials = TRIALS,
                                       .n_threads = 2};
        struct cw_noise_result here, there;
        assert_int_equal(cw_noise_run(&setup, &here), 0);
        setup.executor = &executor.executor;
        assert_int_equal(cw_noise_run(&setup, &there), 0);
        assert_int_equal(executor.calls, 1);
        assert_memory_equal(&here, &there, sizeof here);
        assert_true(here.perturbation_messages > 0);
        cw_placement_free(placement);
        cw_pattern_free(pattern);
        cw_schedule_free(schedule);
        close_fabric(&fabric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ebb),
        cmocka_unit_test(test_congestion),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
