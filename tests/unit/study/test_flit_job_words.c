/* Jobs as they are asked for: what is understood, what is left to one of them, and what is refused with its job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../traffic/traffic_test_file.h"
#include "base/error.h"
#include "study/jobs/job_list.h"

static struct cw_jobs parse(const char *text, uint32_t n_endpoints)
{
    struct cw_jobs jobs;
    if (cw_jobs_parse(text, "contiguous", n_endpoints, NULL, &jobs)) fail_msg("%s: %s", text, cw_error_message());
    return jobs;
}

static void test_words(void **state)
{
    (void)state;
    struct cw_jobs jobs = parse("halo:4x4x4 ranks=64 bytes=1MiB load=0.25 placement=random;\n"
                                " allreduce\tranks=10 ; uniform ranks=6;bcast ranks=2 bytes=1KiB\r\n;",
                                100);
    const struct cw_job_request *job = jobs.items;
    assert_int_equal(jobs.n, 4);
    assert_string_equal(job[0].what, "halo:4x4x4");
    assert_string_equal(job[0].placement, "random");
    assert_false(job[0].collective);
    assert_int_equal(job[0].ranks, 64);
    assert_int_equal(job[0].bytes, 1 << 20);
    assert_true(job[0].load == 0.25);
    /* A collective that says nothing of it sends a flit of 64 B; a traffic goes on for ever, at full load. */
    assert_string_equal(job[1].what, "allreduce");
    assert_string_equal(job[1].placement, "contiguous");
    assert_true(job[1].collective);
    assert_int_equal(job[1].bytes, 64);
    assert_false(job[2].collective);
    assert_int_equal(job[2].bytes, 0);
    assert_true(job[2].load == 1);
    assert_true(job[3].collective);
    assert_int_equal(job[3].bytes, 1024);
    assert_int_equal(cw_jobs_ending(&jobs), 3);
    cw_jobs_free(&jobs);
    assert_int_equal(jobs.n, 0);
}

/* When jobs begin, how often they run, and which of them flits know. */
static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: flits know it */
    } cases[] = {
        {"bcast ranks=4 start=1.5ms repeat=1; uniform", NULL},
        {"uniform; bcast ranks=4 repeat=2",
         "job 2 (bcast): flit by flit there are no jobs that are repeated; --model flows has them"},
        {"shift ranks=4 start=1us; bcast", "job 1 (shift): flit by flit there are no jobs that begin later and never "
                                           "end; --model flows has them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_jobs jobs = parse(cases[i].text, 72);
        assert_int_equal(cw_jobs_check_flits(&jobs), cases[i].says ? CW_EUSAGE : 0);
        if (cases[i].says) assert_string_equal(cw_error_message(), cases[i].says);
        cw_jobs_free(&jobs);
    }
    struct cw_jobs jobs = parse("shift ranks=4 bytes=1KiB start=1.5ms repeat=7; bcast", 72);
    assert_true(jobs.items[0].start == 1.5e-3 && jobs.items[1].start == 0);
    assert_int_equal(jobs.items[0].repeat, 7);
    assert_int_equal(jobs.items[1].repeat, 1);
    cw_jobs_free(&jobs);
}

/* A program has the ranks of its file. */
static void test_program(void **state)
{
    (void)state;
    static const char content[] = "num_ranks 3\nrank 0 {}\nrank 1 {}\nrank 2 {}\n";
    static const struct {
        const char *words, *says;
    } cases[] = {
        {"ranks=4", "has 3 ranks; expected no ranks=, or the same"},
        {"load=.5", "is a program, which sends as soon as it can; load= is for traffic patterns"},
        {"bytes=8", "is a program, whose file says how long its messages are; expected no bytes="},
    };
    char path[TEST_PATH_SIZE], text[2 * TEST_PATH_SIZE];
    write_test_file(content, strlen(content), path);
    snprintf(text, sizeof text, "uniform; goal:%s", path);
    struct cw_jobs jobs = parse(text, 8);
    assert_int_equal(jobs.items[0].ranks, 5);
    assert_int_equal(jobs.items[1].ranks, 3);
    assert_int_equal(jobs.items[1].program->n_ranks, 3);
    assert_false(jobs.items[1].collective);
    assert_int_equal(cw_jobs_ending(&jobs), 1);
    assert_int_equal(cw_jobs_check_flits(&jobs), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "flit by flit there are no jobs that are programs"));
    cw_jobs_free(&jobs);
    snprintf(text, sizeof text, "goal:%s ranks=3", path);
    jobs = parse(text, 8);
    assert_int_equal(jobs.items[0].ranks, 3);
    cw_jobs_free(&jobs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "goal:%s %s", path, cases[i].words);
        assert_int_equal(cw_jobs_parse(text, "contiguous", 8, NULL, &jobs), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].says)) fail_msg("%s", cw_error_message());
    }
    unlink(path);
    assert_int_equal(cw_jobs_parse("goal:/nowhere/p", "contiguous", 8, NULL, &jobs), CW_EIO);
}

static void test_rest(void **state)
{
    (void)state;
    struct cw_jobs jobs = parse("uniform ranks=40; bitcomp; shift ranks=30 bytes=1KiB", 72);
    assert_int_equal(jobs.items[1].ranks, 2);
    assert_int_equal(cw_jobs_ending(&jobs), 1);
    cw_jobs_free(&jobs);
    /* Endpoints may be idle, if all jobs say how many they have. */
    jobs = parse("uniform ranks=40", 72);
    assert_int_equal(jobs.items[0].ranks, 40);
    assert_int_equal(cw_jobs_ending(&jobs), 0);
    cw_jobs_free(&jobs);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {" ; \n ", "expected for example"},
        {"uniform ranks=8; bitcomp ranks=8 ranks=9", "job 2: ranks is given twice"},
        {"uniform 4", "job 1: '4' is not understood"},
        {"uniform rank=4", "rank"},
        {"uniform; shift load=2", "job 2"},
        {"uniform load=0", "job 1"},
        {"uniform ranks=0", "job 1"},
        {"uniform bytes=x", "job 1"},
        {"allreduce load=0.2", "job 1: allreduce is a collective"},
        {"uniform repeat=2", "job 1: uniform never ends; repeat= is for what does"},
        {"bcast repeat=0", "job 1"},
        {"uniform; goal:", "job 2: goal: names no file; expected goal:FILE"},
        {"uniform; moves:m", "job 2: moves:m shares the network with nobody; expected no other job"},
        {"bcast start=-1us", "job 1"},
        {"uniform ranks=4; shift; bitcomp", "job 3: expected ranks=N"},
        {"uniform ranks=40; shift ranks=33", "73 ranks"},
        {"uniform ranks=71; shift", "71 ranks"}, /* one endpoint is no job */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_jobs jobs = {.n = 7};
        assert_int_equal(cw_jobs_parse(cases[i].text, "random", 72, NULL, &jobs), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].says)) fail_msg("'%s': %s", cases[i].text, cw_error_message());
        assert_int_equal(jobs.n, 7); /* set on success only */
    }
}

/* Half of 9 endpoints rounds up to 5. */
static void test_shares(void **state)
{
    (void)state;
    static const char *const wrong[] = {"bcast ranks=0%", "bcast ranks=5%", "bcast ranks=-50%", "bcast ranks=half",
                                        "bcast ranks=1e99%"};
    struct cw_jobs jobs = parse("allreduce bytes=4KiB; permutation ranks=50%", 9);
    assert_int_equal(jobs.items[0].ranks, 4);
    assert_int_equal(jobs.items[1].ranks, 5);
    cw_jobs_free(&jobs);
    jobs = parse("bcast ranks=33.4%; bcast ranks=16%", 12);
    assert_int_equal(jobs.items[0].ranks, 4);
    assert_int_equal(jobs.items[1].ranks, 2);
    cw_jobs_free(&jobs);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cw_jobs_parse(wrong[i], "random", 9, NULL, &jobs), CW_EUSAGE);
        if (!strstr(cw_error_message(), "job 1: ranks")) fail_msg("'%s': %s", wrong[i], cw_error_message());
    }
}

/* One collective beside traffic without end can be counted. */
static void test_counts(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"uniform ranks=4; bcast ranks=4 repeat=3; shift", NULL},
        {"bcast ranks=4; alltoall", "job 2 (alltoall) is a collective beside another; by counts there is one"},
        {"shift bytes=1KiB ranks=4; bcast", "job 1 (shift) ends and is no collective; by counts"},
        {"uniform; bcast ranks=4 start=1us", "job 2 (bcast) begins later; by counts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_jobs jobs = parse(cases[i][0], 16);
        assert_int_equal(cw_jobs_check_counts(&jobs), cases[i][1] ? CW_EUSAGE : 0);
        if (cases[i][1] && !strstr(cw_error_message(), cases[i][1])) fail_msg("%s", cw_error_message());
        cw_jobs_free(&jobs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),   cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_program), cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
