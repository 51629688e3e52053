#include "route/engines/opensm/opensm.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/routes_internal.h"

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
int cw_opensm_search(const void *context, uint32_t to, uint8_t *hops)
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
    opensm->choice.search = cw_opensm_search;
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
    opensm->choice =
        (struct cw_minimal_choice){.name = name,
                                   .rule = by_neighbour ? cw_opensm_to_first_neighbour : cw_opensm_least_assigned,
                                   .context = opensm};
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
