#include "route/packet_routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "route/engine.h"

extern const struct cw_packet_routing_kind cw_packet_minimal, cw_packet_valiant_restricted, cw_packet_valiant_any,
    cw_packet_ugal_l, cw_packet_ugal_g, cw_packet_par, cw_packet_adaptive_up;

const struct cw_packet_routing_kind *const cw_packet_routings[] = {
    &cw_packet_minimal,     &cw_packet_valiant_restricted,
    &cw_packet_valiant_any, &cw_packet_ugal_l,
    &cw_packet_ugal_g,      &cw_packet_par,
    &cw_packet_adaptive_up, NULL};

#define N_KINDS   (sizeof cw_packet_routings / sizeof *cw_packet_routings - 1)
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

static const struct cw_packet_routing_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(cw_packet_routings[i]->name, name) == 0) return cw_packet_routings[i];
    return NULL;
}

static bool is_engine(const char *name)
{
    for (size_t i = 0; cw_engines[i]; i++)
        if (strcmp(cw_engines[i]->name, name) == 0) return true;
    return false;
}

/* The names of all packet routings and engines, each once, ended by NULL. Owned by the caller. */
static const char **all_names(void)
{
    size_t n = N_KINDS;
    while (cw_engines[n - N_KINDS]) n++;
    const char **names = cw_new_array(n + 1, sizeof *names, "names of routings");
    if (!names) return NULL;
    n = 0;
    for (size_t i = 0; i < N_KINDS; i++) names[n++] = cw_packet_routings[i]->name;
    for (size_t i = 0; cw_engines[i]; i++)
        if (!find_kind(cw_engines[i]->name)) names[n++] = cw_engines[i]->name;
    return names;
}

static int fail_unknown(const char *name)
{
    const char **names = all_names();
    if (!names) return CW_ENOMEM;
    const char *nearest = cw_nearest(name, names);
    struct cw_text known = {0};
    for (size_t i = 0; names[i]; i++) cw_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
    int rc = cw_text_check(&known);
    if (rc == 0 && nearest) rc = cw_fail(CW_EUSAGE, "no routing is called '%s'; did you mean '%s'?", name, nearest);
    if (rc == 0) rc = cw_fail(CW_EUSAGE, "no routing is called '%s'; there are %s", name, known.data);
    cw_text_free(&known);
    free(names);
    return rc;
}

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
    const struct cw_packet_routing_kind *kind = find_kind(name);
    if (kind && kind->accepts(net)) return compile(kind, net, parameters, seed, out);
    if (is_engine(name)) {
        struct cw_routes *routes;
        const int rc = cw_engine_route(net, spec, seed, n_threads, &routes);
        return rc ? rc : cw_packet_routing_of_routes(routes, out);
    }
    if (!kind) return fail_unknown(name);
    return cw_fail(CW_EUSAGE, "%s cannot route %s; it needs %s", kind->name, net->title ? net->title : "this network",
                   kind->needs);
}
