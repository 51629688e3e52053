/*
 * Workloads: a pattern as a continuous load, for simulations in which ranks send again and again: where each message of
 * a rank goes.
 *
 * A pattern may draw a destination for every message itself (uniform, hotspot, group-adversarial). Of any other, a
 * message of a rank goes to one of the receivers that the rank has in all rounds, drawn in proportion to their bytes;
 * what the pattern draws (a permutation) is drawn once.
 */
#ifndef CW_TRAFFIC_WORKLOAD_H
#define CW_TRAFFIC_WORKLOAD_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/flows.h"
#include "traffic/pattern.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_workload;

/* The load of the pattern SPEC among RANKS. CW_EUSAGE where that is undefined, or nobody sends anything whatever is
 * drawn; CW_ELIMIT if there is no memory for all flows. Immutable; any number of threads may use it. */
CW_API int cw_workload_new(const char *spec, const struct cw_ranks *ranks, uint64_t seed, struct cw_workload **out);
CW_API void cw_workload_free(struct cw_workload *workload);
CW_API const char *cw_workload_spec(const struct cw_workload *workload);
CW_API uint32_t cw_workload_ranks(const struct cw_workload *workload);

/* Where RANK's next message goes, RANDOM being 64 random bits of its own; RANK itself: it sends nothing. */
CW_API uint32_t cw_workload_destination(const struct cw_workload *workload, uint32_t rank, uint64_t random);

/* Appends the flows of RANK with their shares, or those of all ranks, rank by rank: bytes in proportion to how much of
 * its traffic each is, at most 2^32 in all (2^32 is all its traffic, but each share is rounded down). Uniform: one to
 * every other rank. */
CW_API int cw_workload_flows_of(const struct cw_workload *workload, uint32_t rank, struct cw_flows *flows);
CW_API int cw_workload_flows(const struct cw_workload *workload, struct cw_flows *flows);

CW_END_DECLS

#endif
