/* Link loads against formulas, hand counts, and packets drawn one by one. */
#include "model_test.h"

#include "../lid_tables.h"
#include "../one_way_network.h"

#include <stdio.h>

#include "model/link_load.h"
#include "model/packing.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/engine.h"

/* The dragonflies of the published study. */
static const struct cw_dragonfly sizes[] = {
    {2, 4, 2, 9}, {3, 6, 3, 19}, {4, 8, 4, 33}, {6, 12, 6, 73}, {8, 16, 8, 129}};
#define SIZES (sizeof sizes / sizeof *sizes)

static struct cw_link_load load_of(const struct setting *setting, const char *routing, unsigned n_threads)
{
    struct cw_packet_routing *made;
    struct cw_link_load load;
    if (cw_packet_routing_new(setting->net, routing, 1, n_threads, &made) != 0) fail_msg("%s", cw_error_message());
    if (cw_link_load_compute(made, setting->workload, setting->endpoints, n_threads, &load) != 0)
        fail_msg("%s: %s", routing, cw_error_message());
    cw_packet_routing_free(made);
    return load;
}

static struct setting sized(const struct cw_dragonfly *size, const char *workload)
{
    char topology[64];
    snprintf(topology, sizeof topology, "dragonfly:%u,%u,%u", size->p, size->a, size->h);
    return setting_of(topology, workload);
}

/* Minimal: one global channel carries all traffic of a group, a·p endpoints. */
static void test_minimal_shift(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct setting setting = sized(&sizes[i], "group-shift");
        struct cw_link_load load = load_of(&setting, "minimal", 2);
        check_near(load.fair, 1.0 / (sizes[i].a * sizes[i].p), 1e-12);
        check_near(load.busiest, sizes[i].a * sizes[i].p, 1e-9);
        cw_link_load_free(&load);
        tear_down(&setting);
    }
}

/* The busiest channel takes h of the group's a·h - 1 shares of other groups' traffic, and as much again as one from its
 * own group: T = (a·h - 1) / (a·h·(h + 1)). */
static double restricted_bound(const struct cw_dragonfly *size)
{
    const double globals = size->a * size->h;
    return (globals - 1) / (globals * (size->h + 1));
}

static void test_restricted_shift(void **state)
{
    (void)state;
    const double published[] = {.292, .236, .194, .141, .110};
    for (size_t i = 0; i < SIZES; i++) check_near(restricted_bound(&sizes[i]), published[i], 5e-4);
    for (size_t i = 0; i < 3; i++) {
        struct setting setting = sized(&sizes[i], "group-shift");
        struct cw_link_load load = load_of(&setting, "valiant-restricted", 4);
        check_near(load.fair, restricted_bound(&sizes[i]), 1e-12);
        cw_link_load_free(&load);
        tear_down(&setting);
    }
}

/* Under bit complement the same holds of all groups; the middle one, whose traffic stays within it, has no more. */
static void test_restricted_bit_complement(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct setting setting = sized(&sizes[i], "bitcomp");
        const struct cw_network *net = setting.net;
        struct cw_link_load load = load_of(&setting, "valiant-restricted", 4);
        double most = 0, middle = 0;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t group = (net->tail[c] - net->n_endpoints) / sizes[i].a;
            if (net->tail[c] < net->n_endpoints) continue;
            double *greatest = group == sizes[i].g / 2 ? &middle : &most;
            *greatest = fmax(*greatest, load.load[c]);
        }
        check_near(1 / most, restricted_bound(&sizes[i]), 5e-3);
        assert_true(middle <= most * 1.1);
        cw_link_load_free(&load);
        tear_down(&setting);
    }
}

/* A ring of 4 under dimension order: one third of each node's traffic goes 1 and one third 2 steps up, which share each
 * channel upwards with the last third of a 2-step route; down goes one third. */
static void test_ring_by_hand(void **state)
{
    (void)state;
    struct setting setting = setting_of("torus:4", "uniform");
    const struct cw_network *net = setting.net;
    struct cw_link_load load = load_of(&setting, "dor", 1);
    for (uint32_t node = 0; node < 4; node++) {
        check_near(load.load[cw_network_channel_at(net, 4 + node, 2)], 1, 1e-9);
        check_near(load.load[cw_network_channel_at(net, 4 + node, 3)], 1.0 / 3, 1e-9);
        check_near(load.load[net->first[node]], 1, 1e-9);
        check_near(load.load[net->twin[net->first[node]]], 1, 1e-9);
    }
    check_near(load.fair, 1, 1e-9);
    check_near(load.busiest, 1, 1e-9);
    assert_int_equal(load.channel, CW_NONE); /* nothing limits */
    cw_link_load_free(&load);
    tear_down(&setting);
}

/* A ring of N one-way cables: routes of 1 … N - 1 steps, so each channel carries N/2 and none the way back. */
static void test_one_way_ring(void **state)
{
    (void)state;
    static const char *const routings[] = {"minhop", "spray"};
    for (size_t i = 0; i < 2; i++) {
        struct setting setting = set_up(one_way_ring(6), "uniform");
        const struct cw_network *net = setting.net;
        struct cw_link_load load = load_of(&setting, routings[i], 1);
        for (uint32_t s = 0; s < 6; s++) {
            check_near(load.load[cw_network_channel_at(net, 6 + s, 2)], 3, 1e-9);
            check_near(load.load[cw_network_channel_at(net, 6 + s, 3)], 0, 0);
            check_near(load.load[net->first[s]], 1, 1e-9);
        }
        check_near(load.fair, 1.0 / 3, 1e-9);
        check_near(load.busiest, 3, 1e-9);
        cw_link_load_free(&load);
        tear_down(&setting);
    }
}

/* A hot endpoint takes in what four others send: its own channel is what limits. */
static void test_hot_endpoint(void **state)
{
    (void)state;
    struct setting setting = setting_of("crossbar:5", "hotspot:1,share=1");
    struct cw_link_load load = load_of(&setting, NULL, 1);
    check_near(load.load[setting.net->twin[setting.net->first[0]]], 4, 1e-9);
    check_near(load.fair, 0.25, 1e-9);
    check_near(load.busiest, 4, 1e-9);
    assert_int_equal(load.channel, setting.net->twin[setting.net->first[0]]);
    cw_link_load_free(&load);
    tear_down(&setting);
}

/* Two switches with two endpoints each, joined by a cable. */
static struct cw_network *two_switches(double capacity)
{
    struct cw_builder *builder = cw_builder_new(4, 2, 5);
    for (uint32_t v = 0; v < 4; v++) cw_builder_cable(builder, v, 1, 4 + v / 2, 1 + v % 2, 5e9, 1e-7);
    cw_builder_cable(builder, 4, 3, 5, 3, capacity, 1e-7);
    struct cw_network *net;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    return net;
}

/* Half as fast as the endpoints. */
static void test_slow_cable(void **state)
{
    (void)state;
    struct setting setting = set_up(two_switches(2.5e9), "bitcomp");
    const struct cw_network *net = setting.net;
    struct cw_link_load load = load_of(&setting, "minhop", 1);
    check_near(load.busiest, 4, 1e-12);
    check_near(load.fair, 0.25, 1e-12);
    assert_true(net->tail[load.channel] >= 4 && net->head[load.channel] >= 4);
    cw_link_load_free(&load);
    tear_down(&setting);
}

/* The busiest channel by definition, of equal ones the first between switches, or the first; none below 1. */
static void check_busiest(const struct setting *setting, const struct cw_link_load *load)
{
    const struct cw_network *net = setting->net;
    double busiest = 0;
    uint32_t first = CW_NONE, between = CW_NONE;
    for (uint32_t c = 0; c < net->n_channels; c++) busiest = fmax(busiest, load->load[c]);
    for (uint32_t c = net->n_channels; c-- > 0;) {
        if (load->load[c] < busiest * (1 - 1e-11)) continue;
        first = c;
        if (net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints) between = c;
    }
    check_near(load->busiest, busiest, 1e-11 * busiest);
    assert_int_equal(load->channel, busiest <= 1 + 1e-9 ? CW_NONE : between != CW_NONE ? between : first);
}

static void check_busiest_of(struct setting setting, const char *routing)
{
    struct cw_link_load load = load_of(&setting, routing, 1);
    check_busiest(&setting, &load);
    cw_link_load_free(&load);
    tear_down(&setting);
}

static void test_busiest(void **state)
{
    (void)state;
    /* both send to endpoint 2: its own channel and the cable are equal */
    check_busiest_of(set_up_matrix(two_switches(5e9), "0 2 1\n1 2 1\n"), "minhop");
    check_busiest_of(set_up_matrix(two_switches(5.1e9), "0 2 1\n1 2 1\n"), "minhop");
    check_busiest_of(set_up_matrix(two_switches(9e9), "0 2 1\n1 3 1\n"), "minhop");
    check_busiest_of(setting_of("crossbar:6", "hotspot:2,share=1"), NULL);
    check_busiest_of(setting_of("crossbar:6", "shift:1"), NULL);
    check_busiest_of(setting_of("dragonfly:2,4,2", "bitcomp"), "minimal");
    check_busiest_of(setting_of("dragonfly:2,4,2", "group-shift"), "valiant-restricted");
    check_busiest_of(setting_of("torus:8", "uniform"), "dor");
    check_busiest_of(setting_with_speeds("torus:4x4", "shift:5", 1), "dor");
}

/* Kept are the shares of channels that can be overloaded, the busiest first. */
static void test_shares_of_the_busiest(void **state)
{
    (void)state;
    struct setting setting = setting_with_speeds("dragonfly:2,4,2", "hotspot:5,share=0.4", 2);
    struct cw_link_load load = load_of(&setting, "minimal", 1);
    const struct cw_packing *shares = load.shares;
    double *sums = calloc(shares->n_columns, sizeof *sums);
    uint32_t overloaded = 0;
    assert_non_null(sums);
    for (uint32_t c = 0; c < setting.net->n_channels; c++) overloaded += load.load[c] > 1 + 1e-9; /* a host is full */
    assert_int_equal(shares->n_columns, overloaded);
    assert_true(overloaded > 10);
    for (size_t r = 0; r < shares->n_rows; r++)
        for (size_t i = shares->first[r]; i < shares->first[r + 1]; i++)
            sums[shares->column[i]] += shares->count[r] * shares->use[i];
    check_near(sums[0], load.busiest, 1e-9);
    for (uint32_t c = 1; c < overloaded; c++) assert_true(sums[c] <= sums[c - 1] + 1e-9);
    assert_true(sums[overloaded - 1] > 1);
    free(sums);
    cw_link_load_free(&load);
    tear_down(&setting);
}

/* --- unequal service ---------------------------------------------------------------------------------------------- */

static double most_of(const struct cw_link_load *load, double offered)
{
    double most;
    assert_int_equal(cw_link_load_most(load, offered, 1, &most), 0);
    return most;
}

/* The middle group sends to itself, each switch to one other: 1/p of what its endpoints can inject, all others
 * 1/(a·p). Published simulations accept just that. */
static void test_minimal_bit_complement(void **state)
{
    (void)state;
    const double simulated[] = {.167, .070, .038, .016, .0087};
    for (size_t i = 0; i < SIZES; i++) {
        const double p = sizes[i].p, globals = sizes[i].a * sizes[i].h;
        const double right = (globals / (sizes[i].a * p) + 1 / p) / (globals + 1);
        check_near(right, simulated[i], 5e-4);
        if (i > 2) continue;
        struct setting setting = sized(&sizes[i], "bitcomp");
        struct cw_link_load load = load_of(&setting, "minimal", 1);
        check_near(load.fair, 1 / (sizes[i].a * p), 1e-12);
        check_near(most_of(&load, 1), right, 1e-5 * right);
        check_near(most_of(&load, 0.04), (globals * fmin(0.04, 1 / (sizes[i].a * p)) + 0.04) / (globals + 1), 1e-6);
        cw_link_load_free(&load);
        tear_down(&setting);
    }
}

/* Where all sources do the same, nothing is gained by serving some of them better. */
static void check_equal(const char *topology, const char *workload, const char *routing)
{
    struct setting setting = setting_of(topology, workload);
    struct cw_link_load load = load_of(&setting, routing, 1);
    check_near(most_of(&load, 1), load.fair, 2e-5 * load.fair);
    check_near(most_of(&load, load.fair / 2), load.fair / 2, 1e-12);
    cw_link_load_free(&load);
    tear_down(&setting);
}

static void test_symmetric(void **state)
{
    (void)state;
    check_equal("dragonfly:3,6,3", "group-shift", "minimal");
    check_equal("dragonfly:2,4,2", "uniform", "minimal");
    check_equal("dragonfly:2,4,2", "uniform", "valiant-restricted");
    check_equal("dragonfly:2,4,2", "uniform", "valiant-any");
    check_equal("dragonfly:2,4,2", "group-shift:4", "valiant-any");
    check_equal("torus:8x8", "uniform", "dor");
    check_equal("torus:16", "uniform", "dor");
}

/* What simulations accept in steady state (tables of published figures), and what is between. */
static void test_simulated(void **state)
{
    (void)state;
    const struct {
        const char *routing;
        double accepted[3];
    } simulated[] = {{"minimal", {.167, .070, .038}},
                     {"valiant-restricted", {.254, .182, .159}},
                     {"valiant-any", {.395, .421, .426}}};
    for (size_t k = 0; k < sizeof simulated / sizeof *simulated; k++)
        for (size_t i = 0; i < (k < 2 ? 3 : 2); i++) {
            struct setting setting = sized(&sizes[i], "bitcomp");
            struct cw_link_load load = load_of(&setting, simulated[k].routing, 2);
            const double most = most_of(&load, 1);
            if (most < simulated[k].accepted[i] - 5e-4 || most < load.fair)
                fail_msg("%s: %g is not above %g and %g", simulated[k].routing, most, simulated[k].accepted[i],
                         load.fair);
            cw_link_load_free(&load);
            tear_down(&setting);
        }
}

/* Four ranks send to the first only, which sends to all: the four share one channel, the first has its own. */
static void test_hot_endpoint_most(void **state)
{
    (void)state;
    struct setting setting = setting_of("crossbar:5", "hotspot:1,share=1");
    struct cw_link_load load = load_of(&setting, NULL, 1);
    check_near(most_of(&load, 1), 2.0 / 5, 1e-5);
    check_near(most_of(&load, 0.5), 1.5 / 5, 1e-5);
    check_near(most_of(&load, 0.2), 0.2, 1e-12);
    cw_link_load_free(&load);
    tear_down(&setting);
}

/* Of g groups that each send to one other, 2/g of the packets go directly (test_minimal_share.c has it of messages). */
static void test_by_traffic(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:4,4,2", "group-shift");
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    assert_int_equal(cw_packet_routing_new(setting.net, "ugal-mix", 1, 1, &routing), 0);
    assert_int_equal(cw_link_load_compute(routing, setting.workload, setting.endpoints, 1, &load), 0);
    check_near(load.minimal, 2.0 / 9, 1e-9);
    check_near(load.fair, 9.0 / 32, 1e-9);
    check_near(most_of(&load, 1), load.fair, 1e-5); /* for the same share: all groups do the same */
    cw_link_load_free(&load);
    cw_packet_routing_free(routing);
    tear_down(&setting);
}

/* Of a routing that looks at queues only the channels of endpoints are known. */
static void test_by_queues(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:2,4,2", "bitcomp");
    struct setting hot = setting_of("dragonfly:2,4,2", "hotspot:1,share=1");
    struct cw_link_load load = load_of(&setting, "ugal-l", 1), of_hot = load_of(&hot, "par", 1);
    struct cw_link_load fixed = load_of(&hot, "minimal", 1);
    assert_true(load.by_queues && of_hot.by_queues && !fixed.by_queues);
    assert_true(load.channel == CW_NONE);
    check_near(load.fair, 1, 1e-12);
    check_near(most_of(&load, 1), 1, 1e-12);
    check_near(of_hot.fair, 1.0 / 71, 1e-9);
    check_near(most_of(&of_hot, 1), 2.0 / 72, 1e-6);
    check_near(fixed.fair, of_hot.fair, 1e-9);
    cw_link_load_free(&load);
    cw_link_load_free(&of_hot);
    cw_link_load_free(&fixed);
    tear_down(&setting);
    tear_down(&hot);
}

/* --- several LIDs ------------------------------------------------------------------------------------------------- */

/* Four endpoints of a leaf all send across, to N LIDs by as many spines: 4 / n on each. */
static void test_lids(void **state)
{
    (void)state;
    struct setting setting = setting_of("xgft:2:4,2:1,2", "shift:4");
    const struct cw_network *net = setting.net;
    for (uint32_t n = 1; n <= 2; n++) {
        struct cw_routes *over = NULL;
        struct cw_packet_routing *routing = NULL;
        struct cw_link_load load;
        double most;
        assert_int_equal(lids_by_spines(net, 2, n, &over), 0);
        assert_int_equal(cw_packet_routing_of_routes(over, &routing), 0);
        assert_int_equal(cw_link_load_compute(routing, setting.workload, setting.endpoints, 2, &load), 0);
        assert_int_equal(cw_link_load_most(&load, 1, 1, &most), 0);
        check_near(load.fair, n / 4.0, 1e-12);
        check_near(most, n / 4.0, 1e-5);
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t leaf = net->n_endpoints; leaf < net->n_endpoints + 2; leaf++) {
                const uint32_t up = channel_between(net, leaf, spine_of(net, 2, s));
                check_near(load.load[up], s < n ? 4.0 / n : 0, 1e-12);
                check_near(load.load[net->twin[up]], s < n ? 4.0 / n : 0, 1e-12);
            }
        cw_link_load_free(&load);
        cw_packet_routing_free(routing);
    }
    tear_down(&setting);
}

/* --- packets one by one ------------------------------------------------------------------------------------------- */

/* The channels of one packet from RANK, counted. */
static void send(const struct setting *setting, const struct cw_packet_routing *routing, uint32_t rank,
                 struct cw_random *random, uint64_t *count)
{
    const struct cw_network *net = setting->net;
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    const uint32_t to = cw_workload_destination(setting->workload, rank, cw_random_u64(random));
    const uint32_t source = setting->endpoints[rank];
    struct cw_packet packet = cw_packet_of(source, setting->endpoints[to]);
    struct cw_hop hop = {CW_NONE, 0};
    if (to == rank) return;
    uint32_t at = net->head[net->first[source]];
    count[net->first[source]]++;
    packet = cw_packet_inject(ops, state, at, NULL, cw_random_u64(random), packet);
    while (at != packet.dst) {
        assert_int_equal(ops->next(state, at, hop.channel, hop.lane, NULL, 0, &packet, &hop, 1), 1);
        count[hop.channel]++;
        at = net->head[hop.channel];
    }
}

/* A channel that is used with probability q by each of n packets is counted n·q times, give or take √(n·q). */
static void check_against_packets(const char *topology, const char *workload, const char *routing_spec)
{
    const uint32_t each = 200;
    struct setting setting = setting_of(topology, workload);
    const struct cw_network *net = setting.net;
    struct cw_packet_routing *routing;
    uint64_t *count = calloc(net->n_channels, sizeof *count);
    assert_int_equal(cw_packet_routing_new(net, routing_spec, 1, 1, &routing), 0);
    for (uint32_t r = 0; r < net->n_endpoints; r++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, r);
        for (uint32_t k = 0; k < each; k++) send(&setting, routing, r, &random, count);
    }
    struct cw_link_load load = load_of(&setting, routing_spec, 1);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double expected = each * load.load[c];
        if (fabs((double)count[c] - expected) > 5 * sqrt(expected) + 1e-6)
            fail_msg("%s, %s, %s: channel %u counted %llu times instead of about %g", topology, workload, routing_spec,
                     c, (unsigned long long)count[c], expected);
    }
    cw_link_load_free(&load);
    cw_packet_routing_free(routing);
    free(count);
    tear_down(&setting);
}

static void test_packets(void **state)
{
    (void)state;
    check_against_packets("dragonfly:2,4,2", "hotspot:3,share=0.3", "valiant-any");
    check_against_packets("dragonfly:2,4,2", "group-adversarial:2", "valiant-restricted");
    check_against_packets("dragonfly:2,4,2,g=5", "uniform", "valiant-any");
    check_against_packets("xgft:2:4,4:1,4", "uniform", "dmodk");
    check_against_packets("xgft:2:4,4:1,2", "shift:5", "smodk");
    check_against_packets("torus:4x5", "halo:2x2x5", "dor");
}

/* --- properties --------------------------------------------------------------------------------------------------- */

/* What leaves endpoints arrives: each rank that sends fills its channel, whatever the routing. All routings there are.
 */
static void check_conservation(const struct cw_engine *kind, const struct setting *setting)
{
    const struct cw_network *net = setting->net;
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    if (!kind->packets || !cw_engine_accepts(kind, net, NULL)) return;
    assert_int_equal(cw_packet_routing_new(net, kind->name, 1, 1, &routing), 0);
    assert_int_equal(cw_link_load_compute(routing, setting->workload, setting->endpoints, 1, &load), 0);
    cw_packet_routing_free(routing);
    double out = 0, in = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        check_near(load.load[net->first[v]], 1, 1e-9);
        out += load.load[net->first[v]];
        in += load.load[net->twin[net->first[v]]];
    }
    check_near(in, out, 1e-6);
    cw_link_load_free(&load);
}

static void test_conservation(void **state)
{
    (void)state;
    struct setting dragonfly = setting_of("dragonfly:2,4,2", "hotspot:5,share=0.4");
    struct setting tree = setting_of("xgft:2:4,4:1,4", "uniform");
    for (size_t i = 0; cw_engines[i]; i++) {
        check_conservation(cw_engines[i], &dragonfly);
        check_conservation(cw_engines[i], &tree);
    }
    tear_down(&dragonfly);
    tear_down(&tree);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:2,3,2", "hotspot:7,share=0.3");
    struct cw_link_load one = load_of(&setting, "valiant-any", 1);
    const double most = most_of(&one, 1);
    for (unsigned n = 2; n < 8; n += 2) {
        struct cw_link_load many = load_of(&setting, "valiant-any", n);
        double most_of_many;
        assert_int_equal(cw_link_load_most(&many, 1, n, &most_of_many), 0);
        assert_memory_equal(one.load, many.load, setting.net->n_channels * sizeof *one.load);
        assert_memory_equal(&one.fair, &many.fair, sizeof one.fair);
        assert_memory_equal(&most, &most_of_many, sizeof most);
        cw_link_load_free(&many);
    }
    cw_link_load_free(&one);
    tear_down(&setting);
}

/* Placement: with every rank in the order of another group, minimal shift is the same problem. */
static void test_placement(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:2,4,2", "group-shift:3");
    const uint32_t order[] = {4, 0, 7, 2, 8, 1, 6, 3, 5};
    place_groups(&setting, order);
    struct cw_link_load load = load_of(&setting, "minimal", 1);
    check_near(load.fair, 1.0 / 8, 1e-12);
    const uint32_t c = load.channel; /* from the group of the ranks of group 0 */
    assert_int_equal((setting.net->tail[c] - setting.net->n_endpoints) / 4, 0);
    assert_int_equal((setting.net->head[c] - setting.net->n_endpoints) / 4, order[(1 + 3) % 9]);
    cw_link_load_free(&load);
    tear_down(&setting);
}

static void test_refusals(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:2,4,2", "bitcomp");
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    assert_int_equal(cw_packet_routing_new(setting.net, "minimal", 1, 1, &routing), 0);
    setting.endpoints[5] = 72;
    assert_int_equal(cw_link_load_compute(routing, setting.workload, setting.endpoints, 1, &load), CW_EUSAGE);
    check_message("rank 5 on endpoint 72 of 72");
    cw_packet_routing_free(routing);
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal_shift),
        cmocka_unit_test(test_restricted_shift),
        cmocka_unit_test(test_restricted_bit_complement),
        cmocka_unit_test(test_ring_by_hand),
        cmocka_unit_test(test_one_way_ring),
        cmocka_unit_test(test_hot_endpoint),
        cmocka_unit_test(test_slow_cable),
        cmocka_unit_test(test_busiest),
        cmocka_unit_test(test_shares_of_the_busiest),
        cmocka_unit_test(test_minimal_bit_complement),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_hot_endpoint_most),
        cmocka_unit_test(test_by_queues),
        cmocka_unit_test(test_by_traffic),
        cmocka_unit_test(test_lids),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_placement),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
