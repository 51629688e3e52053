/*
 * What the packet routings of dragonflies share: the minimal way from a switch to another one, at most one local, one
 * global and one local hop, looked up in a small table. Not installed.
 *
 * The numbering of endpoints, switches and local channels is arithmetic (net/shape.h); which groups the global channels
 * join is found by looking at the network, so any wiring works in which all pairs of groups are joined.
 *
 * Where several cables join two groups, a switch that has some of them takes one of its own, and another switch goes to
 * a switch that has one: `trunks` entries of the table, as many as the pair with most cables has. Routings that do not
 * look at queues take entry `slot` of the target switch, so that the targets in a group share the cables evenly; others
 * take the entry whose channel has the fewest flits waiting.
 */
#ifndef CW_ROUTE_PACKET_DRAGONFLY_H
#define CW_ROUTE_PACKET_DRAGONFLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/fast_divide.h"
#include "route/packet_routing.h"

CW_BEGIN_DECLS

struct cw_dragonfly_place {
    uint32_t first; /* channel of the switch */
    uint32_t group;
    uint32_t index; /* in the group */
    uint32_t slot;  /* of the switch as a target */
};

struct cw_dragonfly_ways {
    const struct cw_network *net;
    struct cw_dragonfly shape;
    uint32_t n_endpoints;
    uint32_t trunks;
    struct cw_divisor by_p, by_a;
    struct cw_dragonfly_place *place; /* [switches] */
    uint16_t *port;                   /* [(switch · g + group) · trunks + entry] port index towards the group */
};

/* True if NET says it is a dragonfly. */
bool cw_dragonfly_ways_accepts(const struct cw_network *net);

/* CW_EUSAGE if NET is not what its shape says, if two groups are not joined, or with fewer than LEAST_GROUPS groups (3
 * for ROUTING, named in the message, through an intermediate group). */
int cw_dragonfly_ways_new(const struct cw_network *net, const char *routing, uint32_t least_groups,
                          struct cw_dragonfly_ways *ways);
void cw_dragonfly_ways_free(struct cw_dragonfly_ways *ways);

/* cw_packet_routing_make with so many lanes on local and on global channels. */
int cw_dragonfly_make(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                      void *state, uint8_t local_lanes, uint8_t global_lanes, struct cw_packet_routing **out);

/* Switches are counted from 0 here, without the endpoints before them. */
static inline uint32_t cw_dragonfly_switch_of(const struct cw_dragonfly_ways *ways, uint32_t endpoint)
{
    return cw_divide(endpoint, ways->by_p);
}
static inline uint32_t cw_dragonfly_group_of(const struct cw_dragonfly_ways *ways, uint32_t sw)
{
    return cw_divide(sw, ways->by_a);
}

/* The channel from switch PLACE to switch TARGET of the same group, another one (for others: any number). */
static inline uint32_t cw_dragonfly_local(const struct cw_dragonfly_ways *ways, const struct cw_dragonfly_place *place,
                                          uint32_t target)
{
    const uint32_t t = target - place->group * ways->shape.a;
    return place->first + ways->shape.p + t - (t > place->index);
}

/* The entries for channels from switch SW towards GROUP, another one (for its own: zeros). */
static inline const uint16_t *cw_dragonfly_entries(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t group)
{
    return ways->port + ((size_t)sw * ways->shape.g + group) * ways->trunks;
}

/* True if CHANNEL of switch PLACE is a global one. */
static inline bool cw_dragonfly_is_global(const struct cw_dragonfly_ways *ways, const struct cw_dragonfly_place *place,
                                          uint32_t channel)
{
    return channel - place->first >= ways->shape.p + ways->shape.a - 1;
}

/* The channel by which SW goes towards TARGET of another group, GROUP, whatever the queues. */
static inline uint32_t cw_dragonfly_towards(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target,
                                            uint32_t group)
{
    const uint32_t slot = ways->trunks == 1 ? 0 : ways->place[target].slot;
    return ways->place[sw].first + cw_dragonfly_entries(ways, sw, group)[slot];
}

/* The same with the fewest flits waiting, beginning with the entry that would be taken without looking. */
uint32_t cw_dragonfly_least_towards(const struct cw_dragonfly_ways *ways, const struct cw_queue_view *view, uint32_t sw,
                                    uint32_t target, uint32_t group);

/* Hops between switches on the minimal way from SW to TARGET. */
uint32_t cw_dragonfly_hops(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target);

/* --- ways through an intermediate group --------------------------------------------------------------------------- */

/* Number K among the groups that are neither S nor D, two different ones. */
static inline uint32_t cw_dragonfly_other_group(uint32_t k, uint32_t s, uint32_t d)
{
    const uint32_t low = s < d ? s : d, high = s < d ? d : s;
    k += k >= low;
    return k + (k >= high);
}

/* How many switches there are in such groups, and number K of them. */
static inline uint32_t cw_dragonfly_other_switches(const struct cw_dragonfly_ways *ways)
{
    return (ways->shape.g - 2) * ways->shape.a;
}
static inline uint32_t cw_dragonfly_other_switch(const struct cw_dragonfly_ways *ways, uint32_t k, uint32_t s,
                                                 uint32_t d)
{
    const uint32_t group = cw_dragonfly_group_of(ways, k), index = k - group * ways->shape.a;
    return cw_dragonfly_other_group(group, s, d) * ways->shape.a + index;
}

/* The lane of a local hop, by the packet's phase (0 until it has been where it is sent first, then 1), whether it is in
 * the group that it goes to in this phase, and whether it has taken a hop. Global hops have the phase as their lane. */
struct cw_dragonfly_lane_plan {
    uint8_t local[2][2][2];
};

/* A if CONDITION, else B. Compilers turn the usual expression into a branch where one side is work. */
static inline uint32_t cw_dragonfly_select(bool condition, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - (uint32_t)condition));
}

/* The hop from switch HERE, to which PACKET came by channel IN, to switch TARGET of GROUP (which may be any switch
 * where only the group matters); if it is there: to its destination. VIEW chooses among parallel cables; NULL: TARGET
 * does.
 *
 * A simulator asks for packets in no order at all, so that a branch on where they are is mispredicted half the time:
 * all three channels are found, and one is chosen without a branch. */
static inline struct cw_hop cw_dragonfly_hop(const struct cw_dragonfly_ways *ways,
                                             const struct cw_dragonfly_lane_plan *plan,
                                             const struct cw_queue_view *view, uint32_t here, uint32_t in,
                                             const struct cw_packet *packet, uint32_t target, uint32_t group)
{
    const struct cw_dragonfly_place *place = &ways->place[here];
    const bool same = group == place->group, there = target == here;
    const uint32_t away = view && ways->trunks > 1 && !same
                              ? cw_dragonfly_least_towards(ways, view, here, target, group)
                              : cw_dragonfly_towards(ways, here, target, group);
    const uint32_t local = cw_dragonfly_local(ways, place, target);
    const uint32_t host = place->first + packet->dst - target * ways->shape.p;
    const uint32_t phase = packet->phase, on = cw_dragonfly_select(same, local, away);
    const uint32_t local_lane = plan->local[phase][same][in != CW_NONE];
    const uint32_t lane = cw_dragonfly_select(cw_dragonfly_is_global(ways, place, on), phase, local_lane);
    const struct cw_hop hop = {cw_dragonfly_select(there, host, on), (uint8_t)cw_dragonfly_select(there, 0, lane)};
    return hop;
}

/* The hop of a packet that may have an intermediate switch as `via`. Once there, via is none and phase is 1. */
static inline struct cw_hop cw_dragonfly_via_hop(const struct cw_dragonfly_ways *ways,
                                                 const struct cw_dragonfly_lane_plan *plan,
                                                 const struct cw_queue_view *view, uint32_t here, uint32_t in,
                                                 struct cw_packet *packet)
{
    const bool reached = packet->via == here;
    const uint32_t via = cw_dragonfly_select(reached, CW_VIA_NONE, packet->via);
    const uint32_t last = cw_dragonfly_switch_of(ways, packet->dst);
    const uint32_t target = cw_dragonfly_select(via == CW_VIA_NONE, last, via);
    packet->via = via & CW_VIA_NONE;
    packet->phase = (packet->phase | reached) & 1;
    return cw_dragonfly_hop(ways, plan, view, here, in, packet, target, cw_dragonfly_group_of(ways, target));
}

/* --- dependencies ------------------------------------------------------------------------------------------------- */

typedef int cw_dependency_edge(void *context, struct cw_hop from, struct cw_hop to);

/* Those within the minimal ways from every switch to every switch of another group, with LOCAL_BEFORE as the lane of
 * the first hop, GLOBAL that of the second, and LOCAL_AFTER that of the last. With one cable between two groups these
 * are exactly the ones that occur; where there are several, all entries count, also for switches that do not use them.
 */
int cw_dragonfly_way_dependencies(const struct cw_dragonfly_ways *ways, uint8_t local_before, uint8_t global,
                                  uint8_t local_after, cw_dependency_edge *edge, void *context);

/* Lanes on which packets arrive at, or leave, switches; CW_NO_LANE: none does by channels of that kind. */
#define CW_NO_LANE UINT8_MAX
struct cw_dragonfly_lanes {
    uint8_t local, global;
};

/* From every channel into a switch to every channel out of it. */
int cw_dragonfly_turn_dependencies(const struct cw_dragonfly_ways *ways, struct cw_dragonfly_lanes in,
                                   struct cw_dragonfly_lanes out, cw_dependency_edge *edge, void *context);

/* Those of all packets that go by cw_dragonfly_via_hop with the lanes of valiant-any. A superset: ways to a switch are
 * followed by all ways from it, also back to the group they came from. */
int cw_dragonfly_via_dependencies(const struct cw_dragonfly_ways *ways, cw_dependency_edge *edge, void *context);

CW_END_DECLS

#endif
