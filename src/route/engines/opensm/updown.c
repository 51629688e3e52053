#include "route/engines/opensm/updown.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/files/lft_internal.h"

static const char what[] = "ranks of switches";

static int rank_switches(struct cw_updown *updown, const uint32_t *at, uint32_t n_at)
{
    const struct cw_network *net = updown->net;
    const uint32_t base = net->n_endpoints;
    uint32_t *queue = cw_new_array(cw_network_switches(net), sizeof *queue, what), n = 0;
    if (!queue) return CW_ENOMEM;
    memset(updown->rank, 0xff, cw_network_switches(net) * sizeof *updown->rank); /* CW_UPDOWN_UNRANKED */
    for (uint32_t i = 0; i < n_at; i++) {
        if (updown->rank[at[i] - base] == 0) continue;
        updown->rank[at[i] - base] = 0;
        queue[n++] = at[i];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t w = net->head[c];
            if (w < base || updown->rank[w - base] != CW_UPDOWN_UNRANKED) continue;
            updown->rank[w - base] = updown->rank[queue[i] - base] + 1;
            queue[n++] = w;
        }
    free(queue);
    return 0;
}

int cw_updown_open(const struct cw_network *net, enum cw_updown_rule rule, const uint32_t *at, uint32_t n,
                   struct cw_updown *updown)
{
    *updown = (struct cw_updown){.net = net, .rule = rule};
    updown->rank = cw_new_array(cw_network_switches(net), sizeof *updown->rank, what);
    updown->id = cw_new_array(cw_network_switches(net), sizeof *updown->id, what);
    if (!updown->rank || !updown->id) return CW_ENOMEM;
    for (uint32_t i = 0; i < cw_network_switches(net); i++)
        updown->id[i] = cw_lft_switch_guid(net, net->n_endpoints + i);
    return rank_switches(updown, at, n);
}

void cw_updown_free(struct cw_updown *updown)
{
    free(updown->rank);
    free(updown->id);
    free(updown->turn);
    *updown = (struct cw_updown){0};
}

/* --- the search --------------------------------------------------------------------------------------------------- */

enum direction { START, UP, DOWN };

/* What a channel does to a search from the destination that goes over it, away from there. */
enum turn {
    TURNS_UP,   /* it counts as a step towards rank 0 */
    TURNS_DOWN, /* … away from it */
    DOWN_ALWAYS /* … away from it, after whatever was before */
};

/* By switch. */
struct met {
    uint8_t least; /* hops to the destination */
    uint8_t direction;
    bool waits;
};

static enum turn turn_of(const struct cw_updown *updown, uint32_t channel)
{
    const uint32_t base = updown->net->n_endpoints;
    const uint32_t v = updown->net->tail[channel] - base, w = updown->net->head[channel] - base;
    const uint32_t rank = updown->rank[v], other = updown->rank[w];
    if (rank != other) return rank > other ? TURNS_UP : TURNS_DOWN;
    if (updown->rule == CW_UPDOWN_DOWN_FIRST) return DOWN_ALWAYS;
    return rank == 0 || updown->id[v] > updown->id[w] ? TURNS_UP : TURNS_DOWN;
}

/* The direction of a step over CHANNEL after one in direction BEFORE; START: it is not allowed. */
static enum direction step(const struct cw_updown *updown, uint32_t channel, enum direction before)
{
    const enum turn turn = updown->turn[channel];
    if (turn == DOWN_ALWAYS) return DOWN;
    const enum direction next = turn == TURNS_UP ? UP : DOWN;
    const enum direction first = updown->rule == CW_UPDOWN_DOWN_FIRST ? DOWN : UP;
    return next == first && before != START && before != first ? START : next;
}

static void search(const struct cw_updown *updown, uint32_t to, uint8_t *hops, struct met *met, uint32_t *queue)
{
    const struct cw_network *net = updown->net;
    const uint32_t base = net->n_endpoints, n = cw_network_switches(net);
    uint32_t begin = 0, waiting = 1;
    for (uint32_t i = 0; i < n; i++) met[i] = (struct met){.least = CW_HOPS_NONE};
    met[to - base].least = 0;
    queue[0] = to;
    for (; waiting > 0; waiting--, begin = begin + 1 == n ? 0 : begin + 1) {
        const uint32_t v = queue[begin];
        const struct met own = met[v - base];
        const uint8_t away = own.least + 1;
        met[v - base].waits = false;
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && away < CW_HOPS_NONE; c++) {
            const uint32_t w = net->head[c], back = net->twin[c];
            if (w < base || away >= hops[back] || cw_network_is_closed(net, back)) continue;
            const enum direction next = step(updown, c, own.direction);
            if (next == START) continue;
            struct met *other = &met[w - base];
            hops[back] = away;
            if (away < other->least) other->least = away;
            if (other->waits) continue;
            other->direction = (uint8_t)next;
            other->waits = true;
            const uint32_t end = begin + waiting++;
            queue[end < n ? end : end - n] = w;
        }
    }
}

static int search_updown(const void *context, uint32_t to, uint8_t *hops)
{
    const struct cw_updown *updown = context;
    const uint32_t n = cw_network_switches(updown->net);
    struct met *met = cw_new_array(n, sizeof *met, what);
    uint32_t *queue = cw_new_array((size_t)n + 1, sizeof *queue, what);
    const int rc = met && queue ? 0 : CW_ENOMEM;
    if (rc == 0) search(updown, to, hops, met, queue);
    free(met);
    free(queue);
    return rc;
}

static void find_turns(struct cw_updown *updown)
{
    const struct cw_network *net = updown->net;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]))
            updown->turn[c] = (uint8_t)turn_of(updown, c);
}

int cw_updown_search_by(struct cw_updown *updown, struct cw_opensm *opensm)
{
    free(updown->turn);
    updown->turn = cw_new_array(updown->net->n_channels, sizeof *updown->turn, what);
    if (!updown->turn) return CW_ENOMEM;
    find_turns(updown);
    opensm->choice.search = search_updown;
    opensm->choice.search_context = updown;
    return 0;
}
