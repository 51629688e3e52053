/*
 * Routing engines: all routings that can be named. An engine compiles (network, parameters, seed) to routes, which are
 * data (route/routes.h), or decides packet by packet (route/packets/packet_routing.h), or both, by one rule.
 *
 *   routes and packets   "minimal": every verb uses it; flit-level simulation sends packets by `packets`
 *   routes               "dor": every verb uses it; packets follow the routes
 *   packets              "valiant-any": packets of one pair take several ways, drawn or chosen by queues
 *
 * Adding one: a file route/engines/NAME.c (of packets only: route/packets/packet_NAME.c) with one descriptor at its
 * end, and one line in route/engine.c. The generic tests run it on every topology it accepts and check reachability,
 * loops, its claims, its dependencies, and its help.
 */
#ifndef CW_ROUTE_ENGINE_H
#define CW_ROUTE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "base/parameters.h"
#include "base/registry.h"
#include "route/packets/packet_routing.h"
#include "route/pair_weights.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* What an engine promises of its routes, with the defaults of its options, on every network that it accepts by itself,
 * failed cables or not. Routes that are carried over to a map with failed cables (CW_MAPS_CARRIED) are mended there,
 * on as many lanes as keep the second promise. Tests hold engines to it, and cw_engine_default_of_packets need not look
 * where it is promised; what users are told is what a check of the very routes finds (route/check.h,
 * cw_packet_routing_check). */
enum cw_claim {
    CW_CLAIM_NONE,   /* nothing */
    CW_CLAIM_ACYCLIC /* the channel-dependency graph over (channel, lane) has no cycle */
};

/* What an engine of one shape makes of a map in which the shape was recognised (net/places.h). */
enum cw_engine_maps {
    CW_MAPS_REFUSED,
    CW_MAPS_ROUTED, /* it routes the map itself */
    CW_MAPS_CARRIED /* it routes the network that the map should be, and the routes are carried over */
};

struct cw_engine {
    const char *name;                /* "dmodk" */
    const char *help;                /* one sentence */
    const char *needs;               /* which networks it routes, for messages: "an XGFT made by the generator" */
    const struct cw_option *options; /* NULL: none */
    size_t size;
    bool minimal;                      /* every route is a shortest one */
    enum cw_claim deadlock_freedom;    /* of the routes */
    bool one_way;                      /* networks may have closed channels (net/network.h); it uses none */
    bool by_queues;                    /* packets choose by the queues of switches */
    bool by_round;                     /* … among ways of which the best for a round can be found:
                                        * cw_routes_by_round; the state of its packets is a struct cw_shortest_ways */
    const struct cw_shape_kind *shape; /* it routes networks of this shape only; NULL: of any and of none */
    enum cw_engine_maps maps;
    bool valiant; /* packets go to a random place first, minimally from there on, or at once if their `via` is
                   * CW_VIA_NONE: ugal-mix decides which */
    /* It is the default on the networks that it accepts and, unless NULL, is made for: those of SHAPE (which may be
     * none). Of several such engines the one listed last is, the most particular. */
    bool by_default;
    bool (*made_for)(const struct cw_shape *shape);
    /* True if it can route NET, which is of its shape; sets no message. NULL: always. */
    bool (*accepts)(const struct cw_network *net, const void *values);
    bool explains; /* what it does not accept it is given all the same: `compile` says why it refuses */
    /* Its routes. NULL: packets of one pair take several ways; unless by queues, their expected shares are its routes
     * (CW_ROUTES_WAYS). */
    int (*compile)(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                   struct cw_routes **out);
    /* Its routes for traffic of which PAIRS is known: *BOUND is what cw_engine_route_for says. NULL: it makes the same
     * for all. */
    int (*compile_for)(const struct cw_network *net, const void *values, const struct cw_pair_weights *pairs,
                       unsigned n_threads, uint64_t *bound, struct cw_routes **out);
    /* The ways to switches (route/switch_ways.h) beside ROUTES, which it made of the same; PORTS are all 0. NULL:
     * pieces of the routes. */
    int (*to_switches)(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                       unsigned n_threads, uint8_t *ports);
    /* Its packets. NULL: they follow the routes. */
    int (*packets)(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out);
    const char *opensm; /* OpenSM's routing_engine that writes the same entries; NULL: there is none */
    /* Without parameters, OpenSM refuses NET unless it is given files of what this engine finds by itself: *FILES is
     * what opensm.conf then says, static, or NULL. NULL: it never does. */
    int (*opensm_files)(const struct cw_network *net, const char **files);
};

CW_API extern const struct cw_engine *const *const cw_engines; /* ended by NULL */
CW_API extern const struct cw_registry cw_engine_registry;

/* Adds ENGINE, which is borrowed for as long as the program runs: CW_EUSAGE and CW_ELIMIT as cw_registry_add has it. */
static inline int cw_engine_register(const struct cw_engine *engine)
{
    return cw_registry_add(&cw_engine_registry, engine, CW_INTERFACE, sizeof *engine);
}

/* True if ENGINE can route NET with these parameters (NULL: the defaults), by itself. Sets no message. */
CW_API bool cw_engine_accepts(const struct cw_engine *engine, const struct cw_network *net, const void *values);

/* Which verbs can use ENGINE, and why not the others: "every verb"; "flit and model only, for ...". */
CW_API const char *cw_engine_use(const struct cw_engine *engine);

/* The engine used where none is named, whatever is asked of the network: dmodk on XGFT, bgq on tori of Blue Gene/Q's
 * shape (five dimensions, the first of size 2, and no hypercube), dor on other tori and on meshes, all whether
 * generated or recognised in a map (net/places.h), minimal on dragonflies, hyperx-dor, megafly-minimal and rail-local
 * on theirs, hop-lanes on Slim Fly and Jellyfish, else minhop; also where so much is missing in a recognised tree that
 * dmodk would leave pairs without a route. */
CW_API const char *cw_engine_default(const struct cw_network *net);

/* The same for packets that wait in switches until there is room, as flit by flit: cw_engine_default, but nue-even on
 * four lanes where packets on its routes could wait for one another in a circle, or need more than 8 lanes not to.
 * *SPEC is never freed. */
CW_API int cw_engine_default_of_packets(const struct cw_network *net, uint64_t seed, unsigned n_threads,
                                        const char **spec);

/* Appends why cw_engine_default is that one: "the map is an XGFT(2; 18, 18; 1, 9) without 2 of 324 cables between
 * switches". */
CW_API void cw_engine_why(const struct cw_network *net, struct cw_text *why);

/* CW_EUSAGE if SPEC, "NAME" or "NAME:parameters", names no engine (says the nearest) or has parameters that it does not
 * take. Whether the engine can route a network is not asked. */
CW_API int cw_engine_check(const char *spec);

/* Routes NET by SPEC, "NAME" or "NAME:parameters" (NULL: the default engine). Names the nearest engine if there is none
 * of that name; says what the engine needs if NET is not that, and what it is for if it has no routes. For packets:
 * cw_packet_routing_new. */
CW_API int cw_engine_route(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                           struct cw_routes **out);

/* The same for traffic: routes between all endpoints, made so that those of PAIRS, each counted by its weight, are few
 * on the busiest channel between switches. *BOUND: no forwarding tables of shortest routes can have fewer on it.
 * CW_EUSAGE if the engine of SPEC does not look at traffic. */
CW_API int cw_engine_route_for(const struct cw_network *net, const char *spec, const struct cw_pair_weights *pairs,
                               uint64_t seed, unsigned n_threads, uint64_t *bound, struct cw_routes **out);

/* Gives ROUTES, which cw_engine_route made of SPEC, the ways to switches that its engine lays (route/switch_ways.h). */
CW_API int cw_engine_to_switches(struct cw_routes *routes, const char *spec, unsigned n_threads);

CW_END_DECLS

#endif
