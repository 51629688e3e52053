/*
 * The least time of the busiest channel that any choice among shortest ways allows, for the messages of a round
 * together: what routing by queues (InfiniBand's adaptive routing, Spectrum-X, Slingshot's minimal ways) cannot beat.
 * Or any choice among all ways through switches, however long: what no routing at all can beat (cw_routes_by_any_ways).
 *
 * It is a linear programme: messages are divided over their ways so that the greatest bytes / capacity is least.
 * Messages between the same two switches are one flow. If packets that are sprayed reach a bound, theirs are the
 * ways. Else the sum of the channels' times to a power is lowered, flow by flow: from each of
 * its ways as much goes to the shortest one as lowers the sum most, where a channel's length is its share in what the
 * sum grows by. The power rises until the busiest channel decides. Lengths prove a bound by duality: no ways have a
 * busiest time below Σ (bytes · shortest length) / Σ (capacity · length). The search ends when ways and bound differ by
 * 1 %, or, of any ways, by 2 %.
 */
#ifndef CW_ROUTE_LEAST_BUSY_H
#define CW_ROUTE_LEAST_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/packets/ways.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* A workspace, used for one round after the other. */
struct cw_least_busy;

/* For ROUTES of which cw_routes_by_round is true; borrows them. */
CW_API int cw_least_busy_new(const struct cw_routes *routes, struct cw_least_busy **out);
CW_API void cw_least_busy_free(struct cw_least_busy *least);

/* Finds the ways of N messages src[i] → dst[i] of BYTES[i] each (NULL: 1 each). *BOUND, unless NULL: no such ways
 * have a lower time of the busiest channel, bytes / capacity. CW_ELIMIT if that and the time of the ways do not come
 * so near. Time: some dozen to some hundred times that of spraying all messages; of any ways, much more: 0.3 s for
 * 512 messages on hyperx:8x8,8, 10 s for 1,056 on dragonfly:4,8,4. */
CW_API int cw_least_busy_find(struct cw_least_busy *least, size_t n, const uint32_t *src, const uint32_t *dst,
                              const double *bytes, double *bound);

/* Fills WAYS with those of message I, as cw_ways_find has them. */
CW_API void cw_least_busy_ways(const struct cw_least_busy *least, size_t i, struct cw_ways *ways);

CW_END_DECLS

#endif
