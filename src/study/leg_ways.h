/*
 * What the legs of a plan may be, from names: who may relay, and by which ways a leg goes.
 */
#ifndef CW_STUDY_LEG_WAYS_H
#define CW_STUDY_LEG_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/routes.h"

CW_BEGIN_DECLS

#define CW_LEG_WAYS_MAX 128 /* as many as a port may have LIDs */

/* Ways from each endpoint to each other. */
struct cw_leg_ways {
    const struct cw_routes *routes[CW_LEG_WAYS_MAX];
    size_t n;
    struct cw_routes *made[CW_LEG_WAYS_MAX]; /* those that were made here */
    size_t n_made;
    bool adaptive; /* or any shortest way */
};

/* Adds ROUTES, which are borrowed, those to all LIDs. CW_ELIMIT if there are too many. */
int cw_leg_ways_add(struct cw_leg_ways *ways, const struct cw_routes *routes);

/* Adds the ways to N LIDs of every endpoint beyond the first, as a subnet manager spreads them: at every switch each
 * goes by another one of the ports on shortest paths, as long as there are others. */
int cw_leg_ways_add_lids(struct cw_leg_ways *ways, const struct cw_network *net, uint32_t n, uint64_t seed,
                         unsigned n_threads);

/* Adds those that LIST says, items separated by ';': a routing (route/engine.h); "lft:FILE", forwarding tables to all
 * LIDs that they have; or "adaptive", for switches that choose among all shortest ways. */
int cw_leg_ways_add_list(struct cw_leg_ways *ways, const struct cw_network *net, const char *list, uint64_t seed,
                         unsigned n_threads);

void cw_leg_ways_free(struct cw_leg_ways *ways);

CW_END_DECLS

#endif
