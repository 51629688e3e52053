/*
 * Packets sprayed over all shortest ways of any network, as switches do that spray packet by packet: every switch
 * divides what goes to a destination evenly among its channels that lead nearer, parallel ones each for itself,
 * whatever lies behind them. In a random graph (Jellyfish) or a Slim Fly this is the minimal routing. The lane is the
 * number of hops before (shortest_ways.h).
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

static void spray_shares(const void *state, uint32_t sw, uint32_t dst, bool minimal, double amount, struct cw_ways *out)
{
    (void)minimal;
    const struct cw_shortest_ways *ways = state;
    cw_shortest_add(ways, sw - ways->net->n_endpoints, cw_shortest_switch(ways, dst), amount, out);
}

static int spray_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                      uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)view, (void)max;
    const struct cw_shortest_ways *ways = state;
    const uint32_t here = sw - ways->net->n_endpoints, target = cw_shortest_switch(ways, packet->dst);
    *out = here == target ? cw_shortest_last(ways, packet->dst) : cw_shortest_hop(ways, here, target, in, lane, random);
    return 1;
}

static const struct cw_packet_routing_ops ops = {.shares = spray_shares,
                                                 .next = spray_next,
                                                 .dependencies = cw_shortest_state_dependencies,
                                                 .free_state = cw_shortest_free_state};

static bool spray_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return cw_shortest_ways_accept(net, CW_SHORTEST_LANES);
}

static int spray_compile(const struct cw_network *net, const void *values, uint64_t seed,
                         struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    return cw_shortest_make(net, "spray", &ops, 1, out);
}

const struct cw_engine cw_engine_spray = {
    .name = "spray",
    .help = "networks with at most 8 hops between switches: every switch sends each packet by a random one of the "
            "ports on shortest paths; the lane increases at every hop",
    .needs = "a connected network of at most 4096 switches, at most 8 hops between those with endpoints",
    .one_way = true,
    .accepts = spray_accepts,
    .packets = spray_compile};
