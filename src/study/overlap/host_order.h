/*
 * An order of endpoints in which neighbours are near each other in the network, so that a message that is passed on
 * from each to the next crosses no channel more often than needed. Any selection of the endpoints, in the same order
 * and from any of them on, keeps that: on a tree, the round that visits switch by switch takes each channel once at
 * most.
 *
 * Two orders are compared: that of the endpoints' numbers, and the nearest neighbour's, which goes from leaf switch to
 * leaf switch, each time to the one that is nearest by the routes (sum of 1/capacity of the channels on them; of
 * several the one with the lowest endpoint). The better one has less on its worst channel (messages/capacity) when all
 * pass on at once, each to the next as in a broadcast, or each to the one before as in a reduction, whichever is worse;
 * then the smaller sum of both. That is a heuristic: where the network is no tree, there may be a better one.
 */
#ifndef CW_STUDY_OVERLAP_HOST_ORDER_H
#define CW_STUDY_OVERLAP_HOST_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* What N messages at once mean for the network. */
struct cw_host_load {
    double crossings; /* greatest number of messages on a channel */
    double gap;       /* greatest messages / capacity of a channel [s/byte] */
    double length;    /* sum of 1/capacity over all messages and channels [s/byte] */
    double latency;   /* greatest sum of latencies on the way of a message [s] */
};

/* Messages SRC[i] → DST[i] between endpoints. CW_EROUTE. O(channels + n). */
int cw_host_load_of(const struct cw_routes *routes, uint32_t n, const uint32_t *src, const uint32_t *dst,
                    struct cw_host_load *out);

/* A round of all ENDPOINTS[n] in a given order: each sends to the next, and the last to the first. */
int cw_host_load_of_round(const struct cw_routes *routes, uint32_t n, const uint32_t *endpoints,
                          struct cw_host_load *out);

/* Puts the N different ENDPOINTS into the better order; *NEAREST: it is not that of their numbers. CW_EROUTE for a pair
 * without a route, CW_ENOMEM. O(leaf switches²) routes. */
int cw_host_order(const struct cw_routes *routes, uint32_t n, uint32_t *endpoints, bool *nearest);

CW_END_DECLS

#endif
