/*
 * Minimal routing of dragonflies as a closed form (dragonfly_globals.h has the rule). Two global hops in a row may be
 * shorter than local, global, local; the field's minimal routing does not take them, so the engine does not claim
 * shortest routes.
 *
 * A hop's lane is the number of global hops before it: channels follow in the order local 0, global 0, local 1, so
 * that no circle can close.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/dragonfly_globals.h"
#include "route/fast_divide.h"
#include "route/packets/packet_dragonfly.h"
#include "route/routes_internal.h"
#include "route/survey.h"

#define MOST_HOPS 5

struct minimal {
    const struct cw_network *net;
    struct cw_dragonfly shape;
    struct cw_divisor endpoints, switches; /* division by p and by a */
    struct cw_dragonfly_globals globals;
};

static uint32_t minimal_path(const struct minimal *minimal, uint32_t src, uint32_t dst, uint32_t *channels,
                             uint8_t *lanes)
{
    const struct cw_network *net = minimal->net;
    if (src == dst) return 0;
    const uint32_t src_switch = cw_fast_divide(src, minimal->endpoints),
                   dst_switch = cw_fast_divide(dst, minimal->endpoints);
    const uint32_t src_group = cw_fast_divide(src_switch, minimal->switches);
    const uint32_t dst_group = cw_fast_divide(dst_switch, minimal->switches);
    const uint32_t last = net->n_endpoints + dst_switch;
    uint32_t v = net->n_endpoints + src_switch, n = 0, globals_at = UINT32_MAX;
    channels[n++] = net->first[src];
    if (src_group != dst_group) {
        uint32_t channel = cw_dragonfly_pick(&minimal->globals, src_group, dst_group, v, last, dst);
        if (net->tail[channel] != v) {
            const uint32_t leaving = net->tail[channel];
            channels[n++] = cw_dragonfly_local_channel(&minimal->globals, src_group, v, leaving);
            channel = cw_dragonfly_pick(&minimal->globals, src_group, dst_group, leaving, last, dst);
        }
        globals_at = n;
        channels[n++] = channel;
        v = net->head[channel];
    }
    if (v != last) channels[n++] = cw_dragonfly_local_channel(&minimal->globals, dst_group, v, last);
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
    cw_dragonfly_globals_free(&minimal->globals);
    free(minimal);
}

static uint32_t group_of(const struct minimal *minimal, uint32_t v)
{
    return (v - minimal->net->n_endpoints) / minimal->shape.a;
}

/* --- all routes at once ----------------------------------------------------------------------------------------------
 *
 * Routes depend on the source's switch and the destination only. Where a single channel joins two groups, all routes
 * between these take it, and the local channels before and behind depend on the two switches only. Where several do, a
 * route is found for each switch with such a channel and each destination, and one for all other switches together.
 *
 * A route of three hops between switches is a shortest one unless two global hops do: from the source's switch to one
 * of a third group and on to the destination's. All other routes are shortest: a channel of the source's switch and one
 * that ends at the destination's are preferred.
 */

struct census {
    const struct minimal *minimal;
    struct cw_survey *survey;
};

static void add_lengths(const struct census *census, uint64_t n, uint32_t hops)
{
    if (census->survey->load) cw_survey_routes(census->survey, n, hops);
}

/* From LAST to its endpoints by those that came by CHANNEL. */
static void add_ends(const struct census *census, uint32_t channel, uint32_t lane, uint32_t last, uint32_t end_lane)
{
    const uint32_t first = census->minimal->net->first[last];
    for (uint32_t i = 0; i < census->minimal->shape.p && census->survey->graph; i++)
        cw_survey_edge(census->survey, channel, lane, first + i, end_lane);
}

/* The channel of the first endpoint on V, which stands for all of them. */
static uint32_t host_channel(const struct minimal *minimal, uint32_t v)
{
    return minimal->net->first[(v - minimal->net->n_endpoints) * minimal->shape.p];
}

static void add_group(const struct census *census, uint32_t group)
{
    const struct minimal *minimal = census->minimal;
    const uint64_t p = minimal->shape.p, a = minimal->shape.a;
    const uint32_t base = minimal->net->n_endpoints + group * minimal->shape.a;
    add_lengths(census, a * p * (p - 1), 2);
    add_lengths(census, a * (a - 1) * p * p, 3);
    for (uint32_t v = base; v < base + a; v++) {
        add_ends(census, host_channel(minimal, v), 0, v, 0); /* but each to itself: cw_survey_hosts */
        for (uint32_t last = base; last < base + a; last++) {
            if (v == last) continue;
            const uint32_t local = cw_dragonfly_local_channel(&minimal->globals, group, v, last);
            cw_survey_load(census->survey, local, p * p);
            cw_survey_edge(census->survey, host_channel(minimal, v), 0, local, 0);
            add_ends(census, local, 0, last, 0);
        }
    }
}

/* Between groups FROM and TO, which CHANNEL alone joins. */
static void add_single(const struct census *census, uint32_t from, uint32_t to, uint32_t channel)
{
    const struct minimal *minimal = census->minimal;
    const struct cw_network *net = minimal->net;
    const uint64_t p = minimal->shape.p, a = minimal->shape.a;
    const uint32_t leaving = net->tail[channel], entered = net->head[channel];
    add_lengths(census, p * p, 3);
    add_lengths(census, 2 * (a - 1) * p * p, 4);
    add_lengths(census, (a - 1) * (a - 1) * p * p, 5);
    cw_survey_load(census->survey, channel, a * p * a * p);
    cw_survey_edge(census->survey, host_channel(minimal, leaving), 0, channel, 0);
    add_ends(census, channel, 0, entered, 1);
    for (uint32_t s = 0; s < a; s++) {
        const uint32_t v = net->n_endpoints + from * minimal->shape.a + s;
        const uint32_t last = net->n_endpoints + to * minimal->shape.a + s;
        if (v != leaving) {
            const uint32_t local = cw_dragonfly_local_channel(&minimal->globals, from, v, leaving);
            cw_survey_load(census->survey, local, p * a * p);
            cw_survey_edge(census->survey, host_channel(minimal, v), 0, local, 0);
            cw_survey_edge(census->survey, local, 0, channel, 0);
        }
        if (last != entered) {
            const uint32_t local = cw_dragonfly_local_channel(&minimal->globals, to, entered, last);
            cw_survey_load(census->survey, local, a * p * p);
            cw_survey_edge(census->survey, channel, 0, local, 1);
            add_ends(census, local, 1, last, 1);
        }
    }
}

/* True if one of the channels of two groups leaves V. */
static bool leaves(const struct minimal *minimal, const uint32_t *begin, uint32_t v)
{
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        if (minimal->net->tail[minimal->globals.global[i]] == v) return true;
    return false;
}

/* The routes of N switches like that of SRC to DST, from the hop FROM on. Gives the channels. */
static void add_path(const struct census *census, uint64_t n, uint32_t src, uint32_t dst, uint32_t from,
                     uint32_t channels[MOST_HOPS])
{
    uint8_t lanes[MOST_HOPS];
    const uint32_t hops = minimal_path(census->minimal, src, dst, channels, lanes);
    n *= census->minimal->shape.p;
    add_lengths(census, n, hops);
    for (uint32_t h = from; h + 1 < hops; h++) cw_survey_load(census->survey, channels[h], n);
    for (uint32_t h = from; h < hops; h++)
        cw_survey_edge(census->survey, channels[h - 1], lanes[h - 1], channels[h], lanes[h]);
}

/* The first channels, to the switch where CHANNEL leaves the group, of N routes from each endpoint on V. */
static void add_beginning(const struct census *census, uint32_t v, uint32_t channel, uint64_t n)
{
    const struct minimal *minimal = census->minimal;
    const uint32_t local =
        cw_dragonfly_local_channel(&minimal->globals, group_of(minimal, v), v, minimal->net->tail[channel]);
    cw_survey_load(census->survey, local, n * minimal->shape.p);
    cw_survey_edge(census->survey, host_channel(minimal, v), 0, local, 0);
    cw_survey_edge(census->survey, local, 0, channel, 0);
}

/* Between groups that several channels join. Switches without such a channel all choose alike. N has room for a number
 * for each of the channels. */
static void add_several(const struct census *census, uint32_t from, uint32_t to, uint64_t *n)
{
    const struct minimal *minimal = census->minimal;
    const struct cw_network *net = minimal->net;
    const uint32_t p = minimal->shape.p, a = minimal->shape.a;
    const uint32_t *begin = minimal->globals.begin + (size_t)from * minimal->shape.g + to;
    uint32_t channels[MOST_HOPS], others = 0, other = CW_NONE;
    for (uint32_t s = from * a; s < (from + 1) * a; s++) {
        if (!leaves(minimal, begin, net->n_endpoints + s)) {
            others++;
            other = s;
            continue;
        }
        for (uint32_t dst = to * a * p; dst < (to + 1) * a * p; dst++) add_path(census, 1, s * p, dst, 1, channels);
    }
    if (others == 0) return;
    for (uint32_t i = begin[0]; i < begin[1]; i++) n[i - begin[0]] = 0;
    for (uint32_t dst = to * a * p; dst < (to + 1) * a * p; dst++) {
        add_path(census, others, other * p, dst, 3, channels);
        for (uint32_t i = begin[0]; i < begin[1]; i++) n[i - begin[0]] += minimal->globals.global[i] == channels[2];
    }
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        cw_survey_load(census->survey, minimal->globals.global[i], n[i - begin[0]] * others * p);
    for (uint32_t v = net->n_endpoints + from * a; v < net->n_endpoints + (from + 1) * a; v++)
        for (uint32_t i = begin[0]; i < begin[1] && !leaves(minimal, begin, v); i++)
            if (n[i - begin[0]] > 0) add_beginning(census, v, minimal->globals.global[i], n[i - begin[0]]);
}

/* True if a channel that leaves V, or one that enters LAST, joins their groups. */
static bool is_near(const struct minimal *minimal, uint32_t v, uint32_t last)
{
    const uint32_t *begin =
        minimal->globals.begin + (size_t)group_of(minimal, v) * minimal->shape.g + group_of(minimal, last);
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        if (minimal->net->tail[minimal->globals.global[i]] == v ||
            minimal->net->head[minimal->globals.global[i]] == last)
            return true;
    return false;
}

/* Pairs of switches whose routes have three hops where two global ones do. SEEN is a mark for each switch. */
static uint64_t count_detours(const struct minimal *minimal, uint32_t *seen)
{
    const struct cw_network *net = minimal->net;
    const uint32_t local = minimal->shape.p + minimal->shape.a - 1;
    uint64_t n = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v] + local; c < net->first[v + 1]; c++)
            for (uint32_t then = net->first[net->head[c]] + local; then < net->first[net->head[c] + 1]; then++) {
                const uint32_t last = net->head[then];
                if (seen[last - net->n_endpoints] == v || group_of(minimal, last) == group_of(minimal, v)) continue;
                seen[last - net->n_endpoints] = v;
                n += !is_near(minimal, v, last);
            }
    return n;
}

static int count_minimal(const struct census *census)
{
    const struct minimal *minimal = census->minimal;
    const uint64_t p = minimal->shape.p, n = minimal->net->n_endpoints;
    uint32_t *seen = cw_new_array(cw_network_switches(minimal->net), sizeof *seen, "switches");
    if (!seen) return CW_ENOMEM;
    census->survey->minimal = n * (n - 1) - p * p * count_detours(minimal, seen);
    free(seen);
    return 0;
}

static int minimal_survey(const void *state, struct cw_survey *survey)
{
    const struct census census = {state, survey};
    const struct minimal *minimal = census.minimal;
    const struct cw_network *net = minimal->net;
    const uint32_t g = minimal->shape.g;
    uint64_t *numbers = cw_new_array((size_t)minimal->shape.a * minimal->shape.h, sizeof *numbers, "global channels");
    if (!numbers) return CW_ENOMEM;
    for (uint32_t from = 0; from < g; from++)
        for (uint32_t to = 0; to < g; to++) {
            const uint32_t *begin = minimal->globals.begin + (size_t)from * g + to;
            if (from == to)
                add_group(&census, from);
            else if (begin[1] - begin[0] == 1)
                add_single(&census, from, to, minimal->globals.global[begin[0]]);
            else
                add_several(&census, from, to, numbers);
        }
    free(numbers);
    cw_survey_hosts(survey, net);
    return survey->load ? count_minimal(&census) : 0;
}

static bool minimal_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)state;
    return !survey->selection;
}

static const struct cw_formula formula = {.name = "minimal",
                                          .paths = minimal_paths,
                                          .can_survey = minimal_can_survey,
                                          .survey = minimal_survey,
                                          .free_state = minimal_free};

/* --- compiling --------------------------------------------------------------------------------------------------- */

static int minimal_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                           struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    struct minimal *minimal = cw_new_array(1, sizeof *minimal, "routes of a dragonfly");
    if (!minimal) return CW_ENOMEM;
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    *minimal = (struct minimal){
        .net = net, .shape = *shape, .endpoints = cw_divisor_of(shape->p), .switches = cw_divisor_of(shape->a)};
    const int rc = cw_dragonfly_globals_new(net, &minimal->globals);
    if (rc) {
        minimal_free(minimal);
        return rc;
    }
    const uint32_t local = shape->a > 1, max_hops = shape->g > 1 ? 3 + 2 * local : 2 + local;
    return cw_routes_from_formula(net, &formula, minimal, max_hops, shape->g > 1 ? 2 : 1, true, out);
}

const struct cw_engine cw_engine_minimal = {.name = "minimal",
                                            .help = "dragonflies: at most one local, one global and one local hop",
                                            .needs = "a dragonfly made by the generator",
                                            .shape = &cw_shape_dragonfly,
                                            .maps = CW_MAPS_CARRIED,
                                            .by_default = true,
                                            .deadlock_freedom = CW_CLAIM_ACYCLIC,
                                            .accepts = cw_dragonfly_accepts,
                                            .compile = minimal_compile,
                                            .packets = cw_minimal_packets};
