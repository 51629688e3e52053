/*
 * One round: messages routed together, and the congestion they see.
 *
 * The congestion of a channel is the number of messages on it; that of a message is the greatest along its path (papers
 * 1 and 2, section 3). Where packets of a message take several ways (CW_ROUTES_WAYS), each channel has their expected
 * share, and the message has the congestion of the worst channel that any of its packets may take: it is there when the
 * last of them is. Those ways are not kept but found again whenever they are needed. Where the routing leaves to the
 * traffic which share of the packets goes minimally, that is the best one for the round's messages
 * (route/packets/minimal_share.h). Where packets choose among shortest ways by queues, the ways are those that least
 * burden the busiest channel (route/packets/least_busy.h).
 */
#ifndef CW_SIM_ROUND_H
#define CW_SIM_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/packets/least_busy.h"
#include "route/packets/ways.h"
#include "route/routes.h"
#include "sim/load.h"

CW_BEGIN_DECLS

/* The messages of a round and their paths, one behind another: that of message i has hops[i] channels. */
struct cw_round {
    const struct cw_routes *routes;
    uint32_t *src, *dst; /* [n] endpoints */
    uint32_t *hops;      /* [n] */
    size_t n, capacity;
    uint32_t *channels; /* [n_channels] */
    size_t n_channels, channels_capacity;
    const double
        *bytes; /* [n] of the messages, borrowed, where their sizes count for the best share; NULL: all alike */
    /* Of one message at a time, where packets take several; then n_channels is 0. `minimal` is the round's share. */
    struct cw_ways ways;
    struct cw_least_busy *least; /* where the ways are by round, else NULL */
    double *minimal, *valiant;   /* [channels] times if all go minimally or none; where the share is by traffic */
};

/* Makes an empty round over ROUTES (borrowed). Free with cw_round_free, which accepts a zeroed one. */
CW_API int cw_round_init(struct cw_round *round, const struct cw_routes *routes);
CW_API void cw_round_free(struct cw_round *round);

/* Empties the round and makes room for N messages: the caller writes src[0 … n-1] and dst. */
CW_API int cw_round_begin(struct cw_round *round, size_t n);

/* Routes the messages and adds them to the load's own. CW_EROUTE names a missing route. */
CW_API int cw_round_route(struct cw_round *round, struct cw_load *load);

/* The congestion of every message, into CONGESTION[0 … n-1]. */
CW_API int cw_round_congestion(struct cw_round *round, const struct cw_load *load, struct cw_congestion *congestion);

/* True if packets of a message take several ways; then round->ways has those of message I after cw_round_find_ways. */
CW_API bool cw_round_has_ways(const struct cw_round *round);
CW_API int cw_round_find_ways(struct cw_round *round, size_t i);

/* The channels that packets of one message take, and which share of it each carries (NULL: all of it). Those of several
 * ways are the round's until the next are asked for. */
struct cw_round_way {
    const uint32_t *channels;
    const double *shares;
    size_t n;
};

/* Of message I, of a round that was routed. Messages are asked in order: *NEXT is round->channels before the first. */
static inline int cw_round_next_way(struct cw_round *round, size_t i, const uint32_t **next, struct cw_round_way *out)
{
    if (!cw_round_has_ways(round)) {
        out->channels = *next;
        out->shares = NULL;
        out->n = round->hops[i];
        *next += out->n;
        return 0;
    }
    const int rc = cw_round_find_ways(round, i);
    if (rc) return rc;
    out->channels = round->ways.channels;
    out->shares = round->ways.shares;
    out->n = round->ways.n;
    return 0;
}

/* Takes the round's messages off the load again: of own messages, only this round's may be there. */
CW_API void cw_round_remove(const struct cw_round *round, struct cw_load *load);

/* Routes N messages and adds them to the load's background. The round itself must be empty or over: its memory is used.
 * Not where a share is by traffic, or the ways are by round: which traffic would that be? */
CW_API int cw_round_add_background(struct cw_round *round, size_t n, const uint32_t *src, const uint32_t *dst,
                                   struct cw_load *load);

CW_END_DECLS

#endif
