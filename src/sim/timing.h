/*
 * What a message of a collective costs.
 */
#ifndef CW_SIM_TIMING_H
#define CW_SIM_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/*
 * unit: a message takes as long as its congestion says (papers 1 and 2, section 3).
 * loggp: L + o + bytes·G·congestion seconds, the model that the papers name as future work: latency and overhead are
 * not shared, bandwidth is. While a rank's sends are serialised, each keeps the sender busy for o + bytes·G·congestion
 * (unit: for the congestion).
 */
struct cw_timing {
    bool loggp;
    double latency;  /* L, s */
    double overhead; /* o, s */
    double gap;      /* G, s/byte */
};

static inline double cw_timing_busy(const struct cw_timing *timing, uint64_t bytes, uint32_t congestion)
{
    return timing->loggp ? timing->overhead + (double)bytes * timing->gap * congestion : congestion;
}

static inline double cw_timing_arrival(const struct cw_timing *timing, uint64_t bytes, uint32_t congestion)
{
    return (timing->loggp ? timing->latency : 0) + cw_timing_busy(timing, bytes, congestion);
}

CW_END_DECLS

#endif
