/* The flow-level simulation: times that are known, what each of its parameters means, and bounds that hold anywhere. */
#include "sim/flows/flow_sim.h"

#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/files/lft_file.h"
#include "sim_test.h"
#include "traffic/rank_program.h"

#define SAMPLE CW_TEST_DATA "/../examples/sample/"
#define KIB    1024.0

static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

static struct test_fabric open_named(const char *name)
{
    struct test_fabric fabric = {0};
    struct cw_lft_report report = {0};
    int rc = 0;
    if (strcmp(name, "two leaves") == 0) {
        rc = cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &fabric.net);
        if (!rc) rc = cw_engine_route(fabric.net, NULL, 1, 1, &fabric.routes);
    } else if (strcmp(name, "sample") == 0) {
        rc = cw_network_read(SAMPLE "fabric.ibnetdiscover", &fabric.net);
        if (!rc) rc = cw_lft_read(fabric.net, SAMPLE "opensm-lfts.dump", &report, &fabric.routes);
    } else {
        return open_fabric(name, NULL);
    }
    if (rc) fail_msg("%s: %s", name, cw_error_message());
    return fabric;
}

static uint32_t *count_up(uint32_t n)
{
    uint32_t *numbers = new_array(n, sizeof *numbers);
    for (uint32_t i = 0; i < n; i++) numbers[i] = i;
    return numbers;
}

/* The end of JOB's program with rank r on endpoint r, beside ENDLESS flows between endpoints (NULL: none). */
static double end_beside(const struct test_fabric *fabric, struct cw_flow_job job, const struct cw_flows *endless,
                         double load, struct cw_flow_setup setup)
{
    uint32_t *endpoints = count_up(fabric->net->n_endpoints);
    job.endpoints = endpoints;
    const struct cw_flow_job jobs[] = {job, {.endless = endless, .endpoints = endpoints, .load = load}};
    struct cw_flow_result result;
    double ends[2];
    setup.routes = fabric->routes;
    setup.jobs = jobs;
    setup.n_jobs = endless ? 2 : 1;
    if (cw_flow_run(&setup, ends, &result)) fail_msg("%s", cw_error_message());
    assert_true(!endless || ends[1] == (double)INFINITY);
    free(endpoints);
    return ends[0];
}

static double end_of(const struct test_fabric *fabric, const struct cw_program *program, struct cw_flow_setup setup)
{
    return end_beside(fabric, (struct cw_flow_job){.program = program}, NULL, 0, setup);
}

static double time_of(const struct test_fabric *fabric, const char *spec, double bytes, struct cw_flow_setup setup)
{
    struct cw_schedule *schedule = open_schedule(spec);
    struct cw_program *program = NULL;
    assert_int_equal(cw_program_of_schedule(schedule, fabric->net->n_endpoints, (uint64_t)bytes, &program), 0);
    const double end = end_of(fabric, program, setup);
    cw_program_free(program);
    cw_schedule_free(schedule);
    return end;
}

static void assert_time(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance * expected)) fail_msg("%s: %.12g, expected %.12g", what, value, expected);
}

static void check_time(const char *network, const char *spec, double bytes, double expected, double tolerance)
{
    struct test_fabric fabric = open_named(network);
    assert_time(time_of(&fabric, spec, bytes, (struct cw_flow_setup){0}), expected, tolerance, spec);
    close_fabric(&fabric);
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

static void test_closed_forms(void **state)
{
    (void)state;
    const double whole = 256 * KIB / 12.5e9, hop = 200e-9; /* s for 256 KiB by 100 Gbit/s; two channels of 100 ns */
    check_time("crossbar:8@100Gbit/s", "linear-bcast", 256 * KIB, 7 * whole + hop, 1e-9);
    check_time("crossbar:8@100Gbit/s", "linear-reduce", 256 * KIB, 7 * whole + hop, 1e-9);
    check_time("crossbar:8@100Gbit/s", "linear-gather", 256 * KIB, 7 * whole + hop, 1e-9);
    check_time("crossbar:8@100Gbit/s", "knomial-bcast", 256 * KIB, 4 * whole + 2 * hop, 1e-9);
    check_time("crossbar:8@100Gbit/s", "ring-allreduce", 256 * KIB, 14 * (whole / 8 + hop), 1e-9);
    check_time("crossbar:4@400Gbit/s", "pipeline-bcast", 1024 * KIB, 18 * 64 * KIB / 50e9 + 3 * hop, 1e-9);
}

/* Flit by flit, as found with another simulator at another time. */
static void test_agrees_with_what_flits_took(void **state)
{
    (void)state;
    check_time("crossbar:4@400Gbit/s", "pipeline-bcast", 1024 * KIB, 24.2e-6, 0.01);
    check_time("xgft:2:8,8:1,8@400Gbit/s", "pipeline-bcast:radix=2", 1024 * KIB, 127.6e-6, 0.01);
    check_time("rail:4,8,8@400Gbit/s", "ring-allreduce", 16384 * KIB, 650.5e-6, 0.025);
    check_time("two leaves", "ring-allreduce", 256 * KIB, 367e-6, 0.01);
    check_time("two leaves", "pipeline-bcast", 256 * KIB, 219.11e-6, 0.01);
    check_time("two leaves", "ring-allgather", 256 * KIB, 1.468e-3, 0.01);
    check_time("two leaves", "alltoall", 256 * KIB, 3.356e-3, 0.01);
    check_time("two leaves", "bruck", 256 * KIB, 4.404e-3, 0.01);
    check_time("crossbar:8@100Gbit/s", "linear-bcast", 256 * KIB, 147e-6, 0.01);
    check_time("sample", "alltoall", 8 * KIB, 1.295e-3, 0.25);
}

/* A cable of 8 Gbit/s carries 2.147 s of bytes: rounds drift apart, and each waits for the one before. */
static void test_no_less_than_the_slow_cable(void **state)
{
    (void)state;
    struct test_fabric fabric = open_named("sample");
    assert_true(time_of(&fabric, "alltoall", 16384 * KIB, (struct cw_flow_setup){0}) > 2.147);
    close_fabric(&fabric);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* Messages from rank 0 to all others of a crossbar of 100 Gbit/s with 100 ns a channel; rank 1 first computes. */
static struct cw_program *fan_out(uint32_t n, uint64_t bytes, double computing)
{
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    assert_int_equal(cw_program_begin(n, &builder), 0);
    for (uint32_t r = 1; r < n; r++) cw_program_send(builder, 0, r, 0, bytes);
    const uint32_t work = cw_program_compute(builder, 1, computing);
    cw_program_wait(builder, cw_program_receive(builder, 1, 0, 0, bytes), work);
    for (uint32_t r = 2; r < n; r++) cw_program_receive(builder, r, 0, 0, bytes);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    return program;
}

static void test_parameters(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4@100Gbit/s", NULL);
    const double one = 12.5e6 / 12.5e9, hop = 200e-9; /* 1 ms */
    struct cw_program *program = fan_out(4, 12500000, 0), *late = fan_out(4, 12500000, 0.1);
    struct cw_program *empty = fan_out(4, 0, 0);
    struct cw_flow_setup setup = {0};
    assert_time(end_of(&fabric, program, setup), 3 * one + hop, 1e-9, "one after another");
    assert_time(end_of(&fabric, late, setup), 0.1, 1e-9, "who computes takes its message when it is done");
    struct cw_flow_job job = {.program = program, .sends = CW_FLOW_AT_ONCE};
    assert_time(end_beside(&fabric, job, NULL, 0, setup), 3 * one + hop, 1e-9, "at once, by one cable");
    job = (struct cw_flow_job){.program = program, .load = 0.25};
    assert_time(end_beside(&fabric, job, NULL, 0, setup), 12 * one + hop, 1e-9, "a quarter of the cable");
    setup = (struct cw_flow_setup){.overhead = 1e-5};
    assert_time(end_of(&fabric, program, setup), 1e-5 + 3 * one + hop, 1e-9, "o is hidden behind messages before");
    assert_time(end_of(&fabric, empty, setup), 3e-5 + hop, 1e-9, "o of each");
    setup = (struct cw_flow_setup){.latency = 1e-3};
    assert_time(end_of(&fabric, program, setup), 1e-3 + 3 * one + hop, 1e-9, "L");
    setup = (struct cw_flow_setup){.gap = 5e-3};
    assert_time(end_of(&fabric, program, setup), 10e-3 + one + hop, 1e-9, "g");
    setup = (struct cw_flow_setup){.host_rate = 6.25e9};
    assert_time(end_of(&fabric, program, setup), 6 * one + hop, 1e-9, "a host that sends slower");
    setup = (struct cw_flow_setup){.rendezvous = 1000};
    assert_time(end_of(&fabric, program, setup), 3 * one + 3 * hop, 1e-9, "asked and answered");
    assert_time(end_of(&fabric, late, setup), 0.1 + one + 2 * hop, 1e-9, "no byte before the receiver is there");
    setup.rendezvous = 12500000;
    assert_time(end_of(&fabric, late, setup), 0.1, 1e-9, "no longer than what waits");
    struct cw_flows flows = {0};
    job.load = 0;
    assert_int_equal(cw_flows_add(&flows, 3, 1, 1), 0);
    setup = (struct cw_flow_setup){0};
    assert_time(end_beside(&fabric, job, &flows, 0, setup), 4 * one + hop, 1e-9, "half the cable of rank 1");
    assert_time(end_beside(&fabric, job, &flows, 0.2, setup), 3.25 * one + hop, 1e-9, "all but a fifth");
    assert_int_equal(cw_flows_add(&flows, 3, 2, 3), 0);
    assert_time(end_beside(&fabric, job, &flows, 0.2, setup), (1 / 0.95 + 1 / 0.85 + 1) * one + hop, 1e-9, "by shares");
    cw_flows_free(&flows);
    cw_program_free(program);
    cw_program_free(late);
    cw_program_free(empty);
    close_fabric(&fabric);
}

/* What a rank sends to itself is through as soon as it has asked itself and answered, and what waits for that begins.
 */
static void test_to_itself(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:2@100Gbit/s", NULL);
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    assert_int_equal(cw_program_begin(1, &builder), 0);
    const uint32_t send = cw_program_send(builder, 0, 0, 0, 2000);
    cw_program_receive(builder, 0, 0, 0, 2000);
    cw_program_wait(builder, cw_program_compute(builder, 0, 1e-3), send);
    assert_int_equal(cw_program_finish(builder, &program), 0);
    const struct cw_flow_setup setup = {.latency = 1e-4, .rendezvous = 1000};
    assert_time(end_of(&fabric, program, setup), 2e-4 + 1e-3, 1e-9, "to itself");
    cw_program_free(program);
    close_fabric(&fabric);
}

/* Endpoint 0 has a cable to each of two switches, where endpoints 1 and 2 are. It sends by both at a time, unless the
 * host cannot. */
static void test_two_cables(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 2, 4);
    struct test_fabric fabric = {0};
    struct cw_flows flows = {0};
    struct cw_program *program = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        cw_builder_cable(builder, 0, 0, 3 + i, 0, 12.5e9, 100e-9);
        cw_builder_cable(builder, 1 + i, 0, 3 + i, 0, 12.5e9, 100e-9);
        assert_int_equal(cw_flows_add(&flows, 0, 1 + i, 12500000), 0);
    }
    assert_int_equal(cw_builder_finish(builder, &fabric.net), 0);
    if (cw_engine_route(fabric.net, "minhop", 1, 1, &fabric.routes)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_program_of_flows(&flows, 3, &program), 0);
    struct cw_flow_setup setup = {0};
    assert_time(end_of(&fabric, program, setup), 1e-3 + 200e-9, 1e-9, "by two cables");
    setup.host_rate = 12.5e9;
    assert_time(end_of(&fabric, program, setup), 2e-3 + 200e-9, 1e-9, "what the host can send");
    cw_program_free(program);
    cw_flows_free(&flows);
    close_fabric(&fabric);
}

/* Packets that are spread fill all spines: two messages between leaves are as fast as their own cables; hashed to one
 * spine they share it. */
static void test_shares(void **state)
{
    (void)state;
    struct cw_flows flows = {0};
    struct cw_program *program = NULL;
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(cw_flows_add(&flows, i, 4 + i, 12500000), 0);
    assert_int_equal(cw_program_of_flows(&flows, 8, &program), 0);
    struct test_fabric fabric = open_fabric("xgft:2:4,2:1,4@100Gbit/s", "spray");
    double *bytes = new_array(fabric.net->n_channels, sizeof *bytes), sum = 0;
    const struct cw_flow_setup setup = {.channel_bytes = bytes};
    assert_time(end_of(&fabric, program, setup), 1e-3 + 400e-9, 1e-9, "sprayed");
    for (uint32_t c = 0; c < fabric.net->n_channels; c++) {
        assert_true(bytes[c] == 0 || bytes[c] == 12500000);
        sum += bytes[c];
    }
    assert_time(sum, 4 * 4 * 12500000.0, 1e-12, "bytes on all channels");
    free(bytes);
    close_fabric(&fabric);
    cw_program_free(program);
    cw_flows_free(&flows);
}

/* Flows without end between ranks of one endpoint take nothing of its cable. */
static void test_endless_within_an_endpoint(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4@100Gbit/s", NULL);
    struct cw_program *program = fan_out(2, 12500000, 0);
    struct cw_flows flows = {0};
    static const uint32_t endpoints[] = {0, 1}, within[] = {1, 1};
    assert_int_equal(cw_flows_add(&flows, 0, 1, 1), 0);
    const struct cw_flow_job jobs[] = {{.program = program, .endpoints = endpoints},
                                       {.endless = &flows, .endpoints = within}};
    const struct cw_flow_setup setup = {.routes = fabric.routes, .jobs = jobs, .n_jobs = 2};
    struct cw_flow_result result;
    double ends[2];
    if (cw_flow_run(&setup, ends, &result)) fail_msg("%s", cw_error_message());
    assert_time(ends[0], 1e-3 + 200e-9, 1e-9, "alone on its cable");
    cw_flows_free(&flows);
    cw_program_free(program);
    close_fabric(&fabric);
}

static double shifted(const char *routing, uint32_t by)
{
    struct test_fabric fabric = open_fabric("dragonfly:2,4,2", routing);
    const uint32_t n = fabric.net->n_endpoints;
    struct cw_flows flows = {0};
    struct cw_program *program = NULL;
    for (uint32_t i = 0; i < n; i++) assert_int_equal(cw_flows_add(&flows, i, (i + by) % n, 1 << 20), 0);
    assert_int_equal(cw_program_of_flows(&flows, n, &program), 0);
    const double end = end_of(&fabric, program, (struct cw_flow_setup){0});
    cw_program_free(program);
    cw_flows_free(&flows);
    close_fabric(&fabric);
    return end;
}

/* The share of packets that go minimally is the best for all messages: none of both ways alone is faster. A shift by a
 * group has one channel for eight messages on shortest paths. */
static void test_share_by_traffic(void **state)
{
    (void)state;
    const double mixed = shifted("ugal-mix", 8), minimal = shifted("minimal", 8), valiant = shifted("valiant-any", 8);
    assert_true(mixed <= valiant * (1 + 1e-9) && valiant < minimal);
    assert_true(shifted("ugal-mix", 1) <= shifted("minimal", 1) * (1 + 1e-9));
}

/* --- anywhere ----------------------------------------------------------------------------------------------------- */

/* A random program: messages that wait for earlier ones, of any length, and computations. */
static struct cw_program *draw_program(uint32_t n, struct cw_random *random)
{
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    uint32_t *last = new_array(n, sizeof *last);
    const uint32_t messages = 1 + cw_random_below(random, 80);
    assert_int_equal(cw_program_begin(n, &builder), 0);
    for (uint32_t r = 0; r < n; r++) last[r] = cw_program_compute(builder, r, cw_random_below(random, 3) * 1e-4);
    for (uint32_t i = 0; i < messages; i++) {
        const uint32_t src = cw_random_below(random, n), dst = cw_random_below(random, n);
        const uint64_t bytes = cw_random_below(random, 4) ? cw_random_below(random, 1000000) : 0;
        cw_program_wait(builder, cw_program_send(builder, src, dst, i % 3, bytes), last[src]);
        const uint32_t receive = cw_program_receive(builder, dst, src, i % 3, bytes);
        if (cw_random_below(random, 2)) last[dst] = receive;
    }
    assert_int_equal(cw_program_finish(builder, &program), 0);
    free(last);
    return program;
}

/* Each message takes at least what it takes alone, from when its sender is ready; each channel at least its bytes. */
static void check_run(const struct test_fabric *fabric, const struct cw_program *program, uint64_t index)
{
    uint32_t *endpoints = count_up(program->n_ranks);
    double *ends = new_array(program->n_actions, sizeof *ends), end, again;
    double *bytes = new_array(fabric->net->n_channels, sizeof *bytes);
    const struct cw_flow_job job = {
        .program = program, .endpoints = endpoints, .ends = ends, .start = 1, .sends = (enum cw_flow_sends)(index % 3)};
    struct cw_flow_setup setup = {.routes = fabric->routes,
                                  .jobs = &job,
                                  .n_jobs = 1,
                                  .overhead = (double)(index % 3) * 1e-6,
                                  .latency = (double)(index % 5) * 1e-7,
                                  .rendezvous = index % 4 == 0 ? 10000 : 0,
                                  .channel_bytes = bytes};
    struct cw_flow_result result;
    if (cw_flow_run(&setup, &end, &result)) fail_msg("%s", cw_error_message());
    for (uint32_t c = 0; c < fabric->net->n_channels; c++)
        assert_true(end - 1 >= bytes[c] / fabric->net->capacity[c] * (1 - 1e-9));
    for (uint32_t i = 0; i < program->n_actions; i++) {
        const struct cw_action *at = &program->actions[i];
        assert_true(ends[i] >= 1 && ends[i] <= end);
        for (size_t k = program->first_next[i]; k < program->first_next[i + 1]; k++)
            assert_true(ends[program->next[k]] >= ends[i]);
        if (at->kind == CW_ACTION_SEND) {
            assert_int_equal(program->actions[at->partner].partner, i);
            const double least = (double)at->bytes / 12.5e9;
            if (at->rank != at->peer) assert_true(ends[at->partner] >= 1 + setup.overhead + least * (1 - 1e-9));
        }
    }
    setup.channel_bytes = NULL;
    assert_int_equal(cw_flow_run(&setup, &again, &result), 0);
    assert_true(memcmp(&end, &again, sizeof end) == 0);
    free(endpoints);
    free(ends);
    free(bytes);
}

static void test_random_programs(void **state)
{
    (void)state;
    static const char *const networks[] = {"crossbar:6@100Gbit/s", "torus:3x3@100Gbit/s", "xgft:2:4,3:1,2@100Gbit/s",
                                           "dragonfly:1,4,2,g=5@100Gbit/s"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct test_fabric fabric = open_fabric(networks[i], NULL);
        for (uint64_t index = 0; index < 40; index++) {
            struct cw_random random = cw_random_of(5, CW_STREAM_TEST, index * 4 + i);
            struct cw_program *program = draw_program(fabric.net->n_endpoints, &random);
            check_run(&fabric, program, index);
            cw_program_free(program);
        }
        close_fabric(&fabric);
    }
}

/* Drawn packet by packet, a rank's messages end together; one after another, or sharing alike, they do not. */
static void test_mixed(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:3@100Gbit/s", NULL);
    struct cw_flows flows = {0};
    struct cw_program *program = NULL;
    static const double expected[][2] = {{1e-3, 4e-3}, {2e-3, 4e-3}, {4e-3, 4e-3}};
    static const uint32_t endpoints[] = {0, 1, 2};
    assert_int_equal(cw_flows_add(&flows, 0, 1, 12500000), 0);
    assert_int_equal(cw_flows_add(&flows, 0, 2, 37500000), 0);
    assert_int_equal(cw_program_of_flows(&flows, 3, &program), 0);
    for (int sends = CW_FLOW_IN_ORDER; sends <= CW_FLOW_MIXED; sends++) {
        double ends[4], end;
        const struct cw_flow_job job = {
            .program = program, .endpoints = endpoints, .sends = (enum cw_flow_sends)sends, .ends = ends};
        const struct cw_flow_setup setup = {.routes = fabric.routes, .jobs = &job, .n_jobs = 1};
        struct cw_flow_result result;
        assert_int_equal(cw_flow_run(&setup, &end, &result), 0);
        for (uint32_t r = 1; r < 3; r++)
            assert_time(ends[program->first[r]], expected[sends][r - 1] + 200e-9, 1e-9, "a message's end");
    }
    cw_program_free(program);
    cw_flows_free(&flows);
    close_fabric(&fabric);
}

/* Jobs that share no channel do not slow each other; two that share one do, and equally. */
static void test_jobs(void **state)
{
    (void)state;
    struct test_fabric fabric = open_named("two leaves");
    struct cw_flows flows = {0};
    struct cw_program *program = NULL;
    assert_int_equal(cw_flows_add(&flows, 0, 1, 12500000), 0);
    assert_int_equal(cw_program_of_flows(&flows, 2, &program), 0);
    static const uint32_t left[] = {0, 1}, right[] = {4, 5}, across[] = {2, 6}, beside[] = {3, 7};
    struct cw_flow_job jobs[] = {{.program = program, .endpoints = left}, {.program = program, .endpoints = right}};
    struct cw_flow_setup setup = {.routes = fabric.routes, .jobs = jobs, .n_jobs = 2};
    struct cw_flow_result result;
    double ends[2];
    assert_int_equal(cw_flow_run(&setup, ends, &result), 0);
    assert_time(ends[0], 1e-3 + 200e-9, 1e-9, "alone");
    assert_true(ends[0] == ends[1]);
    jobs[0].endpoints = across;
    jobs[1].endpoints = beside;
    assert_int_equal(cw_flow_run(&setup, ends, &result), 0);
    assert_time(ends[0], 20e-3 + 300e-9, 1e-9, "two on the trunk");
    assert_true(ends[0] == ends[1]);
    jobs[1].start = 5e-3; /* half of the first is through: it needs 10 ms more for the other half, */
    assert_int_equal(cw_flow_run(&setup, ends, &result), 0);
    assert_time(ends[0], 15e-3 + 300e-9, 1e-9, "the first");
    assert_time(ends[1], 20e-3 + 300e-9, 1e-9, "and the second half of its own bytes, alone");
    cw_program_free(program);
    cw_flows_free(&flows);
    close_fabric(&fabric);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void test_circles_are_found(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4", NULL);
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    assert_int_equal(cw_program_begin(2, &builder), 0);
    for (uint32_t r = 0; r < 2; r++) {
        const uint32_t receive = cw_program_receive(builder, r, 1 - r, 0, 8);
        cw_program_wait(builder, cw_program_send(builder, r, 1 - r, 0, 8), receive);
    }
    assert_int_equal(cw_program_finish(builder, &program), 0);
    static const uint32_t endpoints[] = {0, 1};
    const struct cw_flow_job job = {.program = program, .endpoints = endpoints};
    const struct cw_flow_setup setup = {.routes = fabric.routes, .jobs = &job, .n_jobs = 1};
    struct cw_flow_result result;
    double end;
    assert_int_equal(cw_flow_run(&setup, &end, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "rank 0 of job 1 waits for ever: actions wait for each other in a circle");
    cw_program_free(program);
    close_fabric(&fabric);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("xgft:2:2,2:1,2", "adaptive");
    struct cw_flow_setup setup = {.routes = fabric.routes};
    struct cw_flow_result result;
    double end;
    assert_int_equal(cw_flow_run(&setup, &end, &result), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "by queues"));
    close_fabric(&fabric);
    fabric = open_fabric("crossbar:4", NULL);
    setup = (struct cw_flow_setup){.routes = fabric.routes, .overhead = -1};
    assert_int_equal(cw_flow_run(&setup, &end, &result), CW_EUSAGE);
    close_fabric(&fabric);
    struct cw_program_builder *builder = NULL;
    struct cw_program *program = NULL;
    static const struct {
        uint32_t src, dst, tag;
        uint64_t sent, received;
        const char *message;
    } cases[] = {
        {0, 1, 0, 8, UINT64_MAX, "rank 0 sends 8 bytes to rank 1 (tag 7), which does not receive them"},
        {0, 1, 0, UINT64_MAX, 8, "rank 1 receives 8 bytes from rank 0 (tag 7), which does not send them"},
        {0, 1, 0, 8, 16, "rank 0 sends 8 bytes to rank 1 (tag 7), which expects 16 bytes"},
        {0, 9, 0, 8, 8, "an action of rank 0 with rank 9; expected less than 2, the number of ranks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cw_program_begin(2, &builder), 0);
        if (cases[i].sent < UINT64_MAX) cw_program_send(builder, cases[i].src, cases[i].dst, 7, cases[i].sent);
        if (cases[i].received < UINT64_MAX)
            cw_program_receive(builder, cases[i].dst, cases[i].src, 7, cases[i].received);
        assert_int_equal(cw_program_finish(builder, &program), CW_EUSAGE);
        assert_string_equal(cw_error_message(), cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_agrees_with_what_flits_took),
        cmocka_unit_test(test_no_less_than_the_slow_cable),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_to_itself),
        cmocka_unit_test(test_two_cables),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_circles_are_found),
        cmocka_unit_test(test_endless_within_an_endpoint),
        cmocka_unit_test(test_share_by_traffic),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
