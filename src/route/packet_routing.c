#include "route/packet_routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "route/engine.h"

/* One line a routing, in the order of help: cw_packet_NAME is its descriptor. */
#define PACKET_ROUTINGS(EACH)                                                                                          \
    EACH(minimal)                                                                                                      \
    EACH(valiant_restricted)                                                                                           \
    EACH(valiant_any)                                                                                                  \
    EACH(ugal_l)                                                                                                       \
    EACH(ugal_g)                                                                                                       \
    EACH(par)                                                                                                          \
    EACH(adaptive_up)                                                                                                  \
    EACH(spray)                                                                                                        \
    EACH(valiant)                                                                                                      \
    EACH(dal)                                                                                                          \
    EACH(megafly_valiant)                                                                                              \
    EACH(rail_spray)

#define DECLARE(NAME) extern const struct cw_packet_routing_kind cw_packet_##NAME;
#define ENTER(NAME)   &cw_packet_##NAME,

PACKET_ROUTINGS(DECLARE)

const struct cw_packet_routing_kind *const cw_packet_routings[] = {PACKET_ROUTINGS(ENTER) NULL};

const struct cw_registry cw_packet_routing_registry = {.items = cw_packet_routings,
                                                       .also = &cw_engine_registry,
                                                       .near = "no routing is called '%s'; did you mean '%s'?",
                                                       .none = "no routing is called '%s'; there are %s"};

#define NAME_SIZE 64

struct cw_packet_routing {
    const struct cw_network *net;
    char *name;
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
        return cw_fail(CW_ELIMIT, "%u endpoints; packets can be sent among %d", net->n_endpoints, CW_VIA_NONE);
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const uint32_t cables = cw_network_degree(net, v);
        if (cables > 1)
            return cw_fail(CW_EUSAGE, "%s has %u cables; packets are routed between endpoints with one",
                           cw_network_name(net, v, name, sizeof name), cables);
        if (cables == 1 && cw_network_is_endpoint(net, net->head[net->first[v]]))
            return cw_fail(CW_EUSAGE, "%s is not connected to a switch; packets are routed between endpoints that are",
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

/* --- by specification --------------------------------------------------------------------------------------------- */

static int compile(const struct cw_packet_routing_kind *kind, const struct cw_network *net, const char *parameters,
                   uint64_t seed, struct cw_packet_routing **out)
{
    static const struct cw_option none[] = {{.name = NULL}};
    const struct cw_option *options = kind->options ? kind->options : none;
    void *values = cw_new_array(1, kind->size, "a packet routing's options");
    if (!values) return CW_ENOMEM;
    int rc = cw_options_init(options, values);
    if (rc == 0) rc = cw_options_parse_parameters(kind->name, options, values, parameters);
    if (rc == 0) rc = kind->compile(net, values, seed, out);
    cw_options_free(options, values);
    free(values);
    return rc;
}

int cw_packet_routing_new(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                          struct cw_packet_routing **out)
{
    char name[NAME_SIZE];
    if (!spec) spec = cw_engine_default(net);
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_packet_routing_kind *kind = cw_registry_find(&cw_packet_routing_registry, name);
    if (kind && kind->accepts(net)) return compile(kind, net, parameters, seed, out);
    if (cw_registry_find(&cw_engine_registry, name)) {
        struct cw_routes *routes;
        const int rc = cw_engine_route(net, spec, seed, n_threads, &routes);
        return rc ? rc : cw_packet_routing_of_routes(routes, out);
    }
    if (!kind) return cw_registry_unknown(&cw_packet_routing_registry, name);
    return cw_fail(CW_EUSAGE, "%s cannot route %s; it needs %s", kind->name, net->title ? net->title : "this network",
                   kind->needs);
}
