/* Which switches are the roots of a network that does not say so. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engines/opensm/updown.h"
#include "route/guid_order.h"

static const char what[] = "distances from switches";

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
    view->first = cw_new_array((size_t)n + 1, sizeof *view->first, what);
    view->neighbour = cw_new_array(net->n_channels, sizeof *view->neighbour, what);
    view->endpoints = cw_new_array(n, sizeof *view->endpoints, what);
    view->at = cw_new_array((size_t)n * DISTANCES, sizeof *view->at, what);
    view->queue = cw_new_array(n, sizeof *view->queue, what);
    view->seen = cw_new_array(n, sizeof *view->seen, what);
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
    uint32_t *order = NULL, *place = cw_new_array(cw_network_switches(net), sizeof *place, what);
    bool *met = cw_new_array(cw_network_switches(net), sizeof *met, what);
    int rc = view_open(net, &view);
    if (rc == 0) rc = place && met ? cw_guid_order(net, &order) : CW_ENOMEM;
    if (rc == 0) add_centres(&view, order, met, place, roots, n);
    view_free(&view);
    free(order);
    free(place);
    free(met);
    return rc;
}
