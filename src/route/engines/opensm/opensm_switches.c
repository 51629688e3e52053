/* The ways of OpenSM's minhop, updn, dnup and dor to switches themselves. Found by experiment. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/engines/opensm/opensm.h"
#include "route/routes_internal.h"

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
        const uint32_t c = cw_tables_channel(routes->tables, v, dst);
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
                                         : cw_opensm_search(opensm, to, hops);
    for (uint32_t v = base; rc == 0 && v < net->n_vertices; v++) {
        const uint32_t n = v == to ? 0 : channels_of_least(opensm, v, hops, work->least[thread]);
        if (n == 0) continue;
        const uint32_t c = cw_opensm_for_first_lid(opensm, work->least[thread], n, opensm->by_neighbour);
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
