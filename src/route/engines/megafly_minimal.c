/*
 * Minimal routing of Megafly: up to a spine, over a global channel to the destination's group, and down (Flajslik et
 * al., ISC 2018). Up, across and down is an order of channels that no route goes against: one lane is free of deadlock.
 * Of several spines, and of several channels to a group, the destination chooses.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/megafly_globals.h"
#include "route/engines/minimal_tables.h"
#include "route/fast_divide.h"
#include "route/routes_internal.h"

static const char name[] = "megafly-minimal";
static const char what[] = "routes of a Megafly";

#define LONGEST 5 /* host, up, across, down, host */

static uint32_t by_destination(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_megafly *shape = &net->shape.megafly;
    const bool spine = v >= net->n_endpoints && (v - net->n_endpoints) % (shape->l + shape->s) >= shape->l;
    return channels[(spine ? dst / shape->s : dst) % n];
}

static int make_tables(const struct cw_network *net, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *routes;
    const int rc = cw_minimal_tables(net, name, by_destination, (void *)(uintptr_t)net, n_threads, &routes);
    if (rc) return rc;
    if (cw_routes_max_hops(routes) > LONGEST) {
        cw_routes_free(routes);
        return cw_fail(CW_EUSAGE, "megafly-minimal: two groups are not joined by a global channel");
    }
    *out = routes;
    return 0;
}

/* --- closed form -------------------------------------------------------------------------------------------------- */

struct megafly {
    const struct cw_network *net;
    struct cw_megafly shape;
    uint32_t all;                                /* switches of a group */
    struct cw_divisor endpoints, leaves, spines; /* division by p, l and s */
    struct cw_megafly_globals globals;
};

static void megafly_free(void *state)
{
    struct megafly *megafly = state;
    cw_megafly_globals_free(&megafly->globals);
    free(megafly);
}

static inline uint32_t leaf_at(const struct megafly *megafly, uint32_t group, uint32_t i)
{
    return megafly->net->first[megafly->net->n_endpoints + group * megafly->all + i];
}

static inline uint32_t spine_at(const struct megafly *megafly, uint32_t group, uint32_t j)
{
    return leaf_at(megafly, group, megafly->shape.l + j);
}

/* The place in `global` of the channel to DST between two groups, whose place in pairs of groups is PAIR. */
static inline uint32_t pick(const struct megafly *megafly, size_t pair, uint32_t dst)
{
    const struct cw_megafly_globals *globals = &megafly->globals;
    const uint32_t *joint = globals->joint + pair, *spines = globals->spines + pair;
    if (joint[1] - joint[0] == 1) return joint[0];
    const uint32_t *bundle = globals->bundle + spines[0] + dst % (spines[1] - spines[0]);
    return bundle[0] + cw_fast_divide(dst, megafly->spines) % (bundle[1] - bundle[0]);
}

static uint32_t megafly_path(const void *state, uint32_t src, uint32_t dst, uint32_t *channels)
{
    const struct megafly *megafly = state;
    const struct cw_network *net = megafly->net;
    const struct cw_megafly *shape = &megafly->shape;
    if (src == dst) return 0;
    const uint32_t from = cw_fast_divide(src, megafly->endpoints), to = cw_fast_divide(dst, megafly->endpoints);
    const uint32_t group = cw_fast_divide(from, megafly->leaves), target = cw_fast_divide(to, megafly->leaves);
    const uint32_t up = leaf_at(megafly, group, from - group * shape->l) + shape->p, leaf = to - target * shape->l;
    uint32_t n = 0;
    channels[n++] = net->first[src];
    if (group != target) {
        const uint32_t channel = megafly->globals.global[pick(megafly, (size_t)group * shape->g + target, dst)];
        channels[n++] = up + net->tail[channel] - (net->n_endpoints + group * megafly->all + shape->l);
        channels[n++] = channel;
        channels[n++] = net->first[net->head[channel]] + leaf;
    } else if (from != to) {
        const uint32_t j = dst - cw_fast_divide(dst, megafly->spines) * shape->s;
        channels[n++] = up + j;
        channels[n++] = spine_at(megafly, group, j) + leaf;
    }
    channels[n++] = leaf_at(megafly, target, leaf) + dst - to * shape->p;
    return n;
}

static int megafly_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                         uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    (void)lanes;
    return cw_formula_each(megafly_path, state, n, src, dst, hops, channels, stride);
}

static int megafly_tables(const void *state, unsigned n_threads, struct cw_routes **out)
{
    return make_tables(((const struct megafly *)state)->net, n_threads, out);
}

/* --- all routes at once ------------------------------------------------------------------------------------------- */

/* Adds N routes to DST from each leaf of GROUP but BUT (which may be none of it) up to spine J, and on by NEXT. */
static void add_leaves(const struct megafly *megafly, struct cw_survey *survey, uint32_t group, uint32_t but,
                       uint32_t j, uint32_t next, uint64_t n)
{
    const uint32_t l = megafly->shape.l, p = megafly->shape.p;
    for (uint32_t i = 0; i < l; i++) {
        const uint32_t up = leaf_at(megafly, group, i) + p + j;
        if (i == but) continue;
        cw_survey_load(survey, up, n * p);
        cw_survey_edge(survey, megafly->net->first[(group * l + i) * p], 0, up, 0);
        cw_survey_edge(survey, up, 0, next, 0);
    }
}

/* N routes to DST come down from a spine by CHANNEL. */
static void add_end(const struct megafly *megafly, struct cw_survey *survey, uint32_t channel, uint32_t dst, uint64_t n)
{
    cw_survey_load(survey, channel, n);
    cw_survey_edge(survey, channel, 0, megafly->net->twin[megafly->net->first[dst]], 0);
}

static void add_group(const struct megafly *megafly, struct cw_survey *survey, uint32_t group)
{
    const uint32_t l = megafly->shape.l, p = megafly->shape.p;
    for (uint32_t dst = group * l * p; dst < (group + 1) * l * p; dst++) {
        const uint32_t leaf = dst / p % l, j = dst % megafly->shape.s, down = spine_at(megafly, group, j) + leaf;
        cw_survey_edge(survey, megafly->net->first[dst / p * p], 0, megafly->net->twin[megafly->net->first[dst]], 0);
        add_leaves(megafly, survey, group, leaf, j, down, 1);
        if (l > 1) add_end(megafly, survey, down, dst, (uint64_t)(l - 1) * p);
    }
}

/* Between two groups. USED has room for a number for each channel between them, all 0. */
static void add_pair(const struct megafly *megafly, struct cw_survey *survey, uint32_t group, uint32_t target,
                     uint32_t *used)
{
    const struct cw_network *net = megafly->net;
    const size_t pair = (size_t)group * megafly->shape.g + target;
    const uint32_t l = megafly->shape.l, p = megafly->shape.p, *joint = megafly->globals.joint + pair;
    for (uint32_t dst = target * l * p; dst < (target + 1) * l * p; dst++) {
        const uint32_t at = pick(megafly, pair, dst), channel = megafly->globals.global[at];
        const uint32_t down = net->first[net->head[channel]] + dst / p % l;
        used[at - joint[0]]++;
        cw_survey_edge(survey, channel, 0, down, 0);
        add_end(megafly, survey, down, dst, (uint64_t)l * p);
    }
    for (uint32_t i = joint[0]; i < joint[1]; i++) {
        const uint32_t channel = megafly->globals.global[i], n = used[i - joint[0]];
        const uint32_t j = net->tail[channel] - (net->n_endpoints + group * megafly->all + l);
        used[i - joint[0]] = 0;
        if (n == 0) continue;
        cw_survey_load(survey, channel, (uint64_t)n * l * p);
        add_leaves(megafly, survey, group, CW_NONE, j, channel, n);
    }
}

static int megafly_survey(const void *state, struct cw_survey *survey)
{
    const struct megafly *megafly = state;
    const struct cw_megafly *shape = &megafly->shape;
    const uint64_t n = megafly->net->n_endpoints, leaf = shape->p, group = leaf * shape->l;
    uint32_t *used = cw_new_array((size_t)shape->s * shape->h + 1, sizeof *used, what);
    if (!used) return CW_ENOMEM;
    for (uint32_t i = 0; i < shape->g; i++) {
        add_group(megafly, survey, i);
        for (uint32_t j = 0; j < shape->g; j++)
            if (i != j) add_pair(megafly, survey, i, j, used);
    }
    free(used);
    cw_survey_hosts(survey, megafly->net);
    if (survey->load) {
        cw_survey_routes(survey, n * (leaf - 1), 2);
        cw_survey_routes(survey, n * (group - leaf), 4);
        cw_survey_routes(survey, n * (n - group), 5);
    }
    survey->minimal = n * (n - 1);
    return 0;
}

static bool megafly_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)state;
    return !survey->selection;
}

static const struct cw_formula formula = {.name = name,
                                          .paths = megafly_paths,
                                          .can_survey = megafly_can_survey,
                                          .survey = megafly_survey,
                                          .make_tables = megafly_tables,
                                          .free_state = megafly_free};

/* --- compiling ---------------------------------------------------------------------------------------------------- */

static int megafly_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                           struct cw_routes **out)
{
    (void)values, (void)seed;
    const struct cw_megafly *shape = &net->shape.megafly;
    uint32_t from, to;
    int rc = cw_network_check_shape(net);
    if (rc) return rc;
    struct megafly *megafly = cw_new_array(1, sizeof *megafly, what);
    if (!megafly) return CW_ENOMEM;
    *megafly = (struct megafly){.net = net,
                                .shape = *shape,
                                .all = shape->l + shape->s,
                                .endpoints = cw_divisor_of(shape->p),
                                .leaves = cw_divisor_of(shape->l),
                                .spines = cw_divisor_of(shape->s)};
    rc = cw_megafly_globals_new(net, &megafly->globals);
    if (rc || cw_megafly_not_joined(&megafly->globals, &from, &to)) {
        megafly_free(megafly);
        return rc ? rc : make_tables(net, n_threads, out);
    }
    const uint32_t max_hops = shape->g > 1 ? 5 : shape->l > 1 ? 4 : 2;
    return cw_routes_from_formula(net, &formula, megafly, max_hops, 1, true, out);
}

const struct cw_engine cw_engine_megafly_minimal = {
    .name = "megafly-minimal",
    .help = "Megafly (Dragonfly+): up to a spine, across to the destination's group, and down",
    .needs = "a Megafly made by the generator",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_megafly,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .compile = megafly_compile};
