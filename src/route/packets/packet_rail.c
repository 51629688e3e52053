/*
 * Packets of rail clusters sprayed over all rails and spines: each goes up a random rail to a random spine, also within
 * a pod, and down the same rail, as Valiant's routing does in a fat tree. Up and down: one lane is free of deadlock.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

struct rail {
    const struct cw_network *net;
    struct cw_rail shape;
};

static uint32_t ways_of(const struct rail *rail)
{
    return rail->shape.r * (rail->shape.s > 0 ? rail->shape.s : 1);
}

static uint32_t rail_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)sw, (void)dst;
    return ways_of(state);
}

static uint32_t rail_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                            struct cw_packet packet)
{
    (void)sw, (void)view, (void)packet;
    return cw_choice(random, ways_of(state));
}

static int rail_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct rail *rail = state;
    const struct cw_rail *shape = &rail->shape;
    const uint32_t index = sw - rail->net->n_endpoints, spines = shape->n + shape->l * shape->r;
    const uint32_t node = packet->dst / shape->g, m = shape->n / shape->l;
    const uint32_t on = packet->via % shape->r, spine = packet->via / shape->r;
    uint32_t port; /* from 0 */
    if (index < shape->n)
        port = index == node ? packet->dst % shape->g : shape->g + on;
    else if (index >= spines)
        port = node / m * shape->r + on;
    else if (shape->s == 0 || rail->net->tail[in] - rail->net->n_endpoints >= spines)
        port = node % m;
    else
        port = m + spine;
    *out = (struct cw_hop){rail->net->first[sw] + port, 0};
    return 1;
}

/* 0 for a node, 1 for a leaf, 2 for a spine. */
static int level(const struct rail *rail, uint32_t v)
{
    const uint32_t index = v - rail->net->n_endpoints;
    return index < rail->shape.n ? 0 : index < rail->shape.n + rail->shape.l * rail->shape.r ? 1 : 2;
}

/* Up from a node and on up (without spines down), up to a spine and down, down from a spine and on down. */
static int rail_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                             void *context)
{
    const struct rail *rail = state;
    const struct cw_network *net = rail->net;
    for (uint32_t v = net->n_endpoints + rail->shape.n; v < net->n_vertices; v++)
        for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
            for (uint32_t o = net->first[v]; o < net->first[v + 1]; o++) {
                const int from = level(rail, net->head[i]), to = level(rail, net->head[o]);
                const bool turns = rail->shape.s > 0 && level(rail, v) == 1 ? from != to : i != o || from == 1;
                const int rc = turns ? edge(context, (struct cw_hop){net->twin[i], 0}, (struct cw_hop){o, 0}) : 0;
                if (rc) return rc;
            }
    return 0;
}

static const struct cw_packet_routing_ops ops = {.choices = rail_choices,
                                                 .inject = rail_inject,
                                                 .next = rail_next,
                                                 .dependencies = rail_dependencies,
                                                 .free_state = free};

static int rail_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    struct rail *rail = cw_new_array(1, sizeof *rail, "routes of a rail cluster");
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    if (!rail || !lanes) {
        free(rail);
        free(lanes);
        return CW_ENOMEM;
    }
    *rail = (struct rail){.net = net, .shape = net->shape.rail};
    cw_lanes_between_switches(net, 1, lanes);
    return cw_packet_routing_make(net, "rail-spray", &ops, rail, lanes, out);
}

const struct cw_engine cw_engine_rail_spray = {
    .name = "rail-spray",
    .help = "rail clusters: each packet goes up a random rail to a random spine, even within a pod, and down",
    .needs = "a rail cluster made by the generator",
    .shape = &cw_shape_rail,
    .packets = rail_compile};
