/* What each rank does to carry a plan out, as a file and in words. */
#ifndef CW_CLI_PLAN_MOVES_H
#define CW_CLI_PLAN_MOVES_H

#include "base/result.h"
#include "study/move/plan_case.h"

/* Writes the moves of RUN to FILE and notes in RESULT what EXPLAIN, "all" or names of endpoints separated by
 * commas, do. Either may be NULL. */
int plan_moves(struct cw_result *result, struct cw_plan_case *made, const struct cw_plan_run *run, const char *file,
               const char *explain);

#endif
