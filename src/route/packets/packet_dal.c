/*
 * Dimensionally adaptive, load-balanced routing of HyperX (Ahn et al., SC 2009, section 3): in each dimension in which
 * a packet still differs from its destination it may go there directly, or, once in that dimension, to any other switch
 * of the row first. Of each dimension one direct hop and one random detour are compared: flits waiting, times the hops
 * that it takes to get there (detours two), direct first among equals.
 *
 * The publication keeps an escape lane of dimension order; here the lane is the number of hops before
 * (shortest_ways.h), two for each dimension, which needs no escape and leaves the order of dimensions free.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

struct dal {
    const struct cw_network *net;
    struct cw_hyperx shape;
    uint32_t stride[CW_HYPERX_DIMENSIONS];
};

struct candidate {
    uint32_t channel, cost;
};

static uint32_t coordinate(const struct dal *dal, uint32_t index, uint32_t d)
{
    return index / dal->stride[d] % dal->shape.s[d];
}

/* Which dimension of its row a channel between switches is in. */
static uint32_t dimension_of(const struct dal *dal, uint32_t channel)
{
    const uint32_t a = dal->net->tail[channel] - dal->net->n_endpoints;
    const uint32_t b = dal->net->head[channel] - dal->net->n_endpoints;
    uint32_t d = 0;
    while (coordinate(dal, a, d) == coordinate(dal, b, d)) d++;
    return d;
}

/* The cable with the fewest flits waiting from switch HERE to coordinate Y of dimension D, where it is at X. */
static struct candidate least_waiting(const struct dal *dal, const struct cw_queue_view *view, uint32_t here,
                                      uint32_t d, uint32_t x, uint32_t y)
{
    const uint32_t first = dal->net->first[dal->net->n_endpoints + here];
    const uint32_t channel = first + (uint32_t)cw_hyperx_port(&dal->shape, d, x, y) - 1;
    struct candidate best = {channel, view->occupancy(view->simulator, channel)};
    for (uint32_t j = 1; j < dal->shape.k[d]; j++) {
        const uint32_t cost = view->occupancy(view->simulator, channel + j);
        if (cost < best.cost) best = (struct candidate){channel + j, cost};
    }
    return best;
}

/* Puts CANDIDATE behind those that cost as much or less. */
static void insert(struct candidate *candidates, int *n, struct candidate candidate)
{
    int at = (*n)++;
    for (; at > 0 && candidates[at - 1].cost > candidate.cost; at--) candidates[at] = candidates[at - 1];
    candidates[at] = candidate;
}

/* The direct hop in dimension D and, if ONCE_MORE, a random detour. */
static void add_dimension(const struct dal *dal, const struct cw_queue_view *view, uint32_t here, uint32_t last,
                          uint32_t d, bool once_more, uint64_t random, struct candidate *candidates, int *n)
{
    const uint32_t x = coordinate(dal, here, d), to = coordinate(dal, last, d), s = dal->shape.s[d];
    insert(candidates, n, least_waiting(dal, view, here, d, x, to));
    if (!once_more || s < 3) return;
    const uint32_t low = x < to ? x : to, high = x < to ? to : x;
    uint32_t y = cw_choice(cw_random_hash(random, d), s - 2);
    y += y >= low;
    y += y >= high;
    struct candidate detour = least_waiting(dal, view, here, d, x, y);
    detour.cost = 2 * detour.cost + 1; /* one for the hop that an empty network is spared */
    insert(candidates, n, detour);
}

static int dal_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                    uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    const struct dal *dal = state;
    const uint32_t here = sw - dal->net->n_endpoints, last = packet->dst / dal->shape.t;
    struct candidate candidates[2 * CW_HYPERX_DIMENSIONS];
    int n = 0;
    if (here == last) {
        *out = (struct cw_hop){dal->net->first[sw] + packet->dst % dal->shape.t, 0};
        return 1;
    }
    if (in != CW_NONE) { /* a hop that did not bring it to the destination's coordinate was a detour */
        const uint32_t d = dimension_of(dal, in);
        if (coordinate(dal, here, d) != coordinate(dal, last, d)) packet->phase = (packet->phase | 1u << d) & 0xff;
    }
    for (uint32_t d = 0; d < dal->shape.n; d++)
        if (coordinate(dal, here, d) != coordinate(dal, last, d))
            add_dimension(dal, view, here, last, d, !(packet->phase >> d & 1), random, candidates, &n);
    for (int i = 0; i < n && i < max; i++)
        out[i] = (struct cw_hop){candidates[i].channel, in == CW_NONE ? 0 : (uint8_t)(lane + 1)};
    return n < max ? n : max;
}

static uint32_t dal_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return 0; /* it looks at queues */
}

static int dal_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                            void *context)
{
    const struct dal *dal = state;
    return cw_shortest_dependencies(dal->net, 2 * dal->shape.n, edge, context);
}

static const struct cw_packet_routing_ops ops = {
    .choices = dal_choices, .next = dal_next, .dependencies = dal_dependencies, .free_state = free};

static bool dal_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return 2 * net->shape.hyperx.n <= CW_SHORTEST_LANES;
}

static int dal_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    struct dal *dal = cw_new_array(1, sizeof *dal, "adaptive routes of a HyperX");
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    if (!dal || !lanes) {
        free(dal);
        free(lanes);
        return CW_ENOMEM;
    }
    *dal = (struct dal){.net = net, .shape = net->shape.hyperx};
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dal->shape.n; stride *= dal->shape.s[d++]) dal->stride[d] = stride;
    cw_lanes_between_switches(net, 2 * dal->shape.n, lanes);
    return cw_packet_routing_make(net, "dal", &ops, dal, lanes, out);
}

const struct cw_engine cw_engine_dal = {.name = "dal",
                                        .help = "HyperX: dimensionally-adaptive, load-balanced routing chooses the "
                                                "order of dimensions by queues, with at most one detour in each",
                                        .needs = "a HyperX made by the generator, with at most 4 dimensions",
                                        .by_queues = true,
                                        .shape = &cw_shape_hyperx,
                                        .accepts = dal_accepts,
                                        .packets = dal_compile};
