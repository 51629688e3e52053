/* One flit-level measurement: who runs where, what the models say, and that what is simulated keeps to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

static struct cw_network *net;
static struct cw_packet_routing *routing;

static struct cw_flit_case case_of(const char *name, const char *traffic)
{
    assert_int_equal(cw_topology_build("dragonfly:2,4,2", &net), 0);
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
    assert_int_equal(cw_flit_measurement_end(&run), 0);
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
    assert_int_equal(cw_flit_measurement_end(&run), 0);
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
                                       cmocka_unit_test(test_measure), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
