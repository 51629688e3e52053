/*
 * Megafly (Dragonfly+): the generator, distances and the bisection by formula. The global channels of the spines are
 * wired as those of a dragonfly whose groups have as many switches (topo/dragonfly.h, palmtree).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/saturate.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/dragonfly.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

#define MAX_PORTS 65535

struct parameters {
    int64_t p, l, s, h, g;
};

#define COUNT(NAME, FIELD, HELP)                                                                                       \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = 1, .max = MAX_PORTS,     \
    .positional = true, .required = true, .help = HELP

static const struct cw_option options[] = {
    {COUNT("p", p, "endpoints of a leaf")},
    {COUNT("l", l, "leaves of a group, each connected to every spine of the group")},
    {COUNT("s", s, "spines of a group")},
    {COUNT("h", h, "global channels of a spine")},
    {.name = "g",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, g),
     .help = "groups, at most s*h+1 (0: that many); with fewer groups, pairs of groups have several global channels"},
    {.name = NULL}};

/* --- the generator ------------------------------------------------------------------------------------------------ */

static int shape_of(const struct parameters *parameters, struct cw_megafly *out)
{
    const int64_t most = parameters->s * parameters->h + 1;
    if (parameters->g < 0 || parameters->g > most)
        return cw_fail(CW_EUSAGE,
                       "megafly: %" PRId64 " groups; %" PRId64 " spines with %" PRId64
                       " global channels each can join at least 1 and at most %" PRId64 " groups",
                       parameters->g, parameters->s, parameters->h, most);
    const int64_t leaf = parameters->p + parameters->s, spine = parameters->l + parameters->h;
    if (leaf > MAX_PORTS || spine > MAX_PORTS)
        return cw_fail(CW_EUSAGE, "megafly: switches of %" PRId64 " ports; at most %d are possible",
                       leaf > spine ? leaf : spine, MAX_PORTS);
    *out = (struct cw_megafly){.p = (uint32_t)parameters->p,
                               .l = (uint32_t)parameters->l,
                               .s = (uint32_t)parameters->s,
                               .h = (uint32_t)parameters->h,
                               .g = (uint32_t)(parameters->g ? parameters->g : most)};
    return 0;
}

/* The dragonfly whose global channels those of the spines are. */
static struct cw_dragonfly spines_of(const struct cw_megafly *shape)
{
    return (struct cw_dragonfly){.p = 1, .a = shape->s, .h = shape->h, .g = shape->g};
}

static uint64_t cables(const struct cw_megafly *shape)
{
    const struct cw_dragonfly spines = spines_of(shape), alone = {.p = 1, .a = shape->s, .h = shape->h, .g = 1};
    const uint64_t all = cw_dragonfly_cables(&spines), within = cw_dragonfly_cables(&alone);
    const uint64_t local = cw_saturating_multiply(shape->l, (uint64_t)shape->p + shape->s);
    /* A dragonfly's cables but for those within its groups, and a group's own. */
    return all == UINT64_MAX ? all
                             : cw_saturating_add(all - shape->g * within, cw_saturating_multiply(shape->g, local));
}

static void add_group(struct cw_builder *builder, const struct cw_megafly *shape, const struct cw_link *link,
                      const struct cw_dragonfly_wiring *wiring, uint32_t group)
{
    const uint32_t p = shape->p, l = shape->l, all = l + shape->s, n = shape->g * l * p, first = n + group * all;
    for (uint32_t leaf = 0; leaf < l; leaf++) {
        for (uint32_t i = 0; i < p; i++)
            cw_builder_cable(builder, (group * l + leaf) * p + i, 1, first + leaf, i + 1, link->capacity,
                             link->latency);
        for (uint32_t spine = 0; spine < shape->s; spine++)
            cw_builder_cable(builder, first + leaf, p + spine + 1, first + l + spine, leaf + 1, link->capacity,
                             link->latency);
    }
    for (uint32_t q = 0; q < wiring->used; q++) {
        const uint32_t far = wiring->far[group * wiring->used + q], r = far % wiring->used;
        const uint32_t far_group = far / wiring->used;
        if (far_group < group) continue;
        cw_builder_cable(builder, first + l + q / shape->h, l + q % shape->h + 1,
                         n + far_group * all + l + r / shape->h, l + r % shape->h + 1, link->capacity, link->latency);
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = &cw_shape_megafly};
    int rc = shape_of(values, &shape.megafly);
    if (rc) return rc;
    const struct cw_dragonfly spines = spines_of(&shape.megafly);
    struct cw_builder *builder =
        cw_builder_new(cw_shape_endpoints(&shape), cw_shape_switches(&shape), cables(&shape.megafly));
    struct cw_dragonfly_wiring wiring = {0};
    cw_builder_shape(builder, &shape);
    if (!cw_builder_failed(builder)) rc = cw_dragonfly_wire(&spines, &wiring);
    if (rc) cw_builder_fail(builder, rc);
    for (uint32_t group = 0; group < shape.megafly.g && !cw_builder_failed(builder); group++)
        add_group(builder, &shape.megafly, link, &wiring, group);
    cw_dragonfly_wiring_free(&wiring);
    return cw_builder_finish(builder, net);
}

/* --- formulas ----------------------------------------------------------------------------------------------------- */

/* Channels that join each two groups of NET: the fewest and the most. */
static int count_joints(const struct cw_network *net, uint32_t *least, uint32_t *most)
{
    const struct cw_megafly *shape = &net->shape.megafly;
    const uint32_t n = net->n_endpoints, all = shape->l + shape->s;
    uint32_t *joints = cw_new_array(shape->g, sizeof *joints, "joints of groups");
    if (!joints) return CW_ENOMEM;
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t i = 0; i < shape->g; i++) {
        memset(joints, 0, shape->g * sizeof *joints);
        for (uint32_t c = net->first[n + i * all]; c < net->first[n + (i + 1) * all]; c++)
            if (cw_network_is_global(net, c)) joints[(net->head[c] - n) / all]++;
        for (uint32_t j = 0; j < shape->g; j++) {
            if (i == j) continue;
            if (joints[j] < *least) *least = joints[j];
            if (joints[j] > *most) *most = joints[j];
        }
    }
    free(joints);
    return 0;
}

/* Leaves of one group are two hops apart, by a spine; of two groups three, if there is a channel between these. */
static int distances(const struct cw_network *net, const struct cw_shape *whole, struct cw_distances *out)
{
    const struct cw_megafly *shape = &whole->megafly;
    const double p = shape->p, l = shape->l, g = shape->g, others = g * l * p - 1;
    uint32_t least, most;
    const int rc = count_joints(net, &least, &most);
    if (rc) return rc;
    if (least == 0) return cw_fail(CW_EUSAGE, "distances in a Megafly with groups that are not joined have no formula");
    out->diameter = shape->g > 1 ? 5 : shape->l > 1 ? 4 : shape->p > 1 ? 2 : 0;
    out->mean_distance = others > 0 ? (2 * (p - 1) + 4 * (l - 1) * p + 5 * (g - 1) * l * p) / others : 0;
    return 0;
}

/* One cable joins each two groups and carries (l·p)² of all-to-all traffic; spread over the spines, a channel between
 * leaf and spine carries p²·(h·l + (l - 1)/s). Unless that is more, the bound of metrics.c is g²/4, the cut between
 * two halves of the groups. */
static int bisection(const struct cw_network *net, const struct cw_shape *whole, double *out)
{
    const struct cw_megafly *shape = &whole->megafly;
    const double p = shape->p, l = shape->l, s = shape->s, h = shape->h, g = shape->g;
    uint32_t least, most;
    if (shape->g % 2 != 0 || shape->g != (uint64_t)shape->s * shape->h + 1 || h * l + (l - 1) / s > l * l) return 0;
    const int rc = count_joints(net, &least, &most);
    if (rc) return rc;
    const double across = g * g / 4, hosts = g * l * p / 2;
    *out = across < hosts ? across : hosts;
    return least == 1 && most == 1;
}

static const struct cw_formulas formulas = {.shape = &cw_shape_megafly,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: between two halves of the groups"};

static const char *const examples[] = {"megafly:2,2,2,2",     "megafly:1,2,3,1",     "megafly:1,1,1,1",
                                       "megafly:2,3,2,2,g=3", "megafly:2,2,2,1,g=1", NULL};

const struct cw_topology cw_topology_megafly = {
    .name = "megafly",
    .help = "Groups of L leaves and S spines, each leaf connected to each spine; a leaf has P endpoints, a spine has H "
            "global channels to other groups (Megafly, Dragonfly+)",
    .synopsis = "megafly:P,L,S,H[,g=G]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .build = build,
};
