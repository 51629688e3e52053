/* Proofs of bounds: made by pricing, checked by other algorithms, and refused where they are wrong. */
#include <stdio.h>

#include "legs_test.h"

#include "base/interrupt.h"
#include "base/stopwatch.h"
#include "flow/proof.h"
#include "net/network_internal.h"

/* Torus 4x4: 100 bytes 0 → 1 and 200 bytes 0 → 2. */
static struct scene *two_demands(void)
{
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:4x4@1GB/s");
    must(cw_demands_add(&scene->demands, 0, 1, 100));
    must(cw_demands_add(&scene->demands, 0, 2, 200));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    return scene;
}

/* The proof that both demands must leave node 0 over its four channels: 4 / (1/2 + 1). */
static struct cw_proof leaving(const struct scene *scene, double scale)
{
    struct cw_proof proof = {0};
    double *length = zeros(scene->net->n_channels, sizeof *length);
    for (uint32_t c = 17; c <= 20; c++) length[c] = scale;
    must(cw_proof_make(&scene->problem, length, 1, &proof));
    free(length);
    return proof;
}

static void by_hand(void **state)
{
    (void)state;
    struct scene *scene = two_demands();
    struct cw_proof proof = leaving(scene, 1.0 / 3);
    assert_digits(proof.bound, 8.0 / 3, 12, "what node 0 can send");
    assert_int_equal(proof.n, 4);
    for (uint32_t i = 0; i < 4; i++) assert_true(proof.channel[i] == 17 + i && proof.length[i] == 1);
    must(cw_proof_verify(&scene->problem, &proof));
    proof.bound *= 1 - 1e-6;
    assert_int_equal(cw_proof_verify(&scene->problem, &proof), CW_EINTERNAL);
    assert_string_equal(cw_error_message(),
                        "plan: bound is 2.666664, but its lengths prove no less than 2.66666666667");
    proof.bound *= 1.5; /* true, if less telling */
    must(cw_proof_verify(&scene->problem, &proof));
    cw_proof_free(&proof);
    scene_free(scene);
}

/* What held for more paths holds for fewer. */
static void outlives_failures(void **state)
{
    (void)state;
    struct scene *scene = two_demands();
    struct cw_proof proof = leaving(scene, 1), fewer;
    scene->problem.capacity[18] = 0;
    must(cw_proof_verify(&scene->problem, &proof));
    fewer = leaving(scene, 1);
    assert_digits(fewer.bound, 2, 12, "three channels are left");
    must(cw_proof_verify(&scene->problem, &fewer));
    fewer.bound *= 1 - 1e-6;
    assert_int_equal(cw_proof_verify(&scene->problem, &fewer), CW_EINTERNAL);
    cw_proof_free(&proof);
    cw_proof_free(&fewer);
    scene_free(scene);
}

static void no_lengths_prove_nothing(void **state)
{
    (void)state;
    struct scene *scene = two_demands();
    struct cw_proof proof = leaving(scene, 0);
    assert_true(isinf(proof.bound) && proof.n == 0);
    must(cw_proof_verify(&scene->problem, &proof));
    cw_proof_free(&proof);
    scene_free(scene);
}

static void forged_lengths(void **state)
{
    (void)state;
    static const struct {
        uint32_t i, channel;
        double length;
        const char *message;
    } cases[] = {
        {1, 96, 1, "plan: lengths[1]: channel 96, expected one of 96, above those before"},
        {1, 17, 1, "plan: lengths[1]: channel 17, expected one of 96, above those before"},
        {2, 19, -1, "plan: lengths[2]: channel s(0,0)/4>s(0,1)/5 has length -1, expected more than 0"},
        {2, 19, NAN, "plan: lengths[2]: channel s(0,0)/4>s(0,1)/5 has length nan, expected more than 0"},
        {2, 19, INFINITY, "plan: lengths[2]: channel s(0,0)/4>s(0,1)/5 has length inf, expected more than 0"},
        {0, 16, 1, "plan: lengths[0]: channel s(0,0)/1>h0/1 has no limit, so its length must be 0"},
        {3, 21, 1, "plan: lengths[3]: channel s(1,0)/1>h1/1 has no limit, so its length must be 0"},
        {3, 22, 1, "plan: bound is 2.66666666667, but its lengths prove no less than inf"},
        {3, 20, 1e-3, "plan: bound is 2.66666666667, but its lengths prove no less than 2000.66666667"},
    };
    struct scene *scene = two_demands();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_proof proof = leaving(scene, 1);
        proof.channel[cases[i].i] = cases[i].channel;
        proof.length[cases[i].i] = cases[i].length;
        assert_int_equal(cw_proof_verify(&scene->problem, &proof), CW_EINTERNAL);
        assert_string_equal(cw_error_message(), cases[i].message);
        cw_proof_free(&proof);
    }
    scene_free(scene);
}

/* --- against pricing ---------------------------------------------------------------------------------------------- */

/* The checker finds the bound that pricing found, not more and not less. */
static void agrees(const struct cw_flow_problem *problem, const double *length, uint64_t trial)
{
    struct cw_proof proof = {0};
    must(cw_proof_make(problem, length, 2, &proof));
    if (proof.n > 0) {
        must(cw_proof_verify(problem, &proof));
        proof.bound *= 1 - 1e-8;
        if (cw_proof_verify(problem, &proof) != CW_EINTERNAL) fail_msg("trial %llu", (unsigned long long)trial);
    }
    for (uint32_t i = 0; i < proof.n; i++) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.9g", proof.length[i]);
        assert_true(strtod(digits, NULL) == proof.length[i]);
    }
    cw_proof_free(&proof);
}

/* Some lengths are 0, the others are over ORDERS orders of magnitude. */
static double *random_lengths(const struct cw_flow_problem *problem, struct cw_random *random, double orders)
{
    double *length = zeros(problem->net->n_channels, sizeof *length);
    for (uint32_t c = 0; c < problem->net->n_channels; c++)
        if (isfinite(problem->capacity[c]) && cw_random_unit(random) < 0.6)
            length[c] = pow(10, -orders * cw_random_unit(random));
    return length;
}

static void of_free_paths(void **state)
{
    (void)state;
    static const char *const patterns[] = {"alltoall", "overlap:2x8,1", "overlap:8x2,1"}; /* searches from either end */
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct cw_random random = cw_random_of(12, CW_STREAM_TEST, trial);
        struct scene *scene =
            trial < 20 ? scene_random(trial, 9, 20, 1) : scene_of("torus:4x4", patterns[trial % 3], NULL, 1);
        double *length = random_lengths(&scene->problem, &random, (double)(trial % 4) * 3);
        agrees(&scene->problem, length, trial);
        free(length);
        scene_free(scene);
    }
}

/* Two endpoints with a cable of their own, and one each to a switch. */
static void of_a_direct_cable(void **state)
{
    (void)state;
    struct scene *scene = zeros(1, sizeof *scene);
    struct cw_builder *builder = cw_builder_new(2, 1, 0);
    cw_builder_cable(builder, 0, 0, 2, 0, 1, 0);
    cw_builder_cable(builder, 1, 0, 2, 0, 1, 0);
    cw_builder_cable(builder, 0, 0, 1, 0, 3, 0);
    must(cw_builder_finish(builder, &scene->net));
    must(cw_demands_add(&scene->demands, 0, 1, 100));
    must(cw_flow_problem_make(scene->net, &scene->demands, 1, NULL, 0, &scene->problem));
    double *length = zeros(scene->net->n_channels, sizeof *length);
    for (uint32_t c = 0; c < scene->net->n_channels; c++)
        length[c] = scene->net->tail[c] != 0 ? 0 : scene->net->head[c] == 1 ? 0.5 : 1;
    agrees(&scene->problem, length, 0);
    struct cw_proof proof = {0};
    must(cw_proof_make(&scene->problem, length, 1, &proof));
    assert_digits(proof.bound, (1 + 3 * 0.5) / 3 / 0.5, 12, "the direct cable is the shorter way");
    cw_proof_free(&proof);
    free(length);
    cw_flow_problem_free(&scene->problem);
    cw_demands_free(&scene->demands);
    cw_network_free(scene->net);
    free(scene);
}

static void of_legs(void **state)
{
    (void)state;
    static const char *const networks[] = {"xgft:2:3,3:1,2", "dragonfly:1,2,1", "torus:3x3"};
    for (uint64_t trial = 0; trial < 24; trial++) {
        struct cw_random random = cw_random_of(13, CW_STREAM_TEST, trial);
        struct scene *scene = scene_of(networks[trial % 3], "alltoall", NULL, 1);
        struct cw_routes *other = NULL;
        struct cw_selection relays = {.n = 3, .endpoints = (uint32_t[]){0, 2, 3}};
        must(cw_engine_route(scene->net, "random-minimal", 7, 1, &other));
        const struct cw_routes *const routes[] = {scene->routes, other};
        const struct cw_legs_setup setup = {.relays = trial % 4 > 0 ? &relays : NULL,
                                            .max_relays = (uint32_t)(trial % 4),
                                            .routes = routes,
                                            .n_routes = 1 + trial % 2};
        struct cw_legs *legs = NULL;
        struct cw_flow_problem problem;
        must(cw_legs_make(scene->net, &scene->demands, &setup, 1, &legs));
        must(cw_flow_problem_make_on_legs(legs, &scene->demands, 1, NULL, 0, &problem));
        double *length = random_lengths(&problem, &random, 3);
        agrees(&problem, length, trial);
        free(length);
        cw_flow_problem_free(&problem);
        cw_legs_free(legs);
        cw_routes_free(other);
        scene_free(scene);
    }
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static void assert_ends(const struct cw_flow_problem *problem, const struct cw_proof *proof)
{
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        bool verified = false;
        must(cw_proof_verify_until(problem, proof, n_threads, INFINITY, &verified));
        assert_true(verified);
        must(cw_proof_verify_until(problem, proof, n_threads, cw_stopwatch_now() - 1, &verified));
        assert_false(verified);
        cw_interrupt();
        assert_int_equal(cw_proof_verify_until(problem, proof, n_threads, INFINITY, &verified), CW_EINTERRUPTED);
        cw_interrupt_clear();
        struct cw_proof forged = *proof;
        forged.bound *= 1 - 1e-6;
        assert_int_equal(cw_proof_verify_until(problem, &forged, n_threads, INFINITY, &verified), CW_EINTERNAL);
    }
}

/* The check ends at its deadline, and when it is told to, on any number of threads: then nothing is verified. */
static void verified_in_time(void **state)
{
    (void)state;
    struct scene *scene = scene_random(3, 9, 20, 1);
    struct cw_plan plan = plan_by(scene, "optimum");
    assert_true(plan.proof.verified);
    assert_ends(&scene->problem, &plan.proof);
    cw_plan_free(&plan);
    scene_free(scene);
    for (uint32_t max_relays = 0; max_relays < 3; max_relays++) {
        struct leg_scene *on_legs = leg_scene_random(6 + max_relays, max_relays);
        plan = plan_by(on_legs->base, "optimum");
        assert_ends(&on_legs->base->problem, &plan.proof);
        cw_plan_free(&plan);
        leg_scene_free(on_legs);
    }
}

/* Who proves a bound over all paths gives the lengths. Those of a bound over given paths may prove one over all. */
static void of_methods(void **state)
{
    (void)state;
    unsigned proofs = 0; /* optimum's, approx's and auto's are 18 */
    for (uint64_t trial = 0; trial < 6; trial++) {
        struct scene *scene = scene_random(trial, 6, 12, 2);
        struct cw_plan best = plan_by(scene, "optimum");
        for (size_t m = 0; cw_methods[m]; m++) {
            if (!accepts(scene, cw_methods[m])) continue;
            struct cw_plan plan = plan_by(scene, cw_methods[m]->name);
            if (isnan(plan.bound)) assert_int_equal(plan.proof.n, 0);
            if (!cw_methods[m]->needs_paths && !isnan(plan.bound))
                assert_true(plan.proof.n > 0 && plan.proof.bound == plan.bound);
            if (plan.proof.n > 0)
                assert_true(plan.proof.bound >= best.z && plan.proof.bound >= plan.bound * (1 - 1e-8));
            proofs += plan.proof.n > 0;
            cw_plan_free(&plan);
        }
        assert_true(best.proof.bound <= best.z * (1 + 1e-6));
        cw_plan_free(&best);
        scene_free(scene);
    }
    assert_true(proofs > 18); /* some of lp's prove something for all paths */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(outlives_failures),
                                       cmocka_unit_test(no_lengths_prove_nothing),
                                       cmocka_unit_test(forged_lengths),
                                       cmocka_unit_test(of_free_paths),
                                       cmocka_unit_test(of_a_direct_cable),
                                       cmocka_unit_test(of_legs),
                                       cmocka_unit_test(verified_in_time),
                                       cmocka_unit_test(of_methods)};
    return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
