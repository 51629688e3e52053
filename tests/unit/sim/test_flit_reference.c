/* The tuned implementation and the plain one agree in every cycle: on every channel, every delivery and every latency.
 */
#include "flit_twins.h"
#include "net/network_internal.h"

static void compare(struct flit_case *c, uint32_t cycles)
{
    struct flit_case tuned = *c, plain = *c;
    tuned.setup.hardware.implementation = "tuned";
    plain.setup.hardware.implementation = "plain";
    assert_int_equal(compare_twins(&tuned, &plain, cycles), 0);
}

/* SPEEDUP, BUFFER, MESSAGE and LATENCY are whatever makes the case interesting. */
static void check(const char *network, const char *routing, const char *workload, double load, uint32_t message,
                  uint32_t speedup, uint32_t buffer, uint32_t latency)
{
    struct flit_case c = open_flit_case(network, routing, workload);
    c.job.load = load;
    c.job.message_flits = message;
    c.setup.hardware.speedup = speedup;
    c.setup.hardware.input_flits = buffer;
    c.setup.hardware.output_flits = buffer;
    c.setup.hardware.local_latency = latency;
    compare(&c, 400);
    close_flit_case(&c);
}

static void crossbar_agrees(void **state)
{
    (void)state;
    check("crossbar:6", "minhop", "uniform", 0.3, 1, 1, 4, 1);
    check("crossbar:6", "minhop", "uniform", 1, 1, 2, 64, 1);
    check("crossbar:6", "minhop", "hotspot:1", 0.6, 3, 2, 5, 1);
    check("crossbar:6", "minhop", "uniform", 0.9, 4, 3, 4, 1);
}

static void torus_agrees(void **state)
{
    (void)state;
    check("torus:4x4", "dor", "uniform", 0.2, 1, 1, 8, 2);
    check("torus:4x4", "dor", "uniform", 1, 1, 2, 3, 2);
    check("torus:4x4", "dor", "bitcomp", 1, 5, 2, 8, 1);
    check("torus:4x4", "dor:lanes=2", "permutation", 0.7, 2, 1, 2, 5);
}

static void fat_tree_agrees(void **state)
{
    (void)state;
    check("xgft:2:4,4:1,2", "dmodk", "uniform", 0.4, 1, 2, 16, 2);
    check("xgft:2:4,4:1,2", "adaptive-up", "uniform", 1, 1, 1, 4, 3);
    check("xgft:2:4,4:1,2", "adaptive-up", "permutation", 1, 7, 2, 9, 1);
}

static void dragonfly_agrees(void **state)
{
    (void)state;
    check("dragonfly:2,3,2", "minimal", "uniform", 0.4, 1, 2, 64, 2);
    check("dragonfly:2,3,2", "minimal", "group-shift:3", 1, 4, 2, 6, 2);
    check("dragonfly:2,3,2", "valiant-restricted", "bitcomp", 1, 1, 2, 8, 3);
    check("dragonfly:2,3,2", "valiant-any", "bitcomp", 1, 1, 1, 64, 1);
    check("dragonfly:2,3,2", "valiant-any", "group-shift:3", 0.8, 3, 4, 7, 2);
}

static void adaptive_routings_agree(void **state)
{
    (void)state;
    check("dragonfly:2,3,2", "ugal-l", "group-shift:3", 0.8, 1, 2, 16, 2);
    check("dragonfly:2,3,2", "ugal-g", "group-shift:3", 0.8, 1, 2, 16, 2);
    check("dragonfly:2,3,2", "par", "bitcomp", 0.9, 2, 2, 16, 2);
}

/* Channels of different latencies, a deep pipeline, unequal queues and priority for what is in transit. */
static void unusual_hardware_agrees(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,3,2", "valiant-any", "uniform");
    c.job.load = 0.6;
    c.job.message_flits = 2;
    c.setup.hardware.host_latency = 1;
    c.setup.hardware.local_latency = 4;
    c.setup.hardware.global_latency = 21;
    c.setup.hardware.pipeline = 5;
    c.setup.hardware.input_flits = 9;
    c.setup.hardware.output_flits = 3;
    c.setup.hardware.transit_first = true;
    compare(&c, 400);
    close_flit_case(&c);
}

/* Whom outputs serve: all that can be asked for. */
static void allocators_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct flit_case c = open_flit_case("dragonfly:2,3,2", "valiant-restricted", "bitcomp");
        c.job.message_flits = i % 2 == 0 ? 1 : 3;
        c.setup.hardware.allocator = i % 2 == 0 ? "age" : "age:";
        c.setup.hardware.transit_first = i >= 2;
        c.setup.hardware.input_flits = c.setup.hardware.output_flits = 12;
        compare(&c, 400);
        close_flit_case(&c);
    }
    struct flit_case c = open_flit_case("torus:4x4", "dor", "hotspot:1");
    c.setup.hardware.allocator = "age";
    compare(&c, 400);
    c.setup.hardware.allocator = "round-robin";
    c.setup.hardware.transit_first = true;
    compare(&c, 400);
    close_flit_case(&c);
}

/* Endpoints that send on several lanes, whatever the routing and the messages. */
static void injection_lanes_agree(void **state)
{
    (void)state;
    static const char *const routings[] = {"minimal", "valiant-any", "par"};
    for (uint32_t i = 0; i < 3; i++) {
        struct flit_case c = open_flit_case("dragonfly:2,3,2", routings[i], "uniform");
        c.job.message_flits = 1 + 2 * i;
        c.setup.hardware.injection_lanes = 8 - 3 * i;
        c.setup.hardware.input_flits = c.setup.hardware.output_flits = 12;
        compare(&c, 400);
        close_flit_case(&c);
    }
}

/* Half of the channels of a mesh, and one endpoint's, move less than a flit a cycle. */
static void slow_channels_agree(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("mesh:3x3", "dor", "uniform");
    for (uint32_t i = 0; i < c.net->n_channels; i += 2) c.net->capacity[i] = 5e9 / (1 + i % 7 * 0.3);
    c.job.load = 0.3;
    c.job.message_flits = 3;
    compare(&c, 400);
    close_flit_case(&c);
}

/* Two jobs that share the network: one endless, one that ends. */
static void two_jobs_agree(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:4x4", "dor", NULL);
    const struct cw_ranks ranks = {.n = 8, .per_group = 1};
    uint32_t even[8], odd[8];
    struct cw_workload *workload;
    assert_int_equal(cw_workload_new("uniform", &ranks, 1, &workload), 0);
    for (uint32_t i = 0; i < 8; i++) {
        even[i] = 2 * i;
        odd[i] = 15 - 2 * i;
    }
    const struct cw_flit_job jobs[] = {{.kind = CW_FLIT_CONTINUOUS,
                                        .n_ranks = 8,
                                        .endpoints = even,
                                        .workload = workload,
                                        .load = 0.5,
                                        .message_flits = 2},
                                       {.kind = CW_FLIT_FINITE,
                                        .n_ranks = 8,
                                        .endpoints = odd,
                                        .workload = workload,
                                        .load = 1,
                                        .message_flits = 4,
                                        .bytes = 6000,
                                        .start = 50}};
    c.setup.jobs = jobs;
    c.setup.n_jobs = 2;
    compare(&c, 400);
    cw_workload_free(workload);
    close_flit_case(&c);
}

/* Messages of several lengths, at part of the load, at all of it, and an amount of them. */
static void mixes_agree(void **state)
{
    (void)state;
    static const struct cw_flit_size sizes[] = {{1, 0.6}, {4, 0.3}, {9, 0.1}};
    for (int i = 0; i < 3; i++) {
        struct flit_case c = open_flit_case("dragonfly:2,3,2", "valiant-any", "uniform");
        c.job.kind = i == 2 ? CW_FLIT_FINITE : CW_FLIT_CONTINUOUS;
        c.job.bytes = 5000;
        c.job.load = i == 0 ? 0.4 : 1;
        c.job.sizes = sizes;
        c.job.n_sizes = 3;
        c.setup.hardware.input_flits = c.setup.hardware.output_flits = 12;
        compare(&c, 400);
        close_flit_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossbar_agrees),
        cmocka_unit_test(torus_agrees),
        cmocka_unit_test(fat_tree_agrees),
        cmocka_unit_test(dragonfly_agrees),
        cmocka_unit_test(adaptive_routings_agree),
        cmocka_unit_test(unusual_hardware_agrees),
        cmocka_unit_test(slow_channels_agree),
        cmocka_unit_test(two_jobs_agree),
        cmocka_unit_test(mixes_agree),
        cmocka_unit_test(allocators_agree),
        cmocka_unit_test(injection_lanes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
