/*
 * Valiant's routing of Megafly: by a random intermediate group (Flajslik et al., ISC 2018; Shpiner et al., HiPINEB
 * 2017). A spine of that group at which the packet arrives sends it on if it has a channel to the destination's group,
 * else by a leaf and another spine.
 *
 * Two lanes: up, across and, in the intermediate group, down are lane 0, what follows is lane 1. Channels are so taken
 * in the order up 0, across 0, down 0, up 1, across 1, down 1. Packets without an intermediate group (ugal-mix sends
 * some) go up 0, across 0, down 0, or up 0, down 0 within a group.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/megafly_globals.h"
#include "route/engines/shortest_ways.h"

struct megafly {
    const struct cw_network *net;
    struct cw_megafly shape;
    uint32_t all; /* switches of a group */
    struct cw_megafly_globals globals;
};

static void megafly_free(void *state)
{
    struct megafly *megafly = state;
    cw_megafly_globals_free(&megafly->globals);
    free(megafly);
}

/* --- hops --------------------------------------------------------------------------------------------------------- */

/* From LEAF of GROUP up to spine J. */
static uint32_t up(const struct megafly *megafly, uint32_t group, uint32_t leaf, uint32_t j)
{
    return megafly->net->first[megafly->net->n_endpoints + group * megafly->all + leaf] + megafly->shape.p + j;
}

/* Which of the channels from GROUP to TARGET a packet for DST takes. */
static uint32_t across(const struct megafly *megafly, uint32_t group, uint32_t target, uint32_t dst)
{
    const uint32_t *joint = megafly->globals.joint + (size_t)group * megafly->shape.g + target;
    return megafly->globals.global[joint[0] + dst % (joint[1] - joint[0])];
}

/* The channel from spine V itself to TARGET, CW_NONE if it has none. */
static uint32_t own_across(const struct megafly *megafly, uint32_t v, uint32_t group, uint32_t target, uint32_t dst)
{
    const uint32_t *joint = megafly->globals.joint + (size_t)group * megafly->shape.g + target;
    uint32_t first = joint[0], n = 0;
    while (first < joint[1] && megafly->net->tail[megafly->globals.global[first]] != v) first++;
    while (first + n < joint[1] && megafly->net->tail[megafly->globals.global[first + n]] == v) n++;
    return n > 0 ? megafly->globals.global[first + dst / megafly->shape.s % n] : CW_NONE;
}

static struct cw_hop leaf_hop(const struct megafly *megafly, uint32_t group, uint32_t leaf, uint32_t target,
                              const struct cw_packet *packet)
{
    const uint32_t l = megafly->shape.l, p = megafly->shape.p, dst = packet->dst;
    if (dst / p == group * l + leaf) return (struct cw_hop){megafly->net->twin[megafly->net->first[dst]], 0};
    const uint32_t first_spine = megafly->net->n_endpoints + group * megafly->all + l;
    const uint32_t spine = target == group ? dst % megafly->shape.s
                                           : megafly->net->tail[across(megafly, group, target, dst)] - first_spine;
    return (struct cw_hop){up(megafly, group, leaf, spine), packet->phase & 1};
}

static struct cw_hop spine_hop(const struct megafly *megafly, uint32_t v, uint32_t group, uint32_t target,
                               const struct cw_packet *packet)
{
    const uint32_t leaf = packet->dst / megafly->shape.p % megafly->shape.l, down = megafly->net->first[v] + leaf;
    const uint32_t channel = target == group ? down : own_across(megafly, v, group, target, packet->dst);
    if (channel == CW_NONE) return (struct cw_hop){down, 0};
    return (struct cw_hop){channel, packet->phase & 1};
}

static uint32_t group_of_endpoint(const struct megafly *megafly, uint32_t e)
{
    return e / (megafly->shape.p * megafly->shape.l);
}

static int megafly_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                        uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane, (void)view, (void)random, (void)max;
    const struct megafly *megafly = state;
    const uint32_t index = sw - megafly->net->n_endpoints, group = index / megafly->all, i = index % megafly->all;
    if (packet->via == group) {
        packet->via = CW_VIA_NONE;
        packet->phase = 1;
    }
    const uint32_t target = packet->via == CW_VIA_NONE ? group_of_endpoint(megafly, packet->dst) : packet->via;
    *out = i < megafly->shape.l ? leaf_hop(megafly, group, i, target, packet)
                                : spine_hop(megafly, sw, group, target, packet);
    return 1;
}

/* --- intermediate groups ------------------------------------------------------------------------------------------ */

/* Groups that are neither the one of SW nor DST's; 0 if SW is DST's switch. */
static uint32_t other_groups(const struct megafly *megafly, uint32_t sw, uint32_t dst)
{
    const uint32_t group = (sw - megafly->net->n_endpoints) / megafly->all;
    if (megafly->net->head[megafly->net->first[dst]] == sw) return 0;
    return megafly->shape.g - 1 - (group != group_of_endpoint(megafly, dst));
}

static uint32_t megafly_choices(const void *state, uint32_t sw, uint32_t dst)
{
    const uint32_t n = other_groups(state, sw, dst);
    return n > 0 ? n : 1;
}

static uint32_t megafly_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                               struct cw_packet packet)
{
    (void)view;
    const struct megafly *megafly = state;
    const uint32_t a = (sw - megafly->net->n_endpoints) / megafly->all, b = group_of_endpoint(megafly, packet.dst);
    const uint32_t n = other_groups(megafly, sw, packet.dst), low = a < b ? a : b, high = a < b ? b : a;
    if (n == 0) return CW_VIA_NONE;
    uint32_t k = cw_choice(random, n);
    k += k >= low;
    return a == b ? k : k + (k >= high);
}

/* --- dependencies ------------------------------------------------------------------------------------------------- */

typedef int dependency_edge(void *context, struct cw_hop from, struct cw_hop to);

/* From every channel into V on IN_LANE, global or not, to every one out of it on OUT_LANE, global or not. */
static int turns(const struct megafly *megafly, uint32_t v, bool in_global, uint8_t in_lane, bool out_global,
                 uint8_t out_lane, dependency_edge *edge, void *context)
{
    const struct cw_network *net = megafly->net;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
        for (uint32_t o = net->first[v]; o < net->first[v + 1]; o++) {
            if (net->head[i] < net->n_endpoints || net->head[o] < net->n_endpoints ||
                cw_network_is_global(net, i) != in_global || cw_network_is_global(net, o) != out_global)
                continue;
            const int rc = edge(context, (struct cw_hop){net->twin[i], in_lane}, (struct cw_hop){o, out_lane});
            if (rc) return rc;
        }
    return 0;
}

static int megafly_dependencies(const void *state, dependency_edge *edge, void *context)
{
    static const struct {
        bool in_global;
        uint8_t in_lane;
        bool out_global;
        uint8_t out_lane;
    } at_spine[] = {{false, 0, false, 0}, {false, 0, true, 0}, {true, 0, false, 0},
                    {true, 0, true, 1},   {false, 1, true, 1}, {true, 1, false, 1}};
    const struct megafly *megafly = state;
    int rc = 0;
    for (uint32_t v = megafly->net->n_endpoints; v < megafly->net->n_vertices && !rc; v++) {
        const bool leaf = (v - megafly->net->n_endpoints) % megafly->all < megafly->shape.l;
        if (leaf) rc = turns(megafly, v, false, 0, false, 1, edge, context);
        for (size_t i = 0; i < sizeof at_spine / sizeof *at_spine && !leaf && !rc; i++)
            rc = turns(megafly, v, at_spine[i].in_global, at_spine[i].in_lane, at_spine[i].out_global,
                       at_spine[i].out_lane, edge, context);
    }
    return rc;
}

/* --- making one --------------------------------------------------------------------------------------------------- */

static int find_globals(struct megafly *megafly)
{
    uint32_t from, to;
    const int rc = cw_megafly_globals_new(megafly->net, &megafly->globals);
    if (rc || !cw_megafly_not_joined(&megafly->globals, &from, &to)) return rc;
    return cw_fail(CW_EUSAGE, "megafly-valiant: groups %u and %u are not joined by a global channel", from, to);
}

static const struct cw_packet_routing_ops ops = {.choices = megafly_choices,
                                                 .inject = megafly_inject,
                                                 .next = megafly_next,
                                                 .dependencies = megafly_dependencies,
                                                 .free_state = megafly_free};

static bool megafly_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return net->shape.megafly.g >= 3;
}

static int megafly_compile(const struct cw_network *net, const void *values, uint64_t seed,
                           struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    struct megafly *megafly = cw_new_array(1, sizeof *megafly, "routes of a Megafly");
    if (!megafly) return CW_ENOMEM;
    *megafly =
        (struct megafly){.net = net, .shape = net->shape.megafly, .all = net->shape.megafly.l + net->shape.megafly.s};
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    const int rc = lanes ? find_globals(megafly) : CW_ENOMEM;
    if (rc) {
        megafly_free(megafly);
        free(lanes);
        return rc;
    }
    cw_lanes_between_switches(net, 2, lanes);
    return cw_packet_routing_make(net, "megafly-valiant", &ops, megafly, lanes, out);
}

const struct cw_engine cw_engine_megafly_valiant = {
    .name = "megafly-valiant",
    .help = "Megafly (Dragonfly+): minimally to a random intermediate group, then minimally to the destination",
    .needs = "a Megafly made by the generator, with at least 3 groups",
    .shape = &cw_shape_megafly,
    .accepts = megafly_accepts,
    .valiant = true,
    .packets = megafly_compile};
