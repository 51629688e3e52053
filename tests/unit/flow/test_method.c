/* What every method of the registry keeps to, on networks of all kinds, and how they compare. */
#include "../skip.h"
#include "legs_test.h"

#include "net/network_internal.h"

static const struct {
    const char *network, *pattern;
} cases[] = {{"torus:4x4x2,doubled", "overlap:8x4,2"},
             {"torus:4x4x2", "disjoint:4x16"},
             {"torus:4x4", "alltoall"},
             {"mesh:3x4", "permutation"},
             {"hypercube:4", "aggregation:2"},
             {"xgft:2:4,4:1,2", "overlap:8x4,2"},
             {"xgft:2:4,4:1,2:1,2", "alltoall"},
             {"dragonfly:2,4,2", "permutation"},
             {"crossbar:6", "alltoall"}};
#define N_CASES (sizeof cases / sizeof *cases)
#define N_ALL   (N_CASES + 6)

/* The cases, then random networks. */
static struct scene *scene_at(size_t i)
{
    if (i >= N_CASES) return scene_random(i, 6, 12, 4);
    return scene_of(cases[i].network, cases[i].pattern, NULL, 5);
}

/* --- every method ------------------------------------------------------------------------------------------------- */

/* cw_plan_verify has looked at paths, shares, loads and z already. */
static void check_plan(const struct scene *scene, const struct cw_method *method, const struct cw_plan *plan)
{
    uint64_t *bytes = zeros(scene->demands.n, sizeof *bytes);
    for (size_t i = 0; i < plan->n_paths; i++) bytes[plan->paths[i].demand] += plan->paths[i].bytes;
    for (size_t d = 0; d < scene->demands.n; d++) assert_int_equal(bytes[d], scene->demands.items[d].bytes);
    free(bytes);
    assert_memory_equal(plan->method, method->name, strlen(method->name));
    assert_true(plan->z > 0 && plan->seconds >= 0);
    if (!isnan(plan->bound)) assert_true(plan->bound >= plan->z);
    if (method->needs_paths) assert_int_equal(plan->k, scene->setup.k);
}

static void legal_on_all_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALL; i++) {
        struct scene *scene = scene_at(i);
        for (size_t m = 0; cw_methods[m]; m++) {
            if (!accepts(scene, cw_methods[m])) continue;
            struct cw_plan plan = plan_by(scene, cw_methods[m]->name);
            check_plan(scene, cw_methods[m], &plan);
            cw_plan_free(&plan);
        }
        scene_free(scene);
    }
}

/* default ≤ optimum, heuristic and greedy ≤ lp ≤ optimum ≤ bounds over all paths; the two exact ones reach theirs. */
static void methods_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALL; i++) {
        struct scene *scene = scene_at(i);
        struct cw_plan machine = plan_by(scene, "default"), heuristic = plan_by(scene, "heuristic"),
                       greedy = plan_by(scene, "greedy"), lp = plan_by(scene, "lp"),
                       optimum = plan_by(scene, "optimum"), approx = plan_by(scene, "approx");
        at_most(machine.z, optimum.z, "default and optimum", i);
        at_most(heuristic.z, lp.bound, "heuristic and lp", i);
        at_most(greedy.z, lp.bound, "greedy and lp", i);
        at_most(lp.z, optimum.bound, "lp and optimum", i);
        at_most(optimum.z, approx.bound, "optimum and the bound of approx", i);
        at_most(lp.bound, lp.z * (1 + 1e-6), "lp's bound and lp", i);
        at_most(optimum.bound, optimum.z * (1 + 1e-6), "optimum's bound and optimum", i);
        at_most(approx.bound * (1 - scene->setup.epsilon), approx.z, "approx's bound and approx", i);
        at_most(optimum.z, lp.proof.bound, "optimum and what lp proves for all paths", i);
        assert_true(optimum.proof.bound == optimum.bound && approx.proof.bound == approx.bound);
        struct cw_plan *const plans[] = {&machine, &heuristic, &greedy, &lp, &optimum, &approx};
        for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) cw_plan_free(plans[p]);
        scene_free(scene);
    }
}

static void assert_same_plan(const struct cw_plan *a, const struct cw_plan *b)
{
    assert_same_paths(a, b);
    assert_int_equal(a->n_channels, b->n_channels);
    assert_memory_equal(a->channels, b->channels, a->n_channels * sizeof *a->channels);
    assert_true(a->z == b->z);
    if (!isnan(a->bound)) assert_true(a->bound == b->bound);
    assert_string_equal(a->method, b->method);
}

static void same_on_any_number_of_threads(void **state)
{
    (void)state;
    struct scene *scene = scene_of("xgft:2:4,4:1,2", "permutation", NULL, 4);
    for (size_t m = 0; cw_methods[m]; m++) {
        if (!accepts(scene, cw_methods[m])) continue;
        struct cw_plan one = plan_by(scene, cw_methods[m]->name);
        for (scene->setup.n_threads = 2; scene->setup.n_threads <= 4; scene->setup.n_threads += 2) {
            struct cw_plan more = plan_by(scene, cw_methods[m]->name);
            assert_same_plan(&one, &more);
            cw_plan_free(&more);
        }
        scene->setup.n_threads = 1;
        cw_plan_free(&one);
    }
    scene_free(scene);
}

/* --- budget, epsilon ---------------------------------------------------------------------------------------------- */

/* However little time there is, there is a plan with a bound over all paths. */
static void no_time_at_all(void **state)
{
    (void)state;
    static const char *const methods[] = {"optimum", "approx", "auto", "lp"};
    struct scene *scene = scene_of("torus:4x4x4x2", "disjoint:8x64", NULL, 8);
    struct cw_plan best = plan_by(scene, "optimum");
    scene->setup.seconds = 1e-9;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct cw_plan plan = plan_by(scene, methods[m]);
        assert_true(plan.z <= best.z * (1 + SLACK) && isfinite(plan.bound));
        assert_true(plan.proof.n > 0 && plan.proof.bound >= best.z * (1 - SLACK));
        assert_true(plan.seconds < 1);
        cw_plan_free(&plan);
    }
    cw_plan_free(&best);
    scene_free(scene);
}

static void approx_reaches_epsilon(void **state)
{
    (void)state;
    static const double epsilons[] = {0.3, 0.03, 0.003, 1e-5};
    struct scene *scene = scene_of("dragonfly:2,4,2", "permutation", NULL, 4);
    struct cw_plan best = plan_by(scene, "optimum");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        scene->setup.epsilon = epsilons[e];
        struct cw_plan plan = plan_by(scene, "approx");
        assert_true(plan.bound - plan.z <= epsilons[e] * plan.bound + SLACK);
        assert_true(plan.bound >= best.z * (1 - SLACK) && plan.z <= best.bound * (1 + SLACK));
        cw_plan_free(&plan);
    }
    cw_plan_free(&best);
    scene_free(scene);
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* A ring of four, 0 to 2, both ways: the heuristic and greedy use both, the default one. */
static void a_ring_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double z;
    } expected[] = {{"default", 1}, {"heuristic", 2}, {"greedy", 2}, {"lp", 2}, {"optimum", 2}};
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:4");
    must(cw_demands_add(&scene->demands, 0, 2, 6400));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct cw_plan plan = plan_by(scene, expected[i].method);
        assert_digits(plan.z, expected[i].z, 9, expected[i].method);
        cw_plan_free(&plan);
    }
    scene_free(scene);
}

/* A search without any time gives the network's own routes, with the bound of a cut; where a channel of these has
 * failed, it takes the time that it needs. */
static void no_time(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:4x4", "transpose", NULL, 2);
    struct cw_plan own = plan_by(scene, "default"), best = plan_by(scene, "optimum");
    scene->setup.seconds = 1e-9;
    struct cw_plan plan = plan_by(scene, "optimum");
    assert_true(plan.network_routes && plan.z == own.z && best.z > own.z);
    assert_true(plan.proof.verified && plan.bound == plan.proof.bound && plan.bound >= best.z);
    scene->problem.capacity[own.channels[own.paths[0].first + 1]] = 0;
    cw_plan_free(&plan);
    plan = plan_by(scene, "optimum");
    assert_true(!plan.network_routes && plan.z > 0);
    assert_string_equal(plan.method, "optimum");
    cw_plan_free(&plan);
    cw_plan_free(&own);
    cw_plan_free(&best);
    scene_free(scene);
}

/* Two cables between two switches, 4 there and 1 back, 1 there and 3 back, in units of 8: 5 go there and 4 back. With
 * both demands at once no channel of one is in the other's way. */
static void directions_differ(void **state)
{
    (void)state;
    static const struct {
        bool there, back;
        double z;
    } wanted[] = {{true, false, 5.0 / 8}, {false, true, 4.0 / 8}, {true, true, 4.0 / 8}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct scene *scene = zeros(1, sizeof *scene);
        struct cw_builder *builder = cw_builder_new(2, 2, 4);
        for (uint32_t e = 0; e < 2; e++) cw_builder_cable(builder, e, 0, 2 + e, 0, 8, 0);
        cw_builder_cable(builder, 2, 0, 3, 0, 4, 0);
        cw_builder_back(builder, 1, 0);
        cw_builder_cable(builder, 3, 0, 2, 0, 3, 0);
        cw_builder_back(builder, 1, 0);
        must(cw_builder_finish(builder, &scene->net));
        if (wanted[i].there) must(cw_demands_add(&scene->demands, 0, 1, 1000));
        if (wanted[i].back) must(cw_demands_add(&scene->demands, 1, 0, 1000));
        scene_begin(scene, "minhop", 2, CW_TIES_PLAIN, NULL, 0);
        for (int m = 0; m < 2; m++) {
            struct cw_plan plan = plan_by(scene, m == 0 ? "lp" : "optimum");
            assert_digits(plan.z, wanted[i].z, 9, "z");
            assert_digits(plan.proof.bound, wanted[i].z, 9, "bound");
            cw_plan_free(&plan);
        }
        scene_free(scene);
    }
}

/* Demands of single bytes beside those of terabytes leave the optimum where it is; in trial 52 they did not. */
static void demands_far_apart(void **state)
{
    (void)state;
    for (uint64_t trial = 40; trial < 80; trial++) {
        struct scene *scene = scene_random(trial, 3 + (uint32_t)trial % 5, 4 + (uint32_t)trial % 4, 16);
        uint64_t *unit = &scene->problem.unit_bytes;
        for (size_t d = 0; d < scene->demands.n; d++) {
            if (d >= 2) scene->demands.items[d].bytes *= 10000000019;
            if (d == 0 || scene->demands.items[d].bytes > *unit) *unit = scene->demands.items[d].bytes;
        }
        for (int m = 0; m < 2; m++) {
            struct cw_plan plan = plan_by(scene, m == 0 ? "lp" : "optimum");
            if (!(plan.z > plan.bound * (1 - 1e-6)))
                fail_msg("trial %d: z %.9g, bound %.9g", (int)trial, plan.z, plan.bound);
            cw_plan_free(&plan);
        }
        scene_free(scene);
    }
}

/* A ring of four, 0 to 1, whose channel from 0 to 1 has failed, but not the one back: the other way round is left. */
static void one_direction_only(void **state)
{
    (void)state;
    for (uint32_t src = 0; src < 2; src++) {
        struct scene *scene = zeros(1, sizeof *scene);
        scene->net = network_of("torus:4");
        must(cw_demands_add(&scene->demands, src, 1 - src, 6400));
        uint32_t failed = CW_NONE;
        for (uint32_t c = 0; c < scene->net->n_channels; c++)
            if (scene->net->tail[c] == 4 && scene->net->head[c] == 5) failed = c;
        scene_begin(scene, NULL, 2, CW_TIES_PLAIN, &failed, 1);
        struct cw_plan plan = plan_by(scene, "optimum");
        assert_digits(plan.z, src == 0 ? 1 : 2, 9, "z");
        cw_plan_free(&plan);
        scene_free(scene);
    }
}

/* Two demands over the same two paths, maxload 1: the first pair takes one, the second, its first being full, the
 * other; a third pair, whose paths are all full, raises maxload. */
static void maxload_by_hand(void **state)
{
    (void)state;
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:4");
    for (uint32_t i = 0; i < 2; i++) must(cw_demands_add(&scene->demands, 0, 2, 1000));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    scene->setup.maxload = 1;
    struct cw_plan plan = plan_by(scene, "heuristic");
    assert_int_equal(plan.n_paths, 2);
    assert_digits(plan.z, 1, 9, "two pairs, two paths");
    cw_plan_free(&plan);
    cw_k_paths_free(&scene->paths);
    cw_flow_problem_free(&scene->problem);
    cw_routes_free(scene->routes);
    must(cw_demands_add(&scene->demands, 0, 2, 1000));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    scene->setup.maxload = 1;
    plan = plan_by(scene, "heuristic"); /* maxload 2 from the third pair on: the first pair gets its second path */
    assert_int_equal(plan.n_paths, 4);
    assert_digits(plan.z, 1 / 1.5, 9, "three pairs");
    cw_plan_free(&plan);
    scene_free(scene);
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

static void unknown_methods(void **state)
{
    (void)state;
    assert_null(cw_method_find("optimun"));
    assert_string_equal(cw_error_message(), "no method is called 'optimun'; did you mean 'optimum'?");
    assert_null(cw_method_find("quantum"));
    assert_non_null(strstr(cw_error_message(), "expected one of default, heuristic"));
}

static void missing_inputs(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:4", "permutation", NULL, 2);
    scene->setup.routes = NULL;
    scene->setup.paths = NULL;
    scene->setup.epsilon = 0;
    assert_fails(scene, "default", "needs the machine's routes");
    assert_fails(scene, "heuristic", "got none");
    assert_fails(scene, "lp", "got none");
    assert_fails(scene, "approx", "epsilon is 0");
    scene->setup.paths = &scene->paths;
    scene->paths.first[1] = 0; /* no path for demand 0 */
    assert_fails(scene, "greedy", "demand 0");
    scene_free(scene);
}

/* The default's channel fails: that method says so, auto does without it, the others go round it. */
static void default_over_a_failed_channel(void **state)
{
    (void)state;
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:4x4");
    must(cw_demands_add(&scene->demands, 0, 1, 1));
    uint32_t failed = CW_NONE;
    for (uint32_t c = 0; c < scene->net->n_channels; c++)
        if (scene->net->tail[c] == 16 && scene->net->head[c] == 17) failed = c;
    scene_begin(scene, NULL, 3, CW_TIES_PLAIN, &failed, 1);
    assert_fails(scene, "default", "takes the failed channel");
    struct cw_plan plan = plan_by(scene, "auto");
    assert_string_equal(plan.method, "auto: optimum");
    cw_plan_free(&plan);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(legal_on_all_networks),
                                       cmocka_unit_test(methods_in_order),
                                       cmocka_unit_test(same_on_any_number_of_threads),
                                       cmocka_unit_test(no_time_at_all),
                                       cmocka_unit_test(approx_reaches_epsilon),
                                       cmocka_unit_test(a_ring_by_hand),
                                       cmocka_unit_test(no_time),
                                       cmocka_unit_test(directions_differ),
                                       cmocka_unit_test(demands_far_apart),
                                       cmocka_unit_test(one_direction_only),
                                       cmocka_unit_test(maxload_by_hand),
                                       cmocka_unit_test(unknown_methods),
                                       cmocka_unit_test(missing_inputs),
                                       cmocka_unit_test(default_over_a_failed_channel)};
    return run_cases(tests);
}
