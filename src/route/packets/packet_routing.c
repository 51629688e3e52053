#include "route/packets/packet_routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

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
static int check_endpoints(const struct cw_network *net)
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
    if (rc == 0) rc = check_endpoints(net);
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
