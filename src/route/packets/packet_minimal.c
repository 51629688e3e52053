/*
 * Minimal routing of dragonflies, packet by packet: the routes and lanes of minimal.c, by the same rule
 * (dragonfly_globals.h).
 *
 * The lane is the number of global hops taken before: channels follow in the order local 0, global 0, local 1.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/packets/packet_dragonfly.h"

static const struct cw_dragonfly_lane_plan plan = {{[CW_STEP_WITHIN] = {{0, 1}, {0, 1}}}};

static inline struct cw_hop hop_of(const struct cw_dragonfly_ways *ways, uint32_t here, uint32_t in,
                                   const struct cw_packet *packet)
{
    const uint32_t target = cw_dragonfly_switch_of(ways, packet->dst);
    return cw_dragonfly_hop(ways, &plan, NULL, here, in, packet->dst, 0, target, cw_dragonfly_group_of(ways, target));
}

static int minimal_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                        uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct cw_dragonfly_ways *ways = state;
    *out = hop_of(ways, sw - ways->n_endpoints, in, packet);
    return 1;
}

static void minimal_turn(const void *state, struct cw_packet_turn *turns, size_t n)
{
    const struct cw_dragonfly_ways *ways = state;
    for (size_t i = 0; i < n; i++)
        turns[i].out = hop_of(ways, turns[i].sw - ways->n_endpoints, turns[i].in, turns[i].packet);
}

static int minimal_dependencies(const void *state, cw_dependency_edge *edge, void *context)
{
    return cw_dragonfly_way_dependencies(state, 0, 0, 1, edge, context);
}

static void minimal_free(void *state)
{
    cw_dragonfly_ways_free(state);
    free(state);
}

static const struct cw_packet_routing_ops ops = {
    .next = minimal_next, .turn = minimal_turn, .dependencies = minimal_dependencies, .free_state = minimal_free};

int cw_minimal_packets(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    struct cw_dragonfly_ways *ways = cw_new_array(1, sizeof *ways, "packet routes of a dragonfly");
    if (!ways) return CW_ENOMEM;
    const int rc = cw_dragonfly_ways_new(net, "minimal", 1, ways);
    if (rc) {
        free(ways);
        return rc;
    }
    return cw_dragonfly_make(net, "minimal", &ops, ways, net->shape.dragonfly.g > 1 ? 2 : 1, 1, out);
}
