/*
 * Whether what Denis et al. (2018) say of their figure 7, measured collectives beside computation, holds for runs that
 * were measured (study/overlap/overlap_runs.h).
 */
#ifndef CW_STUDY_PAPERS_OVERLAP_FINDINGS_H
#define CW_STUDY_PAPERS_OVERLAP_FINDINGS_H

#include <stdbool.h>

#include "base/decls.h"
#include "study/overlap/overlap_runs.h"
#include "study/papers/findings.h"

CW_BEGIN_DECLS

/* What is MPI's own: blocking, native, native-async. */
bool cw_overlap_is_native(const struct cw_overlap_point *point);

/* [3 each] Of the points of RUNS of the collective OPERATION: the best schedule with communication cores takes less
 * than the best of MPI's own, for every MPI and number of ranks; progress threads of MPI make it slower; the least
 * time, of the largest size, is not that of as many ranks as there are processors. What was not measured is not tested.
 */
int cw_find_overlap_measured(const struct cw_overlap_runs *runs, const char *operation, struct cw_findings *findings);

CW_END_DECLS

#endif
