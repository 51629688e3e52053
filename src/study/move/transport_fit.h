/*
 * Parameters of the simulated transport (flow/transport/transport.h) from a few measured times: of chunks that one rank
 * sends another, and of chunks that a third relays on their way.
 */
#ifndef CW_STUDY_MOVE_TRANSPORT_FIT_H
#define CW_STUDY_MOVE_TRANSPORT_FIT_H

#include <stdint.h>

#include "base/decls.h"
#include "flow/transport/transport.h"

CW_BEGIN_DECLS

/* Times in s. A period is what a chunk adds where many follow one another. */
struct cw_fit_times {
    uint64_t chunk_bytes, short_bytes; /* sizes of chunks, the second much smaller */
    double capacity;                   /* byte/s of the leg between sender and receiver, of its slowest channel */
    double relayed_capacity;           /* the same of the two legs by way of the relay */
    double period, short_period;       /* of chunks of both sizes that go directly */
    double relayed_period;             /* of `chunk_bytes` that are relayed */
    double direct_one, relayed_one;    /* until one chunk of a few bytes is there, directly and relayed */
};

/* Sets chunk_bytes, efficiency, chunk_overhead, copy and hop_latency of OUT and leaves the rest alone. A chunk's period
 * is chunk_overhead + bytes / (efficiency · capacity), and at a relay bytes / copy in addition; what a relay adds to
 * the time of a few bytes is chunk_overhead + hop_latency. A copy that adds less than a fiftieth is none: measurements
 * are no better. CW_EUSAGE if chunks are faster than CAPACITY allows, or do not take time. */
int cw_transport_fit(const struct cw_fit_times *times, struct cw_transport *out);

CW_END_DECLS

#endif
