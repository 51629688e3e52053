/*
 * Minimum-hop routing of any network with the tables of OpenSM's minhop: every switch sends each destination, in an
 * order that puts those of the fullest switches first, out of the port with the fewest destinations so far among those
 * on shortest paths, the lowest of equals. The counts are a switch's own. It promises nothing about deadlock.
 */
#include "route/engines/minhop.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/routes_internal.h"

/* By which of the ports of least hops a switch sends to a destination: the rules of OpenSM's engines. */

/* The channel with fewer destinations, BEST of equals. BEST may be CW_NONE. */
static uint32_t lesser(const struct cw_opensm *opensm, uint32_t best, uint32_t c)
{
    return best == CW_NONE || opensm->assigned[c] < opensm->assigned[best] ? c : best;
}

/* --- the further LIDs of an endpoint ------------------------------------------------------------------------------ */

static bool same_system(const struct cw_network *net, uint32_t v, uint32_t w)
{
    return v == w || (net->identity && net->identity[v].system_guid == net->identity[w].system_guid);
}

/* The place of channel C in the order of ports, counted from 1. */
static uint32_t place_of(const struct cw_opensm *opensm, uint32_t c)
{
    return opensm->place ? opensm->place[c] : cw_network_port(opensm->net, c);
}

/* The channel by which the LID before this one of DST leaves V. */
static uint32_t channel_before(const struct cw_opensm *opensm, uint32_t v, uint32_t dst)
{
    const struct cw_routes *laid = opensm->laid;
    while (laid->next_lid) laid = laid->next_lid;
    return cw_lft_channel(laid->tables, v, dst);
}

/* How many of the LIDs before this one of DST leave V by a channel, by any to its switch, or by any to its box. */
struct before {
    uint32_t by_channel, by_node, by_system;
};

static struct before look_back(const struct cw_opensm *opensm, uint32_t v, uint32_t dst, uint32_t c)
{
    const uint32_t *head = opensm->net->head;
    struct before before = {0};
    for (const struct cw_routes *laid = opensm->laid; laid; laid = laid->next_lid) {
        const uint32_t went = cw_lft_channel(laid->tables, v, dst);
        before.by_channel += went == c;
        before.by_node += head[went] == head[c];
        before.by_system += same_system(opensm->net, head[went], head[c]);
    }
    return before;
}

/* The best of channels that come one after another. An equally assigned one comes before another only if fewer LIDs of
 * the destination leave by it than by any that was best before. */
struct best {
    uint32_t channel, fewest;
};

static void consider(const struct cw_opensm *opensm, struct best *best, uint32_t c, uint32_t used)
{
    const bool first = best->channel == CW_NONE;
    const uint32_t assigned = opensm->assigned[c], least = first ? UINT32_MAX : opensm->assigned[best->channel];
    if (assigned > least || (assigned == least && used >= best->fewest)) return;
    best->channel = c;
    if (first || used < best->fewest) best->fewest = used;
}

/* Channels come in turn, from the first whose place is behind the number of the port that the LID before went by. One
 * to a box of switches where no LID of DST has been is best, else one to a switch where none has been. */
static uint32_t for_further_lid(const struct cw_opensm *opensm, uint32_t v, uint32_t dst, const uint32_t *channels,
                                uint32_t n)
{
    const uint32_t last = cw_network_port(opensm->net, channel_before(opensm, v, dst));
    uint32_t start = 0, new_node = CW_NONE, new_system = CW_NONE;
    struct best best = {.channel = CW_NONE};
    while (start < n && place_of(opensm, channels[start]) <= last) start++;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t c = channels[(start + i) % n];
        const struct before before = look_back(opensm, v, dst, c);
        consider(opensm, &best, c, before.by_node);
        if (before.by_node == 0) new_node = lesser(opensm, new_node, c);
        if (before.by_system == 0) new_system = lesser(opensm, new_system, c);
    }
    return new_system != CW_NONE ? new_system : new_node != CW_NONE ? new_node : best.channel;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* The channel of the N for a first LID: the least assigned, with ONLY_FIRST of those to the neighbour of the first. */
static uint32_t for_first_lid(const struct cw_opensm *opensm, const uint32_t *channels, uint32_t n, bool only_first)
{
    const uint32_t *head = opensm->net->head;
    uint32_t best = channels[0];
    for (uint32_t i = 1; i < n; i++)
        if (!only_first || head[channels[i]] == head[channels[0]]) best = lesser(opensm, best, channels[i]);
    return best;
}

/* The rules, for a struct cw_opensm as the context: the least assigned channel, or the least assigned of those to the
 * neighbour of the first. */
static uint32_t least_assigned(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    const uint32_t best =
        opensm->laid ? for_further_lid(opensm, v, dst, channels, n) : for_first_lid(opensm, channels, n, false);
    opensm->assigned[best]++;
    return best;
}

/* least_assigned to first LIDs. The channels with the least are chosen one after another, until they all have one more;
 * this is found without a branch that the processor would have to guess. */
static void least_assigned_several(void *context, const uint32_t *channels, uint32_t n, uint32_t *chosen,
                                   uint32_t n_dst)
{
    uint32_t *assigned = ((const struct cw_opensm *)context)->assigned, least = UINT32_MAX;
    if (n == 1) {
        for (uint32_t i = 0; i < n_dst; i++) chosen[i] = channels[0];
        assigned[channels[0]] += n_dst;
        return;
    }
    for (uint32_t j = 0; j < n; j++) least = assigned[channels[j]] < least ? assigned[channels[j]] : least;
    for (uint32_t i = 0; i < n_dst; least++)
        for (uint32_t j = 0; j < n && i < n_dst; j++) {
            const uint32_t is_least = assigned[channels[j]] == least;
            chosen[i] = channels[j];
            assigned[channels[j]] += is_least;
            i += is_least;
        }
}

static uint32_t to_first_neighbour(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    const uint32_t *head = opensm->net->head;
    struct best best = {.channel = CW_NONE};
    if (!opensm->laid) best.channel = for_first_lid(opensm, channels, n, true);
    for (uint32_t i = 0; opensm->laid && i < n; i++)
        if (head[channels[i]] == head[channels[0]])
            consider(opensm, &best, channels[i], look_back(opensm, v, dst, channels[i]).by_channel);
    opensm->assigned[best.channel]++;
    return best.channel;
}

#define MOST_PORTS 254u /* a switch of InfiniBand has */

bool cw_opensm_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (cw_network_degree(net, e) > 1) return false;
    return true;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The ports of a switch as far as they have their places. */
struct port_order {
    bool named[MOST_PORTS + 1];
    uint32_t n_ports, n_channels;
};

/* The next of the ports of V: one without a cable has a place, but no channel. */
static void add_port(const struct cw_opensm *opensm, uint32_t v, uint32_t number, struct port_order *order)
{
    const uint32_t c = cw_network_channel_at(opensm->net, v, number);
    if (order->named[number]) return;
    order->named[number] = true;
    order->n_ports++;
    if (c == CW_NONE) return;
    opensm->place[c] = (uint8_t)order->n_ports;
    opensm->channels[opensm->net->first[v] + order->n_channels++] = c;
}

/* Those that are not named follow in order of their numbers. Ports that V does not have are passed over. */
static const char *take_ports(void *context, uint32_t v, const uint64_t *numbers, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    struct port_order order = {.n_ports = 0};
    if (n == 0) return "a switch and numbers of its ports, such as 0x0008f10500200b50 3 1";
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] < 1 || numbers[i] > MOST_PORTS) return "ports from 1 to 254";
        add_port(opensm, v, (uint32_t)numbers[i], &order);
    }
    for (uint32_t number = 1; number <= MOST_PORTS; number++) add_port(opensm, v, number, &order);
    return NULL;
}

static const char *take_weight(void *context, uint32_t v, const uint64_t *numbers, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    if (n != 2 || numbers[0] < 1 || numbers[0] > MOST_PORTS || numbers[1] < 1 || numbers[1] >= CW_HOPS_NONE)
        return "a switch, a port and a weight from 1 to 254";
    const uint32_t c = cw_network_channel_at(opensm->net, v, (uint32_t)numbers[0]);
    if (c != CW_NONE) opensm->weight[c] = (uint8_t)numbers[1];
    return NULL;
}

static int read_order(struct cw_opensm *opensm, const char *file)
{
    int rc = cw_opensm_vertices(opensm->net, file, CW_OPENSM_SWITCHES + CW_OPENSM_ENDPOINTS, &opensm->first,
                                &opensm->n_first);
    if (rc) return rc;
    opensm->first_endpoints = cw_new_array(opensm->n_first, sizeof *opensm->first_endpoints, "the first endpoints");
    if (!opensm->first_endpoints) return CW_ENOMEM;
    for (uint32_t i = 0; i < opensm->n_first; i++) /* switches are no destinations of tables */
        if (cw_network_is_endpoint(opensm->net, opensm->first[i]))
            opensm->first_endpoints[opensm->choice.n_first++] = opensm->first[i];
    opensm->choice.first = opensm->first_endpoints;
    return 0;
}

static int read_ports(struct cw_opensm *opensm, const char *file)
{
    static const char what[] = "the order of ports";
    const struct cw_network *net = opensm->net;
    opensm->channels = cw_new_array(net->n_channels, sizeof *opensm->channels, what);
    opensm->place = cw_new_array(net->n_channels, sizeof *opensm->place, what);
    if (!opensm->channels || !opensm->place) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        opensm->channels[c] = c;
        opensm->place[c] = (uint8_t)cw_network_port(net, c);
    }
    opensm->choice.channels = opensm->channels;
    return cw_opensm_numbers(opensm->net, file, UINT32_MAX, take_ports, opensm);
}

/* --- weighted hops ------------------------------------------------------------------------------------------------ */

/* Channels by their number of hops, from the destination outwards: a switch waits again if it comes nearer. */
static int search_from(const void *context, uint32_t to, uint8_t *hops)
{
    const struct cw_opensm *opensm = context;
    const struct cw_network *net = opensm->net;
    const uint32_t base = net->n_endpoints, n = cw_network_switches(net);
    uint32_t *queue = cw_new_array(n, sizeof *queue, "a queue"), begin = 0, waiting = 1;
    uint8_t *least = cw_new_array(n, sizeof *least, "hops");
    bool *waits = cw_new_array(n, sizeof *waits, "a queue");
    const int rc = queue && least && waits ? 0 : CW_ENOMEM;
    if (rc == 0) {
        memset(least, CW_HOPS_NONE, n);
        least[to - base] = 0;
        queue[0] = to;
    }
    for (; rc == 0 && waiting > 0; waiting--, begin = (begin + 1) % n) {
        const uint32_t v = queue[begin];
        waits[v - base] = false;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t w = net->head[c], back = net->twin[c];
            const uint32_t away = (uint32_t)least[v - base] + (opensm->weight ? opensm->weight[back] : 1);
            if (w < base || away >= CW_HOPS_NONE || cw_network_is_closed(net, back)) continue;
            hops[back] = (uint8_t)away;
            if (away >= least[w - base]) continue;
            least[w - base] = (uint8_t)away;
            if (waits[w - base]) continue;
            waits[w - base] = true;
            queue[(begin + waiting++) % n] = w;
        }
    }
    free(queue);
    free(least);
    free(waits);
    return rc;
}

static int read_weights(struct cw_opensm *opensm, const char *file)
{
    const struct cw_network *net = opensm->net;
    if (!cw_opensm_accepts(net, NULL))
        return cw_fail(CW_EUSAGE, "weights of a network whose endpoints have several cables; expected one at each");
    opensm->weight = cw_new_array(net->n_channels, sizeof *opensm->weight, "weights");
    if (!opensm->weight) return CW_ENOMEM;
    memset(opensm->weight, 1, net->n_channels);
    opensm->choice.search = search_from;
    opensm->choice.search_context = opensm;
    return cw_opensm_numbers(net, file, 2, take_weight, opensm);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

const char *const cw_opensm_lmcs[] = {"map", "0", "1", "2", "3", "4", "5", "6", "7", NULL};

/* Of the map: as many as the endpoint with the most has. */
uint32_t cw_opensm_lids(const struct cw_network *net, int lmc)
{
    uint32_t most = 0;
    if (lmc > CW_OPENSM_LMC_MAP) return 1u << (lmc - 1);
    for (uint32_t e = 0; net->identity && e < net->n_endpoints; e++)
        if (net->identity[e].lmc > most) most = net->identity[e].lmc;
    return 1u << most;
}

int cw_opensm_open(const struct cw_network *net, const char *name, const struct cw_opensm_options *options,
                   bool by_neighbour, struct cw_opensm *opensm)
{
    *opensm = (struct cw_opensm){.net = net, .by_neighbour = by_neighbour, .lids = cw_opensm_lids(net, options->lmc)};
    opensm->choice = (struct cw_minimal_choice){
        .name = name, .rule = by_neighbour ? to_first_neighbour : least_assigned, .context = opensm};
    opensm->assigned = cw_new_array(net->n_channels, sizeof *opensm->assigned, "destinations of ports");
    int rc = opensm->assigned ? 0 : CW_ENOMEM;
    if (rc == 0 && options->order) rc = read_order(opensm, options->order);
    if (rc == 0 && options->ports) rc = read_ports(opensm, options->ports);
    if (rc == 0 && options->weights) rc = read_weights(opensm, options->weights);
    return rc;
}

void cw_opensm_free(struct cw_opensm *opensm)
{
    free(opensm->assigned);
    free(opensm->channels);
    free(opensm->place);
    free(opensm->first);
    free(opensm->first_endpoints);
    free(opensm->weight);
    *opensm = (struct cw_opensm){0};
}

int cw_opensm_tables(struct cw_opensm *opensm, unsigned n_threads, struct cw_routes **out)
{
    int rc = 0;
    opensm->laid = NULL;
    for (uint32_t lid = 0; rc == 0 && lid < opensm->lids; lid++) {
        struct cw_routes *routes;
        opensm->choice.several = opensm->laid || opensm->by_neighbour ? NULL : least_assigned_several;
        rc = cw_minimal_tables_by(opensm->net, &opensm->choice, n_threads, &routes);
        if (rc == 0 && lid > 0)
            cw_routes_add_lid(opensm->laid, routes);
        else if (rc == 0)
            opensm->laid = routes;
    }
    if (rc)
        cw_routes_free(opensm->laid);
    else
        *out = opensm->laid;
    opensm->laid = NULL;
    return rc;
}

int cw_opensm_minimal(const struct cw_network *net, const char *name, const struct cw_opensm_options *options,
                      bool by_neighbour, unsigned n_threads, struct cw_routes **out)
{
    struct cw_opensm opensm;
    int rc = cw_opensm_open(net, name, options, by_neighbour, &opensm);
    if (rc == 0) rc = cw_opensm_tables(&opensm, n_threads, out);
    cw_opensm_free(&opensm);
    return rc;
}

int cw_opensm_minimal_to_switches(const struct cw_network *net, const struct cw_opensm_options *options,
                                  bool by_neighbour, const struct cw_routes *routes, unsigned n_threads, uint8_t *ports)
{
    struct cw_opensm opensm;
    int rc = cw_opensm_open(net, routes->name, options, by_neighbour, &opensm);
    if (rc == 0) rc = cw_opensm_to_switches(&opensm, routes, n_threads, ports);
    cw_opensm_free(&opensm);
    return rc;
}

/* The ways of OpenSM's minhop, updn, dnup and dor to switches themselves. Found by experiment. */

static const char what[] = "ways between switches";

struct work {
    struct cw_opensm *opensm;
    const uint32_t *switches; /* that ways lead to */
    uint8_t **hops;           /* for each thread: [n_channels] */
    uint32_t **least;         /* for each thread: channels of a switch */
    uint8_t *ports;
};

/* Adds the ways to endpoint DST to `assigned`. */
static void count_ways(struct cw_opensm *opensm, const struct cw_routes *routes, uint32_t dst)
{
    const struct cw_network *net = opensm->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t c = cw_lft_channel(routes->tables, v, dst);
        if (c != CW_NONE) opensm->assigned[c]++;
    }
}

/* The channels of V with the least of HOPS, in the order of ports, into LEAST; the result is their number. */
static uint32_t channels_of_least(const struct cw_opensm *opensm, uint32_t v, const uint8_t *hops, uint32_t *least)
{
    const struct cw_network *net = opensm->net;
    uint8_t fewest = CW_HOPS_NONE;
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (hops[c] < fewest) fewest = hops[c];
    for (uint32_t i = net->first[v]; i < net->first[v + 1] && fewest != CW_HOPS_NONE; i++) {
        const uint32_t c = opensm->channels ? opensm->channels[i] : i;
        if (hops[c] == fewest) least[n++] = c;
    }
    return n;
}

/* The ways of all switches to the one at INDEX of the list. */
static int lay_ways(void *context, size_t index, unsigned thread)
{
    const struct work *work = context;
    struct cw_opensm *opensm = work->opensm;
    const struct cw_network *net = opensm->net;
    const uint32_t base = net->n_endpoints, switches = cw_network_switches(net), to = work->switches[index];
    uint8_t *hops = work->hops[thread];
    memset(hops, CW_HOPS_NONE, net->n_channels);
    const int rc = opensm->choice.search ? opensm->choice.search(opensm->choice.search_context, to, hops)
                                         : search_from(opensm, to, hops);
    for (uint32_t v = base; rc == 0 && v < net->n_vertices; v++) {
        const uint32_t n = v == to ? 0 : channels_of_least(opensm, v, hops, work->least[thread]);
        if (n == 0) continue;
        const uint32_t c = for_first_lid(opensm, work->least[thread], n, opensm->by_neighbour);
        work->ports[(size_t)(v - base) * switches + (to - base)] = (uint8_t)cw_network_port(net, c);
    }
    return rc;
}

static int new_workspaces(struct work *work, unsigned threads)
{
    const struct cw_network *net = work->opensm->net;
    uint32_t degree = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (cw_network_degree(net, v) > degree) degree = cw_network_degree(net, v);
    work->hops = cw_new_array(threads, sizeof *work->hops, what);
    work->least = cw_new_array(threads, sizeof *work->least, what);
    if (!work->hops || !work->least) return CW_ENOMEM;
    for (unsigned t = 0; t < threads; t++) {
        work->hops[t] = cw_new_array(net->n_channels, sizeof **work->hops, what);
        work->least[t] = cw_new_array(degree, sizeof **work->least, what);
        if (!work->hops[t] || !work->least[t]) return CW_ENOMEM;
    }
    return 0;
}

static void free_workspaces(struct work *work, unsigned threads)
{
    for (unsigned t = 0; t < threads; t++) {
        if (work->hops) free(work->hops[t]);
        if (work->least) free(work->least[t]);
    }
    free(work->hops);
    free(work->least);
}

/* All vertices in the order in which they are routed, switches last but for those that are listed. */
static uint32_t *order_of_routing(const struct cw_opensm *opensm)
{
    const struct cw_network *net = opensm->net;
    uint32_t *order = cw_new_array(net->n_vertices, sizeof *order, what), n = 0;
    bool *taken = cw_new_array(net->n_vertices, sizeof *taken, what);
    for (uint32_t i = 0; order && taken && i < opensm->n_first + net->n_vertices; i++) {
        const uint32_t v = i < opensm->n_first ? opensm->first[i] : i - opensm->n_first;
        if (!taken[v]) order[n++] = v;
        taken[v] = true;
    }
    free(taken);
    if (n == net->n_vertices) return order;
    free(order);
    return NULL;
}

int cw_opensm_to_switches(struct cw_opensm *opensm, const struct cw_routes *routes, unsigned n_threads, uint8_t *ports)
{
    const struct cw_network *net = opensm->net;
    const unsigned threads = cw_parallel_threads(n_threads, cw_network_switches(net));
    struct work work = {.opensm = opensm, .ports = ports};
    uint32_t *order = order_of_routing(opensm), end = 0;
    int rc = order ? new_workspaces(&work, threads) : CW_ENOMEM;
    while (rc == 0 && end < net->n_vertices) { /* endpoints, then the switches behind them */
        while (end < net->n_vertices && cw_network_is_endpoint(net, order[end]))
            count_ways(opensm, routes, order[end++]);
        work.switches = order + end;
        const uint32_t begin = end;
        while (end < net->n_vertices && !cw_network_is_endpoint(net, order[end])) end++;
        rc = cw_parallel_for(n_threads, end - begin, lay_ways, &work);
    }
    free_workspaces(&work, threads);
    free(order);
    return rc;
}

/* --- minhop ------------------------------------------------------------------------------------------------------- */

struct options {
    struct cw_opensm_options opensm;
};

static int minhop_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    return cw_opensm_minimal(net, "minhop", &options->opensm, false, n_threads, out);
}

static int minhop_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                              unsigned n_threads, uint8_t *ports)
{
    const struct options *options = values;
    return cw_opensm_minimal_to_switches(net, &options->opensm, false, routes, n_threads, ports);
}

static const struct cw_option options[] = {
    CW_OPENSM_OPTIONS(struct options), CW_OPENSM_WEIGHTS(struct options), {.name = NULL}};

const struct cw_engine cw_engine_minhop = {
    .name = "minhop",
    .opensm = "minhop",
    .help = "any network: shortest paths; each switch spreads the destinations evenly over its ports; OpenSM's tables",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct options),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .compile = minhop_compile,
    .to_switches = minhop_to_switches};
