/* Loads that are measured or searched: the same is told whoever measures them, in the same order, until one fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../block_executor.h"
#include "base/error.h"
#include "study/flit/flit_loads.h"
#include "topo/topology.h"

#define MOST 40

static const struct cw_flit_messages single = {.flits = 1};
static const struct cw_steady_setup brief = {.warmup = 400, .cycles = 800, .confidence = 0.95};

/* What was told, in this order; of a load that is stuck, that nothing is accepted, and why. */
struct told {
    size_t n, index[MOST];
    double load[MOST], accepted[MOST];
    size_t refuse; /* the index that is an error, or MOST */
    char why[1024];
};

static struct cw_progress *begin(void *context, double load)
{
    (void)context;
    (void)load;
    return NULL;
}

static int end(void *context, size_t index, struct cw_flit_measurement *run)
{
    struct told *told = context;
    assert_true(told->n < MOST);
    if (index == told->refuse) return cw_fail(CW_EIO, "no room for load %zu", index);
    told->index[told->n] = index;
    told->load[told->n] = run->job.load;
    told->accepted[told->n++] = run->steady.accepted;
    return 0;
}

static void stuck(void *context, double load)
{
    struct told *told = context;
    told->load[told->n] = load;
    told->accepted[told->n++] = 0;
    snprintf(told->why, sizeof told->why, "%s", cw_error_message());
}

/* A case and how it is measured. */
struct study {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_flit_hardware hardware;
    struct cw_flit_case made;
    struct cw_flit_loads loads;
};

static void open_study(struct study *study, const char *network, const char *routing, const char *traffic)
{
    *study = (struct study){.hardware = cw_flit_default_hardware()};
    assert_int_equal(cw_topology_build(network, &study->net), 0);
    assert_int_equal(cw_packet_routing_new(study->net, routing, 1, 1, &study->routing), 0);
    study->made = (struct cw_flit_case){.net = study->net,
                                        .routing = study->routing,
                                        .traffic_spec = traffic,
                                        .placement_spec = "contiguous",
                                        .seed = 1,
                                        .n_threads = 1};
    assert_int_equal(cw_flit_case_make(&study->made), 0);
    study->loads = (struct cw_flit_loads){.made = &study->made,
                                          .hardware = &study->hardware,
                                          .messages = &single,
                                          .steady = &brief,
                                          .n_processes = 1,
                                          .begin = begin,
                                          .end = end,
                                          .stuck = stuck};
}

static void close_study(struct study *study)
{
    cw_flit_case_free(&study->made);
    cw_packet_routing_free(study->routing);
    cw_network_free(study->net);
}

/* What is told of N loads, or, if there are none, of a search; by PROCESSES, or without any one after another. Returns
 * what the function did. */
static int run(struct study *study, size_t n, const double *values, size_t processes, size_t refuse, struct told *told)
{
    struct block_executor executor = block_executor(processes);
    struct cw_saturation search = {0};
    *told = (struct told){.refuse = refuse};
    study->loads.context = told;
    study->loads.executor = processes > 0 ? &executor.executor : NULL;
    study->loads.n_processes = processes;
    return n > 0 ? cw_flit_loads_measure(&study->loads, n, values) : cw_flit_loads_search(&study->loads, &search);
}

static void check_same(const struct told *a, const struct told *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->index, b->index, sizeof a->index);
    assert_memory_equal(a->load, b->load, sizeof a->load);
    assert_memory_equal(a->accepted, b->accepted, sizeof a->accepted);
    assert_string_equal(a->why, b->why);
}

static void test_given(void **state)
{
    (void)state;
    static const double values[] = {0.2, 0.1, 0.5, 0.3, 0.4};
    struct study study;
    struct told alone, shared;
    open_study(&study, "torus:4x4", "dor", "uniform");
    assert_int_equal(run(&study, 5, values, 0, MOST, &alone), 0);
    assert_int_equal(alone.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(alone.index[i], i);
        assert_true(alone.load[i] == values[i]);
        assert_true(alone.accepted[i] > 0.8 * values[i] && alone.accepted[i] < 1.2 * values[i]);
    }
    for (size_t processes = 1; processes <= 3; processes++) {
        assert_int_equal(run(&study, 5, values, processes, MOST, &shared), 0);
        check_same(&alone, &shared);
    }
    close_study(&study);
}

/* What cannot be told ends all; loads before it have been told. */
static void test_refused(void **state)
{
    (void)state;
    static const double values[] = {0.1, 0.2, 0.3, 0.4};
    struct study study;
    struct told told;
    open_study(&study, "torus:4x4", "dor", "uniform");
    for (size_t processes = 0; processes <= 2; processes += 2) {
        assert_int_equal(run(&study, 4, values, processes, 2, &told), CW_EIO);
        assert_string_equal(cw_error_message(), "no room for load 2");
        assert_int_equal(told.n, 2);
        assert_int_equal(run(&study, 0, NULL, processes, 3, &told), CW_EIO);
        assert_int_equal(told.n, 3);
    }
    close_study(&study);
}

/* A search asks one process for the same loads as several, which also measure what it then leaves out. */
static void test_search(void **state)
{
    (void)state;
    struct study study;
    struct told alone, shared;
    open_study(&study, "torus:4x4", "dor", "shift:5");
    assert_int_equal(run(&study, 0, NULL, 0, MOST, &alone), 0);
    assert_true(alone.n > 3 && alone.load[0] == 0.1 && alone.load[1] == 0.2);
    for (size_t i = 0; i < alone.n; i++) assert_int_equal(alone.index[i], i);
    for (size_t processes = 1; processes <= 5; processes += 2) {
        assert_int_equal(run(&study, 0, NULL, processes, MOST, &shared), 0);
        check_same(&alone, &shared);
    }
    close_study(&study);
}

/* Round a ring on one lane nothing moves at full load: an error, or told where that is allowed. */
static void test_stuck(void **state)
{
    (void)state;
    static const double values[] = {0.01, 1, 0.02};
    struct study study;
    struct told alone, shared;
    open_study(&study, "torus:9", "dor:lanes=1", "shift:4");
    study.hardware.input_flits = study.hardware.output_flits = 2;
    assert_int_equal(run(&study, 3, values, 0, MOST, &alone), CW_EROUTE);
    assert_int_equal(run(&study, 3, values, 2, MOST, &shared), CW_EROUTE);
    study.made.allow_deadlock = true;
    assert_int_equal(run(&study, 3, values, 0, MOST, &alone), 0);
    assert_int_equal(alone.n, 3);
    assert_true(alone.accepted[0] > 0 && alone.accepted[1] == 0 && alone.accepted[2] > 0);
    assert_non_null(strstr(alone.why, "have not moved"));
    assert_int_equal(run(&study, 3, values, 2, MOST, &shared), 0);
    check_same(&alone, &shared);
    assert_int_equal(run(&study, 0, NULL, 0, MOST, &alone), 0);
    assert_int_equal(run(&study, 0, NULL, 3, MOST, &shared), 0);
    assert_true(strlen(alone.why) > 0);
    check_same(&alone, &shared);
    close_study(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_given), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_search), cmocka_unit_test(test_stuck)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
