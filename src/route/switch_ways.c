#include "route/switch_ways.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"

/* Takes from the tree of one destination the ways from each switch to those after it on its route. */
static void take_ways(const struct cw_network *net, const struct cw_tree *tree, uint8_t *ports)
{
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    for (uint32_t from = 0; from < n; from++) {
        if (tree->hops[from] >= CW_TREE_LOOP) continue;
        const uint8_t port = (uint8_t)cw_network_port(net, tree->channel[from]);
        uint32_t at = net->head[tree->channel[from]];
        while (at >= base) {
            uint8_t *way = &ports[(size_t)from * n + (at - base)];
            if (*way == 0) *way = port;
            at = net->head[tree->channel[at - base]];
        }
    }
}

/* A switch is reached from another on a piece of a route that passes both, the one to the first such destination. These
 * pieces fit together without loops: the next switch is on that route, too, so it goes on towards the same or an
 * earlier one. */
static int take_pieces(const struct cw_routes *routes, uint8_t *ports)
{
    struct cw_tree tree;
    const int rc = cw_tree_new(routes, &tree);
    if (rc) return rc;
    for (uint32_t dst = 0; dst < routes->net->n_endpoints; dst++) {
        cw_tree_fill(&tree, dst);
        take_ways(routes->net, &tree, ports);
    }
    cw_tree_free(&tree);
    return 0;
}

/* Gives the switches without a way to TO one to the next that is nearer to it and has one: from there the way goes on
 * as it did, so that no loop comes of it. SEEN and QUEUE are [switches]. */
static void lead_to(const struct cw_network *net, uint32_t to, uint8_t *ports, bool *seen, uint32_t *queue)
{
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    uint32_t count = 1;
    memset(seen, 0, n * sizeof *seen);
    seen[to] = true;
    queue[0] = to;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = net->first[base + queue[i]]; c < net->first[base + queue[i] + 1]; c++) {
            const uint32_t back = net->twin[c];
            if (net->head[c] < base || seen[net->head[c] - base] || cw_network_is_closed(net, back)) continue;
            const uint32_t from = net->head[c] - base;
            uint8_t *way = &ports[(size_t)from * n + to];
            if (*way == 0) *way = (uint8_t)cw_network_port(net, back);
            seen[from] = true;
            queue[count++] = from;
        }
}

/* Ways to switches that no route passes, or not from everywhere. */
static int fill_gaps(const struct cw_network *net, uint8_t *ports)
{
    const uint32_t n = cw_network_switches(net);
    bool *seen = cw_new_array(n, sizeof *seen, "ways between switches");
    uint32_t *queue = cw_new_array(n, sizeof *queue, "ways between switches");
    for (uint32_t to = 0; seen && queue && to < n; to++) lead_to(net, to, ports, seen, queue);
    const int rc = seen && queue ? 0 : CW_ENOMEM;
    free(seen);
    free(queue);
    return rc;
}

int cw_switch_ways(const struct cw_routes *routes, uint8_t **ports)
{
    const size_t n = cw_network_switches(routes->net);
    uint8_t *made = cw_new_array(n * n, sizeof *made, "ways between switches");
    int rc = made ? 0 : CW_ENOMEM;
    if (rc == 0 && routes->switch_ways)
        memcpy(made, routes->switch_ways, n * n);
    else if (rc == 0)
        rc = take_pieces(routes, made);
    if (rc == 0 && !routes->switch_ways) rc = fill_gaps(routes->net, made);
    if (rc)
        free(made);
    else
        *ports = made;
    return rc;
}

void cw_routes_set_switch_ways(struct cw_routes *routes, uint8_t *ports)
{
    free(routes->switch_ways);
    routes->switch_ways = ports;
}
