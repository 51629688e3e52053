/*
 * Lanes of dfsssp. All routes begin on lane 0. A depth-first search of the dependencies of its links looks for cycles;
 * the routes that have the weakest dependency of a cycle, the one with the fewest, move to the next lane, and so on
 * until no cycle is left; then the next lane is searched. Lanes that are left over are shared out: a lane with many
 * routes is spread over several.
 *
 * Which cycle is met first decides which routes move, so links and dependencies are taken in the order in which OpenSM
 * meets them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/dependency_graph.h"
#include "route/engines/opensm/sssp_internal.h"
#include "route/files/lft_internal.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

static const char what[] = "virtual lanes of dfsssp";

#define MOST_LANES CW_LANE_DISCARDED

/* A bundle is all routes from the endpoints of one switch to one LID: they are the same, and move together. */
#define CHUNK 14u
struct chunk {
    uint32_t n, next;
    uint32_t bundles[CHUNK];
};

/* A dependency of link TO on another one. */
struct edge {
    uint32_t to, next; /* next: of the same link, or CW_NONE */
    uint32_t first_chunk, last_chunk;
    uint64_t routes; /* those that have moved on are taken off */
};

enum status { UNKNOWN, OPEN, DONE };

/* The dependencies of one lane. */
struct graph {
    uint32_t *edge_at; /* [slots] an edge and 1, by the link and the port by which the switch behind it is left */
    struct edge *edges;
    size_t n_edges, edges_room;
    struct chunk *chunks;
    size_t n_chunks, chunks_room;
    uint32_t *first, *last; /* [links] edges of a link, or CW_NONE */
    uint32_t *entered;      /* [links] when a link came in, counted from 1; 0: not yet */
    uint32_t n_entered;
};

struct layers {
    struct cw_sssp *sssp;
    uint32_t n_links, n_leaves, n_dst, most, needed;
    uint32_t *leaves; /* [n_leaves] switches with endpoints, as `ranked` */
    uint32_t *leaf;   /* [n] place among them, or CW_NONE */
    uint8_t *lane;    /* [n_dst · n_leaves] of a bundle */
    uint64_t routes[MOST_LANES];
    size_t *slot;           /* [links + 1] first slot of a link */
    uint32_t *by_key;       /* [links] by the LID of the switch that is left, then by its port */
    struct graph now, then; /* of the lane that is searched, and of the next */

    /* The search. */
    uint8_t *status;  /* [links] */
    uint32_t *before; /* [links] the link that a link was met from: it stays when the search gives up half-way */
    uint32_t *roots;  /* [n_roots] the links of the lane in the order in which searches begin with them */
    uint32_t n_roots, next_root;
    uint32_t *stack; /* [links] */
};

/* --- dependencies ------------------------------------------------------------------------------------------------- */

static size_t slot_of(const struct layers *layers, uint32_t from, uint32_t to)
{
    const struct cw_sssp *sssp = layers->sssp;
    const struct cw_network *net = sssp->net;
    return layers->slot[from] + (sssp->channel[to] - net->first[sssp->vertex[sssp->head[from]]]);
}

static void clear_graph(const struct layers *layers, struct graph *graph)
{
    memset(graph->edge_at, 0, layers->slot[layers->n_links] * sizeof *graph->edge_at);
    memset(graph->first, 0xff, layers->n_links * sizeof *graph->first); /* CW_NONE */
    memset(graph->entered, 0, layers->n_links * sizeof *graph->entered);
    graph->n_edges = graph->n_chunks = graph->n_entered = 0;
}

static int new_graph(const struct layers *layers, struct graph *graph)
{
    graph->edge_at = cw_new_array(layers->slot[layers->n_links], sizeof *graph->edge_at, what);
    graph->first = cw_new_array(layers->n_links, sizeof *graph->first, what);
    graph->last = cw_new_array(layers->n_links, sizeof *graph->last, what);
    graph->entered = cw_new_array(layers->n_links, sizeof *graph->entered, what);
    if (!graph->edge_at || !graph->first || !graph->last || !graph->entered) return CW_ENOMEM;
    clear_graph(layers, graph);
    return 0;
}

static void free_graph(struct graph *graph)
{
    free(graph->edge_at);
    free(graph->edges);
    free(graph->chunks);
    free(graph->first);
    free(graph->last);
    free(graph->entered);
}

/* A new dependency of TO on FROM behind the others on FROM. */
static int add_edge(struct graph *graph, size_t slot, uint32_t from, uint32_t to)
{
    void *edges = graph->edges;
    const int rc = cw_grow_array(&edges, &graph->edges_room, graph->n_edges + 1, sizeof *graph->edges, what);
    graph->edges = edges;
    if (rc) return rc;
    const uint32_t edge = (uint32_t)graph->n_edges++;
    graph->edges[edge] = (struct edge){to, CW_NONE, CW_NONE, CW_NONE, 0};
    if (graph->first[from] == CW_NONE)
        graph->first[from] = edge;
    else
        graph->edges[graph->last[from]].next = edge;
    graph->last[from] = edge;
    graph->edge_at[slot] = edge + 1;
    return 0;
}

static int add_bundle(struct graph *graph, struct edge *edge, uint32_t bundle)
{
    if (edge->last_chunk == CW_NONE || graph->chunks[edge->last_chunk].n == CHUNK) {
        void *chunks = graph->chunks;
        const int rc = cw_grow_array(&chunks, &graph->chunks_room, graph->n_chunks + 1, sizeof *graph->chunks, what);
        graph->chunks = chunks;
        if (rc) return rc;
        const uint32_t chunk = (uint32_t)graph->n_chunks++;
        graph->chunks[chunk] = (struct chunk){.next = CW_NONE};
        if (edge->last_chunk == CW_NONE)
            edge->first_chunk = chunk;
        else
            graph->chunks[edge->last_chunk].next = chunk;
        edge->last_chunk = chunk;
    }
    struct chunk *chunk = &graph->chunks[edge->last_chunk];
    chunk->bundles[chunk->n++] = bundle;
    return 0;
}

static uint64_t routes_of(const struct layers *layers, uint32_t leaf)
{
    return (uint64_t)layers->sssp->hosts[layers->leaves[leaf]] * layers->sssp->lids;
}

/* Puts the routes from LEAF to destination T on the lane of GRAPH. */
static int enter(const struct layers *layers, struct graph *graph, uint32_t t, uint32_t leaf)
{
    const struct cw_sssp *sssp = layers->sssp;
    uint32_t before = CW_NONE;
    for (uint32_t link = cw_sssp_next(sssp, t, layers->leaves[leaf]); link != CW_NONE;
         link = cw_sssp_next(sssp, t, sssp->head[link])) {
        if (graph->entered[link] == 0) graph->entered[link] = ++graph->n_entered;
        if (before != CW_NONE) {
            const size_t slot = slot_of(layers, before, link);
            int rc = graph->edge_at[slot] ? 0 : add_edge(graph, slot, before, link);
            if (rc) return rc;
            struct edge *edge = &graph->edges[graph->edge_at[slot] - 1];
            edge->routes += routes_of(layers, leaf);
            rc = add_bundle(graph, edge, t * layers->n_leaves + leaf);
            if (rc) return rc;
        }
        before = link;
    }
    return 0;
}

static void leave(const struct layers *layers, struct graph *graph, uint32_t t, uint32_t leaf)
{
    const struct cw_sssp *sssp = layers->sssp;
    uint32_t before = cw_sssp_next(sssp, t, layers->leaves[leaf]);
    while (before != CW_NONE) {
        const uint32_t link = cw_sssp_next(sssp, t, sssp->head[before]);
        const uint32_t edge = link == CW_NONE ? 0 : graph->edge_at[slot_of(layers, before, link)];
        if (edge) graph->edges[edge - 1].routes -= routes_of(layers, leaf);
        before = link;
    }
}

/* All routes: destination by destination, from switch after switch, to all LIDs of the destination. */
static int enter_all(struct layers *layers)
{
    const uint32_t to_endpoints = layers->sssp->n_order * layers->sssp->lids;
    int rc = 0;
    for (uint32_t t = 0, lids; t < layers->n_dst && rc == 0; t += lids) {
        lids = t < to_endpoints ? layers->sssp->lids : 1;
        for (uint32_t leaf = 0; leaf < layers->n_leaves; leaf++)
            for (uint32_t lid = 0; lid < lids && rc == 0; lid++) rc = enter(layers, &layers->now, t + lid, leaf);
        if (rc == 0) rc = cw_interrupt_check();
    }
    return rc;
}

/* --- the order of searches ---------------------------------------------------------------------------------------- */

/* OpenSM has the links in a binary tree, each put under those before it by its key, and goes through it from the root,
 * left before right. That is the tree in which keys are in order and each link came in before those below it; here it
 * is made from the sorted keys: LEFT and RIGHT are children, STACK the way down to the last link so far. */
static uint32_t tree_of_links(const struct layers *layers, uint32_t *left, uint32_t *right)
{
    const uint32_t *entered = layers->now.entered;
    uint32_t *stack = layers->stack, n = 0;
    for (uint32_t i = 0; i < layers->n_links; i++) {
        const uint32_t link = layers->by_key[i];
        if (entered[link] == 0) continue;
        uint32_t below = CW_NONE;
        while (n > 0 && entered[stack[n - 1]] > entered[link]) below = stack[--n];
        left[link] = below;
        right[link] = CW_NONE;
        if (n > 0) right[stack[n - 1]] = link;
        stack[n++] = link;
    }
    return n > 0 ? stack[0] : CW_NONE;
}

/* `roots`: the links of that tree, each before those below it. */
static int order_roots(struct layers *layers)
{
    uint32_t *left = cw_new_array(layers->n_links, sizeof *left, what), n = 0;
    uint32_t *right = cw_new_array(layers->n_links, sizeof *right, what);
    layers->n_roots = layers->next_root = 0;
    if (left && right) {
        const uint32_t root = tree_of_links(layers, left, right);
        if (root != CW_NONE) layers->stack[n++] = root;
        while (n > 0) {
            const uint32_t link = layers->stack[--n];
            layers->roots[layers->n_roots++] = link;
            if (right[link] != CW_NONE) layers->stack[n++] = right[link];
            if (left[link] != CW_NONE) layers->stack[n++] = left[link];
        }
    }
    const int rc = left && right ? 0 : CW_ENOMEM;
    free(left);
    free(right);
    return rc;
}

/* The first link that no search has met, or CW_NONE. */
static uint32_t next_root(struct layers *layers)
{
    while (layers->next_root < layers->n_roots && layers->status[layers->roots[layers->next_root]] != UNKNOWN)
        layers->next_root++;
    return layers->next_root < layers->n_roots ? layers->roots[layers->next_root] : CW_NONE;
}

/* --- cycles ------------------------------------------------------------------------------------------------------- */

/* The first edge of LINK to one that is not DONE, or CW_NONE. */
static uint32_t way_on(const struct layers *layers, uint32_t link)
{
    uint32_t edge = layers->now.first[link];
    while (edge != CW_NONE && layers->status[layers->now.edges[edge].to] == DONE) edge = layers->now.edges[edge].next;
    return edge;
}

/* Searches from LINK on. The result is on a cycle, all of which is OPEN, or CW_NONE: there is none. */
static uint32_t find_cycle(struct layers *layers, uint32_t link)
{
    while (link != CW_NONE) {
        layers->status[link] = OPEN;
        const uint32_t edge = way_on(layers, link), to = edge == CW_NONE ? CW_NONE : layers->now.edges[edge].to;
        if (to == CW_NONE) {
            const uint32_t back = layers->before[link];
            layers->status[link] = DONE;
            layers->before[link] = CW_NONE;
            link = back != CW_NONE ? back : next_root(layers);
        } else if (layers->status[to] == OPEN) {
            return to;
        } else {
            layers->before[to] = link;
            link = to;
        }
    }
    return CW_NONE;
}

/* The edge of the cycle through LINK with the fewest routes, the first of equals, taken out. All links of the cycle may
 * be met again. */
static uint32_t take_weakest(struct layers *layers, uint32_t cycle)
{
    struct graph *graph = &layers->now;
    uint32_t weakest = CW_NONE, owner = CW_NONE, link = cycle;
    do {
        const uint32_t edge = way_on(layers, link);
        layers->status[link] = UNKNOWN;
        if (weakest == CW_NONE || graph->edges[edge].routes < graph->edges[weakest].routes) {
            weakest = edge;
            owner = link;
        }
        link = graph->edges[edge].to;
    } while (link != cycle);
    uint32_t before = CW_NONE, at = graph->first[owner];
    while (at != weakest) {
        before = at;
        at = graph->edges[at].next;
    }
    if (before == CW_NONE)
        graph->first[owner] = graph->edges[weakest].next;
    else
        graph->edges[before].next = graph->edges[weakest].next;
    if (graph->last[owner] == weakest) graph->last[owner] = before;
    graph->edge_at[slot_of(layers, owner, graph->edges[weakest].to)] = 0;
    return weakest;
}

/* Moves the routes of EDGE, those that are still there, from LANE to the next. */
static int move_routes(struct layers *layers, uint32_t lane, uint32_t edge)
{
    for (uint32_t c = layers->now.edges[edge].first_chunk; c != CW_NONE; c = layers->now.chunks[c].next)
        for (uint32_t i = 0; i < layers->now.chunks[c].n; i++) {
            const uint32_t bundle = layers->now.chunks[c].bundles[i];
            const uint32_t t = bundle / layers->n_leaves, leaf = bundle % layers->n_leaves;
            if (layers->lane[bundle] != lane) continue;
            layers->lane[bundle] = (uint8_t)(lane + 1);
            layers->routes[lane] -= routes_of(layers, leaf);
            layers->routes[lane + 1] += routes_of(layers, leaf);
            leave(layers, &layers->now, t, leaf);
            const int rc = enter(layers, &layers->then, t, leaf);
            if (rc) return rc;
        }
    return cw_interrupt_check();
}

static int fail_lanes(const struct layers *layers)
{
    return cw_fail(CW_ELIMIT,
                   "the routes of %s need more than %u virtual lane%s to be free of deadlocks, and so do OpenSM's; "
                   "expected %snue, which makes routes for any number of lanes (or, on a torus, torus-2qos)",
                   layers->sssp->routes->name, layers->most, cw_plural(layers->most),
                   layers->most < MOST_LANES ? "lanes=N with more of them, or " : "");
}

/* Takes the cycles out of LANE; on the last there may be none. */
static int clean_lane(struct layers *layers, uint32_t lane)
{
    memset(layers->status, UNKNOWN, layers->n_links);
    memset(layers->before, 0xff, layers->n_links * sizeof *layers->before); /* CW_NONE */
    int rc = order_roots(layers);
    uint32_t link = rc == 0 ? next_root(layers) : CW_NONE;
    while (link != CW_NONE && rc == 0) {
        link = find_cycle(layers, link);
        if (link == CW_NONE) break;
        if (lane + 1 == layers->most) return fail_lanes(layers);
        layers->needed = lane + 2;
        rc = move_routes(layers, lane, take_weakest(layers, link));
    }
    return rc;
}

/* Whether there is any cycle, found tree by tree: much less work than what follows where there is none. */
static int look_for_cycle(const struct layers *layers, bool *found)
{
    const struct cw_sssp *sssp = layers->sssp;
    uint32_t *met = cw_new_array(sssp->n, sizeof *met, what), *cycle = NULL, length = 0; /* met: destination and 1 */
    uint8_t *lanes = NULL;
    struct cw_dependencies graph = {0};
    int rc = met ? cw_dependencies_new(sssp->net, 1, &graph) : CW_ENOMEM;
    for (uint32_t t = 0; t < layers->n_dst && rc == 0; t++) {
        for (uint32_t leaf = 0; leaf < layers->n_leaves; leaf++)
            for (uint32_t v = layers->leaves[leaf], link; met[v] != t + 1; v = sssp->head[link]) {
                met[v] = t + 1;
                link = cw_sssp_next(sssp, t, v);
                const uint32_t after = link == CW_NONE ? CW_NONE : cw_sssp_next(sssp, t, sssp->head[link]);
                if (after == CW_NONE) break;
                cw_dependencies_add(&graph, sssp->channel[link], 0, sssp->channel[after], 0);
            }
        rc = cw_interrupt_check();
    }
    if (rc == 0) rc = cw_dependencies_cycle(&graph, &cycle, &lanes, &length);
    *found = length > 0;
    cw_dependencies_free(&graph);
    free(met);
    free(cycle);
    free(lanes);
    return rc;
}

/* `lane`, `routes` and `needed`. */
static int assign_lanes(struct layers *layers)
{
    bool cyclic = false;
    const uint64_t endpoints = layers->sssp->n_order, lids = layers->sssp->lids, n = layers->sssp->n;
    const uint64_t all = endpoints * lids + n;
    layers->routes[0] = all * all - endpoints * lids * lids - n; /* but for those from a port to itself */
    layers->needed = 1;
    int rc = look_for_cycle(layers, &cyclic);
    if (rc || !cyclic) return rc;
    rc = enter_all(layers);
    for (uint32_t lane = 0; lane < layers->needed && rc == 0; lane++) {
        rc = clean_lane(layers, lane);
        const struct graph cleaned = layers->now;
        layers->now = layers->then;
        layers->then = cleaned;
        clear_graph(layers, &layers->then);
    }
    return rc;
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

/* Lane i becomes the SPREAD[i] lanes from FIRST[i] on: those that are left over go one by one to the lane with the most
 * routes a lane. */
static void spread_lanes(const struct layers *layers, uint32_t *first, uint32_t *spread)
{
    for (uint32_t lane = 0; lane < layers->needed; lane++) spread[lane] = 1;
    for (uint32_t used = layers->needed; used < layers->most; used++) {
        uint32_t fullest = 0;
        double most = 0;
        for (uint32_t lane = 0; lane < layers->needed; lane++) {
            const double mean = (double)layers->routes[lane] / spread[lane];
            if (mean > most) fullest = lane;
            if (mean > most) most = mean;
        }
        spread[fullest]++;
    }
    for (uint32_t lane = 0, n = 0; lane < layers->needed; n += spread[lane++]) first[lane] = n;
}

struct levelling {
    const struct layers *layers;
    uint32_t first[MOST_LANES], spread[MOST_LANES];
    uint32_t lid;
    uint64_t seed;
    struct cw_service_levels *levels;
};

/* From the endpoint at INDEX of the order. */
static int set_levels(void *context, size_t index, unsigned thread)
{
    const struct levelling *levelling = context;
    const struct layers *layers = levelling->layers;
    const struct cw_sssp *sssp = layers->sssp;
    const struct cw_network *net = sssp->net;
    const uint32_t src = sssp->order[index], at = net->head[net->first[src]] - net->n_endpoints;
    const uint32_t leaf = layers->leaf[sssp->number[at]];
    struct cw_random random =
        cw_random_of(levelling->seed, CW_STREAM_ROUTING, (uint64_t)levelling->lid * net->n_endpoints + src);
    const uint64_t key = cw_random_u64(&random);
    (void)thread;
    for (uint32_t i = 0; i < sssp->n_order; i++) {
        const size_t t = (size_t)i * sssp->lids + levelling->lid;
        const uint32_t lane = layers->lane[t * layers->n_leaves + leaf], dst = sssp->order[i];
        const uint64_t drawn = (cw_random_word(key, dst) >> 32) * levelling->spread[lane] >> 32;
        if (src != dst) cw_service_levels_set(levelling->levels, src, dst, levelling->first[lane] + (uint32_t)drawn);
    }
    return 0;
}

static int give_levels(const struct layers *layers, uint64_t seed, unsigned n_threads)
{
    struct levelling levelling = {.layers = layers, .seed = seed};
    int rc = 0;
    spread_lanes(layers, levelling.first, levelling.spread);
    for (struct cw_routes *routes = layers->sssp->routes; routes && rc == 0; routes = routes->next_lid) {
        rc = cw_service_levels_new(layers->sssp->net, layers->most, &levelling.levels);
        if (rc) return rc;
        rc = cw_parallel_for(n_threads, layers->sssp->n_order, set_levels, &levelling);
        if (rc)
            cw_service_levels_free(levelling.levels);
        else
            rc = cw_routes_set_service_levels(routes, levelling.levels);
        levelling.lid++;
    }
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

struct key {
    uint32_t lid, channel, link;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->lid != y->lid) return x->lid < y->lid ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

/* `by_key`: ports of a switch are in order of their channels. */
static int sort_links(struct layers *layers)
{
    const struct cw_sssp *sssp = layers->sssp;
    const struct cw_lft_lids lids = cw_lft_lids_of(sssp->net, sssp->lids);
    struct key *keys = cw_new_array(layers->n_links, sizeof *keys, what);
    if (!keys) return CW_ENOMEM;
    for (uint32_t link = 0; link < layers->n_links; link++)
        keys[link] = (struct key){cw_lft_base_lid(&lids, sssp->vertex[sssp->tail[link]]), sssp->channel[link], link};
    if (layers->n_links > 0) qsort(keys, layers->n_links, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < layers->n_links; i++) layers->by_key[i] = keys[i].link;
    free(keys);
    return 0;
}

static int new_layers(struct layers *layers)
{
    const struct cw_sssp *sssp = layers->sssp;
    const uint32_t n_links = layers->n_links = sssp->first[sssp->n];
    layers->n_dst = cw_sssp_destinations(sssp);
    layers->leaves = cw_new_array(sssp->n, sizeof *layers->leaves, what);
    layers->leaf = cw_new_array(sssp->n, sizeof *layers->leaf, what);
    layers->slot = cw_new_array((size_t)n_links + 1, sizeof *layers->slot, what);
    layers->by_key = cw_new_array(n_links, sizeof *layers->by_key, what);
    layers->status = cw_new_array(n_links, sizeof *layers->status, what);
    layers->before = cw_new_array(n_links, sizeof *layers->before, what);
    layers->roots = cw_new_array(n_links, sizeof *layers->roots, what);
    layers->stack = cw_new_array((size_t)n_links + 1, sizeof *layers->stack, what);
    if (!layers->leaves || !layers->leaf || !layers->slot || !layers->by_key || !layers->status || !layers->before ||
        !layers->roots || !layers->stack)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < sssp->n; i++) {
        const uint32_t v = sssp->ranked[i];
        if (sssp->hosts[v] > 0) layers->leaves[layers->n_leaves] = v;
        layers->leaf[v] = sssp->hosts[v] > 0 ? layers->n_leaves++ : CW_NONE;
    }
    if ((uint64_t)layers->n_dst * layers->n_leaves > UINT32_MAX)
        return cw_fail(CW_ELIMIT, "routes of dfsssp from %u switches to %u LIDs; expected at most 2^32 - 1 in all",
                       layers->n_leaves, layers->n_dst);
    layers->lane = cw_new_array((size_t)layers->n_dst * layers->n_leaves, sizeof *layers->lane, what);
    for (uint32_t link = 0; link < n_links; link++)
        layers->slot[link + 1] = layers->slot[link] + cw_network_degree(sssp->net, sssp->vertex[sssp->head[link]]);
    int rc = layers->lane ? new_graph(layers, &layers->now) : CW_ENOMEM;
    if (rc == 0) rc = new_graph(layers, &layers->then);
    return rc == 0 ? sort_links(layers) : rc;
}

static void free_layers(struct layers *layers)
{
    free(layers->leaves);
    free(layers->leaf);
    free(layers->lane);
    free(layers->slot);
    free(layers->by_key);
    free(layers->status);
    free(layers->before);
    free(layers->roots);
    free(layers->stack);
    free_graph(&layers->now);
    free_graph(&layers->then);
}

int cw_sssp_layer(struct cw_sssp *sssp, uint32_t most, uint64_t seed, unsigned n_threads)
{
    struct layers layers = {.sssp = sssp, .most = most};
    int rc = new_layers(&layers);
    if (rc == 0) rc = assign_lanes(&layers);
    if (rc == 0 && most > 1) rc = give_levels(&layers, seed, n_threads);
    free_layers(&layers);
    return rc;
}
