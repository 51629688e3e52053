#include "route/packets/packet_routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/dependency_graph.h"

struct cw_packet_routing {
    const struct cw_network *net;
    char *name;
    char *spec; /* NULL: the same */
    const struct cw_packet_routing_ops *ops;
    void *state;
    uint8_t *lanes; /* [n_channels] */
};

/* --- making one --------------------------------------------------------------------------------------------------- */

/* A packet's source has one switch, and its destination is reached through one. */
int cw_packet_routing_check_network(const struct cw_network *net)
{
    char name[CW_NAME_SIZE];
    if (net->n_endpoints >= CW_VIA_NONE)
        return cw_fail(CW_ELIMIT, "%u endpoints, expected fewer than %d: a packet holds the number of one",
                       net->n_endpoints, CW_VIA_NONE);
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const uint32_t cables = cw_network_degree(net, v);
        if (cables > 1)
            return cw_fail(CW_EUSAGE, "%s has %u cables; packet routings need endpoints with one cable",
                           cw_network_name(net, v, name, sizeof name), cables);
        if (cables == 1 && cw_network_is_endpoint(net, net->head[net->first[v]]))
            return cw_fail(CW_EUSAGE, "%s is not connected to a switch; packet routings need endpoints that are",
                           cw_network_name(net, v, name, sizeof name));
    }
    return 0;
}

int cw_packet_routing_make(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                           void *state, uint8_t *lanes, struct cw_packet_routing **out)
{
    struct cw_packet_routing *routing = cw_new_array(1, sizeof *routing, "a packet routing");
    if (!routing) {
        ops->free_state(state);
        free(lanes);
        return CW_ENOMEM;
    }
    *routing = (struct cw_packet_routing){.net = net, .ops = ops, .state = state, .lanes = lanes};
    routing->name = cw_copy_text(name, strlen(name));
    int rc = routing->name && lanes ? 0 : CW_ENOMEM;
    if (rc == 0) rc = cw_packet_routing_check_network(net);
    if (rc) {
        cw_packet_routing_free(routing);
        return rc;
    }
    *out = routing;
    return 0;
}

void cw_packet_routing_free(struct cw_packet_routing *routing)
{
    if (!routing) return;
    routing->ops->free_state(routing->state);
    free(routing->name);
    free(routing->spec);
    free(routing->lanes);
    free(routing);
}

const struct cw_network *cw_packet_routing_network(const struct cw_packet_routing *routing)
{
    return routing->net;
}

const char *cw_packet_routing_name(const struct cw_packet_routing *routing)
{
    return routing->name;
}

const char *cw_packet_routing_spec(const struct cw_packet_routing *routing)
{
    return routing->spec ? routing->spec : routing->name;
}

int cw_packet_routing_set_spec(struct cw_packet_routing *routing, const char *spec)
{
    char *copy = cw_copy_text(spec, strlen(spec));
    if (!copy) return CW_ENOMEM;
    free(routing->spec);
    routing->spec = copy;
    return 0;
}

uint32_t cw_packet_routing_lanes(const struct cw_packet_routing *routing, uint32_t channel)
{
    return routing->lanes[channel];
}

const struct cw_packet_routing_ops *cw_packet_routing_operations(const struct cw_packet_routing *routing)
{
    return routing->ops;
}

const void *cw_packet_routing_state(const struct cw_packet_routing *routing)
{
    return routing->state;
}

bool cw_packet_routing_by_traffic(const struct cw_packet_routing *routing)
{
    return routing->ops->by_traffic && routing->ops->by_traffic(routing->state);
}

/* --- the check for deadlocks -------------------------------------------------------------------------------------- */

#define SHOWN 10 /* channels of a cycle */

struct check {
    const struct cw_packet_routing *routing;
    const struct cw_network *net;
    struct cw_dependencies graph;
};

static int check_lane(const struct check *check, struct cw_hop hop)
{
    char name[2 * CW_NAME_SIZE];
    if (hop.lane < cw_packet_routing_lanes(check->routing, hop.channel)) return 0;
    return cw_fail(CW_EINTERNAL, "%s uses lane %u of %s, which has %u", cw_packet_routing_name(check->routing),
                   hop.lane, cw_network_channel_name(check->net, hop.channel, name, sizeof name),
                   cw_packet_routing_lanes(check->routing, hop.channel));
}

static int add_edge(void *context, struct cw_hop from, struct cw_hop to)
{
    struct check *check = context;
    int rc = check_lane(check, from);
    if (rc == 0) rc = check_lane(check, to);
    if (rc == 0) cw_dependencies_add(&check->graph, from.channel, from.lane, to.channel, to.lane);
    return rc;
}

/* --- derived dependencies ----------------------------------------------------------------------------------------- */

/* Sends a packet from endpoint SRC to DST and adds what it depends on. */
static int send_packet(struct check *check, uint32_t src, uint32_t dst)
{
    const struct cw_network *net = check->net;
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(check->routing);
    const void *state = cw_packet_routing_state(check->routing);
    struct cw_packet packet = cw_packet_of(src, dst);
    struct cw_hop in = {CW_NONE, 0}, hop;
    uint32_t v = net->head[net->first[src]];
    packet = cw_packet_inject(ops, state, v, NULL, 0, packet);
    for (uint32_t hops = 0; hops < net->n_vertices; hops++) {
        int rc = ops->next(state, v, in.channel, in.lane, NULL, 0, &packet, &hop, 1);
        if (rc < 0) return rc;
        v = net->head[hop.channel];
        if (v == dst) return 0;
        rc = in.channel == CW_NONE ? 0 : add_edge(check, in, hop);
        if (rc) return rc;
        in = hop;
    }
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    return cw_fail(CW_EROUTE, "%s never brings a packet from %s to %s", cw_packet_routing_name(check->routing),
                   cw_network_name(net, src, from, sizeof from), cw_network_name(net, dst, to, sizeof to));
}

/* The next endpoint from V on that is the first with its switch among those in order; n_endpoints after the last. */
static uint32_t next_switch(const struct cw_network *net, uint32_t v)
{
    for (; v < net->n_endpoints; v++) {
        if (cw_network_degree(net, v) == 0) continue;
        const uint32_t sw = net->head[net->first[v]];
        bool first = true;
        for (uint32_t c = net->first[sw]; c < net->first[sw + 1] && first; c++) first = net->head[c] >= v;
        if (first) return v;
    }
    return v;
}

static int derive(struct check *check)
{
    const struct cw_network *net = check->net;
    int rc = 0;
    for (uint32_t src = next_switch(net, 0); src < net->n_endpoints && rc == 0; src = next_switch(net, src + 1))
        for (uint32_t dst = next_switch(net, 0); dst < net->n_endpoints && rc == 0; dst = next_switch(net, dst + 1))
            if (src != dst) rc = send_packet(check, src, dst);
    return rc;
}

/* --- verdict ------------------------------------------------------------------------------------------------------ */

/* Tells the cycle from its first channel to the same again; of a long one SHOWN channels and the last. */
static int fail_cycle(const struct check *check, const uint32_t *channels, const uint8_t *lanes, uint32_t length)
{
    char name[2 * CW_NAME_SIZE];
    struct cw_text text = {0};
    for (uint32_t i = 0; i <= length; i++) {
        if (i == SHOWN && length > SHOWN + 1) {
            cw_text_printf(&text, " waits for ... %u more ...", length - SHOWN - 1);
            i = length - 1;
        }
        cw_text_printf(&text, "%s%s lane %u", i ? " waits for " : "",
                       cw_network_channel_name(check->net, channels[i % length], name, sizeof name), lanes[i % length]);
    }
    int rc = cw_text_check(&text);
    if (rc == 0) rc = cw_fail(CW_EROUTE, "%s can deadlock: %s", cw_packet_routing_name(check->routing), text.data);
    cw_text_free(&text);
    return rc;
}

static int judge(const struct check *check)
{
    uint32_t *channels = NULL, length = 0;
    uint8_t *lanes = NULL;
    int rc = cw_dependencies_cycle(&check->graph, &channels, &lanes, &length);
    if (rc == 0 && length > 0) rc = fail_cycle(check, channels, lanes, length);
    free(channels);
    free(lanes);
    return rc;
}

int cw_packet_routing_check(const struct cw_packet_routing *routing)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    struct check check = {.routing = routing, .net = cw_packet_routing_network(routing)};
    uint32_t lanes = 1;
    for (uint32_t c = 0; c < check.net->n_channels; c++)
        if (cw_packet_routing_lanes(routing, c) > lanes) lanes = cw_packet_routing_lanes(routing, c);
    int rc = cw_dependencies_new(check.net, lanes, &check.graph);
    if (rc) return rc;
    rc = ops->dependencies ? ops->dependencies(cw_packet_routing_state(routing), add_edge, &check) : derive(&check);
    if (rc == 0) rc = judge(&check);
    cw_dependencies_free(&check.graph);
    return rc;
}
