/*
 * Universal globally-adaptive load-balanced routing of dragonflies: each packet takes the minimal way, or goes through
 * one random switch of an intermediate group as valiant-any does, whichever promises to be faster: minimal if
 *
 *     queue of the minimal way · its hops  ≤  queue of the other way · its hops + threshold.
 *
 *     ugal-l   queues of the source switch's outputs (Kim et al., "Technology-driven, highly-scalable dragonfly
 *              topology", ISCA 2008, section 4)
 *     ugal-g   queues of the first global channel of each way, wherever in the group that is: an ideal, as no switch
 *              knows the queues of another (the same)
 *     par      progressive adaptive routing: as ugal-l; where a packet that goes minimally has taken a local hop to the
 *              switch that leaves its group, that one decides again, with a new random switch (Jiang, Kim and Dally,
 *              "Indirect adaptive routing on large scale interconnection networks", ISCA 2009)
 *
 * Packets within one group go there directly. Where several cables join two groups, the one with the shorter queue is
 * taken.
 *
 * Lanes are those of valiant-any; minimal packets use local 0, global 0, local 1 of them. For par, a packet that turns
 * aside may take two local hops in its first group: they are local 0 and 1, and all later local lanes are one more.
 * Dependencies are the superset that packet_valiant.c describes, for par with the turns at the second switch.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/packets/packet_dragonfly.h"

struct options {
    int64_t threshold;
};

struct ugal {
    struct cw_dragonfly_ways ways; /* first: the state of functions that need no more */
    int64_t threshold;
    bool sees_group; /* UGAL-G */
};

/* That of valiant-any, and with a second local hop in the first group. */
static const struct cw_dragonfly_lane_plan ugal_plan = {
    {[CW_STEP_AWAY] = {{0, 0}, {2, 2}}, [CW_STEP_WITHIN] = {{0, 1}, {3, 3}}, [CW_STEP_GLOBAL] = {{0, 0}, {1, 1}}}};
static const struct cw_dragonfly_lane_plan par_plan = {
    {[CW_STEP_AWAY] = {{0, 1}, {3, 3}}, [CW_STEP_WITHIN] = {{0, 2}, {4, 4}}, [CW_STEP_GLOBAL] = {{0, 0}, {1, 1}}}};

static uint32_t ugal_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return 0;
}

/* The queue that stands for the way from SW to TARGET of another group, of a packet for endpoint DST. */
static uint32_t queue_towards(const struct ugal *ugal, const struct cw_queue_view *view, uint32_t sw, uint32_t target,
                              uint32_t dst)
{
    const struct cw_dragonfly_ways *ways = &ugal->ways;
    const uint32_t group = ways->place[target].group;
    uint32_t step = cw_dragonfly_least_towards(ways, view, sw, target, group, dst);
    if (ugal->sees_group && step >> CW_STEP_KIND_SHIFT == CW_STEP_AWAY) {
        sw = ways->net->head[cw_dragonfly_channel(ways, sw, step)] - ways->n_endpoints;
        step = cw_dragonfly_least_towards(ways, view, sw, target, group, dst);
    }
    return view->occupancy(view->simulator, cw_dragonfly_channel(ways, sw, step));
}

/* The intermediate switch of a packet at SW for endpoint DST on LAST, switches of different groups, or CW_VIA_NONE. */
static uint32_t decide(const struct ugal *ugal, const struct cw_queue_view *view, uint64_t random, uint32_t sw,
                       uint32_t last, uint32_t dst)
{
    const struct cw_dragonfly_ways *ways = &ugal->ways;
    const uint32_t k = cw_choice(random, cw_dragonfly_other_switches(ways));
    const uint32_t via = cw_dragonfly_other_switch(ways, k, ways->place[sw].group, ways->place[last].group);
    const int64_t minimal = (int64_t)queue_towards(ugal, view, sw, last, dst) * cw_dragonfly_hops(ways, sw, last, dst);
    if (minimal <= ugal->threshold) return CW_VIA_NONE;
    const uint32_t hops = cw_dragonfly_hops(ways, sw, via, dst) + cw_dragonfly_hops(ways, via, last, dst);
    return minimal <= (int64_t)queue_towards(ugal, view, sw, via, dst) * hops + ugal->threshold ? CW_VIA_NONE : via;
}

static uint32_t ugal_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                            struct cw_packet packet)
{
    const struct ugal *ugal = state;
    const struct cw_dragonfly_ways *ways = &ugal->ways;
    const uint32_t here = sw - ways->n_endpoints, last = cw_dragonfly_switch_of(ways, packet.dst);
    uint32_t via = CW_VIA_NONE;
    if (ways->place[here].group != ways->place[last].group) via = decide(ugal, view, random, here, last, packet.dst);
    return via;
}

static int ugal_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)random, (void)max;
    const struct cw_dragonfly_ways *ways = state;
    *out = cw_dragonfly_via_hop(ways, &ugal_plan, view, sw - ways->n_endpoints, in, packet);
    return 1;
}

static int ugal_dependencies(const void *state, cw_dependency_edge *edge, void *context)
{
    return cw_dragonfly_via_dependencies(state, edge, context);
}

/* --- par ---------------------------------------------------------------------------------------------------------- */

/* A minimal packet that has arrived in a group which is not its destination's has come by its first local hop. */
static int par_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                    uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)max;
    const struct ugal *par = state;
    const struct cw_dragonfly_ways *ways = &par->ways;
    const uint32_t here = sw - ways->n_endpoints;
    if (packet->phase == 0 && packet->via == CW_VIA_NONE && in != CW_NONE) {
        const uint32_t last = cw_dragonfly_switch_of(ways, packet->dst);
        if (ways->place[here].group != ways->place[last].group)
            packet->via = decide(par, view, random, here, last, packet->dst) & CW_VIA_NONE;
    }
    *out = cw_dragonfly_via_hop(ways, &par_plan, view, here, in, packet);
    return 1;
}

static int par_dependencies(const void *state, cw_dependency_edge *edge, void *context)
{
    const struct cw_dragonfly_lanes first = {0, CW_NO_LANE}, aside = {1, 0}, in = {2, 0}, out = {3, 1};
    int rc = cw_dragonfly_way_dependencies(state, 0, 0, 2, edge, context);
    if (rc == 0) rc = cw_dragonfly_turn_dependencies(state, first, aside, edge, context);
    if (rc == 0) rc = cw_dragonfly_way_dependencies(state, 1, 0, CW_NO_LANE, edge, context);
    if (rc == 0) rc = cw_dragonfly_turn_dependencies(state, in, out, edge, context);
    return rc ? rc : cw_dragonfly_way_dependencies(state, 3, 1, 4, edge, context);
}

/* --- compiling ---------------------------------------------------------------------------------------------------- */

static void ugal_free(void *state)
{
    struct ugal *ugal = state;
    cw_dragonfly_ways_free(&ugal->ways);
    free(ugal);
}

static const struct cw_packet_routing_ops ugal_ops = {.choices = ugal_choices,
                                                      .inject = ugal_inject,
                                                      .next = ugal_next,
                                                      .dependencies = ugal_dependencies,
                                                      .free_state = ugal_free};

static const struct cw_packet_routing_ops par_ops = {.choices = ugal_choices,
                                                     .inject = ugal_inject,
                                                     .next = par_next,
                                                     .dependencies = par_dependencies,
                                                     .free_state = ugal_free};

static int compile(const struct cw_network *net, const char *name, const struct options *options, bool sees_group,
                   struct ugal **out)
{
    struct ugal *ugal = cw_new_array(1, sizeof *ugal, "packet routes of a dragonfly");
    if (!ugal) return CW_ENOMEM;
    const int rc = cw_dragonfly_ways_new(net, name, 3, &ugal->ways);
    if (rc) {
        free(ugal);
        return rc;
    }
    ugal->threshold = options->threshold;
    ugal->sees_group = sees_group;
    *out = ugal;
    return 0;
}

static int ugal_l_compile(const struct cw_network *net, const void *values, uint64_t seed,
                          struct cw_packet_routing **out)
{
    (void)seed;
    struct ugal *ugal;
    const int rc = compile(net, "ugal-l", values, false, &ugal);
    return rc ? rc : cw_dragonfly_make(net, "ugal-l", &ugal_ops, ugal, 4, 2, out);
}

static int ugal_g_compile(const struct cw_network *net, const void *values, uint64_t seed,
                          struct cw_packet_routing **out)
{
    (void)seed;
    struct ugal *ugal;
    const int rc = compile(net, "ugal-g", values, true, &ugal);
    return rc ? rc : cw_dragonfly_make(net, "ugal-g", &ugal_ops, ugal, 4, 2, out);
}

static int par_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)seed;
    struct ugal *ugal;
    const int rc = compile(net, "par", values, false, &ugal);
    return rc ? rc : cw_dragonfly_make(net, "par", &par_ops, ugal, 5, 2, out);
}

static const struct cw_option options[] = {{.name = "threshold",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct options, threshold),
                                            .value_name = "FLITS",
                                            .default_text = "0",
                                            .min = -1000000,
                                            .max = 1000000,
                                            .help = "bias towards the minimal way: it is taken unless its queue times "
                                                    "its hops exceeds that of the other way by more than this"},
                                           {.name = NULL}};

static const char needs[] = "a dragonfly made by the generator, with at least three groups";

const struct cw_engine cw_engine_ugal_l = {
    .name = "ugal-l",
    .help = "dragonflies: UGAL-L chooses the minimal way or that of valiant-any by the queues of the source's switch",
    .needs = needs,
    .options = options,
    .size = sizeof(struct options),
    .by_queues = true,
    .shape = &cw_shape_dragonfly,
    .accepts = cw_dragonfly_accepts,
    .packets = ugal_l_compile};

const struct cw_engine cw_engine_ugal_g = {.name = "ugal-g",
                                           .help = "dragonflies: UGAL-G chooses the minimal way or that of valiant-any "
                                                   "by the queues of all global channels of the source's group",
                                           .needs = needs,
                                           .options = options,
                                           .size = sizeof(struct options),
                                           .by_queues = true,
                                           .shape = &cw_shape_dragonfly,
                                           .accepts = cw_dragonfly_accepts,
                                           .packets = ugal_g_compile};

const struct cw_engine cw_engine_par = {.name = "par",
                                        .help = "dragonflies: progressive adaptive routing decides as ugal-l, and once "
                                                "more at the switch where a minimal packet leaves its group",
                                        .needs = needs,
                                        .options = options,
                                        .size = sizeof(struct options),
                                        .by_queues = true,
                                        .shape = &cw_shape_dragonfly,
                                        .accepts = cw_dragonfly_accepts,
                                        .packets = par_compile};
