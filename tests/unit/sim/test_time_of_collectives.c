/* How long collectives take in seconds: cases whose time is known, and bounds that no time may undercut. With --flits
 * SIZE instead the flit simulator as a second opinion, which takes some seconds or, for 256KiB, some more. */
#include "base/units.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/files/lft_file.h"
#include "sim/collective.h"
#include "sim/flit/flit.h"
#include "sim/flows/flow_sim.h"
#include "sim_test.h"

#define KIB 1024.0

/* Two leaves of four hosts of 100 Gbit/s, joined by 10 Gbit/s. */
static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

#define SAMPLE CW_TEST_DATA "/../examples/sample/"

static struct cw_routes *route_sample(const struct cw_network *net)
{
    struct cw_lft_report report = {0};
    struct cw_routes *routes = NULL;
    if (cw_lft_read(net, SAMPLE "opensm-lfts.dump", &report, &routes)) fail_msg("%s", cw_error_message());
    return routes;
}

/* A specification, "two leaves" or "sample". */
static struct test_fabric open_named(const char *name)
{
    struct test_fabric fabric = {0};
    int rc = 0;
    if (strcmp(name, "two leaves") == 0)
        rc = cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &fabric.net);
    else if (strcmp(name, "sample") == 0)
        rc = cw_network_read(SAMPLE "fabric.ibnetdiscover", &fabric.net);
    else
        return open_fabric(name, NULL);
    if (rc) fail_msg("%s: %s", name, cw_error_message());
    if (strcmp(name, "sample") == 0)
        fabric.routes = route_sample(fabric.net);
    else
        assert_int_equal(cw_engine_route(fabric.net, NULL, 1, 1, &fabric.routes), 0);
    return fabric;
}

static const struct cw_timing of_channels = {true, CW_TIMING_OF_CHANNELS, 0, CW_TIMING_OF_CHANNELS};

static struct cw_times time_of(const struct test_fabric *fabric, const char *spec, uint64_t bytes, uint32_t n,
                               const uint32_t *endpoints)
{
    struct cw_schedule *schedule = open_schedule(spec);
    const struct cw_collective_setup setup = {.routes = fabric->routes,
                                              .schedule = schedule,
                                              .bytes = bytes,
                                              .timing = of_channels,
                                              .sends = CW_SENDS_IN_ORDER};
    struct cw_collective *collective = NULL;
    struct cw_times times;
    assert_int_equal(cw_collective_new(&setup, &collective), 0);
    assert_int_equal(cw_collective_run(collective, n, endpoints, NULL, NULL, &times), 0);
    cw_collective_free(collective);
    cw_schedule_free(schedule);
    return times;
}

static uint32_t *count_up(uint32_t n)
{
    uint32_t *numbers = new_array(n, sizeof *numbers);
    for (uint32_t i = 0; i < n; i++) numbers[i] = i;
    return numbers;
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

static void check_time(const char *network, const char *spec, double bytes, double expected)
{
    struct test_fabric fabric = open_named(network);
    uint32_t *endpoints = count_up(fabric.net->n_endpoints);
    const struct cw_times times = time_of(&fabric, spec, (uint64_t)bytes, fabric.net->n_endpoints, endpoints);
    if (fabs(times.clean - expected) > 1e-9 * expected)
        fail_msg("%s, %s: %.9g s, expected %.9g", network, spec, times.clean, expected);
    assert_true(times.perturbed == times.clean);
    free(endpoints);
    close_fabric(&fabric);
}

/* A host's own cable counts once, whether messages leave by it one after another, arrive by it, or all at once. */
static void test_own_cable_counts_once(void **state)
{
    (void)state;
    const double whole = 256 * KIB / 12.5e9, hop = 200e-9; /* s for 256 KiB by 100 Gbit/s; two channels of 100 ns */
    check_time("crossbar:8@100Gbit/s", "linear-bcast", 256 * KIB, 7 * whole + hop);
    check_time("crossbar:8@100Gbit/s", "linear-reduce", 256 * KIB, 7 * whole + hop);
    check_time("crossbar:8@100Gbit/s", "linear-scatter", 256 * KIB, 7 * whole + hop);
    check_time("crossbar:8@100Gbit/s", "linear-gather", 256 * KIB, 7 * whole + hop);
    check_time("crossbar:8@100Gbit/s", "knomial-bcast", 256 * KIB, 4 * whole + 2 * hop);
    check_time("crossbar:8@100Gbit/s", "knomial-reduce", 256 * KIB, 4 * whole + 2 * hop);
    check_time("crossbar:8@100Gbit/s", "alltoall", 256 * KIB, 7 * (whole + hop));
    /* 16 segments, the first of which passes two more ranks: 1 MiB at 400 Gbit/s takes 21 µs alone */
    const double segment = 64 * KIB / 50e9;
    check_time("crossbar:4@400Gbit/s", "pipeline-bcast", 1024 * KIB, 18 * segment + 3 * hop);
}

/* Rounds that fill a slow channel follow one another: it is never idle, and never ahead of itself. */
static void test_slow_channel_is_waited_for(void **state)
{
    (void)state;
    const double slow = 256 * KIB / 1.25e9, fast = 256 * KIB / 12.5e9, across = 300e-9;
    check_time("two leaves", "ring-allreduce", 256 * KIB, 14 * slow / 8 + across);
    check_time("two leaves", "ring-allgather", 256 * KIB, 7 * slow + across);
    check_time("two leaves", "pipeline-bcast", 256 * KIB, slow + 6 * fast / 16 + 6 * 200e-9 + across);
    /* 1, 2, 3, 4, 3, 2, 1 messages cross it each way, and from round to round it goes on at once */
    struct test_fabric fabric = open_named("two leaves");
    uint32_t *endpoints = count_up(8);
    const double alltoall = time_of(&fabric, "alltoall", 256 << 10, 8, endpoints).clean;
    assert_true(alltoall >= 16 * slow && alltoall <= 16 * slow + 7 * across + fast);
    free(endpoints);
    close_fabric(&fabric);
    /* The slow cable of the sample carries 128 of 143 ranks' messages to a host: 1.049 ms for 8 KiB. */
    fabric = open_named("sample");
    endpoints = count_up(143);
    assert_true(time_of(&fabric, "alltoall", 8 << 10, 143, endpoints).clean >= 1.0485e-3);
    free(endpoints);
    close_fabric(&fabric);
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

/* Below what no run of a schedule can be. */
struct bounds {
    const struct cw_collective_setup *setup;
    const struct cw_network *net;
    uint32_t n;
    const uint32_t *endpoints;
    uint32_t blocks, n_levels;
    uint64_t total;
    double *work;     /* [channels] s for all bytes */
    double *senders;  /* [channels] ranks that send over it */
    bool *seen;       /* [ranks · channels] */
    double *sending;  /* [ranks] s that it is busy with sending */
    double *received; /* [ranks] end of the longest chain of messages to it, each alone on its way */
};

static void add_message(struct bounds *bounds, const struct cw_message *message, double *received)
{
    const double bytes = (double)cw_schedule_bytes(bounds->total, bounds->blocks, message->block, message->n_blocks);
    const struct cw_timing *timing = &bounds->setup->timing;
    double latency = 0, slowest = 0;
    struct cw_walk walk = {0};
    struct cw_hop hop;
    assert_int_equal(
        cw_walk_begin(&walk, bounds->setup->routes, bounds->endpoints[message->src], bounds->endpoints[message->dst]),
        0);
    while (cw_walk_candidates(&walk, &hop, 1) == 1) {
        const double alone = bytes / bounds->net->capacity[hop.channel];
        bool *seen = &bounds->seen[(size_t)message->src * bounds->net->n_channels + hop.channel];
        bounds->work[hop.channel] += alone;
        bounds->senders[hop.channel] += !*seen;
        *seen = true;
        slowest = fmax(slowest, alone);
        latency += bounds->net->latency[hop.channel];
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
    bounds->sending[message->src] += timing->overhead + slowest;
    const double begin = message->free ? 0 : bounds->received[message->src];
    received[message->dst] = fmax(received[message->dst], begin + timing->overhead + latency + slowest);
}

static void find_bounds(struct bounds *bounds)
{
    const struct cw_schedule *schedule = bounds->setup->schedule;
    double *received = new_array(bounds->n, sizeof *received);
    assert_int_equal(cw_schedule_plan(schedule, bounds->n, &bounds->n_levels, &bounds->blocks), 0);
    assert_int_equal(cw_schedule_total_bytes(schedule, bounds->n, bounds->setup->bytes, &bounds->total), 0);
    for (uint32_t level = 0; level < bounds->n_levels; level++) {
        struct cw_messages messages = {0};
        assert_int_equal(cw_schedule_round(schedule, bounds->n, level, &messages), 0);
        for (size_t i = 0; i < messages.n; i++) add_message(bounds, &messages.items[i], received);
        memcpy(bounds->received, received, bounds->n * sizeof *received);
        cw_messages_free(&messages);
    }
    free(received);
}

static void assert_at_least(const struct bounds *bounds, double time, double bound, const char *what)
{
    if (time < bound * (1 - 1e-12))
        fail_msg("%s among %u on %s, sends %s: %.9g s, but %s takes %.9g", cw_schedule_spec(bounds->setup->schedule),
                 bounds->n, bounds->net->title, bounds->setup->sends == CW_SENDS_IN_ORDER ? "in order" : "at once",
                 time, what, bound);
}

/* TIMES beside BACKGROUND[channels] messages that have no end: of k senders' messages and g others on a channel, theirs
 * have at most k / (k + g) of it. */
static void check_bounds(const struct bounds *bounds, const struct cw_times *times, const uint32_t *background)
{
    for (uint32_t c = 0; c < bounds->net->n_channels; c++) {
        assert_at_least(bounds, times->clean, bounds->work[c], "a channel");
        if (bounds->work[c] > 0 && bounds->setup->sends == CW_SENDS_IN_ORDER)
            assert_at_least(bounds, times->perturbed, bounds->work[c] * (1 + background[c] / bounds->senders[c]),
                            "a channel that is shared");
    }
    for (uint32_t r = 0; r < bounds->n; r++) {
        assert_at_least(bounds, times->clean, bounds->received[r], "a chain of messages");
        if (bounds->setup->sends == CW_SENDS_IN_ORDER)
            assert_at_least(bounds, times->clean, bounds->sending[r], "all that a rank sends");
    }
    assert_true(times->perturbed >= times->clean);
}

static void check_run(const struct cw_collective_setup *setup, uint32_t n, const uint32_t *endpoints, uint32_t n_pairs,
                      const uint32_t *src, const uint32_t *dst)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    struct bounds bounds = {.setup = setup,
                            .net = net,
                            .n = n,
                            .endpoints = endpoints,
                            .work = new_array(net->n_channels, sizeof(double)),
                            .senders = new_array(net->n_channels, sizeof(double)),
                            .seen = new_array((size_t)n * net->n_channels, sizeof(bool)),
                            .sending = new_array(n, sizeof(double)),
                            .received = new_array(n, sizeof(double))};
    uint32_t *background = new_array(net->n_channels, sizeof *background);
    struct cw_collective *collective = NULL;
    struct cw_times times;
    for (uint32_t i = 0; i < n_pairs; i++) count_walk(setup->routes, src[i], dst[i], background);
    find_bounds(&bounds);
    assert_int_equal(cw_collective_new(setup, &collective), 0);
    assert_int_equal(cw_collective_add_background(collective, n_pairs, src, dst), 0);
    assert_int_equal(cw_collective_run(collective, n, endpoints, NULL, NULL, &times), 0);
    check_bounds(&bounds, &times, background);
    cw_collective_free(collective);
    free(background);
    free(bounds.work);
    free(bounds.senders);
    free(bounds.seen);
    free(bounds.sending);
    free(bounds.received);
}

static bool has_data(const struct cw_schedule_kind *kind)
{
    return !cw_collectives[kind->result].no_data;
}

/* A collective of any kind, size and number of ranks anywhere, while endpoints that are left over send to any. */
static void check_random(const struct test_fabric *fabric, const struct cw_schedule_kind *kind, uint64_t index)
{
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, index);
    const uint32_t n_endpoints = fabric->net->n_endpoints;
    const uint32_t n = 2 + cw_random_below(&random, n_endpoints - 2), n_pairs = n_endpoints - n;
    uint32_t *order = new_array(n_endpoints, sizeof *order), *dst = new_array(n_pairs, sizeof *dst);
    struct cw_schedule *schedule = open_schedule(kind->name);
    cw_random_permutation(&random, n_endpoints, order);
    for (uint32_t i = 0; i < n_pairs; i++) dst[i] = order[cw_random_below(&random, n_endpoints)];
    for (uint32_t c = 0; c < fabric->net->n_channels; c++) {
        fabric->net->capacity[c] = 1e9 * (1 + cw_random_below(&random, 4));
        fabric->net->latency[c] = 1e-8 * (1 + cw_random_below(&random, 7));
    }
    const struct cw_collective_setup setup = {.routes = fabric->routes,
                                              .schedule = schedule,
                                              .bytes = cw_random_below(&random, 1 << 20),
                                              .timing = {.loggp = true,
                                                         .latency = CW_TIMING_OF_CHANNELS,
                                                         .overhead = index % 2 ? 1e-6 : 0,
                                                         .gap = CW_TIMING_OF_CHANNELS},
                                              .sends = index % 3 ? CW_SENDS_IN_ORDER : CW_SENDS_AT_ONCE};
    if (is_defined(schedule, n)) check_run(&setup, n, order, n_pairs, order + n, dst);
    cw_schedule_free(schedule);
    free(order);
    free(dst);
}

static void test_no_time_below_its_bounds(void **state)
{
    (void)state;
    static const char *const networks[] = {"crossbar:12",         "xgft:2:4,4:1,2", "torus:4x3",      "mesh:3x3x2",
                                           "dragonfly:1,4,2,g=5", "hypercube:4",    "jellyfish:8,3,2"};
    uint64_t index = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct test_fabric fabric = open_fabric(networks[i], NULL);
        for (size_t k = 0; cw_schedule_kinds[k]; k++)
            for (int run = 0; run < 3 && has_data(cw_schedule_kinds[k]); run++)
                check_random(&fabric, cw_schedule_kinds[k], index++);
        close_fabric(&fabric);
    }
}

/* --- the flit simulator ------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t ranks; /* 0: on all endpoints */
} networks[] = {{"crossbar:8", 0},          {"two leaves", 0}, {"xgft:2:4,4:1,4", 0},
                {"xgft:2:4,4:1,1", 0}, /* a quarter of full bisection */
                {"xgft:3:2,2,4:1,2,2", 0},  {"torus:4x4", 0},  {"mesh:4x4", 0},
                {"dragonfly:2,4,2,g=3", 0}, {"rail:4,2,4", 0}, {"hypercube:4", 0},
                {"megafly:2,2,2,2", 0},     {"sample", 24}};

static const char drift[] = "ranks have drifted apart, and messages of later rounds slow down earlier ones";
static const char serial[] = "two segments that arrive together share a rank's cable; here one comes after the other";
static const char halves[] = "two segments that arrive together halve each other's rate, and so hold up what their "
                             "senders send next; there they wait in buffers";

/* Where one of the two differs by more than 5 %: time / that of the flit simulator (0: it does not), and why. */
static const struct exception {
    const char *network, *schedule;
    uint64_t bytes;
    double counts;
    const char *why;
    double flows;
    const char *why_flows;
} exceptions[] = {
    {"hypercube:4", "alltoall", 64 << 10, 0.939, drift, 0, NULL},
    {"mesh:4x4", "alltoall", 64 << 10, 0.897, drift, 0, NULL},
    {"torus:4x4", "alltoall", 64 << 10, 0.855, drift, 0, NULL},
    {"crossbar:8", "pipeline-allreduce", 64 << 10, 0, NULL, 1.056, halves},
    {"hypercube:4", "pipeline-allreduce", 64 << 10, 0.937, serial, 0, NULL},
    {"mesh:4x4", "pipeline-allreduce", 64 << 10, 0, NULL, 1.073, halves},
    {"rail:4,2,4", "pipeline-allreduce", 64 << 10, 0.935, serial, 0, NULL},
    {"sample", "pipeline-allreduce", 64 << 10, 0, NULL, 1.075, halves},
    {"torus:4x4", "pipeline-allreduce", 64 << 10, 0.949, serial, 0, NULL},
    {"xgft:2:4,4:1,4", "pipeline-allreduce", 64 << 10, 0.946, serial, 0, NULL},
    {"xgft:3:2,2,4:1,2,2", "pipeline-allreduce", 64 << 10, 0.946, serial, 0, NULL},
    {"dragonfly:2,4,2,g=3", "recursive-doubling", 64 << 10, 0.895, drift, 0.948, drift},
    {"sample", "recursive-doubling", 64 << 10, 0.861, drift, 0, NULL},
    {"mesh:4x4", "alltoall", 256 << 10, 0.923, drift, 0, NULL},
    {"torus:4x4", "alltoall", 256 << 10, 0.874, drift, 0, NULL},
    {"crossbar:8", "pipeline-allreduce", 256 << 10, 0.938, serial, 1.137, halves},
    {"dragonfly:2,4,2,g=3", "pipeline-allreduce", 256 << 10, 0, NULL, 1.061, halves},
    {"hypercube:4", "pipeline-allreduce", 256 << 10, 0, NULL, 1.093, halves},
    {"mesh:4x4", "pipeline-allreduce", 256 << 10, 0, NULL, 1.189, halves},
    {"rail:4,2,4", "pipeline-allreduce", 256 << 10, 0.918, serial, 1.091, halves},
    {"sample", "pipeline-allreduce", 256 << 10, 0, NULL, 1.083, halves},
    {"torus:4x4", "pipeline-allreduce", 256 << 10, 0, NULL, 1.127, halves},
    {"xgft:2:4,4:1,1", "pipeline-allreduce", 256 << 10, 0, NULL, 1.074, halves},
    {"xgft:2:4,4:1,4", "pipeline-allreduce", 256 << 10, 0.936, serial, 1.076, halves},
    {"xgft:3:2,2,4:1,2,2", "pipeline-allreduce", 256 << 10, 0.950, serial, 1.080, halves},
    {"dragonfly:2,4,2,g=3", "recursive-doubling", 256 << 10, 0.891, drift, 0.945, drift},
    {"sample", "recursive-doubling", 256 << 10, 0.858, drift, 0, NULL},
    {NULL, NULL, 0, 0, NULL, 0, NULL},
};

#define TOLERANCE 0.05

static double flit_time(const struct cw_network *net, struct cw_packet_routing *routing, const char *spec,
                        uint64_t bytes, uint32_t n, const uint32_t *endpoints)
{
    struct cw_schedule *schedule = open_schedule(spec);
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    double slowest;
    cw_network_capacities(net, &slowest, &hardware.reference_capacity);
    const uint32_t trip = cw_flit_round_trip(net, &hardware);
    if (trip > hardware.input_flits) hardware.input_flits = trip;
    const struct cw_flit_job job = {
        .kind = CW_FLIT_SCHEDULE, .n_ranks = n, .endpoints = endpoints, .schedule = schedule, .bytes = bytes};
    const struct cw_flit_setup setup = {
        .routing = routing, .hardware = hardware, .jobs = &job, .n_jobs = 1, .seed = 1, .n_threads = 1};
    struct cw_flit_simulation *simulation = NULL;
    struct cw_flit_window window;
    if (cw_flit_new(&setup, &simulation)) fail_msg("%s", cw_error_message());
    while (cw_flit_job_done(simulation, 0) == UINT64_MAX)
        if (cw_flit_run(simulation, 1000, &window)) fail_msg("%s", cw_error_message());
    const double time = (double)cw_flit_job_done(simulation, 0) * cw_flit_cycle(&hardware);
    cw_flit_free(simulation);
    cw_schedule_free(schedule);
    return time;
}

static double flow_time(const struct test_fabric *fabric, const char *spec, uint64_t bytes, uint32_t n,
                        const uint32_t *endpoints)
{
    struct cw_schedule *schedule = open_schedule(spec);
    struct cw_program *program = NULL;
    struct cw_flow_result result;
    double time;
    assert_int_equal(cw_program_of_schedule(schedule, n, bytes, &program), 0);
    const struct cw_flow_job job = {.program = program, .endpoints = endpoints};
    const struct cw_flow_setup setup = {.routes = fabric->routes, .jobs = &job, .n_jobs = 1};
    if (cw_flow_run(&setup, &time, &result)) fail_msg("%s", cw_error_message());
    cw_program_free(program);
    cw_schedule_free(schedule);
    return time;
}

static const struct exception *find_exception(const char *network, const char *schedule, uint64_t bytes)
{
    for (const struct exception *at = exceptions; at->network; at++)
        if (at->bytes == bytes && strcmp(at->network, network) == 0 && strcmp(at->schedule, schedule) == 0) return at;
    return NULL;
}

static bool is_defined_named(const char *spec, uint32_t n)
{
    struct cw_schedule *schedule = open_schedule(spec);
    const bool defined = is_defined(schedule, n);
    cw_schedule_free(schedule);
    return defined;
}

/* How one of the two fared beside the flit simulator. */
struct tally {
    size_t compared, agree, wrong;
};

static void enter(struct tally *tally, const char *model, const char *network, const char *schedule, uint64_t bytes,
                  double ratio, double listed, const char *why)
{
    const bool near = fabs(ratio - 1) <= TOLERANCE;
    tally->compared++;
    tally->agree += near;
    if (listed > 0 ? !near && fabs(ratio - listed) <= 0.01 : near) return;
    print_error("%s, %s, %llu bytes: %s take %.3f of the flit simulator's time, %s %.3f%s%s\n", network, schedule,
                (unsigned long long)bytes, model, ratio, listed > 0 ? "listed as" : "expected", listed > 0 ? listed : 1,
                listed > 0 ? ", for " : "", listed > 0 ? why : "");
    tally->wrong++;
}

/* All schedules on a network. What is listed must be as it is listed. */
static void compare_schedules(const char *network, uint32_t ranks, uint64_t bytes, struct tally *counts,
                              struct tally *flows)
{
    struct test_fabric fabric = open_named(network), again = open_named(network);
    const uint32_t n = ranks > 0 ? ranks : fabric.net->n_endpoints;
    uint32_t *endpoints = count_up(n);
    struct cw_packet_routing *routing = NULL;
    assert_int_equal(cw_packet_routing_of_routes(again.routes, &routing), 0);
    for (size_t k = 0; cw_schedule_kinds[k]; k++) {
        static const struct exception none = {0};
        const char *schedule = cw_schedule_kinds[k]->name;
        if (!has_data(cw_schedule_kinds[k]) || !is_defined_named(schedule, n)) continue;
        const double flits = flit_time(again.net, routing, schedule, bytes, n, endpoints);
        const struct exception *found = find_exception(network, schedule, bytes), *listed = found ? found : &none;
        enter(counts, "counts", network, schedule, bytes, time_of(&fabric, schedule, bytes, n, endpoints).clean / flits,
              listed->counts, listed->why);
        enter(flows, "flows", network, schedule, bytes, flow_time(&fabric, schedule, bytes, n, endpoints) / flits,
              listed->flows, listed->why_flows);
    }
    cw_packet_routing_free(routing);
    cw_network_free(again.net);
    free(endpoints);
    close_fabric(&fabric);
}

static void compare_networks(uint64_t bytes)
{
    const size_t n = sizeof networks / sizeof *networks;
    struct tally counts = {0}, flows = {0};
    for (size_t i = 0; i < n; i++) compare_schedules(networks[i].name, networks[i].ranks, bytes, &counts, &flows);
    assert_int_equal(counts.wrong, 0);
    assert_int_equal(flows.wrong, 0);
    assert_true(counts.compared > 0 && (double)counts.agree >= 0.9 * (double)counts.compared);
    assert_true((double)flows.agree >= 0.93 * (double)flows.compared);
}

static void test_agrees_with_flits(void **state)
{
    compare_networks(*(const uint64_t *)*state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_cable_counts_once),
        cmocka_unit_test(test_slow_channel_is_waited_for),
        cmocka_unit_test(test_no_time_below_its_bounds),
    };
    uint64_t bytes = 0;
    const struct CMUnitTest with_flits[] = {cmocka_unit_test_prestate(test_agrees_with_flits, &bytes)};
    if (argc != 3 || strcmp(argv[1], "--flits") != 0) return cmocka_run_group_tests(tests, NULL, NULL);
    if (cw_parse_bytes("--flits", argv[2], &bytes)) return 2;
    return cmocka_run_group_tests(with_flits, NULL, NULL);
}
