/* Plans whose paths consist of legs: small ones by hand, and the promises of random ones. */
#include "legs_test.h"

#include <string.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "route/paths.h"

/* Two nodes of two GPUs, each with a cable to its node's switch and one to the rail of its number. Endpoints 0, 1 are
 * node 0, and 2, 3 node 1; switches 4, 5 the nodes, 6, 7 the rails. */
static struct cw_network *rail_only(void)
{
    struct cw_network *net;
    struct cw_builder *builder = cw_builder_new(4, 4, 0);
    for (uint32_t gpu = 0; gpu < 4; gpu++) {
        cw_builder_cable(builder, gpu, 0, 4 + gpu / 2, 0, 4, 0);
        cw_builder_cable(builder, gpu, 0, 6 + gpu % 2, 0, 1, 0);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

static struct cw_selection relays_of(uint32_t n, const uint32_t *endpoints)
{
    struct cw_selection relays = {.n = n, .endpoints = zeros(n, sizeof(uint32_t))};
    if (n > 0) memcpy(relays.endpoints, endpoints, n * sizeof *endpoints);
    return relays;
}

static void relays_by_the_right_gpu(void **state)
{
    (void)state;
    struct scene *base = zeros(1, sizeof *base);
    base->net = rail_only();
    base->setup = (struct cw_method_setup){.k = 4, .epsilon = 0.01, .maxload = 16, .n_threads = 1};
    must(cw_demands_add(&base->demands, 0, 3, 100)); /* other node, other rail */
    struct leg_scene *scene = leg_scene_of(base, 1, relays_of(4, (const uint32_t[]){0, 1, 2, 3}), 1);
    base->setup.paths = &base->paths;
    struct cw_plan plan = plan_by(base, "optimum");
    /* by GPU 1 over rail 1, or by GPU 2 over rail 0: half each, so that the rails carry .5 of a fourth of the unit */
    assert_int_equal(plan.n_paths, 2);
    assert_true(fabs(plan.z - 0.5) < 1e-9);
    for (size_t i = 0; i < 2; i++) {
        const uint32_t *channels = plan.channels + plan.paths[i].first;
        assert_int_equal(plan.paths[i].n, 4);
        assert_int_equal(cw_flow_relays(&base->problem, channels, 4), 1);
        const uint32_t relay = base->net->head[channels[1]];
        assert_true(relay == 1 || relay == 2);
    }
    cw_plan_free(&plan);
    /* what nobody relays has no route */
    assert_int_equal(cw_method_solve(cw_method_find("default"), &base->problem, &base->setup, &plan), CW_EROUTE);
    leg_scene_free(scene);
}

static void nobody_relays(void **state)
{
    (void)state;
    struct cw_network *net = rail_only();
    struct cw_demands demands = {0};
    struct cw_routes *routes;
    struct cw_legs *legs;
    struct cw_flow_problem problem;
    must(cw_demands_add(&demands, 0, 3, 100));
    must(cw_engine_route(net, "minhop", 1, 1, &routes));
    const struct cw_legs_setup setup = {.routes = (const struct cw_routes *const *)&routes, .n_routes = 1};
    must(cw_legs_make(net, &demands, &setup, 1, &legs));
    assert_int_equal(cw_flow_problem_make_on_legs(legs, &demands, 0, NULL, 0, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 0: no route of the network leads from h0 to h3");
    cw_legs_free(legs);
    cw_routes_free(routes);
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* On a tree with one way up for each destination two senders share a spine's cable; a relay frees them of that. */
static void relays_double_a_tree(void **state)
{
    (void)state;
    struct scene *base = zeros(1, sizeof *base);
    base->net = network_of("xgft:2:2,3:1,2");
    base->setup = (struct cw_method_setup){.k = 8, .n_threads = 1};
    must(cw_demands_add(&base->demands, 0, 2, 100));
    must(cw_demands_add(&base->demands, 1, 4, 100));
    struct cw_routes *dmodk;
    must(cw_engine_route(base->net, "dmodk", 1, 1, &dmodk));
    const uint32_t everybody[] = {0, 1, 2, 3, 4, 5};
    for (uint32_t max = 0; max < 2; max++) {
        struct cw_selection relays = relays_of(6, everybody);
        const struct cw_legs_setup setup = {
            .relays = &relays, .max_relays = max, .routes = (const struct cw_routes *const *)&dmodk, .n_routes = 1};
        struct cw_legs *legs;
        must(cw_legs_make(base->net, &base->demands, &setup, 1, &legs));
        must(cw_flow_problem_make_on_legs(legs, &base->demands, 0, NULL, 0, &base->problem));
        struct cw_plan plan = plan_by(base, "optimum");
        assert_true(max == 0 ? fabs(plan.z - 0.5) < 1e-9 : plan.z > 0.6);
        cw_plan_free(&plan);
        cw_flow_problem_free(&base->problem);
        cw_legs_free(legs);
        free(relays.endpoints);
    }
    cw_routes_free(dmodk);
    cw_demands_free(&base->demands);
    cw_network_free(base->net);
    free(base);
}

/* Every method's plan is verified by cw_method_solve: legs on the routes, relays that may. */
static void random_plans_keep_to_the_routes(void **state)
{
    (void)state;
    static const char *const methods[] = {"default", "heuristic", "greedy", "lp", "optimum", "approx"};
    for (uint64_t trial = 0; trial < 40; trial++) {
        struct leg_scene *scene = leg_scene_random(trial, 1 + (uint32_t)trial % 3);
        double z[6];
        for (size_t m = 0; m < 6; m++) {
            struct cw_plan plan = plan_by(scene->base, methods[m]);
            z[m] = plan.z;
            cw_plan_free(&plan);
        }
        for (size_t m = 0; m < 6; m++) assert_true(z[m] <= z[4] * (1 + 1e-6));
        assert_true(z[5] >= z[4] * 0.99 - 1e-9);
        leg_scene_free(scene);
    }
}

/* --- hosts on several switches ------------------------------------------------------------------------------------ */

/* A chain of three switches, 5 to 7, two hosts at each end, and one on both ends: the way through it would be as short
 * as that by 6. */
static struct cw_network *chain_with_a_shortcut(void)
{
    struct cw_network *net;
    struct cw_builder *builder = cw_builder_new(5, 3, 0);
    static const uint32_t cables[][2] = {{5, 6}, {6, 7}, {0, 5}, {1, 7}, {2, 5}, {3, 7}, {4, 5}, {4, 7}};
    for (size_t i = 0; i < sizeof cables / sizeof *cables; i++)
        cw_builder_cable(builder, cables[i][0], 0, cables[i][1], 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

/* A random tree of switches and some cables more; two endpoints for each switch, half of them on two switches. */
static struct cw_network *multi_homed(uint64_t trial)
{
    struct cw_random random = cw_random_of(14, CW_STREAM_TEST, trial);
    struct cw_network *net;
    const uint32_t n = 4 + (uint32_t)trial % 6;
    struct cw_builder *builder = cw_builder_new(2 * n, n, 0);
    for (uint32_t i = 1; i < n + n / 2; i++) {
        const uint32_t a = i < n ? i : cw_random_below(&random, n), b = cw_random_below(&random, i < n ? i : n);
        if (a != b) cw_builder_cable(builder, 2 * n + a, 0, 2 * n + b, 0, 1, 0);
    }
    for (uint32_t e = 0; e < 2 * n; e++) {
        const uint32_t home = cw_random_below(&random, n);
        cw_builder_cable(builder, e, 0, 2 * n + home, 0, 1, 0);
        if (e % 2) cw_builder_cable(builder, e, 0, 2 * n + (home + 1 + cw_random_below(&random, n - 1)) % n, 0, 1, 0);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* No path of the optimum passes an endpoint, and the optimum is proven. */
static void check_no_endpoint_is_passed(const struct scene *base)
{
    struct cw_plan plan = plan_by(base, "optimum");
    for (size_t i = 0; i < plan.n_paths; i++) {
        const uint32_t *channels = plan.channels + plan.paths[i].first;
        for (uint32_t hop = 0; hop + 1 < plan.paths[i].n; hop++)
            assert_false(cw_network_is_endpoint(base->net, base->net->head[channels[hop]]));
    }
    assert_true(plan.proof.verified && plan.z >= plan.bound * (1 - 1e-6));
    cw_plan_free(&plan);
}

/* Switches that route adaptively go round the hosts that nobody may use as relays, also where these are on shortest
 * ways. */
static void adaptive_ways_pass_no_endpoint(void **state)
{
    (void)state;
    static const char *const specs[] = {"rail:4,2,2", "rail:3,4,2"};
    for (uint64_t trial = 0; trial < 63; trial++) {
        struct scene *base = zeros(1, sizeof *base);
        base->net = trial == 0  ? chain_with_a_shortcut()
                    : trial < 3 ? network_of(specs[trial - 1])
                                : multi_homed(trial);
        base->setup = (struct cw_method_setup){.k = 2, .epsilon = 0.01, .maxload = 16, .n_threads = 1};
        const uint32_t n = base->net->n_endpoints;
        for (uint32_t e = 0; e < n; e++)
            must(cw_demands_add(&base->demands, e, (e + 1 + (uint32_t)trial % 2) % n, 100));
        struct leg_scene *scene = leg_scene_as(base, NULL, 1, true, relays_of(0, NULL), 0);
        check_no_endpoint_is_passed(base);
        leg_scene_free(scene);
    }
}

/* Changes one thing in a plan on legs that the checker must see. */
static void checker_sees(void **state)
{
    (void)state;
    struct scene *base = scene_of("xgft:2:2,3:1,2", "shift:2", "dmodk", 4);
    struct leg_scene *scene = leg_scene_of(base, 1, relays_of(1, (const uint32_t[]){1}), 1);
    struct cw_plan plan = plan_by(base, "optimum");
    must(cw_plan_verify(&base->problem, &plan));
    /* a way up by the other spine is no route of the network */
    uint32_t *channels = plan.channels + plan.paths[0].first;
    const uint32_t up = channels[1], tail = base->net->tail[up];
    const uint32_t other = base->net->first[tail + 1] - 1 == up ? up - 1 : base->net->first[tail + 1] - 1;
    const uint32_t down = channels[2], spine = base->net->head[other];
    channels[1] = other;
    for (uint32_t c = base->net->first[spine]; c < base->net->first[spine + 1]; c++)
        if (base->net->head[c] == base->net->head[down]) channels[2] = c;
    assert_int_equal(cw_plan_verify(&base->problem, &plan), CW_EINTERNAL);
    assert_non_null(strstr(cw_error_message(), "it does not follow the network's routes"));
    channels[1] = up;
    channels[2] = down;
    must(cw_plan_verify(&base->problem, &plan));
    cw_plan_free(&plan);
    leg_scene_free(scene);
}

/* A plan with two relays on a path is none where one is allowed. */
static void checker_counts_relays(void **state)
{
    (void)state;
    unsigned refused = 0;
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct leg_scene *scene = leg_scene_random(trial, 3);
        const struct cw_flow_problem *problem = &scene->base->problem;
        struct cw_plan plan = plan_by(scene->base, "optimum");
        uint32_t most = 0;
        for (size_t i = 0; i < plan.n_paths; i++) {
            const uint32_t n = cw_flow_relays(problem, plan.channels + plan.paths[i].first, plan.paths[i].n);
            if (n > most) most = n;
        }
        cw_proof_free(&plan.proof);
        for (uint32_t max = 1; max < 4; max++) {
            scene->legs->setup.max_relays = max;
            const int rc = cw_plan_verify(problem, &plan);
            assert_int_equal(rc, most > max ? CW_EINTERNAL : 0);
            if (rc) assert_non_null(strstr(cw_error_message(), "it has more than"));
            refused += rc != 0;
        }
        cw_plan_free(&plan);
        leg_scene_free(scene);
    }
    assert_true(refused > 0);
}

/* Routes that lead over the channel from A to B both to the relay w and from there: what looks cheapest, by w, is no
 * path. Left are the narrow way past F, and that by u, whose own cable is narrower still. */
static void no_channel_twice(void **state)
{
    (void)state;
    enum { S, T, W, U, A, B, D, E, F };
    static const uint32_t ways[][6] = {
        {S, A, F, E, T}, {S, A, B, D, W}, {W, D, A, B, E, T}, {S, A, B, U}, {U, B, E, T}};
    static const uint32_t lengths[] = {5, 5, 6, 4, 4};
    struct cw_builder *builder = cw_builder_new(4, 5, 0);
    cw_builder_cable(builder, S, 0, A, 0, 8, 0);
    cw_builder_cable(builder, T, 0, E, 0, 8, 0);
    cw_builder_cable(builder, W, 0, D, 0, 8, 0);
    cw_builder_cable(builder, U, 0, B, 0, 0.5, 0);
    cw_builder_cable(builder, A, 0, B, 0, 8, 0);
    cw_builder_cable(builder, B, 0, D, 0, 8, 0);
    cw_builder_cable(builder, D, 0, A, 0, 8, 0);
    cw_builder_cable(builder, B, 0, E, 0, 8, 0);
    cw_builder_cable(builder, A, 0, F, 0, 1, 0);
    cw_builder_cable(builder, F, 0, E, 0, 1, 0);
    struct scene *base = zeros(1, sizeof *base);
    must(cw_builder_finish(builder, &base->net));
    struct cw_paths *paths;
    must(cw_paths_new(base->net, &paths));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint32_t channels[5];
        for (uint32_t hop = 0; hop + 1 < lengths[i]; hop++)
            for (uint32_t c = base->net->first[ways[i][hop]]; c < base->net->first[ways[i][hop] + 1]; c++)
                if (base->net->head[c] == ways[i][hop + 1]) channels[hop] = c;
        must(cw_paths_add(paths, ways[i][0], ways[i][lengths[i] - 1], 1, channels, lengths[i] - 1));
    }
    must(cw_paths_finish(paths, "by hand", 1, &base->routes));
    must(cw_demands_add(&base->demands, S, T, 8));
    struct cw_selection relays = relays_of(4, (const uint32_t[]){S, T, W, U});
    const struct cw_legs_setup setup = {
        .relays = &relays, .max_relays = 1, .routes = (const struct cw_routes *const *)&base->routes, .n_routes = 1};
    struct cw_legs *legs;
    must(cw_legs_make(base->net, &base->demands, &setup, 1, &legs));
    must(cw_flow_problem_make_on_legs(legs, &base->demands, 0, NULL, 0, &base->problem));
    base->setup = (struct cw_method_setup){.n_threads = 1};
    struct cw_plan plan = plan_by(base, "optimum");
    assert_true(fabs(plan.z - 1.5 / 8) < 1e-6);
    cw_plan_free(&plan);
    cw_legs_free(legs);
    free(relays.endpoints);
    scene_free(base);
}

static void fails_without_routes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:2,3:1,2");
    struct cw_demands demands = {0};
    struct cw_legs *legs;
    must(cw_demands_add(&demands, 0, 9, 1));
    assert_int_equal(cw_legs_make(net, &demands, &(struct cw_legs_setup){.n_routes = 0}, 1, &legs), CW_EUSAGE);
    struct cw_routes *routes;
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    const struct cw_legs_setup setup = {.routes = (const struct cw_routes *const *)&routes, .n_routes = 1};
    assert_int_equal(cw_legs_make(net, &demands, &setup, 1, &legs), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 0: there is no endpoint 9; they are 0 to 5");
    cw_routes_free(routes);
    cw_demands_free(&demands);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(relays_by_the_right_gpu),
                                       cmocka_unit_test(nobody_relays),
                                       cmocka_unit_test(relays_double_a_tree),
                                       cmocka_unit_test(random_plans_keep_to_the_routes),
                                       cmocka_unit_test(adaptive_ways_pass_no_endpoint),
                                       cmocka_unit_test(checker_sees),
                                       cmocka_unit_test(checker_counts_relays),
                                       cmocka_unit_test(no_channel_twice),
                                       cmocka_unit_test(fails_without_routes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
