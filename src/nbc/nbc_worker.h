/*
 * Workers: one thread for each communication core, which carries out the operations of all ranks of the host.
 */
#ifndef CW_NBC_WORKER_H
#define CW_NBC_WORKER_H

#include "nbc/nbc_node.h"

CW_BEGIN_DECLS

struct cw_nbc_worker;

/* Starts worker CORE, of 0 … n_workers - 1, of NODE in this process, on processor CPU (-1: wherever the system likes).
 * It polls while there are operations, SPIN seconds more, and then sleeps. CW_EIO. */
int cw_nbc_worker_start(struct cw_nbc_node *node, uint32_t core, int cpu, double spin, struct cw_nbc_worker **out);

/* Ends it, when what it has begun is finished. NULL is nobody's. */
void cw_nbc_worker_stop(struct cw_nbc_worker *worker);

CW_END_DECLS

#endif
