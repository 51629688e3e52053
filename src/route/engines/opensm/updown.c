#include "route/engines/opensm/updown.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/files/lft_internal.h"
#include "route/guid_order.h"

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
    free(updown->first);
    free(updown->links);
    *updown = (struct cw_updown){0};
}

/* --- the search --------------------------------------------------------------------------------------------------- */

enum direction { START, UP, DOWN, DIRECTIONS };

/* A cable between switches, as a search from the destination goes over it. Switches are counted from 0. */
struct cw_updown_link {
    uint32_t to, back;        /* the switch there, and the channel from it */
    uint8_t then[DIRECTIONS]; /* the direction after one; START: it is not allowed */
};

/* By switch. */
struct met {
    uint8_t least; /* hops to the destination */
    uint8_t direction;
    bool waits;
};

/* The direction of a step over CHANNEL after one in direction BEFORE; START: it is not allowed. */
static enum direction step(const struct cw_updown *updown, uint32_t channel, enum direction before)
{
    const uint32_t base = updown->net->n_endpoints;
    const uint32_t v = updown->net->tail[channel] - base, w = updown->net->head[channel] - base;
    const uint32_t rank = updown->rank[v], other = updown->rank[w];
    const bool up = rank == other ? rank == 0 || updown->id[v] > updown->id[w] : rank > other;
    const enum direction next = up ? UP : DOWN, first = updown->rule == CW_UPDOWN_DOWN_FIRST ? DOWN : UP;
    if (rank == other && updown->rule == CW_UPDOWN_DOWN_FIRST) return DOWN;
    return next == first && before != START && before != first ? START : next;
}

static void search(const struct cw_updown *updown, uint32_t to, uint8_t *hops, struct met *met, uint32_t *queue)
{
    const uint32_t n = cw_network_switches(updown->net), *first = updown->first;
    const struct cw_updown_link *links = updown->links;
    uint32_t begin = 0, waiting = 1;
    for (uint32_t i = 0; i < n; i++) met[i] = (struct met){.least = CW_HOPS_NONE};
    met[to].least = 0;
    queue[0] = to;
    for (; waiting > 0; waiting--, begin = begin + 1 == n ? 0 : begin + 1) {
        const uint32_t v = queue[begin];
        const struct met own = met[v];
        const uint8_t away = own.least + 1;
        met[v].waits = false;
        const struct cw_updown_link *end_of_links = &links[away < CW_HOPS_NONE ? first[v + 1] : first[v]];
        for (const struct cw_updown_link *link = &links[first[v]]; link < end_of_links; link++) {
            const uint8_t next = link->then[own.direction];
            if (next == START || away >= hops[link->back]) continue;
            struct met *other = &met[link->to];
            hops[link->back] = away;
            if (away < other->least) other->least = away;
            if (other->waits) continue;
            other->direction = next;
            other->waits = true;
            const uint32_t end = begin + waiting++;
            queue[end < n ? end : end - n] = link->to;
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
    if (rc == 0) search(updown, to - updown->net->n_endpoints, hops, met, queue);
    free(met);
    free(queue);
    return rc;
}

static void add_links(struct cw_updown *updown)
{
    const struct cw_network *net = updown->net;
    uint32_t n = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        updown->first[v - net->n_endpoints] = n;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c]) || cw_network_is_closed(net, net->twin[c])) continue;
            struct cw_updown_link *link = &updown->links[n++];
            link->to = net->head[c] - net->n_endpoints;
            link->back = net->twin[c];
            for (enum direction before = START; before < DIRECTIONS; before++)
                link->then[before] = (uint8_t)step(updown, c, before);
        }
    }
    updown->first[cw_network_switches(net)] = n;
}

int cw_updown_search_by(struct cw_updown *updown, struct cw_opensm *opensm)
{
    updown->first = cw_new_array((size_t)cw_network_switches(updown->net) + 1, sizeof *updown->first, what);
    updown->links = cw_new_array(updown->net->n_channels, sizeof *updown->links, what);
    if (!updown->first || !updown->links) return CW_ENOMEM;
    add_links(updown);
    opensm->choice.search = search_updown;
    opensm->choice.search_context = updown;
    return 0;
}
