/*
 * Trees: broadcasts, reductions, allreduces, scatters and gathers edge by edge, as traffic/split_plan.h says. A rank's
 * strand is the edge between its parent and it: chunk by chunk, of all blocks that go along it; of an allreduce, the
 * edge towards the root and then the one away from it. The root's own block of a scatter or gather is its strand.
 */
#ifndef CW_NBC_TREE_H
#define CW_NBC_TREE_H

#include "nbc/nbc_pieces_internal.h"
#include "traffic/split_plan.h"

struct trees;

/* What a process keeps of trees. */
struct trees *cw_nbc_trees_new(void);
void cw_nbc_trees_free(struct trees *trees);

static inline bool is_tree(const struct cw_nbc_work *work)
{
    return work->schedule == CW_NBC_SPLIT_TREE && cw_collectives[work->collective].tree;
}

/* Of the strand of RANK. */
uint32_t cw_nbc_strand_chunks(const struct operation *operation, uint32_t rank);

/* The next chunk of an edge that EXECUTOR, for a rank that waits: ME, is to execute, and whose data are there. */
bool cw_nbc_take_edge(const struct cw_nbc_executor *executor, const struct operation *operation, uint32_t me,
                      struct piece *piece);

/* After an edge: wakes ranks that wait and have edges to execute that may begin. Under the slot's lock. */
void cw_nbc_rouse(const struct operation *operation);

/* Moves or combines it. */
int cw_nbc_execute_edge(const struct cw_nbc_executor *executor, const struct operation *operation,
                        const struct piece *piece, uint32_t *error_rank);

#endif
