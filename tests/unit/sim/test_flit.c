/* The flit simulator against what can be said of it beforehand. */
#include "flit_test.h"
#include "net/network_internal.h"
#include "sim/flit/flit_internal.h"

#include "../lid_tables.h"

/* --- latency ------------------------------------------------------------------------------------------------------ */

static uint64_t latency_of(const struct flit_case *c, uint32_t channel)
{
    const struct cw_network *net = c->net;
    const uint32_t first = net->n_endpoints, a = net->shape.dragonfly.a;
    if (net->tail[channel] < first || net->head[channel] < first) return c->setup.hardware.host_latency;
    if (net->shape.kind == &cw_shape_dragonfly && (net->tail[channel] - first) / a != (net->head[channel] - first) / a)
        return c->setup.hardware.global_latency;
    return c->setup.hardware.local_latency;
}

/* Cycles of FLITS from SRC to DST through an empty network, by the formula. */
static uint64_t expected_latency(const struct flit_case *c, uint32_t src, uint32_t dst, uint32_t flits)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(c->routing);
    const void *state = cw_packet_routing_state(c->routing);
    struct cw_packet packet = cw_packet_of(src, dst);
    struct cw_hop in = {CW_NONE, 0}, hop;
    uint32_t v = c->net->head[c->net->first[src]];
    uint64_t cycles = latency_of(c, c->net->first[src]) + flits;
    packet = cw_packet_inject(ops, state, v, NULL, 0, packet);
    for (; v != dst; v = c->net->head[hop.channel]) {
        assert_int_equal(ops->next(state, v, in.channel, in.lane, NULL, 0, &packet, &hop, 1), 1);
        cycles += c->setup.hardware.pipeline + latency_of(c, hop.channel);
        in = hop;
    }
    return cycles;
}

/* A and B send each other a message at the same time; they do not meet. */
static void check_latency(struct flit_case *c, uint32_t a, uint32_t b, uint32_t flits)
{
    const struct cw_ranks ranks = {.n = 2, .per_group = 1};
    const uint32_t endpoints[] = {a, b};
    assert_int_equal(cw_workload_new("uniform", &ranks, 1, &c->workload), 0);
    c->job = (struct cw_flit_job){.kind = CW_FLIT_FINITE,
                                  .n_ranks = 2,
                                  .endpoints = endpoints,
                                  .workload = c->workload,
                                  .load = 1,
                                  .message_flits = flits,
                                  .bytes = flits * 64};
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    const struct cw_flit_window window = run_flits(simulation, 10000);
    const uint64_t there = expected_latency(c, a, b, flits), back = expected_latency(c, b, a, flits);
    assert_true(window.finished);
    assert_int_equal(window.messages, 2);
    assert_int_equal(window.latency_sum, there + back);
    assert_int_equal(window.network_latency_sum, there + back);
    assert_int_equal(cw_flit_job_done(simulation, 0), there > back ? there : back);
    end_flit_case(simulation);
    cw_workload_free(c->workload);
    c->workload = NULL;
}

static void latency_is_the_formula(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"dragonfly:2,4,2", "minimal"}, {"torus:4x4", "dor"}, {"xgft:2:4,4:1,2", "dmodk"}, {"crossbar:6", "minhop"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flit_case c = open_flit_case(cases[i][0], cases[i][1], NULL);
        const uint32_t last = c.net->n_endpoints - 1;
        check_latency(&c, 0, last, 1);
        check_latency(&c, 1, last / 2, 7);
        c.setup.hardware.host_latency = 2;
        c.setup.hardware.local_latency = 5;
        c.setup.hardware.global_latency = 40;
        c.setup.hardware.pipeline = 4;
        check_latency(&c, 0, last, 1);
        check_latency(&c, 2, 3, 64);
        close_flit_case(&c);
    }
}

/* 100 ns are 7.8 cycles of 12.8 ns. */
static void latencies_come_from_the_network(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:2", "minhop", "uniform");
    c.setup.hardware = cw_flit_default_hardware();
    c.job.kind = CW_FLIT_FINITE;
    c.job.bytes = 64;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    run_flits(simulation, 100);
    assert_int_equal(cw_flit_job_done(simulation, 0), 8 + 1 + 8 + 1);
    assert_close(cw_flit_cycle_seconds(simulation), 12.8e-9, "a cycle");
    end_flit_case(simulation);
    close_flit_case(&c);
}

/* --- throughput --------------------------------------------------------------------------------------------------- */

/* Flits that each sending endpoint gets rid of in a cycle, after WARMUP cycles. */
static double accepted(struct flit_case *c, uint64_t warmup, uint64_t cycles)
{
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    run_flits(simulation, warmup);
    cw_flit_reset_counters(simulation);
    const struct cw_flit_window window = run_flits(simulation, cycles);
    assert_int_equal(window.first_cycle, warmup);
    assert_int_equal(window.cycles, cycles);
    assert_int_equal(cw_flit_job_accepted(simulation, 0), window.accepted_flits);
    end_flit_case(simulation);
    return (double)window.accepted_flits / (double)cycles / c->job.n_ranks;
}

static void check_accepted(struct flit_case *c, double expected, double tolerance)
{
    const double is = accepted(c, 1000, 2000);
    if (fabs(is - expected) > tolerance) fail_msg("%.4f accepted, expected %.4f", is, expected);
}

/* A crossbar twice as fast as its channels gives uniform traffic almost all. */
static void crossbar_accepts_nearly_all(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:16", "minhop", "uniform");
    check_accepted(&c, 0.97, 0.02);
    c.job.message_flits = 4;
    check_accepted(&c, 0.93, 0.03); /* whole messages must fit, one after another */
    close_flit_case(&c);
}

/* A permutation meets nowhere in a crossbar. */
static void permutation_of_a_crossbar_is_exact(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:16", "minhop", "bitcomp");
    check_accepted(&c, 1, 0);
    close_flit_case(&c);
}

/* With 65 and more ports masks have several words. */
static void large_switches_work(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:150", "minhop", "bitcomp");
    c.setup.hardware.transit_first = true;
    check_accepted(&c, 1, 0);
    close_flit_case(&c);
    c = open_flit_case("crossbar:130", "minhop", "uniform");
    c.job.load = 0.5;
    check_accepted(&c, 0.5, 0.01);
    close_flit_case(&c);
    c = open_flit_case("crossbar:48", "minhop", "uniform"); /* two words for ports and endpoints, one for ports */
    check_accepted(&c, 0.97, 0.02);
    close_flit_case(&c);
}

static void offered_load_is_accepted_below_saturation(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,4,2", "minimal", "uniform");
    c.job.load = 0.4;
    check_accepted(&c, 0.4, 0.01);
    c.job.message_flits = 5;
    check_accepted(&c, 0.4, 0.015);
    close_flit_case(&c);
}

/* All a·p endpoints of a group send through one global channel. */
static void minimal_shift_is_one_channel_a_group(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,4,2", "minimal", "group-shift:3");
    check_accepted(&c, 1.0 / 8, 0.0005);
    close_flit_case(&c);
}

/* Endpoints 0 and 1 share the one channel up to 3 and 2. */
static void two_flows_share_a_channel(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("xgft:2:2,2:1,1", "dmodk", "bitcomp");
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    run_flits(simulation, 1000);
    cw_flit_reset_counters(simulation);
    run_flits(simulation, 1000);
    for (uint32_t e = 0; e < 4; e++) {
        assert_in_range(cw_flit_accepted_by(simulation)[e], 499, 501);
        assert_in_range(cw_flit_injected_by(simulation)[e], 499, 501);
        assert_int_equal(cw_flit_channel_flits(simulation)[c.net->first[e]], cw_flit_injected_by(simulation)[e]);
    }
    end_flit_case(simulation);
    close_flit_case(&c);
}

/* A case on a tree of two leaves with four endpoints each, all of which send across, with N_LIDS by as many spines. */
static struct flit_case open_lids(uint32_t n_lids)
{
    struct flit_case c = open_flit_case("xgft:2:4,2:1,2", "minhop", "shift:4");
    struct cw_routes *over = NULL;
    cw_packet_routing_free(c.routing);
    c.routing = NULL;
    assert_int_equal(lids_by_spines(c.net, 2, n_lids, &over), 0);
    if (cw_packet_routing_of_routes(over, &c.routing)) fail_msg("%s", cw_error_message());
    c.setup.routing = c.routing;
    return c;
}

/* Four endpoints have one way up with one LID, and two with two; what they send is evenly on both. */
static void lids_share_spines(void **state)
{
    (void)state;
    const uint64_t cycles = 4000;
    for (uint32_t n = 1; n <= 2; n++) {
        struct flit_case c = open_lids(n);
        check_accepted(&c, n / 4.0,
                       n == 1 ? 0.0005 : 0.015); /* packets drawn for one spine delay those for the other */
        c.job.load = 0.2 * n;
        check_accepted(&c, c.job.load, 0.01);
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        run_flits(simulation, 1000);
        cw_flit_reset_counters(simulation);
        run_flits(simulation, cycles);
        for (uint32_t leaf = c.net->n_endpoints; leaf < c.net->n_endpoints + 2; leaf++)
            for (uint32_t s = 0; s < 2; s++) {
                const uint32_t up = channel_between(c.net, leaf, spine_of(c.net, 2, s)), down = c.net->twin[up];
                const uint64_t *flits = cw_flit_channel_flits(simulation);
                const double share = s < n ? 0.8 : 0; /* of the channel: 4 endpoints, their load, n spines */
                assert_true(fabs((double)flits[up] / (double)cycles - share) <= 0.03 * (share > 0));
                assert_true(fabs((double)flits[down] / (double)cycles - share) <= 0.03 * (share > 0));
            }
        end_flit_case(simulation);
        close_flit_case(&c);
    }
}

static void slow_channels_move_their_share(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("xgft:2:2,2:1,1", "dmodk", "bitcomp");
    for (uint32_t i = 0; i < c.net->n_channels; i++) c.net->capacity[i] = 5e9 * 0.4;
    check_accepted(&c, 0.2, 0.0005);
    c.job.load = 0.25; /* of an endpoint's own bandwidth */
    check_accepted(&c, 0.1, 0.01);
    close_flit_case(&c);
}

/* A queue must cover the round trip: a channel moves its flits once in 2 · latency + pipeline - 1 cycles. */
static void credits_limit_long_channels(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("xgft:2:1,2:1,1", "dmodk", "bitcomp");
    c.setup.hardware.local_latency = 100;
    c.setup.hardware.pipeline = 3;
    check_accepted(&c, 64.0 / 202, 0.005);
    close_flit_case(&c);
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

static void counters_agree_with_each_other(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:4x4", "dor", "uniform");
    c.job.load = 0.3;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    const struct cw_flit_window window = run_flits(simulation, 2000);
    uint64_t injected = 0, taken = 0, sent = 0, latencies = 0;
    for (uint32_t e = 0; e < 16; e++) {
        injected += cw_flit_injected_by(simulation)[e];
        taken += cw_flit_accepted_by(simulation)[e];
        sent += cw_flit_channel_flits(simulation)[c.net->first[e]];
    }
    for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++) latencies += cw_flit_latency_histogram(simulation)[i];
    assert_int_equal(injected, window.injected_flits);
    assert_int_equal(sent, injected);
    assert_int_equal(taken, window.accepted_flits);
    assert_int_equal(latencies, window.messages);
    const double median = cw_flit_latency_quantile(simulation, 0.5), high = cw_flit_latency_quantile(simulation, 0.99);
    const double mean = (double)window.latency_sum / (double)window.messages;
    assert_true(median > 8 && median < 1.2 * mean && high > mean);
    assert_true(cw_flit_memory(simulation) > 1000);
    cw_flit_reset_counters(simulation);
    assert_true(isnan(cw_flit_latency_quantile(simulation, 0.5)));
    assert_int_equal(cw_flit_accepted_by(simulation)[3], 0);
    end_flit_case(simulation);
    close_flit_case(&c);
}

static void bins_are_eighths_of_octaves(void **state)
{
    (void)state;
    for (size_t i = 0; i < 16; i++) assert_int_equal(cw_flit_latency_bin_start(i), i);
    assert_int_equal(cw_flit_latency_bin_start(16), 16);
    assert_int_equal(cw_flit_latency_bin_start(24), 32);
    assert_int_equal(cw_flit_latency_bin_start(28), 46); /* 32 · √2 = 45.3 */
    assert_true(cw_flit_latency_bin_start(CW_FLIT_LATENCY_BINS - 1) == UINT64_MAX);
    for (uint32_t i = 1; cw_flit_latency_bin_start(i) != UINT64_MAX; i++) {
        const uint64_t start = cw_flit_latency_bin_start(i);
        assert_int_equal(cw_flit_latency_bin(start), i);
        assert_int_equal(cw_flit_latency_bin(start - 1), i - 1);
    }
    assert_true(cw_flit_latency_bin(UINT64_MAX) < CW_FLIT_LATENCY_BINS);
}

/* What is drained goes on where it was. */
static void runs_go_on_after_draining(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,3,2", "valiant-any", "uniform");
    c.job.message_flits = 6;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    for (int i = 0; i < 3; i++) {
        assert_true(run_flits(simulation, 333).accepted_flits > 1000);
        assert_int_equal(cw_flit_drain_and_check(simulation), 0);
    }
    end_flit_case(simulation);
    close_flit_case(&c);
}

/* What is moved in 2000 cycles over two switches with input queues of so many flits. */
static uint64_t moved_with(struct flit_case *c, uint32_t input_flits)
{
    c->setup.hardware.input_flits = input_flits;
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    run_flits(simulation, 2000);
    const uint64_t moved = run_flits(simulation, 2000).accepted_flits;
    end_flit_case(simulation);
    return moved;
}

/* Input queues as long as the round trip fill a channel with one lane, and one flit less does not. */
static void round_trips_are_covered(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("mesh:2", "dor", "shift:1");
    c.setup.hardware.local_latency = 40;
    c.setup.hardware.host_latency = 2;
    c.setup.hardware.pipeline = 5;
    const uint32_t trip = cw_flit_round_trip(c.net, &c.setup.hardware);
    assert_int_equal(trip, 2 * 40 + 5 - 1);
    assert_int_equal(moved_with(&c, trip), 2 * 2000);
    assert_in_range(moved_with(&c, trip - 1), 2 * 2000 * (trip - 2) / trip, 2 * 2000 * (trip - 1) / trip + 4);
    for (uint32_t i = 0; i < c.net->n_channels; i++) c.net->capacity[i] /= 4; /* a quarter is under way */
    assert_int_equal(cw_flit_round_trip(c.net, &c.setup.hardware), trip / 4);
    close_flit_case(&c);
}

/* A flit of 128 bytes at 10 GB/s: 12.8 ns; at 40 GB/s a quarter. */
static void cycles_follow_the_reference_capacity(void **state)
{
    (void)state;
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    hardware.flit_bytes = 128;
    hardware.reference_capacity = 10e9;
    assert_close(cw_flit_cycle(&hardware), 12.8e-9, "a cycle");
    assert_close(cw_flit_cycles(&hardware, 64e-9), 5, "cycles");
    hardware.reference_capacity = 40e9;
    assert_close(cw_flit_cycle(&hardware), 3.2e-9, "a cycle");
    assert_close(cw_flit_cycles(&hardware, 64e-9), 20, "cycles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_is_the_formula),
        cmocka_unit_test(latencies_come_from_the_network),
        cmocka_unit_test(crossbar_accepts_nearly_all),
        cmocka_unit_test(permutation_of_a_crossbar_is_exact),
        cmocka_unit_test(large_switches_work),
        cmocka_unit_test(offered_load_is_accepted_below_saturation),
        cmocka_unit_test(minimal_shift_is_one_channel_a_group),
        cmocka_unit_test(two_flows_share_a_channel),
        cmocka_unit_test(lids_share_spines),
        cmocka_unit_test(slow_channels_move_their_share),
        cmocka_unit_test(credits_limit_long_channels),
        cmocka_unit_test(counters_agree_with_each_other),
        cmocka_unit_test(bins_are_eighths_of_octaves),
        cmocka_unit_test(runs_go_on_after_draining),
        cmocka_unit_test(round_trips_are_covered),
        cmocka_unit_test(cycles_follow_the_reference_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
