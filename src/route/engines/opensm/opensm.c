#include "route/engines/opensm/opensm.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define MOST_PORTS 254u /* a switch of InfiniBand has */

bool cw_opensm_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (cw_network_degree(net, e) > 1) return false;
    return true;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

static uint32_t least_assigned(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    (void)v, (void)dst;
    const struct cw_opensm *opensm = context;
    uint32_t best = channels[0];
    for (uint32_t i = 1; i < n; i++)
        if (opensm->assigned[channels[i]] < opensm->assigned[best]) best = channels[i];
    opensm->assigned[best]++;
    return best;
}

/* The same among the channels to the neighbour that the first leads to. */
static uint32_t to_first_neighbour(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    (void)v, (void)dst;
    const struct cw_opensm *opensm = context;
    const uint32_t *head = opensm->net->head;
    uint32_t best = channels[0];
    for (uint32_t i = 1; i < n; i++)
        if (head[channels[i]] == head[channels[0]] && opensm->assigned[channels[i]] < opensm->assigned[best])
            best = channels[i];
    opensm->assigned[best]++;
    return best;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* Ports that V does not have are passed over, as those without a cable are. */
static const char *take_ports(void *context, uint32_t v, const uint64_t *numbers, uint32_t n)
{
    const struct cw_opensm *opensm = context;
    const struct cw_network *net = opensm->net;
    uint32_t *channels = opensm->channels + net->first[v], done = 0;
    const uint32_t degree = cw_network_degree(net, v);
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] < 1 || numbers[i] > MOST_PORTS) return "ports from 1 to 254";
        const uint32_t c = cw_network_channel_at(net, v, (uint32_t)numbers[i]);
        uint32_t at = done;
        while (at < degree && channels[at] != c) at++;
        if (at == degree) continue; /* no cable, or named before */
        memmove(channels + done + 1, channels + done, (at - done) * sizeof *channels);
        channels[done++] = c;
    }
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
    uint32_t n = 0, kept = 0;
    const int rc = cw_opensm_vertices(opensm->net, file, &opensm->first, &n);
    for (uint32_t i = 0; rc == 0 && i < n; i++) /* ports of switches are no destinations here */
        if (cw_network_is_endpoint(opensm->net, opensm->first[i])) opensm->first[kept++] = opensm->first[i];
    opensm->choice.first = opensm->first;
    opensm->choice.n_first = kept;
    return rc;
}

static int read_ports(struct cw_opensm *opensm, const char *file)
{
    opensm->channels = cw_new_array(opensm->net->n_channels, sizeof *opensm->channels, "the order of ports");
    if (!opensm->channels) return CW_ENOMEM;
    for (uint32_t c = 0; c < opensm->net->n_channels; c++) opensm->channels[c] = c;
    opensm->choice.channels = opensm->channels;
    return cw_opensm_numbers(opensm->net, file, take_ports, opensm);
}

/* --- weighted hops ------------------------------------------------------------------------------------------------ */

/* Channels by their number of hops, from the destination outwards: a switch waits again if it comes nearer. */
static int search_weighted(const void *context, uint32_t to, uint8_t *hops)
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
            const uint32_t away = (uint32_t)least[v - base] + opensm->weight[back];
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
    opensm->choice.search = search_weighted;
    opensm->choice.search_context = opensm;
    return cw_opensm_numbers(net, file, take_weight, opensm);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

int cw_opensm_open(const struct cw_network *net, const char *name, const struct cw_opensm_files *files,
                   bool by_neighbour, struct cw_opensm *opensm)
{
    *opensm = (struct cw_opensm){.net = net};
    opensm->choice = (struct cw_minimal_choice){
        .name = name, .rule = by_neighbour ? to_first_neighbour : least_assigned, .context = opensm};
    opensm->assigned = cw_new_array(net->n_channels, sizeof *opensm->assigned, "destinations of ports");
    int rc = opensm->assigned ? 0 : CW_ENOMEM;
    if (rc == 0 && files->order) rc = read_order(opensm, files->order);
    if (rc == 0 && files->ports) rc = read_ports(opensm, files->ports);
    if (rc == 0 && files->weights) rc = read_weights(opensm, files->weights);
    return rc;
}

void cw_opensm_free(struct cw_opensm *opensm)
{
    free(opensm->assigned);
    free(opensm->channels);
    free(opensm->first);
    free(opensm->weight);
    *opensm = (struct cw_opensm){0};
}

int cw_opensm_minimal(const struct cw_network *net, const char *name, const struct cw_opensm_files *files,
                      bool by_neighbour, unsigned n_threads, struct cw_routes **out)
{
    struct cw_opensm opensm;
    int rc = cw_opensm_open(net, name, files, by_neighbour, &opensm);
    if (rc == 0) rc = cw_minimal_tables_by(net, &opensm.choice, n_threads, out);
    cw_opensm_free(&opensm);
    return rc;
}
