/* One data movement: paths are found once and their time is counted, plans are worth what other ways say, and chunks
 * are simulated in groups where they are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "flow/transport/transport_set.h"
#include "route/engine.h"
#include "study/move/plan_case.h"
#include "topo/topology.h"

#define BYTES 1000000

static struct cw_network *net;
static struct cw_routes *routes;

/* Node 0 of a 4x4 torus sends to the one beside it. */
static struct cw_plan_case *case_of(uint64_t bytes)
{
    static struct cw_plan_case made; /* its problem points to its demands */
    assert_int_equal(cw_topology_build("torus:4x4@1GB/s", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    made = (struct cw_plan_case){.net = net,
                                 .wanted = {.k = 4, .ties = CW_TIES_DISJOINT},
                                 .setup = {.routes = routes, .maxload = 16, .epsilon = 0.01, .n_threads = 1},
                                 .has_transport = true,
                                 .transport = cw_transport_set_find("bgq")->transport};
    assert_int_equal(cw_demands_add(&made.demands, 0, 1, bytes), 0);
    if (cw_flow_problem_make(net, &made.demands, -1, NULL, 0, &made.problem)) fail_msg("%s", cw_error_message());
    return &made;
}

static void end(struct cw_plan_case *made)
{
    cw_plan_case_free(made);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Four channels leave a node: over four disjoint paths all of the demand moves in a quarter of the time. */
static void test_solve(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double z;
        bool paths;
    } expected[] = {{"default", 1, false}, {"optimum", 4, false}, {"lp", 4, true}, {"lp", 4, true}};
    struct cw_plan_case *made = case_of(BYTES);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct cw_plan_run run;
        if (cw_plan_case_solve(made, cw_method_find(expected[i].method), &run)) fail_msg("%s", cw_error_message());
        if (cw_plan_case_evaluate(made, &run)) fail_msg("%s", cw_error_message());
        assert_true(fabs(run.z - expected[i].z) < 1e-6);
        assert_int_equal(made->setup.paths != NULL, expected[i].paths);
        assert_true(run.predicted && run.moved.seconds > 0);
        assert_true(run.plan.seconds >= (expected[i].paths ? made->paths_seconds : 0));
        assert_int_equal(run.plan.chunk_bytes, made->transport.chunk_bytes);
        assert_int_equal(run.figures.pairs, 1);
        cw_plan_run_free(&run);
    }
    end(made);
}

/* More paths than fit into memory are an error before they are looked for. */
static void test_too_many_paths(void **state)
{
    (void)state;
    struct cw_plan_case *made = case_of(BYTES);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t k = 0; k < 16; k++)
            if (i != k && (i || k != 1)) assert_int_equal(cw_demands_add(&made->demands, i, k, BYTES), 0);
    made->wanted.k = UINT32_MAX; /* 240 demands of 4 billion paths of 100 bytes */
    assert_int_equal(cw_plan_case_find_paths(made), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "a smaller --k"));
    assert_null(made->setup.paths);
    end(made);
}

/* A plan of more chunks than can be moved one by one has figures and no predicted time; other errors are errors. */
static void test_too_many_chunks(void **state)
{
    (void)state;
    struct cw_plan_case *made = case_of(5000000000);
    struct cw_plan_run run;
    made->transport.chunk_bytes = 1;
    assert_int_equal(cw_plan_case_solve(made, cw_method_find("lp"), &run), 0);
    assert_int_equal(cw_plan_case_evaluate(made, &run), 0);
    assert_false(run.predicted);
    assert_int_equal(run.figures.pairs, 1);
    made->transport.efficiency = 2;
    assert_int_equal(cw_plan_case_evaluate(made, &run), CW_EUSAGE);
    assert_false(run.predicted);
    cw_plan_run_free(&run);
    end(made);
}

/* In groups of the least power of two that leaves eight million hops of them, by shortest ways. */
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        uint64_t chunks;
        uint32_t far; /* endpoint that node 0 sends to, too, if not 0 */
        uint32_t together;
    } expected[] = {{1, 0, 1},           {8000000, 0, 1},  {8000001, 0, 2},  {16000000, 0, 2},
                    {16000001, 0, 4},    {1600000, 10, 1}, {1600001, 10, 2}, /* 4 hops away */
                    {4000000000, 0, 512}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct cw_plan_case *made = case_of(expected[i].chunks * 1024);
        made->transport.chunk_bytes = 1024;
        if (expected[i].far > 0)
            assert_int_equal(cw_demands_add(&made->demands, 0, expected[i].far, expected[i].chunks * 1024), 0);
        assert_int_equal(cw_plan_case_group_chunks(made, true), 0);
        assert_int_equal(made->transport.together, expected[i].together);
        end(made);
    }
}

/* All 240 pairs have 512 hops together; those of a sample tell them well enough. */
static void test_groups_of_many_pairs(void **state)
{
    (void)state;
    for (uint64_t chunks = 14000; chunks <= 18000; chunks += 4000) {
        struct cw_plan_case *made = case_of(chunks * 1024);
        for (uint32_t i = 0; i < 16; i++)
            for (uint32_t k = 0; k < 16; k++)
                if (i != k && (i || k != 1)) assert_int_equal(cw_demands_add(&made->demands, i, k, chunks * 1024), 0);
        made->transport.chunk_bytes = 1024;
        assert_int_equal(cw_plan_case_group_chunks(made, true), 0);
        assert_int_equal(made->transport.together, chunks * 512 > 8000000 ? 2 : 1);
        end(made);
    }
}

static double seconds_of(struct cw_plan_case *made, const char *method, uint32_t together)
{
    struct cw_plan_run run;
    made->transport.together = together;
    if (cw_plan_case_solve(made, cw_method_find(method), &run)) fail_msg("%s", cw_error_message());
    if (cw_plan_case_evaluate(made, &run)) fail_msg("%s", cw_error_message());
    const double seconds = run.moved.seconds;
    cw_plan_run_free(&run);
    return seconds;
}

/* Every node of a 4x4 torus sends 32 MiB, 512 chunks, to another: groups change the times of the network's own routes
 * by next to nothing, and of relayed plans by what filling their hops takes. */
static void test_groups_keep_times(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        uint32_t together;
        double error;
    } expected[] = {{"default", 2, 1e-3}, {"default", 32, 0.01}, {"approx", 2, 0.02}, {"approx", 8, 0.1}};
    struct cw_plan_case *made = case_of(32 << 20);
    for (uint32_t i = 1; i < 16; i++)
        assert_int_equal(cw_demands_add(&made->demands, i, (7 * i + 3) % 16, 32 << 20), 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const double each = seconds_of(made, expected[i].method, 1);
        const double groups = seconds_of(made, expected[i].method, expected[i].together);
        if (fabs(groups - each) > expected[i].error * each)
            fail_msg("%s: %g s one by one, %g s in groups of %u", expected[i].method, each, groups,
                     expected[i].together);
    }
    end(made);
}

/* The fastest, of equally fast ones that of the greatest z, then one with a proof, of those the first; what is not
 * predicted comes last. */
static void test_best(void **state)
{
    (void)state;
    const struct cw_plan_run runs[] = {
        {.found.z = 1},
        {.found.z = 2},
        {.found.z = 0.9, .predicted = true, .moved.seconds = 2},
        {.found.z = 0.8, .predicted = true, .moved.seconds = 1},
        {.found.z = 0.9, .predicted = true, .moved.seconds = 1},
        {.found.z = 0.9, .predicted = true, .moved.seconds = 1},
        {.found = {.z = 0.9, .proof.n = 1}, .predicted = true, .moved.seconds = 1 + 1e-12}};
    static const size_t best[] = {0, 1, 2, 3, 4, 4, 6};
    for (size_t n = 1; n <= sizeof best / sizeof *best; n++) assert_int_equal(cw_plan_runs_best(runs, n), best[n - 1]);
    assert_true(cw_plan_run_is_better(&runs[2], &runs[1]));
    assert_false(cw_plan_run_is_better(&runs[5], &runs[4]));
    assert_false(cw_plan_run_is_better(&runs[4], &runs[5]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best),
                                       cmocka_unit_test(test_solve),
                                       cmocka_unit_test(test_too_many_paths),
                                       cmocka_unit_test(test_too_many_chunks),
                                       cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_groups_of_many_pairs),
                                       cmocka_unit_test(test_groups_keep_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
