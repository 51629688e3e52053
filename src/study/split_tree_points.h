/*
 * What the model of split trees says for every number of ranks and every number of levels on their cores, and what the
 * simulation says beside it.
 */
#ifndef CW_STUDY_SPLIT_TREE_POINTS_H
#define CW_STUDY_SPLIT_TREE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "traffic/split_plan.h"

CW_BEGIN_DECLS

struct cw_split_case {
    struct cw_split_model model;
    bool simulated; /* the next three are of the simulation */
    enum cw_split_placement placement;
    enum cw_split_executor executor;
    uint32_t chunks;
    double unit; /* > 0: what is simulated is emulated, too (nbc/nbc_emulate.h), and a transfer takes so long [s]. With
                  * N from 3/4 of the cores on and S up to 3 */
};

struct cw_split_point {
    uint32_t n, steps;
    struct cw_split_times times;
    double simulated, simulated_overlapped; /* beside times.non_blocking and .overlapped; NaN: not simulated */
    double emulated_overlapped;             /* the same; NaN: not emulated */
    bool best;                              /* of all S for this N */
};

struct cw_split_points {
    struct cw_split_case about;
    struct cw_split_point *items; /* by N = 1 … cores - 1, then by S = 0 … H(N) */
    size_t n;
    size_t least; /* which of them has the least overlapped time */
};

/* Computes all. Simulations run on N_THREADS threads; emulations sleep, and so take one after another what they
 * emulate. Free with cw_split_points_free. */
int cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out);
void cw_split_points_free(struct cw_split_points *points);

/* The time of POINT, overlapped, as the schedule was executed: emulated if it was, else simulated; NaN: neither. */
double cw_split_executed(const struct cw_split_points *points, const struct cw_split_point *point);

/* The point of N and STEPS; NULL: there is none. */
const struct cw_split_point *cw_split_point_of(const struct cw_split_points *points, uint32_t n, uint32_t steps);

CW_END_DECLS

#endif
