#include "topo/dragonfly.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/option.h"
#include "net/builder.h"
#include "topo/saturate.h"
#include "topo/topology.h"

struct parameters {
    int64_t p, a, h, g;
};

#define MAX_PORTS 65535 /* port numbers have 16 bits; it also keeps a·h + 1 within 32 */

#define COUNT(NAME, FIELD, HELP)                                                                                       \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = 1, .max = MAX_PORTS,     \
    .positional = true, .required = true, .help = HELP

static const struct cw_option options[] = {
    {COUNT("p", p, "endpoints at a switch")},
    {COUNT("a", a, "switches in a group, each joined to every other")},
    {COUNT("h", h, "global channels of a switch")},
    {.name = "g",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, g),
     .help = "groups, at most a*h+1 (0: all of them); fewer share the global channels"},
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
    *out = (struct cw_dragonfly){.p = (uint32_t)parameters->p,
                                 .a = (uint32_t)parameters->a,
                                 .h = (uint32_t)parameters->h,
                                 .g = (uint32_t)(parameters->g ? parameters->g : most)};
    return 0;
}

static uint64_t cables_of(const struct cw_dragonfly *shape)
{
    const uint64_t switches = (uint64_t)shape->a * shape->g;
    const uint64_t hosts = cw_saturating_multiply(switches, shape->p);
    const uint64_t local = cw_saturating_multiply(switches, shape->a - 1) / 2;
    const uint64_t pairs = (uint64_t)shape->g * (shape->g - 1) / 2;
    const uint64_t trunks = shape->g > 1 ? shape->a * shape->h / (shape->g - 1) : 0;
    return cw_saturating_add(hosts, cw_saturating_add(local, cw_saturating_multiply(pairs, trunks)));
}

/* The cables of switch S of GROUP: its endpoints, later switches of the group, and later groups. */
static void add_switch(struct cw_builder *builder, const struct cw_dragonfly *shape, const struct cw_link *link,
                       uint32_t first_switch, uint32_t group, uint32_t s)
{
    const uint32_t p = shape->p, a = shape->a, h = shape->h, index = group * a + s, vertex = first_switch + index;
    for (uint32_t i = 0; i < p; i++)
        cw_builder_cable(builder, index * p + i, 1, vertex, i + 1, link->capacity, link->latency);
    for (uint32_t t = s + 1; t < a; t++)
        cw_builder_cable(builder, vertex, p + t, vertex + (t - s), p + s + 1, link->capacity, link->latency);
    for (uint32_t m = 0; m < h; m++) {
        uint32_t far_group, far_q;
        if (!cw_dragonfly_far(shape, group, s * h + m, &far_group, &far_q) || far_group < group) continue;
        cw_builder_cable(builder, vertex, p + a + m, first_switch + far_group * a + far_q / h, p + a + far_q % h,
                         link->capacity, link->latency);
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = CW_SHAPE_DRAGONFLY};
    const int rc = shape_of(values, &shape.dragonfly);
    if (rc) return rc;
    const uint64_t endpoints = cw_shape_endpoints(&shape);
    struct cw_builder *builder = cw_builder_new(endpoints, cw_shape_switches(&shape), cables_of(&shape.dragonfly));
    cw_builder_shape(builder, &shape);
    for (uint32_t group = 0; group < shape.dragonfly.g && !cw_builder_failed(builder); group++)
        for (uint32_t s = 0; s < shape.dragonfly.a; s++)
            add_switch(builder, &shape.dragonfly, link, (uint32_t)endpoints, group, s);
    return cw_builder_finish(builder, net);
}

/* True if channel Q of GROUP leads where it should. */
static bool is_in_place(const struct cw_network *net, uint32_t group, uint32_t q)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint32_t first = net->n_endpoints, a = shape->a, h = shape->h, globals = shape->p + a;
    const uint32_t channel = cw_network_channel_at(net, first + group * a + q / h, globals + q % h);
    uint32_t far_group, far_q;
    if (!cw_dragonfly_far(shape, group, q, &far_group, &far_q)) return channel == CW_NONE;
    return channel != CW_NONE && net->head[channel] == first + far_group * a + far_q / h &&
           cw_network_port(net, net->twin[channel]) == globals + far_q % h;
}

bool cw_dragonfly_is_palmtree(const struct cw_network *net)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    for (uint32_t group = 0; group < shape->g; group++)
        for (uint32_t q = 0; q < shape->a * shape->h; q++)
            if (!is_in_place(net, group, q)) return false;
    return true;
}

static const char *const examples[] = {"dragonfly:2,4,2",     "dragonfly:1,1,1",     "dragonfly:2,2,1",
                                       "dragonfly:2,3,2",     "dragonfly:2,4,2,g=1", "dragonfly:2,4,2,g=5",
                                       "dragonfly:1,3,2,g=4", "dragonfly:1,4,3,g=6", NULL};

const struct cw_topology cw_topology_dragonfly = {
    .name = "dragonfly",
    .help = "Groups of fully joined switches, with global channels between the groups (Palmtree arrangement)",
    .synopsis = "dragonfly:P,A,H[,g=G]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .build = build,
};
