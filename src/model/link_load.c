/*
 * Routes depend on the switch where a packet begins and on its destination, never on the endpoint that sent it: the
 * traffic of all endpoints of a switch is added up for each destination, and each (switch, destination, choice) is
 * walked once. Switches are divided among a fixed number of parts, each summed up in order and then added in order, so
 * that the result does not depend on threads.
 */
#include "model/link_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#define MOST_PARTS 64
#define MOST_LOADS (UINT64_C(1) << 25) /* numbers that all parts may have together */
#define MOST_WALKS (UINT64_C(1) << 33) /* of all parts: minutes */

struct enumeration {
    const struct cw_packet_routing_ops *ops;
    const struct cw_packet_routing *routing;
    const void *state;
    const struct cw_network *net;
    const struct cw_workload *workload;
    const uint32_t *endpoints;
    uint32_t n_ranks;
    uint32_t *first, *ranks; /* the ranks at switch s, counted from 0: ranks[first[s]] … ranks[first[s + 1] - 1] */
    double *loads;           /* [parts · channels] byte/s if every rank sends at the capacity of its channel */
    uint32_t parts;
};

/* What a part needs while it is computed. */
struct bench {
    double *load;      /* [channels] of the part; NULL while walks are only counted */
    double *towards;   /* [endpoints] traffic of the switch at hand to each, 0 between switches */
    uint32_t *targets; /* [endpoints] those with traffic */
    size_t n_targets;
    struct cw_flows flows;
};

/* --- walking ------------------------------------------------------------------------------------------------------ */

static int fail_loop(const struct enumeration *of, uint32_t sw, uint32_t dst)
{
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    return cw_fail(CW_EROUTE, "%s goes round in a loop on the way from %s to %s", cw_packet_routing_name(of->routing),
                   cw_network_name(of->net, sw, from, sizeof from), cw_network_name(of->net, dst, to, sizeof to));
}

/* Adds RATE to the channels that PACKET takes from switch SW. */
static int walk(const struct enumeration *of, uint32_t sw, struct cw_packet packet, double rate, double *load)
{
    const struct cw_network *net = of->net;
    struct cw_hop hops[CW_PACKET_CANDIDATES], hop = {CW_NONE, 0};
    uint32_t at = sw;
    for (uint32_t left = 2 * net->n_vertices; at != packet.dst; left--) {
        const int n = of->ops->next(of->state, at, hop.channel, hop.lane, NULL, 0, &packet, hops, CW_PACKET_CANDIDATES);
        if (n < 0) return n;
        if (n != 1)
            return cw_fail(CW_EUSAGE,
                           "%s lets packets take one of several channels, by how full they are; link loads "
                           "are known of routings that do not look at queues",
                           cw_packet_routing_name(of->routing));
        if (left == 0) return fail_loop(of, sw, packet.dst);
        hop = hops[0];
        load[hop.channel] += rate;
        at = net->head[hop.channel];
    }
    return 0;
}

static int choices_of(const struct enumeration *of, uint32_t sw, uint32_t dst, uint32_t *out)
{
    *out = of->ops->choices ? of->ops->choices(of->state, sw, dst) : 1;
    return *out > 0 ? 0
                    : cw_fail(CW_EUSAGE, "%s looks at queues; link loads are known of routings that do not",
                              cw_packet_routing_name(of->routing));
}

/* RATE from switch SW to endpoint DST. */
static int add_pair(const struct enumeration *of, uint32_t sw, uint32_t dst, double rate, double *load)
{
    uint32_t n;
    int rc = choices_of(of, sw, dst, &n);
    for (uint32_t k = 0; !rc && k < n; k++) {
        struct cw_packet packet = {.dst = dst, .via = CW_VIA_NONE};
        of->ops->inject(of->state, sw, NULL, cw_random_for_choice(k, n), &packet);
        rc = walk(of, sw, packet, rate / n, load);
    }
    return rc;
}

/* --- from ranks to switches --------------------------------------------------------------------------------------- */

static uint32_t host_channel(const struct cw_network *net, uint32_t endpoint)
{
    return net->first[endpoint];
}

static uint32_t switch_of(const struct enumeration *of, uint32_t endpoint)
{
    return of->net->head[host_channel(of->net, endpoint)] - of->net->n_endpoints;
}

static void add_towards(struct bench *bench, uint32_t endpoint, double rate)
{
    if (bench->towards[endpoint] == 0 && rate > 0) bench->targets[bench->n_targets++] = endpoint;
    bench->towards[endpoint] += rate;
}

/* The flows of RANK as rates; what it sends to itself never reaches the network. */
static int add_rank(const struct enumeration *of, uint32_t rank, struct bench *bench)
{
    const uint32_t source = of->endpoints[rank], channel = host_channel(of->net, source);
    bench->flows.n = 0;
    const int rc = cw_workload_flows_of(of->workload, rank, &bench->flows);
    if (rc) return rc;
    double all = 0;
    for (size_t i = 0; i < bench->flows.n; i++) all += (double)bench->flows.items[i].bytes;
    for (size_t i = 0; i < bench->flows.n; i++) {
        const struct cw_flow *flow = &bench->flows.items[i];
        const double rate = (double)flow->bytes / all * of->net->capacity[channel];
        if (flow->dst == rank) continue;
        if (bench->load) bench->load[channel] += rate;
        add_towards(bench, of->endpoints[flow->dst], rate);
    }
    return 0;
}

/* The traffic of the ranks at switch SW. */
static int gather(const struct enumeration *of, uint32_t sw, struct bench *bench)
{
    int rc = 0;
    for (uint32_t i = of->first[sw]; !rc && i < of->first[sw + 1]; i++) rc = add_rank(of, of->ranks[i], bench);
    return rc;
}

static void clear(struct bench *bench)
{
    for (size_t i = 0; i < bench->n_targets; i++) bench->towards[bench->targets[i]] = 0;
    bench->n_targets = 0;
}

static int add_switch(const struct enumeration *of, uint32_t sw, struct bench *bench)
{
    int rc = gather(of, sw, bench);
    for (size_t i = 0; !rc && i < bench->n_targets; i++) {
        const uint32_t dst = bench->targets[i];
        rc = add_pair(of, of->net->n_endpoints + sw, dst, bench->towards[dst], bench->load);
    }
    clear(bench);
    return rc;
}

/* Refuses what would take too long before the part has begun. */
static int check_walks(const struct enumeration *of, uint32_t first_switch, struct bench *bench)
{
    uint64_t walks = 0;
    int rc = 0;
    for (uint32_t sw = first_switch; !rc && sw < cw_network_switches(of->net); sw += of->parts) {
        rc = gather(of, sw, bench);
        for (size_t i = 0; !rc && i < bench->n_targets; i++) {
            uint32_t n = 0;
            rc = choices_of(of, of->net->n_endpoints + sw, bench->targets[i], &n);
            walks += n;
        }
        clear(bench);
    }
    if (rc || walks <= MOST_WALKS / of->parts) return rc;
    return cw_fail(CW_ELIMIT, "link loads of %s under %s take more than %" PRIu64 " walks through the network",
                   cw_packet_routing_name(of->routing), cw_workload_spec(of->workload), MOST_WALKS);
}

/* Every parts-th switch: neighbours in number often have about as much to do. */
static int compute_part(void *context, size_t part, unsigned thread)
{
    (void)thread;
    const struct enumeration *of = context;
    const struct cw_network *net = of->net;
    struct bench bench = {0};
    bench.towards = cw_new_array(net->n_endpoints, sizeof *bench.towards, "traffic of a switch");
    bench.targets = cw_new_array(net->n_endpoints, sizeof *bench.targets, "destinations of a switch");
    int rc = bench.towards && bench.targets ? check_walks(of, (uint32_t)part, &bench) : CW_ENOMEM;
    bench.load = of->loads + part * net->n_channels;
    for (uint32_t sw = (uint32_t)part; !rc && sw < cw_network_switches(net); sw += of->parts)
        rc = add_switch(of, sw, &bench);
    free(bench.towards);
    free(bench.targets);
    cw_flows_free(&bench.flows);
    return rc;
}

/* --- all together ------------------------------------------------------------------------------------------------- */

static int check_ranks(const struct enumeration *of)
{
    char name[CW_NAME_SIZE];
    for (uint32_t r = 0; r < of->n_ranks; r++) {
        const uint32_t v = of->endpoints[r];
        if (v >= of->net->n_endpoints)
            return cw_fail(CW_EUSAGE, "rank %u on endpoint %u of %u", r, v, of->net->n_endpoints);
        if (cw_network_degree(of->net, v) != 1)
            return cw_fail(CW_EUSAGE, "rank %u is on %s, which is not connected to one switch", r,
                           cw_network_name(of->net, v, name, sizeof name));
    }
    return 0;
}

static int sort_ranks(struct enumeration *of)
{
    const uint32_t n_switches = cw_network_switches(of->net);
    of->first = cw_new_array((size_t)n_switches + 2, sizeof *of->first, "ranks by switch");
    of->ranks = cw_new_array(of->n_ranks, sizeof *of->ranks, "ranks by switch");
    if (!of->first || !of->ranks) return CW_ENOMEM;
    for (uint32_t r = 0; r < of->n_ranks; r++) of->first[switch_of(of, of->endpoints[r]) + 2]++;
    for (uint32_t sw = 0; sw < n_switches; sw++) of->first[sw + 2] += of->first[sw + 1];
    for (uint32_t r = 0; r < of->n_ranks; r++) of->ranks[of->first[switch_of(of, of->endpoints[r]) + 1]++] = r;
    return 0;
}

/* The parts' loads added up, in units of each channel's capacity. */
static void sum_up(const struct enumeration *of, double *load)
{
    const struct cw_network *net = of->net;
    for (uint32_t part = 0; part < of->parts; part++)
        for (uint32_t c = 0; c < net->n_channels; c++) load[c] += of->loads[(size_t)part * net->n_channels + c];
    for (uint32_t c = 0; c < net->n_channels; c++) load[c] /= net->capacity[c];
}

static bool is_between_switches(const struct cw_network *net, uint32_t channel)
{
    return !cw_network_is_endpoint(net, net->tail[channel]) && !cw_network_is_endpoint(net, net->head[channel]);
}

static struct cw_link_load result_of(const struct cw_network *net, double *load)
{
    struct cw_link_load out = {.channel = CW_NONE, .load = load};
    double most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        most = fmax(most, load[c]);
        if (!is_between_switches(net, c) || load[c] <= out.busiest) continue;
        out.busiest = load[c];
        out.channel = c;
    }
    out.bound = 1 / most;
    return out;
}

static int enumerate(struct enumeration *of, unsigned n_threads, struct cw_link_load *out)
{
    const uint32_t n_channels = of->net->n_channels, n_switches = cw_network_switches(of->net);
    const uint64_t parts = n_channels > 0 ? MOST_LOADS / n_channels : 1;
    of->parts = parts > MOST_PARTS ? MOST_PARTS : parts > 0 ? (uint32_t)parts : 1;
    if (of->parts > n_switches) of->parts = n_switches > 0 ? n_switches : 1;
    of->loads = cw_new_array((size_t)of->parts * n_channels, sizeof *of->loads, "link loads");
    double *load = cw_new_array(n_channels, sizeof *load, "link loads");
    int rc = of->loads && load ? check_ranks(of) : CW_ENOMEM;
    if (!rc) rc = sort_ranks(of);
    if (!rc) rc = cw_parallel_for(n_threads, of->parts, compute_part, of);
    if (rc) {
        free(load);
        return rc;
    }
    sum_up(of, load);
    *out = result_of(of->net, load);
    return 0;
}

int cw_link_load_compute(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                         const uint32_t *endpoints, unsigned n_threads, struct cw_link_load *out)
{
    struct enumeration of = {.ops = cw_packet_routing_operations(routing),
                             .routing = routing,
                             .state = cw_packet_routing_state(routing),
                             .net = cw_packet_routing_network(routing),
                             .workload = workload,
                             .endpoints = endpoints,
                             .n_ranks = cw_workload_ranks(workload)};
    const int rc = enumerate(&of, n_threads, out);
    free(of.first);
    free(of.ranks);
    free(of.loads);
    return rc;
}

void cw_link_load_free(struct cw_link_load *load)
{
    if (!load) return;
    free(load->load);
    load->load = NULL;
}
