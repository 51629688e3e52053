/* How evenly endpoints are served: Jain's index by hand, and in runs in which it is known who gets what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/error.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

static void test_shares(void **state)
{
    (void)state;
    static const double equal[] = {0.3, 0.3, 0.3, 0.3}, one[] = {0, 0, 5, 0}, some[] = {1, 2, 3}, none[] = {0, 0};
    struct cw_shares shares = cw_shares_of(equal, 4);
    assert_int_equal(shares.n, 4);
    assert_true(fabs(shares.jain - 1) < 1e-12 && fabs(shares.mean - 0.3) < 1e-12);
    shares = cw_shares_of(one, 4);
    assert_true(shares.jain == 0.25 && shares.least == 0 && shares.most == 5 && shares.mean == 1.25);
    shares = cw_shares_of(some, 3);
    assert_true(fabs(shares.jain - 36.0 / 42) < 1e-12);
    assert_true(shares.least == 1 && shares.mean == 2 && shares.most == 3);
    assert_true(isnan(cw_shares_of(none, 2).jain));
    shares = cw_shares_of(some, 0);
    assert_true(isnan(shares.least) && isnan(shares.mean) && isnan(shares.most) && isnan(shares.jain));
}

/* The fairness of TRAFFIC at LOAD on NETWORK, where flits in transit go first; of CYCLES after WARMUP. */
static struct cw_fairness measure(const char *network, const char *traffic, double load, uint64_t warmup,
                                  uint64_t cycles, const struct cw_selection *selection)
{
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_fairness fairness;
    struct cw_flit_measurement run;
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.warmup = warmup, .cycles = cycles, .confidence = 0.95};
    const struct cw_flit_messages single = {.flits = 1};
    hardware.transit_first = true;
    assert_int_equal(cw_topology_build(network, &net), 0);
    assert_int_equal(cw_packet_routing_new(net, "dor", 1, 1, &routing), 0);
    struct cw_flit_case made = {.net = net,
                                .selection = selection,
                                .routing = routing,
                                .traffic_spec = traffic,
                                .placement_spec = "contiguous",
                                .seed = 1,
                                .n_threads = 1};
    if (cw_flit_case_make(&made) || cw_flit_case_measure(&made, &hardware, &single, load, &steady, &run) ||
        cw_fairness_of(&made, &run, &fairness))
        fail_msg("%s", cw_error_message());
    cw_flit_measurement_free(&run);
    cw_flit_case_free(&made);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return fairness;
}

/* Endpoints 1 … 7 send to 0 along a line, which sends back. What is in transit goes first: the last one fills all
 * channels towards 0. */
static void test_starved(void **state)
{
    (void)state;
    struct cw_fairness fairness = measure("mesh:8", "hotspot:1,share=1", 1, 1000, 500, NULL);
    assert_int_equal(fairness.injected.n, 8);
    assert_int_equal(fairness.n_starved, 6);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(fairness.starved[i], i + 1);
    assert_true(fairness.injected.least == 0 && fabs(fairness.injected.most - 1) < 1e-9);
    assert_true(fabs(fairness.injected.jain - 2.0 / 8) < 1e-9);
    assert_int_equal(fairness.accepted.n, 8);
    assert_true(fabs(fairness.accepted.most - 1) < 1e-9 && fabs(fairness.accepted.mean - 2.0 / 8) < 0.01);
    cw_fairness_free(&fairness);
    assert_null(fairness.starved);
}

/* Who had few messages to send is not starved, though some of them sent nothing. */
static void test_few(void **state)
{
    (void)state;
    struct cw_fairness fairness = measure("torus:8", "shift:1", 0.001, 0, 100, NULL);
    assert_true(fairness.injected.least == 0);
    assert_int_equal(fairness.n_starved, 0);
    cw_fairness_free(&fairness);
}

/* Each sends to the next, and only those of the selection. */
static void test_equal(void **state)
{
    (void)state;
    uint32_t some[] = {1, 2, 5};
    const struct cw_selection selection = {.n = 3, .endpoints = some};
    struct cw_fairness fairness = measure("torus:8", "shift:1", 1, 1000, 500, NULL);
    assert_int_equal(fairness.injected.n, 8);
    assert_true(fabs(fairness.injected.jain - 1) < 1e-6);
    assert_int_equal(fairness.n_starved, 0);
    cw_fairness_free(&fairness);
    fairness = measure("torus:8", "shift:1", 0.5, 1000, 1000, &selection);
    assert_int_equal(fairness.injected.n, 3);
    assert_int_equal(fairness.accepted.n, 3);
    assert_true(fabs(fairness.accepted.mean - 0.5) < 0.05);
    cw_fairness_free(&fairness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_starved),
                                       cmocka_unit_test(test_few), cmocka_unit_test(test_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
