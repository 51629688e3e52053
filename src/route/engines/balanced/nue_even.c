/*
 * Nue routing (opensm/nue.c), more evenly where a network is no fat tree: free of deadlocks on any network with any
 * number of virtual lanes, one included (Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to
 * deadlock-free high-performance routing", HPDC 2016).
 *
 * Each destination has a lane, which all routes to it take. In a lane routes are laid destination by destination, and a
 * channel is chosen only if the one that follows it may follow: if that closes no cycle with the dependencies of the
 * routes before. So that there is always a way, those of the routes in a spanning tree are reserved first. Where a
 * choice leaves a switch without any way to a destination, the switches from it on along the tree are bound to the
 * tree, and the others choose again; with all switches bound the tree is the routing, which fits.
 *
 * Ours, beyond the paper: ways are laid level by level, so that they are as short as the dependencies allow and of
 * several the one with the fewest routes is taken; and all are laid a second time, when the later ones are known.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/engines/balanced/lane_order.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

/* A spanning tree of the switches of a network, or of each of its parts. Indexed by switch, v - n_endpoints. */
struct spanning_tree {
    const struct cw_network *net;
    bool *leaf;                   /* [n] it has endpoints */
    uint32_t *up;                 /* [n] the channel to the parent; CW_NONE: a root */
    uint32_t *root;               /* [n] of its part */
    uint32_t *toward;             /* [n] the channel to the destination that was aimed at; CW_NONE: none in the tree */
    uint32_t *queue, *sum, *hops; /* [n] */
};

#define SAMPLE 64u /* endpoints of which the middle is looked for */
#define FAR    UINT32_MAX

static void tree_free(struct spanning_tree *tree)
{
    free(tree->leaf);
    free(tree->up);
    free(tree->root);
    free(tree->toward);
    free(tree->queue);
    free(tree->sum);
    free(tree->hops);
    *tree = (struct spanning_tree){0};
}

static int tree_new(const struct cw_network *net, struct spanning_tree *tree)
{
    static const char what[] = "a spanning tree";
    const uint32_t n = cw_network_switches(net);
    struct spanning_tree made = {.net = net};
    made.leaf = cw_new_array(n, sizeof *made.leaf, what);
    made.up = cw_new_array(n, sizeof *made.up, what);
    made.root = cw_new_array(n, sizeof *made.root, what);
    made.toward = cw_new_array(n, sizeof *made.toward, what);
    made.queue = cw_new_array(n, sizeof *made.queue, what);
    made.sum = cw_new_array(n, sizeof *made.sum, what);
    made.hops = cw_new_array(n, sizeof *made.hops, what);
    *tree = made;
    if (!made.leaf || !made.up || !made.root || !made.toward || !made.queue || !made.sum || !made.hops) {
        tree_free(tree);
        return CW_ENOMEM;
    }
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            made.leaf[v - net->n_endpoints] |= cw_network_is_endpoint(net, net->head[c]);
    return 0;
}

/* Breadth first from switch START over those that are FAR; the channel back from each into UP, unless that is NULL. */
static void search(struct spanning_tree *tree, uint32_t start, uint32_t *up)
{
    const struct cw_network *net = tree->net;
    const uint32_t base = net->n_endpoints;
    uint32_t n = 0;
    tree->hops[start] = 0;
    tree->queue[n++] = start;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = tree->queue[i] + base;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c] - base;
            if (net->head[c] < base || tree->hops[u] != FAR) continue;
            tree->hops[u] = tree->hops[v - base] + 1;
            if (up) up[u] = net->twin[c];
            if (up) tree->root[u] = start;
            tree->queue[n++] = u;
        }
    }
}

/* The sum of hops from each switch to a sample of the endpoints. */
static void sum_hops(struct spanning_tree *tree, const uint8_t *lane_of, uint8_t lane)
{
    const struct cw_network *net = tree->net;
    const uint32_t n = cw_network_switches(net);
    uint32_t all = 0, seen = 0;
    memset(tree->sum, 0, n * sizeof *tree->sum);
    for (uint32_t e = 0; e < net->n_endpoints; e++) all += lane_of[e] == lane;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (lane_of[e] != lane) continue;
        const bool taken = all <= SAMPLE || (uint64_t)seen * SAMPLE / all != ((uint64_t)seen + 1) * SAMPLE / all;
        seen++;
        if (!taken || cw_network_degree(net, e) == 0 || net->head[net->first[e]] < net->n_endpoints) continue;
        memset(tree->hops, 0xff, n * sizeof *tree->hops);
        search(tree, net->head[net->first[e]] - net->n_endpoints, NULL);
        for (uint32_t v = 0; v < n; v++) tree->sum[v] += tree->hops[v] == FAR ? n : tree->hops[v];
    }
}

/* Grows the tree breadth first from a switch in the middle of the endpoints E with LANE_OF[E] = LANE: of those with the
 * fewest hops to a sample of them, the one with the most cables. O(channels). */
static void tree_grow(struct spanning_tree *tree, const uint8_t *lane_of, uint8_t lane)
{
    const uint32_t n = cw_network_switches(tree->net), base = tree->net->n_endpoints;
    uint32_t root = 0;
    sum_hops(tree, lane_of, lane);
    for (uint32_t v = 1; v < n; v++)
        if (tree->sum[v] < tree->sum[root] ||
            (tree->sum[v] == tree->sum[root] &&
             cw_network_degree(tree->net, v + base) > cw_network_degree(tree->net, root + base)))
            root = v;
    memset(tree->hops, 0xff, n * sizeof *tree->hops);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = i == 0 ? root : i <= root ? i - 1 : i; /* the root first, then whatever it does not reach */
        if (tree->hops[v] != FAR) continue;
        tree->up[v] = CW_NONE;
        tree->root[v] = v;
        search(tree, v, tree->up);
    }
}

/* Turns it to endpoint DST. O(switches). */
static void tree_aim(struct spanning_tree *tree, uint32_t dst)
{
    const struct cw_network *net = tree->net;
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    memset(tree->hops, 0, n * sizeof *tree->hops); /* of a root: its part has the destination */
    memcpy(tree->toward, tree->up, n * sizeof *tree->toward);
    for (uint32_t c = net->first[dst]; c < net->first[dst + 1]; c++) {
        if (net->head[c] < base || tree->hops[tree->root[net->head[c] - base]]) continue;
        uint32_t v = net->head[c] - base, toward = net->twin[c];
        tree->hops[tree->root[v]] = 1;
        for (;;) { /* the switches above it are turned round */
            tree->toward[v] = toward;
            if (tree->up[v] == CW_NONE) break;
            toward = net->twin[tree->up[v]];
            v = net->head[tree->up[v]] - base;
        }
    }
    for (uint32_t v = 0; v < n; v++)
        if (!tree->hops[tree->root[v]]) tree->toward[v] = CW_NONE;
}

/* Vertices are switches counted from 0. */
struct nue {
    const struct cw_network *net;
    struct cw_balanced_trees trees;
    struct cw_lane_order order;
    struct spanning_tree tree;
    struct cw_lft *tables;
    uint32_t lanes;
    uint8_t *lane;   /* [n_endpoints] */
    bool *bound;     /* [n] to the tree */
    bool *needed;    /* [n] some route to the destination passes */
    uint32_t *level; /* [n] in which a switch was looked at last */
    uint32_t *ports; /* room for the channels of a switch */
    uint32_t longest;
};

/* --- one destination ---------------------------------------------------------------------------------------------- */

/* Switch V goes on by CHANNEL, HOPS from the destination. */
static void settle(struct nue *nue, uint32_t v, uint32_t channel, uint32_t hops)
{
    struct cw_balanced_trees *trees = &nue->trees;
    trees->channel[v] = channel;
    trees->hops[v] = hops;
    trees->reached[trees->n_reached++] = v;
    cw_trees_load(trees, channel, cw_trees_sources(trees, v), 1);
}

/* The channel of V by which it may go on to a switch HOPS from the destination, the cheapest, or CW_NONE. Takes the
 * dependency. */
static uint32_t take_way(struct nue *nue, uint32_t v, uint32_t hops)
{
    const struct cw_network *net = nue->net;
    struct cw_balanced_trees *trees = &nue->trees;
    uint32_t n = 0;
    for (uint32_t c = net->first[v + net->n_endpoints]; c < net->first[v + net->n_endpoints + 1]; c++) {
        const uint32_t u = net->head[c] - net->n_endpoints; /* wraps for endpoints */
        if (net->head[c] < net->n_endpoints || trees->hops[u] != hops) continue;
        if (!nue->bound[v] || nue->tree.toward[v] == c) nue->ports[n++] = c;
    }
    while (n > 0) {
        uint32_t best = 0;
        double least = cw_trees_price(trees, nue->ports[0]);
        for (uint32_t i = 1; i < n; i++) {
            const double price = cw_trees_price(trees, nue->ports[i]);
            if (price >= least) continue;
            best = i;
            least = price;
        }
        const uint32_t channel = nue->ports[best];
        if (cw_lane_order_take(&nue->order, channel, trees->channel[net->head[channel] - net->n_endpoints]))
            return channel;
        memmove(nue->ports + best, nue->ports + best + 1, (n - best - 1) * sizeof *nue->ports);
        n--;
    }
    return CW_NONE;
}

/* Lays the routes to DST level by level, as far as it goes. */
static void try_destination(struct nue *nue, uint32_t dst)
{
    const struct cw_network *net = nue->net;
    struct cw_balanced_trees *trees = &nue->trees;
    const uint32_t base = net->n_endpoints, n = cw_network_switches(net);
    trees->dst = dst;
    trees->n_reached = 0;
    memset(trees->hops, 0xff, n * sizeof *trees->hops);
    memset(nue->level, 0, n * sizeof *nue->level);
    for (uint32_t c = net->first[dst]; c < net->first[dst + 1]; c++)
        if (net->head[c] >= base && trees->hops[net->head[c] - base] != 0)
            settle(nue, net->head[c] - base, cw_trees_into(trees, net->head[c]), 0);
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i] + base, hops = trees->hops[trees->reached[i]];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c] - base;
            if (net->head[c] < base || trees->hops[u] != CW_TREES_FAR || nue->level[u] > hops) continue;
            nue->level[u] = hops + 1;
            const uint32_t channel = take_way(nue, u, hops);
            if (channel != CW_NONE) settle(nue, u, channel, hops + 1);
        }
    }
}

/* Gives up the way of switch V. */
static void unsettle(struct nue *nue, uint32_t v)
{
    struct cw_balanced_trees *trees = &nue->trees;
    const uint32_t next = nue->net->head[trees->channel[v]];
    if (next >= nue->net->n_endpoints)
        cw_lane_order_drop(&nue->order, trees->channel[v], trees->channel[next - nue->net->n_endpoints]);
    trees->hops[v] = CW_TREES_FAR;
}

static void give_up(struct nue *nue)
{
    struct cw_balanced_trees *trees = &nue->trees;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        cw_trees_load(trees, trees->channel[v], cw_trees_sources(trees, v), -1);
        unsettle(nue, v);
    }
    cw_lane_order_forgive(&nue->order);
}

/* Binds the switches on the way from V along the tree. */
static void bind(struct nue *nue, uint32_t v)
{
    while (!nue->bound[v]) {
        nue->bound[v] = true;
        const uint32_t next = nue->net->head[nue->tree.toward[v]];
        if (next < nue->net->n_endpoints) return;
        v = next - nue->net->n_endpoints;
    }
}

/* Binds the switches with endpoints that have no way, though the tree has one. False: there are none. */
static bool bind_stranded(struct nue *nue)
{
    bool any = false;
    for (uint32_t v = 0; v < cw_network_switches(nue->net); v++) {
        if (nue->trees.hops[v] != CW_TREES_FAR || !nue->tree.leaf[v] || nue->tree.toward[v] == CW_NONE) continue;
        bind(nue, v);
        any = true;
    }
    return any;
}

/* Gives up the ways of switches that no route passes. */
static void prune(struct nue *nue)
{
    struct cw_balanced_trees *trees = &nue->trees;
    uint32_t n = 0;
    for (uint32_t v = 0; v < cw_network_switches(nue->net); v++) nue->needed[v] = nue->tree.leaf[v];
    for (uint32_t i = trees->n_reached; i-- > 0;) {
        const uint32_t v = trees->reached[i], next = nue->net->head[trees->channel[v]];
        if (!nue->needed[v])
            unsettle(nue, v);
        else if (next >= nue->net->n_endpoints)
            nue->needed[next - nue->net->n_endpoints] = true;
    }
    for (uint32_t i = 0; i < trees->n_reached; i++)
        if (nue->needed[trees->reached[i]]) trees->reached[n++] = trees->reached[i];
    trees->n_reached = n;
}

static void lay_destination(struct nue *nue, uint32_t dst)
{
    tree_aim(&nue->tree, dst);
    memset(nue->bound, 0, cw_network_switches(nue->net) * sizeof *nue->bound);
    for (;;) {
        try_destination(nue, dst);
        if (!bind_stranded(nue)) break;
        give_up(nue);
    }
    prune(nue);
    cw_trees_lay_several(&nue->trees);
    cw_trees_enter(&nue->trees, nue->tables);
    if (cw_trees_longest(&nue->trees) > nue->longest) nue->longest = cw_trees_longest(&nue->trees);
}

/* Takes the routes to DST back. */
static void lift_destination(struct nue *nue, uint32_t dst)
{
    const struct cw_network *net = nue->net;
    cw_trees_lift(&nue->trees, dst, nue->tables);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t channel = cw_lft_channel(nue->tables, v, dst);
        if (channel == CW_NONE || !cw_network_forwards(net, net->head[channel])) continue;
        cw_lane_order_drop(&nue->order, channel, cw_lft_channel(nue->tables, net->head[channel], dst));
    }
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) cw_lft_set(nue->tables, v, dst, CW_NO_PORT);
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* The dependencies of the routes to DST in the tree. */
static void reserve(struct nue *nue, uint32_t dst)
{
    const struct cw_network *net = nue->net;
    tree_aim(&nue->tree, dst);
    for (uint32_t v = 0; v < cw_network_switches(net); v++) {
        const uint32_t channel = nue->tree.toward[v];
        if (channel == CW_NONE || !cw_network_forwards(net, net->head[channel])) continue;
        (void)cw_lane_order_take(&nue->order, channel, nue->tree.toward[net->head[channel] - net->n_endpoints]);
    }
}

static int lay_lane(struct nue *nue, uint8_t lane)
{
    const uint32_t *order = nue->trees.order, n = nue->trees.n_order;
    int rc = 0;
    cw_lane_order_clear(&nue->order);
    tree_grow(&nue->tree, nue->lane, lane);
    for (uint32_t i = 0; i < n; i++)
        if (nue->lane[order[i]] == lane) reserve(nue, order[i]);
    for (unsigned round = 0; round < 2; round++) {
        cw_lane_order_forgive(&nue->order);
        for (uint32_t i = 0; i < n && rc == 0; i++) {
            if (nue->lane[order[i]] != lane) continue;
            if (round > 0) lift_destination(nue, order[i]);
            lay_destination(nue, order[i]);
            rc = cw_interrupt_check();
        }
    }
    return rc;
}

static int lay_all(struct nue *nue)
{
    int rc = 0;
    for (uint32_t i = 0; i < nue->trees.n_order; i++)
        nue->lane[nue->trees.order[i]] = (uint8_t)((uint64_t)i * nue->lanes / nue->trees.n_order);
    for (uint32_t lane = 0; lane < nue->lanes && rc == 0; lane++) rc = lay_lane(nue, (uint8_t)lane);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int new_nue(struct nue *nue)
{
    static const char what[] = "nue's routes";
    const struct cw_network *net = nue->net;
    const uint32_t n = cw_network_switches(net);
    uint32_t ports = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (cw_network_degree(net, v) > ports) ports = cw_network_degree(net, v);
    nue->lane = cw_new_array(net->n_endpoints, sizeof *nue->lane, what);
    nue->bound = cw_new_array(n, sizeof *nue->bound, what);
    nue->needed = cw_new_array(n, sizeof *nue->needed, what);
    nue->level = cw_new_array(n, sizeof *nue->level, what);
    nue->ports = cw_new_array(ports, sizeof *nue->ports, what);
    if (!nue->lane || !nue->bound || !nue->needed || !nue->level || !nue->ports) return CW_ENOMEM;
    int rc = cw_trees_new(net, &nue->trees);
    if (rc == 0) rc = cw_lane_order_new(net, &nue->order);
    if (rc == 0) rc = tree_new(net, &nue->tree);
    if (rc == 0) rc = cw_lft_new(net, &nue->tables);
    return rc;
}

static void free_nue(struct nue *nue)
{
    cw_trees_free(&nue->trees);
    cw_lane_order_free(&nue->order);
    tree_free(&nue->tree);
    cw_lft_free(nue->tables);
    free(nue->lane);
    free(nue->bound);
    free(nue->needed);
    free(nue->level);
    free(nue->ports);
}

static int give_levels(const struct nue *nue, struct cw_routes *routes)
{
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new(nue->net, nue->lanes, &levels);
    if (rc) return rc;
    for (uint32_t src = 0; src < nue->net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < nue->net->n_endpoints; dst++)
            cw_service_levels_set(levels, src, dst, nue->lane[dst]);
    return cw_routes_set_service_levels(routes, levels);
}

static int finish(struct nue *nue, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *routes;
    int rc = cw_lft_finish_as(nue->tables, "nue-even", nue->longest, n_threads, &routes);
    nue->tables = NULL;
    if (rc) return rc;
    if (nue->lanes > 1) rc = give_levels(nue, routes);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

struct parameters {
    int64_t lanes;
};

static const struct cw_option options[] = {
    {.name = "lanes",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, lanes),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = CW_LANE_DISCARDED,
     .help = "virtual lanes; with more of them routes are shorter and more even"},
    {.name = NULL}};

static int nue_even_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                            struct cw_routes **out)
{
    (void)seed;
    const struct parameters *parameters = values;
    struct nue nue = {.net = net, .lanes = (uint32_t)parameters->lanes};
    int rc = new_nue(&nue);
    if (rc == 0 && nue.lanes > nue.trees.n_order) nue.lanes = nue.trees.n_order > 0 ? nue.trees.n_order : 1;
    if (rc == 0) rc = lay_all(&nue);
    if (rc == 0) rc = finish(&nue, n_threads, out);
    free_nue(&nue);
    return rc;
}

const struct cw_engine cw_engine_nue_even = {
    .name = "nue-even",
    .help = "any network, any number of virtual lanes: as nue, but ways are as short as it allows, and all are laid a "
            "second time; more even than OpenSM's nue on tori, dragonflies and random networks, not on fat trees",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = false,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .compile = nue_even_compile};
