#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/files/formats_internal.h"
#include "net/network_internal.h"

static long cycles_of(const struct cw_network *net, uint32_t channel)
{
    const long cycles = lround(net->latency[channel] / CW_ANYNET_CYCLE(net->capacity[channel]));
    return cycles > 1 ? cycles : 1;
}

static int check_endpoint(const struct cw_network *net, uint32_t e)
{
    char name[CW_NAME_SIZE];
    const uint32_t c = net->first[e];
    if (cw_network_degree(net, e) != 1 || cw_network_is_endpoint(net, net->head[c]))
        return cw_fail(CW_EUSAGE,
                       "a node of BookSim's anynet has one cable, to a router; %s has another number, or one "
                       "to an endpoint",
                       cw_network_name(net, e, name, sizeof name));
    return 0;
}

/* Refuses what BookSim would take for another network. */
static int check(const struct cw_network *net)
{
    char name[2 * CW_NAME_SIZE], rate[32], other[32];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->capacity[c] != net->capacity[0])
            return cw_fail(CW_EUSAGE, "in BookSim's anynet all channels have one capacity; %s has %s, others %s",
                           cw_network_channel_name(net, c, name, sizeof name),
                           cw_format_rate(net->capacity[c], rate, sizeof rate),
                           cw_format_rate(net->capacity[0], other, sizeof other));
        if (net->latency[c] / CW_ANYNET_CYCLE(net->capacity[c]) > CW_ANYNET_MAX_CYCLES)
            return cw_fail(CW_EUSAGE, "channel %s has a latency of %g s; expected at most %d cycles of %g s",
                           cw_network_channel_name(net, c, name, sizeof name), net->latency[c], CW_ANYNET_MAX_CYCLES,
                           CW_ANYNET_CYCLE(net->capacity[c]));
    }
    int rc = 0;
    for (uint32_t e = 0; !rc && e < net->n_endpoints; e++) rc = check_endpoint(net, e);
    return rc;
}

/* A number behind a node is no latency to BookSim, whatever it says, but makes a channel to the router of that number.
 * SEEN [n_vertices]: the vertex plus 1 that a channel led there from last, so that parallel ones are noticed. */
static int write_router(const struct cw_network *net, uint32_t v, uint32_t *seen, struct cw_text *text)
{
    cw_text_printf(text, "router %" PRIu32, v - net->n_endpoints);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t head = net->head[c];
        char a[CW_NAME_SIZE], b[CW_NAME_SIZE];
        if (seen[head] == v + 1)
            return cw_fail(CW_EUSAGE,
                           "several cables between %s and %s; BookSim's anynet has at most one between two switches",
                           cw_network_name(net, v, a, sizeof a), cw_network_name(net, head, b, sizeof b));
        seen[head] = v + 1;
        const bool endpoint = cw_network_is_endpoint(net, head);
        cw_text_printf(text, endpoint ? " node %" PRIu32 : " router %" PRIu32,
                       endpoint ? head : head - net->n_endpoints);
        if (!endpoint && cycles_of(net, c) > 1) cw_text_printf(text, " %ld", cycles_of(net, c));
    }
    cw_text_add(text, "\n");
    return 0;
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    uint32_t *seen = cw_new_array(net->n_vertices, sizeof *seen, "neighbours");
    int rc = seen ? check(net) : CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; !rc && v < net->n_vertices; v++) rc = write_router(net, v, seen, text);
    free(seen);
    return rc ? rc : cw_text_check(text);
}

const struct cw_writer cw_writer_anynet = {
    .name = "anynet",
    .extension = ".anynet",
    .help = "A network_file for BookSim 2's topology anynet; node N is endpoint N, router N switch N.",
    .write = write_network,
    .directed = true,
    .remark =
        "BookSim's anynet has no names and no capacities. Latencies are cycles of a flit of 64 bytes, as crosswind "
        "flit has them, at least 1."};
