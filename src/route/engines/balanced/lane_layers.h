/*
 * Virtual lanes for given routes, so that those of each lane are free of deadlocks. Not installed.
 *
 * One destination after another, the routes from each switch take the first lane on which they close no cycle of
 * channel dependencies with the routes there (as LASH does with pairs of switches). The routes to a destination are a
 * tree, which is gone through once for each lane, so that a dependency is looked at once and not for every route.
 * The order of destinations matters: of four the one with the fewest lanes is taken, depth first from switch to switch
 * and by the endpoints' numbers, both ways. On most networks that takes fewer lanes than when all routes begin on one
 * and those on the weakest dependency of each cycle move to the next (Domke, Hoefler, Nagel, "Deadlock-free oblivious
 * routing for arbitrary topologies", IPDPS 2011, section IV). Whether still fewer would do is not known: finding the
 * least number is NP-complete.
 */
#ifndef CW_ROUTE_LANE_LAYERS_H
#define CW_ROUTE_LANE_LAYERS_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Gives ROUTES, which are tables without holes on the way or loops, to all LIDs, service levels of at most MOST lanes
 * (CW_LANE_DISCARDED at most), of which level n is lane n everywhere; nothing if they need one lane only. The routes to
 * all LIDs together are free of deadlocks then. CW_ELIMIT if MOST are not enough. O(LIDs · switches · lanes), and what
 * the orders of channels take to be mended. */
int cw_layer_lanes(struct cw_routes *routes, uint32_t most);

CW_END_DECLS

#endif
