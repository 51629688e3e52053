/*
 * Minimal routing of dragonflies (Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008): to
 * the switch of the group with a global channel to the destination's group, over that channel, to the destination's
 * switch; at most one local, one global and one local hop. Two global hops in a row may be shorter than these three;
 * the field's minimal routing does not take them, so the engine does not claim shortest routes.
 *
 * Where several channels join two groups, a switch takes one of its own rather than another switch's, then one that
 * ends at the destination's switch rather than another, and of those still equal number d mod n for destination d. This
 * depends on switch and destination only, so the routes are forwarding tables in closed form.
 *
 * A hop's lane is the number of global hops before it: channels follow in the order local 0, global 0, local 1, so
 * that no circle can close.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/fast_divide.h"
#include "route/routes_internal.h"

struct minimal {
    const struct cw_network *net;
    struct cw_dragonfly shape;
    struct cw_divisor endpoints, switches; /* division by p and by a */
    uint32_t *begin;                       /* [g · g + 1] channels from group i to j are at begin[i · g + j] … */
    uint32_t *global;                      /* … of these */
};

/* What makes a channel better than others, best first. */
enum preference { OWN_AND_LAST, OWN, LAST, ANY };

static inline bool preferred(const struct cw_network *net, uint32_t channel, uint32_t v, uint32_t last,
                             enum preference preference)
{
    const bool own = net->tail[channel] == v, ends = net->head[channel] == last;
    switch (preference) {
    case OWN_AND_LAST:
        return own && ends;
    case OWN:
        return own;
    case LAST:
        return ends;
    case ANY:
        break;
    }
    return true;
}

/* The global channel among the N at CHANNELS that switch V takes towards DST, whose switch is LAST. */
static uint32_t pick(const struct cw_network *net, const uint32_t *channels, uint32_t n, uint32_t v, uint32_t last,
                     uint32_t dst)
{
    if (n == 1) return *channels;
    for (enum preference preference = OWN_AND_LAST; preference <= ANY; preference++) {
        uint32_t equal = 0;
        for (uint32_t i = 0; i < n; i++) equal += preferred(net, channels[i], v, last, preference);
        if (equal == 0) continue;
        uint32_t left = dst % equal + 1;
        for (uint32_t i = 0; i < n; i++)
            if (preferred(net, channels[i], v, last, preference) && --left == 0) return channels[i];
    }
    return *channels;
}

/* The channel between two switches of GROUP. */
static uint32_t local_channel(const struct minimal *minimal, uint32_t group, uint32_t from, uint32_t to)
{
    const uint32_t t = to - minimal->net->n_endpoints - group * minimal->shape.a;
    return minimal->net->first[from] + minimal->shape.p + t - (to > from);
}

static uint32_t minimal_path(const struct minimal *minimal, uint32_t src, uint32_t dst, uint32_t *channels,
                             uint8_t *lanes)
{
    const struct cw_network *net = minimal->net;
    if (src == dst) return 0;
    const uint32_t src_switch = cw_divide(src, minimal->endpoints), dst_switch = cw_divide(dst, minimal->endpoints);
    const uint32_t src_group = cw_divide(src_switch, minimal->switches);
    const uint32_t dst_group = cw_divide(dst_switch, minimal->switches);
    const uint32_t last = net->n_endpoints + dst_switch;
    uint32_t v = net->n_endpoints + src_switch, n = 0, globals_at = UINT32_MAX;
    channels[n++] = net->first[src];
    if (src_group != dst_group) {
        const uint32_t *begin = minimal->begin + src_group * minimal->shape.g + dst_group;
        const uint32_t *list = minimal->global + begin[0], count = begin[1] - begin[0];
        uint32_t channel = pick(net, list, count, v, last, dst);
        if (net->tail[channel] != v) {
            const uint32_t leaving = net->tail[channel];
            channels[n++] = local_channel(minimal, src_group, v, leaving);
            channel = pick(net, list, count, leaving, last, dst);
        }
        globals_at = n;
        channels[n++] = channel;
        v = net->head[channel];
    }
    if (v != last) channels[n++] = local_channel(minimal, dst_group, v, last);
    channels[n++] = net->first[last] + dst - dst_switch * minimal->shape.p;
    for (uint32_t i = 0; lanes && i < n; i++) lanes[i] = i > globals_at;
    return n;
}

static int minimal_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                         uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < n; i++) {
        hops[i] = minimal_path(state, src[i], dst[i], channels, lanes);
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

static void minimal_free(void *state)
{
    struct minimal *minimal = state;
    free(minimal->begin);
    free(minimal->global);
    free(minimal);
}

static const struct cw_formula formula = {.name = "minimal", .paths = minimal_paths, .free_state = minimal_free};

/* --- compiling --------------------------------------------------------------------------------------------------- */

/* Checks endpoints and local channels of switch INDEX, and that the others lead to other groups. */
static bool switch_fits(const struct minimal *minimal, uint32_t index)
{
    const struct cw_network *net = minimal->net;
    const struct cw_dragonfly *shape = &minimal->shape;
    const uint32_t v = net->n_endpoints + index, group = index / shape->a, local = shape->p + shape->a - 1;
    if (cw_network_degree(net, v) < local || cw_network_degree(net, v) > local + shape->h) return false;
    for (uint32_t i = 0; i < shape->p; i++) {
        const uint32_t endpoint = index * shape->p + i;
        if (net->head[net->first[v] + i] != endpoint || cw_network_degree(net, endpoint) != 1) return false;
    }
    for (uint32_t t = 0; t < shape->a; t++) {
        const uint32_t other = net->n_endpoints + group * shape->a + t;
        if (other != v && net->head[local_channel(minimal, group, v, other)] != other) return false;
    }
    for (uint32_t c = net->first[v] + local; c < net->first[v + 1]; c++)
        if (net->head[c] < net->n_endpoints || (net->head[c] - net->n_endpoints) / shape->a == group) return false;
    return true;
}

static uint32_t group_of(const struct minimal *minimal, uint32_t v)
{
    return (v - minimal->net->n_endpoints) / minimal->shape.a;
}

/* Goes through the global channels, and on with the place of their pair: to count them, or to put each in its place. */
static void list_globals(struct minimal *minimal, uint32_t *place, bool count)
{
    const struct cw_network *net = minimal->net;
    const uint32_t local = minimal->shape.p + minimal->shape.a - 1;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v] + local; c < net->first[v + 1]; c++) {
            uint32_t *at = &place[group_of(minimal, v) * minimal->shape.g + group_of(minimal, net->head[c])];
            if (!count) minimal->global[*at] = c;
            (*at)++;
        }
}

static int find_globals(struct minimal *minimal)
{
    const uint32_t g = minimal->shape.g;
    const size_t pairs = (size_t)g * g;
    minimal->begin = cw_new_array(pairs + 1, sizeof *minimal->begin, "global channels");
    if (!minimal->begin) return CW_ENOMEM;
    list_globals(minimal, minimal->begin + 1, true);
    for (size_t i = 0; i < pairs; i++) {
        if (minimal->begin[i + 1] == 0 && i % g != i / g)
            return cw_fail(CW_EUSAGE, "no global channel leads from group %zu to group %zu", i / g, i % g);
        minimal->begin[i + 1] += minimal->begin[i];
    }
    minimal->global = cw_new_array(minimal->begin[pairs], sizeof *minimal->global, "global channels");
    uint32_t *place = cw_new_array(pairs, sizeof *place, "global channels");
    if (!minimal->global || !place) {
        free(place);
        return CW_ENOMEM;
    }
    for (size_t i = 0; i < pairs; i++) place[i] = minimal->begin[i];
    list_globals(minimal, place, false);
    free(place);
    return 0;
}

static int fill(struct minimal *minimal)
{
    const uint32_t switches = cw_network_switches(minimal->net);
    for (uint32_t i = 0; i < switches; i++)
        if (!switch_fits(minimal, i))
            return cw_fail(CW_EUSAGE, "the network says it is a dragonfly, but switch %u has not a dragonfly's cables",
                           minimal->net->n_endpoints + i);
    return find_globals(minimal);
}

static int minimal_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                           struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    struct minimal *minimal = cw_new_array(1, sizeof *minimal, "routes of a dragonfly");
    if (!minimal) return CW_ENOMEM;
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    *minimal = (struct minimal){
        .net = net, .shape = *shape, .endpoints = cw_divisor_of(shape->p), .switches = cw_divisor_of(shape->a)};
    const int rc = fill(minimal);
    if (rc) {
        minimal_free(minimal);
        return rc;
    }
    const uint32_t local = shape->a > 1, max_hops = shape->g > 1 ? 3 + 2 * local : 2 + local;
    return cw_routes_from_formula(net, &formula, minimal, max_hops, shape->g > 1 ? 2 : 1, true, out);
}

static bool minimal_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return net->shape.kind == CW_SHAPE_DRAGONFLY && shape->p > 0 && shape->a > 0 && shape->g > 0;
}

const struct cw_engine cw_engine_minimal = {.name = "minimal",
                                            .help = "dragonflies: at most one local, one global and one local hop",
                                            .needs = "a dragonfly made by the generator",
                                            .deadlock_freedom = CW_CLAIM_ACYCLIC,
                                            .accepts = minimal_accepts,
                                            .compile = minimal_compile};
