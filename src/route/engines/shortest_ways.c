#include "route/engines/shortest_ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"

#define FAR UINT8_MAX

/* Hops from every switch to TARGET into DISTANCE; QUEUE has room for all. */
static void search(const struct cw_network *net, uint32_t target, uint8_t *distance, uint32_t *queue)
{
    const uint32_t base = net->n_endpoints;
    uint32_t n = 0;
    memset(distance, FAR, cw_network_switches(net));
    distance[target] = 0;
    queue[n++] = target;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = base + queue[i];
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && distance[queue[i]] + 1 < FAR; c++) {
            const uint32_t head = net->head[c];
            if (head < base || distance[head - base] != FAR || cw_network_is_closed(net, net->twin[c])) continue;
            distance[head - base] = (uint8_t)(distance[queue[i]] + 1);
            queue[n++] = head - base;
        }
    }
}

static bool endpoints_fit(const struct cw_network *net)
{
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (cw_network_degree(net, e) != 1 || cw_network_is_endpoint(net, net->head[net->first[e]])) return false;
    return net->n_endpoints > 0;
}

/* Switches with endpoints into LEAF; their number. Endpoints are in any order, hence the marks. */
static uint32_t find_leaves(const struct cw_network *net, uint32_t *leaf)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < cw_network_switches(net); s++) {
        const uint32_t v = net->n_endpoints + s;
        bool found = false;
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && !found; c++)
            found = cw_network_is_endpoint(net, net->head[c]);
        if (found) leaf[n++] = s;
    }
    return n;
}

/* The greatest distance in DISTANCE of one of the leaves. */
static uint32_t farthest_leaf(const uint8_t *distance, const uint32_t *leaf, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (distance[leaf[i]] > most) most = distance[leaf[i]];
    return most;
}

bool cw_shortest_ways_accept(const struct cw_network *net, uint32_t most)
{
    const uint32_t n = cw_network_switches(net);
    if (n == 0 || n > CW_SHORTEST_SWITCHES || !endpoints_fit(net)) return false;
    uint32_t leaf[CW_SHORTEST_SWITCHES], queue[CW_SHORTEST_SWITCHES];
    uint8_t distance[CW_SHORTEST_SWITCHES];
    const uint32_t leaves = find_leaves(net, leaf);
    bool near = true;
    for (uint32_t i = 0; i < leaves && near; i++) {
        search(net, leaf[i], distance, queue);
        near = farthest_leaf(distance, leaf, leaves) <= most;
    }
    return near;
}

int cw_shortest_ways_new(const struct cw_network *net, struct cw_shortest_ways *out)
{
    const uint32_t n = cw_network_switches(net);
    uint32_t queue[CW_SHORTEST_SWITCHES];
    struct cw_shortest_ways ways = {.net = net, .n = n};
    ways.leaf = cw_new_array(n, sizeof *ways.leaf, "shortest ways");
    ways.distance = cw_new_array((size_t)n * n, sizeof *ways.distance, "shortest ways");
    if (!ways.leaf || !ways.distance) {
        cw_shortest_ways_free(&ways);
        return CW_ENOMEM;
    }
    ways.n_leaves = find_leaves(net, ways.leaf);
    for (uint32_t i = 0; i < ways.n_leaves; i++) {
        uint8_t *distance = ways.distance + (size_t)ways.leaf[i] * n;
        search(net, ways.leaf[i], distance, queue);
        const uint32_t most = farthest_leaf(distance, ways.leaf, ways.n_leaves);
        if (most > ways.farthest) ways.farthest = most;
    }
    *out = ways;
    return 0;
}

void cw_shortest_ways_free(struct cw_shortest_ways *ways)
{
    free(ways->leaf);
    free(ways->distance);
}

struct cw_hop cw_shortest_hop(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target, uint32_t in,
                              uint8_t lane, uint64_t salt)
{
    const struct cw_network *net = ways->net;
    const uint8_t *distance = ways->distance + (size_t)target * ways->n;
    const uint32_t v = net->n_endpoints + here, wanted = distance[here] - 1u;
    uint32_t n = 0, found = CW_NONE;
    /* One of those that are nearer, all with one probability: of k so far the last with 1/k. */
    uint64_t random = cw_random_hash(salt, (uint64_t)here << 32 | target);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t head = net->head[c];
        if (head < net->n_endpoints || distance[head - net->n_endpoints] != wanted) continue;
        if (cw_network_is_closed(net, c)) continue;
        n++;
        if (found == CW_NONE || cw_choice(random, n) == 0) found = c;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
    return (struct cw_hop){found, in == CW_NONE ? 0 : (uint8_t)(lane + 1)};
}

void cw_lanes_between_switches(const struct cw_network *net, uint32_t lanes, uint8_t *out)
{
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool host = cw_network_is_endpoint(net, net->tail[c]) || cw_network_is_endpoint(net, net->head[c]);
        out[c] = host ? 1 : (uint8_t)lanes;
    }
}

int cw_shortest_dependencies(const struct cw_network *net, uint32_t lanes,
                             int (*edge)(void *context, struct cw_hop from, struct cw_hop to), void *context)
{
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
            for (uint32_t o = net->first[v]; o < net->first[v + 1]; o++) {
                if (cw_network_is_endpoint(net, net->head[i]) || cw_network_is_endpoint(net, net->head[o])) continue;
                for (uint32_t lane = 0; lane + 1 < lanes; lane++) {
                    const struct cw_hop from = {net->twin[i], (uint8_t)lane}, to = {o, (uint8_t)(lane + 1)};
                    const int rc = edge(context, from, to);
                    if (rc) return rc;
                }
            }
    return 0;
}

int cw_shortest_make(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                     uint32_t legs, struct cw_packet_routing **out)
{
    struct cw_shortest_ways *ways = cw_new_array(1, sizeof *ways, "shortest ways");
    if (!ways) return CW_ENOMEM;
    const int rc = cw_shortest_ways_new(net, ways);
    if (rc) {
        free(ways);
        return rc;
    }
    ways->lanes = ways->farthest > 0 ? legs * ways->farthest : 1;
    uint8_t *lanes_of = cw_new_array(net->n_channels, sizeof *lanes_of, "lanes");
    if (lanes_of) cw_lanes_between_switches(net, ways->lanes, lanes_of);
    return cw_packet_routing_make(net, name, ops, ways, lanes_of, out);
}

int cw_shortest_state_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                                   void *context)
{
    const struct cw_shortest_ways *ways = state;
    return cw_shortest_dependencies(ways->net, ways->lanes, edge, context);
}

void cw_shortest_free_state(void *state)
{
    cw_shortest_ways_free(state);
    free(state);
}
