/*
 * Which switches are the roots of a network that does not say so: the ends of all ways up. Not installed.
 */
#ifndef CW_ROUTE_ROOTS_H
#define CW_ROUTE_ROOTS_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* The roots that OpenSM finds: switches to which more than 9 of 10 endpoints are equally far, and no other distance has
 * more than 1 of 20; of the endpoints in the same part of NET, if it has several. *OUT [switches] is the caller's; *N
 * may be 0. O(leaf switches · channels). */
int cw_roots_of_opensm(const struct cw_network *net, uint32_t **out, uint32_t *n);

/* Adds to the *N ROOTS [switches] those of each part of NET that has hosts and none of them: the switches from which
 * the nearest 19 of 20 hosts are within the fewest hops, in a tree its top. Where none of these reaches all hosts by
 * ways down only, so that there is no top, it is the one switch from which the sum of the distances to all hosts is
 * least, the first of equals in OpenSM's order. Aggregation nodes and routers are no hosts, unless there is nothing
 * else. The same cost, and O(channels) for each of the first. */
int cw_roots_add_tops(const struct cw_network *net, uint32_t *roots, uint32_t *n);

CW_END_DECLS

#endif
