/* Jobs side by side by flows: who gets which endpoints, what is alone and what together, and what must be symmetric. */
#include "study/jobs/flow_jobs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"

/* Two leaves of four hosts of 100 Gbit/s, joined by 10 Gbit/s. */
static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

struct bench {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_flit_jobs jobs;
    struct cw_flow_jobs_setup setup;
    struct cw_flow_jobs times;
};

static void run_bench(struct bench *bench, const char *jobs, size_t trials)
{
    assert_int_equal(cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &bench->net), 0);
    assert_int_equal(cw_engine_route(bench->net, NULL, 1, 1, &bench->routes), 0);
    if (cw_flit_jobs_parse(jobs, "contiguous", 8, &bench->jobs)) fail_msg("%s", cw_error_message());
    bench->setup = (struct cw_flow_jobs_setup){
        .routes = bench->routes, .jobs = &bench->jobs, .trials = trials, .pairs = true, .seed = 1, .n_threads = 2};
    if (cw_flow_jobs_run(&bench->setup, &bench->times)) fail_msg("%s", cw_error_message());
}

static void free_bench(struct bench *bench)
{
    cw_flow_jobs_free(&bench->times);
    cw_flit_jobs_free(&bench->jobs);
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

static void test_refusals(void **state)
{
    (void)state;
    struct bench bench = {0};
    assert_int_equal(cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &bench.net), 0);
    assert_int_equal(cw_engine_route(bench.net, NULL, 1, 1, &bench.routes), 0);
    assert_int_equal(cw_flit_jobs_parse("uniform", "contiguous", 8, &bench.jobs), 0);
    bench.setup = (struct cw_flow_jobs_setup){.routes = bench.routes, .jobs = &bench.jobs, .trials = 1};
    assert_int_equal(cw_flow_jobs_run(&bench.setup, &bench.times), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "no job ends; expected a collective, or a traffic with bytes=SIZE");
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_shared_nothing_lost),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_all_bytes_are_sent),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
