/* Jobs that end: amounts of data and collectives, with completion times by hand; and setups that make no sense. */
#include <stdio.h>

#include "flit_test.h"
#include "net/builder.h"
#include "net/network_internal.h"

/* --- completion times on a crossbar, whose channels take 3 cycles ------------------------------------------------- */

enum { EMPTY = 2 * 3 + 1 }; /* what a message takes besides a cycle for each of its flits */

static uint64_t done_after(struct flit_case *c, uint64_t messages)
{
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    const struct cw_flit_window window = run_flits(simulation, 100000);
    const uint64_t done = cw_flit_job_done(simulation, 0);
    assert_true(window.finished);
    assert_int_equal(window.messages, messages);
    assert_true(window.cycles >= done && window.cycles <= done + 16);
    assert_int_equal(run_flits(simulation, 100).cycles, 0);
    end_flit_case(simulation);
    return done;
}

static uint64_t collective(const char *schedule, uint32_t n, uint64_t bytes, uint32_t packet, uint64_t messages)
{
    char network[32];
    snprintf(network, sizeof network, "crossbar:%u", n);
    struct flit_case c = open_flit_case(network, "minhop", NULL);
    c.schedule = open_schedule(schedule);
    c.job.kind = CW_FLIT_SCHEDULE;
    c.job.schedule = c.schedule;
    c.job.bytes = bytes;
    c.job.message_flits = packet;
    const uint64_t done = done_after(&c, messages);
    close_flit_case(&c);
    return done;
}

static void finite_jobs_take_as_long_as_they_must(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:4", "minhop", "bitcomp");
    c.job.kind = CW_FLIT_FINITE;
    c.job.bytes = 640;
    assert_int_equal(done_after(&c, 4 * 10), EMPTY + 10);
    c.job.bytes = 641; /* 11 flits: messages of 4, 4 and 3 */
    c.job.message_flits = 4;
    assert_int_equal(done_after(&c, 4 * 3), EMPTY + 11);
    close_flit_case(&c);
}

/* A job is done when all has arrived, and not before, though nothing be under way for long: between messages that are
 * rare, */
static void check_done(struct flit_case *c, uint64_t flits)
{
    c->job.kind = CW_FLIT_FINITE;
    c->job.bytes = flits * 64;
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    const struct cw_flit_window window = run_flits(simulation, 1000000);
    assert_true(window.finished);
    assert_int_equal(cw_flit_job_accepted(simulation, 0), c->job.n_ranks * flits);
    if (c->setup.hardware.marking) assert_true(window.notices > 0);
    end_flit_case(simulation);
    close_flit_case(c);
}

/* … while credits are on their way back to an endpoint, which takes longer than what they are of takes to arrive; and
 * while flows wait that were told to slow down. */
static void what_is_done_has_arrived(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct flit_case c = i < 4 ? open_flit_case("crossbar:4", "minhop", "shift:1")
                                   : open_flit_case("xgft:2:3,2:1,1", "minhop", "shift:3");
        c.setup.hardware.implementation = i % 2 == 0 ? "plain" : "tuned";
        if (i < 2) c.job.load = 0.02;
        if (i / 2 == 1) {
            c.setup.hardware.host_latency = 0;
            for (uint32_t e = 0; e < 4; e++) c.net->latency[c.net->first[e]] = 100 * 12.8e-9;
            c.job.message_flits = c.setup.hardware.input_flits = 4;
        }
        if (i == 4) {
            c.setup.hardware.marking = "threshold:1";
            c.setup.hardware.rate_control = "aimd:decrease=0.9,increase=0.0001,least=0.01,pause=0";
        }
        check_done(&c, i == 4 ? 200 : 40);
    }
}

static void rounds_wait_for_each_other(void **state)
{
    (void)state;
    /* Everybody sends and receives a message a round. */
    assert_int_equal(collective("dissemination", 8, 0, 1, 24), 3 * (EMPTY + 1));
    assert_int_equal(collective("recursive-doubling", 8, 64, 0, 24), 3 * (EMPTY + 1));
    assert_int_equal(collective("recursive-doubling", 8, 64 * 10, 4, 24 * 3), 3 * (EMPTY + 10));
    assert_int_equal(collective("ring-allreduce", 4, 4 * 5 * 64, 5, 24), 6 * (EMPTY + 5));
}

/* Who has nothing to send is done when it begins. */
static void nothing_is_done_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flit_case c = open_flit_case("crossbar:1", "minhop", NULL);
        c.schedule = open_schedule("dissemination");
        c.job.kind = CW_FLIT_SCHEDULE;
        c.job.schedule = c.schedule;
        c.job.bytes = 64;
        c.job.start = 50;
        c.setup.hardware.implementation = i == 0 ? "tuned" : "plain";
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        run_flits(simulation, 1000);
        assert_int_equal(cw_flit_job_done(simulation, 0), 50);
        end_flit_case(simulation);
        close_flit_case(&c);
    }
}

static void one_endpoint_sends_in_a_row(void **state)
{
    (void)state;
    assert_int_equal(collective("linear-bcast", 9, 3 * 64, 3, 8), EMPTY + 8 * 3);
    assert_int_equal(collective("linear-gather", 9, 64, 1, 8), EMPTY + 8);
    assert_int_equal(collective("dissemination", 1, 64, 1, 0), 0);
}

/* Each rank sends as soon as it has received, one message after another. */
static void trees_are_pipelines(void **state)
{
    (void)state;
    enum { N = 16, FLITS = 3 };
    struct cw_schedule *schedule = open_schedule("binomial-bcast");
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
    uint64_t free_at[N] = {0}, last = 0;
    assert_int_equal(cw_schedule_plan(schedule, N, &rounds, &blocks), 0);
    for (uint32_t round = 0; round < rounds; round++) {
        messages.n = 0;
        assert_int_equal(cw_schedule_round(schedule, N, round, &messages), 0);
        for (size_t i = 0; i < messages.n; i++) {
            free_at[messages.items[i].src] += FLITS;
            const uint64_t arrived = free_at[messages.items[i].src] + EMPTY;
            free_at[messages.items[i].dst] = arrived;
            if (arrived > last) last = arrived;
        }
    }
    assert_int_equal(collective("binomial-bcast", N, FLITS * 64, FLITS, N - 1), last);
    cw_messages_free(&messages);
    cw_schedule_free(schedule);
}

/* A collective beside an endless load. */
static void jobs_end_one_by_one(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,3,2", "minimal", NULL);
    const struct cw_ranks ranks = {.n = 21, .per_group = 1};
    uint32_t even[21], odd[21];
    assert_int_equal(cw_workload_new("uniform", &ranks, 1, &c.workload), 0);
    c.schedule = open_schedule("recursive-doubling");
    for (uint32_t i = 0; i < 21; i++) {
        even[i] = 2 * i;
        odd[i] = 2 * i + 1;
    }
    const struct cw_flit_job jobs[] = {
        {.kind = CW_FLIT_SCHEDULE, .n_ranks = 21, .endpoints = even, .schedule = c.schedule, .bytes = 64},
        {.kind = CW_FLIT_CONTINUOUS,
         .n_ranks = 21,
         .endpoints = odd,
         .workload = c.workload,
         .load = 0.5,
         .message_flits = 1}};
    c.setup.jobs = jobs;
    c.setup.n_jobs = 2;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    const struct cw_flit_window window = run_flits(simulation, 1000);
    assert_int_equal(window.cycles, 1000);
    assert_false(window.finished);
    assert_true(cw_flit_job_done(simulation, 0) < 500);
    assert_true(cw_flit_job_done(simulation, 1) == UINT64_MAX);
    assert_true(cw_flit_job_accepted(simulation, 0) > 0);
    assert_int_equal(cw_flit_job_accepted(simulation, 0) + cw_flit_job_accepted(simulation, 1), window.accepted_flits);
    end_flit_case(simulation);
    close_flit_case(&c);
}

/* Jobs that begin later do what they would do at once, so much later; until then they send nothing. */
static void check_start(struct flit_case *c, uint64_t messages)
{
    struct cw_flit_window window;
    const uint64_t at_once = done_after(c, messages);
    c->job.start = 1234;
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    assert_int_equal(run_flits(simulation, 1234).injected_flits, 0);
    window = run_flits(simulation, 100000);
    assert_true(window.finished && window.injected_flits > 0);
    assert_int_equal(cw_flit_job_done(simulation, 0), 1234 + at_once);
    assert_true(window.latency_sum < window.messages * at_once); /* waiting to begin is not waiting */
    end_flit_case(simulation);
    close_flit_case(c);
}

static void jobs_begin_when_they_are_told(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:4", "minhop", "bitcomp");
    c.job.kind = CW_FLIT_FINITE;
    c.job.bytes = 640;
    check_start(&c, 4 * 10);
    c = open_flit_case("crossbar:8", "minhop", NULL);
    c.schedule = open_schedule("recursive-doubling");
    c.job.kind = CW_FLIT_SCHEDULE;
    c.job.schedule = c.schedule;
    c.job.bytes = 64;
    check_start(&c, 24);
}

/* A job that has nothing to do is done when it begins. */
static void idle_jobs_are_done_at_once(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:1", "minhop", NULL);
    c.schedule = open_schedule("dissemination");
    c.job.kind = CW_FLIT_SCHEDULE;
    c.job.schedule = c.schedule;
    c.job.start = 77;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    assert_true(run_flits(simulation, 1000).finished);
    assert_int_equal(cw_flit_job_done(simulation, 0), 77);
    end_flit_case(simulation);
    close_flit_case(&c);
}

static void continuous_jobs_begin_when_they_are_told(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:4x4", "dor", "uniform");
    c.job.start = 500;
    for (int i = 0; i < 2; i++) {
        c.job.load = i == 0 ? 1 : 0.2;
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        assert_int_equal(run_flits(simulation, 500).injected_flits, 0);
        const struct cw_flit_window window = run_flits(simulation, 500);
        assert_true(window.injected_flits > 1000);
        if (i == 1) assert_true(window.latency_sum < 60 * window.messages);
        end_flit_case(simulation);
    }
    close_flit_case(&c);
}

/* --- setups that make no sense ------------------------------------------------------------------------------------ */

static void refused(const struct flit_case *c, const char *part)
{
    struct cw_flit_setup setup = c->setup;
    struct cw_flit_simulation *simulation = NULL;
    if (!setup.jobs) setup.jobs = &c->job;
    assert_int_equal(cw_flit_new(&setup, &simulation), CW_EUSAGE);
    assert_null(simulation);
    if (!strstr(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
}

static void nonsense_in_jobs_is_refused(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:6", "minhop", "uniform");
    const struct cw_flit_job good = c.job;
    const uint32_t twice[] = {0, 1, 2, 3, 4, 1}, outside[] = {0, 1, 2, 3, 4, 6};
#define REFUSED(FIELD, VALUE, PART)                                                                                    \
    c.job = good;                                                                                                      \
    c.job.FIELD = VALUE;                                                                                               \
    refused(&c, PART)
    REFUSED(load, 0, "a load of 0, expected more than 0 and at most 1");
    REFUSED(load, 1.5, "a load of 1.5");
    REFUSED(load, NAN, "a load of nan");
    REFUSED(n_ranks, 0, "0 ranks");
    REFUSED(n_ranks, 5, "has 5 ranks, but its workload uniform is for 6");
    REFUSED(workload, NULL, "no workload");
    REFUSED(message_flits, 0, "messages of 0 flits");
    REFUSED(message_flits, 65, "messages of 65 flits, but queues hold 64");
    REFUSED(message_flits, 256, "at most 255");
    REFUSED(endpoints, twice, "rank 5 of job 0 is on h1, where rank 1 of job 0 is already");
    REFUSED(endpoints, outside, "endpoint 6, but the network has 6 endpoints");
    REFUSED(kind, CW_FLIT_FINITE, "0 bytes");
    REFUSED(kind, CW_FLIT_SCHEDULE, "no schedule");
    c.job = good;
    c.setup.n_jobs = 0;
    refused(&c, "no jobs");
    close_flit_case(&c);
}

static void nonsense_in_hardware_is_refused(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:6", "minhop", "uniform");
    const struct cw_flit_hardware good = c.setup.hardware;
#undef REFUSED
#define REFUSED(FIELD, VALUE, PART)                                                                                    \
    c.setup.hardware = good;                                                                                           \
    c.setup.hardware.FIELD = VALUE;                                                                                    \
    refused(&c, PART)
    REFUSED(flit_bytes, 0, "flits of 0");
    REFUSED(input_flits, 0, "input queues of 0");
    REFUSED(output_flits, 0, "output queues of 0");
    REFUSED(speedup, 9, "speed-up of 9, expected 1 to 8");
    REFUSED(pipeline, 0, "pipeline of 0");
    REFUSED(allocator, "rond-robin", "no allocator is called 'rond-robin'; did you mean 'round-robin'?");
    REFUSED(implementation, "fast", "no implementation is called 'fast'; there are tuned, plain");
    REFUSED(host_latency, 10000, "host latency of 10000");
    REFUSED(local_latency, 10000, "local latency of 10000");
    REFUSED(global_latency, 10000, "global latency of 10000");
    REFUSED(reference_capacity, 0, "reference capacity of 0");
    REFUSED(reference_capacity, 1e9, "moves 5e+09 byte/s, more than the reference capacity");
    REFUSED(reference_capacity, 1e16, "less than a millionth");
    close_flit_case(&c);
}

static void endpoints_without_a_cable_are_refused(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:2", "minhop", "uniform");
    struct cw_builder *builder = cw_builder_new(3, 1, 2);
    struct cw_network *net = NULL;
    struct cw_packet_routing *routing = NULL;
    const uint32_t endpoints[] = {0, 2};
    cw_builder_cable(builder, 0, 0, 3, 0, 5e9, 0);
    cw_builder_cable(builder, 1, 0, 3, 0, 5e9, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_packet_routing_new(net, "minhop", 1, 1, &routing), 0);
    c.setup.routing = routing;
    c.job.endpoints = endpoints;
    refused(&c, "rank 1 of job 0 is on h2, which has no cable to a switch");
    cw_packet_routing_free(routing);
    cw_network_free(net);
    close_flit_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_jobs_take_as_long_as_they_must),
        cmocka_unit_test(what_is_done_has_arrived),
        cmocka_unit_test(rounds_wait_for_each_other),
        cmocka_unit_test(nothing_is_done_at_once),
        cmocka_unit_test(one_endpoint_sends_in_a_row),
        cmocka_unit_test(trees_are_pipelines),
        cmocka_unit_test(jobs_end_one_by_one),
        cmocka_unit_test(jobs_begin_when_they_are_told),
        cmocka_unit_test(idle_jobs_are_done_at_once),
        cmocka_unit_test(continuous_jobs_begin_when_they_are_told),
        cmocka_unit_test(nonsense_in_jobs_is_refused),
        cmocka_unit_test(nonsense_in_hardware_is_refused),
        cmocka_unit_test(endpoints_without_a_cable_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
