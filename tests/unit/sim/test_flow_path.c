/* The longest path of a program by flows: of programs whose path is known, and what holds of any. */
#include "sim/flows/flow_path.h"

#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "sim_test.h"
#include "traffic/rank_program.h"

#define BYTES 12500000u /* 1 ms by 100 Gbit/s */
#define WHOLE 1e-3
#define HOP   200e-9 /* two channels of 100 ns */
#define RANKS 64

static void assert_near(double value, double expected, double scale, const char *what)
{
    if (!(fabs(value - expected) <= 1e-9 * scale)) fail_msg("%s: %.12g, expected %.12g", what, value, expected);
}

/* Rank r of each job is on endpoint r. */
static struct cw_flow_path path_of(const struct test_fabric *fabric, struct cw_flow_job *jobs, size_t n, size_t job,
                                   struct cw_flow_setup setup)
{
    static uint32_t endpoints[RANKS];
    struct cw_flow_path path;
    for (uint32_t i = 0; i < RANKS; i++) endpoints[i] = i % fabric->net->n_endpoints;
    for (size_t j = 0; j < n; j++) jobs[j].endpoints = endpoints;
    setup.routes = fabric->routes;
    setup.jobs = jobs;
    setup.n_jobs = n;
    if (cw_flow_path_find(&setup, job, &path)) fail_msg("%s", cw_error_message());
    return path;
}

static struct cw_flow_path path_alone(const struct test_fabric *fabric, const struct cw_program *program,
                                      struct cw_flow_setup setup)
{
    struct cw_flow_job job = {.program = program};
    return path_of(fabric, &job, 1, 0, setup);
}

static void check_parts(const struct cw_flow_path *path, double computes, double overhead, double latency, double bytes,
                        double waits)
{
    const double time = path->end - path->begin;
    assert_near(path->parts[CW_FLOW_COMPUTES], computes, time, "computation");
    assert_near(path->parts[CW_FLOW_OVERHEAD], overhead, time, "overhead");
    assert_near(path->parts[CW_FLOW_LATENCY], latency, time, "latency");
    assert_near(path->parts[CW_FLOW_BYTES], bytes, time, "bytes");
    assert_near(path->parts[CW_FLOW_WAITS], waits, time, "waiting");
    assert_near(time, computes + overhead + latency + bytes + waits, time, "all");
}

static struct cw_program *finish(struct cw_program_builder *builder)
{
    struct cw_program *program = NULL;
    if (cw_program_finish(builder, &program)) fail_msg("%s", cw_error_message());
    return program;
}

/* --- known paths -------------------------------------------------------------------------------------------------- */

/* Each rank of a row computes, once it has what the one before it sends, and sends it on. */
static void test_pipeline(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4@100Gbit/s", NULL);
    struct cw_program_builder *builder = NULL;
    assert_int_equal(cw_program_begin(4, &builder), 0);
    for (uint32_t r = 0; r < 4; r++) {
        const uint32_t work = cw_program_compute(builder, r, (r + 1) * 1e-4);
        if (r > 0) cw_program_wait(builder, work, cw_program_receive(builder, r, r - 1, 0, BYTES));
        if (r < 3) cw_program_wait(builder, cw_program_send(builder, r, r + 1, 0, BYTES), work);
    }
    struct cw_program *program = finish(builder);
    struct cw_flow_path path = path_alone(&fabric, program, (struct cw_flow_setup){.overhead = 1e-6, .latency = 2e-6});
    check_parts(&path, 1e-3, 3e-6, 3 * (HOP + 2e-6), 3 * WHOLE, 0);
    assert_int_equal(path.n, 4 + 3 * 3);
    static const enum cw_flow_part order[] = {CW_FLOW_COMPUTES, CW_FLOW_OVERHEAD, CW_FLOW_BYTES, CW_FLOW_LATENCY};
    for (size_t i = 0; i < path.n; i++) {
        assert_int_equal(path.stretches[i].part, order[i % 4]);
        assert_int_equal(path.stretches[i].rank, i / 4);
        if (i % 4 > 0) assert_int_equal(path.stretches[i].peer, i / 4 + 1);
        assert_int_equal(path.stretches[i].bytes, i % 4 > 0 ? BYTES : 0);
    }
    cw_flow_path_free(&path);
    cw_program_free(program);
    close_fabric(&fabric);
}

/* A ring of three, of which one has a tenth of the others' speed: rounds are as long as its cable takes. */
static void test_slow_cable(void **state)
{
    (void)state;
    static const char text[] = "# crosswind edge list\nh0 s 100Gbit/s\nh1 s 100Gbit/s\nh2 s 10Gbit/s\n";
    struct test_fabric fabric = {0};
    struct cw_program_builder *builder = NULL;
    const uint32_t rounds = 5;
    assert_int_equal(cw_network_parse("slow", text, strlen(text), &fabric.net), 0);
    assert_int_equal(cw_engine_route(fabric.net, NULL, 1, 1, &fabric.routes), 0);
    assert_int_equal(cw_program_begin(3, &builder), 0);
    for (uint32_t r = 0; r < 3; r++) {
        uint32_t got = 0;
        for (uint32_t k = 0; k < rounds; k++) {
            const uint32_t send = cw_program_send(builder, r, (r + 1) % 3, k, BYTES);
            if (k > 0) cw_program_wait(builder, send, got);
            got = cw_program_receive(builder, r, (r + 2) % 3, k, BYTES);
        }
    }
    struct cw_program *program = finish(builder);
    struct cw_flow_path path = path_alone(&fabric, program, (struct cw_flow_setup){.overhead = 1e-6});
    check_parts(&path, 0, 2e-6, 2 * HOP, 10 * WHOLE * rounds, 0);
    const uint32_t out = fabric.net->first[2], in = fabric.net->twin[out];
    assert_near(path.carried[in], 10 * WHOLE * (rounds - 1), WHOLE, "to the slow host");
    assert_near(path.carried[out], 10 * WHOLE, WHOLE, "from it, at last");
    cw_flow_path_free(&path);
    cw_program_free(program);
    close_fabric(&fabric);
}

/* N - 1 messages to rank 0, and from RANK a second of computing; rank 0 ends with them. */
static struct cw_program *gather(uint32_t n, double computing)
{
    struct cw_program_builder *builder = NULL;
    assert_int_equal(cw_program_begin(n, &builder), 0);
    for (uint32_t r = 1; r < n; r++) {
        cw_program_send(builder, r, 0, 0, BYTES);
        cw_program_receive(builder, 0, r, 0, BYTES);
    }
    cw_program_compute(builder, n - 1, computing);
    return finish(builder);
}

/* Two messages share the cable of their receiver; that of another job waits as well. What computes longer decides. */
static void test_shared(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4@100Gbit/s", NULL);
    struct cw_program *two = gather(3, 0), *one = gather(2, 0), *work = gather(3, 1);
    const uint32_t to_receiver = fabric.net->twin[fabric.net->first[0]];
    struct cw_flow_path path = path_alone(&fabric, two, (struct cw_flow_setup){0});
    check_parts(&path, 0, 0, HOP, WHOLE, WHOLE);
    assert_near(path.waited[to_receiver], WHOLE, WHOLE, "its cable");
    cw_flow_path_free(&path);
    struct cw_flow_job jobs[] = {{.program = two}, {.program = one, .start = WHOLE / 2}};
    path = path_of(&fabric, jobs, 2, 1, (struct cw_flow_setup){0}); /* three share from then on: a third each */
    assert_near(path.begin, WHOLE / 2, WHOLE, "its own beginning");
    assert_near(path.parts[CW_FLOW_BYTES], WHOLE, WHOLE, "bytes of the other job's");
    assert_near(path.parts[CW_FLOW_WAITS], path.end - path.begin - WHOLE - HOP, WHOLE, "waits for the first job");
    assert_true(path.parts[CW_FLOW_WAITS] > WHOLE / 2);
    assert_near(path.waited[to_receiver] + path.waited[fabric.net->first[1]], path.parts[CW_FLOW_WAITS], WHOLE,
                "where");
    cw_flow_path_free(&path);
    path = path_alone(&fabric, work, (struct cw_flow_setup){0});
    check_parts(&path, 1, 0, 0, 0, 0);
    assert_int_equal(path.n, 1);
    assert_int_equal(path.stretches[0].rank, 2);
    cw_flow_path_free(&path);
    cw_program_free(two);
    cw_program_free(one);
    cw_program_free(work);
    close_fabric(&fabric);
}

/* By one cable, one after another: the bytes of all are on the path of the last one, whose own overhead is hidden. */
static void test_one_cable(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4@100Gbit/s", NULL);
    struct cw_program_builder *builder = NULL;
    assert_int_equal(cw_program_begin(4, &builder), 0);
    for (uint32_t r = 1; r < 4; r++) {
        cw_program_send(builder, 0, r, 0, BYTES);
        cw_program_receive(builder, r, 0, 0, BYTES);
    }
    struct cw_program *program = finish(builder);
    struct cw_flow_path path = path_alone(&fabric, program, (struct cw_flow_setup){.overhead = 1e-6});
    check_parts(&path, 0, 1e-6, HOP, 3 * WHOLE, 0);
    cw_flow_path_free(&path);
    path = path_alone(&fabric, program, (struct cw_flow_setup){.overhead = 1e-6, .gap = 5 * WHOLE});
    check_parts(&path, 0, 1e-6 + 10 * WHOLE, HOP, WHOLE, 0);
    cw_flow_path_free(&path);
    path = path_alone(&fabric, program, (struct cw_flow_setup){.rendezvous = 1000}); /* asked for and answered */
    check_parts(&path, 0, 0, 3 * HOP, 3 * WHOLE, 0);
    cw_flow_path_free(&path);
    path = path_alone(&fabric, program, (struct cw_flow_setup){.host_rate = 6.25e9});
    check_parts(&path, 0, 0, HOP, 6 * WHOLE, 0);
    cw_flow_path_free(&path);
    cw_program_free(program);
    close_fabric(&fabric);
}

/* A receiver that comes late is waited for: its computing is on the path. */
static void test_late_receiver(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:2@100Gbit/s", NULL);
    struct cw_program_builder *builder = NULL;
    assert_int_equal(cw_program_begin(2, &builder), 0);
    cw_program_send(builder, 0, 1, 0, BYTES);
    const uint32_t work = cw_program_compute(builder, 1, 0.5);
    cw_program_wait(builder, cw_program_receive(builder, 1, 0, 0, BYTES), work);
    struct cw_program *program = finish(builder);
    struct cw_flow_path path = path_alone(&fabric, program, (struct cw_flow_setup){.rendezvous = 1000});
    check_parts(&path, 0.5, 0, 2 * HOP, WHOLE, 0);
    cw_flow_path_free(&path);
    path = path_alone(&fabric, program, (struct cw_flow_setup){0});
    check_parts(&path, 0.5, 0, 0, 0, 0);
    cw_flow_path_free(&path);
    cw_program_free(program);
    close_fabric(&fabric);
}

/* --- of any program ----------------------------------------------------------------------------------------------- */

static struct cw_program *draw_program(uint32_t n, struct cw_random *random)
{
    struct cw_program_builder *builder = NULL;
    uint32_t *last = new_array(n, sizeof *last);
    const uint32_t messages = 1 + cw_random_below(random, 120);
    assert_int_equal(cw_program_begin(n, &builder), 0);
    for (uint32_t r = 0; r < n; r++) last[r] = cw_program_compute(builder, r, cw_random_below(random, 3) * 1e-5);
    for (uint32_t i = 0; i < messages; i++) {
        const uint32_t src = cw_random_below(random, n), dst = cw_random_below(random, n);
        const uint64_t bytes = cw_random_below(random, 4) ? cw_random_below(random, 1000000) : 0;
        const uint32_t send = cw_program_send(builder, src, dst, i % 3, bytes);
        cw_program_wait(builder, send, last[src]);
        const uint32_t receive = cw_program_receive(builder, dst, src, i % 3, bytes);
        if (cw_random_below(random, 3) == 0) last[src] = send;
        if (cw_random_below(random, 2)) last[dst] = receive;
        if (cw_random_below(random, 3)) continue;
        const uint32_t work = cw_program_compute(builder, dst, cw_random_below(random, 100) * 1e-6);
        cw_program_wait(builder, work, last[dst]);
        last[dst] = work;
    }
    free(last);
    return finish(builder);
}

/* One stretch after another, from the beginning to the end, and every second of it is part of something. */
static void check_path(const struct cw_flow_path *path, double end, uint32_t channels)
{
    double at = path->begin, sum = 0, waited = 0, carried = 0, waits = 0;
    const double time = path->end - path->begin;
    assert_true(path->end == end && path->n > 0);
    for (size_t i = 0; i < path->n; i++) {
        const struct cw_flow_stretch *stretch = &path->stretches[i];
        if (!(stretch->begin == at && stretch->end > at))
            fail_msg("stretch %zu of %zu, part %d, rank %u: %.17g to %.17g, expected from %.17g, end %.17g", i, path->n,
                     stretch->part, stretch->rank, stretch->begin, stretch->end, at, end);
        assert_true(stretch->waits >= 0 && stretch->waits <= stretch->end - stretch->begin);
        assert_true(stretch->waits == 0 || stretch->part == CW_FLOW_BYTES);
        waits += stretch->waits;
        at = stretch->end;
    }
    assert_true(at == path->end);
    for (int p = 0; p < CW_FLOW_PARTS; p++) {
        assert_true(path->parts[p] >= 0);
        sum += path->parts[p];
    }
    for (uint32_t c = 0; c < channels; c++) {
        assert_true(path->waited[c] >= 0 && path->carried[c] >= 0);
        waited += path->waited[c];
        carried += path->carried[c];
    }
    assert_near(sum, time, time, "sum of parts");
    assert_near(waits, path->parts[CW_FLOW_WAITS], time, "waits of stretches");
    assert_near(waited, path->parts[CW_FLOW_WAITS], time, "waits on channels");
    assert_near(carried, path->parts[CW_FLOW_BYTES], time, "bytes on channels");
}

static void test_any(void **state)
{
    (void)state;
    static const struct {
        const char *network, *routing;
    } cases[] = {{"crossbar:8@100Gbit/s", NULL},
                 {"xgft:2:4,4:1,2@100Gbit/s", "spray"},
                 {"torus:4x4@100Gbit/s", NULL},
                 {"dragonfly:2,4,2", "ugal-mix"},
                 {"rail:4,4,2@100Gbit/s", NULL}};
    for (uint64_t index = 0; index < 120; index++) {
        struct test_fabric fabric = open_fabric(cases[index % 5].network, cases[index % 5].routing);
        struct cw_random random = cw_random_of(7, 3, index);
        const uint32_t n = 2 + cw_random_below(&random, fabric.net->n_endpoints < 20 ? 16 : 30);
        struct cw_program *program = draw_program(n, &random), *other = draw_program(n, &random);
        struct cw_flow_job jobs[] = {{.program = program,
                                      .start = (double)(index % 3) * 1e-5,
                                      .sends = (enum cw_flow_sends)(index % 3),
                                      .load = index % 7 == 0 ? 0.3 : 0},
                                     {.program = other}};
        struct cw_flow_setup setup = {.overhead = (double)(index % 4) * 1e-6,
                                      .gap = index % 11 == 0 ? 3e-5 : 0,
                                      .latency = (double)(index % 5) * 1e-7,
                                      .host_rate = index % 6 == 0 ? 5e9 : 0,
                                      .rendezvous = index % 4 == 0 ? 10000 : 0};
        struct cw_flow_result result;
        double ends[2];
        for (size_t job = 0; job < 2; job++) {
            struct cw_flow_path path = path_of(&fabric, jobs, 2, job, setup);
            setup.routes = fabric.routes;
            setup.jobs = jobs;
            setup.n_jobs = 2;
            assert_int_equal(cw_flow_run(&setup, ends, &result), 0);
            check_path(&path, ends[job], fabric.net->n_channels);
            cw_flow_path_free(&path);
        }
        cw_program_free(program);
        cw_program_free(other);
        close_fabric(&fabric);
    }
}

/* Flows without end have no path. */
static void test_refused(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:2@100Gbit/s", NULL);
    struct cw_flows flows = {0};
    struct cw_flow_path path;
    static const uint32_t endpoints[] = {0, 1};
    assert_int_equal(cw_flows_add(&flows, 0, 1, 1), 0);
    const struct cw_flow_job job = {.endless = &flows, .endpoints = endpoints};
    const struct cw_flow_setup setup = {.routes = fabric.routes, .jobs = &job, .n_jobs = 1};
    for (size_t j = 0; j < 2; j++) assert_int_equal(cw_flow_path_find(&setup, j, &path), CW_EUSAGE);
    cw_flows_free(&flows);
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipeline),  cmocka_unit_test(test_slow_cable),    cmocka_unit_test(test_shared),
        cmocka_unit_test(test_one_cable), cmocka_unit_test(test_late_receiver), cmocka_unit_test(test_any),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
