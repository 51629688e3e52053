#include "topo/dragonfly.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/option.h"
#include "net/builder.h"
#include "topo/topology.h"

struct parameters {
    int64_t p, a, h, g, seed, shuffle;
    int arrangement;
};

#define MAX_PORTS 65535 /* port numbers have 16 bits; it also keeps a·h + 1 within 32 */

#define COUNT(NAME, FIELD, HELP)                                                                                       \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = 1, .max = MAX_PORTS,     \
    .positional = true, .required = true, .help = HELP

#define SEED(NAME, FIELD, HELP)                                                                                        \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .max = UINT32_MAX, .help = HELP

static const struct cw_option options[] = {
    {COUNT("p", p, "endpoints of a switch")},
    {COUNT("a", a, "switches of a group, all connected to one another")},
    {COUNT("h", h, "global channels of a switch")},
    {.name = "g",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, g),
     .help = "groups, at most a*h+1 (0: that many); with fewer groups, pairs of groups have several global channels"},
    {.name = "arrangement",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct parameters, arrangement),
     .default_text = "palmtree",
     .choices = cw_arrangement_names,
     .help = "where global channel q of group i leads, counted over the switches of the group. palmtree: to group "
             "i+q+1; relative: to i-q-1; consecutive: to q, or q+1 if q >= i; random: to any"},
    {SEED("seed", seed, "random seed of arrangement=random")},
    {SEED("shuffle", shuffle, "random seed of the order of groups in the wiring (0: by number)")},
    {.name = NULL}};

static int shape_of(const struct parameters *parameters, struct cw_dragonfly *out)
{
    const int64_t most = parameters->a * parameters->h + 1;
    if (parameters->g < 0 || parameters->g > most)
        return cw_fail(CW_EUSAGE,
                       "dragonfly: %" PRId64 " groups; %" PRId64 " switches with %" PRId64
                       " global channels each can join at least 1 and at most %" PRId64 " groups",
                       parameters->g, parameters->a, parameters->h, most);
    const int64_t ports = parameters->p + parameters->a - 1 + parameters->h;
    if (ports > MAX_PORTS)
        return cw_fail(CW_EUSAGE, "dragonfly: switches of %" PRId64 " ports; at most %d are possible", ports,
                       MAX_PORTS);
    if (parameters->seed && parameters->arrangement != CW_ARRANGEMENT_RANDOM)
        return cw_fail(CW_EUSAGE, "dragonfly: the %s arrangement takes no seed; only arrangement=random does",
                       cw_arrangement_names[parameters->arrangement]);
    *out = (struct cw_dragonfly){.p = (uint32_t)parameters->p,
                                 .a = (uint32_t)parameters->a,
                                 .h = (uint32_t)parameters->h,
                                 .g = (uint32_t)(parameters->g ? parameters->g : most),
                                 .arrangement = (uint32_t)parameters->arrangement,
                                 .seed = (uint32_t)parameters->seed,
                                 .shuffle = (uint32_t)parameters->shuffle};
    return 0;
}

/* The cables of switch S of GROUP: its endpoints, later switches of the group, and later groups. */
static void add_switch(struct cw_builder *builder, const struct cw_dragonfly *shape, const struct cw_link *link,
                       const struct cw_dragonfly_wiring *wiring, uint32_t group, uint32_t s)
{
    const uint32_t p = shape->p, a = shape->a, h = shape->h, used = wiring->used;
    const uint32_t first_switch = a * shape->g * p, index = group * a + s, vertex = first_switch + index;
    for (uint32_t i = 0; i < p; i++)
        cw_builder_cable(builder, index * p + i, 1, vertex, i + 1, link->capacity, link->latency);
    for (uint32_t t = s + 1; t < a; t++)
        cw_builder_cable(builder, vertex, p + t, vertex + (t - s), p + s + 1, link->capacity, link->latency);
    for (uint32_t m = 0; m < h && s * h + m < used; m++) {
        const uint32_t far = wiring->far[group * used + s * h + m], far_group = far / used, far_q = far % used;
        if (far_group < group) continue;
        cw_builder_cable(builder, vertex, p + a + m, first_switch + far_group * a + far_q / h, p + a + far_q % h,
                         link->capacity, link->latency);
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = &cw_shape_dragonfly};
    int rc = shape_of(values, &shape.dragonfly);
    if (rc) return rc;
    const uint64_t switches = cw_shape_switches(&shape), cables = cw_dragonfly_cables(&shape.dragonfly);
    struct cw_builder *builder = cw_builder_new(cw_shape_endpoints(&shape), switches, cables);
    struct cw_dragonfly_wiring wiring = {0};
    cw_builder_shape(builder, &shape);
    if (!cw_builder_failed(builder)) rc = cw_dragonfly_wire(&shape.dragonfly, &wiring);
    if (rc) cw_builder_fail(builder, rc);
    for (uint32_t group = 0; group < shape.dragonfly.g && !cw_builder_failed(builder); group++)
        for (uint32_t s = 0; s < shape.dragonfly.a; s++) add_switch(builder, &shape.dragonfly, link, &wiring, group, s);
    cw_dragonfly_wiring_free(&wiring);
    return cw_builder_finish(builder, net);
}

static const char *const examples[] = {"dragonfly:2,4,2",
                                       "dragonfly:1,1,1",
                                       "dragonfly:2,2,1",
                                       "dragonfly:2,3,2",
                                       "dragonfly:2,4,2,g=1",
                                       "dragonfly:2,4,2,g=5",
                                       "dragonfly:1,3,2,g=4",
                                       "dragonfly:1,4,3,g=6",
                                       "dragonfly:2,4,2,arrangement=relative,shuffle=3",
                                       "dragonfly:2,3,2,arrangement=consecutive",
                                       "dragonfly:1,4,3,arrangement=random,seed=5,shuffle=1",
                                       "dragonfly:1,4,3,g=6,arrangement=random",
                                       NULL};

const struct cw_topology cw_topology_dragonfly = {
    .name = "dragonfly",
    .help = "Groups of fully connected switches, with global channels between the groups",
    .synopsis = "dragonfly:P,A,H[,g=G][,arrangement=NAME][,shuffle=SEED]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &cw_formulas_dragonfly,
    .build = build,
};
