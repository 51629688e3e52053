/*
 * Split trees: broadcasts and reductions edge by edge, as traffic/split_plan.h says.
 */
#ifndef CW_NBC_TREE_H
#define CW_NBC_TREE_H

#include "nbc/nbc_pieces_internal.h"
#include "traffic/split_plan.h"

struct plans;

/* What a process keeps of plans. */
struct plans *cw_nbc_plans_new(void);
void cw_nbc_plans_free(struct plans *plans);

static inline bool is_tree(const struct cw_nbc_work *work)
{
    return work->schedule == CW_NBC_SPLIT_TREE &&
           (work->collective == CW_NBC_BCAST || work->collective == CW_NBC_REDUCE);
}

/* The next chunk of an edge that EXECUTOR, for a rank that waits: ME, is to execute, and whose data are there. */
bool cw_nbc_take_edge(const struct cw_nbc_executor *executor, const struct operation *operation, uint32_t me,
                      struct piece *piece);

/* After an edge: wakes ranks that wait and have edges to execute that may begin. Under the slot's lock. */
void cw_nbc_rouse(const struct operation *operation);

/* Moves or combines it. */
int cw_nbc_execute_edge(const struct cw_nbc_executor *executor, const struct operation *operation,
                        const struct piece *piece, uint32_t *error_rank);

#endif
