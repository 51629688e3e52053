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

/* What a worker does over and over besides, a few times a second at least: something, or it waits for something that
 * nobody tells it of, or there is nothing. */
enum cw_nbc_beside { CW_NBC_NOTHING, CW_NBC_WAITING, CW_NBC_SOMETHING };
typedef enum cw_nbc_beside cw_nbc_aside(void *state);

/* From now on. Until the worker ends. */
void cw_nbc_worker_also(struct cw_nbc_worker *worker, cw_nbc_aside *aside, void *state);

/* Ends it, when what it has begun is finished. NULL is nobody's. */
void cw_nbc_worker_stop(struct cw_nbc_worker *worker);

CW_END_DECLS

#endif
