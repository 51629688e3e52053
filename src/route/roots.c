#include "route/roots.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/guid_order.h"

static const char distances[] = "distances from switches";

#define DISTANCES 256u /* that are told apart: OpenSM counts in 8 bits */

/* Where the endpoints of a network are, seen from its switches, which are counted from 0. */
struct view {
    const struct cw_network *net;
    bool hosts; /* of endpoints only hosts count */
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

static bool is_host(const struct cw_network *net, uint32_t e)
{
    return !net->identity || net->identity[e].kind == CW_KIND_HOST;
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
                view->endpoints[v] += !view->hosts || is_host(net, net->head[c]);
            else
                view->neighbour[n++] = net->head[c] - net->n_endpoints;
        }
    }
    view->first[view->n] = n;
}

static int view_open(const struct cw_network *net, bool hosts, struct view *view)
{
    const uint32_t n = cw_network_switches(net);
    *view = (struct view){.net = net, .hosts = hosts, .n = n};
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

int cw_roots_of_opensm(const struct cw_network *net, uint32_t **out, uint32_t *n)
{
    struct view view;
    uint32_t *order = NULL, found = 0;
    int rc = view_open(net, false, &view);
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

/* How far the nearest 19 of 20 of the endpoints are that V reaches: a few may stand anywhere. */
static uint32_t radius_of(const struct view *view, uint32_t v)
{
    uint64_t seen, within = 0;
    uint32_t away = 0;
    sum_of(view, v, &seen);
    while (away < DISTANCES - 1 && (within += endpoints_at(view, v, away)) * 20 < seen * 19) away++;
    return away;
}

struct search {
    const struct view *view;
    const uint32_t *order; /* switches as OpenSM orders them */
    uint32_t *place;       /* [switches] of each in it */
    uint32_t *rank;        /* [switches] hops from the nearest top */
    uint32_t *queue;       /* [switches] */
    uint32_t *seen;        /* [switches] from which top, plus 1, a switch was seen last */
    bool *met;             /* [switches] */
};

/* Ranks what can be reached from the N TOPS (indices). */
static void rank_from(const struct search *search, const uint32_t *tops, uint32_t n)
{
    const struct view *view = search->view;
    uint32_t n_queue = 0;
    for (uint32_t v = 0; v < view->n; v++) search->rank[v] = CW_NONE;
    for (uint32_t i = 0; i < n; i++) {
        search->rank[tops[i]] = 0;
        search->queue[n_queue++] = tops[i];
    }
    for (uint32_t i = 0; i < n_queue; i++) {
        const uint32_t v = search->queue[i];
        for (uint32_t k = view->first[v]; k < view->first[v + 1]; k++) {
            if (search->rank[view->neighbour[k]] != CW_NONE) continue;
            search->rank[view->neighbour[k]] = search->rank[v] + 1;
            search->queue[n_queue++] = view->neighbour[k];
        }
    }
}

/* The endpoints that TOP reaches by going down only. */
static uint64_t below(const struct search *search, uint32_t top)
{
    const struct view *view = search->view;
    uint64_t endpoints = view->endpoints[top];
    uint32_t n = 1;
    search->queue[0] = top;
    search->seen[top] = top + 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = search->queue[i];
        for (uint32_t k = view->first[v]; k < view->first[v + 1]; k++) {
            const uint32_t w = view->neighbour[k];
            if (search->rank[w] != search->rank[v] + 1 || search->seen[w] == top + 1) continue;
            search->seen[w] = top + 1;
            search->queue[n++] = w;
            endpoints += view->endpoints[w];
        }
    }
    return endpoints;
}

/* The switches of PART with the least radius, to TOPS; their number, or 0 if these are no tops: none of them reaches
 * all endpoints by going down only, so that two might have no way up and down. */
static uint32_t tops_of(const struct search *search, const uint32_t *part, uint32_t n, uint32_t *tops)
{
    const uint32_t base = search->view->net->n_endpoints;
    uint32_t least = UINT32_MAX, n_tops = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t radius = radius_of(search->view, part[i]);
        all += search->view->endpoints[part[i] - base];
        if (radius < least) n_tops = 0;
        if (radius <= least) tops[n_tops++] = part[i] - base;
        if (radius < least) least = radius;
    }
    bool covers = false;
    rank_from(search, tops, n_tops);
    for (uint32_t i = 0; i < n_tops && !covers; i++) covers = below(search, tops[i]) == all;
    for (uint32_t i = 0; i < n_tops; i++) tops[i] += base;
    return covers ? n_tops : 0;
}

static void add_tops(const struct search *search, uint32_t *roots, uint32_t *n)
{
    const struct view *view = search->view;
    const struct cw_network *net = view->net;
    const uint32_t base = net->n_endpoints, n_given = *n;
    uint32_t *queue = view->queue, done = 0;
    for (uint32_t i = 0; i < view->n; i++) search->place[search->order[i] - base] = i;
    for (uint32_t i = 0; i < n_given; i++) add_part(net, roots[i], search->met, queue, &done);
    for (uint32_t i = 0; i < view->n; i++) {
        const uint32_t before = done;
        add_part(net, search->order[i], search->met, queue, &done);
        const uint32_t centre = centre_of(view, queue + before, done - before, search->place);
        if (centre == CW_NONE) continue;
        const uint32_t tops = tops_of(search, queue + before, done - before, roots + *n);
        if (tops == 0) roots[*n] = centre;
        *n += tops > 0 ? tops : 1;
    }
}

int cw_roots_add_tops(const struct cw_network *net, uint32_t *roots, uint32_t *n)
{
    const uint32_t n_switches = cw_network_switches(net);
    struct view view;
    uint32_t *order = NULL, hosts = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) hosts += is_host(net, e);
    struct search search = {.view = &view,
                            .place = cw_new_array(n_switches, sizeof *search.place, distances),
                            .rank = cw_new_array(n_switches, sizeof *search.rank, distances),
                            .queue = cw_new_array(n_switches, sizeof *search.queue, distances),
                            .seen = cw_new_array(n_switches, sizeof *search.seen, distances),
                            .met = cw_new_array(n_switches, sizeof *search.met, distances)};
    const bool memory = search.place && search.rank && search.queue && search.seen && search.met;
    int rc = view_open(net, hosts > 0, &view);
    if (rc == 0) rc = memory ? cw_guid_order(net, &order) : CW_ENOMEM;
    search.order = order;
    if (rc == 0) add_tops(&search, roots, n);
    view_free(&view);
    free(order);
    free(search.place);
    free(search.rank);
    free(search.queue);
    free(search.seen);
    free(search.met);
    return rc;
}
