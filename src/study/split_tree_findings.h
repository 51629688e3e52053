/*
 * Whether what Denis et al. (2018) say of their figures holds for the model of split trees, and for its simulation.
 */
#ifndef CW_STUDY_SPLIT_TREE_FINDINGS_H
#define CW_STUDY_SPLIT_TREE_FINDINGS_H

#include "base/decls.h"
#include "study/findings.h"
#include "study/split_tree_points.h"

CW_BEGIN_DECLS

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
