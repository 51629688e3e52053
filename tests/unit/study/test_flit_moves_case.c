/* A plan's moves flit by flit: an exact time, bounds, and the same for every number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "flow/method.h"
#include "route/engine.h"
#include "study/flit/flit_moves_case.h"
#include "topo/topology.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

/* The moves on a network of SPEC for demands of BYTES from each endpoint i to i + SHIFT, by METHOD. */
struct moved {
    struct cw_network *net;
    struct cw_moves moves;
    struct cw_flit_moves_case made;
};

static struct moved moved_by(const char *spec, uint32_t n, uint32_t shift, uint64_t bytes, const char *method,
                             uint64_t chunk_bytes, uint32_t credits)
{
    struct moved moved = {.net = NULL};
    struct cw_demands demands = {0};
    struct cw_flow_problem problem;
    struct cw_routes *routes;
    struct cw_plan plan;
    must(cw_topology_build(spec, &moved.net));
    for (uint32_t e = 0; e < n; e++) must(cw_demands_add(&demands, e, (e + shift) % moved.net->n_endpoints, bytes));
    must(cw_flow_problem_make(moved.net, &demands, 0, NULL, 0, &problem));
    must(cw_engine_route(moved.net, NULL, 1, 1, &routes));
    const struct cw_method_setup setup = {.routes = routes, .k = 4, .epsilon = 0.01, .maxload = 16, .n_threads = 1};
    must(cw_method_solve(cw_method_find(method), &problem, &setup, &plan));
    must(cw_moves_make(&problem, &plan, chunk_bytes, credits, &moved.moves));
    cw_plan_free(&plan);
    cw_routes_free(routes);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    moved.made = (struct cw_flit_moves_case){
        .net = moved.net, .hardware = cw_flit_default_hardware(), .message_flits = 1, .seed = 1, .n_threads = 1};
    moved.made.hardware.reference_capacity = moved.net->capacity[0];
    moved.made.hardware.host_latency = moved.made.hardware.local_latency = 5;
    moved.made.hardware.global_latency = 5;
    return moved;
}

static struct cw_flit_moves_result run(struct moved *moved)
{
    struct cw_flit_moves_result result;
    moved->made.moves = &moved->moves;
    must(cw_flit_moves_case_run(&moved->made, &result));
    return result;
}

static void moved_free(struct moved *moved)
{
    cw_moves_free(&moved->moves);
    cw_network_free(moved->net);
}

/* The network's own route 0 → 2 has four channels; in a line of nodes that relay each chunk is stored on the way. */
static void exact_times(void **state)
{
    (void)state;
    struct moved direct = moved_by("mesh:3@1GB/s", 1, 2, 6400, "default", 640, 2);
    struct cw_flit_moves_result result = run(&direct);
    assert_int_equal(result.cycles, 4 * 5 + 3 * 1 + 100);
    assert_int_equal(result.forwards, 0);
    assert_true(result.bytes == 6400 && fabs(result.bound_seconds - 6400e-9) < 1e-15);
    assert_true(fabs(result.seconds - 123 * 64e-9) < 1e-15);
    moved_free(&direct);
    direct = moved_by("mesh:4@1GB/s", 2, 2, 6400, "default", 640, 2); /* 0 → 2 and 1 → 3 share the channel 1 → 2 */
    result = run(&direct);
    assert_true(fabs(result.bound_seconds - 12800e-9) < 1e-15);
    assert_int_equal(direct.net->tail[result.hottest], 4 + 1);
    assert_int_equal(direct.net->head[result.hottest], 4 + 2);
    moved_free(&direct);
    struct moved relayed = moved_by("mesh:3@1GB/s", 1, 2, 6400, "optimum", 640, 10);
    result = run(&relayed);
    assert_int_equal(result.forwards, 1);
    assert_int_equal(result.cycles, 2 * (3 * 5 + 2 * 1) + 10 + 100);
    moved_free(&relayed);
}

static void keeps_to_the_bound(void **state)
{
    (void)state;
    static const char *const methods[] = {"default", "approx", "optimum"};
    for (size_t m = 0; m < 3; m++) {
        struct moved moved = moved_by("torus:4x4@1GB/s", 16, 5, 20000, methods[m], 4096, 1);
        const struct cw_flit_moves_result one = run(&moved);
        assert_true(one.seconds >= one.bound_seconds && one.seconds < 20 * one.bound_seconds);
        assert_true(one.bytes == 16 * 20000 && one.hottest != CW_NONE);
        assert_true((one.forwards > 0) == (m > 0));
        moved.made.n_threads = 3;
        const struct cw_flit_moves_result three = run(&moved);
        assert_true(one.cycles == three.cycles);
        moved.moves.credits = 100; /* more room is never slower here */
        assert_true(run(&moved).cycles <= one.cycles);
        moved_free(&moved);
    }
}

/* Round a ring the network's own routes need two lanes. */
static void lanes_of_a_ring(void **state)
{
    (void)state;
    struct moved moved = moved_by("torus:5@1GB/s", 5, 2, 5000, "default", 4096, 1);
    assert_int_equal(run(&moved).lanes, 2);
    moved_free(&moved);
}

static void refuses_another_network(void **state)
{
    (void)state;
    struct moved moved = moved_by("torus:5@1GB/s", 5, 2, 5000, "default", 4096, 1);
    struct cw_flit_moves_result result;
    struct cw_network *other;
    must(cw_topology_build("torus:6", &other));
    moved.made.net = other;
    moved.made.moves = &moved.moves;
    assert_int_equal(cw_flit_moves_case_run(&moved.made, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "these moves are of another network, torus:5@1GB/s");
    cw_network_free(other);
    moved_free(&moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_times),
        cmocka_unit_test(keeps_to_the_bound),
        cmocka_unit_test(lanes_of_a_ring),
        cmocka_unit_test(refuses_another_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
