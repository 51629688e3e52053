/* Jobs that end, beside others and alone: times that are known, slowdowns that must be, and jobs that starve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../block_executor.h"
#include "base/error.h"
#include "net/network_internal.h"
#include "study/jobs/flit_jobs_case.h"
#include "topo/topology.h"

static const struct cw_flit_messages single = {.flits = 1};
static const struct cw_steady_setup brief = {.warmup = 500, .cycles = 1000, .confidence = 0.95};

/* A case and what it stands on. */
struct study {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_jobs jobs;
    struct cw_flit_jobs_case made;
};

static void open_study(struct study *study, const char *network, const char *routing, const char *jobs)
{
    *study = (struct study){0};
    if (cw_topology_build(network, &study->net) || cw_packet_routing_new(study->net, routing, 1, 1, &study->routing) ||
        cw_jobs_parse(jobs, "contiguous", study->net->n_endpoints, NULL, &study->jobs))
        fail_msg("%s", cw_error_message());
    study->made = (struct cw_flit_jobs_case){.net = study->net,
                                             .hardware = cw_flit_default_hardware(),
                                             .messages = &single,
                                             .seed = 1,
                                             .n_threads = 1,
                                             .jobs = &study->jobs,
                                             .routing = study->routing};
}

static void make(struct study *study, const char *spec, const struct cw_steady_setup *steady)
{
    if (cw_flit_jobs_case_make(&study->made, spec, steady)) fail_msg("%s", cw_error_message());
}

static void close_study(struct study *study)
{
    cw_flit_jobs_case_free(&study->made);
    cw_jobs_free(&study->jobs);
    cw_packet_routing_free(study->routing);
    cw_network_free(study->net);
}

/* 64 flits of each rank over a channel to the next, one a cycle and some cycles on the way. */
static void test_alone(void **state)
{
    (void)state;
    struct cw_flit_outcome outcome;
    struct study study;
    open_study(&study, "crossbar:4", "minhop", "shift:1 ranks=4 bytes=4KiB");
    make(&study, "minhop", &brief);
    assert_int_equal(study.made.warmup, 0);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, &outcome), 0);
    const double *of = outcome.of;
    assert_true(of[CW_OUTCOME_TIME] >= 64 && of[CW_OUTCOME_TIME] < 100);
    assert_true(of[CW_OUTCOME_ALONE] == of[CW_OUTCOME_TIME]);
    assert_true(of[CW_OUTCOME_SLOWDOWN] == 1);
    assert_true(fabs(of[CW_OUTCOME_SECONDS] - of[CW_OUTCOME_TIME] * 12.8e-9) < 1e-12);
    assert_true(fabs(of[CW_OUTCOME_ACCEPTED] - 64 / of[CW_OUTCOME_TIME]) < 1e-12);
    assert_true(isnan(of[CW_OUTCOME_CONGESTION_SLOWDOWN]));
    close_study(&study);
}

/* On a ring of six routers, ranks 0 and 1 of each job are neighbours: who shares no channel is as fast as alone,
 * whether or not the other ends; who shares one all the way is half as fast. */
static void test_beside(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[3];
    struct study study;
    open_study(&study, "crossbar:8", "minhop",
               "shift:1 ranks=3 bytes=4KiB; bcast ranks=2 bytes=1KiB; uniform load=0.3");
    make(&study, "minhop", &brief);
    assert_int_equal(study.made.warmup, 500);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(outcomes[i].of[CW_OUTCOME_SLOWDOWN] == 1);
        assert_true(outcomes[i].of[CW_OUTCOME_TIME] < 100); /* from its beginning, not the warm-up's */
    }
    assert_true(outcomes[1].of[CW_OUTCOME_CONGESTION_SLOWDOWN] == 1);
    assert_true(isnan(outcomes[1].of[CW_OUTCOME_ACCEPTED]));
    assert_true(isnan(outcomes[2].of[CW_OUTCOME_TIME]) && isnan(outcomes[2].of[CW_OUTCOME_SLOWDOWN]));
    assert_true(fabs(outcomes[2].of[CW_OUTCOME_ACCEPTED] - 0.3) < 0.15);
    close_study(&study);

    /* Two leaves of two endpoints, with one way between them: both jobs send all they have over it, or neither does. */
    open_study(&study, "xgft:2:2,2:1,1", "minhop",
               "shift:1 ranks=2 bytes=8KiB placement=random; shift:1 ranks=2 bytes=8KiB placement=random");
    make(&study, "minhop", &brief);
    bool shared = false, apart = false;
    for (uint64_t trial = 0; trial < 20 && !(shared && apart); trial++) {
        assert_int_equal(cw_flit_jobs_case_run(&study.made, trial, outcomes), 0);
        bool crosses[2];
        for (int i = 0; i < 2; i++) {
            const double *of = outcomes[i].of, more = of[CW_OUTCOME_TIME] - of[CW_OUTCOME_ALONE];
            crosses[i] = more > 0;
            assert_true(fabs(more - (crosses[i] ? 128 : 0)) < 3); /* the other's flits */
            assert_true(fabs(of[CW_OUTCOME_SLOWDOWN] * of[CW_OUTCOME_ALONE] - of[CW_OUTCOME_TIME]) < 1e-9);
        }
        assert_true(crosses[0] == crosses[1]);
        *(crosses[0] ? &shared : &apart) = true;
    }
    assert_true(shared && apart);
    close_study(&study);
}

/* A job that begins later has its time from then, beside a background, too. What is done before shares nothing with it;
 * half of it, half of the channel. */
static void test_later(void **state)
{
    (void)state;
    static const struct {
        const char *jobs;
        double more; /* cycles of both, if they cross */
    } cases[] = {
        {"shift:1 ranks=2 bytes=8KiB placement=random; shift:1 ranks=2 bytes=8KiB placement=random start=5us", 0},
        {"shift:1 ranks=2 bytes=8KiB placement=random start=1.28us; shift:1 ranks=2 bytes=8KiB placement=random "
         "start=2099.2ns",
         64},
    };
    for (size_t c = 0; c < 2; c++) {
        struct cw_flit_outcome outcomes[2];
        struct study study;
        bool crossed = false;
        open_study(&study, "xgft:2:2,2:1,1", "minhop", cases[c].jobs);
        make(&study, "minhop", &brief);
        for (uint64_t trial = 0; trial < 20 && !crossed; trial++) {
            assert_int_equal(cw_flit_jobs_case_run(&study.made, trial, outcomes), 0);
            double more[2];
            for (int i = 0; i < 2; i++) {
                const double *of = outcomes[i].of;
                assert_true(of[CW_OUTCOME_ALONE] >= 128 && of[CW_OUTCOME_ALONE] < 200);
                more[i] = of[CW_OUTCOME_TIME] - of[CW_OUTCOME_ALONE];
                crossed |= more[i] > 0;
            }
            for (int i = 0; i < 2; i++) assert_true(fabs(more[i] - (crossed ? cases[c].more : 0)) < 4);
        }
        assert_int_equal(crossed, cases[c].more > 0);
        close_study(&study);
    }
    struct cw_flit_outcome outcomes[2];
    struct study study;
    open_study(&study, "crossbar:8", "minhop", "shift:1 ranks=3 bytes=4KiB start=100us; uniform load=0.3");
    study.made.patience = 2000; /* of which the wait is no part */
    make(&study, "minhop", &brief);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    assert_true(outcomes[0].of[CW_OUTCOME_SLOWDOWN] == 1 && outcomes[0].of[CW_OUTCOME_TIME] < 100);
    close_study(&study);
    open_study(&study, "crossbar:8", "minhop", "shift:1 ranks=3 bytes=4KiB start=1000000");
    make(&study, "minhop", &brief);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), CW_EUSAGE);
    close_study(&study);
    open_study(&study, "crossbar:8", "minhop", "shift:1 ranks=3 bytes=4KiB repeat=2");
    assert_int_equal(cw_flit_jobs_case_make(&study.made, "minhop", &brief), CW_EUSAGE);
    close_study(&study);
}

/* The congestion model counts messages by channel: it speaks of a collective beside traffic, not beside another. */
static void test_model(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[2];
    struct study study;
    open_study(&study, "torus:8", "dor", "bcast ranks=4; allreduce ranks=4");
    make(&study, "dor", &brief);
    assert_non_null(study.made.routes);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    assert_true(isnan(outcomes[0].of[CW_OUTCOME_CONGESTION_SLOWDOWN]));
    close_study(&study);
    /* No engine gives routes of a routing that looks at queues. */
    open_study(&study, "dragonfly:2,4,2", "ugal-l", "bcast ranks=40; uniform load=0.1");
    make(&study, "ugal-l", &brief);
    assert_null(study.made.routes);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    assert_true(isnan(outcomes[0].of[CW_OUTCOME_CONGESTION_SLOWDOWN]));
    assert_true(outcomes[0].of[CW_OUTCOME_SLOWDOWN] > 0.9);
    close_study(&study);
}

/* A broadcast over the only way between two leaves, beside a rank that sends over it, too, takes twice as long by the
 * model; where neither or only one of them crosses, as long as alone. */
static void test_model_of_neighbours(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[2];
    struct study study;
    open_study(&study, "xgft:2:2,2:1,1", "minhop",
               "bcast ranks=2 bytes=8KiB placement=random; shift:1 ranks=2 placement=random");
    make(&study, "minhop", &brief);
    unsigned shared = 0, apart = 0;
    for (uint64_t trial = 0; trial < 12; trial++) {
        assert_int_equal(cw_flit_jobs_case_run(&study.made, trial, outcomes), 0);
        const double *of = outcomes[0].of;
        const bool slower = of[CW_OUTCOME_SLOWDOWN] > 1.5;
        assert_in_range(of[CW_OUTCOME_TIME] - of[CW_OUTCOME_ALONE], slower ? 100 : 0, slower ? 400 : 3); /* queues */
        assert_true(fabs(of[CW_OUTCOME_CONGESTION_SLOWDOWN] - (slower ? 2 : 1)) < 1e-12);
        ++*(slower ? &shared : &apart);
    }
    assert_true(shared > 0 && apart > 0);
    close_study(&study);
}

/* A trial is the same each time, and draws what others do not, wherever its ranks are. */
static void test_trials_draw(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[3];
    struct study study;
    open_study(&study, "crossbar:8", "minhop", "uniform ranks=8 bytes=2KiB load=0.5");
    make(&study, "minhop", &brief);
    for (uint64_t i = 0; i < 3; i++) assert_int_equal(cw_flit_jobs_case_run(&study.made, i % 2, &outcomes[i]), 0);
    assert_true(outcomes[0].of[CW_OUTCOME_TIME] == outcomes[2].of[CW_OUTCOME_TIME]);
    assert_true(outcomes[0].of[CW_OUTCOME_TIME] != outcomes[1].of[CW_OUTCOME_TIME]);
    close_study(&study);
}

/* Warm-up is that of the jobs without end, if there are any. */
static void test_warmup(void **state)
{
    (void)state;
    const struct cw_steady_setup find = {.find_warmup = true, .cycles = 1000, .confidence = 0.95};
    struct study study;
    open_study(&study, "crossbar:4", "minhop", "shift:1 ranks=2 bytes=64B; uniform ranks=2 load=0.2");
    make(&study, "minhop", &find);
    assert_true(study.made.warmup >= 20000);
    close_study(&study);
    open_study(&study, "crossbar:4", "minhop", "shift:1 ranks=2 bytes=64B; bcast ranks=2");
    make(&study, "minhop", &find);
    assert_int_equal(study.made.warmup, 0);
    close_study(&study);
}

static void make_starving(struct study *study)
{
    study->made.hardware.transit_first = true;
    study->made.patience = 20000; /* a million cycles take minutes where threads are checked */
    make(study, "dor", &brief);
}

/* All others send to endpoint 1, and what is in transit goes first: the ranks on 6 and 7 never get in. In other trials,
 * placed at random, they may. */
static void test_starving(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[2];
    struct cw_flit_trials trials;
    struct cw_summary summary;
    struct study study;
    struct block_executor executor = block_executor(4);
    open_study(&study, "torus:8", "dor",
               "shift:1 ranks=2 bytes=4KiB placement=random; hotspot:1,share=1 placement=random");
    make_starving(&study);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "job 1 starves"));

    /* It is the first of six to fail, and those that are kept are counted as if there were no others. */
    assert_int_equal(cw_flit_trials_run(&study.made, 6, &executor.executor, NULL, &trials), 0);
    assert_int_equal(trials.wanted, 6);
    assert_true(trials.kept > 1 && trials.kept < 6);
    assert_int_equal(trials.failed, 0);
    assert_non_null(strstr(trials.why, "job 1 starves"));
    double sum = 0;
    size_t kept = 0;
    for (uint64_t trial = 0; trial < 6; trial++) {
        if (cw_flit_jobs_case_run(&study.made, trial, outcomes)) continue;
        assert_true(trials.outcomes[2 * kept].of[CW_OUTCOME_TIME] == outcomes[0].of[CW_OUTCOME_TIME]);
        sum += outcomes[0].of[CW_OUTCOME_TIME];
        kept++;
    }
    assert_int_equal(trials.kept, kept);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_TIME, &summary), 0);
    assert_int_equal(summary.n, kept);
    assert_true(fabs(summary.mean - sum / (double)kept) < 1e-9);
    cw_flit_trials_free(&trials);

    /* None is left. */
    assert_int_equal(cw_flit_trials_run(&study.made, 1, NULL, NULL, &trials), CW_EROUTE);
    close_study(&study);
}

/* Who waits for long is not starved: where flits are under way for thousands of cycles, */
static void test_far(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[2];
    struct study study;
    open_study(&study, "torus:4", "dor", "shift:1 ranks=2 bytes=128B; uniform load=0.1");
    study.made.hardware.local_latency = 5000;
    study.made.hardware.input_flits = 20000;
    make(&study, "dor", &brief);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    assert_true(outcomes[0].of[CW_OUTCOME_TIME] > 5000);
    close_study(&study);
}

/* … and where a rank has a message to send once in a million cycles. */
static void test_rare(void **state)
{
    (void)state;
    struct cw_flit_outcome outcomes[2];
    struct study study;
    open_study(&study, "crossbar:4", "minhop", "shift:1 ranks=2 bytes=128B load=0.000001; shift:1 ranks=2 load=0.1");
    make(&study, "minhop", &brief);
    assert_int_equal(cw_flit_jobs_case_run(&study.made, 0, outcomes), 0);
    assert_true(outcomes[0].of[CW_OUTCOME_TIME] > 1e6);
    assert_true(outcomes[0].of[CW_OUTCOME_SLOWDOWN] == 1);
    close_study(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone),
                                       cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_later),
                                       cmocka_unit_test(test_model),
                                       cmocka_unit_test(test_model_of_neighbours),
                                       cmocka_unit_test(test_trials_draw),
                                       cmocka_unit_test(test_warmup),
                                       cmocka_unit_test(test_starving),
                                       cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_rare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
