/* By which of the ports of least hops a switch sends to a destination: the rules of OpenSM's engines. */
#include "route/engines/opensm/opensm.h"
#include "route/routes_internal.h"

/* The channel with fewer destinations, BEST of equals. BEST may be CW_NONE. */
static uint32_t lesser(const struct cw_opensm *opensm, uint32_t best, uint32_t c)
{
    return best == CW_NONE || opensm->assigned[c] < opensm->assigned[best] ? c : best;
}

/* --- the further LIDs of an endpoint ------------------------------------------------------------------------------ */

static bool same_system(const struct cw_network *net, uint32_t v, uint32_t w)
{
    return v == w || (net->identity && net->identity[v].system_guid == net->identity[w].system_guid);
}

/* The place of channel C in the order of ports, counted from 1. */
static uint32_t place_of(const struct cw_opensm *opensm, uint32_t c)
{
    return opensm->place ? opensm->place[c] : cw_network_port(opensm->net, c);
}

/* The channel by which the LID before this one of DST leaves V. */
static uint32_t channel_before(const struct cw_opensm *opensm, uint32_t v, uint32_t dst)
{
    const struct cw_routes *laid = opensm->laid;
    while (laid->next_lid) laid = laid->next_lid;
    return cw_tables_channel(laid->tables, v, dst);
}

/* How many of the LIDs before this one of DST leave V by a channel, by any to its switch, or by any to its box. */
struct before {
    uint32_t by_channel, by_node, by_system;
};

static struct before look_back(const struct cw_opensm *opensm, uint32_t v, uint32_t dst, uint32_t c)
{
    const uint32_t *head = opensm->net->head;
    struct before before = {0};
    for (const struct cw_routes *laid = opensm->laid; laid; laid = laid->next_lid) {
        const uint32_t went = cw_tables_channel(laid->tables, v, dst);
        before.by_channel += went == c;
        before.by_node += head[went] == head[c];
        before.by_system += same_system(opensm->net, head[went], head[c]);
    }
    return before;
}

/* The best of channels that come one after another. An equally assigned one comes before another only if fewer LIDs of
 * the destination leave by it than by any that was best before. */
struct best {
    uint32_t channel, fewest;
};

static void consider(const struct cw_opensm *opensm, struct best *best, uint32_t c, uint32_t used)
{
    const bool first = best->channel == CW_NONE;
    const uint32_t assigned = opensm->assigned[c], least = first ? UINT32_MAX : opensm->assigned[best->channel];
    if (assigned > least || (assigned == least && used >= best->fewest)) return;
    best->channel = c;
    if (first || used < best->fewest) best->fewest = used;
}

/* Channels come in turn, from the first whose place is behind the number of the port that the LID before went by. One
 * to a box of switches where no LID of DST has been is best, else one to a switch where none has been. */
static uint32_t for_further_lid(const struct cw_opensm *opensm, uint32_t v, uint32_t dst, const uint32_t *channels,
                                uint32_t n)
{
    const uint32_t last = cw_network_port(opensm->net, channel_before(opensm, v, dst));
    uint32_t start = 0, new_node = CW_NONE, new_system = CW_NONE;
    struct best best = {.channel = CW_NONE};
    while (start < n && place_of(opensm, channels[start]) <= last) start++;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t c = channels[(start + i) % n];
        const struct before before = look_back(opensm, v, dst, c);
        consider(opensm, &best, c, before.by_node);
        if (before.by_node == 0) new_node = lesser(opensm, new_node, c);
        if (before.by_system == 0) new_system = lesser(opensm, new_system, c);
    }
    return new_system != CW_NONE ? new_system : new_node != CW_NONE ? new_node : best.channel;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

uint32_t cw_opensm_for_first_lid(const struct cw_opensm *opensm, const uint32_t *channels, uint32_t n, bool only_first)
{
    const uint32_t *head = opensm->net->head;
    uint32_t best = channels[0];
    for (uint32_t i = 1; i < n; i++)
        if (!only_first || head[channels[i]] == head[channels[0]]) best = lesser(opensm, best, channels[i]);
    return best;
}

uint32_t cw_opensm_least_assigned(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    const uint32_t best = opensm->laid ? for_further_lid(opensm, v, dst, channels, n)
                                       : cw_opensm_for_first_lid(opensm, channels, n, false);
    opensm->assigned[best]++;
    return best;
}

uint32_t cw_opensm_to_first_neighbour(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    const uint32_t *head = opensm->net->head;
    struct best best = {.channel = CW_NONE};
    if (!opensm->laid) best.channel = cw_opensm_for_first_lid(opensm, channels, n, true);
    for (uint32_t i = 0; opensm->laid && i < n; i++)
        if (head[channels[i]] == head[channels[0]])
            consider(opensm, &best, channels[i], look_back(opensm, v, dst, channels[i]).by_channel);
    opensm->assigned[best.channel]++;
    return best.channel;
}
