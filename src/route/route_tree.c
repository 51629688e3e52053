#include "route/route_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/route_pairs.h"
#include "route/routes_internal.h"

int cw_tree_new(const struct cw_routes *routes, struct cw_tree *tree)
{
    static const char what[] = "the routes to a destination";
    const size_t n = cw_network_switches(routes->net);
    struct cw_tree made = {.routes = routes, .home = CW_NONE};
    made.channel = cw_new_array(n * CW_TREES, sizeof *made.channel, what);
    made.hops = cw_new_array(n * CW_TREES, sizeof *made.hops, what);
    made.order = cw_new_array(n, sizeof *made.order, what);
    made.waiting = cw_new_array(n, sizeof *made.waiting, what);
    made.level = cw_new_array(n, sizeof *made.level, what);
    *tree = made;
    if (made.channel && made.hops && made.order && made.waiting && made.level) return 0;
    cw_tree_free(tree);
    return CW_ENOMEM;
}

void cw_tree_free(struct cw_tree *tree)
{
    if (!tree) return;
    free(tree->channel);
    free(tree->hops);
    free(tree->order);
    free(tree->waiting);
    free(tree->level);
    *tree = (struct cw_tree){0};
}

/* Hops over CHANNEL to the destination at place I. */
static uint32_t hops_over(const struct cw_tree *tree, uint32_t i, uint32_t channel)
{
    const struct cw_network *net = tree->routes->net;
    if (channel == CW_NONE) return CW_TREE_HOLE;
    const uint32_t head = net->head[channel];
    if (head == tree->dst[i]) return 1;
    if (!cw_network_forwards(net, head)) return CW_TREE_HOLE;
    const uint32_t hops = tree->hops[(size_t)(head - net->n_endpoints) * tree->n + i];
    return hops < CW_TREE_LOOP ? hops + 1 : hops;
}

/* Takes switches off at the leaves until only circles remain. */
static void peel(struct cw_tree *tree)
{
    const struct cw_network *net = tree->routes->net;
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    tree->n_order = 0;
    for (uint32_t i = 0; i < n; i++)
        if (tree->waiting[i] == 0) tree->order[tree->n_order++] = base + i;
    for (uint32_t done = 0; done < tree->n_order; done++) {
        const uint32_t channel = tree->channel[tree->order[done] - base];
        if (channel == CW_NONE || net->head[channel] < base) continue;
        if (--tree->waiting[net->head[channel] - base] == 0) tree->order[tree->n_order++] = net->head[channel];
    }
}

void cw_tree_fill(struct cw_tree *tree, uint32_t dst)
{
    const struct cw_network *net = tree->routes->net;
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    tree->n = 1;
    tree->dst[0] = dst;
    tree->sorted = false;
    memset(tree->waiting, 0, n * sizeof *tree->waiting);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t channel = cw_lft_channel(tree->routes->tables, base + i, dst);
        tree->channel[i] = channel;
        tree->hops[i] = CW_TREE_LOOP;
        if (channel != CW_NONE && net->head[channel] >= base) tree->waiting[net->head[channel] - base]++;
    }
    peel(tree);
    for (uint32_t i = tree->n_order; i-- > 0;) {
        const uint32_t at = tree->order[i] - base;
        tree->hops[at] = hops_over(tree, 0, tree->channel[at]);
    }
}

/* --- several trees ------------------------------------------------------------------------------------------------ */

/* Sorts the order of the one tree that is there by levels, so that it does for others, too. False if there are circles.
 */
static bool sort_order(struct cw_tree *tree)
{
    const struct cw_network *net = tree->routes->net;
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    uint32_t *end = tree->waiting, levels = 0; /* end[l]: where the place of level l ends, for now 0 */
    if (tree->n_order < n) return false;
    memset(end, 0, n * sizeof *end);
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t v = tree->order[i] - base, channel = tree->channel[v];
        const bool last = channel == CW_NONE || net->head[channel] < base;
        tree->level[v] = last ? 0 : tree->level[net->head[channel] - base] + 1;
        end[tree->level[v]]++;
        if (tree->level[v] >= levels) levels = tree->level[v] + 1;
    }
    for (uint32_t l = levels - 1; l-- > 0;) end[l] += end[l + 1];
    for (uint32_t v = n; v-- > 0;) tree->order[--end[tree->level[v]]] = base + v;
    return true;
}

struct cw_tree_columns cw_tree_columns_of(const struct cw_lft *tables, const uint32_t *dst, uint32_t n)
{
    struct cw_tree_columns columns;
    for (uint32_t i = 0; i < n; i++) {
        const size_t at = (size_t)dst[i] * tables->rows + (tables->net->n_endpoints - tables->row_base);
        columns.narrow[i] = tables->narrow ? tables->narrow + at : NULL;
        columns.wide[i] = tables->narrow ? NULL : tables->wide + at;
    }
    return columns;
}

uint32_t cw_tree_neighbours(const struct cw_network *net, const uint32_t *dst, uint32_t left, uint32_t most)
{
    const uint32_t home = cw_pairs_switch(net, dst[0]);
    uint32_t n = 1;
    while (home != CW_NONE && n < left && n < most && cw_pairs_switch(net, dst[n]) == home) n++;
    return n;
}

/* Fills in the N trees at switch index V. Returns how many of the first have a next hop that comes before V. */
static inline uint32_t fill_row(struct cw_tree *tree, const struct cw_tree_columns *columns, uint32_t v, uint32_t n)
{
    const struct cw_network *net = tree->routes->net;
    const uint32_t base = net->n_endpoints, first = net->first[base + v];
    uint32_t *channel = tree->channel + (size_t)v * n, *hops = tree->hops + (size_t)v * n, good = n;
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t port = cw_tree_port(columns, i, v);
        channel[i] = port == UINT16_MAX ? CW_NONE : first + port;
        hops[i] = hops_over(tree, i, channel[i]);
        if (channel[i] == CW_NONE || net->head[channel[i]] < base) continue;
        if (tree->level[net->head[channel[i]] - base] >= tree->level[v]) good = i;
    }
    return good;
}

/* Fills the N trees of DST in the order that there is. Returns how many of the first are right: if it is not N, they
 * are to be filled again. */
static uint32_t try_order(struct cw_tree *tree, const uint32_t *dst, uint32_t n)
{
    const struct cw_lft *tables = tree->routes->tables;
    const struct cw_tree_columns columns = cw_tree_columns_of(tables, dst, n);
    uint32_t good = n;
    tree->n = n;
    memcpy(tree->dst, dst, n * sizeof *dst);
    for (uint32_t i = tree->n_order; i-- > 0 && good == n;)
        good = fill_row(tree, &columns, tree->order[i] - tables->net->n_endpoints, n);
    return good;
}

uint32_t cw_tree_fill_several(struct cw_tree *tree, const uint32_t *dst, uint32_t left)
{
    const struct cw_network *net = tree->routes->net;
    const uint32_t home = cw_pairs_switch(net, dst[0]);
    const bool again = tree->sorted && tree->home == home;
    if (tree->home != home) tree->most = CW_TREES;
    tree->home = home;
    uint32_t n = cw_tree_neighbours(net, dst, left, tree->most);
    if (n > 1 && again && try_order(tree, dst, n) == n) return n;
    cw_tree_fill(tree, dst[0]);
    if (n == 1 || !sort_order(tree)) return 1;
    tree->sorted = true;
    for (uint32_t good; (good = try_order(tree, dst, n)) < n;) tree->most = n = good;
    return n;
}

uint32_t cw_tree_start(const struct cw_tree *tree, uint32_t i, uint32_t src)
{
    return cw_lft_channel(tree->routes->tables, src, tree->dst[i]);
}

uint32_t cw_tree_route(const struct cw_tree *tree, uint32_t i, uint32_t src)
{
    return src == tree->dst[i] ? 0 : hops_over(tree, i, cw_tree_start(tree, i, src));
}
