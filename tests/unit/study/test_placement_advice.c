/* Advice on placements: on two leaves with a narrow trunk between them it is known where a job should run. */
#include "study/jobs/placement_advice.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/files/formats.h"
#include "net/network.h"
#include "route/engine.h"

static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

struct bench {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_flit_jobs jobs;
    struct cw_flow_jobs_setup setup;
    struct cw_placement_advice advice;
};

static int ask(struct bench *bench, const char *jobs)
{
    *bench = (struct bench){0};
    assert_int_equal(cw_network_parse("two leaves", two_leaves, strlen(two_leaves), &bench->net), 0);
    assert_int_equal(cw_engine_route(bench->net, NULL, 1, 1, &bench->routes), 0);
    if (cw_flit_jobs_parse(jobs, "contiguous", 8, &bench->jobs)) fail_msg("%s", cw_error_message());
    bench->setup = (struct cw_flow_jobs_setup){
        .routes = bench->routes, .jobs = &bench->jobs, .trials = 40, .seed = 1, .n_threads = 1};
    return cw_placement_advice_find(&bench->setup, &bench->advice);
}

static void free_bench(struct bench *bench)
{
    cw_placement_advice_free(&bench->advice);
    cw_flit_jobs_free(&bench->jobs);
    cw_routes_free(bench->routes);
    cw_network_free(bench->net);
}

static const struct cw_placement_trial *find_trial(const struct bench *bench, const char *placement)
{
    for (size_t i = 0; i < bench->advice.n; i++)
        if (strcmp(bench->advice.placements[i].placement, placement) == 0) return &bench->advice.placements[i];
    fail_msg("%s was not tried", placement);
    return NULL;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * expected)) fail_msg("%.12g, expected %.12g", value, expected);
}

/* 1 ms on one leaf, 10 ms across: at random, eight times in fifteen. */
static void test_stays_on_a_leaf(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t *endpoints = NULL;
    assert_int_equal(ask(&bench, "ring-allreduce ranks=2 bytes=1KB; shift:1 ranks=2 bytes=12500000 placement=random"),
                     0);
    assert_true(bench.advice.better);
    const struct cw_placement_trial *best = &bench.advice.placements[0];
    assert_near(best->time.mean, 1e-3 + 200e-9, 1e-9);
    assert_near(best->slowed.mean, 1, 1e-9);
    assert_true(best->proof.n == 40 && best->proof.mean > 3);
    assert_true(best->proof.mean != best->gain.mean); /* by other draws */
    assert_near(find_trial(&bench, "random")->gain.mean, 1, 1e-12);
    assert_near(find_trial(&bench, "random")->time.mean, 1e-3 + 9e-3 * 8 / 15, 0.3);
    for (size_t i = 1; i < bench.advice.n; i++)
        assert_true(bench.advice.placements[i].time.mean >= bench.advice.placements[i - 1].time.mean);
    assert_int_equal(cw_placement_advice_endpoints(&bench.setup, "contiguous", &endpoints), 0);
    assert_true(endpoints[0] == 2 && endpoints[1] == 3);
    free(endpoints);
    free_bench(&bench);
}

/* Who is there already is not advised to stay where it is; nor by luck. */
static void test_nothing_is_gained(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "ring-allreduce ranks=2 bytes=1KB; shift:1 ranks=2 bytes=12500000"), 0);
    assert_false(bench.advice.better);
    assert_near(bench.advice.placements[0].gain.mean, 1, 1e-12);
    free_bench(&bench);
    assert_int_equal(ask(&bench, "shift:1 ranks=8 bytes=12500000 placement=random"), 0);
    assert_true(bench.advice.n >= 3);
    free_bench(&bench);
}

/* A neighbour across the trunk is slowed down by a job that goes there, too. */
static void test_what_it_costs_others(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "alltoall ranks=3 bytes=1; shift:1 ranks=2 bytes=12500000; shift:1 ranks=3 "
                                 "bytes=12500000 placement=random"),
                     0);
    assert_near(find_trial(&bench, "random")->slows.mean, 1, 1e-9); /* all on leaf b: only two jobs are on the trunk */
    free_bench(&bench);
    assert_int_equal(ask(&bench, "shift:1 ranks=2 bytes=12500000 placement=random; shift:1 ranks=2 bytes=12500000 "
                                 "placement=random"),
                     0);
    const double slows = find_trial(&bench, "random")->slows.mean;
    assert_true(slows > 1.1 && slows < 1.7); /* twice, where both go across */
    free_bench(&bench);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "ring-allreduce ranks=2 bytes=1KB; uniform"), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 2 never ends: there is no time that a placement could shorten");
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays_on_a_leaf),
        cmocka_unit_test(test_nothing_is_gained),
        cmocka_unit_test(test_what_it_costs_others),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
