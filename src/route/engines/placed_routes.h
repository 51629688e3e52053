/*
 * Routes of a network that is a regular shape in another numbering or with gaps (net/places.h), from those of the shape
 * itself. Not installed.
 */
#ifndef CW_ROUTE_PLACED_ROUTES_H
#define CW_ROUTE_PLACED_ROUTES_H

#include <stdbool.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Makes routes of NET, which has places, from routes of the places' ideal, which it takes over, also on failure.
 * Endpoints beside a torus are routed as that of their switch's node.
 *
 * Where no cable and no switch is missing the result is IDEAL's routes, channel by channel, lanes as well. Elsewhere
 * it is forwarding tables: a switch whose way to a destination is whole keeps it; one whose way would pass a gap goes
 * to such a switch over the cheapest way, where a hop costs more by the fourth power of the routes that its channel
 * has for its capacity; of equal ones IDEAL's own hop is taken. One destination is mended after another, so that
 * detours spread. Then entries that do not belong to whole ways are tried one by one, so that shifts are done sooner
 * (route/engines/balanced/shift_search.h), unless there are more than 2^22 endpoints · channels or that takes more
 * lanes. Lanes rise where a detour goes against the order of IDEAL's channels (route/engines/laned_tables.h), so that
 * there is no deadlock if IDEAL has none. CW_EUSAGE if IDEAL's routes depend on more than the destination then.
 * O(endpoints · switches) for what is whole. */
int cw_routes_of_places(struct cw_routes *ideal, const struct cw_network *net, unsigned n_threads,
                        struct cw_routes **out);

CW_END_DECLS

#endif
