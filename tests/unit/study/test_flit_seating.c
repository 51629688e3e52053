/* Jobs on their endpoints: nobody sits on another's, each takes the first that are free in the order of its placement,
 * and what the simulator is told is what was asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "study/flit/flit_case.h"
#include "study/jobs/job_list.h"
#include "topo/topology.h"

enum { ENDPOINTS = 72, SEED = 5 };

static struct cw_network *net;
static const struct cw_flit_messages messages = {.flits = 3};

static int open_network(void **state)
{
    (void)state;
    return cw_topology_build("dragonfly:2,4,2", &net);
}

static int close_network(void **state)
{
    (void)state;
    cw_network_free(net);
    return 0;
}

static struct cw_jobs jobs_of(const char *text, uint32_t n)
{
    struct cw_jobs jobs;
    if (cw_jobs_parse(text, "contiguous", n, NULL, &jobs)) fail_msg("%s", cw_error_message());
    return jobs;
}

static struct cw_flit_seating seat(const struct cw_jobs *jobs, const struct cw_selection *selection, uint64_t trial)
{
    struct cw_flit_seating seating;
    if (cw_flit_seating_make(jobs, net, selection, SEED, trial, &messages, &seating))
        fail_msg("%s", cw_error_message());
    return seating;
}

static void test_kinds(void **state)
{
    (void)state;
    struct cw_jobs jobs = jobs_of("uniform ranks=10 load=0.5; shift ranks=20 bytes=1KiB; bcast ranks=30", 72);
    struct cw_flit_seating seating = seat(&jobs, NULL, 0);
    assert_int_equal(seating.n, 3);
    assert_int_equal(seating.jobs[0].kind, CW_FLIT_CONTINUOUS);
    assert_int_equal(seating.jobs[1].kind, CW_FLIT_FINITE);
    assert_int_equal(seating.jobs[2].kind, CW_FLIT_SCHEDULE);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(seating.jobs[i].n_ranks, jobs.items[i].ranks);
        assert_int_equal(seating.jobs[i].bytes, jobs.items[i].bytes);
        assert_true(seating.jobs[i].load == jobs.items[i].load);
        assert_int_equal(seating.jobs[i].message_flits, 3);
        assert_true((seating.jobs[i].workload == NULL) == (i == 2));
        assert_true((seating.jobs[i].schedule == NULL) == (i != 2));
    }
    cw_flit_seating_free(&seating);
    cw_jobs_free(&jobs);
}

/* One order that all jobs share: the first takes its beginning, and so on. */
static void test_contiguous(void **state)
{
    (void)state;
    uint32_t some[] = {3, 4, 5, 10, 11, 40, 70};
    const struct cw_selection selection = {.n = 7, .endpoints = some};
    struct cw_jobs jobs = jobs_of("uniform ranks=2; shift ranks=3; bitcomp", 7);
    struct cw_flit_seating seating = seat(&jobs, &selection, 0);
    assert_memory_equal(seating.jobs[0].endpoints, some, 2 * sizeof *some);
    assert_memory_equal(seating.jobs[1].endpoints, some + 2, 3 * sizeof *some);
    assert_int_equal(seating.jobs[2].n_ranks, 2);
    assert_memory_equal(seating.jobs[2].endpoints, some + 5, 2 * sizeof *some);
    cw_flit_seating_free(&seating);
    cw_jobs_free(&jobs);
}

/* Of placements that cross, who comes later passes over what is taken, and keeps the order of its own. */
static void test_overlap(void **state)
{
    (void)state;
    struct cw_jobs jobs =
        jobs_of("uniform ranks=30 placement=random; shift ranks=30 placement=contiguous; bcast placement=random", 72);
    for (uint64_t trial = 0; trial < 5; trial++) {
        struct cw_flit_seating seating = seat(&jobs, NULL, trial);
        bool taken[ENDPOINTS] = {0};
        uint32_t n, *order;
        for (size_t i = 0; i < 3; i++)
            for (uint32_t r = 0; r < seating.jobs[i].n_ranks; r++) {
                assert_false(taken[seating.jobs[i].endpoints[r]]);
                taken[seating.jobs[i].endpoints[r]] = true;
            }
        for (int e = 0; e < ENDPOINTS; e++) assert_true(taken[e]);
        assert_int_equal(cw_flit_placement_order("random", net, NULL, SEED, trial, &n, &order), 0);
        assert_memory_equal(seating.jobs[0].endpoints, order, 30 * sizeof *order);
        for (uint32_t r = 1; r < 30; r++) assert_true(seating.jobs[1].endpoints[r - 1] < seating.jobs[1].endpoints[r]);
        for (uint32_t r = 0, at = 30; r < 12; r++, at++) {
            while (at < n && order[at] != seating.jobs[2].endpoints[r]) at++;
            assert_true(at < n);
        }
        free(order);
        cw_flit_seating_free(&seating);
    }
    cw_jobs_free(&jobs);
}

/* Destinations of all ranks of the first job. */
static void destinations(const struct cw_flit_seating *seating, size_t job, uint32_t *out)
{
    for (uint32_t r = 0; r < 36; r++) out[r] = cw_workload_destination(seating->jobs[job].workload, r, 0);
}

/* Jobs and trials draw by themselves, and each the same again. */
static void test_draws(void **state)
{
    (void)state;
    uint32_t first[36], other[36];
    struct cw_jobs jobs = jobs_of("derangement ranks=36; derangement", 72);
    struct cw_flit_seating seating = seat(&jobs, NULL, 1), again = seat(&jobs, NULL, 1), next = seat(&jobs, NULL, 2);
    destinations(&seating, 0, first);
    destinations(&again, 0, other);
    assert_memory_equal(first, other, sizeof first);
    destinations(&seating, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    destinations(&next, 0, other);
    assert_memory_not_equal(first, other, sizeof first);
    cw_flit_seating_free(&seating);
    cw_flit_seating_free(&again);
    cw_flit_seating_free(&next);
    cw_jobs_free(&jobs);
}

/* The matrix file PATH lets 2 send to 0. */
static void write_matrix(char *path)
{
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, "2 0 8\n") > 0);
    assert_int_equal(close(file), 0);
}

/* A file counts among all endpoints that were asked for, 4 of which is cut off, if one job has them all; those of
 * several jobs count each job's own ranks. */
static void test_numbers(void **state)
{
    (void)state;
    char path[] = "/tmp/seating-XXXXXX", one[64], two[64];
    uint32_t all[] = {3, 4, 5, 6, 7, 8}, left[] = {3, 5, 6, 7, 8};
    const struct cw_selection asked = {.n = 6, .endpoints = all},
                              selection = {.n = 5, .endpoints = left, .asked = &asked};
    write_matrix(path);
    snprintf(one, sizeof one, "matrix:%s", path);
    snprintf(two, sizeof two, "matrix:%s ranks=3; shift", path);
    struct cw_jobs jobs = jobs_of(one, 5);
    struct cw_flit_seating seating = seat(&jobs, &selection, 0);
    assert_int_equal(seating.jobs[0].endpoints[1], 5);
    assert_int_equal(cw_workload_destination(seating.jobs[0].workload, 1, 0), 0);
    cw_flit_seating_free(&seating);
    cw_jobs_free(&jobs);
    jobs = jobs_of(two, 5);
    seating = seat(&jobs, &selection, 0);
    assert_int_equal(seating.jobs[0].endpoints[2], 6);
    assert_int_equal(cw_workload_destination(seating.jobs[0].workload, 2, 0), 0);
    cw_flit_seating_free(&seating);
    cw_jobs_free(&jobs);
    assert_int_equal(unlink(path), 0);
}

static void test_refused(void **state)
{
    (void)state;
    uint32_t some[] = {3, 4, 5};
    const struct cw_selection selection = {.n = 3, .endpoints = some};
    struct cw_flit_seating seating;
    struct cw_jobs jobs = jobs_of("uniform ranks=2; shift ranks=2", 72);
    assert_int_equal(cw_flit_seating_make(&jobs, net, &selection, SEED, 0, &messages, &seating), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "job 2 has 2 ranks, but only 1"));
    cw_jobs_free(&jobs);
    jobs = jobs_of("uniform ranks=2; unifrm ranks=2", 72);
    assert_int_equal(cw_flit_seating_make(&jobs, net, NULL, SEED, 0, &messages, &seating), CW_EUSAGE);
    cw_jobs_free(&jobs);
    jobs = jobs_of("uniform ranks=2 placement=here", 72);
    assert_int_equal(cw_flit_seating_make(&jobs, net, NULL, SEED, 0, &messages, &seating), CW_EUSAGE);
    cw_jobs_free(&jobs);
}

/* Hosts that are named, in their order, are nobody else's, whatever job comes first; a number is as good as ranks=. */
static void test_named(void **state)
{
    (void)state;
    static const uint32_t second[] = {7, 2, 3, 4, 71};
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"bcast hosts=h1,h1", "job 1: hosts= names h1 twice"},
        {"bcast hosts=h[1-2],n7", "job 1: hosts= names no endpoint 'n7'"},
        {"uniform ranks=2; bcast hosts=h1 ranks=1", "job 2: hosts= and ranks= say the same"},
        {"uniform ranks=2; bcast hosts=3 ranks=3", "job 2: hosts= and ranks= say the same"},
        {"bcast hosts=h1 placement=random", "job 1: hosts= names where its ranks are"},
        {"bcast hosts=0", "job 1: ranks=0 is no job"},
    };
    struct cw_jobs jobs;
    assert_int_equal(
        cw_jobs_parse("uniform hosts=5; bcast hosts=h7,h[2-4],h71; shift hosts=50%", "contiguous", 72, net, &jobs), 0);
    struct cw_flit_seating seating = seat(&jobs, NULL, 0);
    const uint32_t first[] = {0, 1, 5, 6, 8};
    assert_int_equal(jobs.items[1].ranks, 5);
    assert_int_equal(jobs.items[2].ranks, 36);
    assert_memory_equal(seating.jobs[0].endpoints, first, sizeof first);
    assert_memory_equal(seating.jobs[1].endpoints, second, sizeof second);
    assert_int_equal(seating.jobs[2].endpoints[0], 9);
    cw_flit_seating_free(&seating);
    uint32_t some[] = {2, 3, 4, 7};
    const struct cw_selection selection = {.n = 4, .endpoints = some};
    assert_int_equal(cw_flit_seating_make(&jobs, net, &selection, SEED, 0, &messages, &seating), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 2: h71 does not take part");
    cw_jobs_free(&jobs);
    assert_int_equal(cw_jobs_parse("shift hosts=h[1-3]; bcast hosts=h[3-4]", "contiguous", 72, net, &jobs), 0);
    assert_int_equal(cw_flit_seating_make(&jobs, net, NULL, SEED, 0, &messages, &seating), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 2: h3 is another job's");
    cw_jobs_free(&jobs);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cw_jobs_parse(wrong[i].text, "contiguous", 72, net, &jobs), CW_EUSAGE);
        if (!strstr(cw_error_message(), wrong[i].says)) fail_msg("'%s': %s", wrong[i].text, cw_error_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),   cmocka_unit_test(test_contiguous),
                                       cmocka_unit_test(test_overlap), cmocka_unit_test(test_draws),
                                       cmocka_unit_test(test_numbers), cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, open_network, close_network);
}
