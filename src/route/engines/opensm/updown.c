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

/* Which switches are the roots of a network that does not say so. */

static const char distances[] = "distances from switches";

#define DISTANCES 256u /* that are told apart: OpenSM counts in 8 bits */

/* Where the endpoints of a network are, seen from its switches, which are counted from 0. */
struct view {
    const struct cw_network *net;
    uint32_t n;
    uint32_t *first, *neighbour; /* switches next to each */
    uint32_t *endpoints;         /* [n] at each */
    uint32_t *at;                /* [DISTANCES][n] endpoints so far away from a switch */
    uint32_t *queue;             /* [n] */
    uint32_t *seen;              /* [n] from where, plus 1, a switch was seen last */
};

static void view_free(struct view *view)
{
    free(view->first);
    free(view->neighbour);
    free(view->endpoints);
    free(view->at);
    free(view->queue);
    free(view->seen);
}

/* Adds the endpoints at switch V to what all switches see. */
static void add_endpoints_of(struct view *view, uint32_t v)
{
    uint32_t *queue = view->queue, n = 1, away = 0;
    view->seen[v] = v + 1;
    queue[0] = v;
    for (uint32_t i = 0; i < n; away += away + 1 < DISTANCES) {
        uint32_t *at = view->at + (size_t)away * view->n;
        for (const uint32_t end = n; i < end; i++) {
            at[queue[i]] += view->endpoints[v];
            for (uint32_t k = view->first[queue[i]]; k < view->first[queue[i] + 1]; k++) {
                const uint32_t w = view->neighbour[k];
                if (view->seen[w] == v + 1) continue;
                view->seen[w] = v + 1;
                queue[n++] = w;
            }
        }
    }
}

static void find_neighbours(struct view *view)
{
    const struct cw_network *net = view->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < view->n; v++) {
        const uint32_t here = v + net->n_endpoints;
        view->first[v] = n;
        for (uint32_t c = net->first[here]; c < net->first[here + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c]))
                view->endpoints[v]++;
            else
                view->neighbour[n++] = net->head[c] - net->n_endpoints;
        }
    }
    view->first[view->n] = n;
}

static int view_open(const struct cw_network *net, struct view *view)
{
    const uint32_t n = cw_network_switches(net);
    *view = (struct view){.net = net, .n = n};
    view->first = cw_new_array((size_t)n + 1, sizeof *view->first, distances);
    view->neighbour = cw_new_array(net->n_channels, sizeof *view->neighbour, distances);
    view->endpoints = cw_new_array(n, sizeof *view->endpoints, distances);
    view->at = cw_new_array((size_t)n * DISTANCES, sizeof *view->at, distances);
    view->queue = cw_new_array(n, sizeof *view->queue, distances);
    view->seen = cw_new_array(n, sizeof *view->seen, distances);
    if (!view->first || !view->neighbour || !view->endpoints || !view->at || !view->queue || !view->seen)
        return CW_ENOMEM;
    find_neighbours(view);
    for (uint32_t v = 0; v < n; v++)
        if (view->endpoints[v] > 0) add_endpoints_of(view, v);
    return 0;
}

static uint64_t endpoints_at(const struct view *view, uint32_t v, uint32_t away)
{
    return view->at[(size_t)away * view->n + v - view->net->n_endpoints];
}

/* Endpoints that V reaches, and the sum of their distances. */
static uint64_t sum_of(const struct view *view, uint32_t v, uint64_t *seen)
{
    uint64_t sum = 0;
    *seen = 0;
    for (uint32_t away = 0; away < DISTANCES; away++) {
        sum += endpoints_at(view, v, away) * away;
        *seen += endpoints_at(view, v, away);
    }
    return sum;
}

/* Of the endpoints in its own part of the network: OpenSM knows of no other. */
static bool looks_like_root(const struct view *view, uint32_t v)
{
    uint32_t most = 0, some = 0;
    uint64_t seen;
    sum_of(view, v, &seen);
    for (uint32_t away = 0; away < DISTANCES; away++) {
        const uint64_t at = endpoints_at(view, v, away);
        most += at * 10 > seen * 9;
        some += at * 20 > seen;
    }
    return most == 1 && some == 1;
}

int cw_updown_find_roots(const struct cw_network *net, uint32_t **out, uint32_t *n)
{
    struct view view;
    uint32_t *order = NULL, found = 0;
    int rc = view_open(net, &view);
    if (rc == 0) rc = cw_guid_order(net, &order);
    for (uint32_t i = 0; rc == 0 && i < view.n; i++)
        if (looks_like_root(&view, order[i])) order[found++] = order[i];
    view_free(&view);
    if (rc) return rc;
    *out = order;
    *n = found;
    return 0;
}

/* Appends the switches that can be reached from V, itself included, to the *N in QUEUE. */
static void add_part(const struct cw_network *net, uint32_t v, bool *met, uint32_t *queue, uint32_t *n)
{
    const uint32_t base = net->n_endpoints;
    uint32_t i = *n;
    if (met[v - base]) return;
    met[v - base] = true;
    for (queue[(*n)++] = v; i < *n; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t w = net->head[c];
            if (w < base || met[w - base]) continue;
            met[w - base] = true;
            queue[(*n)++] = w;
        }
}

/* Of the N switches of PART, the one to which endpoints are nearest; CW_NONE if there are none. PLACE: in OpenSM's
 * order. */
static uint32_t centre_of(const struct view *view, const uint32_t *part, uint32_t n, const uint32_t *place)
{
    const uint32_t base = view->net->n_endpoints;
    uint32_t best = CW_NONE;
    uint64_t least = UINT64_MAX, seen;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t sum = sum_of(view, part[i], &seen);
        if (seen == 0 || sum > least) continue;
        if (sum == least && place[best - base] < place[part[i] - base]) continue;
        least = sum;
        best = part[i];
    }
    return best;
}

static void add_centres(const struct view *view, const uint32_t *order, bool *met, uint32_t *place, uint32_t *roots,
                        uint32_t *n)
{
    const struct cw_network *net = view->net;
    const uint32_t base = net->n_endpoints, n_given = *n;
    uint32_t *queue = view->queue, done = 0;
    for (uint32_t i = 0; i < cw_network_switches(net); i++) place[order[i] - base] = i;
    for (uint32_t i = 0; i < n_given; i++) add_part(net, roots[i], met, queue, &done);
    for (uint32_t i = 0; i < cw_network_switches(net); i++) {
        const uint32_t before = done;
        add_part(net, order[i], met, queue, &done);
        const uint32_t centre = centre_of(view, queue + before, done - before, place);
        if (centre != CW_NONE) roots[(*n)++] = centre;
    }
}

int cw_updown_centres(const struct cw_network *net, uint32_t *roots, uint32_t *n)
{
    struct view view;
    uint32_t *order = NULL, *place = cw_new_array(cw_network_switches(net), sizeof *place, distances);
    bool *met = cw_new_array(cw_network_switches(net), sizeof *met, distances);
    int rc = view_open(net, &view);
    if (rc == 0) rc = place && met ? cw_guid_order(net, &order) : CW_ENOMEM;
    if (rc == 0) add_centres(&view, order, met, place, roots, n);
    view_free(&view);
    free(order);
    free(place);
    free(met);
    return rc;
}
