/* What the tests of legs share: random scenes whose paths consist of legs. */
#ifndef CW_TESTS_LEGS_TEST_H
#define CW_TESTS_LEGS_TEST_H

#include <stdio.h>

#include "method_test.h"

#include "flow/legs/legs.h"
#include "net/network_internal.h"

#define MOST_WAYS 3

struct leg_scene {
    struct scene *base; /* its problem is replaced by one on legs */
    struct cw_routes *ways[MOST_WAYS];
    struct cw_selection relays;
    struct cw_legs *legs;
};

/* Replaces the problem and the paths of BASE, which it takes over, by those on legs: N_WAYS of the routes of ENGINE, or
 * of random shortest ones if it is NULL, or, ADAPTIVE, all there are, and relays at the endpoints of RELAYS. */
static inline struct leg_scene *leg_scene_as(struct scene *base, const char *engine, size_t n_ways, bool adaptive,
                                             struct cw_selection relays, uint32_t max_relays)
{
    struct leg_scene *scene = zeros(1, sizeof *scene);
    const struct cw_k_paths_setup wanted = {.k = base->setup.k, .ties = CW_TIES_DISJOINT};
    scene->base = base;
    scene->relays = relays;
    for (size_t i = 0; i < n_ways; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "random-minimal:lid=%zu", i);
        must(cw_engine_route(base->net, engine ? engine : spec, 1, 1, &scene->ways[i]));
    }
    const struct cw_legs_setup setup = {.relays = &scene->relays,
                                        .max_relays = max_relays,
                                        .routes = (const struct cw_routes *const *)scene->ways,
                                        .n_routes = n_ways,
                                        .adaptive = adaptive};
    must(cw_legs_make(base->net, &base->demands, &setup, 2, &scene->legs));
    cw_flow_problem_free(&base->problem);
    must(cw_flow_problem_make_on_legs(scene->legs, &base->demands, 0, NULL, 0, &base->problem));
    cw_k_paths_free(&base->paths);
    must(cw_k_paths_find(&base->problem, &wanted, 1, &base->paths));
    base->setup.routes = scene->ways[0];
    return scene;
}

static inline struct leg_scene *leg_scene_of(struct scene *base, size_t n_ways, struct cw_selection relays,
                                             uint32_t max_relays)
{
    return leg_scene_as(base, NULL, n_ways, false, relays, max_relays);
}

/* A random network, with cables of one direction if ONE_WAY, every second endpoint or so a relay, every third one
 * adaptive. */
static inline struct leg_scene *leg_scene_draw(uint64_t trial, uint32_t max_relays, bool one_way)
{
    struct cw_random random = cw_random_of(12, CW_STREAM_TEST, trial);
    const uint32_t n = 4 + (uint32_t)trial % 5, n_demands = 3 + (uint32_t)trial % 6;
    struct scene *base = one_way ? scene_one_way(trial, n, n_demands, 4) : scene_random(trial, n, n_demands, 4);
    struct cw_selection relays = {.endpoints = zeros(base->net->n_endpoints, sizeof(uint32_t))};
    for (uint32_t e = 0; e < base->net->n_endpoints; e++)
        if (cw_random_below(&random, 3) > 0) relays.endpoints[relays.n++] = e;
    return leg_scene_as(base, NULL, 1 + trial % MOST_WAYS, trial / 3 % 3 == 2, relays, max_relays);
}

static inline struct leg_scene *leg_scene_random(uint64_t trial, uint32_t max_relays)
{
    return leg_scene_draw(trial, max_relays, false);
}

static inline void leg_scene_free(struct leg_scene *scene)
{
    scene_free(scene->base);
    cw_legs_free(scene->legs);
    for (size_t i = 0; i < MOST_WAYS; i++) cw_routes_free(scene->ways[i]);
    free(scene->relays.endpoints);
    free(scene);
}

#endif
