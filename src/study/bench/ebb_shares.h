/*
 * What messages get of a channel when all are sent at once: 1/congestion, as in sim/ebb.h, but for given messages.
 */
#ifndef CW_STUDY_BENCH_EBB_SHARES_H
#define CW_STUDY_BENCH_EBB_SHARES_H

#include "base/decls.h"
#include "route/routes.h"
#include "traffic/flows.h"

CW_BEGIN_DECLS

/* SHARES[i] of each of FLOWS between ranks, of which rank r is on ENDPOINTS[r]; 1 for a message that takes no channel.
 * 0, CW_ENOMEM or CW_EROUTE. O(hops + channels). */
int cw_ebb_shares(const struct cw_routes *routes, const struct cw_flows *flows, const uint32_t *endpoints,
                  double *shares);

CW_END_DECLS

#endif
