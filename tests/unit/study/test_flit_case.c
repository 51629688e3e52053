/* One flit-level measurement: who runs where, what the models say, and that what is simulated keeps to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

static struct cw_network *net;
static struct cw_packet_routing *routing;

static struct cw_flit_case case_on(const char *network, const char *name, const char *traffic)
{
    assert_int_equal(cw_topology_build(network, &net), 0);
    assert_int_equal(cw_packet_routing_new(net, name, 1, 1, &routing), 0);
    struct cw_flit_case made = {.net = net,
                                .routing = routing,
                                .traffic_spec = traffic,
                                .placement_spec = "contiguous",
                                .seed = 1,
                                .n_threads = 1};
    if (cw_flit_case_make(&made)) fail_msg("%s", cw_error_message());
    return made;
}

static struct cw_flit_case case_of(const char *name, const char *traffic)
{
    return case_on("dragonfly:2,4,2", name, traffic);
}

static void end(struct cw_flit_case *made)
{
    cw_flit_case_free(made);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

static void test_placement(void **state)
{
    (void)state;
    uint32_t taking[] = {5, 9, 70}, n, *order, *other;
    const struct cw_selection selection = {.n = 3, .endpoints = taking};
    struct cw_flit_case made = case_of("minimal", "uniform");
    assert_int_equal(made.n_ranks, 72);
    for (uint32_t i = 0; i < 72; i++) assert_int_equal(made.endpoints[i], i);
    assert_int_equal(cw_flit_placement_order("contiguous", net, &selection, 1, 0, &n, &order), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(order, taking, sizeof taking);
    free(order);

    /* Trials draw anew, and each the same again. */
    assert_int_equal(cw_flit_placement_order("random", net, NULL, 1, 0, &n, &order), 0);
    assert_int_equal(cw_flit_placement_order("random", net, NULL, 1, 1, &n, &other), 0);
    assert_memory_not_equal(order, other, 72 * sizeof *order);
    free(other);
    assert_int_equal(cw_flit_placement_order("random", net, NULL, 1, 0, &n, &other), 0);
    assert_memory_equal(order, other, 72 * sizeof *order);
    free(other);
    free(order);
    assert_int_equal(cw_flit_placement_order("nowhere", net, NULL, 1, 0, &n, &order), CW_EUSAGE);
    end(&made);
}

/* Equation 4 of Prisacari et al. gives 3/(4p) for valiant-restricted. If all nodes had to be served alike its local
 * channels would bear (ah - 1) / (ah (h + 1)); some may have more. Under minimal routing all share 1/(ap). */
static void test_models(void **state)
{
    (void)state;
    static const double loads[] = {0.1, 0.5, 1};
    struct cw_flit_model models[3], full;
    struct cw_flit_case made = case_of("valiant-restricted", "group-shift:3");
    assert_int_equal(cw_flit_case_models(&made, loads, 3, models), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(models[i].estimate - 0.375) < 1e-12);
        assert_true(models[i].bound <= loads[i] + 1e-12 && models[i].bound >= fmin(loads[i], 7.0 / 24) - 1e-12);
    }
    assert_true(fabs(models[0].bound - 0.1) < 1e-9 && models[2].bound < 0.5);
    end(&made);
    made = case_of("minimal", "group-shift:3");
    assert_int_equal(cw_flit_case_model(&made, &full), 0);
    assert_true(isnan(full.estimate));
    assert_true(fabs(full.bound - 0.125) < 1e-9);
    end(&made);
}

static double accepted(const struct cw_flit_case *made, double load)
{
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.warmup = 4000, .cycles = 8000, .confidence = 0.95};
    const struct cw_flit_messages single = {.flits = 1};
    struct cw_flit_measurement run;
    if (cw_flit_case_measure(made, &hardware, &single, load, &steady, &run)) fail_msg("%s", cw_error_message());
    const double share = run.steady.accepted;
    cw_flit_measurement_free(&run);
    return share;
}

/* Shift by more groups than a switch has global channels: all nodes of a group share one. */
static void test_measure(void **state)
{
    (void)state;
    struct cw_flit_case made = case_of("minimal", "group-shift:3");
    assert_true(fabs(accepted(&made, 1) - 0.125) < 1e-3);
    assert_true(fabs(accepted(&made, 0.05) - 0.05) < 2e-3);
    end(&made);
}

/* A record of SIZE bytes says of RUN all that its figures are made from. */
static void check_record(const struct cw_flit_case *made, const struct cw_flit_measurement *run, size_t size,
                         bool series)
{
    const struct cw_flit_messages single = {.flits = 1};
    struct cw_flit_measurement again;
    void *record = calloc(1, size);
    assert_false(cw_flit_record_is_there(record));
    cw_flit_record_write(run, size, record);
    assert_true(cw_flit_record_is_there(record));
    assert_int_equal(cw_flit_record_read(record, made, &run->setup.hardware, &single, run->job.load, &again), 0);
    free(record);
    assert_true(again.steady.accepted == run->steady.accepted && again.steady.drift == run->steady.drift);
    assert_memory_equal(again.steady.jobs, run->steady.jobs, sizeof *run->steady.jobs);
    assert_int_equal(again.steady.n_batches, series ? run->steady.n_batches : 0);
    for (size_t i = 0; i < again.steady.n_batches; i++)
        assert_true(again.steady.batches[i].accepted == run->steady.batches[i].accepted);
    assert_memory_equal(again.channel_flits, run->channel_flits, made->net->n_channels * sizeof(uint64_t));
    assert_memory_equal(again.injected_by, run->injected_by, made->net->n_endpoints * sizeof(uint64_t));
    assert_memory_equal(again.accepted_by, run->accepted_by, made->net->n_endpoints * sizeof(uint64_t));
    assert_memory_equal(again.latencies, run->latencies, CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
    assert_true(again.job.load == run->job.load && again.job.workload == run->job.workload);
    assert_true(again.job.endpoints == run->job.endpoints && again.job.n_ranks == run->job.n_ranks);
    assert_true(again.setup.jobs == &again.job && again.setup.n_jobs == 1 && again.setup.seed == run->setup.seed);
    cw_flit_measurement_free(&again);
}

/* A record with room for just the batches of RUN has them, one with a byte less has none; nothing is written behind. */
static void check_room(const struct cw_flit_case *made, const struct cw_flit_measurement *run,
                       const struct cw_steady_setup *steady)
{
    const size_t batches = run->steady.n_batches * sizeof *run->steady.batches;
    const size_t without = cw_flit_record_size(made, steady, 1, false), size = without + batches;
    check_record(made, run, size, true);
    check_record(made, run, size - 1, false);
    check_record(made, run, without, false);
    unsigned char *record = calloc(1, size + 1);
    record[size] = 0xa5;
    cw_flit_record_write(run, size, record);
    assert_int_equal(record[size], 0xa5);
    free(record);
}

static void test_record(void **state)
{
    (void)state;
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.warmup = 1100, .cycles = 7777, .confidence = 0.95};
    const struct cw_flit_messages single = {.flits = 1};
    struct cw_flit_measurement run;
    struct cw_flit_case made = case_of("minimal", "uniform");
    assert_int_equal(cw_flit_case_measure(&made, &hardware, &single, 0.4, &steady, &run), 0);
    assert_in_range(run.steady.n_batches, 2, cw_steady_most_batches(&steady));
    for (int series = 0; series < 2; series++)
        check_record(&made, &run, cw_flit_record_size(&made, &steady, 1, series != 0), series != 0);
    check_room(&made, &run, &steady);
    cw_flit_measurement_free(&run);
    end(&made);
}

/* Routes that can deadlock are refused, or simulated if they may: then a ring that is locked up is found beside one
 * that moves, whatever else is measured; and a load that does not lock up has its figures. */
static void test_deadlock(void **state)
{
    (void)state;
    const struct cw_flit_messages single = {.flits = 1};
    const struct cw_steady_setup steady = {.warmup = 1000, .cycles = 1000, .confidence = 0.95};
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    hardware.input_flits = hardware.output_flits = 2;
    struct cw_flit_measurement run;
    struct cw_flit_case made = case_on("torus:9x3", "dor:lanes=1", "shift:1");
    struct cw_workload *workloads[2];
    struct cw_flit_job jobs[2];
    const struct cw_ranks ranks = {.n = 9, .per_group = 1};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cw_workload_new(i == 0 ? "shift:1" : "shift:4", &ranks, 1, &workloads[i]), 0);
        jobs[i] = (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                       .n_ranks = 9,
                                       .endpoints = made.endpoints + 9 * i,
                                       .workload = workloads[i],
                                       .load = 1,
                                       .message_flits = 1};
    }
    for (int allowed = 0; allowed < 2; allowed++) {
        made.allow_deadlock = allowed != 0;
        assert_int_equal(cw_flit_case_measure_jobs(&made, &hardware, jobs, 2, &steady, &run), CW_EROUTE);
        assert_true((strstr(cw_error_message(), "flits have not moved") != NULL) == made.allow_deadlock);
        cw_flit_measurement_free(&run);
    }
    assert_int_equal(cw_flit_case_measure(&made, &hardware, &single, 0.1, &steady, &run), 0);
    assert_true(fabs(run.steady.accepted - 0.1) < 0.01);
    cw_flit_measurement_free(&run);
    for (int i = 0; i < 2; i++) cw_workload_free(workloads[i]);
    end(&made);
}

/* What is refused leaves nothing behind, and may be ended. */
static void test_refused(void **state)
{
    (void)state;
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup none = {.cycles = 1, .confidence = 0.95};
    struct cw_flit_measurement run;
    struct cw_flit_case made = case_of("minimal", "uniform");
    assert_int_equal(cw_flit_case_measure(&made, &hardware, &(struct cw_flit_messages){.flits = 1}, 1, &none, &run),
                     CW_EUSAGE);
    cw_flit_measurement_free(&run);
    cw_flit_case_free(&made);
    made.traffic_spec = "nothing";
    assert_int_equal(cw_flit_case_make(&made), CW_EUSAGE);
    assert_null(made.workload);
    assert_null(made.endpoints);
    end(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_placement), cmocka_unit_test(test_models),
                                       cmocka_unit_test(test_measure),   cmocka_unit_test(test_record),
                                       cmocka_unit_test(test_deadlock),  cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
