/*
 * Flows: who sends how much to whom. Plain data that patterns append and simulators read.
 */
#ifndef CW_TRAFFIC_FLOWS_H
#define CW_TRAFFIC_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_flow {
    uint32_t src, dst; /* ranks 0 … n-1 */
    uint64_t bytes;
};

/* A growing list; starts zeroed, freed with cw_flows_free. Setting n = 0 empties it and keeps its memory. No rank sends
 * to itself: such flows are counted, and left out. */
struct cw_flows {
    struct cw_flow *items;
    size_t n, capacity;
    size_t self;         /* flows of a rank to itself that were added */
    uint64_t self_bytes; /* and their bytes */
};

/* Makes room for MORE flows. 0 or CW_ENOMEM. */
CW_API int cw_flows_reserve(struct cw_flows *flows, size_t more);
/* CW_ENOMEM; CW_EUSAGE if the bytes of ranks to themselves are more than 64 bits can count. */
CW_API int cw_flows_add(struct cw_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes);
CW_API void cw_flows_free(struct cw_flows *flows);

CW_END_DECLS

#endif
