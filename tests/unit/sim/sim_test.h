/* What the tests of simulators share: things made from specifications, or the test fails with the message. */
#ifndef CW_TESTS_SIM_TEST_H
#define CW_TESTS_SIM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "route/engine.h"
#include "route/routes.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/schedule.h"

/* A routed network. */
struct test_fabric {
    struct cw_network *net;
    struct cw_routes *routes;
};

static inline struct test_fabric open_fabric(const char *spec, const char *engine)
{
    struct test_fabric fabric = {0};
    if (cw_topology_build(spec, &fabric.net)) fail_msg("%s: %s", spec, cw_error_message());
    if (cw_engine_route(fabric.net, engine, 1, 1, &fabric.routes)) fail_msg("%s: %s", spec, cw_error_message());
    return fabric;
}

static inline void close_fabric(struct test_fabric *fabric)
{
    cw_routes_free(fabric->routes);
    cw_network_free(fabric->net);
}

static inline struct cw_schedule *open_schedule(const char *spec)
{
    struct cw_schedule *schedule = NULL;
    if (cw_schedule_new(spec, &schedule)) fail_msg("%s: %s", spec, cw_error_message());
    return schedule;
}

/* A schedule may refuse numbers of ranks. */
static inline bool is_defined(const struct cw_schedule *schedule, uint32_t n)
{
    uint32_t rounds, blocks;
    return cw_schedule_plan(schedule, n, &rounds, &blocks) == 0;
}

static inline struct cw_pattern *open_pattern(const char *spec)
{
    struct cw_pattern *pattern = NULL;
    if (cw_pattern_new(spec, NULL, &pattern)) fail_msg("%s: %s", spec, cw_error_message());
    return pattern;
}

static inline struct cw_placement *open_placement_among(const char *spec, const struct cw_network *net,
                                                        const struct cw_selection *selection)
{
    struct cw_placement *placement = NULL;
    if (cw_placement_new(spec, net, selection, &placement)) fail_msg("%s: %s", spec, cw_error_message());
    return placement;
}

static inline struct cw_placement *open_placement(const char *spec, const struct cw_network *net)
{
    return open_placement_among(spec, net, NULL);
}

static inline void *new_array(size_t n, size_t size)
{
    void *items = calloc(n > 0 ? n : 1, size);
    assert_non_null(items);
    return items;
}

/* Adds the message SRC → DST to COUNT, walking it hop by hop. Returns its hops. */
static inline uint32_t count_walk(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t *count)
{
    struct cw_walk walk = {0};
    struct cw_hop hop;
    assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
    while (cw_walk_candidates(&walk, &hop, 1) == 1) {
        count[hop.channel]++;
        cw_walk_take(&walk, hop);
    }
    assert_int_equal(walk.vertex, dst);
    const uint32_t hops = walk.hops;
    cw_walk_end(&walk);
    return hops;
}

/* The greatest of a[c] + b[c] on the walk SRC → DST; B may be NULL. */
static inline uint32_t greatest_on_walk(const struct cw_routes *routes, uint32_t src, uint32_t dst, const uint32_t *a,
                                        const uint32_t *b)
{
    struct cw_walk walk = {0};
    struct cw_hop hop;
    uint32_t greatest = 0;
    assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
    while (cw_walk_candidates(&walk, &hop, 1) == 1) {
        const uint32_t here = a[hop.channel] + (b ? b[hop.channel] : 0);
        if (here > greatest) greatest = here;
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
    return greatest;
}

static inline void assert_close(double is, double expected, const char *what)
{
    if (!(fabs(is - expected) <= 1e-12 * fabs(expected))) fail_msg("%s is %.17g, expected %.17g", what, is, expected);
}

#endif
