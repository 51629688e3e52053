/* LogGP times by hand on a network whose cables differ, and what a trace says of it. */
#include "net/builder.h"
#include "net/network_internal.h"
#include "sim/collective.h"
#include "sim_test.h"

/* Hosts 0 and 1 on one switch, 2 and 3 on another. Host cables: 4 GB/s and 100 ns, that of host 3: 0.5 GB/s and 200 ns;
 * between the switches: 1 GB/s and 50 ns, all times FASTER. */
static struct test_fabric uneven(double faster)
{
    struct cw_builder *builder = cw_builder_new(4, 2, 5);
    struct test_fabric fabric = {0};
    cw_builder_cable(builder, 0, 0, 4, 0, 4e9 * faster, 100e-9);
    cw_builder_cable(builder, 1, 0, 4, 0, 4e9 * faster, 100e-9);
    cw_builder_cable(builder, 2, 0, 5, 0, 4e9 * faster, 100e-9);
    cw_builder_cable(builder, 3, 0, 5, 0, 0.5e9 * faster, 200e-9);
    cw_builder_cable(builder, 4, 0, 5, 0, 1e9 * faster, 50e-9);
    assert_int_equal(cw_builder_finish(builder, &fabric.net), 0);
    assert_int_equal(cw_engine_route(fabric.net, "minhop", 1, 1, &fabric.routes), 0);
    return fabric;
}

static bool equal_speeds; /* of the next message that is sent */

/* Rank 0 on host 0 sends BYTES to rank 1 on host TO, while host 1 sends to host BESIDE. */
static struct cw_times send(const struct test_fabric *fabric, struct cw_timing timing, uint64_t bytes, uint32_t to,
                            uint32_t beside, struct cw_trace *trace)
{
    struct cw_schedule *schedule = open_schedule("binomial-bcast");
    const struct cw_collective_setup setup = {
        .routes = fabric->routes, .schedule = schedule, .bytes = bytes, .timing = timing, .equal_speeds = equal_speeds};
    const uint32_t endpoints[] = {0, to}, from = 1;
    struct cw_collective *collective = NULL;
    struct cw_times times;
    assert_int_equal(cw_collective_new(&setup, &collective), 0);
    if (trace) cw_collective_trace(collective);
    assert_int_equal(cw_collective_add_background(collective, 1, &from, &beside), 0);
    assert_int_equal(cw_collective_run(collective, 2, endpoints, NULL, NULL, &times), 0);
    if (trace) cw_collective_take_trace(collective, trace);
    cw_collective_free(collective);
    cw_schedule_free(schedule);
    return times;
}

static const struct cw_timing of_channels = {true, CW_TIMING_OF_CHANNELS, 1e-6, CW_TIMING_OF_CHANNELS};

/* Host 0 to host 2: 100 + 50 + 100 ns; 1000 bytes take 1 µs between the switches, 2 µs when host 1 sends there, too. */
static void test_shared_cable(void **state)
{
    (void)state;
    struct test_fabric fabric = uneven(1);
    const struct cw_times times = send(&fabric, of_channels, 1000, 2, 3, NULL);
    assert_close(times.clean, 1e-6 + 0.25e-6 + 1e-6, "clean");
    assert_close(times.perturbed, 1e-6 + 0.25e-6 + 2e-6, "perturbed");
    close_fabric(&fabric);
}

/* Host 0 to host 3: the slow cable of host 3 takes 2 µs, and the shared one no more: nothing is lost. */
static void test_slow_cable_hides_a_shared_one(void **state)
{
    (void)state;
    struct test_fabric fabric = uneven(1);
    const struct cw_times times = send(&fabric, of_channels, 1000, 3, 2, NULL);
    assert_close(times.clean, 1e-6 + 0.35e-6 + 2e-6, "clean");
    assert_close(times.perturbed, 1e-6 + 0.35e-6 + 2e-6, "perturbed");
    close_fabric(&fabric);
}

/* Ten times the speed takes a tenth for the bytes; what is stated does not ask the channels. */
static void test_speed_counts_unless_stated(void **state)
{
    (void)state;
    struct test_fabric fabric = uneven(10);
    struct cw_times times = send(&fabric, of_channels, 1000, 2, 3, NULL);
    assert_close(times.clean, 1e-6 + 0.25e-6 + 0.1e-6, "clean");
    assert_close(times.perturbed, 1e-6 + 0.25e-6 + 0.2e-6, "perturbed");
    const struct cw_timing stated_gap = {true, CW_TIMING_OF_CHANNELS, 1e-6, 3e-9};
    times = send(&fabric, stated_gap, 1000, 3, 2, NULL);
    assert_close(times.clean, 1e-6 + 0.35e-6 + 3e-6, "clean, G stated");
    assert_close(times.perturbed, 1e-6 + 0.35e-6 + 6e-6, "perturbed, G stated");
    const struct cw_timing stated_latency = {true, 5e-6, 1e-6, CW_TIMING_OF_CHANNELS};
    times = send(&fabric, stated_latency, 1000, 2, 3, NULL);
    assert_close(times.clean, 1e-6 + 5e-6 + 0.1e-6, "clean, L stated");
    assert_close(times.perturbed, 1e-6 + 5e-6 + 0.2e-6, "perturbed, L stated");
    const struct cw_timing nothing = {.loggp = true};
    times = send(&fabric, nothing, 1000, 2, 3, NULL);
    assert_true(times.clean == 0 && times.perturbed == 0);
    close_fabric(&fabric);
}

static uint32_t channel(const struct cw_network *net, uint32_t from, uint32_t to)
{
    for (uint32_t c = net->first[from]; c < net->first[from + 1]; c++)
        if (net->head[c] == to) return c;
    return CW_NONE;
}

/* In units of a message on the fastest cable of a host, 4 GB/s: the cable between the switches counts 4, that of host 3
 * 8, and two messages share the former. */
static void test_units_know_speeds(void **state)
{
    (void)state;
    struct test_fabric fabric = uneven(1);
    const struct cw_timing unit = {.loggp = false};
    struct cw_times times = send(&fabric, unit, 1000, 1, 0, NULL);
    assert_true(times.clean == 1 && times.perturbed == 1);
    times = send(&fabric, unit, 1000, 2, 3, NULL);
    assert_true(times.clean == 4 && times.perturbed == 8);
    times = send(&fabric, unit, 1000, 3, 0, NULL);
    assert_true(times.clean == 8 && times.perturbed == 8);
    close_fabric(&fabric);
}

/* By messages the shared cable is the bottleneck of host 0 to host 3; by time it ties with the slow one behind it, and
 * the first counts; without the other's message the slow one decides. */
static void test_bottleneck(void **state)
{
    (void)state;
    struct test_fabric fabric = uneven(1);
    const uint32_t shared = channel(fabric.net, 4, 5), slow = channel(fabric.net, 5, 3);
    const struct cw_timing unit = {.loggp = false};
    const struct {
        struct cw_timing timing;
        bool equal_speeds;
        uint32_t beside, bottleneck, with_background;
    } cases[] = {{unit, true, 2, shared, 2},  {of_channels, false, 2, shared, 2},
                 {unit, false, 2, shared, 2}, {of_channels, false, 0, slow, 1},
                 {unit, false, 0, slow, 1},   {unit, true, 0, channel(fabric.net, 0, 4), 1}};
    for (size_t i = 0; i < 6; i++) {
        struct cw_trace trace;
        equal_speeds = cases[i].equal_speeds;
        send(&fabric, cases[i].timing, 1000, 3, cases[i].beside, &trace);
        assert_int_equal(trace.n_messages, 1);
        assert_int_equal(trace.messages->bottleneck, cases[i].bottleneck);
        assert_int_equal(trace.messages->congestion.own, 1);
        assert_int_equal(trace.messages->congestion.with_background, cases[i].with_background);
        assert_true(trace.messages->src == 0 && trace.messages->dst == 1 && trace.messages->level == 0);
        assert_int_equal(trace.n_channels, 3);
        for (size_t c = 0; c < 3; c++) {
            assert_int_equal(trace.channels[c].own, 1);
            assert_int_equal(trace.channels[c].background, trace.channels[c].channel == shared && i < 3);
            if (c > 0) assert_true(trace.channels[c].channel > trace.channels[c - 1].channel);
        }
        cw_trace_free(&trace);
    }
    equal_speeds = false;
    close_fabric(&fabric);
}

/* A level of more messages than are traced keeps its figures; the messages are left out. */
static void test_large_traces_keep_levels(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:400", NULL);
    struct cw_schedule *schedule = open_schedule("alltoall");
    const struct cw_collective_setup setup = {.routes = fabric.routes, .schedule = schedule};
    struct cw_collective *collective = NULL;
    struct cw_trace trace;
    struct cw_times times;
    uint32_t endpoints[400];
    for (uint32_t i = 0; i < 400; i++) endpoints[i] = i;
    assert_int_equal(cw_collective_new(&setup, &collective), 0);
    cw_collective_trace(collective);
    for (uint32_t ranks = 400; ranks >= 200; ranks -= 200) {
        assert_int_equal(cw_collective_run(collective, ranks, endpoints, NULL, NULL, &times), 0);
        cw_collective_take_trace(collective, &trace);
        assert_int_equal(trace.n_levels, ranks - 1);
        assert_int_equal(trace.levels[ranks - 2].messages, ranks);
        assert_true(trace.complete == (ranks == 200));
        assert_int_equal(trace.n_messages, ranks == 200 ? 200 * 199 : 0);
        assert_int_equal(trace.n_channels, ranks == 200 ? 2 * 200 * 199 : 0);
        cw_trace_free(&trace);
    }
    for (uint32_t ranks = 400; ranks >= 200; ranks -= 200) /* what was not taken is forgotten, its length too */
        assert_int_equal(cw_collective_run(collective, ranks, endpoints, NULL, NULL, &times), 0);
    cw_collective_take_trace(collective, &trace);
    assert_true(trace.complete && trace.n_levels == 199 && trace.n_messages == 200 * 199);
    cw_trace_free(&trace);
    cw_collective_free(collective);
    cw_schedule_free(schedule);
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_cable),
        cmocka_unit_test(test_slow_cable_hides_a_shared_one),
        cmocka_unit_test(test_speed_counts_unless_stated),
        cmocka_unit_test(test_units_know_speeds),
        cmocka_unit_test(test_bottleneck),
        cmocka_unit_test(test_large_traces_keep_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
