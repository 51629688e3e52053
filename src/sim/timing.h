/*
 * What a message of a collective costs.
 */
#ifndef CW_SIM_TIMING_H
#define CW_SIM_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/load.h"
#include "sim/round.h"

CW_BEGIN_DECLS

/* For L or G: what the channels on a message's way say. */
#define CW_TIMING_OF_CHANNELS (-1.0)

/*
 * unit: a message takes as long as its congestion says (papers 1 and 2, section 3): what bandwidth alone does to large
 * messages. With `slowness` a message counts for more on a slow channel, and the unit is what one takes alone on the
 * fastest cable of an endpoint. loggp: o + L + bytes·G·congestion seconds, the model that the papers name as future
 * work: latency and overhead are not shared, bandwidth is. L of the channels is the sum of their latencies (of several
 * ways the mean); G·congestion of the channels is the greatest, on the way, of messages on a channel / its capacity, so
 * that a slow cable counts as what it is.
 *
 * That is how long a message takes which finds its channels free (cw_timing_pace). Where sends are in order, messages
 * also wait for channels that are still busy with those before (cw_timing_pass).
 */
struct cw_timing {
    bool loggp;
    double latency;         /* L, s; or CW_TIMING_OF_CHANNELS */
    double overhead;        /* o, s: software and adapters at both ends */
    double gap;             /* G, s/byte; or CW_TIMING_OF_CHANNELS */
    const double *slowness; /* unit: [channels] (cw_load_slowness), borrowed; NULL: all channels are equally fast */
};

/* What a message's way makes of its time. In unit time a byte is a message, alone on its way. */
struct cw_pace {
    double latency;       /* s */
    double clean_gap;     /* s/byte, without background */
    double perturbed_gap; /* s/byte, with it */
};

/* Whether a message's time is its pace; else its congestion. */
static inline bool cw_timing_has_paces(const struct cw_timing *timing)
{
    return timing->loggp || timing->slowness;
}

/* Where it has paces: the pace of every message of ROUND, which was routed and is on LOAD, and whose congestions are
 * known: into PACE[0 … n-1]. O(channels on their ways). */
CW_API int cw_timing_pace(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                          const struct cw_congestion *congestion, struct cw_pace *pace);

/* A channel while a collective runs. */
struct cw_channel_clock {
    double until[2]; /* it is busy with what was sent so far, without and with background */
    double gap;      /* s/byte; in unit time a message has a byte, which takes 1 */
    double latency;  /* s; 0 where L is stated */
};

/* CLOCKS [channels of NET], all free. */
CW_API void cw_timing_begin(const struct cw_timing *timing, const struct cw_network *net,
                            struct cw_channel_clock *clocks);

/* A message of a step on its way, without and with background. */
struct cw_passage {
    uint64_t bytes;
    double start[2];   /* in: its sender begins to send it */
    double through[2]; /* out: its last byte has left the sender, and is past all channels but for their latency */
    double latency;    /* out [s] */
};

/*
 * Lets the messages of ROUND pass, which was routed and is on LOAD: messages of one step, that is, of different senders
 * and under way at the same time. CLOCKS [channels] are as steps before left them.
 *
 * o after its start a message is at its channels. Each serves it from then on, or once it is done with earlier steps,
 * for bytes·G·(messages of the step and of the background on it); it is through when all have. Then the channel is busy
 * as long as its messages of the step take one after another, each at the share of the capacity that the background
 * leaves to all of them. So no channel ever carries more bytes than its capacity allows, in whatever round: the end of
 * the last step on a channel is never before bytes / capacity of all of them (largest message of the step · messages ≥
 * sum of their bytes). O(channels on their ways).
 */
CW_API int cw_timing_pass(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                          struct cw_channel_clock *clocks, struct cw_passage *passages);

/* Before cw_timing_pass of the same: the channel that each message waits for longest, with background, of several the
 * first; CW_NONE if there is none. Not where packets take several ways. */
CW_API void cw_timing_decisive(const struct cw_timing *timing, const struct cw_round *round, const struct cw_load *load,
                               const struct cw_channel_clock *clocks, const struct cw_passage *passages,
                               uint32_t *channels);

/* Of the channels of a way, the one that decides: with the most messages, or the most for its capacity where TIMING's G
 * is of the channels; of several the first. CW_NONE if there are none. */
CW_API uint32_t cw_timing_bottleneck(const struct cw_timing *timing, const struct cw_network *net,
                                     const struct cw_load *load, const uint32_t *channels, size_t n);

/* How long a message takes that finds its channels free. GAP is the clean or the perturbed one. */
static inline double cw_timing_arrival(const struct cw_timing *timing, uint64_t bytes, double latency, double gap)
{
    return timing->loggp ? latency + timing->overhead + (double)bytes * gap : gap;
}

CW_END_DECLS

#endif
