/* Runs to a steady state on small networks, of which the right result is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../skip.h"
#include "base/error.h"
#include "net/network_internal.h"
#include "sim/flit/steady.h"
#include "topo/topology.h"

/* A simulation with all that it borrows. */
struct setting {
    struct cw_network *net;
    struct cw_workload *workload;
    struct cw_packet_routing *routing;
    uint32_t *endpoints;
    struct cw_flit_job job;
    struct cw_flit_setup setup;
    struct cw_flit_simulation *simulation;
};

static void set_up(struct setting *out, const char *topology, const char *workload, double load)
{
    struct cw_ranks ranks;
    *out = (struct setting){0};
    if (cw_topology_build(topology, &out->net) != 0) fail_msg("%s", cw_error_message());
    cw_ranks_of(out->net, out->net->n_endpoints, &ranks);
    if (cw_workload_new(workload, &ranks, 1, &out->workload) != 0) fail_msg("%s", cw_error_message());
    if (cw_packet_routing_new(out->net, NULL, 1, 1, &out->routing) != 0) fail_msg("%s", cw_error_message());
    out->endpoints = calloc(ranks.n, sizeof *out->endpoints);
    for (uint32_t r = 0; r < ranks.n; r++) out->endpoints[r] = r;
    out->job = (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                    .n_ranks = ranks.n,
                                    .endpoints = out->endpoints,
                                    .workload = out->workload,
                                    .load = load,
                                    .message_flits = 1};
    out->setup = (struct cw_flit_setup){.routing = out->routing,
                                        .hardware = cw_flit_default_hardware(),
                                        .jobs = &out->job,
                                        .n_jobs = 1,
                                        .seed = 1,
                                        .n_threads = 1};
}

static void tear_down(struct setting *setting)
{
    cw_flit_free(setting->simulation);
    cw_packet_routing_free(setting->routing);
    cw_workload_free(setting->workload);
    cw_network_free(setting->net);
    free(setting->endpoints);
}

static struct cw_steady_result run(struct setting *setting, const struct cw_steady_setup *how)
{
    struct cw_steady_result result;
    if (cw_flit_new(&setting->setup, &setting->simulation) != 0) fail_msg("%s", cw_error_message());
    if (cw_steady_run(setting->simulation, &setting->setup, how, &result) != 0) fail_msg("%s", cw_error_message());
    return result;
}

/* Batches follow one another from cycle 0 to the end. */
static void check_batches(const struct cw_steady_result *result)
{
    uint64_t cycle = 0;
    for (size_t i = 0; i < result->n_batches; i++) {
        assert_int_equal(result->batches[i].first_cycle, cycle);
        cycle += result->batches[i].cycles;
    }
    assert_int_equal(cycle, result->warmup_cycles + result->cycles);
}

/* A light load is accepted; the counters are those of the measured cycles. */
static void test_light_load(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "uniform", 0.3);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.find_warmup = true, .cycles = 5000, .confidence = 0.99});
    assert_true(result.steady && fabs(result.drift) < 0.1);
    assert_true(result.offered == 0.3 && result.cycles == 5000 && result.warmup_cycles >= 20000);
    assert_true(fabs(result.accepted - 0.3) <= 1.5 * result.accepted_ci && result.accepted_ci < 0.03);
    assert_true(result.latency_p50 < result.latency_mean + 1 && result.latency_mean < result.latency_p99);
    assert_true(result.latency_ci > 0 && result.latency_ci < 1);
    uint64_t accepted = 0;
    for (uint32_t v = 0; v < 4; v++) accepted += cw_flit_accepted_by(setting.simulation)[v];
    assert_int_equal(accepted, result.messages);
    assert_true(fabs((double)accepted - result.accepted * 4 * 5000) < 1e-3);
    check_batches(&result);
    cw_steady_free(&result);
    assert_int_equal(cw_flit_drain_and_check(setting.simulation), 0);
    tear_down(&setting);
}

/* Measured for CYCLES cycles after as many. */
static struct cw_steady_result measured(const char *traffic, double load, const struct cw_flit_size *sizes,
                                        uint64_t seed, uint64_t cycles)
{
    struct setting setting;
    set_up(&setting, "crossbar:3", traffic, load);
    setting.setup.seed = seed;
    setting.job.sizes = sizes;
    setting.job.n_sizes = sizes ? 2 : 0;
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.warmup = cycles, .cycles = cycles, .confidence = 0.95});
    cw_steady_free(&result);
    tear_down(&setting);
    return result;
}

/* Two endpoints send to the third, which takes a flit a cycle: a load of more than a half is not accepted, and its
 * latencies grow with the run. Whatever is drawn, no less is called so; a mix of lengths offers less evenly. */
static void test_saturated(void **state)
{
    (void)state;
    static const struct cw_flit_size sizes[] = {{1, 0.95}, {20, 0.05}};
    const double loads[] = {0.1, 0.4, 0.49, 0.55, 0.9, 1};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct cw_steady_result brief = measured("hotspot:1,share=1", loads[i], NULL, 1, 2000);
        const struct cw_steady_result longer = measured("hotspot:1,share=1", loads[i], NULL, 1, 20000);
        const bool grows = loads[i] > 0.5;
        assert_true(longer.saturated == grows);
        assert_true(longer.latency_mean > (grows ? 5 : 0.2) * brief.latency_mean);
        assert_true(grows || longer.latency_mean < 5 * brief.latency_mean);
    }
    for (uint64_t seed = 1; seed <= 40; seed++) {
        assert_false(measured("shift:1", 0.3, NULL, seed, 1000).saturated);
        assert_false(measured("shift:1", 0.8, NULL, seed, 1000).saturated);
        assert_false(measured("shift:1", 0.3, sizes, seed, 1000).saturated);
    }
    assert_false(measured("shift:1", 1, NULL, 1, 1000).saturated);
    /* At full load nothing is drawn: a part of a hundred that a slow cable cannot take is seen in few cycles, and less
     * than one of a thousand passes for accepted. */
    struct setting setting;
    const double slow[] = {0.97, 0.9985};
    for (int i = 0; i < 2; i++) {
        set_up(&setting, "crossbar:3", "shift:1", 1);
        setting.net->capacity[setting.net->twin[setting.net->first[0]]] *= slow[i];
        struct cw_steady_result result =
            run(&setting, &(struct cw_steady_setup){.warmup = 8000, .cycles = 3000, .confidence = 0.95});
        assert_true(result.saturated == (i == 0));
        assert_true(result.accepted < (i == 0 ? 0.995 : 0.9999));
        cw_steady_free(&result);
        tear_down(&setting);
    }
    /* Nor is what has only begun, and takes long to arrive. */
    set_up(&setting, "crossbar:3", "shift:1", 1);
    setting.setup.hardware.host_latency = 100;
    setting.setup.hardware.input_flits = 300;
    struct cw_steady_result result = run(&setting, &(struct cw_steady_setup){.cycles = 1000, .confidence = 0.95});
    assert_true(result.accepted < 0.9);
    assert_false(result.saturated);
    cw_steady_free(&result);
    tear_down(&setting);
}

/* Given numbers of cycles are kept to the last one, whether they make whole batches or not. */
static void test_given_cycles(void **state)
{
    (void)state;
    const uint64_t cycles[][2] = {{0, 10}, {777, 1234}, {1, 97}, {1000, 8400}};
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct setting setting;
        set_up(&setting, "crossbar:4", "uniform", 0.5);
        struct cw_steady_result result = run(
            &setting, &(struct cw_steady_setup){.warmup = cycles[i][0], .cycles = cycles[i][1], .confidence = 0.95});
        assert_int_equal(result.warmup_cycles, cycles[i][0]);
        assert_int_equal(result.cycles, cycles[i][1]);
        check_batches(&result);
        cw_steady_free(&result);
        tear_down(&setting);
    }
}

/* The interval of the latency is as wide as means of other seeds scatter. */
static void test_latency_interval(void **state)
{
    (void)state;
    enum { SEEDS = 40 };
    double means[SEEDS], widths = 0, sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct setting setting;
        set_up(&setting, "crossbar:4", "uniform", 0.6);
        setting.setup.seed = seed;
        struct cw_steady_result result =
            run(&setting, &(struct cw_steady_setup){.warmup = 400, .cycles = 8000, .confidence = 0.95});
        means[seed] = result.latency_mean;
        sum += result.latency_mean;
        widths += result.latency_ci / SEEDS;
        cw_steady_free(&result);
        tear_down(&setting);
    }
    for (int i = 0; i < SEEDS; i++) squares += (means[i] - sum / SEEDS) * (means[i] - sum / SEEDS);
    const double expected = 2 * sqrt(squares / (SEEDS - 1));
    if (!(widths > 0.7 * expected && widths < 1.4 * expected))
        fail_msg("half widths of %g in the mean, but the means scatter by %g", widths, expected);
}

static void test_until_precise(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "uniform", 0.5);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.cycles = 1000000, .until_ci = 0.02, .confidence = 0.95});
    assert_true(result.cycles < 100000 && result.accepted_ci <= 0.02 * result.accepted);
    cw_steady_free(&result);
    tear_down(&setting);
}

/* Of three ranks under bit complement the middle one is silent: full load of the other two is all there can be. */
static void test_silent_ranks(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:3", "bitcomp", 1);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.warmup = 200, .cycles = 1000, .confidence = 0.95});
    assert_true(result.accepted > 0.95 && result.accepted <= 1);
    cw_steady_free(&result);
    tear_down(&setting);
}

/* Cables so long that the first messages come after half of the run. */
static void test_warmup_matters(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "uniform", 0.05);
    setting.setup.hardware.host_latency = 500;
    struct cw_steady_result early = run(&setting, &(struct cw_steady_setup){.cycles = 2000, .confidence = 0.95});
    assert_false(early.steady);
    assert_true(early.drift > 0.5 && early.accepted < 0.03);
    cw_steady_free(&early);
    cw_flit_free(setting.simulation);
    struct cw_steady_result late =
        run(&setting, &(struct cw_steady_setup){.find_warmup = true, .cycles = 4000, .confidence = 0.95});
    assert_true(late.steady && fabs(late.accepted - 0.05) < 3 * late.accepted_ci);
    cw_steady_free(&late);
    tear_down(&setting);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct cw_steady_result results[2];
    for (unsigned i = 0; i < 2; i++) {
        struct setting setting;
        set_up(&setting, "dragonfly:2,4,2", "uniform", 0.9);
        setting.setup.n_threads = 1 + 2 * i;
        results[i] = run(&setting, &(struct cw_steady_setup){.warmup = 500, .cycles = 1000, .confidence = 0.95});
        tear_down(&setting);
    }
    assert_int_equal(results[0].n_batches, results[1].n_batches);
    assert_memory_equal(results[0].batches, results[1].batches, results[0].n_batches * sizeof *results[0].batches);
    assert_true(results[0].latency_mean == results[1].latency_mean && results[0].accepted == results[1].accepted);
    cw_steady_free(&results[0]);
    cw_steady_free(&results[1]);
}

/* Where less is accepted than offered, warm-up takes longer. */
static void test_saturated_warmup(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "hotspot:share=1", 1);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.find_warmup = true, .cycles = 2000, .confidence = 0.95});
    assert_true(result.steady && result.accepted < 0.6 && result.warmup_cycles >= 100000);
    cw_steady_free(&result);
    tear_down(&setting);
}

/* An interval of 99 % is wider than one of 95 %, by as much as Student's quantiles are. */
static void test_confidence(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "uniform", 0.5);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.warmup = 1000, .cycles = 20000, .confidence = 0.99});
    assert_true(result.accepted_ci > 1.2 * result.accepted_ci95 && result.accepted_ci < 2 * result.accepted_ci95);
    cw_steady_free(&result);
    tear_down(&setting);
}

/* Two jobs on separate halves of a crossbar: each gets its load, and together they are the whole. */
static void test_jobs(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:8", "uniform", 0.5);
    struct cw_workload *workload;
    const struct cw_ranks ranks = {.n = 4, .per_group = 1};
    assert_int_equal(cw_workload_new("uniform", &ranks, 1, &workload), 0);
    struct cw_flit_job jobs[2] = {setting.job, setting.job};
    for (size_t i = 0; i < 2; i++) {
        jobs[i].n_ranks = 4;
        jobs[i].endpoints = setting.endpoints + 4 * i;
        jobs[i].workload = workload;
        jobs[i].load = i == 0 ? 0.2 : 0.6;
    }
    setting.setup.jobs = jobs;
    setting.setup.n_jobs = 2;
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.warmup = 1000, .cycles = 10000, .confidence = 0.95});
    for (size_t i = 0; i < 2; i++) {
        const struct cw_steady_job *job = &result.jobs[i];
        assert_true(job->offered == jobs[i].load && job->accepted_ci95 > 0 && job->accepted_ci95 < 0.05);
        assert_true(fabs(job->accepted - job->offered) <= 1.5 * job->accepted_ci95);
    }
    assert_true(fabs(result.jobs[0].accepted + result.jobs[1].accepted - 2 * result.accepted) < 1e-9);
    assert_true(result.jobs[1].network_latency > result.jobs[0].network_latency);
    cw_steady_free(&result);
    tear_down(&setting);
    cw_workload_free(workload);
}

/* Little's law tells the latency that the simulation measures message by message. */
static void test_network_latency(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "dragonfly:2,4,2", "uniform", 0.4);
    struct cw_steady_result result =
        run(&setting, &(struct cw_steady_setup){.warmup = 1000, .cycles = 4000, .confidence = 0.95});
    const double got = result.jobs[0].network_latency;
    cw_steady_free(&result);
    struct cw_flit_window window;
    cw_flit_free(setting.simulation);
    assert_int_equal(cw_flit_new(&setting.setup, &setting.simulation), 0);
    assert_int_equal(cw_flit_run(setting.simulation, 1000, &window), 0);
    assert_int_equal(cw_flit_run(setting.simulation, 4000, &window), 0);
    const double right = (double)window.network_latency_sum / (double)window.messages;
    if (fabs(got - right) > 0.01 * right) fail_msg("%g instead of %g", got, right);
    tear_down(&setting);
}

static void test_senders(void **state)
{
    (void)state;
    struct setting setting;
    bool sends[3];
    set_up(&setting, "crossbar:3", "bitcomp", 1);
    assert_int_equal(cw_steady_senders(&setting.job, sends), 0);
    assert_true(sends[0] && !sends[1] && sends[2]);
    tear_down(&setting);
}

static void check_refused(struct setting *setting, const struct cw_steady_setup *how, const char *part)
{
    struct cw_steady_result result;
    assert_int_equal(cw_steady_run(setting->simulation, &setting->setup, how, &result), CW_EUSAGE);
    if (!strstr(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
}

static void test_refusals(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "crossbar:4", "uniform", 0.5);
    assert_int_equal(cw_flit_new(&setting.setup, &setting.simulation), 0);
    check_refused(&setting, &(struct cw_steady_setup){.cycles = 9, .confidence = 0.95}, "9 cycles");
    check_refused(&setting, &(struct cw_steady_setup){.cycles = 1000, .confidence = 95}, "confidence level of 95");
    setting.job.kind = CW_FLIT_FINITE;
    check_refused(&setting, &(struct cw_steady_setup){.cycles = 1000, .confidence = 0.95}, "job 0 ends by itself");
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_light_load),
        cmocka_unit_test(test_given_cycles),
        cmocka_unit_test(test_latency_interval),
        cmocka_unit_test(test_until_precise),
        cmocka_unit_test(test_silent_ranks),
        cmocka_unit_test(test_warmup_matters),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_saturated_warmup),
        cmocka_unit_test(test_confidence),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_network_latency),
        cmocka_unit_test(test_senders),
        cmocka_unit_test(test_refusals),
    };
    return run_cases(tests);
}
