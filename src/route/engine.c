#include "route/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/places.h"
#include "route/placed_routes.h"

/* One line an engine, in the order of help: cw_engine_NAME is its descriptor. */
#define ENGINES(EACH)                                                                                                  \
    EACH(dmodk)                                                                                                        \
    EACH(smodk)                                                                                                        \
    EACH(dor)                                                                                                          \
    EACH(minimal)                                                                                                      \
    EACH(minhop)                                                                                                       \
    EACH(random_minimal)                                                                                               \
    EACH(bgq)                                                                                                          \
    EACH(hyperx_dor)                                                                                                   \
    EACH(megafly_minimal)                                                                                              \
    EACH(rail_local)                                                                                                   \
    EACH(hop_lanes)

#define DECLARE(NAME) extern const struct cw_engine cw_engine_##NAME;
#define ENTER(NAME)   &cw_engine_##NAME,

ENGINES(DECLARE)

const struct cw_engine *const cw_engines[] = {ENGINES(ENTER) NULL};

const struct cw_registry cw_engine_registry = {.items = cw_engines,
                                               .near = "no routing engine is called '%s'; did you mean '%s'?",
                                               .none = "no routing engine is called '%s'; there are %s"};

#define NAME_SIZE 64
#define GENERAL   "minhop"

/* True if ENGINE routes the torus that NET was recognised as: its routes can be carried over. */
static bool accepts_places(const struct cw_engine *engine, const struct cw_network *net, const void *values)
{
    return net->places && net->places->ideal->shape.kind == &cw_shape_torus &&
           engine->accepts(net->places->ideal, values);
}

/* The engine made for networks like NET, whether or not it accepts this one; NULL if there is none. */
static const struct cw_engine *engine_for(const struct cw_network *net)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const struct cw_engine *made = NULL;
    for (size_t i = 0; cw_engines[i]; i++)
        if (cw_engines[i]->made_for && cw_engines[i]->made_for(shape)) made = cw_engines[i];
    return made;
}

const char *cw_engine_default(const struct cw_network *net)
{
    const struct cw_engine *engine = engine_for(net);
    if (engine && (engine->accepts(net, NULL) || accepts_places(engine, net, NULL))) return engine->name;
    return GENERAL;
}

void cw_engine_why(const struct cw_network *net, struct cw_text *why)
{
    const struct cw_engine *engine = engine_for(net);
    if (!engine) {
        cw_text_add(why, cw_network_switches(net) == 1 ? "there is one switch"
                                                       : "the map is neither a fat tree (XGFT) nor a torus");
        return;
    }
    cw_text_add(why, net->places ? "the map is " : "the network is ");
    cw_network_describe(net, why);
    if (engine == &cw_engine_bgq) cw_text_add(why, ", as Blue Gene/Q is");
    if (engine && strcmp(cw_engine_default(net), engine->name) != 0)
        cw_text_printf(why, ", in which %s does not find a way between all endpoints", engine->name);
}

static int compile(const struct cw_engine *engine, const struct cw_network *net, const void *values, uint64_t seed,
                   unsigned n_threads, struct cw_routes **out)
{
    if (!engine->accepts(net, values) && accepts_places(engine, net, values)) {
        struct cw_routes *ideal;
        const int rc = engine->compile(net->places->ideal, values, seed, n_threads, &ideal);
        return rc ? rc : cw_routes_of_places(ideal, net, n_threads, out);
    }
    if (!engine->accepts(net, values))
        return cw_fail(CW_EUSAGE, "%s cannot route %s; it needs %s", engine->name,
                       net->title ? net->title : "this network", engine->needs);
    return engine->compile(net, values, seed, n_threads, out);
}

int cw_engine_route(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                    struct cw_routes **out)
{
    static const struct cw_option none[] = {{.name = NULL}};
    char name[NAME_SIZE];
    const char *parameters = cw_spec_split(spec ? spec : cw_engine_default(net), name, sizeof name);
    const struct cw_engine *engine = cw_registry_find(&cw_engine_registry, name);
    if (!engine) return cw_registry_unknown(&cw_engine_registry, name);
    const struct cw_option *options = engine->options ? engine->options : none;
    void *values = cw_new_array(1, engine->size, "an engine's options");
    if (!values) return CW_ENOMEM;
    int rc = cw_options_init(options, values);
    if (rc == 0) rc = cw_options_parse_parameters(engine->name, options, values, parameters);
    if (rc == 0) rc = compile(engine, net, values, seed, n_threads, out);
    cw_options_free(options, values);
    free(values);
    return rc;
}
