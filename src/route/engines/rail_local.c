/*
 * Minimal routing of rail clusters: within the source's node over NVLink to the rail of the destination's GPU, along
 * that rail, and by a spine only between pods, as collective libraries send on rail-optimised clusters. Up from the
 * node to a spine at most and down again: one lane is free of deadlock. The spine is that of the destination's node.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"
#include "route/fast_divide.h"
#include "route/routes_internal.h"

static const char name[] = "rail-local";

/* Ways up from a node, and down from a spine, are in order of rails. */
static uint32_t rail_of_destination(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_rail *shape = &net->shape.rail;
    const bool leaf = v >= net->n_endpoints + shape->n && v < net->n_endpoints + shape->n + shape->l * shape->r;
    return channels[(leaf ? dst / shape->g : dst % shape->g) % n];
}

static int make_tables(const struct cw_network *net, unsigned n_threads, struct cw_routes **out)
{
    return cw_minimal_tables(net, name, rail_of_destination, (void *)(uintptr_t)net, n_threads, out);
}

/* --- closed form -------------------------------------------------------------------------------------------------- */

struct rail {
    const struct cw_network *net;
    struct cw_rail shape;
    uint32_t m;                   /* nodes of a pod */
    struct cw_divisor gpus, pods; /* division by g and by m */
};

/* The first channel of a node, of the leaf of RAIL in POD, and of a spine. */
static inline uint32_t node_at(const struct rail *rail, uint32_t node)
{
    return rail->net->first[rail->net->n_endpoints + node];
}

static inline uint32_t leaf_at(const struct rail *rail, uint32_t pod, uint32_t j)
{
    return node_at(rail, rail->shape.n + pod * rail->shape.r + j);
}

static inline uint32_t spine_at(const struct rail *rail, uint32_t k)
{
    return node_at(rail, rail->shape.n + rail->shape.l * rail->shape.r + k);
}

static uint32_t rail_path(const void *state, uint32_t src, uint32_t dst, uint32_t *channels)
{
    const struct rail *rail = state;
    const struct cw_rail *shape = &rail->shape;
    if (src == dst) return 0;
    const uint32_t from = cw_fast_divide(src, rail->gpus), to = cw_fast_divide(dst, rail->gpus);
    const uint32_t gpu = dst - to * shape->g, j = gpu % shape->r;
    uint32_t n = 0;
    channels[n++] = rail->net->first[src];
    if (from != to) {
        const uint32_t pod = cw_fast_divide(from, rail->pods), target = cw_fast_divide(to, rail->pods);
        channels[n++] = node_at(rail, from) + shape->g + j;
        if (pod != target) {
            const uint32_t k = to % shape->s;
            channels[n++] = leaf_at(rail, pod, j) + rail->m + k;
            channels[n++] = spine_at(rail, k) + target * shape->r + j;
        }
        channels[n++] = leaf_at(rail, target, j) + to - target * rail->m;
    }
    channels[n++] = node_at(rail, to) + gpu;
    return n;
}

static int rail_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                      uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    (void)lanes;
    return cw_formula_each(rail_path, state, n, src, dst, hops, channels, stride);
}

static int rail_tables(const void *state, unsigned n_threads, struct cw_routes **out)
{
    return make_tables(((const struct rail *)state)->net, n_threads, out);
}

/* --- all routes at once ------------------------------------------------------------------------------------------- */

/* GPUs of a node that are on rail J. */
static uint32_t gpus_on(const struct cw_rail *shape, uint32_t j)
{
    return shape->g / shape->r + (j < shape->g % shape->r);
}

/* Nodes of POD whose spine is K. */
static uint32_t nodes_by(const struct rail *rail, uint32_t pod, uint32_t k)
{
    const uint32_t s = rail->shape.s, before = pod * rail->m, end = before + rail->m;
    return (end + s - 1 - k) / s - (before + s - 1 - k) / s;
}

/* What comes down to NODE by its leaf of rail J, by CHANNEL: out of the node again, to the GPUs of the rail. */
static void add_ends(const struct rail *rail, struct cw_survey *survey, uint32_t node, uint32_t j, uint32_t channel)
{
    for (uint32_t gpu = j; gpu < rail->shape.g; gpu += rail->shape.r)
        cw_survey_edge(survey, channel, 0, node_at(rail, node) + gpu, 0);
}

/* Routes out of NODE of POD by rail J, and into it. */
static void add_node(const struct rail *rail, struct cw_survey *survey, uint32_t pod, uint32_t node, uint32_t j)
{
    const struct cw_rail *shape = &rail->shape;
    const uint64_t routes = (uint64_t)(shape->n - 1) * shape->g * gpus_on(shape, j);
    const uint32_t up = node_at(rail, node) + shape->g + j;
    const uint32_t leaf = leaf_at(rail, pod, j), down = leaf + node - pod * rail->m;
    cw_survey_load(survey, up, routes);
    cw_survey_load(survey, down, routes);
    cw_survey_edge(survey, rail->net->first[node * shape->g], 0, up, 0);
    for (uint32_t i = 0; i < rail->m; i++)
        if (leaf + i != down) cw_survey_edge(survey, up, 0, leaf + i, 0);
    for (uint32_t k = 0; k < shape->s; k++)
        if (shape->n / shape->s + (k < shape->n % shape->s) > nodes_by(rail, pod, k))
            cw_survey_edge(survey, up, 0, leaf + rail->m + k, 0);
    add_ends(rail, survey, node, j, down);
}

/* Routes by rail J and spine K that leave POD, and that come to it. */
static void add_spine(const struct rail *rail, struct cw_survey *survey, uint32_t pod, uint32_t j, uint32_t k)
{
    const struct cw_rail *shape = &rail->shape;
    const uint64_t n = gpus_on(shape, j), sources = (uint64_t)rail->m * shape->g, here = nodes_by(rail, pod, k);
    const uint64_t all = shape->n / shape->s + (k < shape->n % shape->s);
    const uint32_t leaf = leaf_at(rail, pod, j), up = leaf + rail->m + k, spine = spine_at(rail, k) + j;
    const uint32_t down = spine + pod * shape->r;
    cw_survey_load(survey, up, sources * n * (all - here));
    cw_survey_load(survey, down, (shape->l - 1) * sources * n * here);
    for (uint32_t target = 0; target < shape->l; target++)
        if (target != pod && nodes_by(rail, target, k) > 0) cw_survey_edge(survey, up, 0, spine + target * shape->r, 0);
    for (uint32_t i = 0; i < rail->m; i++)
        if ((pod * rail->m + i) % shape->s == k) cw_survey_edge(survey, down, 0, leaf + i, 0);
}

static int rail_survey(const void *state, struct cw_survey *survey)
{
    const struct rail *rail = state;
    const struct cw_rail *shape = &rail->shape;
    const uint64_t n = rail->net->n_endpoints, node = shape->g, pod = rail->m * node;
    for (uint32_t i = 0; i < shape->n; i++)
        for (uint32_t gpu = 0; gpu < shape->g; gpu++)
            cw_survey_edge(survey, rail->net->first[i * shape->g], 0, node_at(rail, i) + gpu, 0);
    for (uint32_t p = 0; p < shape->l; p++)
        for (uint32_t j = 0; j < shape->r && j < shape->g; j++) {
            for (uint32_t i = p * rail->m; i < (p + 1) * rail->m && shape->n > 1; i++) add_node(rail, survey, p, i, j);
            for (uint32_t k = 0; k < shape->s && shape->l > 1; k++) add_spine(rail, survey, p, j, k);
        }
    cw_survey_hosts(survey, rail->net);
    if (survey->load) {
        cw_survey_routes(survey, n * (node - 1), 2);
        cw_survey_routes(survey, n * (pod - node), 4);
        cw_survey_routes(survey, n * (n - pod), 6);
    }
    survey->minimal = n * (n - 1);
    return 0;
}

static bool rail_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)state;
    return !survey->selection;
}

static const struct cw_formula formula = {.name = name,
                                          .paths = rail_paths,
                                          .can_survey = rail_can_survey,
                                          .survey = rail_survey,
                                          .make_tables = rail_tables,
                                          .free_state = free};

/* --- compiling ---------------------------------------------------------------------------------------------------- */

static int rail_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)values, (void)seed;
    const struct cw_rail *shape = &net->shape.rail;
    const int rc = cw_network_check_shape(net);
    if (rc) return rc;
    if (shape->l > 1 && shape->s == 0) return make_tables(net, n_threads, out); /* pods that nothing joins */
    struct rail *rail = cw_new_array(1, sizeof *rail, "routes of a rail cluster");
    if (!rail) return CW_ENOMEM;
    const uint32_t m = shape->n / shape->l;
    *rail = (struct rail){net, *shape, m, cw_divisor_of(shape->g), cw_divisor_of(m)};
    return cw_routes_from_formula(net, &formula, rail, shape->l > 1 ? 6 : shape->n > 1 ? 4 : 2, 1, true, out);
}

const struct cw_engine cw_engine_rail_local = {
    .name = "rail-local",
    .help = "rail clusters: along the rail of the destination's GPU, through a spine between pods only",
    .needs = "a rail cluster made by the generator",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_rail,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .compile = rail_compile};
