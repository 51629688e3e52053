#include "route/packets/ways.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static const char what[] = "ways of packets";

int cw_ways_init(struct cw_ways *ways, const struct cw_network *net)
{
    *ways = (struct cw_ways){.draws = cw_new_array(net->n_channels, sizeof *ways->draws, what)};
    return ways->draws ? 0 : CW_ENOMEM;
}

void cw_ways_free(struct cw_ways *ways)
{
    free(ways->channels);
    free(ways->shares);
    free(ways->draws);
    *ways = (struct cw_ways){0};
}

static int add_draw(struct cw_ways *ways, uint32_t channel)
{
    if (ways->draws[channel]++ > 0) return 0;
    void *channels = ways->channels, *shares = ways->shares;
    int rc = cw_grow_array(&channels, &ways->channels_capacity, ways->n + 1, sizeof *ways->channels, what);
    if (!rc) rc = cw_grow_array(&shares, &ways->shares_capacity, ways->n + 1, sizeof *ways->shares, what);
    ways->channels = channels;
    ways->shares = shares;
    if (rc) {
        ways->draws[channel] = 0;
        return rc;
    }
    ways->channels[ways->n++] = channel;
    return 0;
}

static int fail_loop(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    return cw_fail(CW_EROUTE, "%s sends packets from %s to %s around a loop", cw_packet_routing_name(routing),
                   cw_network_name(net, sw, from, sizeof from), cw_network_name(net, dst, to, sizeof to));
}

/* Follows one draw from switch SW. */
static int follow(const struct cw_packet_routing *routing, uint32_t sw, struct cw_packet packet, struct cw_ways *ways)
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
        const int rc = add_draw(ways, hop.channel);
        if (rc) return rc;
        at = net->head[hop.channel];
    }
    return 0;
}

uint32_t cw_ways_choices(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    return ops->choices ? ops->choices(cw_packet_routing_state(routing), sw, dst) : 1;
}

/* Empties WAYS and begins with the source's channel. */
static int begin(const struct cw_network *net, uint32_t src, struct cw_ways *ways)
{
    char name[CW_NAME_SIZE];
    ways->n = 0;
    if (cw_network_degree(net, src) == 0)
        return cw_fail(CW_EROUTE, "%s has no cable and cannot send", cw_network_name(net, src, name, sizeof name));
    return add_draw(ways, net->first[src]);
}

/* Makes shares of the draws, of which there are N, if a share of MINIMAL takes the first N_MINIMAL channels, each once
 * among the draws, and the others share the rest. */
static void end(uint32_t n, size_t n_minimal, double minimal, struct cw_ways *ways)
{
    for (size_t i = 0; i < ways->n; i++) {
        const uint32_t draws = ways->draws[ways->channels[i]] - (i < n_minimal);
        ways->shares[i] = (double)draws / n * (1 - minimal) + (i < n_minimal ? minimal : 0);
        ways->draws[ways->channels[i]] = 0;
    }
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
    const uint32_t out = net->first[src], sw = net->head[out], n = cw_ways_choices(routing, sw, dst);
    if (n == 0)
        rc = cw_fail(CW_EUSAGE, "%s looks at the queues of switches; its paths are not known without them",
                     cw_packet_routing_name(routing));
    const double minimal = ops->minimal ? ops->minimal(state, sw, dst, ways->minimal) : 0;
    if (!rc && minimal > 0) {
        const struct cw_packet packet = {.dst = cw_packet_of(src, dst).dst, .via = CW_VIA_NONE};
        rc = follow(routing, sw, packet, ways);
    }
    const size_t n_minimal = minimal > 0 ? ways->n : 0;
    ways->draws[out] = n + (n_minimal > 0);
    for (uint32_t k = 0; !rc && minimal < 1 && k < n; k++) {
        const struct cw_packet packet =
            cw_packet_inject(ops, state, sw, NULL, cw_random_for_choice(k, n), cw_packet_of(src, dst));
        rc = follow(routing, sw, packet, ways);
    }
    end(n, n_minimal, minimal, ways);
    if (rc) ways->n = 0;
    return rc;
}

int cw_ways_find_ends(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    ways->n = 0;
    if (src == dst) return 0;
    int rc = begin(net, src, ways);
    if (!rc) rc = add_draw(ways, net->twin[net->first[dst]]);
    end(1, 0, 0, ways);
    return rc;
}
