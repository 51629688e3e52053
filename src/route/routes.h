/*
 * Routes are data: an engine (route/engine.h) compiles a network into them, and everything else only walks them.
 *
 * Four representations stand behind one interface:
 *   - forwarding tables: for every destination endpoint and every vertex with a choice, the index of the port to leave
 *     by; 1 byte an entry where no vertex has more than 254 ports, else 2. Stored destination by destination: a route
 *     reads one stretch of memory, table[destination · rows + row].
 *   - explicit paths: for every (source, destination) one or more weighted lists of channels; which of several is used
 * is a hash of (seed, source, destination), so that a share of the pairs proportional to the weight uses each.
 *   - a closed form: a function from (source, destination) to channels, with small tables of its own.
 *   - ways: the packets of a pair spread over several, as expected of a routing that draws (route/packets/ways.h), or
 *     over the routes to all LIDs.
 * There is no one route to walk: all that asks for one is CW_EUSAGE, and cw_routes_ways gives the shares. Each hop may
 * carry a virtual lane; routes with one lane only say so (lanes == 1).
 *
 * A route begins with the source's own channel and ends with the one into the destination: it is a list of channels,
 * the head of each being the tail of the next. A route from an endpoint to itself is empty. Endpoints forward nothing:
 * a table that leads through one is broken. A hole or a loop is CW_EROUTE with the names of switch and destination.
 *
 * Tables may lead to several LIDs of each endpoint, 2^LMC of them. They are the routes to the first, as everything
 * expects that asks for one route a pair; who wants several has those to the other LIDs by cw_routes_to_lid.
 *
 * Routes borrow the network, are immutable, and may be walked by any number of threads.
 */
#ifndef CW_ROUTE_ROUTES_H
#define CW_ROUTE_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_routes;

CW_API void cw_routes_free(struct cw_routes *routes);

CW_API const struct cw_network *cw_routes_network(const struct cw_routes *routes); /* that they are of */
CW_API const char *cw_routes_name(const struct cw_routes *routes);                 /* the engine's name or the file's */
CW_API uint32_t cw_routes_max_hops(const struct cw_routes *routes);                /* no route is longer */
CW_API uint32_t cw_routes_lanes(const struct cw_routes *routes);                   /* virtual lanes used, ≥ 1 */
/* False for the tables of a fabric without its service levels (route/service_levels.h): lanes are then all 0, but in
 * the fabric they may be others. */
CW_API bool cw_routes_lanes_known(const struct cw_routes *routes);

/* Of routes that were balanced: no shortest routes between all endpoints have fewer on the busiest channel between
 * switches. 0: not known. */
CW_API uint64_t cw_routes_load_bound(const struct cw_routes *routes);

#define CW_LIDS_MAX 128u /* of a port: LMC 7 */

/* How many LIDs of an endpoint the routes lead to, ≥ 1, and the routes to the one at place I, from 0; these are ROUTES
 * for 0, else ROUTES own them. */
CW_API uint32_t cw_routes_lids(const struct cw_routes *routes);
CW_API const struct cw_routes *cw_routes_to_lid(const struct cw_routes *routes, uint32_t i);
/* Makes routes of kind CW_ROUTES_WAYS, called as ROUTES: the packets of a pair are spread evenly over the routes to all
 * LIDs, which cw_routes_to_lid still gives. They have all lanes of these, which are known if those of all are. Takes
 * ROUTES over, also on failure. */
CW_API int cw_routes_over_lids(struct cw_routes *routes, struct cw_routes **out);

/* What may be said of every route without looking at it. */
enum cw_routes_kind { CW_ROUTES_TABLE, CW_ROUTES_PATHS, CW_ROUTES_FORMULA, CW_ROUTES_WAYS };
CW_API enum cw_routes_kind cw_routes_kind(const struct cw_routes *routes);
/* CW_EUSAGE if packets of one pair take several ways, and no route can be walked or shown. */
CW_API int cw_routes_need_paths(const struct cw_routes *routes);
/* Of CW_ROUTES_WAYS: cw_ways_find, or cw_ways_find_lids. */
struct cw_ways;
CW_API int cw_routes_ways(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct cw_ways *ways);
/* True if these ways need to be told which share of the packets goes minimally (cw_ways.minimal). */
CW_API bool cw_routes_by_traffic(const struct cw_routes *routes);
/* True if packets choose their ways by queues, so that the ways of a pair are not known by themselves
 * (cw_routes_ways is CW_EUSAGE), but the best for the messages of a round are (route/packets/least_busy.h). */
CW_API bool cw_routes_by_round(const struct cw_routes *routes);
/* Of these: true if they choose among all ways there are, and not only among the shortest. */
CW_API bool cw_routes_by_any_ways(const struct cw_routes *routes);
/* True if the next channel depends on the vertex and the destination only (as forwarding tables do). */
CW_API bool cw_routes_by_destination(const struct cw_routes *routes);

/* --- in batches: the fast way ------------------------------------------------------------------------------------ */

/* The channels of N routes src[i] → dst[i]: hops[i] of them (0 where src[i] = dst[i]) from channels[i · max_hops] on.
 * LANES (same places) may be NULL. Table walks are interleaved, 16 or more in flight. 0, or CW_EROUTE for the lowest i
 * that fails. CHANNELS has room for n · cw_routes_max_hops. */
CW_API int cw_routes_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                           uint32_t *hops, uint32_t *channels, uint8_t *lanes);

/* The same with the routes one behind another, without gaps: that of route i begins behind the hops[i-1] channels of
 * the one before. CHANNELS needs as much room. */
CW_API int cw_routes_packed_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                                  uint32_t *hops, uint32_t *channels);

/* Adds 1 to load[c] for every channel c of every route. LOAD has n_channels entries. */
CW_API int cw_routes_count(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                           uint32_t *load);

/* --- one step at a time: for checks, printing and simulators ------------------------------------------------------ */

struct cw_hop {
    uint32_t channel;
    uint8_t lane;
};

/* A position on a route. A zeroed one may be freed; cw_walk_begin may be called again on one that is in use. */
struct cw_walk {
    const struct cw_routes *routes;
    uint32_t src, dst;
    uint32_t vertex; /* where it is */
    uint32_t hops;   /* taken so far */
    uint32_t before; /* the channel taken last, or CW_NONE */
    uint32_t *path;  /* owned: the whole path, where the routes know it beforehand */
    uint8_t *lanes;
    uint32_t length;
};

/* Puts WALK at endpoint SRC, on its way to endpoint DST. 0, CW_EUSAGE for a vertex that is no endpoint and for routes
 * that have several ways for a pair, CW_ENOMEM, or an error of cw_routes_paths. */
CW_API int cw_walk_begin(struct cw_walk *walk, const struct cw_routes *routes, uint32_t src, uint32_t dst);

/* Frees what WALK owns, and zeroes it. */
CW_API void cw_walk_end(struct cw_walk *walk);

/* The hops that may be taken next, best first, at most MAX, into OUT; the result is their number, 0 at the destination,
 * or negative (CW_EROUTE: a hole; also when hops taken reach the bound that only a loop exceeds). Oblivious routes give
 * exactly one; adaptive ones may give several. */
CW_API int cw_walk_candidates(struct cw_walk *walk, struct cw_hop *out, int max);

/* Takes HOP, one of the candidates. */
CW_API void cw_walk_take(struct cw_walk *walk, struct cw_hop hop);

CW_END_DECLS

#endif
