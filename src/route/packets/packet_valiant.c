/*
 * Valiant routing of dragonflies: every packet goes minimally to a random intermediate place and minimally on, which
 * spreads any traffic over all global channels (Valiant 1982; Kim et al., ISCA 2008). The intermediate group is drawn
 * uniformly among those that are neither the source's nor the destination's. Packets within one group take such a way
 * round, too: Valiant's idea is that no traffic is an exception, and one local channel is no more than the traffic of
 * two switches may ask of it. Only packets within one switch go directly.
 *
 *     valiant-restricted   to the first switch that the way into the intermediate group reaches, and on from there:
 *                          at most local, global – local, global, local
 *     valiant-any          to a random switch of that group: local, global, local – local, global, local
 *
 * (Prisacari et al., "Performance optimization of load imbalanced workloads in large scale dragonfly systems", 2015,
 * section II.) Lanes: that of a global hop is the number of global hops before it; so is that of a local hop, except
 * that valiant-any counts the intermediate switch, too. Channels then follow in the order local 0, global 0, local 1,
 * (local 2,) global 1, local 2 (3).
 *
 * The dependencies are those of all ways into a group followed by all ways out of any switch that they lead to. Beyond
 * what occurs, this has a packet return to the group it came from: a superset, which has no cycle either.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/packets/packet_dragonfly.h"
#include "route/packets/ways.h"

static void valiant_free(void *state)
{
    cw_dragonfly_ways_free(state);
    free(state);
}

static int valiant_compile(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                           uint8_t local_lanes, struct cw_packet_routing **out)
{
    struct cw_dragonfly_ways *ways = cw_new_array(1, sizeof *ways, "packet routes of a dragonfly");
    if (!ways) return CW_ENOMEM;
    const int rc = cw_dragonfly_ways_new(net, name, 3, ways);
    if (rc) {
        free(ways);
        return rc;
    }
    return cw_dragonfly_make(net, name, ops, ways, local_lanes, 2, out);
}

/* From which group to which a packet goes, and how many groups may be between. */
struct journey {
    uint32_t from, to, others;
};

/* That from switch SW, a vertex, to endpoint DST; `others` is 0 within one switch. */
static struct journey journey_of(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t dst)
{
    const uint32_t here = sw - ways->n_endpoints, last = cw_dragonfly_switch_of(ways, dst);
    const uint32_t from = ways->place[here].group, to = cw_dragonfly_group_of(ways, last);
    return (struct journey){from, to, here == last ? 0 : ways->shape.g - 1 - (from != to)};
}

/* Number K of those groups. */
static uint32_t group_between(const struct journey *journey, uint32_t k)
{
    return journey->from == journey->to ? k + (k >= journey->from)
                                        : cw_dragonfly_other_group(k, journey->from, journey->to);
}

/* --- draws, counted ----------------------------------------------------------------------------------------------- */

/* N draws from switch HERE over STEP; the switch that they get to. */
static uint32_t add_step(const struct cw_dragonfly_ways *ways, uint32_t here, uint32_t step, double n,
                         struct cw_ways *out)
{
    const uint32_t channel = cw_dragonfly_channel(ways, here, step);
    cw_ways_add(out, channel, n);
    return ways->net->head[channel] - ways->n_endpoints;
}

/* N draws from switch HERE towards TARGET until they are in GROUP; the switch at which they come into it. */
static uint32_t add_way_into(const struct cw_dragonfly_ways *ways, uint32_t here, uint32_t target, uint32_t group,
                             uint32_t dst, double n, struct cw_ways *out)
{
    while (ways->place[here].group != group)
        here = add_step(ways, here, cw_dragonfly_step(ways, here, target, group, dst), n, out);
    return here;
}

/* N draws from switch HERE to TARGET, of the same group. */
static void add_within(const struct cw_dragonfly_ways *ways, uint32_t here, uint32_t target, double n,
                       struct cw_ways *out)
{
    const uint32_t within = ways->shape.g * ways->trunks + ways->place[target].index;
    if (here != target) add_step(ways, here, ways->steps[(size_t)here * ways->row + within], n, out);
}

static void add_last(const struct cw_dragonfly_ways *ways, uint32_t dst, double n, struct cw_ways *out)
{
    cw_ways_add(out, ways->net->twin[ways->net->first[dst]], n);
}

/* --- valiant-restricted: `via` is a group ------------------------------------------------------------------------- */

static const struct cw_dragonfly_lane_plan restricted_plan = {
    {[CW_STEP_AWAY] = {{0, 0}, {1, 1}}, [CW_STEP_WITHIN] = {{0, 0}, {2, 2}}, [CW_STEP_GLOBAL] = {{0, 0}, {1, 1}}}};

static uint32_t restricted_choices(const void *state, uint32_t sw, uint32_t dst)
{
    const struct cw_dragonfly_ways *ways = state;
    const uint32_t others = journey_of(ways, sw, dst).others;
    return others > 0 ? others : 1;
}

static uint32_t restricted_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                                  struct cw_packet packet)
{
    (void)view;
    const struct cw_dragonfly_ways *ways = state;
    const struct journey journey = journey_of(ways, sw, packet.dst);
    uint32_t via = CW_VIA_NONE;
    if (journey.others > 0) via = group_between(&journey, cw_choice(random, journey.others));
    return via;
}

static inline struct cw_hop restricted_hop(const struct cw_dragonfly_ways *ways, uint32_t here, uint32_t in,
                                           struct cw_packet *packet)
{
    const uint32_t dst = packet->dst, target = cw_dragonfly_switch_of(ways, dst);
    const struct cw_dragonfly_leg leg = cw_dragonfly_leg_at(packet, ways->place[here].group);
    const uint32_t group = cw_dragonfly_either(leg.via == CW_VIA_NONE, cw_dragonfly_group_of(ways, target), leg.via);
    return cw_dragonfly_hop(ways, &restricted_plan, NULL, here, in, dst, leg.phase, target, group);
}

static int restricted_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                           uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct cw_dragonfly_ways *ways = state;
    *out = restricted_hop(ways, sw - ways->n_endpoints, in, packet);
    return 1;
}

static void restricted_turn(const void *state, struct cw_packet_turn *turns, size_t n)
{
    const struct cw_dragonfly_ways *ways = state;
    for (size_t i = 0; i < n; i++)
        turns[i].out = restricted_hop(ways, turns[i].sw - ways->n_endpoints, turns[i].in, turns[i].packet);
}

static int restricted_dependencies(const void *state, cw_dependency_edge *edge, void *context)
{
    const struct cw_dragonfly_lanes in = {CW_NO_LANE, 0}, out = {1, 1};
    int rc = cw_dragonfly_way_dependencies(state, 0, 0, CW_NO_LANE, edge, context);
    if (rc == 0) rc = cw_dragonfly_turn_dependencies(state, in, out, edge, context);
    return rc ? rc : cw_dragonfly_way_dependencies(state, 1, 1, 2, edge, context);
}

static void restricted_draws(const void *state, uint32_t sw, uint32_t dst, struct cw_ways *out)
{
    const struct cw_dragonfly_ways *ways = state;
    const struct journey journey = journey_of(ways, sw, dst);
    const uint32_t last = cw_dragonfly_switch_of(ways, dst);
    for (uint32_t k = 0; k < journey.others; k++) {
        const uint32_t between = group_between(&journey, k);
        uint32_t at = add_way_into(ways, sw - ways->n_endpoints, last, between, dst, 1, out);
        at = add_way_into(ways, at, last, journey.to, dst, 1, out);
        add_within(ways, at, last, 1, out);
    }
    add_last(ways, dst, journey.others > 0 ? journey.others : 1, out);
}

static const struct cw_packet_routing_ops restricted_ops = {.choices = restricted_choices,
                                                            .draws = restricted_draws,
                                                            .inject = restricted_inject,
                                                            .next = restricted_next,
                                                            .turn = restricted_turn,
                                                            .dependencies = restricted_dependencies,
                                                            .free_state = valiant_free};

static int restricted_compile(const struct cw_network *net, const void *values, uint64_t seed,
                              struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    return valiant_compile(net, "valiant-restricted", &restricted_ops, 3, out);
}

const struct cw_engine cw_engine_valiant_restricted = {
    .name = "valiant-restricted",
    .help =
        "dragonflies: minimally to the first switch of a random intermediate group, then minimally to the destination",
    .needs = "a dragonfly made by the generator, with at least three groups",
    .shape = &cw_shape_dragonfly,
    .accepts = cw_dragonfly_accepts,
    .packets = restricted_compile};

/* --- valiant-any: `via` is a switch ------------------------------------------------------------------------------- */

static const struct cw_dragonfly_lane_plan any_plan = {
    {[CW_STEP_AWAY] = {{0, 0}, {2, 2}}, [CW_STEP_WITHIN] = {{0, 1}, {3, 3}}, [CW_STEP_GLOBAL] = {{0, 0}, {1, 1}}}};

static uint32_t any_choices(const void *state, uint32_t sw, uint32_t dst)
{
    const struct cw_dragonfly_ways *ways = state;
    const uint32_t others = journey_of(ways, sw, dst).others;
    return others > 0 ? others * ways->shape.a : 1;
}

static uint32_t any_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                           struct cw_packet packet)
{
    (void)view;
    const struct cw_dragonfly_ways *ways = state;
    const struct journey journey = journey_of(ways, sw, packet.dst);
    uint32_t via = CW_VIA_NONE;
    if (journey.others > 0) {
        const uint32_t k = cw_choice(random, journey.others * ways->shape.a), group = cw_dragonfly_group_of(ways, k);
        via = group_between(&journey, group) * ways->shape.a + (k - group * ways->shape.a);
    }
    return via;
}

static int any_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                    uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct cw_dragonfly_ways *ways = state;
    *out = cw_dragonfly_via_hop(ways, &any_plan, NULL, sw - ways->n_endpoints, in, packet);
    return 1;
}

static void any_turn(const void *state, struct cw_packet_turn *turns, size_t n)
{
    const struct cw_dragonfly_ways *ways = state;
    for (size_t i = 0; i < n; i++)
        turns[i].out =
            cw_dragonfly_via_hop(ways, &any_plan, NULL, turns[i].sw - ways->n_endpoints, turns[i].in, turns[i].packet);
}

static int any_dependencies(const void *state, cw_dependency_edge *edge, void *context)
{
    return cw_dragonfly_via_dependencies(state, edge, context);
}

/* Draws from switch SW to each switch of GROUP. With one cable between groups all come in at the same switch. */
static void add_ways_to(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t group, uint32_t dst,
                        struct cw_ways *out)
{
    const uint32_t first = group * ways->shape.a, a = ways->shape.a;
    uint32_t at = CW_NONE;
    if (ways->trunks == 1) at = add_way_into(ways, sw, first, group, dst, a, out);
    for (uint32_t via = first; via < first + a; via++)
        add_within(ways, at != CW_NONE ? at : add_way_into(ways, sw, via, group, dst, 1, out), via, 1, out);
}

/* The same from each switch of GROUP to switch LAST, of another one, as far as into its group: `held` there. */
static void add_ways_from(const struct cw_dragonfly_ways *ways, uint32_t group, uint32_t last, uint32_t dst,
                          struct cw_ways *out)
{
    const uint32_t first = group * ways->shape.a, a = ways->shape.a, to = ways->place[last].group;
    for (uint32_t sw = first; sw < first + a; sw++) {
        const uint32_t step = cw_dragonfly_step(ways, sw, last, to, dst);
        out->held[step >> CW_STEP_KIND_SHIFT == CW_STEP_GLOBAL ? sw : add_step(ways, sw, step, 1, out)]++;
    }
    for (uint32_t sw = first; sw < first + a; sw++) {
        if (out->held[sw] <= 0) continue;
        out->held[add_step(ways, sw, cw_dragonfly_step(ways, sw, last, to, dst), out->held[sw], out)] += out->held[sw];
        out->held[sw] = 0;
    }
}

static void any_draws(const void *state, uint32_t sw, uint32_t dst, struct cw_ways *out)
{
    const struct cw_dragonfly_ways *ways = state;
    const struct journey journey = journey_of(ways, sw, dst);
    const uint32_t last = cw_dragonfly_switch_of(ways, dst), a = ways->shape.a;
    for (uint32_t k = 0; k < journey.others; k++) {
        const uint32_t between = group_between(&journey, k);
        add_ways_to(ways, sw - ways->n_endpoints, between, dst, out);
        add_ways_from(ways, between, last, dst, out);
    }
    for (uint32_t at = journey.to * a; at < (journey.to + 1) * a; at++) {
        if (out->held[at] > 0) add_within(ways, at, last, out->held[at], out);
        out->held[at] = 0;
    }
    add_last(ways, dst, journey.others > 0 ? (double)journey.others * a : 1, out);
}

static const struct cw_packet_routing_ops any_ops = {.choices = any_choices,
                                                     .draws = any_draws,
                                                     .inject = any_inject,
                                                     .next = any_next,
                                                     .turn = any_turn,
                                                     .dependencies = any_dependencies,
                                                     .free_state = valiant_free};

static int any_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    return valiant_compile(net, "valiant-any", &any_ops, 4, out);
}

const struct cw_engine cw_engine_valiant_any = {
    .name = "valiant-any",
    .help =
        "dragonflies: minimally to a random switch of a random intermediate group, then minimally to the destination",
    .needs = "a dragonfly made by the generator, with at least three groups",
    .shape = &cw_shape_dragonfly,
    .accepts = cw_dragonfly_accepts,
    .valiant = true,
    .packets = any_compile};
