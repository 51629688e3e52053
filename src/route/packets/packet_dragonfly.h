/*
 * What the packet routings of dragonflies share: the minimal way from a switch to another one, at most one local, one
 * global and one local hop, by the rule of dragonfly_globals.h, looked up in a small table. Not installed.
 *
 * A switch has a row of steps: those towards each other group, then those to each switch of its own group. Where
 * several cables join two groups, there are `trunks` steps, as many as the pair with most cables has: of a switch that
 * has some of them its own, of another one those to the switches that have one. Routings that do not look at queues
 * take the step that the rule picks; others take the step whose channel has the fewest flits waiting.
 */
#ifndef CW_ROUTE_PACKET_DRAGONFLY_H
#define CW_ROUTE_PACKET_DRAGONFLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/engines/dragonfly_globals.h"
#include "route/fast_divide.h"
#include "route/packets/packet_routing.h"

CW_BEGIN_DECLS

/* A step: the port by which a switch sends, and in its highest bits what kind of channel that is, on which the lane
 * depends. */
enum cw_dragonfly_kind {
    CW_STEP_AWAY,   /* a local one on the way to another group */
    CW_STEP_WITHIN, /* a local one in the group that the packet goes to */
    CW_STEP_GLOBAL,
    CW_STEP_HOST /* port 0, the first endpoint's: the packet is there */
};
#define CW_STEP_KIND_SHIFT 14
#define CW_STEP_PORT       ((1u << CW_STEP_KIND_SHIFT) - 1)

struct cw_dragonfly_place {
    uint32_t first; /* channel of the switch */
    uint32_t group;
    uint32_t index; /* in the group */
};

struct cw_dragonfly_ways {
    const struct cw_network *net;
    struct cw_dragonfly shape;
    struct cw_dragonfly_globals globals;
    uint32_t n_endpoints;
    uint32_t trunks;
    struct cw_divisor by_p, by_a;
    struct cw_dragonfly_place *place; /* [switches] */
    uint32_t row;                     /* steps of a switch: g · trunks + a */
    uint16_t *steps; /* [switch · row + group · trunks + entry], [switch · row + g · trunks + index] */
};

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
    return cw_fast_divide(endpoint, ways->by_p);
}
static inline uint32_t cw_dragonfly_group_of(const struct cw_dragonfly_ways *ways, uint32_t sw)
{
    return cw_fast_divide(sw, ways->by_a);
}

/* The steps from switch SW towards GROUP, another one. */
static inline const uint16_t *cw_dragonfly_steps(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t group)
{
    return ways->steps + (size_t)sw * ways->row + (size_t)group * ways->trunks;
}

/* True if CHANNEL of switch PLACE is a global one. */
static inline bool cw_dragonfly_is_global(const struct cw_dragonfly_ways *ways, const struct cw_dragonfly_place *place,
                                          uint32_t channel)
{
    return channel - place->first >= ways->shape.p + ways->shape.a - 1;
}

/* The channel of a STEP from switch SW. */
static inline uint32_t cw_dragonfly_channel(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t step)
{
    return ways->place[sw].first + (step & CW_STEP_PORT);
}

/* The step that the rule picks from SW towards TARGET through GROUP, another one than SW's, for endpoint DST. */
uint32_t cw_dragonfly_step(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target, uint32_t group,
                           uint32_t dst);

/* The step from SW to GROUP with the fewest flits waiting, beginning with the one that the rule picks. */
uint32_t cw_dragonfly_least_towards(const struct cw_dragonfly_ways *ways, const struct cw_queue_view *view, uint32_t sw,
                                    uint32_t target, uint32_t group, uint32_t dst);

/* Hops between switches on the minimal way from SW to TARGET of a packet for endpoint DST. */
uint32_t cw_dragonfly_hops(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target, uint32_t dst);

/* The packets of minimal.c. */
int cw_minimal_packets(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out);

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

/* The lane of a hop, by its kind, the packet's phase (0 until it has been where it is sent first, then 1), and whether
 * it has taken a hop. */
struct cw_dragonfly_lane_plan {
    uint8_t lane[4][2][2];
};

/* A if SO, else B; without a branch. */
static inline uint32_t cw_dragonfly_either(bool so, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - so));
}

/* The hop from switch HERE, to which a packet for endpoint DST came in PHASE by channel IN, to switch TARGET of GROUP
 * (which may be any switch where only the group matters); if it is there: to its destination. VIEW chooses among
 * parallel cables; NULL: the rule does.
 *
 * A simulator asks for packets in no order at all, so that a branch on where they are is mispredicted half the time:
 * what is to be done is data, the kind of the step, and choices are masks. */
static inline struct cw_hop cw_dragonfly_hop(const struct cw_dragonfly_ways *ways,
                                             const struct cw_dragonfly_lane_plan *plan,
                                             const struct cw_queue_view *view, uint32_t here, uint32_t in, uint32_t dst,
                                             uint32_t phase, uint32_t target, uint32_t group)
{
    const struct cw_dragonfly_place *place = &ways->place[here];
    const uint16_t *row = ways->steps + (size_t)here * ways->row;
    const uint32_t within = ways->shape.g * ways->trunks + target - group * ways->shape.a;
    uint32_t step;
    if (ways->trunks == 1 || group == place->group)
        step = row[cw_dragonfly_either(group == place->group, within, group)];
    else
        step = view ? cw_dragonfly_least_towards(ways, view, here, target, group, dst)
                    : cw_dragonfly_step(ways, here, target, group, dst);
    const uint32_t kind = step >> CW_STEP_KIND_SHIFT;
    const uint32_t host = cw_dragonfly_either(kind == CW_STEP_HOST, dst - target * ways->shape.p, 0);
    const struct cw_hop hop = {place->first + (step & CW_STEP_PORT) + host, plan->lane[kind][phase][in != CW_NONE]};
    return hop;
}

/* What a packet that may have been sent elsewhere first carries. */
struct cw_dragonfly_leg {
    uint32_t via, phase;
};

/* That of PACKET, once it has been noted whether it has got to HERE, an intermediate place. */
static inline struct cw_dragonfly_leg cw_dragonfly_leg_at(struct cw_packet *packet, uint32_t here)
{
    const bool reached = packet->via == here;
    const struct cw_dragonfly_leg leg = {packet->via | cw_dragonfly_either(reached, CW_VIA_NONE, 0),
                                         (packet->phase | reached) & 1};
    packet->via = leg.via & CW_VIA_NONE;
    packet->phase = leg.phase & 1;
    return leg;
}

/* The hop of a packet that may have an intermediate switch as `via`. */
static inline struct cw_hop cw_dragonfly_via_hop(const struct cw_dragonfly_ways *ways,
                                                 const struct cw_dragonfly_lane_plan *plan,
                                                 const struct cw_queue_view *view, uint32_t here, uint32_t in,
                                                 struct cw_packet *packet)
{
    const uint32_t dst = packet->dst, last = cw_dragonfly_switch_of(ways, dst);
    const struct cw_dragonfly_leg leg = cw_dragonfly_leg_at(packet, here);
    const uint32_t target = cw_dragonfly_either(leg.via == CW_VIA_NONE, last, leg.via);
    return cw_dragonfly_hop(ways, plan, view, here, in, dst, leg.phase, target, cw_dragonfly_group_of(ways, target));
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
