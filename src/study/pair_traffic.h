/*
 * Who sends to whom, pair by pair: the messages that a simulation of congestion routes, without their rounds.
 */
#ifndef CW_STUDY_PAIR_TRAFFIC_H
#define CW_STUDY_PAIR_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/congestion.h"

CW_BEGIN_DECLS

/* Endpoints, by receiver and then by sender; no pair twice. Owned by the caller: cw_pair_traffic_free. */
struct cw_pair_traffic {
    uint32_t *src, *dst; /* [n] */
    double *amount;      /* [n] messages of the pair in all rounds, or bytes; mean over trials */
    size_t n;
    bool too_many; /* there are more than was asked for, and none of them is here */
};

/* What cw_congestion_run routes as SETUP says, in the same draws: messages, or BY_BYTES their bytes. At most MOST
 * pairs. Time and memory: those of the flows, of which few more than 2 · MOST are kept at a time. */
int cw_pair_traffic_of(const struct cw_congestion_setup *setup, bool by_bytes, size_t most,
                       struct cw_pair_traffic *out);

/* One message from each of N ENDPOINTS, ascending, to each other. */
int cw_pair_traffic_of_all(const uint32_t *endpoints, uint32_t n, size_t most, struct cw_pair_traffic *out);

void cw_pair_traffic_free(struct cw_pair_traffic *traffic); /* accepts a zeroed one */

CW_END_DECLS

#endif
