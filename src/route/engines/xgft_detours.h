/*
 * Routes of a recognised XGFT (net/places.h) past what is missing, and to endpoints beside the tree. Not installed.
 *
 * Each vertex decides by the destination only. Above the destination there is one way down, but for parallel cables: of
 * those that are there it takes D-mod-k's own, or the next behind it, beginning again at the first. Below, it goes up
 * by D-mod-k's cable if that is there and the destination can still be reached from where it leads; or else by the next
 * cable to that parent; or else to the parent with the next digit, beginning again at 0. Routes go up and then down, as
 * in the whole tree, and are as short.
 *
 * An endpoint beside the tree stands at a switch S. Routes to it go up until they are above S, then down to S, or stop
 * at S; the digits of the first endpoint below S, and so on with its other digits, choose among the ways up. Where no
 * such route exists — from a switch that has no ancestor in common with S, or has lost the cable it would need — routes
 * go down first until there is one, or up and then down, the next child or parent in a circle that leads there; these
 * hops are on lane 1, the others on lane 0.
 */
#ifndef CW_ROUTE_XGFT_DETOURS_H
#define CW_ROUTE_XGFT_DETOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/places.h"
#include "route/engines/xgft_tree.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* A network that has been recognised as a tree. */
struct cw_xgft_detours {
    const struct cw_network *net;
    const struct cw_places *places;
    struct cw_xgft_tree tree; /* of places->ideal */
};

struct cw_xgft_detours cw_xgft_detours_of(const struct cw_network *net);

/* The channels of the route from S to D, at most 4·h, and their lanes (NULL: nobody asks); their number, 0 if there is
 * no way (or S is D). O(h) where nothing is missing nearby. */
uint32_t cw_xgft_detour(const struct cw_xgft_detours *of, uint32_t s, uint32_t d, uint32_t *channels, uint8_t *lanes);

/* The hop from switch V towards endpoint D on that route; channel CW_NONE if there is no way. */
struct cw_hop cw_xgft_hop(const struct cw_xgft_detours *of, uint32_t v, uint32_t d);

/* The up channels by which routes from switch V to D may go, at most MAX; none where D is below V or
 * stands there, or must be gone down for. */
uint32_t cw_xgft_ways_up(const struct cw_xgft_detours *of, uint32_t v, uint32_t d, uint32_t *channels, uint32_t max);

/* True if there is a route between any two endpoints that stand in the tree or beside it at a switch. O(channels · h)
 * and, where much is missing in one place, the pairs of leaf switches concerned. */
bool cw_xgft_all_connected(const struct cw_xgft_detours *of);

CW_END_DECLS

#endif
