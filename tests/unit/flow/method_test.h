/* What the tests of methods share: problems, named or random, with everything a method may want. */
#ifndef CW_TESTS_METHOD_TEST_H
#define CW_TESTS_METHOD_TEST_H

#include "../one_way_network.h"
#include "demand_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "flow/method.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/engine.h"

struct scene {
    struct cw_network *net;
    struct cw_demands demands;
    struct cw_flow_problem problem;
    struct cw_routes *routes;
    struct cw_k_paths paths;
    struct cw_method_setup setup;
};

/* Completes a scene that has its network and demands. ENGINE may be NULL: the network's default. */
static inline void scene_begin(struct scene *scene, const char *engine, uint32_t k, enum cw_ties ties,
                               const uint32_t *failed, size_t n_failed)
{
    const struct cw_k_paths_setup paths = {.k = k, .ties = ties};
    must(cw_flow_problem_make(scene->net, &scene->demands, host_limit_of(scene->net), failed, n_failed,
                              &scene->problem));
    must(cw_engine_route(scene->net, engine, 1, 1, &scene->routes));
    must(cw_k_paths_find(&scene->problem, &paths, 1, &scene->paths));
    scene->setup = (struct cw_method_setup){
        .routes = scene->routes, .paths = &scene->paths, .k = k, .maxload = 16, .epsilon = 0.01, .n_threads = 1};
}

static inline struct scene *scene_of(const char *network, const char *pattern, const char *engine, uint32_t k)
{
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of(network);
    scene->demands = pattern_of(scene->net, pattern);
    scene_begin(scene, engine, k, CW_TIES_PENALISED, NULL, 0);
    return scene;
}

/* N_DEMANDS random demands of 1 to 1000 bytes among the endpoints of SCENE's network. */
static inline void scene_draw(struct scene *scene, struct cw_random *random, uint32_t n_demands, uint32_t k)
{
    const uint32_t n = scene->net->n_endpoints;
    while (scene->demands.n < n_demands) {
        const uint32_t src = cw_random_below(random, n), dst = cw_random_below(random, n);
        if (src != dst) must(cw_demands_add(&scene->demands, src, dst, 1 + cw_random_below(random, 1000)));
    }
    scene_begin(scene, "minhop", k, CW_TIES_DISJOINT, NULL, 0);
}

/* On a network in which cables work in one direction only. */
static inline struct scene *scene_one_way(uint64_t trial, uint32_t n_switches, uint32_t n_demands, uint32_t k)
{
    struct cw_random random = cw_random_of(11, CW_STREAM_TEST, trial);
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = one_way_random(trial, n_switches, false);
    scene_draw(scene, &random, n_demands, k);
    return scene;
}

/* A random connected network: a tree of switches and some cables more, parallel ones among them, capacities 1 to 4, an
 * endpoint on each switch and some on two; and N_DEMANDS random demands of 1 to 1000 bytes. */
static inline struct scene *scene_random(uint64_t trial, uint32_t n_switches, uint32_t n_demands, uint32_t k)
{
    struct cw_random random = cw_random_of(11, CW_STREAM_TEST, trial);
    struct scene *scene = zeros(1, sizeof *scene);
    struct cw_builder *builder = cw_builder_new(n_switches, n_switches, 0);
    for (uint32_t s = 0; s < n_switches; s++) {
        cw_builder_cable(builder, s, 0, n_switches + s, 0, 4, 0);
        if (cw_random_below(&random, 4) == 0)
            cw_builder_cable(builder, s, 0, n_switches + (s + 1) % n_switches, 0, 1, 0);
    }
    for (uint32_t i = 1; i < 2 * n_switches; i++) {
        const uint32_t a = i < n_switches ? i : cw_random_below(&random, n_switches);
        const uint32_t b = cw_random_below(&random, i < n_switches ? i : n_switches);
        const double capacity = 1 + cw_random_below(&random, 4);
        if (a != b) cw_builder_cable(builder, n_switches + a, 0, n_switches + b, 0, capacity, 0);
    }
    must(cw_builder_finish(builder, &scene->net));
    scene_draw(scene, &random, n_demands, k);
    return scene;
}

static inline void scene_free(struct scene *scene)
{
    cw_k_paths_free(&scene->paths);
    cw_routes_free(scene->routes);
    cw_flow_problem_free(&scene->problem);
    cw_demands_free(&scene->demands);
    cw_network_free(scene->net);
    free(scene);
}

static inline bool accepts(const struct scene *scene, const struct cw_method *method)
{
    return !method->accepts || method->accepts(&scene->problem);
}

static inline struct cw_plan plan_by(const struct scene *scene, const char *method)
{
    struct cw_plan plan = {0};
    must(cw_method_solve(cw_method_find(method), &scene->problem, &scene->setup, &plan));
    return plan;
}

/* Equal to N digits behind the point, as references are given. */
static inline void assert_digits(double value, double expected, int digits, const char *what)
{
    if (!(fabs(value - expected) <= 0.5 * pow(10, -digits) + 1e-9))
        fail_msg("%s: %.9g is not %g", what, value, expected);
}

#define SLACK 1e-9

static inline void at_most(double less, double more, const char *what, size_t i)
{
    if (!(less <= more * (1 + SLACK))) fail_msg("case %zu, %s: %.12g is above %.12g", i, what, less, more);
}

static inline void assert_fails(const struct scene *scene, const char *method, const char *message)
{
    struct cw_plan plan = {.z = 42};
    assert_int_equal(cw_method_solve(cw_method_find(method), &scene->problem, &scene->setup, &plan), CW_EUSAGE);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
    assert_true(plan.z == 42);
}

#endif
