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

/* One half of many pairs' ways: AMOUNT of the packets between switch SW and everywhere, by the routing of STATE. */
struct cw_ways_leg {
    const void *state; /* NULL: nothing is kept */
    uint32_t sw;
    double amount;
    size_t n;
    uint32_t *channels; /* [n]; there is room for all of the network */
    double *amounts;    /* [n] */
};

/* A workspace, used for one pair after the other. Each channel is there once, that of the source first. Shares are
 * exact but for rounding: those of a routing that says them (cw_packet_routing_ops.shares), else draws that take the
 * channel / all draws. */
struct cw_ways {
    size_t n;
    uint32_t *channels; /* [n]; there is room for all of the network */
    double *shares;     /* [n] of the pair's packets, (0, 1] */
    double minimal;     /* in: the share that goes minimally, where the routing leaves it to the traffic */
    double *amounts;    /* [channels of the network] shares while they are added up; 0 between pairs */
    double *held;       /* [switches] what each has to send on, while a pair's ways are found; 0 between pairs */
    uint32_t *queue;    /* [switches] */
    struct cw_ways_leg legs[2]; /* found last: the routing's own affair, for pairs that have a switch in common */
};

/* Free with cw_ways_free, which accepts a zeroed one. */
CW_API int cw_ways_init(struct cw_ways *ways, const struct cw_network *net);
CW_API void cw_ways_free(struct cw_ways *ways);

/* Fills WAYS with those of ROUTING from endpoint SRC to DST, the channels of both included; none if they are the same.
 * CW_EUSAGE if the routing looks at queues, CW_EROUTE if some draw does not arrive. Time: draws · hops, or what the
 * routing's `shares` or `draws` takes. */
CW_API int cw_ways_find(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways);

/* Fills WAYS with the routes to all LIDs of DST, over which the packets of SRC are spread evenly. CW_EROUTE if one of
 * them does not arrive. */
CW_API int cw_ways_find_lids(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct cw_ways *ways);

/* The same of the endpoints' own channels only, which all packets take, whatever the routing looks at. */
CW_API int cw_ways_find_ends(const struct cw_packet_routing *routing, uint32_t src, uint32_t dst, struct cw_ways *ways);

/* For routings that say their shares: AMOUNT > 0 more of the pair's packets on CHANNEL. */
static inline void cw_ways_add(struct cw_ways *ways, uint32_t channel, double amount)
{
    if (ways->amounts[channel] == 0) ways->channels[ways->n++] = channel;
    ways->amounts[channel] += amount;
}

/* What was added becomes shares. */
static inline void cw_ways_settle(struct cw_ways *ways)
{
    for (size_t i = 0; i < ways->n; i++) {
        ways->shares[i] = ways->amounts[ways->channels[i]];
        ways->amounts[ways->channels[i]] = 0;
    }
}

/* From how many equally likely choices packets from switch SW to DST draw; 0: they look at queues. */
CW_API uint32_t cw_ways_choices(const struct cw_packet_routing *routing, uint32_t sw, uint32_t dst);

CW_END_DECLS

#endif
