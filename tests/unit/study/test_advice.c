/* Advice: on two leaves with a narrow trunk between them it is known what makes a job faster. */
#include "study/jobs/advice.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "net/files/formats.h"
#include "net/network.h"
#include "route/engine.h"
#include "traffic/schedule.h"

static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

struct bench {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_jobs jobs;
    struct cw_flow_jobs_setup setup;
    struct cw_advice advice;
};

static int ask_about(struct bench *bench, enum cw_advice_kind kind, const char *edges, const char *jobs)
{
    bool kinds[CW_ADVICE_KINDS] = {false};
    kinds[kind] = true;
    *bench = (struct bench){0};
    assert_int_equal(cw_network_parse("two leaves", edges, strlen(edges), &bench->net), 0);
    assert_int_equal(cw_engine_route(bench->net, NULL, 1, 1, &bench->routes), 0);
    if (cw_jobs_parse(jobs, "contiguous", 8, bench->net, &bench->jobs)) fail_msg("%s", cw_error_message());
    bench->setup = (struct cw_flow_jobs_setup){
        .routes = bench->routes, .jobs = &bench->jobs, .trials = 40, .seed = 1, .n_threads = 1};
    return cw_advice_find(&bench->setup, cw_routes_name(bench->routes), kinds, &bench->advice);
}

static int ask(struct bench *bench, const char *jobs)
{
    return ask_about(bench, CW_ADVISE_PLACEMENT, two_leaves, jobs);
}

static void free_bench(struct bench *bench)
{
    cw_advice_free(&bench->advice);
    cw_jobs_free(&bench->jobs);
    cw_routes_free(bench->routes);
    cw_network_free(bench->net);
}

static const struct cw_advice_trial *find_trial(const struct bench *bench, const char *change)
{
    for (size_t i = 0; i < bench->advice.n; i++)
        if (strcmp(bench->advice.trials[i].change, change) == 0) return &bench->advice.trials[i];
    fail_msg("%s was not tried", change);
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
    const struct cw_advice_trial *best = &bench.advice.trials[0];
    assert_true(best->advised);
    assert_near(best->time.mean, 1e-3 + 200e-9, 1e-9);
    assert_near(best->slowed.mean, 1, 1e-9);
    assert_true(best->proof.n == 40 && best->proof.mean > 3);
    assert_true(best->proof.mean != best->gain.mean); /* by other draws */
    assert_near(find_trial(&bench, "random")->gain.mean, 1, 1e-12);
    assert_near(find_trial(&bench, "random")->time.mean, 1e-3 + 9e-3 * 8 / 15, 0.3);
    for (size_t i = 1; i < bench.advice.n; i++)
        assert_true(bench.advice.trials[i].gain.mean <= bench.advice.trials[i - 1].gain.mean);
    assert_int_equal(cw_advice_endpoints(&bench.setup, "contiguous", &endpoints), 0);
    assert_true(endpoints[0] == 2 && endpoints[1] == 3);
    free(endpoints);
    free_bench(&bench);
}

/* Ranks 0 and 2 send to each other, and 1 and 3: one swap leads them to a leaf each, and the job knows where that is.
 * The others stay where they are. */
static void test_swaps(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "bcast hosts=n0,n1,n4 bytes=1KB; shift:2 ranks=4 bytes=12500000"), 0);
    const struct cw_advice_trial *best = &bench.advice.trials[0];
    assert_true(best->advised && best->endpoints);
    assert_non_null(strstr(best->change, " swapped"));
    assert_near(best->time.mean, 1e-3, 1e-3);
    assert_near(best->gain.mean, 20, 1e-3); /* two messages of 10 ms over the trunk */
    assert_near(best->slows.mean, 1, 1e-3);
    assert_true((best->endpoints[0] < 4) == (best->endpoints[2] < 4) && best->endpoints[0] != best->endpoints[2]);
    for (size_t i = 1; i < bench.advice.n; i++) assert_null(bench.advice.trials[i].endpoints);
    free_bench(&bench);
    assert_int_equal(ask(&bench, "bcast ranks=3 bytes=1KB placement=random; shift:2 ranks=4 bytes=12500000"), 0);
    for (size_t i = 0; i < bench.advice.n; i++) assert_null(bench.advice.trials[i].endpoints); /* who is where? */
    free_bench(&bench);
}

/* Who is there already is not advised to stay where it is; nor by luck. */
static void test_nothing_is_gained(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "ring-allreduce ranks=2 bytes=1KB; shift:1 ranks=2 bytes=12500000"), 0);
    assert_false(bench.advice.trials[0].advised);
    assert_near(bench.advice.trials[0].gain.mean, 1, 1e-12);
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

/* 12.5 MB there and back over 10 Gbit/s for each of four ranks; the next speed that is usual, 100 Gbit/s, is a tenth of
 * the time, and the trunk is the only cable between switches: its own speed is the usual one, so that twice is tried.
 */
static void test_cables(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask_about(&bench, CW_ADVISE_CABLE, two_leaves, "shift:4 ranks=8 bytes=12500000"), 0);
    assert_int_equal(bench.advice.n, 1); /* none of the hosts' is slow */
    assert_string_equal(bench.advice.trials[0].change, "a/5-b/5 at 20 Gbit/s");
    assert_near(bench.advice.trials[0].gain.mean, 2, 1e-3);
    assert_true(bench.advice.trials[0].advised);
    free_bench(&bench);
    static const char slow_host[] = "# crosswind edge list\n"
                                    "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 25Gbit/s\nn3 a 100Gbit/s\n";
    assert_int_equal(ask_about(&bench, CW_ADVISE_CABLE, slow_host, "shift:1 ranks=4 bytes=12500000"), 0);
    assert_int_equal(bench.advice.n, 1); /* in both directions: one cable */
    assert_true(strstr(bench.advice.trials[0].change, "n2/1") != NULL);
    assert_near(bench.advice.trials[0].gain.mean, 4, 1e-3);
    free_bench(&bench);
}

/* Where all leaves but one have a cable to each spine, the missing one is tried; not where routes were read. */
static void test_missing_cable(void **state)
{
    (void)state;
    static const bool cables[CW_ADVICE_KINDS] = {[CW_ADVISE_CABLE] = true};
    static const char leaves[] = "# crosswind edge list\n"
                                 "n0 a 10Gbit/s\nn1 a 10Gbit/s\nn2 b 10Gbit/s\nn3 b 10Gbit/s\n"
                                 "n4 c 10Gbit/s\nn5 c 10Gbit/s\nn6 d 10Gbit/s\nn7 d 10Gbit/s\n"
                                 "a s 10Gbit/s\na t 10Gbit/s\nb s 10Gbit/s\nb t 10Gbit/s\n"
                                 "c s 10Gbit/s\nc t 10Gbit/s\nd s 10Gbit/s\n";
    struct bench bench;
    struct cw_advice read;
    assert_int_equal(ask_about(&bench, CW_ADVISE_CABLE, leaves, "shift:4 ranks=8 bytes=12500000"), 0);
    const struct cw_advice_trial *added = find_trial(&bench, "d-t added");
    assert_near(added->all.mean, 2, 1e-3);
    assert_near(added->proof.mean, 2, 1e-3);
    assert_true(added->advised);
    assert_int_equal(cw_advice_find(&bench.setup, NULL, cables, &read), 0);
    assert_int_equal(read.n + 1, bench.advice.n);
    cw_advice_free(&read);
    free_bench(&bench);
}

/* What is good for all jobs counts, even if the last one has nothing of it. */
static void test_cable_of_others(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask_about(&bench, CW_ADVISE_CABLE, two_leaves,
                               "shift:3 ranks=6 bytes=12500000; shift:1 ranks=2 bytes=12500000"),
                     0);
    assert_string_equal(bench.advice.trials[0].change, "a/5-b/5 at 20 Gbit/s");
    assert_near(bench.advice.trials[0].gain.mean, 1, 1e-9);
    assert_near(bench.advice.trials[0].all.mean, sqrt(2), 1e-3);
    assert_near(bench.advice.trials[0].proof.mean, sqrt(2), 1e-3);
    assert_true(bench.advice.trials[0].advised);
    free_bench(&bench);
}

/* All algorithms of an allreduce, and of nothing else; the last job alone has another one. */
static void test_collectives(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask_about(&bench, CW_ADVISE_COLLECTIVE, two_leaves,
                               "bcast ranks=2 bytes=1KB; recursive-doubling ranks=4 bytes=100MB"),
                     0);
    assert_near(find_trial(&bench, "recursive-doubling")->gain.mean, 1, 1e-12);
    const struct cw_advice_trial *ring = find_trial(&bench, "ring-allreduce");
    assert_true(ring->advised && ring->gain.mean > 1.2);
    assert_near(ring->all.mean, sqrt(ring->gain.mean), 1e-3); /* the other job takes as long as before */
    for (size_t i = 0; i < bench.advice.n; i++)
        assert_int_equal(cw_schedule_find(bench.advice.trials[i].change)->result, CW_COLLECTIVE_ALLREDUCE);
    free_bench(&bench);
    assert_int_equal(ask_about(&bench, CW_ADVISE_COLLECTIVE, two_leaves, "shift:1 ranks=4 bytes=1KB"), 0);
    assert_int_equal(bench.advice.n, 0);
    free_bench(&bench);
}

/* Two spines: engines that give each destination one of them, and those that give all the same. */
static void test_routings(void **state)
{
    (void)state;
    static const char two_spines[] = "# crosswind edge list\n"
                                     "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 b 100Gbit/s\nn3 b 100Gbit/s\n"
                                     "a s 100Gbit/s\na t 100Gbit/s\nb s 100Gbit/s\nb t 100Gbit/s\n";
    struct bench bench;
    assert_int_equal(ask_about(&bench, CW_ADVISE_ROUTING, two_spines, "shift:2 ranks=4 bytes=12500000"), 0);
    assert_near(find_trial(&bench, "min-contention")->time.mean, 1e-3, 1e-3);
    assert_true(bench.advice.n >= 5);
    for (size_t i = 0; i < bench.advice.n; i++) assert_true(bench.advice.trials[i].time.mean >= 0.999e-3);
    free_bench(&bench);
}

/* A program is lent to the jobs with a change. */
static void test_programs(void **state)
{
    (void)state;
    static const char goal[] =
        "num_ranks 2\nrank 0 {\nl1: send 12500000b to 1\n}\nrank 1 {\nl1: recv 12500000b from 0\n}\n";
    char path[64], jobs[128];
    snprintf(path, sizeof path, "/tmp/crosswind-advice-%ld.goal", (long)getpid());
    snprintf(jobs, sizeof jobs, "shift:1 ranks=2 bytes=1; goal:%s placement=random", path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(goal, file) >= 0 && fclose(file) == 0);
    struct bench bench;
    assert_int_equal(ask(&bench, jobs), 0);
    remove(path);
    assert_true(bench.advice.trials[0].advised);
    assert_near(bench.advice.trials[0].time.mean, 1e-3, 1e-3);
    free_bench(&bench);
}

/* So are hosts that are named; a job that names its own has no other placement. */
static void test_named_hosts(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "bcast hosts=n1,n0 bytes=1MB; alltoall ranks=2 bytes=1MB"), 0);
    assert_int_equal(bench.jobs.items[0].endpoints[0], 1);
    assert_true(bench.advice.n > 0);
    free_bench(&bench);
    assert_int_equal(ask(&bench, "alltoall ranks=2 bytes=1MB; bcast hosts=n1,n0 bytes=1MB"), 0);
    assert_int_equal(bench.advice.n, 0);
    free_bench(&bench);
}

static void test_refusals(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(ask(&bench, "ring-allreduce ranks=2 bytes=1KB; uniform"), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 2 never ends: there is no time that could be shorter");
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays_on_a_leaf),
        cmocka_unit_test(test_swaps),
        cmocka_unit_test(test_nothing_is_gained),
        cmocka_unit_test(test_what_it_costs_others),
        cmocka_unit_test(test_cables),
        cmocka_unit_test(test_missing_cable),
        cmocka_unit_test(test_cable_of_others),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_routings),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_named_hosts),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
