#include "flow/paths/spur_search.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"

/* --- live arcs ---------------------------------------------------------------------------------------------------- */

static uint32_t add_arcs(const struct cw_flow_problem *problem, uint32_t v, bool to_endpoints,
                         struct cw_live_arcs *arcs)
{
    const struct cw_network *net = problem->net;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (!(problem->capacity[c] > 0) || cw_network_is_endpoint(net, net->head[c]) != to_endpoints) continue;
        arcs->head[arcs->n_arcs] = net->head[c];
        arcs->channel[arcs->n_arcs++] = c;
    }
    return arcs->n_arcs;
}

static void pack_out(const struct cw_flow_problem *problem, struct cw_live_arcs *arcs)
{
    for (uint32_t v = 0; v < arcs->n_vertices; v++) {
        arcs->first[v] = arcs->n_arcs;
        arcs->switch_end[v] = add_arcs(problem, v, false, arcs);
        const uint32_t degree = add_arcs(problem, v, true, arcs) - arcs->first[v];
        if (degree > arcs->max_degree) arcs->max_degree = degree;
    }
    arcs->first[arcs->n_vertices] = arcs->n_arcs;
}

/* Of parallel channels one is enough. A channel's twin leads back to its tail. */
static void pack_in(const struct cw_flow_problem *problem, struct cw_live_arcs *arcs)
{
    const struct cw_network *net = problem->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < arcs->n_vertices; v++) {
        arcs->into[v] = n;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c];
            const bool again = n > arcs->into[v] && arcs->from[n - 1] == u;
            if (!cw_network_forwards(net, u) || again || !(problem->capacity[net->twin[c]] > 0)) continue;
            arcs->from[n++] = u;
        }
    }
    arcs->into[arcs->n_vertices] = n;
}

int cw_live_arcs_make(const struct cw_flow_problem *problem, struct cw_live_arcs *out)
{
    const size_t n = problem->net->n_vertices, m = problem->net->n_channels;
    struct cw_live_arcs arcs = {
        .n_vertices = problem->net->n_vertices,
        .first = cw_new_array(n + 1, sizeof *arcs.first, "searches"),
        .switch_end = cw_new_array(n, sizeof *arcs.switch_end, "searches"),
        .head = cw_new_array(m, sizeof *arcs.head, "searches"),
        .channel = cw_new_array(m, sizeof *arcs.channel, "searches"),
        .into = cw_new_array(n + 1, sizeof *arcs.into, "searches"),
        .from = cw_new_array(m, sizeof *arcs.from, "searches"),
    };
    if (!arcs.first || !arcs.switch_end || !arcs.head || !arcs.channel || !arcs.into || !arcs.from) {
        cw_live_arcs_free(&arcs);
        return CW_ENOMEM;
    }
    pack_out(problem, &arcs);
    pack_in(problem, &arcs);
    *out = arcs;
    return 0;
}

void cw_live_arcs_free(struct cw_live_arcs *arcs)
{
    if (!arcs) return;
    free(arcs->first);
    free(arcs->switch_end);
    free(arcs->head);
    free(arcs->channel);
    free(arcs->into);
    free(arcs->from);
    *arcs = (struct cw_live_arcs){0};
}

#define NOT_SEEN   UINT32_MAX /* layer */
#define IMPOSSIBLE UINT64_MAX /* cost */

/* A spur whose paths are that much longer than the distances promise is perhaps in a dead end: one search of everything
 * tells, instead of one for each length that is not there. */
#define PATIENCE 4

/* --- workspace ---------------------------------------------------------------------------------------------------- */

int cw_spur_search_make(const struct cw_live_arcs *arcs, struct cw_spur_search *out)
{
    const size_t n = arcs->n_vertices;
    struct cw_spur_search search = {
        .arcs = arcs,
        .target = CW_NONE,
        .distance = cw_new_array(n, sizeof *search.distance, "searches"),
        .closed = cw_new_array(n, sizeof *search.closed, "searches"),
        .banned = cw_new_array(arcs->max_degree, sizeof *search.banned, "searches"),
        .layer = cw_new_array(n, sizeof *search.layer, "searches"),
        .queue = cw_new_array(n, sizeof *search.queue, "searches"),
        .cost = cw_new_array(n, sizeof *search.cost, "searches"),
        .tried = cw_new_array(n + 1, sizeof *search.tried, "searches"),
        .nearing = cw_new_array(n, sizeof *search.nearing, "searches"),
        .onward = cw_new_array(n, sizeof *search.onward, "searches"),
        .known = cw_new_array(n, sizeof *search.known, "searches"),
    };
    if (!search.distance || !search.closed || !search.banned || !search.layer || !search.queue || !search.cost ||
        !search.tried || !search.nearing || !search.onward || !search.known) {
        cw_spur_search_free(&search);
        return CW_ENOMEM;
    }
    for (size_t v = 0; v < n; v++) search.layer[v] = NOT_SEEN;
    *out = search;
    return 0;
}

void cw_spur_search_free(struct cw_spur_search *search)
{
    if (!search) return;
    free(search->distance);
    free(search->closed);
    free(search->banned);
    free(search->layer);
    free(search->queue);
    free(search->cost);
    free(search->tried);
    free(search->nearing);
    free(search->onward);
    free(search->known);
    *search = (struct cw_spur_search){0};
}

void cw_spur_search_uses_changed(struct cw_spur_search *search)
{
    search->uses++;
}

void cw_spur_search_aim(struct cw_spur_search *search, uint32_t target)
{
    if (search->target == target) return;
    const struct cw_live_arcs *arcs = search->arcs;
    uint32_t *distance = search->distance, *queue = search->queue, n = 0;
    for (uint32_t v = 0; v < arcs->n_vertices; v++) distance[v] = CW_UNREACHABLE;
    search->target = target;
    search->uses++;
    distance[target] = 0;
    queue[n++] = target;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = queue[i], next = distance[v] + 1;
        for (uint32_t j = arcs->into[v]; j < arcs->into[v + 1]; j++) {
            const uint32_t u = arcs->from[j];
            if (distance[u] != CW_UNREACHABLE) continue;
            distance[u] = next;
            queue[n++] = u;
        }
    }
}

uint32_t cw_spur_search_bound(const struct cw_spur_search *search, uint32_t v)
{
    const struct cw_live_arcs *arcs = search->arcs;
    const uint32_t first = arcs->first[v];
    uint32_t least = CW_UNREACHABLE;
    for (uint32_t a = first; a < arcs->first[v + 1]; a++) {
        const uint32_t w = arcs->head[a], distance = search->distance[w];
        if (distance < least && !search->closed[w] && !search->banned[a - first]) least = distance;
    }
    return least == CW_UNREACHABLE ? CW_UNREACHABLE : least + 1;
}

/* --- which arcs, in which order ----------------------------------------------------------------------------------- */

/* How far the arcs of V to switches are turned: 0 … N-1 of them. */
static uint32_t turn(const struct cw_spur_search *search, uint32_t v, uint32_t n)
{
    return search->rotated && n > 1 ? (uint32_t)(cw_random_hash(search->rotation, v) % n) : 0;
}

bool cw_spur_search_before(const struct cw_spur_search *search, uint32_t v, uint32_t a, uint32_t b)
{
    const uint32_t first = search->arcs->first[v], end = search->arcs->switch_end[v];
    const uint32_t begin = first + turn(search, v, end - first);
    const bool a_wraps = a < begin, b_wraps = b < begin;
    if (a_wraps != b_wraps && a < end && b < end) return b_wraps;
    return a < b;
}

/* The end of those arcs of V that a path to the target may use: none of the target, and since only the last arc of a
 * path leads to an endpoint, a vertex further away need not look at those it has. */
static uint32_t useful_end(const struct cw_spur_search *search, uint32_t v)
{
    const uint32_t distance = search->distance[v];
    if (v == search->target) return search->arcs->first[v];
    return distance > 1 && distance != CW_UNREACHABLE ? search->arcs->switch_end[v] : search->arcs->first[v + 1];
}

/* --- straight on: the first path as short as the distances promise ------------------------------------------------ */

/* The next untried arc of V that leads to where LEFT arcs remain, or CW_NONE; TRIED counts those looked at. *EXCESS is
 * lowered to what the best of the others needs beyond that. */
static uint32_t step(const struct cw_spur_search *search, uint32_t v, const bool *banned, uint32_t left,
                     uint32_t *tried, uint32_t *excess)
{
    const struct cw_live_arcs *arcs = search->arcs;
    const bool last = left == 0;
    const uint32_t first = last ? arcs->switch_end[v] : arcs->first[v];
    const uint32_t end = last ? arcs->first[v + 1] : arcs->switch_end[v];
    const uint32_t n = end - first, begin = last ? 0 : turn(search, v, n);
    while (*tried < n) {
        uint32_t i = (*tried)++ + begin;
        if (i >= n) i -= n;
        const uint32_t w = arcs->head[first + i], distance = search->distance[w];
        if (distance == CW_UNREACHABLE || search->closed[w] || (banned && banned[first - arcs->first[v] + i])) continue;
        if (distance == left) return first + i;
        if (distance - left < *excess) *excess = distance - left;
    }
    return CW_NONE;
}

/* Depth first, always one nearer to the target. A vertex without a way on is closed until the end of the search. */
static bool go_straight(struct cw_spur_search *search, uint32_t spur, uint32_t length, uint32_t *path, uint32_t *longer)
{
    const struct cw_live_arcs *arcs = search->arcs;
    uint32_t depth = 0, n_dead = 0, excess = CW_UNREACHABLE, v = spur;
    bool stuck = false;
    search->tried[0] = 0;
    while (depth < length && !stuck) {
        const bool *banned = depth == 0 ? search->banned : NULL;
        const uint32_t arc = step(search, v, banned, length - depth - 1, &search->tried[depth], &excess);
        if (arc != CW_NONE) {
            path[depth++] = arc;
            v = arcs->head[arc];
            search->tried[depth] = 0;
        } else if (depth > 0) {
            search->queue[n_dead++] = v;
            search->closed[v] = true;
            depth--;
            v = depth > 0 ? arcs->head[path[depth - 1]] : spur;
        } else {
            stuck = true;
        }
    }
    for (uint32_t i = 0; i < n_dead; i++) search->closed[search->queue[i]] = false;
    *longer = excess == CW_UNREACHABLE ? CW_UNREACHABLE : length + excess;
    return !stuck;
}

/* --- nearing: the least used path as short as the distances promise, unless closed vertices are in its way -------- */

static bool is_known(const struct cw_spur_search *search, uint32_t v)
{
    return search->known[v] == search->uses;
}

/* Makes nearing[V] and onward[V] known, and so those of all vertices on the way. */
static void know(struct cw_spur_search *search, uint32_t v)
{
    const struct cw_live_arcs *arcs = search->arcs;
    uint32_t *queue = search->queue, n = 0;
    if (is_known(search, v)) return;
    search->known[v] = search->uses;
    queue[n++] = v;
    for (uint32_t i = 0; i < n; i++) {
        v = queue[i];
        for (uint32_t a = arcs->first[v], end = useful_end(search, v); a < end; a++) {
            const uint32_t w = arcs->head[a];
            if (search->distance[w] != search->distance[v] - 1 || is_known(search, w)) continue;
            search->known[w] = search->uses;
            queue[n++] = w;
        }
    }
    while (n-- > 0) {
        v = queue[n];
        uint64_t least = v == search->target ? 0 : IMPOSSIBLE;
        for (uint32_t a = arcs->first[v], end = useful_end(search, v); a < end; a++) {
            const uint32_t w = arcs->head[a];
            if (search->distance[w] != search->distance[v] - 1) continue;
            const uint64_t cost = search->use[a] + search->nearing[w];
            if (cost >= least) continue;
            least = cost;
            search->onward[v] = a;
        }
        search->nearing[v] = least;
    }
}

/* The first arc of SPUR with the least use to the target among those that lead to where LEFT arcs remain. */
static uint32_t first_arc(struct cw_spur_search *search, uint32_t spur, uint32_t left, uint64_t *use)
{
    const struct cw_live_arcs *arcs = search->arcs;
    const uint32_t first = arcs->first[spur];
    uint32_t best = CW_NONE;
    *use = IMPOSSIBLE;
    for (uint32_t a = first; a < arcs->first[spur + 1]; a++) {
        const uint32_t w = arcs->head[a];
        if (search->distance[w] != left || search->closed[w] || search->banned[a - first]) continue;
        know(search, w);
        const uint64_t cost = search->use[a] + search->nearing[w];
        if (cost >= *use) continue;
        *use = cost;
        best = a;
    }
    return best;
}

static bool go_nearing(struct cw_spur_search *search, uint32_t spur, uint32_t length, uint32_t *path, uint64_t *use)
{
    uint32_t arc = first_arc(search, spur, length - 1, use);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t v = search->arcs->head[arc];
        if (search->closed[v]) return false;
        path[i] = arc;
        arc = search->onward[v];
    }
    return true;
}

/* --- sweep: all paths of a length at once ------------------------------------------------------------------------- */

/* Queues every vertex that a path of LENGTH may go through, by its layer: the number of arcs from SPUR. *LONGER is the
 * least length for which there would be more of them. Returns how many there are. */
static uint32_t sweep_forward(struct cw_spur_search *search, uint32_t spur, uint32_t length, uint32_t *longer)
{
    const struct cw_live_arcs *arcs = search->arcs;
    uint32_t *layer = search->layer, *queue = search->queue, n = 0;
    *longer = CW_UNREACHABLE;
    layer[spur] = 0;
    queue[n++] = spur;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = queue[i], next = layer[v] + 1, first = arcs->first[v], end = useful_end(search, v);
        for (uint32_t a = first; a < end; a++) {
            const uint32_t w = arcs->head[a], distance = search->distance[w];
            if (distance == CW_UNREACHABLE || layer[w] != NOT_SEEN || search->closed[w]) continue;
            if (i == 0 && search->banned[a - first]) continue;
            if (next + distance <= length) {
                layer[w] = next;
                queue[n++] = w;
            } else if (next + distance < *longer) {
                *longer = next + distance;
            }
        }
    }
    return n;
}

/* What it costs to go on by ARC out of a vertex of layer LAYER. */
static uint64_t cost_of(const struct cw_spur_search *search, uint32_t arc, uint32_t layer)
{
    const uint32_t w = search->arcs->head[arc];
    if (search->layer[w] != layer + 1 || search->cost[w] == IMPOSSIBLE) return IMPOSSIBLE;
    return search->cost[w] + (search->use ? search->use[arc] : 0);
}

/* The least cost from every queued vertex to the target, over one layer after another. */
static void sweep_back(struct cw_spur_search *search, uint32_t n)
{
    const struct cw_live_arcs *arcs = search->arcs;
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t v = search->queue[i], first = arcs->first[v], end = useful_end(search, v);
        uint64_t least = v == search->target ? 0 : IMPOSSIBLE;
        for (uint32_t a = first; a < end; a++) {
            if (i == 0 && search->banned[a - first]) continue;
            const uint64_t cost = cost_of(search, a, search->layer[v]);
            if (cost < least) least = cost;
        }
        search->cost[v] = least;
    }
}

/* The first arc of V, in the order of trial, that is on a path of the least cost. */
static uint32_t sweep_arc(const struct cw_spur_search *search, uint32_t v, const bool *banned)
{
    const struct cw_live_arcs *arcs = search->arcs;
    const uint32_t first = arcs->first[v], n = arcs->first[v + 1] - first, n_switch = arcs->switch_end[v] - first;
    const uint32_t begin = turn(search, v, n_switch);
    for (uint32_t tried = 0; tried < n; tried++) {
        uint32_t i = tried < n_switch ? tried + begin : tried;
        if (tried < n_switch && i >= n_switch) i -= n_switch;
        if (banned && banned[i]) continue;
        if (cost_of(search, first + i, search->layer[v]) == search->cost[v]) return first + i;
    }
    return CW_NONE;
}

static void clear_layers(struct cw_spur_search *search, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) search->layer[search->queue[i]] = NOT_SEEN;
}

/* The length of the shortest path from SPUR, or CW_UNREACHABLE. */
static uint32_t shortest(struct cw_spur_search *search, uint32_t spur)
{
    uint32_t none;
    const uint32_t n = sweep_forward(search, spur, CW_UNREACHABLE - 1, &none);
    const uint32_t length = search->layer[search->target];
    clear_layers(search, n);
    return length == NOT_SEEN ? CW_UNREACHABLE : length;
}

static bool sweep(struct cw_spur_search *search, uint32_t spur, uint32_t length, uint32_t *path, uint64_t *use,
                  uint32_t *longer)
{
    const uint32_t n = sweep_forward(search, spur, length, longer);
    const bool found = search->layer[search->target] != NOT_SEEN;
    if (found) {
        sweep_back(search, n);
        *use = search->cost[spur];
        for (uint32_t i = 0, v = spur; i < length; i++) {
            path[i] = sweep_arc(search, v, i == 0 ? search->banned : NULL);
            v = search->arcs->head[path[i]];
        }
    }
    clear_layers(search, n);
    return found;
}

/* ------------------------------------------------------------------------------------------------------------------ */

bool cw_spur_search_find(struct cw_spur_search *search, uint32_t v, uint32_t length, uint32_t *path, uint64_t *use,
                         uint32_t *longer)
{
    const uint32_t bound = cw_spur_search_bound(search, v);
    const bool direct = bound == length;
    if (direct && !search->use) {
        *use = 0;
        return go_straight(search, v, length, path, longer);
    }
    if (direct && go_nearing(search, v, length, path, use)) return true;
    if (sweep(search, v, length, path, use, longer)) return true;
    if (length - bound >= PATIENCE) *longer = shortest(search, v);
    return false;
}
