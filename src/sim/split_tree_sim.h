/*
 * Split-tree collectives executed edge by edge on application and communication cores, without a model's
 * simplifications: an edge begins as soon as what it depends on is done and its core is free. Denis et al. (2018),
 * sections 3 to 5.
 *
 * A core executes one edge at a time, those that became ready first first. What the application cores of a rank do in
 * order: its edges towards the root (and those of its children, for which it waits), its computation, its edges away
 * from the root (in Wait). Time is in units of the data of one whole message of a broadcast or a reduction; of a
 * scatter or a gather, of the part of one rank. There are no latencies, and cores do not slow each other down.
 */
#ifndef CW_SIM_SPLIT_TREE_SIM_H
#define CW_SIM_SPLIT_TREE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "traffic/split_plan.h"

CW_BEGIN_DECLS

/* How long EDGE of PLAN takes. */
CW_API double cw_split_edge_time(const struct cw_split_plan *plan, const struct cw_split_edge *edge);

struct cw_split_run {
    double compute;  /* how long each rank computes, ≥ 0 */
    uint32_t chunks; /* that data are cut into, ≥ 1 */
    bool in_levels;  /* no edge of a level before all of the level before are done, as the model assumes: with block
                      * placement and children that execute, the time is the model's */
};

/* When the last rank is done, and the last edge. O(edges · chunks · log). */
CW_API int cw_split_tree_simulate(const struct cw_split_plan *plan, const struct cw_split_run *run, double *time);

CW_END_DECLS

#endif
