/* A plan's moves flit by flit and by flows: exact times, bounds, and the same for every number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../skip.h"
#include "base/error.h"
#include "base/random.h"
#include "flow/chunking.h"
#include "flow/forest/forest.h"
#include "flow/legs/legs.h"
#include "flow/method.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "study/jobs/flit_moves_case.h"
#include "topo/topology.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

/* Moves on a network, and what the plan's own bound was. */
struct moved {
    struct cw_network *net;
    struct cw_moves moves;
    struct cw_flit_moves_case made;
    double bandwidth_seconds;
};

/* Those of DEMANDS, which are freed, on NET, which is taken over, by METHOD; with LEGS relays are endpoints. */
static struct moved moved_of(struct cw_network *net, struct cw_demands demands, bool legs, const char *method,
                             uint64_t chunk_bytes, uint32_t credits)
{
    struct moved moved = {.net = net};
    struct cw_legs *made = NULL;
    struct cw_selection *all;
    struct cw_flow_problem problem;
    struct cw_routes *routes;
    struct cw_k_paths paths;
    struct cw_plan found, plan;
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    must(cw_selection_new(net, "all", &all));
    const struct cw_legs_setup setup = {
        .relays = all, .max_relays = 1, .routes = (const struct cw_routes *[]){routes}, .n_routes = 1};
    if (legs) must(cw_legs_make(net, &demands, &setup, 1, &made));
    must(legs ? cw_flow_problem_make_on_legs(made, &demands, 0, NULL, 0, &problem)
              : cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem));
    must(cw_k_paths_find(&problem, &(struct cw_k_paths_setup){.k = 4, .ties = CW_TIES_PENALISED}, 1, &paths));
    const struct cw_method_setup of_method = {
        .routes = routes, .paths = &paths, .k = 4, .epsilon = 0.01, .maxload = 16, .n_threads = 1};
    must(cw_method_solve(cw_method_find(method), &problem, &of_method, &found));
    must(cw_plan_in_chunks(&problem, &found, chunk_bytes, &plan));
    must(cw_moves_make(&problem, &plan, chunk_bytes, credits, &moved.moves));
    moved.bandwidth_seconds = cw_plan_bandwidth_seconds(&problem, &plan);
    cw_plan_free(&found);
    cw_plan_free(&plan);
    cw_k_paths_free(&paths);
    cw_routes_free(routes);
    cw_selection_free(all);
    cw_flow_problem_free(&problem);
    cw_legs_free(made);
    cw_demands_free(&demands);
    moved.made = (struct cw_flit_moves_case){
        .net = net, .hardware = cw_flit_default_hardware(), .message_flits = 1, .seed = 1, .n_threads = 1};
    moved.made.hardware.reference_capacity = net->capacity[0];
    moved.made.hardware.host_latency = moved.made.hardware.local_latency = 5;
    moved.made.hardware.global_latency = 5;
    return moved;
}

/* Demands of BYTES from each endpoint i < N to i + SHIFT, on a network of SPEC where paths are free. */
static struct moved moved_by(const char *spec, uint32_t n, uint32_t shift, uint64_t bytes, const char *method,
                             uint64_t chunk_bytes, uint32_t credits)
{
    struct cw_network *net;
    struct cw_demands demands = {0};
    must(cw_topology_build(spec, &net));
    for (uint32_t e = 0; e < n; e++) must(cw_demands_add(&demands, e, (e + shift) % net->n_endpoints, bytes));
    return moved_of(net, demands, false, method, chunk_bytes, credits);
}

static struct cw_flit_moves_result run(struct moved *moved)
{
    struct cw_flit_moves_result result;
    moved->made.moves = &moved->moves;
    must(cw_flit_moves_case_run(&moved->made, &result));
    return result;
}

/* By flows, whose bound and figures are those of flits. */
static double flow(const struct moved *moved, const struct cw_flit_moves_result *flits)
{
    struct cw_flit_moves_result result;
    struct cw_routes *routes;
    must(cw_engine_route(moved->net, NULL, 1, 1, &routes));
    must(cw_flow_moves_run(routes, &moved->moves, 0, &result));
    cw_routes_free(routes);
    assert_true(result.bound_seconds == flits->bound_seconds && result.hottest == flits->hottest);
    assert_true(result.bytes == flits->bytes && result.forwards == flits->forwards);
    assert_true(result.cycles == 0 && result.lanes == 0);
    assert_true(result.seconds >= result.bound_seconds * (1 - 1e-9));
    return result.seconds;
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
    const double latency = direct.net->latency[0]; /* of all channels here */
    assert_true(fabs(flow(&direct, &result) - (6400e-9 + 4 * latency)) < 1e-15);
    moved_free(&direct);
    direct = moved_by("mesh:4@1GB/s", 2, 2, 6400, "default", 640, 2); /* 0 → 2 and 1 → 3 share the channel 1 → 2 */
    result = run(&direct);
    assert_true(fabs(result.bound_seconds - 12800e-9) < 1e-15);
    assert_int_equal(direct.net->tail[result.hottest], 4 + 1);
    assert_int_equal(direct.net->head[result.hottest], 4 + 2);
    assert_true(fabs(flow(&direct, &result) - (12800e-9 + 4 * latency)) < 1e-15);
    moved_free(&direct);
    struct moved relayed = moved_by("mesh:3@1GB/s", 1, 2, 6400, "lp", 640, 10);
    result = run(&relayed);
    assert_int_equal(result.forwards, 1);
    assert_int_equal(result.cycles, 2 * (3 * 5 + 2 * 1) + 10 + 100);
    assert_true(fabs(flow(&relayed, &result) - (6400e-9 + 640e-9 + 6 * latency)) < 1e-15); /* a chunk is stored */
    moved_free(&relayed);
}

/* Moves on NET by which endpoint 0 sends BYTES to endpoint i by way of endpoint from[i], which keeps them; these come
 * before i. There is one switch. */
static struct moved tree_of(const uint32_t *from, uint64_t bytes, uint64_t chunk_bytes)
{
    struct moved moved = moved_by("crossbar:5@1GB/s", 4, 1, bytes, "default", chunk_bytes, 2); /* 0 → 1 → 2 → 3 → 4 */
    struct cw_moves *moves = &moved.moves;
    struct cw_step steps[8];
    size_t n = 0;
    for (uint32_t r = 0; r < 5; r++) {
        moves->first_step[r] = n;
        struct cw_step step = {.bytes = bytes, .to = CW_NONE, .way = CW_NONE};
        step.kind = CW_STEP_RECEIVE;
        step.from = from[r];
        if (r > 0) steps[n++] = step;
        for (uint32_t to = 1; to < 5; to++) {
            if (from[to] != r) continue;
            steps[n] = step;
            steps[n].kind = CW_STEP_SEND;
            steps[n].from = CW_NONE;
            steps[n].to = to;
            steps[n].first_channel = 2 * (to - 1);
            steps[n++].n_channels = 2;
            moves->channels[2 * (to - 1)] = moved.net->first[r];
            moves->channels[2 * (to - 1) + 1] = moved.net->twin[moved.net->first[to]];
        }
    }
    moves->first_step[5] = n;
    memcpy(moves->steps, steps, sizeof steps);
    moves->demands[0] = (struct cw_moves_demand){0, CW_NONE, bytes};
    moves->n_demands = moves->n_streams = 1;
    must(cw_moves_verify(moves));
    must(cw_moves_check_network(moves, moved.net));
    return moved;
}

/* In a chain of four each of three ranks stores a chunk; where all are fed by the first, its cable carries all four
 * times. In between, two by two, nobody needs room at another: flits are as fast as flows. */
static void trees_keep_what_they_send_on(void **state)
{
    (void)state;
    static const struct {
        uint32_t from[5], sends, stored, forwards;
    } trees[] = {{{CW_NONE, 0, 1, 2, 3}, 1, 3, 3}, {{CW_NONE, 0, 0, 0, 0}, 4, 0, 0}, {{CW_NONE, 0, 0, 1, 1}, 2, 1, 2}};
    for (size_t i = 0; i < 3; i++) {
        struct moved moved = tree_of(trees[i].from, 64000, 640);
        const struct cw_flit_moves_result result = run(&moved);
        const double latency = moved.net->latency[0], bound = trees[i].sends * 64000e-9;
        assert_true(fabs(result.bound_seconds - bound) < 1e-12);
        assert_int_equal(result.forwards, trees[i].forwards);
        assert_true(fabs(flow(&moved, &result) -
                         (bound + trees[i].stored * 640e-9 + 2 * (trees[i].stored + 1) * latency)) < 1e-12);
        assert_true(result.seconds >= bound && result.seconds < bound + 10 * 640e-9);
        moved_free(&moved);
    }
}

/* Steps of several trees take the same paths. Of an allgather by trees that reach the cut, each host takes in 15 of 16
 * parts: flits are no slower than 2 % above that, and flows, which count what is stored in the end, 20 %. */
static void trees_share_paths(void **state)
{
    (void)state;
    struct moved moved = {.net = NULL};
    uint32_t members[16];
    struct cw_forest forest;
    must(cw_topology_build("torus:4x4@1GB/s", &moved.net));
    for (uint32_t e = 0; e < 16; e++) members[e] = e;
    const struct cw_forest_setup setup = {moved.net, members, 16, CW_NONE, false, false, 0};
    must(cw_forest_find(&setup, &forest));
    must(cw_forest_moves(&setup, &forest, 1, 1600000, 16, &moved.moves));
    moved.made = (struct cw_flit_moves_case){
        .net = moved.net, .hardware = cw_flit_default_hardware(), .message_flits = 16, .seed = 1, .n_threads = 1};
    moved.made.hardware.reference_capacity = moved.net->capacity[0];
    const struct cw_flit_moves_result result = run(&moved);
    assert_true(fabs(result.bound_seconds - 1.5e-3) < 1e-9);
    assert_true(result.seconds < 1.02 * 1.5e-3 && flow(&moved, &result) < 1.2 * 1.5e-3);
    cw_forest_free(&forest);
    moved_free(&moved);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Moves on NET by which endpoint i adds what it gets to BYTES and sends them to endpoint to[i]. There is one switch. */
static struct moved sum_of(const uint32_t *to, uint64_t bytes)
{
    struct moved moved = moved_by("crossbar:5@1GB/s", 4, 1, bytes, "default", bytes, 2); /* 0 → 1 → 2 → 3 → 4 */
    struct cw_moves *moves = &moved.moves;
    struct cw_step steps[8];
    size_t n = 0;
    for (uint32_t r = 0; r < 5; r++) {
        moves->first_step[r] = n;
        struct cw_step step = {.bytes = bytes, .kind = CW_STEP_COMBINE, .to = CW_NONE, .way = CW_NONE};
        for (step.from = 0; step.from < 5; step.from++)
            if (to[step.from] == r) steps[n++] = step;
        if (to[r] == CW_NONE) continue;
        steps[n] = step;
        steps[n].kind = CW_STEP_SEND;
        steps[n].from = CW_NONE;
        steps[n].to = to[r];
        steps[n].first_channel = 2 * (r - 1);
        steps[n++].n_channels = 2;
        moves->channels[2 * (r - 1)] = moved.net->first[r];
        moves->channels[2 * (r - 1) + 1] = moved.net->twin[moved.net->first[to[r]]];
    }
    moves->first_step[5] = n;
    memcpy(moves->steps, steps, sizeof steps);
    moves->demands[0] = (struct cw_moves_demand){CW_NONE, 0, bytes};
    moves->n_demands = moves->n_streams = 1;
    must(cw_moves_verify(moves));
    must(cw_moves_check_network(moves, moved.net));
    return moved;
}

/* Rank 1 waits for the later of the two that it adds up, whichever that is: 4 sends to one of them, which stores it. */
static void sums_wait_for_all_parts(void **state)
{
    (void)state;
    static const uint32_t trees[][5] = {{CW_NONE, 0, 1, 1, 2}, {CW_NONE, 0, 1, 1, 3}};
    for (size_t i = 0; i < 2; i++) {
        struct moved moved = sum_of(trees[i], 640);
        const struct cw_flit_moves_result result = run(&moved);
        assert_int_equal(result.forwards, 2);
        assert_int_equal(result.cycles, 3 * (2 * 5 + 1 + 10));
        moved_free(&moved);
    }
}

/* Moves of KIND among all endpoints of NET, which is taken over, by trees in CHUNKS. */
static struct moved forest_of(struct cw_network *net, enum cw_collective_kind kind, bool wide, uint64_t bytes,
                              uint32_t chunks)
{
    struct moved moved = {.net = net};
    struct cw_forest_setup setups[2];
    struct cw_forest forests[2];
    uint32_t members[64];
    size_t n = 0;
    assert_true(net->n_endpoints <= 64);
    for (uint32_t e = 0; e < net->n_endpoints; e++) members[e] = e;
    for (int to_roots = 1; to_roots >= 0; to_roots--) {
        const bool reduces = kind == CW_COLLECTIVE_REDUCE || kind == CW_COLLECTIVE_REDUCE_SCATTER;
        if (to_roots ? kind == CW_COLLECTIVE_BCAST : reduces) continue;
        const uint32_t root = kind == CW_COLLECTIVE_REDUCE || kind == CW_COLLECTIVE_BCAST ? 0 : CW_NONE;
        setups[n] = (struct cw_forest_setup){net, members, net->n_endpoints, root, to_roots, wide, 0};
        must(cw_forest_find(&setups[n], &forests[n]));
        n++;
    }
    must(cw_forest_moves(setups, forests, n, bytes, chunks, &moved.moves));
    while (n > 0) cw_forest_free(&forests[--n]);
    moved.made = (struct cw_flit_moves_case){
        .net = net, .hardware = cw_flit_default_hardware(), .message_flits = 16, .seed = 1, .n_threads = 1};
    moved.made.hardware.reference_capacity = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        moved.made.hardware.reference_capacity = fmax(moved.made.hardware.reference_capacity, net->capacity[c]);
    moved.made.hardware.input_flits = cw_flit_round_trip(net, &moved.made.hardware) + 16;
    return moved;
}

/* Three endpoints in a line, the middle one with two cables: it stores one of K chunks of 10 flits, and all are added
 * up when the last one has followed. By hand: there is a switch between two of them, and one that stands for the cables
 * of the middle. */
static void sums_in_a_line(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 4; k++) {
        struct cw_builder *builder = cw_builder_new(3, 2, 4);
        struct cw_network *net;
        for (uint32_t i = 0; i < 4; i++) cw_builder_cable(builder, (i + 1) / 2, 0, 3 + i / 2, 0, 1e9, 1e-7);
        must(cw_builder_finish(builder, &net));
        struct moved moved = forest_of(net, CW_COLLECTIVE_REDUCE, false, 640 * (uint64_t)k, k);
        moved.made.message_flits = 1;
        moved.made.hardware.host_latency = moved.made.hardware.local_latency = 5;
        const struct cw_flit_moves_result result = run(&moved);
        assert_int_equal(result.forwards, 1);
        assert_int_equal(result.cycles, 2 * (3 * 5 + 2 * 1) + (k + 1) * 10);
        /* by flows a chunk waits for the one before it, and until its receiver has said that it may come; each way the
         * request of the first one takes a latency, too */
        assert_true(fabs(flow(&moved, &result) - ((k + 1) * (640e-9 + 2 * 2e-7) + 2 * 2e-7)) < 1e-14);
        moved_free(&moved);
    }
}

/* By trees that need not share cables, in whole packets: flits take as long as flows, but for latencies of up to a
 * tenth of a chunk's time, which flows have with every chunk. Where a node is its switch trees are simulated, too. */
static void sums_take_as_long_as_by_flows(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4@1GB/s",         "crossbar:8@1GB/s",
                                        "xgft:2:4,4:1,2@1GB/s",    "rail:2,4,4,nvlink=8Gbit/s@8Gbit/s",
                                        "torus:3x3,doubled@1GB/s", "torus:2x2x2x2x3@1GB/s"};
    static const enum cw_collective_kind kinds[4] = {CW_COLLECTIVE_REDUCE, CW_COLLECTIVE_BCAST,
                                                     CW_COLLECTIVE_REDUCE_SCATTER, CW_COLLECTIVE_ALLREDUCE};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (size_t k = 0; k < (s < 5 ? 4 : 2); k++) {
            struct cw_network *net;
            must(cw_topology_build(specs[s], &net));
            const uint64_t roots = k < 2 ? 1 : net->n_endpoints;
            struct moved moved = forest_of(net, kinds[k], false, roots * 4 * 16384, 4);
            const struct cw_flit_moves_result result = run(&moved);
            const double flows = flow(&moved, &result);
            if (result.seconds < result.bound_seconds || result.seconds > 1.04 * flows || result.seconds < 0.92 * flows)
                fail_msg("%s, %zu: %g s by flits, %g by flows, bound %g", specs[s], k, result.seconds, flows,
                         result.bound_seconds);
            moved.made.n_threads = 3;
            if (k % 2 == 1) assert_true(run(&moved).cycles == result.cycles);
            moved_free(&moved);
        }
}

/* Where all send to all at once no two begin with the same one. */
static void sums_begin_with_different_roots(void **state)
{
    (void)state;
    static const enum cw_collective_kind kinds[] = {CW_COLLECTIVE_REDUCE_SCATTER, CW_COLLECTIVE_ALLREDUCE};
    for (size_t k = 0; k < 2; k++) {
        struct cw_network *net;
        must(cw_topology_build("crossbar:8@1GB/s", &net));
        struct moved moved = forest_of(net, kinds[k], true, 8 * 65536, 1);
        const struct cw_flit_moves_result result = run(&moved);
        assert_int_equal(result.forwards, 0);
        assert_true(result.seconds >= result.bound_seconds && result.seconds < 1.01 * result.bound_seconds);
        moved_free(&moved);
    }
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

/* A node of Blue Gene feeds, drains and relays over all its cables at once; elsewhere an endpoint has one cable. */
static void inside_of_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t limit; /* of bytes that go in and out together */
    } cases[] = {{"torus:2x2x2x2x3@1GB/s", 1}, {"mesh:2x2x2x2x3@1GB/s", 3}};
    static const uint32_t neighbours[] = {1, 2, 4};
    for (size_t i = 0; i < 2; i++)
        for (int back = 0; back < 2; back++) {
            struct cw_network *net;
            struct cw_demands demands = {0};
            must(cw_topology_build(cases[i].spec, &net));
            for (size_t k = 0; k < 3; k++)
                must(cw_demands_add(&demands, back ? neighbours[k] : 0, back ? 0 : neighbours[k], 6400));
            struct moved moved = moved_of(net, demands, false, "default", 640, 2);
            const struct cw_flit_moves_result result = run(&moved);
            assert_int_equal(result.cycles, 3 * 5 + 2 * 1 + 100 * cases[i].limit);
            assert_true(fabs(result.bound_seconds - 6400e-9 * (double)cases[i].limit) < 1e-15);
            assert_true(fabs(result.bound_seconds - moved.bandwidth_seconds) < 1e-15);
            const double flows = flow(&moved, &result) - 3 * net->latency[0];
            assert_true(fabs(flows - result.bound_seconds) < 1e-15);
            moved_free(&moved);
        }
}

/* Endpoint 0 has a cable to each of two switches, 1 and 2 at one of them each. */
static struct moved home(const uint32_t (*pairs)[2], size_t n, const char *method)
{
    struct cw_builder *builder = cw_builder_new(3, 2, 4);
    struct cw_demands demands = {0};
    struct cw_network *net;
    for (uint32_t i = 0; i < 4; i++) cw_builder_cable(builder, i < 2 ? 0 : i - 1, 0, 3 + i % 2, 0, 1e9, 1e-7);
    must(cw_builder_finish(builder, &net));
    for (size_t i = 0; i < n; i++) must(cw_demands_add(&demands, pairs[i][0], pairs[i][1], 6400));
    return moved_of(net, demands, true, method, 640, 10);
}

/* An endpoint with two cables sends, receives and relays by both at once. */
static void several_cables(void **state)
{
    (void)state;
    static const uint32_t both[][2] = {{0, 1}, {0, 2}, {1, 0}, {2, 0}}, across[][2] = {{1, 2}};
    for (size_t n = 2; n <= 4; n++)
        for (size_t first = 0; first + n <= 4; first += 2) {
            struct moved moved = home(both + first, n, "default");
            const struct cw_flit_moves_result result = run(&moved);
            assert_true(fabs(result.bound_seconds - 6400e-9) < 1e-15);
            assert_int_equal(result.cycles, 3 * 5 + 2 * 1 + 100);
            assert_true(fabs(flow(&moved, &result) - (6400e-9 + 2e-7)) < 1e-15);
            moved_free(&moved);
        }
    struct moved relayed = home(across, 1, "optimum");
    const struct cw_flit_moves_result result = run(&relayed);
    assert_int_equal(result.forwards, 1);
    assert_int_equal(result.cycles, 2 * (3 * 5 + 2 * 1) + 10 + 100); /* a chunk of 10 flits is stored */
    moved_free(&relayed);
}

/* Small ones of every kind, those of Blue Gene's shape among them: no verb has a time below the bound of capacities,
 * which is the same for the plan and for its flits; who relays is an endpoint by both cables, or such a node. */
static void means_the_same_network_as_plans(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:2x2x2x2x3@1GB/s",   "torus:3x2x2x2x2@1GB/s", "torus:4x4@1GB/s",
                                        "torus:3x2,doubled@1GB/s", "mesh:3x3@1GB/s",        "hypercube:4@1GB/s",
                                        "dragonfly:2,2,1@1GB/s",   "xgft:2:3,3:1,2@1GB/s",  "hyperx:3x2,2@1GB/s",
                                        "xgft:2:3,3:2,2@1GB/s"};
    static const char *const methods[] = {"default", "greedy", "heuristic", "optimum"};
    for (uint64_t trial = 0; trial < 4 * sizeof specs / sizeof *specs; trial++) {
        struct cw_random random = cw_random_of(8, CW_STREAM_TEST, trial);
        struct cw_network *net;
        struct cw_demands demands = {0};
        must(cw_topology_build(specs[trial / 4], &net));
        const bool node = trial < 4;
        assert_true(cw_network_node_is_switch(net) == node);
        for (int i = 0; i < 6; i++) {
            const uint32_t src = cw_random_below(&random, net->n_endpoints);
            const uint32_t dst = (src + 1 + cw_random_below(&random, net->n_endpoints - 1)) % net->n_endpoints;
            must(cw_demands_add(&demands, src, dst, 20000 + cw_random_below(&random, 20000)));
        }
        must(cw_demands_merge(&demands));
        struct moved moved = moved_of(net, demands, !node, methods[trial % 4], 2048, 2);
        struct cw_flit_moves_result one = run(&moved);
        assert_true(fabs(one.bound_seconds / moved.bandwidth_seconds - 1) < 1e-9);
        assert_true(one.seconds >= one.bound_seconds);
        assert_true(flow(&moved, &one) < 1.05 * one.seconds);
        moved.made.n_threads = 2;
        assert_true(run(&moved).cycles == one.cycles);
        moved_free(&moved);
    }
}

/* The same steps over the same channels, or something that one run does not tell of both. */
static void knows_the_same(void **state)
{
    (void)state;
    struct moved one = moved_by("torus:4x4@1GB/s", 8, 5, 6400, "default", 640, 2);
    struct moved other = moved_by("torus:4x4@1GB/s", 8, 5, 6400, "default", 640, 1);
    struct moved fewer = moved_by("torus:4x4@1GB/s", 7, 5, 6400, "default", 640, 2);
    struct moved larger = moved_by("torus:4x4@1GB/s", 8, 5, 6401, "default", 640, 2);
    struct moved split = moved_by("torus:4x4@1GB/s", 8, 5, 6400, "optimum", 640, 2);
    assert_true(cw_flit_moves_same(&one.moves, &one.moves));
    assert_true(cw_flit_moves_same(&one.moves, &other.moves));
    assert_false(cw_flit_moves_same(&one.moves, &fewer.moves));
    assert_false(cw_flit_moves_same(&one.moves, &larger.moves));
    assert_false(cw_flit_moves_same(&one.moves, &split.moves));
    other.moves.channels[other.moves.steps[0].first_channel + other.moves.steps[0].n_channels - 1]++;
    assert_false(cw_flit_moves_same(&one.moves, &other.moves));
    moved_free(&one);
    moved_free(&other);
    moved_free(&fewer);
    moved_free(&larger);
    moved_free(&split);
}

static double with_overhead(const struct moved *moved, double overhead)
{
    struct cw_flit_moves_result result;
    struct cw_routes *routes;
    must(cw_engine_route(moved->net, NULL, 1, 1, &routes));
    must(cw_flow_moves_run(routes, &moved->moves, overhead, &result));
    cw_routes_free(routes);
    return result.seconds;
}

/* A sender's processor takes o for each stream, one after another, and a relay's for a chunk. */
static void overhead_by_flows(void **state)
{
    (void)state;
    struct moved relayed = moved_by("mesh:3@1GB/s", 1, 2, 6400, "lp", 640, 10);
    assert_true(fabs(with_overhead(&relayed, 1) - with_overhead(&relayed, 0) - 2) < 1e-12);
    moved_free(&relayed);
    struct cw_network *net;
    struct cw_demands demands = {0};
    must(cw_topology_build("crossbar:4@1GB/s", &net));
    for (uint32_t to = 1; to < 4; to++) must(cw_demands_add(&demands, 0, to, 1000));
    struct moved sent = moved_of(net, demands, false, "default", 640, 10);
    assert_true(fabs(with_overhead(&sent, 1) - (3 + 1000e-9 + 2 * net->latency[0])) < 1e-12);
    assert_true(fabs(with_overhead(&sent, 0) - (3000e-9 + 2 * net->latency[0])) < 1e-12); /* all share the cable */
    moved_free(&sent);
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
    struct cw_routes *routes;
    must(cw_engine_route(other, NULL, 1, 1, &routes));
    assert_int_equal(cw_flow_moves_run(routes, &moved.moves, 0, &result), CW_EUSAGE);
    cw_routes_free(routes);
    cw_network_free(other);
    moved_free(&moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_times),
        cmocka_unit_test(trees_keep_what_they_send_on),
        cmocka_unit_test(trees_share_paths),
        cmocka_unit_test(sums_wait_for_all_parts),
        cmocka_unit_test(sums_in_a_line),
        cmocka_unit_test(sums_begin_with_different_roots),
        cmocka_unit_test(sums_take_as_long_as_by_flows),
        cmocka_unit_test(keeps_to_the_bound),
        cmocka_unit_test(lanes_of_a_ring),
        cmocka_unit_test(inside_of_nodes),
        cmocka_unit_test(several_cables),
        cmocka_unit_test(means_the_same_network_as_plans),
        cmocka_unit_test(knows_the_same),
        cmocka_unit_test(overhead_by_flows),
        cmocka_unit_test(refuses_another_network),
    };
    return run_cases(tests);
}
