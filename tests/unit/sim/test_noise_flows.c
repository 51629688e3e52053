/* Noise by flows: where nothing is shared there is none, elsewhere it is near to what counting gives, and what flows do
 * not have is refused. */
#include "sim/noise.h"

#include "net/network_internal.h"
#include "sim_test.h"

struct bench {
    struct test_fabric fabric;
    struct cw_schedule *schedule;
    struct cw_pattern *background;
    struct cw_placement *placement;
    struct cw_noise_setup setup;
};

static struct bench open_bench(const char *network, const char *schedule)
{
    struct bench bench = {.fabric = open_fabric(network, NULL),
                          .schedule = open_schedule(schedule),
                          .background = open_pattern("derangement")};
    bench.placement = open_placement("random", bench.fabric.net);
    bench.setup = (struct cw_noise_setup){
        .collective = {.routes = bench.fabric.routes,
                       .schedule = bench.schedule,
                       .bytes = 1 << 20,
                       .timing = {.loggp = true, .latency = CW_TIMING_OF_CHANNELS, .gap = CW_TIMING_OF_CHANNELS},
                       .sends = CW_SENDS_IN_ORDER},
        .background = bench.background,
        .placement = bench.placement,
        .ratio = 0.5,
        .trials = 60,
        .seed = 1,
        .n_threads = 1,
        .model = CW_NOISE_FLOWS};
    return bench;
}

static void close_bench(struct bench *bench)
{
    cw_placement_free(bench->placement);
    cw_pattern_free(bench->background);
    cw_schedule_free(bench->schedule);
    close_fabric(&bench->fabric);
}

static struct cw_noise_result run_bench(const struct bench *bench)
{
    struct cw_noise_result result;
    if (cw_noise_run(&bench->setup, &result)) fail_msg("%s", cw_error_message());
    return result;
}

/* On a crossbar, who perturbs has cables of its own. */
static void test_no_noise_without_sharing(void **state)
{
    (void)state;
    struct bench bench = open_bench("crossbar:12", "binomial-bcast");
    const struct cw_noise_result result = run_bench(&bench);
    assert_true(result.slowdown.min == 1 && result.slowdown.max == 1);
    assert_true(result.perturbation_messages == 60 * 6);
    close_bench(&bench);
}

/* Messages cross a trunk that a quarter of them could fill; equal shares are equal shares, by flows as by counts. */
static void test_near_to_counts(void **state)
{
    (void)state;
    struct bench bench = open_bench("xgft:2:4,4:1,1", "binomial-bcast");
    const struct cw_noise_result flows = run_bench(&bench);
    bench.setup.model = CW_NOISE_COUNTS;
    const struct cw_noise_result counts = run_bench(&bench);
    assert_true(flows.slowdown.mean > 1.2);
    assert_true(fabs(flows.clean.mean / counts.clean.mean - 1) < 0.05);
    assert_true(fabs(flows.slowdown.mean / counts.slowdown.mean - 1) < 0.1);
    assert_true(flows.perturbation_messages == counts.perturbation_messages);
    bench.setup.model = CW_NOISE_FLOWS;
    bench.setup.collective.sends = CW_SENDS_AT_ONCE; /* the root's first message is as late as its last one */
    assert_true(run_bench(&bench).clean.mean > 1.05 * flows.clean.mean);
    bench.setup.ratio = 0;
    const struct cw_noise_result quiet = run_bench(&bench);
    assert_true(quiet.slowdown.min == 1 && quiet.slowdown.max == 1 && quiet.perturbation_messages == 0);
    close_bench(&bench);
}

static void test_threads(void **state)
{
    (void)state;
    struct bench bench = open_bench("torus:4x4", "rabenseifner");
    struct cw_times alone[60], together[60];
    bench.setup.samples = alone;
    run_bench(&bench);
    bench.setup.samples = together;
    bench.setup.n_threads = 3;
    run_bench(&bench);
    assert_memory_equal(alone, together, sizeof alone);
    close_bench(&bench);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench bench = open_bench("torus:4x4", "binomial-bcast");
    struct cw_noise_result result;
    bench.setup.perturbation = CW_PERTURBATION_PER_ROUND;
    assert_int_equal(cw_noise_check(&bench.setup), CW_EUSAGE);
    bench.setup.perturbation = CW_PERTURBATION_CONSTANT;
    bench.setup.collective.timing.gap = 1e-9;
    assert_int_equal(cw_noise_run(&bench.setup, &result), CW_EUSAGE);
    bench.setup.collective.timing = (struct cw_timing){0};
    assert_int_equal(cw_noise_run(&bench.setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "flows take seconds, by the capacities of channels; expected no units and no G");
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_noise_without_sharing),
        cmocka_unit_test(test_near_to_counts),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
