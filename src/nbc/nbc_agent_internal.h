/*
 * Errands: how executors ask agents.
 */
#ifndef CW_NBC_AGENT_INTERNAL_H
#define CW_NBC_AGENT_INTERNAL_H

#include "nbc/nbc_segment_internal.h"

/* Has KIND done between HERE, in an executor's buffers, and THERE, in the process of RANK of the host; TYPE and OP are
 * those of ERRAND_COMBINE. 0, EFAULT if nothing is there, or ESRCH if that process has ended. */
int cw_nbc_ask(const struct cw_nbc_node *node, uint32_t rank, enum errand_kind kind, enum cw_nbc_type type,
               enum cw_nbc_op op, const void *here, uint64_t there, size_t bytes);

/* Copies what the process of RANK, which is this one, is asked for. False: nothing. */
bool cw_nbc_run_errands(const struct cw_nbc_node *node, uint32_t rank);

#endif
