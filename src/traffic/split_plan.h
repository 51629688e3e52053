/*
 * Split trees: who executes each edge of a collective's tree, when some cores compute and others communicate. Denis et
 * al., "Dynamic placement of progress thread for overlapping MPI non-blocking collectives on manycore processor"
 * (2018), sections 3 and 5. Plain data; it feeds the simulation (sim/split_tree_sim.h) and the library that runs
 * collectives.
 *
 * A schedule that is a tree (traffic/schedule.h) has levels, its rounds. The last S levels, those at the leaves, are
 * executed by application cores: a rank's own core, before it computes where data go to the root, and when it waits
 * where they go away from the root. All others are executed by P communication cores while ranks compute. An allreduce
 * is both, one after the other.
 *
 * An edge is executed on behalf of its child or of its parent. That rank's core, 0 … P - 1, does it:
 *     block         ⌊rank · P / N⌋
 *     round robin   rank mod P: children of one level stand a power of the radix apart, so that they collide on few
 * cores The paper's model is an upper bound for block placement and children that execute, and for nothing else.
 *
 * Edges may begin when those they depend on are done: all into the sender of earlier rounds (what it passes on), and in
 * a reduction the edge before into the same receiver, so that contributions are always combined in the same order. Data
 * may be cut into chunks: chunk c of an edge depends on chunk c of these. Ranks are relative: 0 is the root.
 */
#ifndef CW_TRAFFIC_SPLIT_PLAN_H
#define CW_TRAFFIC_SPLIT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

enum cw_split_placement { CW_SPLIT_BLOCK, CW_SPLIT_ROUND_ROBIN };
enum cw_split_executor { CW_SPLIT_CHILD, CW_SPLIT_PARENT };

CW_API extern const char *const cw_split_placement_names[]; /* "block", "round-robin"; ended by NULL, as the next */
CW_API extern const char *const cw_split_executor_names[];  /* "child", "parent" */

struct cw_split_setup {
    const struct cw_schedule *schedule; /* borrowed */
    uint32_t n;                         /* ranks, one on each application core; at least 1 */
    uint32_t communication;             /* P, communication cores; at least 1 */
    uint32_t steps;                     /* S; more than there are levels: all of them */
    enum cw_split_placement placement;
    enum cw_split_executor executor;
};

struct cw_split_edge {
    struct cw_message message;
    uint32_t round;            /* of the schedule */
    uint32_t rank;             /* on whose behalf: the child or the parent */
    uint32_t core;             /* communication core; CW_SPLIT_OWN: the application core of `rank` */
    bool up;                   /* towards the root */
    size_t depends, n_depends; /* depends[depends … depends + n_depends - 1] of the plan */
};

#define CW_SPLIT_OWN UINT32_MAX

struct cw_split_plan {
    uint32_t n, communication;
    uint32_t levels;             /* of the tree: rounds, of an allreduce half of them */
    uint32_t blocks;             /* of the schedule: what the messages' blocks are parts of */
    struct cw_split_edge *edges; /* in the order of rounds: each depends on edges before it */
    size_t n_edges;
    uint32_t *depends; /* indices of edges */
};

CW_API int cw_split_plan_new_sized(const struct cw_split_setup *setup, size_t size, struct cw_split_plan **out);

/* CW_EUSAGE for a schedule that is no tree: in a broadcast or a scatter every rank but the root receives once, in a
 * reduction or a gather it sends once, in an allreduce both. O(edges). Free with cw_split_plan_free, which accepts
 * NULL. */
static inline int cw_split_plan_new(const struct cw_split_setup *setup, struct cw_split_plan **out)
{
    return cw_split_plan_new_sized(setup, sizeof *setup, out);
}
CW_API void cw_split_plan_free(struct cw_split_plan *plan);

/* The communication core of RANK among N ranks and P cores. */
CW_API uint32_t cw_split_core(enum cw_split_placement placement, uint32_t rank, uint32_t n, uint32_t communication);

CW_END_DECLS

#endif
