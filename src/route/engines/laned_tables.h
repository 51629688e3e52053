/*
 * Forwarding tables whose packets change lanes on their way, so that none waits for another in a circle. Not installed.
 */
#ifndef CW_ROUTE_LANED_TABLES_H
#define CW_ROUTE_LANED_TABLES_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Routes of TABLES, called NAME, with lanes in layers of LANES. A place, from 1 on, is given to each channel on each
 * lane of a layer, PLACE[channel · LANES + lane]. From one switch to the next a packet takes the lane with the least
 * place above the one that it has, or, where there is none, the lane with the least of all in the next layer. Layers
 * and places ascend along all routes, so there is no circle. PLACE NULL: all have the same, so that every hop between
 * switches takes a layer of its own. Channels of endpoints are on lane 0.
 *
 * Takes TABLES and PLACE over, also on failure; where one lane is enough, *OUT is TABLES. CW_ELIMIT if that takes more
 * than 255 lanes. O(switches with endpoints · destinations · hops); without PLACE O(1). */
int cw_routes_with_places(struct cw_routes *tables, const char *name, uint32_t *place, uint32_t lanes,
                          unsigned n_threads, struct cw_routes **out);

CW_END_DECLS

#endif
