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
#include "study/plan_case.h"
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
    if (cw_flow_problem_make(net, &made.demands, 0, NULL, 0, &made.problem)) fail_msg("%s", cw_error_message());
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
    assert_non_null(strstr(cw_error_message(), "fewer"));
    assert_null(made->setup.paths);
    end(made);
}

/* In groups of the least power of two that leaves two million of them. */
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        uint64_t chunks;
        uint32_t together;
    } expected[] = {{1, 1}, {2000000, 1}, {2000001, 2}, {4000000, 2}, {4000001, 4}, {1000000000, 512}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct cw_plan_case *made = case_of(expected[i].chunks * 1024);
        made->transport.chunk_bytes = 1024;
        cw_plan_case_group_chunks(made);
        assert_int_equal(made->transport.together, expected[i].together);
        end(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solve), cmocka_unit_test(test_too_many_paths),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
