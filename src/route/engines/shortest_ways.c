#include "route/engines/shortest_ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define FAR       UINT8_MAX
#define MOST_KEPT (UINT64_C(1) << 24) /* channels of all legs, if each had all: 12 bytes for half of them, twice */

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
    for (uint32_t i = 0; ways->legs && i < 2 * ways->n; i++) cw_ways_free(&ways->legs[i]);
    free(ways->legs);
    free(ways->leaf);
    free(ways->distance);
}

/* How many channels lead nearer from switch HERE. */
static uint32_t count_nearer(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target)
{
    const uint32_t v = ways->net->n_endpoints + here;
    uint32_t n = 0;
    for (uint32_t c = ways->net->first[v]; c < ways->net->first[v + 1]; c++)
        n += cw_shortest_leads(ways, here, target, c);
    return n;
}

struct cw_hop cw_shortest_hop(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target, uint32_t in,
                              uint8_t lane, uint64_t random)
{
    uint32_t c = ways->net->first[ways->net->n_endpoints + here];
    for (uint32_t left = cw_choice(random, count_nearer(ways, here, target));; c++)
        if (cw_shortest_leads(ways, here, target, c) && left-- == 0) break;
    return (struct cw_hop){c, in == CW_NONE ? 0 : (uint8_t)(lane + 1)};
}

/* --- shares ------------------------------------------------------------------------------------------------------- */

/* Switch HERE sends on what it holds; those that held nothing before are appended to the queue, *N long. */
static void divide(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target, struct cw_ways *out,
                   uint32_t *n)
{
    const struct cw_network *net = ways->net;
    const uint32_t v = net->n_endpoints + here;
    const double each = out->held[here] / count_nearer(ways, here, target);
    out->held[here] = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (!cw_shortest_leads(ways, here, target, c)) continue;
        const uint32_t head = net->head[c] - net->n_endpoints;
        if (out->held[head] == 0) out->queue[(*n)++] = head;
        out->held[head] += each;
        cw_ways_add(out, c, each);
    }
}

void cw_shortest_add(const struct cw_shortest_ways *ways, uint32_t from, uint32_t target, double amount,
                     struct cw_ways *out)
{
    uint32_t n = 0;
    out->queue[n++] = from;
    out->held[from] = amount;
    /* Each hop leads one nearer, so that a switch comes up when it has all that it will have. */
    for (uint32_t i = 0; out->queue[i] != target; i++) divide(ways, out->queue[i], target, out, &n);
    out->held[target] = 0;
}

/* From leaf FROM to all leaves. */
static void add_to_all(const struct cw_shortest_ways *ways, uint32_t from, double amount, struct cw_ways *out)
{
    for (uint32_t i = 0; i < ways->n_leaves; i++)
        cw_shortest_add(ways, from, ways->leaf[i], amount / ways->n_leaves, out);
}

/* From all leaves to leaf TARGET, the farthest first. */
static void add_from_all(const struct cw_shortest_ways *ways, uint32_t target, double amount, struct cw_ways *out)
{
    const uint8_t *distance = ways->distance + (size_t)target * ways->n;
    for (uint32_t i = 0; i < ways->n_leaves; i++) out->held[ways->leaf[i]] = amount / ways->n_leaves;
    for (uint32_t level = ways->farthest; level > 0; level--)
        for (uint32_t s = 0, n = 0; s < ways->n; s++, n = 0)
            if (distance[s] == level && out->held[s] > 0) divide(ways, s, target, out, &n);
    out->held[target] = 0;
}

static void add_leg(const struct cw_ways *leg, double amount, struct cw_ways *out)
{
    for (size_t i = 0; i < leg->n; i++) cw_ways_add(out, leg->channels[i], leg->shares[i] * amount);
}

/* Keeps the leg between SW and all leaves that FIND adds, unless it was the last. Nothing but the channels of endpoints
 * was added to OUT. */
static void find_leg(const struct cw_shortest_ways *ways, uint32_t sw, double amount,
                     void (*find)(const struct cw_shortest_ways *ways, uint32_t sw, double amount, struct cw_ways *out),
                     struct cw_ways_leg *leg, struct cw_ways *out)
{
    const size_t before = out->n;
    if (leg->state == ways && leg->sw == sw && !(leg->amount < amount || leg->amount > amount)) return;
    find(ways, sw, amount, out);
    leg->state = ways;
    leg->sw = sw;
    leg->amount = amount;
    leg->n = out->n - before;
    for (size_t i = 0; i < leg->n; i++) {
        leg->channels[i] = out->channels[before + i];
        leg->amounts[i] = out->amounts[leg->channels[i]];
        out->amounts[leg->channels[i]] = 0;
    }
    out->n = before;
}

void cw_shortest_add_detours(const struct cw_shortest_ways *ways, uint32_t from, uint32_t target, double amount,
                             struct cw_ways *out)
{
    if (ways->legs) {
        add_leg(&ways->legs[from], amount, out);
        add_leg(&ways->legs[ways->n + target], amount, out);
        return;
    }
    find_leg(ways, from, amount, add_to_all, &out->legs[0], out);
    find_leg(ways, target, amount, add_from_all, &out->legs[1], out);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < out->legs[i].n; k++) cw_ways_add(out, out->legs[i].channels[k], out->legs[i].amounts[k]);
}

/* Moves what was added to FOUND into LEG. */
static int keep_leg(struct cw_ways *found, struct cw_ways *leg)
{
    leg->channels = cw_new_array(found->n, sizeof *leg->channels, "legs of ways");
    leg->shares = cw_new_array(found->n, sizeof *leg->shares, "legs of ways");
    if (!leg->channels || !leg->shares) return CW_ENOMEM;
    leg->n = found->n;
    for (size_t i = 0; i < leg->n; i++) {
        leg->channels[i] = found->channels[i];
        leg->shares[i] = found->amounts[leg->channels[i]];
        found->amounts[leg->channels[i]] = 0;
    }
    found->n = 0;
    return 0;
}

static int keep_legs(struct cw_shortest_ways *ways)
{
    /* A leg to all leaves has a channel or its twin, and so has a leg from all. */
    if ((uint64_t)ways->n_leaves * ways->net->n_channels > MOST_KEPT) return 0;
    struct cw_ways found = {0};
    ways->legs = cw_new_array(2 * (size_t)ways->n, sizeof *ways->legs, "legs of ways");
    int rc = ways->legs ? cw_ways_init(&found, ways->net) : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < ways->n_leaves; i++) {
        const uint32_t leaf = ways->leaf[i];
        add_to_all(ways, leaf, 1, &found);
        rc = keep_leg(&found, &ways->legs[leaf]);
        add_from_all(ways, leaf, 1, &found);
        if (!rc) rc = keep_leg(&found, &ways->legs[ways->n + leaf]);
    }
    cw_ways_free(&found);
    return rc;
}

/* --- packet routings ---------------------------------------------------------------------------------------------- */

void cw_lanes_between_switches(const struct cw_network *net, uint32_t lanes, uint8_t *out)
{
    for (uint32_t c = 0; c < net->n_channels; c++) out[c] = cw_network_is_host_channel(net, c) ? 1 : (uint8_t)lanes;
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
    int rc = cw_shortest_ways_new(net, ways);
    if (rc) {
        free(ways);
        return rc;
    }
    if (legs > 1) rc = keep_legs(ways);
    if (rc) {
        cw_shortest_free_state(ways);
        return rc;
    }
    ways->lanes = ways->farthest > 0 && legs > 0 ? legs * ways->farthest : 1;
    ways->any = legs == 0;
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
