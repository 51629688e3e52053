/*
 * What the model of split trees says for every number of ranks and every number of levels on their cores, and what the
 * simulation says beside it.
 */
#ifndef CW_STUDY_PAPERS_SPLIT_TREE_PAPER_H
#define CW_STUDY_PAPERS_SPLIT_TREE_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "study/papers/findings.h"
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

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/*
 * Whether what Denis et al. (2018) say of their figures holds for the model of split trees, and for its simulation.
 */

/* Each adds findings of FIGURE, "2" … "7", to the list: as many as stand in brackets. */

/* [1] With one communication core S = 0 is huge, and each further S takes less, as far as it is best anywhere. */
int cw_find_split_cost(const struct cw_split_points *points, const char *figure, struct cw_findings *findings);

/* [1] With half of the cores, each further S takes longer. */
int cw_find_split_overlap_lost(const struct cw_split_points *points, const char *figure, struct cw_findings *findings);

/* [1] CLAIM: the least time of all is at N = RANKS and S = STEPS; in part if one core beside it. */
int cw_find_split_least(const struct cw_split_points *points, const char *figure, const char *claim, uint32_t ranks,
                        uint32_t steps, struct cw_findings *findings);

/* [1] The best S grows from 0 by one at a time as N does: from AT[0] on it is 1, from AT[1] on 2, … (N_AT of them; 0:
 * wherever). */
int cw_find_split_switches(const struct cw_split_points *points, const char *figure, const uint32_t *at, size_t n_at,
                           struct cw_findings *findings);

/* [1] With one communication core S = 3 is faster than a blocking collective. */
int cw_find_split_worst_case(const struct cw_split_points *points, const char *figure, struct cw_findings *findings);

/* [2] Of points that were simulated or emulated: the model is close; the best S is the same. */
int cw_find_split_simulated(const struct cw_split_points *points, const char *figure, struct cw_findings *findings);

/* The largest relative difference of emulation and simulation, whose points were emulated. */
double cw_split_emulation_apart(const struct cw_split_points *points);

CW_END_DECLS

#endif
