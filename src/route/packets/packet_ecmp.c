/*
 * Equal-cost multi-path by flow, as Ethernet fabrics with BGP or OSPF have it, for RoCE too (RFC 2992): what two
 * endpoints send each other is in a few flows, each with a source port of its own, and every switch chooses among the
 * channels that lead nearer by a hash of the flow's addresses and ports. So a flow has one way, and flows that meet on
 * a channel stay there.
 *
 * Each switch hashes with a seed of its own, or all hash alike: then flows that chose the same at one level choose the
 * same at the next, and most channels of a tree of three levels stay empty (polarisation).
 *
 * Weights are those of WCMP (Zhou et al., "WCMP: weighted cost multipathing for improved fairness in data centers",
 * EuroSys 2014), exact ones, not the few entries of a table: a channel is chosen in proportion to what can get to the
 * destination over it, by induction over distances: the lesser of its own capacity and of all that its head can send
 * on.
 *
 * The lane is the number of hops before (shortest_ways.h).
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/shortest_ways.h"

struct options {
    int64_t flows;
    int hash;
    bool weights;
};

enum hash { HASH_OWN, HASH_SAME };

struct ecmp {
    struct cw_shortest_ways ways; /* first: its functions are given the state */
    uint64_t seed;
    uint32_t flows; /* of two endpoints, each direction */
    bool same;      /* all switches hash alike */
    double *width;  /* [target · switches + switch] byte/s that get to a leaf; NULL: channels count alike */
};

static uint32_t ecmp_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)sw, (void)dst;
    const struct ecmp *ecmp = state;
    return ecmp->flows;
}

/* A packet carries what is hashed of its flow. */
static uint32_t ecmp_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                            struct cw_packet packet)
{
    (void)sw, (void)view;
    const struct ecmp *ecmp = state;
    const uint64_t ends = cw_random_hash(ecmp->seed, (uint64_t)packet.via << 32 | packet.dst);
    return (uint32_t)(cw_random_hash(ends, cw_choice(random, ecmp->flows)) >> 40);
}

/* How much gets to TARGET over channel C, which leads nearer. */
static double width_of(const struct ecmp *ecmp, uint32_t c, uint32_t target)
{
    const struct cw_network *net = ecmp->ways.net;
    const uint32_t head = net->head[c] - net->n_endpoints;
    const double on = ecmp->width[(size_t)target * ecmp->ways.n + head];
    return head == target || net->capacity[c] < on ? net->capacity[c] : on;
}

/* Of the channels that lead from switch HERE nearer to TARGET the one that HASH falls on, by their widths. */
static uint32_t weighted_channel(const struct ecmp *ecmp, uint32_t here, uint32_t target, uint64_t hash)
{
    const struct cw_network *net = ecmp->ways.net;
    const uint32_t v = net->n_endpoints + here;
    double left = (double)(hash >> 11) * 0x1p-53 * ecmp->width[(size_t)target * ecmp->ways.n + here];
    uint32_t found = CW_NONE;
    for (uint32_t c = net->first[v]; c < net->first[v + 1] && left >= 0; c++) {
        if (!cw_shortest_leads(&ecmp->ways, here, target, c)) continue;
        found = c;
        left -= width_of(ecmp, c, target);
    }
    return found;
}

static int ecmp_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)view, (void)random, (void)max;
    const struct ecmp *ecmp = state;
    const struct cw_shortest_ways *ways = &ecmp->ways;
    const uint32_t here = sw - ways->net->n_endpoints, target = cw_shortest_switch(ways, packet->dst);
    const uint64_t hash = cw_random_hash(cw_random_hash(ecmp->seed, ecmp->same ? 0 : sw), packet->via);
    *out = here == target ? cw_shortest_last(ways, packet->dst) : cw_shortest_hop(ways, here, target, in, lane, hash);
    if (here != target && ecmp->width) out->channel = weighted_channel(ecmp, here, target, hash);
    return 1;
}

static void ecmp_free(void *state)
{
    struct ecmp *ecmp = state;
    cw_shortest_ways_free(&ecmp->ways);
    free(ecmp->width);
    free(ecmp);
}

static const struct cw_packet_routing_ops ops = {.choices = ecmp_choices,
                                                 .inject = ecmp_inject,
                                                 .next = ecmp_next,
                                                 .dependencies = cw_shortest_state_dependencies,
                                                 .free_state = ecmp_free};

/* --- making one --------------------------------------------------------------------------------------------------- */

/* The widths towards TARGET, the nearest switches first. */
static void widen(struct ecmp *ecmp, uint32_t target)
{
    const struct cw_shortest_ways *ways = &ecmp->ways;
    const struct cw_network *net = ways->net;
    for (uint32_t level = 1; level <= ways->farthest; level++)
        for (uint32_t s = 0; s < ways->n; s++) {
            const uint32_t v = net->n_endpoints + s;
            if (ways->distance[(size_t)target * ways->n + s] != level) continue;
            double width = 0;
            for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
                if (cw_shortest_leads(ways, s, target, c)) width += width_of(ecmp, c, target);
            ecmp->width[(size_t)target * ways->n + s] = width;
        }
}

static int fill(struct ecmp *ecmp, const struct cw_network *net, bool weights)
{
    const int rc = cw_shortest_ways_new(net, &ecmp->ways);
    if (rc) return rc;
    ecmp->ways.lanes = ecmp->ways.farthest > 0 ? ecmp->ways.farthest : 1;
    if (!weights) return 0;
    ecmp->width = cw_new_array((size_t)ecmp->ways.n * ecmp->ways.n, sizeof *ecmp->width, "widths of ways");
    if (!ecmp->width) return CW_ENOMEM;
    for (uint32_t i = 0; i < ecmp->ways.n_leaves; i++) widen(ecmp, ecmp->ways.leaf[i]);
    return 0;
}

static bool ecmp_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    return cw_shortest_ways_accept(net, CW_SHORTEST_LANES);
}

static int ecmp_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    const struct options *options = values;
    struct ecmp *ecmp = cw_new_array(1, sizeof *ecmp, "equal-cost ways");
    if (!ecmp) return CW_ENOMEM;
    ecmp->seed = cw_random_hash(seed, CW_STREAM_ROUTING);
    ecmp->flows = (uint32_t)options->flows;
    ecmp->same = options->hash == HASH_SAME;
    const int rc = fill(ecmp, net, options->weights);
    if (rc) {
        ecmp_free(ecmp);
        return rc;
    }
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    if (lanes) cw_lanes_between_switches(net, ecmp->ways.lanes, lanes);
    return cw_packet_routing_make(net, "ecmp", &ops, ecmp, lanes, out);
}

static const char *const hashes[] = {/* as enum hash has them */
                                     "own", "same", NULL};

static const struct cw_option options[] = {
    {.name = "flows",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct options, flows),
     .default_text = "1",
     .min = 1,
     .max = 1024,
     .help = "flows from an endpoint to another, among which packets are spread evenly"},
    {.name = "hash",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct options, hash),
     .default_text = "own",
     .choices = hashes,
     .help = "own: every switch hashes with a seed of its own; same: all hash alike, which leaves most ways of large "
             "trees empty"},
    {.name = "weights",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct options, weights),
     .help = "choose a port in proportion to what can get to the destination by it, not each alike"},
    {.name = NULL}};

const struct cw_engine cw_engine_ecmp = {
    .name = "ecmp",
    .help = "networks with at most 8 hops between switches: every switch hashes each flow to one of its ports on "
            "shortest paths, as Ethernet fabrics do; the lane increases at every hop",
    .needs = "a connected network of at most 4096 switches, at most 8 hops between those with endpoints",
    .options = options,
    .size = sizeof(struct options),
    .one_way = true,
    .accepts = ecmp_accepts,
    .packets = ecmp_compile};
