/*
 * Adaptive routing over shortest ways, as switches do it that look at their own queues (InfiniBand's adaptive routing,
 * Spectrum-X, Slingshot's minimal ways): at every switch by the channel that leads nearer and has the fewest flits
 * waiting; ties begin at a random one. The lane is the number of hops before (shortest_ways.h).
 *
 * What it could reach at best, without queues, is what least_busy.h finds for the messages of a round; and what
 * switches could reach that take longer ways, too, whichever these are (Slingshot, UGAL): nobody has packets for that.
 */
#include <stddef.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

static uint32_t adaptive_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return 0;
}

/* Enters HOP, behind which FLITS wait, among the N best in OUT, at most MAX, sorted by insertion; their number. */
static int enter(struct cw_hop *out, uint32_t *occupancy, int n, int max, struct cw_hop hop, uint32_t flits)
{
    if (n == max && occupancy[n - 1] <= flits) return n;
    int at = n < max ? n++ : n - 1;
    for (; at > 0 && occupancy[at - 1] > flits; at--) {
        occupancy[at] = occupancy[at - 1];
        out[at] = out[at - 1];
    }
    occupancy[at] = flits;
    out[at] = hop;
    return n;
}

static int adaptive_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                         uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    const struct cw_shortest_ways *ways = state;
    const struct cw_network *net = ways->net;
    const uint32_t here = sw - net->n_endpoints, target = cw_shortest_switch(ways, packet->dst);
    uint32_t occupancy[CW_PACKET_CANDIDATES];
    int n = 0;
    if (here == target) {
        *out = cw_shortest_last(ways, packet->dst);
        return 1;
    }
    if (max > CW_PACKET_CANDIDATES) max = CW_PACKET_CANDIDATES;
    const uint32_t ports = cw_network_degree(net, sw), begin = cw_choice(random, ports);
    for (uint32_t i = 0; i < ports; i++) {
        const uint32_t c = net->first[sw] + (begin + i) % ports;
        const struct cw_hop hop = {c, in == CW_NONE ? 0 : (uint8_t)(lane + 1)};
        if (cw_shortest_leads(ways, here, target, c))
            n = enter(out, occupancy, n, max, hop, view->occupancy(view->simulator, c));
    }
    return n;
}

static const struct cw_packet_routing_ops ops = {.choices = adaptive_choices,
                                                 .next = adaptive_next,
                                                 .dependencies = cw_shortest_state_dependencies,
                                                 .free_state = cw_shortest_free_state};

static int no_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                           void *context)
{
    (void)state, (void)edge, (void)context;
    return cw_fail(CW_EUSAGE,
                   "adaptive:ways=any is what packets could reach at best by any ways, for congestion and ebb; "
                   "expected a routing of packets: adaptive, or one that takes longer ways by queues, such as "
                   "ugal-l, par or dal");
}

static const struct cw_packet_routing_ops bound_ops = {.choices = adaptive_choices,
                                                       .next = adaptive_next,
                                                       .dependencies = no_dependencies,
                                                       .free_state = cw_shortest_free_state};

struct parameters {
    int ways; /* of the following */
};

enum { SHORTEST, ANY };
static const char *const ways_choices[] = {"shortest", "any", NULL};

static const struct cw_option options[] = {
    {.name = "ways",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct parameters, ways),
     .default_text = "shortest",
     .choices = ways_choices,
     .help = "any: the best that packets could reach if they took longer ways, too; for congestion and ebb"},
    {.name = NULL}};

static bool adaptive_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return cw_shortest_ways_accept(net, CW_SHORTEST_LANES);
}

static int adaptive_compile(const struct cw_network *net, const void *values, uint64_t seed,
                            struct cw_packet_routing **out)
{
    const struct parameters *parameters = values;
    const bool any = parameters->ways == ANY;
    (void)seed;
    return cw_shortest_make(net, any ? "adaptive:ways=any" : "adaptive", any ? &bound_ops : &ops, any ? 0 : 1, out);
}

const struct cw_engine cw_engine_adaptive = {
    .name = "adaptive",
    .help = "networks with at most 8 hops between switches: by the port on a shortest path with the fewest waiting "
            "flits; congestion and ebb find what that can reach at best. The lane increases at every hop",
    .needs = "a connected network of at most 4096 switches, at most 8 hops between those with endpoints",
    .options = options,
    .size = sizeof(struct parameters),
    .one_way = true,
    .by_queues = true,
    .by_round = true,
    .accepts = adaptive_accepts,
    .packets = adaptive_compile};
