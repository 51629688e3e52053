#include "route/packets/packet_dragonfly.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"

static const char what[] = "packet routes of a dragonfly";

void cw_dragonfly_ways_free(struct cw_dragonfly_ways *ways)
{
    free(ways->place);
    free(ways->steps);
    cw_dragonfly_globals_free(&ways->globals);
}

static uint32_t end_of(const struct cw_dragonfly_ways *ways, uint32_t sw)
{
    return ways->net->first[ways->n_endpoints + sw + 1];
}

static void find_trunks(struct cw_dragonfly_ways *ways)
{
    const uint32_t *begin = ways->globals.begin, g = ways->shape.g;
    ways->trunks = 1;
    for (size_t pair = 0; pair < (size_t)g * g; pair++)
        if (begin[pair + 1] - begin[pair] > ways->trunks) ways->trunks = begin[pair + 1] - begin[pair];
}

static uint16_t step_by(const struct cw_dragonfly_place *place, uint32_t channel, enum cw_dragonfly_kind kind)
{
    return (uint16_t)((channel - place->first) | (uint32_t)kind << CW_STEP_KIND_SHIFT);
}

/* The step of switch SW by global CHANNEL: over it, or to the switch that has it. */
static uint16_t step_towards(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t channel)
{
    const struct cw_dragonfly_place *place = &ways->place[sw];
    const uint32_t v = ways->n_endpoints + sw, leaving = ways->net->tail[channel];
    if (leaving == v) return step_by(place, channel, CW_STEP_GLOBAL);
    return step_by(place, cw_dragonfly_local_channel(&ways->globals, place->group, v, leaving), CW_STEP_AWAY);
}

/* Fills the steps of switch SW towards GROUP, another one: again and again those by channels of its own, or else those
 * by the other switches'. */
static void fill_away(struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t group)
{
    const uint32_t *pair = ways->globals.begin + (size_t)ways->place[sw].group * ways->shape.g + group;
    const uint32_t *channels = ways->globals.global + pair[0], n = pair[1] - pair[0];
    uint16_t *steps = ways->steps + (size_t)sw * ways->row + (size_t)group * ways->trunks;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ways->net->tail[channels[i]] == ways->n_endpoints + sw)
            steps[filled++] = step_towards(ways, sw, channels[i]);
    for (uint32_t i = 0, own = filled; own == 0 && i < n; i++) steps[filled++] = step_towards(ways, sw, channels[i]);
    for (uint32_t i = filled; i < ways->trunks; i++) steps[i] = steps[i - filled];
}

static void fill_within(struct cw_dragonfly_ways *ways, uint32_t sw)
{
    const struct cw_dragonfly_place *place = &ways->place[sw];
    const uint32_t v = ways->n_endpoints + sw, base = v - place->index;
    uint16_t *steps = ways->steps + (size_t)sw * ways->row + (size_t)ways->shape.g * ways->trunks;
    for (uint32_t i = 0; i < ways->shape.a; i++)
        steps[i] =
            i == place->index
                ? step_by(place, place->first, CW_STEP_HOST)
                : step_by(place, cw_dragonfly_local_channel(&ways->globals, place->group, v, base + i), CW_STEP_WITHIN);
}

static int fill_steps(struct cw_dragonfly_ways *ways)
{
    const struct cw_dragonfly *shape = &ways->shape;
    const size_t n_switches = (size_t)shape->a * shape->g;
    find_trunks(ways);
    ways->row = shape->g * ways->trunks + shape->a;
    ways->steps = cw_new_array(n_switches * ways->row, sizeof *ways->steps, what);
    if (!ways->steps) return CW_ENOMEM;
    for (uint32_t sw = 0; sw < n_switches; sw++) {
        for (uint32_t group = 0; group < shape->g; group++)
            if (group != ways->place[sw].group) fill_away(ways, sw, group);
        fill_within(ways, sw);
    }
    return 0;
}

int cw_dragonfly_ways_new(const struct cw_network *net, const char *routing, uint32_t least_groups,
                          struct cw_dragonfly_ways *ways)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    if (shape->g < least_groups)
        return cw_fail(CW_EUSAGE, "%s sends packets through an intermediate group; a network of %u group%s has none",
                       routing, shape->g, cw_plural(shape->g));
    *ways = (struct cw_dragonfly_ways){.net = net,
                                       .shape = *shape,
                                       .n_endpoints = net->n_endpoints,
                                       .by_p = cw_divisor_of(shape->p),
                                       .by_a = cw_divisor_of(shape->a)};
    const uint32_t n_switches = cw_network_switches(net);
    if (n_switches >= CW_VIA_NONE)
        return cw_fail(CW_ELIMIT, "%u switches, expected fewer than %d: a packet holds the number of one", n_switches,
                       CW_VIA_NONE);
    if ((uint64_t)shape->p + shape->a + shape->h > CW_STEP_PORT)
        return cw_fail(CW_ELIMIT, "a switch has too many ports, expected at most %u", CW_STEP_PORT);
    int rc = cw_dragonfly_globals_new(net, &ways->globals);
    if (rc) return rc;
    ways->place = cw_new_array(n_switches, sizeof *ways->place, what);
    if (!ways->place) rc = CW_ENOMEM;
    for (uint32_t sw = 0; sw < n_switches && rc == 0; sw++)
        ways->place[sw] = (struct cw_dragonfly_place){
            .first = net->first[net->n_endpoints + sw], .group = sw / shape->a, .index = sw % shape->a};
    if (rc == 0) rc = fill_steps(ways);
    if (rc) cw_dragonfly_ways_free(ways);
    return rc;
}

int cw_dragonfly_make(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                      void *state, uint8_t local_lanes, uint8_t global_lanes, struct cw_packet_routing **out)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, what);
    for (uint32_t c = 0; lanes && c < net->n_channels; c++) {
        const uint32_t tail = net->tail[c], port = c - net->first[tail];
        const bool host = cw_network_is_endpoint(net, tail) || port < shape->p;
        lanes[c] = host ? 1 : port < shape->p + shape->a - 1 ? local_lanes : global_lanes;
    }
    return cw_packet_routing_make(net, name, ops, state, lanes, out);
}

uint32_t cw_dragonfly_step(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target, uint32_t group,
                           uint32_t dst)
{
    const uint32_t n = ways->n_endpoints, from = ways->place[sw].group;
    if (ways->trunks == 1) return *cw_dragonfly_steps(ways, sw, group);
    return step_towards(ways, sw, cw_dragonfly_pick(&ways->globals, from, group, n + sw, n + target, dst));
}

uint32_t cw_dragonfly_least_towards(const struct cw_dragonfly_ways *ways, const struct cw_queue_view *view, uint32_t sw,
                                    uint32_t target, uint32_t group, uint32_t dst)
{
    const uint16_t *steps = cw_dragonfly_steps(ways, sw, group);
    uint32_t best = cw_dragonfly_step(ways, sw, target, group, dst);
    if (ways->trunks == 1) return best;
    uint32_t least = view->occupancy(view->simulator, cw_dragonfly_channel(ways, sw, best));
    for (uint32_t i = 0; i < ways->trunks && least > 0; i++) {
        const uint32_t occupancy = view->occupancy(view->simulator, cw_dragonfly_channel(ways, sw, steps[i]));
        if (occupancy >= least) continue;
        least = occupancy;
        best = steps[i];
    }
    return best;
}

uint32_t cw_dragonfly_hops(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t target, uint32_t dst)
{
    const uint32_t group = ways->place[target].group;
    uint32_t hops = 0;
    for (; ways->place[sw].group != group; hops++) {
        const uint32_t step = cw_dragonfly_step(ways, sw, target, group, dst);
        sw = ways->net->head[cw_dragonfly_channel(ways, sw, step)] - ways->n_endpoints;
    }
    return hops + (sw != target);
}

/* --- dependencies ------------------------------------------------------------------------------------------------- */

/* From the local channel of an entry of SW to the global ones by which the switch there goes on to GROUP. */
static int entry_dependencies(const struct cw_dragonfly_ways *ways, uint32_t sw, uint32_t group, struct cw_hop from,
                              uint8_t global, cw_dependency_edge *edge, void *context)
{
    int rc = 0;
    if (cw_dragonfly_is_global(ways, &ways->place[sw], from.channel)) return 0;
    const uint32_t leaving = ways->net->head[from.channel] - ways->n_endpoints;
    const uint16_t *steps = cw_dragonfly_steps(ways, leaving, group);
    for (uint32_t i = 0; i < ways->trunks && rc == 0; i++)
        rc = edge(context, from, (struct cw_hop){cw_dragonfly_channel(ways, leaving, steps[i]), global});
    return rc;
}

int cw_dragonfly_way_dependencies(const struct cw_dragonfly_ways *ways, uint8_t local_before, uint8_t global,
                                  uint8_t local_after, cw_dependency_edge *edge, void *context)
{
    const uint32_t g = ways->shape.g, n_switches = ways->shape.a * g;
    int rc = 0;
    for (uint32_t sw = 0; sw < n_switches; sw++)
        for (uint32_t group = 0; group < g; group++)
            for (uint32_t i = 0; i < ways->trunks && group != ways->place[sw].group && rc == 0; i++) {
                const uint32_t channel = cw_dragonfly_channel(ways, sw, cw_dragonfly_steps(ways, sw, group)[i]);
                rc = entry_dependencies(ways, sw, group, (struct cw_hop){channel, local_before}, global, edge, context);
            }
    if (rc) return rc;
    return cw_dragonfly_turn_dependencies(ways, (struct cw_dragonfly_lanes){CW_NO_LANE, global},
                                          (struct cw_dragonfly_lanes){local_after, CW_NO_LANE}, edge, context);
}

static int turns_from(const struct cw_dragonfly_ways *ways, uint32_t sw, struct cw_hop from,
                      struct cw_dragonfly_lanes out, cw_dependency_edge *edge, void *context)
{
    const struct cw_dragonfly_place *place = &ways->place[sw];
    int rc = 0;
    for (uint32_t c = place->first + ways->shape.p; c < end_of(ways, sw) && rc == 0; c++) {
        const uint8_t lane = cw_dragonfly_is_global(ways, place, c) ? out.global : out.local;
        if (lane != CW_NO_LANE) rc = edge(context, from, (struct cw_hop){c, lane});
    }
    return rc;
}

int cw_dragonfly_turn_dependencies(const struct cw_dragonfly_ways *ways, struct cw_dragonfly_lanes in,
                                   struct cw_dragonfly_lanes out, cw_dependency_edge *edge, void *context)
{
    const uint32_t n_switches = ways->shape.a * ways->shape.g;
    int rc = 0;
    for (uint32_t sw = 0; sw < n_switches; sw++) {
        const struct cw_dragonfly_place *place = &ways->place[sw];
        for (uint32_t c = place->first + ways->shape.p; c < end_of(ways, sw) && rc == 0; c++) {
            const uint8_t lane = cw_dragonfly_is_global(ways, place, c) ? in.global : in.local;
            if (lane == CW_NO_LANE) continue;
            rc = turns_from(ways, sw, (struct cw_hop){ways->net->twin[c], lane}, out, edge, context);
        }
    }
    return rc;
}

int cw_dragonfly_via_dependencies(const struct cw_dragonfly_ways *ways, cw_dependency_edge *edge, void *context)
{
    const struct cw_dragonfly_lanes in = {1, 0}, out = {2, 1};
    int rc = cw_dragonfly_way_dependencies(ways, 0, 0, 1, edge, context);
    if (rc == 0) rc = cw_dragonfly_turn_dependencies(ways, in, out, edge, context);
    return rc ? rc : cw_dragonfly_way_dependencies(ways, 2, 1, 3, edge, context);
}
