#include "route/route_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"

int cw_tree_new(const struct cw_routes *routes, struct cw_tree *tree)
{
    static const char what[] = "the routes to a destination";
    const uint32_t n = cw_network_switches(routes->net);
    struct cw_tree made = {.routes = routes};
    made.channel = cw_new_array(n, sizeof *made.channel, what);
    made.hops = cw_new_array(n, sizeof *made.hops, what);
    made.order = cw_new_array(n, sizeof *made.order, what);
    made.waiting = cw_new_array(n, sizeof *made.waiting, what);
    *tree = made;
    if (made.channel && made.hops && made.order && made.waiting) return 0;
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
    *tree = (struct cw_tree){0};
}

/* Hops of the switch or endpoint at the head of CHANNEL, one more. */
static uint32_t hops_over(const struct cw_tree *tree, uint32_t channel)
{
    const struct cw_network *net = tree->routes->net;
    if (channel == CW_NONE) return CW_TREE_HOLE;
    const uint32_t head = net->head[channel];
    if (head == tree->dst) return 1;
    if (cw_network_is_endpoint(net, head)) return CW_TREE_HOLE;
    const uint32_t hops = tree->hops[head - net->n_endpoints];
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
    tree->dst = dst;
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
        tree->hops[at] = hops_over(tree, tree->channel[at]);
    }
}

uint32_t cw_tree_start(const struct cw_tree *tree, uint32_t src)
{
    return cw_lft_channel(tree->routes->tables, src, tree->dst);
}

uint32_t cw_tree_route(const struct cw_tree *tree, uint32_t src)
{
    return src == tree->dst ? 0 : hops_over(tree, cw_tree_start(tree, src));
}
