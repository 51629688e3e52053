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
 * messages.
 * loggp: o + L + bytes·G·congestion seconds, the model that the papers name as future work: latency and overhead are
 * not shared, bandwidth is. L of the channels is the sum of their latencies (of several ways the mean); G·congestion of
 * the channels is the greatest, on the way, of messages on a channel / its capacity, so that a slow cable counts as
 * what it is. While a rank's sends are serialised, each keeps the sender busy for o + bytes·G·congestion (unit: for the
 * congestion).
 */
struct cw_timing {
    bool loggp;
    double latency;  /* L, s; or CW_TIMING_OF_CHANNELS */
    double overhead; /* o, s: software and adapters at both ends */
    double gap;      /* G, s/byte; or CW_TIMING_OF_CHANNELS */
};

/* What a message's way makes of its time. In unit time a byte is a message, alone on its way. */
struct cw_pace {
    double latency;       /* s */
    double clean_gap;     /* s/byte, without background */
    double perturbed_gap; /* s/byte, with it */
};

/* For loggp: the pace of every message of ROUND, which was routed and is on LOAD, and whose congestions are known: into
 * PACE[0 … n-1]. O(channels on their ways). */
int cw_timing_pace(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                   const struct cw_congestion *congestion, struct cw_pace *pace);

/* Of the channels of a way, the one that decides: with the most messages, or the most for its capacity where TIMING's G
 * is of the channels; of several the first. CW_NONE if there are none. */
uint32_t cw_timing_bottleneck(const struct cw_timing *timing, const struct cw_network *net, const struct cw_load *load,
                              const uint32_t *channels, size_t n);

/* How long a message keeps its sender, whose sends are serialised. GAP is the clean or the perturbed one. */
static inline double cw_timing_busy(const struct cw_timing *timing, uint64_t bytes, double gap)
{
    return timing->loggp ? timing->overhead + (double)bytes * gap : gap;
}

static inline double cw_timing_arrival(const struct cw_timing *timing, uint64_t bytes, double latency, double gap)
{
    return latency + cw_timing_busy(timing, bytes, gap);
}

CW_END_DECLS

#endif
