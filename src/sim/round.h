/*
 * One round: messages routed together, and the congestion they see.
 *
 * The congestion of a channel is the number of messages on it; that of a message is the greatest along its path (papers
 * 1 and 2, section 3).
 */
#ifndef CW_SIM_ROUND_H
#define CW_SIM_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
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
};

/* Makes an empty round over ROUTES (borrowed). Free with cw_round_free, which accepts a zeroed one. */
int cw_round_init(struct cw_round *round, const struct cw_routes *routes);
void cw_round_free(struct cw_round *round);

/* Empties the round and makes room for N messages: the caller writes src[0 … n-1] and dst. */
int cw_round_begin(struct cw_round *round, size_t n);

/* Routes the messages and adds them to the load's own. CW_EROUTE names a missing route. */
int cw_round_route(struct cw_round *round, struct cw_load *load);

/* The congestion of every message, into CONGESTION[0 … n-1]. */
void cw_round_congestion(const struct cw_round *round, const struct cw_load *load, struct cw_congestion *congestion);

/* Takes the round's messages off the load again: of own messages, only this round's may be there. */
void cw_round_remove(const struct cw_round *round, struct cw_load *load);

/* Routes N messages and adds them to the load's background. The round itself must be empty or over: its memory is used.
 */
int cw_round_add_background(struct cw_round *round, size_t n, const uint32_t *src, const uint32_t *dst,
                            struct cw_load *load);

CW_END_DECLS

#endif
