/* Jobs side by side by flows: who gets which endpoints, what is alone and what together, and what must be symmetric. */
#include "study/jobs/flow_jobs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../traffic/traffic_test_file.h"
#include "base/error.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "topo/topology.h"
#include "traffic/goal_file.h"

/* Two leaves of four hosts of 100 Gbit/s, joined by 10 Gbit/s. */
static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

struct bench {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_jobs jobs;
    struct cw_flow_jobs_setup setup;
    struct cw_flow_jobs times;
};

static void run_bench(struct bench *bench, const char *jobs, size_t trials)
{
    assert_int_equal(cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &bench->net), 0);
    assert_int_equal(cw_engine_route(bench->net, NULL, 1, 1, &bench->routes), 0);
    if (cw_jobs_parse(jobs, "contiguous", 8, NULL, &bench->jobs)) fail_msg("%s", cw_error_message());
    bench->setup = (struct cw_flow_jobs_setup){
        .routes = bench->routes, .jobs = &bench->jobs, .trials = trials, .pairs = CW_PAIRS_ALL, .seed = 1, .n_threads = 2};
    if (cw_flow_jobs_run(&bench->setup, &bench->times)) fail_msg("%s", cw_error_message());
}

static void free_bench(struct bench *bench)
{
    cw_flow_jobs_free(&bench->times);
    cw_jobs_free(&bench->jobs);
    cw_routes_free(bench->routes);
    cw_network_free(bench->net);
}

static void assert_time(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * expected)) fail_msg("%.12g, expected %.12g", value, expected);
}

/* Ranks 0, 1 are on leaf a; of the second job, too; the third has a rank on each side, the trunk to itself. */
static void test_nothing_shared_nothing_lost(void **state)
{
    (void)state;
    struct bench bench = {0};
    run_bench(&bench, "ring-allreduce ranks=2 bytes=1MB; alltoall ranks=1 bytes=1KB; shift:1 ranks=2 bytes=12500000",
              1);
    for (size_t i = 0; i < 3; i++) {
        const double alone = cw_flow_jobs_alone(&bench.times, 0, i);
        assert_true(cw_flow_jobs_time(&bench.times, 0, i) == alone);
        for (size_t j = 0; j < 3; j++)
            if (i != j) assert_true(cw_flow_jobs_beside(&bench.times, 0, i, j) == alone);
    }
    assert_time(cw_flow_jobs_alone(&bench.times, 0, 0), 2 * (500e3 / 12.5e9 + 200e-9));
    assert_true(cw_flow_jobs_alone(&bench.times, 0, 1) == 0);
    assert_time(cw_flow_jobs_alone(&bench.times, 0, 2), 10e-3 + 300e-9);
    free_bench(&bench);
}

/* Three equal jobs across the trunk: each beside one other takes twice, beside both three times as long. */
static void test_symmetric(void **state)
{
    (void)state;
    struct bench bench = {0};
    double bytes[64] = {0}, end;
    run_bench(&bench,
              "shift:1 ranks=2 bytes=12500000 placement=random; shift:1 ranks=2 bytes=12500000 placement=random; "
              "shift:1 ranks=2 bytes=12500000 placement=random",
              40);
    size_t all_across = 0;
    for (size_t t = 0; t < 40; t++) {
        bool across = true;
        for (size_t i = 0; i < 3; i++) across &= cw_flow_jobs_alone(&bench.times, t, i) > 5e-3;
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < i; j++) {
                const double one = cw_flow_jobs_beside(&bench.times, t, i, j);
                if (!across) continue;
                assert_time(one, 20e-3 + 300e-9);
                assert_true(one == cw_flow_jobs_beside(&bench.times, t, j, i));
            }
        if (across) assert_time(cw_flow_jobs_time(&bench.times, t, 2), 30e-3 + 300e-9);
        all_across += across;
    }
    assert_true(all_across > 0 && all_across < 40);
    assert_int_equal(cw_flow_jobs_channels(&bench.setup, 0, bytes, &end), 0);
    double sum = 0, last = 0;
    for (uint32_t c = 0; c < bench.net->n_channels; c++)
        if (bench.net->tail[c] < 8) sum += bytes[c];
    for (size_t i = 0; i < 3; i++) last = fmax(last, cw_flow_jobs_time(&bench.times, 0, i));
    assert_time(sum, 6 * 12500000.0);
    assert_true(end == last);
    free_bench(&bench);
}

/* Beside a load without end: of the trunk a job gets what a fifth of it leaves, and all if that stays on its leaf. */
static void test_endless(void **state)
{
    (void)state;
    struct bench bench = {0};
    const double expected[] = {1e-3 + 200e-9, 10e-3 + 300e-9, 12.5e-3 + 300e-9};
    size_t met[3] = {0};
    run_bench(&bench, "shift:1 ranks=2 load=0.02 placement=random; shift:1 ranks=2 bytes=12500000 placement=random",
              60);
    for (size_t t = 0; t < 60; t++) {
        const double time = cw_flow_jobs_time(&bench.times, t, 1);
        size_t found = 3;
        for (size_t i = 0; i < 3; i++)
            if (fabs(time / expected[i] - 1) < 1e-9) found = i;
        if (found == 3) fail_msg("trial %zu takes %g s", t, time);
        met[found]++;
        assert_true(time == cw_flow_jobs_beside(&bench.times, t, 1, 0));
    }
    assert_true(met[0] > 0 && met[1] > 0 && met[2] > 0);
    free_bench(&bench);
}

/* What a rank sends to all others is what it was told to send, to the byte. */
static void test_all_bytes_are_sent(void **state)
{
    (void)state;
    struct bench bench = {0};
    double bytes[64] = {0}, end;
    run_bench(&bench, "uniform bytes=1000003", 1);
    assert_int_equal(cw_flow_jobs_channels(&bench.setup, 0, bytes, &end), 0);
    for (uint32_t c = 0; c < bench.net->n_channels; c++)
        if (bench.net->tail[c] < 8) assert_true(bytes[c] == 1000003);
    free_bench(&bench);
}

/* Two jobs across the trunk, the second half a transfer later: for half of theirs both share it, so each takes 1.5
 * times as long from its own start. Where it begins when the first is done, and alone, nothing changes. */
static void test_later(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct bench bench = {0};
        size_t across = 0;
        run_bench(&bench,
                  late ? "shift:1 ranks=2 bytes=12500000 placement=random; shift:1 ranks=2 bytes=12500000 "
                         "placement=random start=11ms"
                       : "shift:1 ranks=2 bytes=12500000 placement=random start=100ms; shift:1 ranks=2 bytes=12500000 "
                         "placement=random start=105ms",
                  40);
        for (size_t t = 0; t < 40; t++) {
            const double *alone =
                (double[]){cw_flow_jobs_alone(&bench.times, t, 0), cw_flow_jobs_alone(&bench.times, t, 1)};
            if (!(alone[0] > 5e-3 && alone[1] > 5e-3)) continue;
            across++;
            for (size_t i = 0; i < 2; i++) {
                const double expected = (late ? 10e-3 : 15e-3) + 300e-9;
                assert_time(alone[i], 10e-3 + 300e-9);
                assert_time(cw_flow_jobs_time(&bench.times, t, i), expected);
                assert_time(cw_flow_jobs_beside(&bench.times, t, i, 1 - i), expected);
            }
        }
        assert_true(across > 0);
        free_bench(&bench);
    }
}

/* Three times the same takes three times as long where a rank's end and its next beginning are one. */
static void test_repeated(void **state)
{
    (void)state;
    struct bench bench = {0};
    double bytes[64] = {0}, end;
    run_bench(&bench, "ring-allreduce ranks=2 bytes=1MB repeat=3; shift:1 ranks=2 bytes=1000000 repeat=2", 1);
    assert_time(cw_flow_jobs_alone(&bench.times, 0, 0), 3 * 2 * (500e3 / 12.5e9 + 200e-9));
    assert_time(cw_flow_jobs_alone(&bench.times, 0, 1), 2 * (1e6 / 12.5e9 + 200e-9));
    assert_int_equal(cw_flow_jobs_channels(&bench.setup, 0, bytes, &end), 0);
    assert_true(bytes[bench.net->first[0]] == 3e6 && bytes[bench.net->first[3]] == 2e6);
    free_bench(&bench);
}

/* A collective takes the same time as its program, read from a file; a program has as many ranks as its file says. */
static void test_program(void **state)
{
    (void)state;
    struct bench bench = {0}, other = {0};
    struct cw_schedule *schedule = NULL;
    struct cw_program *program = NULL;
    struct cw_text text = {0};
    char path[TEST_PATH_SIZE], jobs[2 * TEST_PATH_SIZE];
    assert_int_equal(cw_schedule_new("rabenseifner", &schedule), 0);
    assert_int_equal(cw_program_of_schedule(schedule, 6, 1000000, &program), 0);
    assert_int_equal(cw_goal_write(program, &text), 0);
    write_test_file(text.data, text.length, path);
    snprintf(jobs, sizeof jobs, "goal:%s repeat=2 start=1ms; shift:1 bytes=1MB", path);
    run_bench(&bench, jobs, 1);
    run_bench(&other, "rabenseifner ranks=6 bytes=1MB repeat=2 start=1ms; shift:1 bytes=1MB", 1);
    unlink(path);
    assert_int_equal(bench.jobs.items[1].ranks, 2);
    assert_true(cw_flow_jobs_alone(&bench.times, 0, 0) > 1e-3);
    for (size_t i = 0; i < 2; i++) {
        assert_true(cw_flow_jobs_time(&bench.times, 0, i) == cw_flow_jobs_time(&other.times, 0, i));
        assert_true(cw_flow_jobs_alone(&bench.times, 0, i) == cw_flow_jobs_alone(&other.times, 0, i));
    }
    free_bench(&bench);
    free_bench(&other);
    cw_text_free(&text);
    cw_program_free(program);
    cw_schedule_free(schedule);
}

/* LogGOPSim's own example, dissemination among 16 ranks: its documentation says 22,000 ns for L = 2,500 ns and o =
 * 1,500 ns at each end. Here the two cables of a message are 200 ns of the latency; and its byte takes a moment, 4
 * times. */
static void test_published_time(void **state)
{
    (void)state;
    struct bench bench = {0};
    struct cw_text text = {0};
    char path[TEST_PATH_SIZE], job[2 * TEST_PATH_SIZE];
    cw_text_printf(&text, "num_ranks 16\n");
    for (uint32_t r = 0; r < 16; r++) {
        cw_text_printf(&text, "rank %u {\n", r);
        for (uint32_t k = 1; k < 16; k *= 2) {
            cw_text_printf(&text, "s%u: send 1b to %u tag 0\nr%u: recv 1b from %u tag 0\n", k, (r + k) % 16, k,
                           (r + 16 - k) % 16);
            if (k > 1) cw_text_printf(&text, "s%u requires r%u\n", k, k / 2);
        }
        cw_text_add(&text, "}\n");
    }
    write_test_file(text.data, text.length, path);
    snprintf(job, sizeof job, "goal:%s", path);
    assert_int_equal(cw_topology_build("crossbar:16", &bench.net), 0);
    assert_int_equal(cw_engine_route(bench.net, NULL, 1, 1, &bench.routes), 0);
    if (cw_jobs_parse(job, "contiguous", 16, NULL, &bench.jobs)) fail_msg("%s", cw_error_message());
    unlink(path);
    bench.setup = (struct cw_flow_jobs_setup){
        .routes = bench.routes, .jobs = &bench.jobs, .trials = 1, .overhead = 3e-6, .latency = 2.3e-6};
    assert_int_equal(cw_flow_jobs_run(&bench.setup, &bench.times), 0);
    assert_time(cw_flow_jobs_time(&bench.times, 0, 0), 22e-6 + 4 / bench.net->capacity[0]);
    cw_text_free(&text);
    free_bench(&bench);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench bench = {0};
    assert_int_equal(cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &bench.net), 0);
    assert_int_equal(cw_engine_route(bench.net, NULL, 1, 1, &bench.routes), 0);
    assert_int_equal(cw_jobs_parse("uniform", "contiguous", 8, NULL, &bench.jobs), 0);
    bench.setup = (struct cw_flow_jobs_setup){.routes = bench.routes, .jobs = &bench.jobs, .trials = 1};
    assert_int_equal(cw_flow_jobs_run(&bench.setup, &bench.times), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "no job ends; expected a collective, a program, or a traffic with bytes=SIZE");
    free_bench(&bench);
}

/* By counts: alone o, the latencies and the bytes of each message; beside a stream that uses the trunk a message has
 * half of it, at any load; and what is repeated takes so many times as long. */
static void test_counts(void **state)
{
    (void)state;
    struct bench bench = {0};
    run_bench(&bench,
              "binomial-bcast ranks=2 bytes=12500000 repeat=3 placement=random; shift:1 ranks=2 load=0.1 "
              "placement=random; shift:1 ranks=2 placement=random",
              60);
    cw_flow_jobs_free(&bench.times);
    bench.setup.by_counts = true;
    bench.setup.overhead = 1e-3;
    assert_int_equal(cw_flow_jobs_run(&bench.setup, &bench.times), 0);
    size_t met[4] = {0};
    for (size_t t = 0; t < 60; t++) {
        const double alone = cw_flow_jobs_alone(&bench.times, t, 0) / 3;
        const bool across = alone > 5e-3;
        assert_time(alone, 1e-3 + (across ? 10e-3 + 300e-9 : 1e-3 + 200e-9));
        for (size_t j = 1; j < 3; j++) {
            const double beside = cw_flow_jobs_beside(&bench.times, t, 0, j) / 3, data = beside - (alone - 10e-3);
            if (!across) assert_time(beside, alone);
            if (across && fabs(data - 20e-3) > 1e-9) assert_time(beside, alone);
            met[across ? 1 + (fabs(data - 20e-3) <= 1e-9) : 0]++;
        }
        const double both = cw_flow_jobs_time(&bench.times, t, 0) / 3;
        met[3] += across && fabs(both - alone - 20e-3) < 1e-9;
        assert_true(both >= alone);
    }
    for (size_t k = 0; k < 4; k++) assert_true(met[k] > 0);
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_shared_nothing_lost),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_all_bytes_are_sent),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_published_time),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
