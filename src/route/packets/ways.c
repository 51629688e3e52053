#include "route/packets/ways.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static const char what[] = "ways of packets";

int cw_ways_init(struct cw_ways *ways, const struct cw_network *net)
{
    const uint32_t switches = cw_network_switches(net);
    *ways = (struct cw_ways){.channels = cw_new_array(net->n_channels, sizeof *ways->channels, what),
                             .shares = cw_new_array(net->n_channels, sizeof *ways->shares, what),
                             .amounts = cw_new_array(net->n_channels, sizeof *ways->amounts, what),
                             .held = cw_new_array(switches, sizeof *ways->held, what),
                             .queue = cw_new_array(switches, sizeof *ways->queue, what)};
    bool made = ways->channels && ways->shares && ways->amounts && ways->held && ways->queue;
    for (int i = 0; i < 2; i++) {
        ways->legs[i].channels = cw_new_array(net->n_channels, sizeof *ways->legs[i].channels, what);
        ways->legs[i].amounts = cw_new_array(net->n_channels, sizeof *ways->legs[i].amounts, what);
        made = made && ways->legs[i].channels && ways->legs[i].amounts;
    }
    if (made) return 0;
    cw_ways_free(ways);
    return CW_ENOMEM;
}

void cw_ways_free(struct cw_ways *ways)
{
    free(ways->channels);
    free(ways->shares);
    free(ways->amounts);
    free(ways->held);
    free(ways->queue);
    for (int i = 0; i < 2; i++) {
        free(ways->legs[i].channels);
        free(ways->legs[i].amounts);
    }
    *ways = (struct cw_ways){0};
}

static int fail_loop(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    return cw_fail(CW_EROUTE, "%s sends packets from %s to %s around a loop", cw_packet_routing_name(routing),
                   cw_network_name(net, sw, from, sizeof from), cw_network_name(net, dst, to, sizeof to));
}

/* Follows one draw from switch SW, which AMOUNT of the packets take. */
static int follow(const struct cw_packet_routing *routing, uint32_t sw, struct cw_packet packet, double amount,
                  struct cw_ways *ways)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    struct cw_hop hops[CW_PACKET_CANDIDATES], hop = {CW_NONE, 0};
    uint32_t at = sw;
    for (uint32_t left = 2 * net->n_vertices; at != packet.dst; left--) {
        const int n = ops->next(state, at, hop.channel, hop.lane, NULL, 0, &packet, hops, CW_PACKET_CANDIDATES);
        if (n < 0) return n;
        if (n != 1)
            return cw_fail(CW_EUSAGE, "%s lets packets take one of several channels, but does not say that it chooses",
                           cw_packet_routing_name(routing));
        if (left == 0) return fail_loop(routing, sw, packet.dst);
        hop = hops[0];
        cw_ways_add(ways, hop.channel, amount);
        at = net->head[hop.channel];
    }
    return 0;
}

uint32_t cw_ways_choices(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    return ops->choices ? ops->choices(cw_packet_routing_state(routing), sw, dst) : 1;
}

/* Empties WAYS and puts all packets on the source's channel. */
static int begin(const struct cw_network *net, uint32_t src, struct cw_ways *ways)
{
    char name[CW_NAME_SIZE];
    ways->n = 0;
    if (cw_network_degree(net, src) == 0)
        return cw_fail(CW_EROUTE, "%s has no cable and cannot send", cw_network_name(net, src, name, sizeof name));
    cw_ways_add(ways, net->first[src], 1);
    return 0;
}

/* Counts all draws from switch SW, of which there are N, each by as many of the packets that do not go minimally. */
static int add_draws(const struct cw_packet_routing *routing, uint32_t sw, uint32_t src, uint32_t dst, uint32_t n,
                     double minimal, struct cw_ways *ways)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    int rc = 0;
    if (ops->draws && minimal < 1) ops->draws(state, sw, dst, ways);
    for (uint32_t k = 0; !rc && !ops->draws && minimal < 1 && k < n; k++) {
        const struct cw_packet packet =
            cw_packet_inject(ops, state, sw, NULL, cw_random_for_choice(k, n), cw_packet_of(src, dst));
        rc = follow(routing, sw, packet, 1, ways);
    }
    /* Draws are counted and divided once, so that shares are rounded once. */
    for (size_t i = 1; !rc && i < ways->n; i++) {
        double *amount = &ways->amounts[ways->channels[i]];
        *amount = *amount / n * (1 - minimal);
    }
    const struct cw_packet direct = {.dst = cw_packet_of(src, dst).dst, .via = CW_VIA_NONE};
    return rc || minimal <= 0 ? rc : follow(routing, sw, direct, minimal, ways);
}

int cw_ways_find(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    ways->n = 0;
    if (src == dst) return 0;
    int rc = begin(net, src, ways);
    if (rc) return rc;
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    const uint32_t sw = net->head[net->first[src]], n = cw_ways_choices(routing, sw, dst);
    const double minimal = ops->minimal ? ops->minimal(state, sw, dst, ways->minimal) : 0;
    if (n == 0)
        rc = cw_fail(CW_EUSAGE, "%s looks at the queues of switches; its paths are not known without them",
                     cw_packet_routing_name(routing));
    else if (!ops->shares)
        rc = add_draws(routing, sw, src, dst, n, minimal, ways);
    else {
        if (minimal < 1) ops->shares(state, sw, dst, false, 1 - minimal, ways);
        if (minimal > 0) ops->shares(state, sw, dst, true, minimal, ways);
        cw_ways_add(ways, net->twin[net->first[dst]], 1);
    }
    cw_ways_settle(ways);
    if (rc) ways->n = 0;
    return rc;
}

int cw_ways_find_ends(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    ways->n = 0;
    if (src == dst) return 0;
    const int rc = begin(net, src, ways);
    if (rc) return rc;
    cw_ways_add(ways, net->twin[net->first[dst]], 1);
    cw_ways_settle(ways);
    return 0;
}

int cw_ways_find_lids(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct cw_ways *ways)
{
    const uint32_t n = cw_routes_lids(routes);
    struct cw_walk walk = {0};
    struct cw_hop hop;
    int rc = 0;
    ways->n = 0;
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        rc = cw_walk_begin(&walk, cw_routes_to_lid(routes, i), src, dst);
        while (!rc && (rc = cw_walk_candidates(&walk, &hop, 1)) > 0) {
            cw_ways_add(ways, hop.channel, 1);
            cw_walk_take(&walk, hop);
            rc = 0;
        }
    }
    cw_walk_end(&walk);
    cw_ways_settle(ways);
    for (size_t i = 0; i < ways->n; i++) ways->shares[i] /= n;
    if (rc) ways->n = 0;
    return rc;
}
