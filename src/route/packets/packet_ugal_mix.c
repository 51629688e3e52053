/*
 * What UGAL comes to, without queues: a share of the packets goes minimally, the others by Valiant's routing of the
 * network, drawn packet by packet. The share is given, or is the one that UGAL would settle at if it knew all of the
 * traffic and had one share for all of it: that of the least time of the busiest channel
 * (route/packets/minimal_share.h).
 *
 * UGAL itself decides for each packet, so that pairs that meet no congestion go minimally while others do not: where
 * pairs differ it may do better than one share for all. Under the adversarial pattern of dragonflies they do not
 * differ: of g groups, 2/g of the packets go minimally, as long as the cables between groups are the busiest.
 *
 * Where Valiant's routing goes through an intermediate group, packets within one group go there directly, as UGAL's do.
 * Minimal packets follow the same rules as the second leg of the others, in the lanes of the first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/packets/ways.h"

#define NAME "ugal-mix"
#define ONE  (UINT64_C(1) << 32) /* a share of 1, of the lower half of a packet's random bits */

struct options {
    char *minimal;
};

struct mix {
    struct cw_packet_routing *valiant; /* owned */
    const struct cw_packet_routing_ops *ops;
    const void *state;
    struct cw_packet_routing_ops own; /* those of the mix */
    uint32_t n_endpoints;
    struct cw_groups groups; /* whose own packets go directly; all 0: none */
    bool by_traffic;
    double minimal;    /* the share, unless by traffic */
    uint64_t indirect; /* 1 - this share, of ONE */
};

static bool is_within_group(const struct mix *mix, uint32_t sw, uint32_t dst)
{
    const struct cw_groups *groups = &mix->groups;
    return groups->n > 0 && (sw - mix->n_endpoints) / groups->switches == dst / groups->endpoints;
}

static uint32_t mix_choices(const void *state, uint32_t sw, uint32_t dst)
{
    const struct mix *mix = state;
    return mix->ops->choices(mix->state, sw, dst);
}

static bool mix_by_traffic(const void *state)
{
    const struct mix *mix = state;
    return mix->by_traffic;
}

static double mix_minimal(const void *state, uint32_t sw, uint32_t dst, double best)
{
    const struct mix *mix = state;
    if (is_within_group(mix, sw, dst)) return 1;
    return mix->by_traffic ? best : mix->minimal;
}

static void mix_shares(const void *state, uint32_t sw, uint32_t dst, bool minimal, double amount, struct cw_ways *ways)
{
    const struct mix *mix = state;
    mix->ops->shares(mix->state, sw, dst, minimal, amount, ways);
}

static void mix_draws(const void *state, uint32_t sw, uint32_t dst, struct cw_ways *ways)
{
    const struct mix *mix = state;
    mix->ops->draws(mix->state, sw, dst, ways);
}

/* The lower half of RANDOM draws the share, the upper one among the choices; those enumerated have a lower half of 0.
 */
static uint32_t mix_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                           struct cw_packet packet)
{
    const struct mix *mix = state;
    if ((random & (ONE - 1)) >= mix->indirect || is_within_group(mix, sw, packet.dst)) return CW_VIA_NONE;
    return mix->ops->inject(mix->state, sw, view, random, packet);
}

static int mix_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                    uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    const struct mix *mix = state;
    return mix->ops->next(mix->state, sw, in, lane, view, random, packet, out, max);
}

static int mix_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                            void *context)
{
    const struct mix *mix = state;
    return mix->ops->dependencies(mix->state, edge, context);
}

static void mix_free(void *state)
{
    struct mix *mix = state;
    cw_packet_routing_free(mix->valiant);
    free(mix);
}

static const struct cw_packet_routing_ops mix_ops = {.choices = mix_choices,
                                                     .by_traffic = mix_by_traffic,
                                                     .minimal = mix_minimal,
                                                     .inject = mix_inject,
                                                     .next = mix_next,
                                                     .dependencies = mix_dependencies,
                                                     .free_state = mix_free};

/* --- making one --------------------------------------------------------------------------------------------------- */

/* Valiant's routing of NET: one that is made for its shape, else one for any network; NULL: there is none. */
static const struct cw_engine *valiant_of(const struct cw_network *net)
{
    const struct cw_engine *found = NULL;
    for (size_t i = 0; cw_engines[i]; i++)
        if (cw_engines[i]->valiant && (!found || cw_engines[i]->shape) && cw_engine_accepts(cw_engines[i], net, NULL))
            found = cw_engines[i];
    return found;
}

static bool mix_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return valiant_of(net) != NULL;
}

static int read_share(const char *text, struct mix *mix)
{
    mix->by_traffic = strcmp(text, "best") == 0;
    const int rc = mix->by_traffic ? 0 : cw_parse_real(NAME ": minimal", text, &mix->minimal);
    if (rc) return rc;
    if (mix->minimal < 0 || mix->minimal > 1)
        return cw_fail(CW_EUSAGE, NAME ": minimal is %s, expected a share from 0 to 1, or best", text);
    mix->indirect = (uint64_t)((1 - mix->minimal) * ONE + 0.5);
    return 0;
}

static int mix_packets(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    const struct options *options = values;
    const struct cw_engine *valiant = valiant_of(net);
    struct mix *mix = cw_new_array(1, sizeof *mix, "a mix of routings");
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    int rc = mix && lanes ? read_share(options->minimal, mix) : CW_ENOMEM;
    if (!rc) rc = valiant->packets(net, NULL, seed, &mix->valiant);
    if (rc) {
        free(mix);
        free(lanes);
        return rc;
    }
    mix->ops = cw_packet_routing_operations(mix->valiant);
    mix->state = cw_packet_routing_state(mix->valiant);
    mix->own = mix_ops;
    if (mix->ops->shares) mix->own.shares = mix_shares;
    if (mix->ops->draws) mix->own.draws = mix_draws;
    mix->n_endpoints = net->n_endpoints;
    if (valiant->shape) mix->groups = cw_shape_groups(&net->shape);
    for (uint32_t c = 0; c < net->n_channels; c++) lanes[c] = (uint8_t)cw_packet_routing_lanes(mix->valiant, c);
    return cw_packet_routing_make(net, NAME, &mix->own, mix, lanes, out);
}

static const struct cw_option options[] = {
    {.name = "minimal",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct options, minimal),
     .value_name = "SHARE",
     .default_text = "best",
     .help = "share of the packets that go minimally, 0 to 1. best: the share that minimises the time of the busiest "
             "channel, found for the messages of each round"},
    {.name = NULL}};

const struct cw_engine cw_engine_ugal_mix = {
    .name = NAME,
    .help = "UGAL without queues: a fixed share of the packets goes minimally, the others by Valiant's routing",
    .needs = "a network that valiant-any, megafly-valiant or valiant can route",
    .options = options,
    .size = sizeof(struct options),
    .accepts = mix_accepts,
    .packets = mix_packets};
