/*
 * What a run of a collective saw, message by message and channel by channel: for replays of single cases.
 */
#ifndef CW_SIM_TRACE_H
#define CW_SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/round.h"
#include "sim/timing.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

#define CW_TRACE_MESSAGES 100000 /* of more than that only the levels are kept */

/* What one level of the schedule saw, over its messages. */
struct cw_level {
    uint64_t messages;
    uint64_t clean_sum, perturbed_sum; /* of congestions */
    uint32_t clean_max, perturbed_max;
};

struct cw_traced_message {
    uint32_t level;    /* from 0 */
    uint32_t src, dst; /* ranks */
    struct cw_congestion congestion;
    uint32_t bottleneck; /* channel that decides its time with background; CW_NONE: none */
};

/* A channel that carries messages of the collective in a level, at the same time or in one step after another. */
struct cw_traced_channel {
    uint32_t level, channel;
    uint32_t own, background; /* messages on it */
};

/* Starts zeroed; in the order of levels, messages as the schedule has them, channels ascending. */
struct cw_trace {
    struct cw_level *levels;
    size_t n_levels, levels_capacity;
    bool complete; /* false: messages and channels were too many, and there are none */
    struct cw_traced_message *messages;
    size_t n_messages, messages_capacity;
    struct cw_traced_channel *channels;
    size_t n_channels, channels_capacity;
};

/* Empties it, and keeps its memory. */
CW_API void cw_trace_begin(struct cw_trace *trace);
CW_API void cw_trace_free(struct cw_trace *trace);

/* Begins the next level. */
CW_API int cw_trace_level(struct cw_trace *trace);

/* Adds to the level at hand: MESSAGES, which are those of ROUND (routed, on LOAD), all that are under way at the same
 * time; their congestions; and the DECISIVE channel of each (NULL: cw_timing_bottleneck says it). */
CW_API int cw_trace_add(struct cw_trace *trace, const struct cw_timing *timing, const struct cw_message *messages,
                        const struct cw_round *round, const struct cw_load *load,
                        const struct cw_congestion *congestion, const uint32_t *decisive);

/* Puts the level's channels in order, one row for each. */
CW_API void cw_trace_end_level(struct cw_trace *trace);

CW_END_DECLS

#endif
