/*
 * Valiant's routing of any network (Valiant, "A scheme for fast parallel communication", 1982): first to a random one
 * of the switches with endpoints, then to the destination, each by random shortest hops, as spray's. Whatever the
 * traffic, it then loads the network as uniform traffic does twice. The lane is the number of hops before
 * (shortest_ways.h).
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

static uint32_t valiant_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)sw, (void)dst;
    const struct cw_shortest_ways *ways = state;
    return ways->n_leaves;
}

static uint32_t valiant_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                               struct cw_packet packet)
{
    (void)sw, (void)view, (void)packet;
    const struct cw_shortest_ways *ways = state;
    return ways->leaf[cw_choice(random, ways->n_leaves)];
}

static void valiant_shares(const void *state, uint32_t sw, uint32_t dst, bool minimal, double amount,
                           struct cw_ways *out)
{
    const struct cw_shortest_ways *ways = state;
    const uint32_t from = sw - ways->net->n_endpoints, target = cw_shortest_switch(ways, dst);
    if (minimal)
        cw_shortest_add(ways, from, target, amount, out);
    else
        cw_shortest_add_detours(ways, from, target, amount, out);
}

static int valiant_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                        uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)view, (void)max;
    const struct cw_shortest_ways *ways = state;
    const uint32_t here = sw - ways->net->n_endpoints, last = cw_shortest_switch(ways, packet->dst);
    if (packet->via == here) packet->via = CW_VIA_NONE;
    const uint32_t target = packet->via == CW_VIA_NONE ? last : packet->via;
    *out = here == target ? cw_shortest_last(ways, packet->dst) : cw_shortest_hop(ways, here, target, in, lane, random);
    return 1;
}

static const struct cw_packet_routing_ops ops = {.choices = valiant_choices,
                                                 .shares = valiant_shares,
                                                 .inject = valiant_inject,
                                                 .next = valiant_next,
                                                 .dependencies = cw_shortest_state_dependencies,
                                                 .free_state = cw_shortest_free_state};

static bool valiant_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return cw_shortest_ways_accept(net, CW_SHORTEST_LANES / 2);
}

static int valiant_compile(const struct cw_network *net, const void *values, uint64_t seed,
                           struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    return cw_shortest_make(net, "valiant", &ops, 2, out);
}

const struct cw_engine cw_engine_valiant = {
    .name = "valiant",
    .help = "networks with at most 4 hops between switches: by a shortest path to a random switch with endpoints, then "
            "by a shortest path to the destination; the lane increases at every hop",
    .needs = "a connected network of at most 4096 switches, at most 4 hops between those with endpoints",
    .one_way = true,
    .accepts = valiant_accepts,
    .valiant = true,
    .packets = valiant_compile};
