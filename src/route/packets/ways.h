/*
 * The ways that the packets of a pair take where they take several: how much of them goes over each channel, as
 * expected. For routings that draw and do not look at queues.
 */
#ifndef CW_ROUTE_WAYS_H
#define CW_ROUTE_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/packets/packet_routing.h"

CW_BEGIN_DECLS

/* A workspace, used for one pair after the other. Each channel is there once, that of the source first. Shares are
 * exact: draws that take the channel / all draws, rounded once, but where a share goes minimally. */
struct cw_ways {
    size_t n;
    uint32_t *channels; /* [n] */
    double *shares;     /* [n] of the pair's packets, (0, 1] */
    size_t channels_capacity, shares_capacity;
    double minimal;  /* in: the share that goes minimally, where the routing leaves it to the traffic */
    uint32_t *draws; /* [channels of the network] that take it; 0 between pairs */
};

/* Free with cw_ways_free, which accepts a zeroed one. */
CW_API int cw_ways_init(struct cw_ways *ways, const struct cw_network *net);
CW_API void cw_ways_free(struct cw_ways *ways);

/* Fills WAYS with those of ROUTING from endpoint SRC to DST, the channels of both included; none if they are the same.
 * CW_EUSAGE if the routing looks at queues, CW_EROUTE if some draw does not arrive. Time: draws · hops. */
CW_API int cw_ways_find(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways);

/* The same of the endpoints' own channels only, which all packets take, whatever the routing looks at. */
CW_API int cw_ways_find_ends(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways);

/* From how many equally likely choices packets from switch SW to DST draw; 0: they look at queues. */
CW_API uint32_t cw_ways_choices(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst);

CW_END_DECLS

#endif
