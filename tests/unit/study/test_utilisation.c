/* Utilisation of channels: what they moved of what they can move, by class, and which are the hottest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

/* A measurement and what it stands on. */
struct measured {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_flit_case made;
    struct cw_flit_measurement run;
};

static void open_run(struct measured *m, const char *network, const char *routing, const char *traffic, double load,
                     double reference)
{
    static const struct cw_flit_messages single = {.flits = 1};
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.warmup = 1000, .cycles = 2000, .confidence = 0.95};
    hardware.reference_capacity = reference;
    assert_int_equal(cw_topology_build(network, &m->net), 0);
    assert_int_equal(cw_packet_routing_new(m->net, routing, 1, 1, &m->routing), 0);
    m->made = (struct cw_flit_case){.net = m->net,
                                    .routing = m->routing,
                                    .traffic_spec = traffic,
                                    .placement_spec = "contiguous",
                                    .seed = 1,
                                    .n_threads = 1};
    if (cw_flit_case_make(&m->made) || cw_flit_case_measure(&m->made, &hardware, &single, load, &steady, &m->run))
        fail_msg("%s", cw_error_message());
}

static void close_run(struct measured *m)
{
    cw_flit_measurement_free(&m->run);
    cw_flit_case_free(&m->made);
    cw_packet_routing_free(m->routing);
    cw_network_free(m->net);
}

/* A dragonfly with p = 2, a = 4, h = 2 and 9 groups: 72 endpoints, 36 switches, 12 local channels in each group and one
 * global channel between any two. */
static void test_classes(void **state)
{
    (void)state;
    uint32_t n[CW_CHANNEL_CLASSES] = {0};
    struct cw_network *net;
    assert_int_equal(cw_topology_build("dragonfly:2,4,2", &net), 0);
    for (uint32_t c = 0; c < net->n_channels; c++) n[cw_channel_class_of(net, c)]++;
    assert_int_equal(n[CW_CHANNEL_INJECTION], 72);
    assert_int_equal(n[CW_CHANNEL_EJECTION], 72);
    assert_int_equal(n[CW_CHANNEL_LOCAL], 9 * 12);
    assert_int_equal(n[CW_CHANNEL_GLOBAL], 9 * 8);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (cw_channel_class_of(net, c) == CW_CHANNEL_INJECTION)
            assert_int_equal(cw_channel_class_of(net, net->twin[c]), CW_CHANNEL_EJECTION);
    cw_network_free(net);
    assert_string_equal(cw_channel_classes[CW_CHANNEL_EJECTION], "ejection");
    assert_string_equal(cw_channel_classes[CW_CHANNEL_GLOBAL], "global");
}

/* Each endpoint of a ring sends to the next: one direction of the ring moves the load, the other nothing. */
static void test_ring(void **state)
{
    (void)state;
    struct measured m;
    struct cw_utilisation by;
    struct cw_hot_channel *hot;
    size_t n;
    open_run(&m, "torus:8", "dor", "shift:1", 1, 5e9);
    cw_utilisation_by_class(m.net, &m.run, &by);
    assert_true(fabs(by.mean[CW_CHANNEL_INJECTION] - 1) < 1e-3);
    assert_true(fabs(by.mean[CW_CHANNEL_EJECTION] - 1) < 1e-3);
    assert_true(fabs(by.mean[CW_CHANNEL_LOCAL] - 0.5) < 1e-3);
    assert_true(isnan(by.mean[CW_CHANNEL_GLOBAL]));
    assert_true(fabs(by.busiest - 1) < 1e-3);
    assert_int_equal(cw_utilisation_hottest(m.net, &m.run, &n, &hot), 0);
    assert_int_equal(n, 16);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(hot[i].utilisation - (i < 8 ? 1 : 0)) < 1e-3);
        assert_true(hot[i].utilisation == cw_utilisation_of(m.net, &m.run, hot[i].channel));
        assert_true(cw_channel_class_of(m.net, hot[i].channel) == CW_CHANNEL_LOCAL);
        if (i > 0 && hot[i].utilisation == hot[i - 1].utilisation) assert_true(hot[i - 1].channel < hot[i].channel);
        if (i > 0) assert_true(hot[i].utilisation <= hot[i - 1].utilisation);
    }
    free(hot);
    close_run(&m);
}

/* Where a cycle is that of a channel twice as fast, half a flit a cycle is all a channel can move. */
static void test_slow(void **state)
{
    (void)state;
    struct measured m;
    struct cw_utilisation by;
    open_run(&m, "torus:8", "dor", "shift:1", 1, 10e9);
    cw_utilisation_by_class(m.net, &m.run, &by);
    assert_true(fabs(by.mean[CW_CHANNEL_INJECTION] - 1) < 5e-3);
    assert_true(fabs(by.busiest - 1) < 5e-3);
    close_run(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_slow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
