#include "route/engines/balanced/spanning_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define SAMPLE 64u /* endpoints of which the middle is looked for */
#define FAR    UINT32_MAX

int cw_spanning_tree_new(const struct cw_network *net, struct cw_spanning_tree *tree)
{
    static const char what[] = "a spanning tree";
    const uint32_t n = cw_network_switches(net);
    struct cw_spanning_tree made = {.net = net};
    made.leaf = cw_new_array(n, sizeof *made.leaf, what);
    made.up = cw_new_array(n, sizeof *made.up, what);
    made.root = cw_new_array(n, sizeof *made.root, what);
    made.toward = cw_new_array(n, sizeof *made.toward, what);
    made.queue = cw_new_array(n, sizeof *made.queue, what);
    made.sum = cw_new_array(n, sizeof *made.sum, what);
    made.hops = cw_new_array(n, sizeof *made.hops, what);
    *tree = made;
    if (!made.leaf || !made.up || !made.root || !made.toward || !made.queue || !made.sum || !made.hops) {
        cw_spanning_tree_free(tree);
        return CW_ENOMEM;
    }
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            made.leaf[v - net->n_endpoints] |= cw_network_is_endpoint(net, net->head[c]);
    return 0;
}

void cw_spanning_tree_free(struct cw_spanning_tree *tree)
{
    free(tree->leaf);
    free(tree->up);
    free(tree->root);
    free(tree->toward);
    free(tree->queue);
    free(tree->sum);
    free(tree->hops);
    *tree = (struct cw_spanning_tree){0};
}

/* Breadth first from switch START over those that are FAR; the channel back from each into UP, unless that is NULL. */
static void search(struct cw_spanning_tree *tree, uint32_t start, uint32_t *up)
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
static void sum_hops(struct cw_spanning_tree *tree, const uint8_t *lane_of, uint8_t lane)
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

void cw_spanning_tree_grow(struct cw_spanning_tree *tree, const uint8_t *lane_of, uint8_t lane)
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

void cw_spanning_tree_aim(struct cw_spanning_tree *tree, uint32_t dst)
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
