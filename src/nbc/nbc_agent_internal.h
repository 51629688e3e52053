/*
 * Errands: how executors ask agents.
 */
#ifndef CW_NBC_AGENT_INTERNAL_H
#define CW_NBC_AGENT_INTERNAL_H

#include "nbc/nbc_segment_internal.h"

/* Has BYTES copied between HERE, in an executor's buffers, and THERE, in the process of RANK of the host: FETCH, from
 * there to here. 0, or ESRCH if that process has ended. */
int cw_nbc_ask(const struct cw_nbc_node *node, uint32_t rank, bool fetch, const void *here, uint64_t there,
               size_t bytes);

/* Copies what the process of RANK, which is this one, is asked for. False: nothing. */
bool cw_nbc_run_errands(const struct cw_nbc_node *node, uint32_t rank);

#endif
