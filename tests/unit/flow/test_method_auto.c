/* What auto chooses, and what it does where a method has no plan or no time. */
#include "../skip.h"
#include "legs_test.h"

#include "flow/chunking.h"
#include "flow/transport/transport_set.h"
#include "net/network_internal.h"

/* One demand of BYTES between neighbours. */
static struct scene *one_demand(uint64_t bytes)
{
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:4x4");
    must(cw_demands_add(&scene->demands, 0, 1, bytes));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    return scene;
}

/* 2,025 demands on 2,025 switches, more than 4 million together, all ALIKE or one other than the others. */
static struct scene *many_demands(bool alike)
{
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:45x45");
    for (uint32_t i = 0; i < 2025; i++)
        must(cw_demands_add(&scene->demands, i, i / 45 * 45 + (i + 1) % 45, !alike && i == 7 ? 999 : 1000));
    scene_begin(scene, NULL, 1, CW_TIES_PLAIN, NULL, 0);
    return scene;
}

/* One demand between neighbours with one byte: nothing is faster than the machine itself, and on a tie it wins. Where
 * no transport is known z decides, and more paths have more. */
static void auto_answers_default(void **state)
{
    (void)state;
    struct scene *scene = one_demand(1);
    struct cw_plan plan = plan_by(scene, "auto"); /* without a transport z decides */
    assert_string_equal(plan.method, "auto: optimum");
    cw_plan_free(&plan);
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    scene->setup.transport = &transport;
    plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: default");
    assert_int_equal(plan.n_paths, 1);
    assert_true(plan.proof.n > 0 && plan.bound >= plan.z);
    cw_plan_free(&plan);
    transport = (struct cw_transport){.chunk_bytes = 1, .credits = 1, .hop_latency = 100e-9, .efficiency = 1};
    plan = plan_by(scene, "auto"); /* a hop takes as long by either: a tie */
    assert_string_equal(plan.method, "auto: default");
    cw_plan_free(&plan);
    scene->setup.routes = NULL;
    plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: optimum");
    cw_plan_free(&plan);
    scene_free(scene);
}

/* What auto goes by: the time in whole chunks by the simulated transport, or that of the hottest channel. */
static double predicted_seconds(const struct scene *scene, const struct cw_plan *plan)
{
    struct cw_transport_result result;
    struct cw_plan chunked;
    if (!scene->setup.transport) return cw_plan_bandwidth_seconds(&scene->problem, plan);
    must(cw_plan_in_chunks(&scene->problem, plan, scene->setup.transport->chunk_bytes, &chunked));
    must(cw_transport_run(&scene->problem, &chunked, scene->setup.transport, &result));
    cw_plan_free(&chunked);
    return result.seconds;
}

/* Returns a bit for what auto chose. */
static unsigned check_fastest(const struct scene *scene, size_t i)
{
    struct cw_plan best = plan_by(scene, "auto");
    const double seconds = predicted_seconds(scene, &best);
    for (size_t m = 0; cw_methods[m]; m++) {
        if (strcmp(cw_methods[m]->name, "approx") == 0) continue; /* it is the optimum's stand-in */
        if (!accepts(scene, cw_methods[m])) continue;
        struct cw_plan plan = plan_by(scene, cw_methods[m]->name);
        at_most(seconds, predicted_seconds(scene, &plan), cw_methods[m]->name, i);
        cw_plan_free(&plan);
    }
    assert_string_equal(best.untried, "");
    const unsigned chosen = strstr(best.method, "optimum") ? 1 : strstr(best.method, "default") ? 2 : 4;
    cw_plan_free(&best);
    return chosen;
}

/* By its own prediction, no single method's plan is faster than that of auto: on free paths and on legs, with and
 * without a transport. */
static void auto_is_the_fastest(void **state)
{
    (void)state;
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    transport.chunk_bytes = 16; /* of demands of some hundreds */
    transport.chunk_overhead = 2;
    unsigned chosen = 0;
    for (size_t i = 0; i < 60; i++) {
        struct scene *scene = scene_random(i / 2, 6, 12, 4);
        struct leg_scene *on_legs = leg_scene_random(i / 2, 1);
        scene->setup.transport = on_legs->base->setup.transport = i % 2 ? &transport : NULL;
        chosen |= check_fastest(scene, i);
        chosen |= check_fastest(on_legs->base, i);
        scene_free(scene);
        leg_scene_free(on_legs);
    }
    assert_int_equal(chosen, 7); /* each is the fastest somewhere */
}

/* When the budget is over, the network's own routes are still compared, and the rest is named. */
static void auto_says_what_it_did_not_try(void **state)
{
    (void)state;
    struct scene *scene = one_demand(1);
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    scene->setup.transport = &transport;
    scene->setup.seconds = 1e-9;
    struct cw_plan plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: default");
    assert_string_equal(plan.untried, "greedy, heuristic, lp");
    cw_plan_free(&plan);
    scene->setup.paths = NULL;
    plan = plan_by(scene, "auto");
    assert_string_equal(plan.untried, ""); /* they have no paths */
    cw_plan_free(&plan);
    scene_free(scene);
}

/* Of many demands: without a budget that is approx's, within one optimum's. */
static void auto_chooses_by_size_and_budget(void **state)
{
    (void)state;
    struct scene *scene = many_demands(true);
    scene->setup.routes = NULL; /* or the default would be as fast */
    scene->setup.epsilon = 0.9;
    struct cw_plan plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: optimum"); /* of one demand */
    cw_plan_free(&plan);
    scene_free(scene);
    scene = many_demands(false);
    scene->setup.routes = NULL;
    scene->setup.epsilon = 0.9;
    plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: approx");
    cw_plan_free(&plan);
    scene->setup.seconds = 1e-9;
    plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: optimum");
    cw_plan_free(&plan);
    scene_free(scene);
}

/* What one method can, auto can: where some or all pairs have no path for those of k paths, and where there are too
 * many chunks to be simulated. */
static void auto_can_what_others_can(void **state)
{
    (void)state;
    static const char *const methods[] = {"default", "heuristic", "lp", "optimum"};
    unsigned without_paths = 0, without_default = 0;
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct leg_scene *scene = leg_scene_random(trial, 2);
        struct scene *base = scene->base;
        const struct cw_k_paths_setup short_ones = {.k = 2, .max_hops = 2 + (uint32_t)trial % 3};
        struct cw_plan plan;
        double best = 0;
        cw_k_paths_free(&base->paths);
        must(cw_k_paths_find(&base->problem, &short_ones, 1, &base->paths));
        if (trial % 5 == 0) base->setup.routes = NULL;
        struct cw_plan all = plan_by(base, "auto");
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            if (cw_method_solve(cw_method_find(methods[m]), &base->problem, &base->setup, &plan)) {
                without_paths += m == 2;
                without_default += m == 0;
                continue;
            }
            best = fmax(best, plan.z);
            cw_plan_free(&plan);
        }
        at_most(best, all.z * (1 + 1e-6), "a method and auto", trial);
        assert_true(all.proof.verified && all.bound >= all.z);
        cw_plan_free(&all);
        leg_scene_free(scene);
    }
    assert_true(without_paths > 5 && without_paths < 30 && without_default > 5);
}

/* 5e9 chunks of a byte are too many: z decides, as without a transport, and no time is predicted. */
static void auto_without_a_simulation(void **state)
{
    (void)state;
    struct scene *scene = one_demand(5000000000);
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    struct cw_transport_result moved = {.seconds = 0};
    transport.chunk_bytes = 1;
    transport.messages = (struct cw_transport_messages){.whole = false}; /* chunks of the network's own routes, too */
    scene->setup.transport = &transport;
    scene->setup.moved = &moved;
    struct cw_plan plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: optimum");
    assert_true(moved.seconds == 0);
    cw_plan_free(&plan);
    scene_free(scene);
}

/* The search, of 2,025 demands by approx, has no plan: those of others have no bound. Where nobody has a plan, auto
 * says why the search had none. */
static void auto_without_its_search(void **state)
{
    (void)state;
    struct scene *scene = many_demands(false);
    scene->setup.epsilon = 0;
    struct cw_plan plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: default");
    assert_true(isnan(plan.bound) && plan.proof.n == 0);
    cw_plan_free(&plan);
    scene->setup.routes = NULL;
    scene->setup.paths = NULL;
    assert_fails(scene, "auto", "epsilon is 0");
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_answers_default),          cmocka_unit_test(auto_is_the_fastest),
        cmocka_unit_test(auto_says_what_it_did_not_try), cmocka_unit_test(auto_chooses_by_size_and_budget),
        cmocka_unit_test(auto_can_what_others_can),      cmocka_unit_test(auto_without_a_simulation),
        cmocka_unit_test(auto_without_its_search)};
    return run_cases(tests);
}
