/*
 * The ways to switches themselves: routes lead to endpoints only, but a subnet manager, and whoever reads a switch's
 * counters, sends packets to the LIDs of switches.
 */
#ifndef CW_ROUTE_SWITCH_WAYS_H
#define CW_ROUTE_SWITCH_WAYS_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* *PORTS [from · switches + to], the caller's, gets the number of the port by which the switch at vertex n_endpoints +
 * from sends to another one, or 0, for tables whose ports have numbers up to 254: those that were set, else pieces of
 * the routes and, where no route leads, shortest ways into these. O(endpoints · switches + switches · channels). */
int cw_switch_ways(const struct cw_routes *routes, uint8_t **ports);

/* Gives ROUTES such PORTS, which it takes over. */
void cw_routes_set_switch_ways(struct cw_routes *routes, uint8_t *ports);

CW_END_DECLS

#endif
