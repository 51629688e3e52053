#include "route/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "net/places.h"
#include "route/engines/placed_routes.h"
#include "route/routes_internal.h"
#include "route/switch_ways.h"

/* One line an engine, in the order of help: cw_engine_NAME is its descriptor. Those of opensm/ may be left out of a
 * build. */
#ifdef CW_OPENSM
#define OPENSM_ENGINES(EACH)                                                                                           \
    EACH(ftree)                                                                                                        \
    EACH(updn)                                                                                                         \
    EACH(dnup)                                                                                                         \
    EACH(dor_ports)                                                                                                    \
    EACH(lash)                                                                                                         \
    EACH(sssp)                                                                                                         \
    EACH(dfsssp)                                                                                                       \
    EACH(nue)                                                                                                          \
    EACH(torus_2qos)
#else
#define OPENSM_ENGINES(EACH)
#endif
#define ENGINES(EACH)                                                                                                  \
    EACH(dmodk)                                                                                                        \
    EACH(smodk)                                                                                                        \
    EACH(dor)                                                                                                          \
    EACH(minimal)                                                                                                      \
    EACH(minhop)                                                                                                       \
    EACH(nue_even)                                                                                                     \
    EACH(min_contention)                                                                                               \
    EACH(min_max_load)                                                                                                 \
    OPENSM_ENGINES(EACH)                                                                                               \
    EACH(random_minimal)                                                                                               \
    EACH(bgq)                                                                                                          \
    EACH(hyperx_dor)                                                                                                   \
    EACH(megafly_minimal)                                                                                              \
    EACH(rail_local)                                                                                                   \
    EACH(hop_lanes)                                                                                                    \
    EACH(valiant_restricted)                                                                                           \
    EACH(valiant_any)                                                                                                  \
    EACH(ugal_l)                                                                                                       \
    EACH(ugal_g)                                                                                                       \
    EACH(par)                                                                                                          \
    EACH(ugal_mix)                                                                                                     \
    EACH(adaptive_up)                                                                                                  \
    EACH(spray)                                                                                                        \
    EACH(ecmp)                                                                                                         \
    EACH(adaptive)                                                                                                     \
    EACH(valiant)                                                                                                      \
    EACH(dal)                                                                                                          \
    EACH(megafly_valiant)                                                                                              \
    EACH(rail_spray)

#define DECLARE(NAME) extern const struct cw_engine cw_engine_##NAME;
#define ENTER(NAME)   &cw_engine_##NAME,

ENGINES(DECLARE)

static const struct cw_engine *engines[CW_REGISTRY_ROOM] = {ENGINES(ENTER)};
const struct cw_engine *const *const cw_engines = engines;

static const char *lacks(const void *item)
{
    const struct cw_engine *engine = item;
    if (!engine->help || !engine->needs) return "a help or a sentence of what it needs";
    return engine->compile || engine->packets ? NULL : "a function compile or packets";
}

const struct cw_registry cw_engine_registry = {.items = engines,
                                               .near = "no routing is called '%s'; did you mean '%s'?",
                                               .none = "no routing is called '%s'; there are %s",
                                               .room = CW_REGISTRY_ROOM,
                                               .item_size = sizeof(struct cw_engine),
                                               .kind = "routing engine",
                                               .lacks = lacks};

#define GENERAL  "minhop"
#define LOSSLESS "nue-even:lanes=4" /* where packets could wait in a circle, or need more lanes than packets have */

/* What is routed of NET: the fabric between its hosts, if these have an inside (net/nodes.h). */
static const struct cw_network *fabric_of(const struct cw_network *net)
{
    return net->nodes ? net->nodes->fabric : net;
}

static bool is_one_way_refused(const struct cw_engine *engine, const struct cw_network *net)
{
    return net->n_closed > 0 && !engine->one_way;
}

bool cw_engine_accepts(const struct cw_engine *engine, const struct cw_network *net, const void *values)
{
    net = fabric_of(net);
    const struct cw_shape *shape = engine->maps == CW_MAPS_ROUTED ? cw_network_regular_shape(net) : &net->shape;
    if (engine->shape && engine->shape != shape->kind) return false;
    if (is_one_way_refused(engine, net)) return false;
    return !engine->accepts || engine->accepts(net, values);
}

/* True if ENGINE routes what NET was recognised as, and its routes can be carried over. */
static bool accepts_places(const struct cw_engine *engine, const struct cw_network *net, const void *values)
{
    return engine->maps == CW_MAPS_CARRIED && net->places && cw_engine_accepts(engine, net->places->ideal, values);
}

/* True if ENGINE is the one to take on networks of SHAPE. */
static bool is_made_for(const struct cw_engine *engine, const struct cw_shape *shape)
{
    if (!engine->by_default || (engine->shape && engine->shape != shape->kind)) return false;
    return !engine->made_for || engine->made_for(shape);
}

/* The engine made for networks like NET, whether or not it accepts this one; NULL if there is none. */
static const struct cw_engine *engine_for(const struct cw_network *net)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const struct cw_engine *made = NULL;
    for (size_t i = 0; cw_engines[i]; i++)
        if (is_made_for(cw_engines[i], shape)) made = cw_engines[i];
    return made;
}

/* cw_engine_default, or NULL for GENERAL. */
static const struct cw_engine *special_engine(const struct cw_network *net)
{
    const struct cw_engine *engine = engine_for(net);
    return engine && (cw_engine_accepts(engine, net, NULL) || accepts_places(engine, net, NULL)) ? engine : NULL;
}

const char *cw_engine_default(const struct cw_network *net)
{
    const struct cw_engine *engine = special_engine(fabric_of(net));
    return engine ? engine->name : GENERAL;
}

void cw_engine_why(const struct cw_network *net, struct cw_text *why)
{
    net = fabric_of(net);
    const struct cw_engine *engine = engine_for(net);
    if (net->n_closed > 0) {
        cw_text_printf(why, "%u cable%s in one direction only", net->n_closed,
                       net->n_closed == 1 ? " works" : "s work");
        return;
    }
    if (!engine) {
        cw_text_add(why, cw_network_switches(net) == 1 ? "there is one switch"
                                                       : "the map is neither a fat tree (XGFT) nor a torus");
        return;
    }
    cw_text_add(why, net->places && !net->generated ? "the map is " : "the network is ");
    cw_network_describe(net, why);
    if (engine == &cw_engine_bgq) cw_text_add(why, ", as Blue Gene/Q is");
    if (engine && strcmp(cw_engine_default(net), engine->name) != 0)
        cw_text_printf(why, ", in which %s does not find a way between all endpoints", engine->name);
}

const char *cw_engine_use(const struct cw_engine *engine)
{
    if (engine->compile) return "every verb";
    if (engine->by_round)
        return "congestion, ebb, flit and model only: it looks at the queues of switches; congestion and ebb find what "
               "that can reach at best for the messages of a round, and model counts the channels of endpoints only";
    if (engine->by_queues)
        return "flit and model only: it looks at the queues of switches, which other verbs do not simulate; model then "
               "counts the channels of endpoints only";
    return "congestion, ebb, noise, flit and model only: the packets of a pair take several paths, so that there is no "
           "single route to show, write, replay or plan with";
}

int cw_engine_default_of_packets(const struct cw_network *net, uint64_t seed, unsigned n_threads, const char **spec)
{
    net = fabric_of(net);
    const struct cw_engine *engine = special_engine(net);
    const char *usual = engine ? engine->name : GENERAL;
    struct cw_packet_routing *packets;
    *spec = usual;
    if (net->n_closed > 0) return 0;
    if (engine && engine->deadlock_freedom == CW_CLAIM_ACYCLIC && cw_engine_accepts(engine, net, NULL)) return 0;
    int rc = cw_packet_routing_new(net, usual, seed, n_threads, &packets);
    if (rc && rc != CW_ELIMIT) return rc;
    if (!rc) {
        rc = cw_packet_routing_check(packets);
        cw_packet_routing_free(packets);
    }
    if (rc == CW_EROUTE || rc == CW_ELIMIT) *spec = LOSSLESS;
    return rc == CW_EROUTE || rc == CW_ELIMIT ? 0 : rc;
}

/* --- by specification --------------------------------------------------------------------------------------------- */

/* What is wanted: one of ROUTES, PACKETS and SWITCHES is not NULL. */
struct wanted {
    uint64_t seed;
    unsigned n_threads;
    struct cw_routes **routes;
    struct cw_packet_routing **packets;
    const struct cw_routes **over;       /* the routes to all LIDs that PACKETS draw among; NULL: to the first */
    const struct cw_pair_weights *pairs; /* that ROUTES are made for; NULL: all alike */
    uint64_t *bound;                     /* what their busiest channel has at least */
    struct cw_routes *switches;          /* these get the ways to switches */
};

static int fail_network(const struct cw_engine *engine, const struct cw_network *net)
{
    if (is_one_way_refused(engine, net))
        return cw_fail(CW_EUSAGE,
                       "%s cannot route %s, in which %u cable%s one way only; " GENERAL " and random-minimal can",
                       engine->name, net->title ? net->title : "this network", net->n_closed,
                       net->n_closed == 1 ? " works" : "s work");
    return cw_fail(CW_EUSAGE, "%s cannot route %s; it needs %s", engine->name, net->title ? net->title : "this network",
                   engine->needs);
}

static int compile_routes(const struct cw_engine *engine, const struct cw_network *net, const void *values,
                          const struct wanted *wanted, struct cw_routes **out)
{
    if (!engine->compile && engine->by_queues && !engine->by_round)
        return cw_fail(CW_EUSAGE, "%s is for %s", engine->name, cw_engine_use(engine));
    if (engine->compile && engine->maps == CW_MAPS_CARRIED && !cw_engine_accepts(engine, net, values) &&
        accepts_places(engine, net, values)) {
        struct cw_routes *ideal;
        const int rc = engine->compile(net->places->ideal, values, wanted->seed, wanted->n_threads, &ideal);
        return rc ? rc : cw_routes_of_places(ideal, net, wanted->n_threads, out);
    }
    if (is_one_way_refused(engine, net) || (!engine->explains && !cw_engine_accepts(engine, net, values)))
        return fail_network(engine, net);
    if (wanted->pairs && !engine->compile_for)
        return cw_fail(CW_EUSAGE, "%s makes the same routes for any traffic; expected min-max-load", engine->name);
    if (wanted->pairs) return engine->compile_for(net, values, wanted->pairs, wanted->n_threads, wanted->bound, out);
    if (engine->compile) return engine->compile(net, values, wanted->seed, wanted->n_threads, out);
    struct cw_packet_routing *packets;
    const int rc = engine->packets(net, values, wanted->seed, &packets);
    return rc ? rc : cw_routes_from_packets(packets, engine->by_round, out);
}

static int compile_packets(const struct cw_engine *engine, const struct cw_network *net, const void *values,
                           const struct wanted *wanted)
{
    if (engine->packets && cw_engine_accepts(engine, net, values))
        return engine->packets(net, values, wanted->seed, wanted->packets);
    if (!engine->compile) return fail_network(engine, net);
    struct cw_routes *routes;
    int rc = compile_routes(engine, net, values, wanted, &routes);
    if (!rc && wanted->over && cw_routes_lids(routes) > 1) {
        rc = cw_routes_over_lids(routes, &routes);
        if (!rc) *wanted->over = routes;
    }
    return rc ? rc : cw_packet_routing_of_routes(routes, wanted->packets);
}

static int add_switch_ways(const struct cw_engine *engine, const void *values, const struct wanted *wanted)
{
    const struct cw_network *net = wanted->switches->net;
    const size_t n = cw_network_switches(net);
    if (!engine->to_switches) return 0;
    uint8_t *ports = cw_new_array(n * n, sizeof *ports, "ways between switches");
    if (!ports) return CW_ENOMEM;
    const int rc = engine->to_switches(net, values, wanted->switches, wanted->n_threads, ports);
    if (rc)
        free(ports);
    else
        cw_routes_set_switch_ways(wanted->switches, ports);
    return rc;
}

/* The engine of SPEC and its VALUES, the caller's. */
static int choose(const char *spec, const struct cw_engine **engine, void **values)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    *engine = cw_registry_find(&cw_engine_registry, name);
    if (!*engine) return cw_registry_unknown(&cw_engine_registry, name);
    return cw_option_values_new((*engine)->name, (*engine)->options, (*engine)->size, parameters, values);
}

int cw_engine_check(const char *spec)
{
    const struct cw_engine *engine;
    void *values;
    const int rc = choose(spec, &engine, &values);
    if (!rc) cw_option_values_free(engine->options, values);
    return rc;
}

static int compile(const struct cw_network *net, const char *spec, const struct wanted *wanted);

/* Of a network in which hosts have an inside: SPEC routes the fabric between them. */
static int compile_nodes(const struct cw_network *net, const char *spec, const struct wanted *wanted)
{
    struct cw_routes *routes;
    const struct wanted inner = {.seed = wanted->seed, .n_threads = wanted->n_threads, .routes = &routes};
    if (wanted->switches || wanted->pairs)
        return cw_fail(CW_EUSAGE, "this is for a fabric without the inside of its hosts (--nodes)");
    int rc = compile(net->nodes->fabric, spec, &inner);
    if (!rc) rc = cw_routes_of_nodes(routes, net, &routes);
    if (rc || wanted->routes) {
        if (!rc) *wanted->routes = routes;
        return rc;
    }
    return cw_packet_routing_of_routes(routes, wanted->packets);
}

static int compile(const struct cw_network *net, const char *spec, const struct wanted *wanted)
{
    if (net->nodes) return compile_nodes(net, spec, wanted);
    const struct cw_engine *engine;
    void *values;
    int rc = choose(spec ? spec : cw_engine_default(net), &engine, &values);
    if (rc) return rc;
    if (wanted->switches)
        rc = add_switch_ways(engine, values, wanted);
    else if (wanted->routes)
        rc = compile_routes(engine, net, values, wanted, wanted->routes);
    else
        rc = compile_packets(engine, net, values, wanted);
    cw_option_values_free(engine->options, values);
    return rc;
}

int cw_engine_route(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                    struct cw_routes **out)
{
    const struct wanted wanted = {.seed = seed, .n_threads = n_threads, .routes = out};
    return compile(net, spec, &wanted);
}

int cw_engine_route_for(const struct cw_network *net, const char *spec, const struct cw_pair_weights *pairs,
                        uint64_t seed, unsigned n_threads, uint64_t *bound, struct cw_routes **out)
{
    const struct wanted wanted = {.seed = seed, .n_threads = n_threads, .routes = out, .pairs = pairs, .bound = bound};
    return compile(net, spec, &wanted);
}

int cw_engine_to_switches(struct cw_routes *routes, const char *spec, unsigned n_threads)
{
    const struct wanted wanted = {.n_threads = n_threads, .switches = routes};
    return compile(routes->net, spec, &wanted);
}

/* As cw_packet_routing_over_lids has it; OVER NULL: to first LIDs. */
static int new_packets(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                       struct cw_packet_routing **out, const struct cw_routes **over)
{
    struct cw_packet_routing *packets;
    const struct cw_routes *drawn = NULL;
    const struct wanted wanted = {
        .seed = seed, .n_threads = n_threads, .packets = &packets, .over = over ? &drawn : NULL};
    int rc = compile(net, spec, &wanted);
    if (rc) return rc;
    rc = spec ? cw_packet_routing_set_spec(packets, spec) : 0;
    if (rc) {
        cw_packet_routing_free(packets);
        return rc;
    }
    *out = packets;
    if (over) *over = drawn;
    return 0;
}

int cw_packet_routing_new(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                          struct cw_packet_routing **out)
{
    return new_packets(net, spec, seed, n_threads, out, NULL);
}

int cw_packet_routing_over_lids(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                                struct cw_packet_routing **out, const struct cw_routes **over)
{
    return new_packets(net, spec, seed, n_threads, out, over);
}
