/*
 * Plans in whole chunks: what is carried out of a plan whose shares are any fractions.
 */
#ifndef CW_FLOW_CHUNKING_H
#define CW_FLOW_CHUNKING_H

#include <stdint.h>

#include "base/decls.h"
#include "flow/plan.h"

CW_BEGIN_DECLS

/* PLAN (evaluated) with the bytes of every demand in chunks of CHUNK_BYTES (> 0) on its paths. The last chunk of a
 * demand, if it is not whole, goes behind others on one path, so that no path has less than a chunk unless its demand
 * has; paths without any are dropped. Each path gets the whole chunks of its share; those that are left go, one by one,
 * where the hottest channel on the way stays coolest. Shares, bytes and z of OUT are those of the chunks, and its
 * chunk_bytes is CHUNK_BYTES. Time: for each demand paths² · hops. */
int cw_plan_in_chunks(const struct cw_flow_problem *problem, const struct cw_plan *plan, uint64_t chunk_bytes,
                      struct cw_plan *out);

CW_END_DECLS

#endif
