/*
 * Packets sprayed over all shortest ways of any network: at every switch each of the channels on one is as likely, as
 * where equal-cost multi-path hashes packets and not flows. In a random graph (Jellyfish) or a Slim Fly this is the
 * minimal routing. The lane is the number of hops before (shortest_ways.h).
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

#define SALTS 64 /* ways of a packet: enough to even out, few enough for models to enumerate */

static uint32_t spray_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return SALTS;
}

static uint32_t spray_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                             struct cw_packet packet)
{
    (void)state, (void)sw, (void)view, (void)packet;
    return cw_choice(random, SALTS);
}

static int spray_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                      uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)view, (void)random, (void)max;
    const struct cw_shortest_ways *ways = state;
    const uint32_t here = sw - ways->net->n_endpoints, target = cw_shortest_switch(ways, packet->dst);
    *out = here == target ? cw_shortest_last(ways, packet->dst)
                          : cw_shortest_hop(ways, here, target, in, lane, packet->via);
    return 1;
}

static const struct cw_packet_routing_ops ops = {.choices = spray_choices,
                                                 .inject = spray_inject,
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
    .help = "networks with at most 8 hops between switches: each packet takes a random shortest path; the lane "
            "increases at every hop",
    .needs = "a connected network of at most 4096 switches, at most 8 hops between those with endpoints",
    .one_way = true,
    .accepts = spray_accepts,
    .packets = spray_compile};
