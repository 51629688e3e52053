/*
 * Virtual lanes for given routes, so that those of each lane are free of deadlocks. Not installed.
 *
 * All routes begin on lane 0. As long as the channel-dependency graph of a lane has a cycle, the routes that make the
 * weakest dependency on it, the one of the fewest routes, move to the next lane (Domke, Hoefler, Nagel, "Deadlock-free
 * oblivious routing for arbitrary topologies", IPDPS 2011, section IV). A route keeps its lane all the way. Whether
 * fewer lanes would do is not known: finding the least number is NP-complete.
 */
#ifndef CW_ROUTE_LANE_LAYERS_H
#define CW_ROUTE_LANE_LAYERS_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Gives ROUTES, which are tables without holes on the way or loops, service levels of at most MOST lanes, of which
 * level n is lane n everywhere; nothing if they need one lane only. CW_ELIMIT if MOST are not enough. */
int cw_layer_lanes(struct cw_routes *routes, uint32_t most);

CW_END_DECLS

#endif
