/* Trials of jobs that end, as `crosswind flit` runs them and shows what they come to. */
#ifndef CW_CLI_FLIT_OUTCOMES_H
#define CW_CLI_FLIT_OUTCOMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "cli/flit/flit_mode.h"
#include "study/flit/flit_jobs_case.h"

/* Runs N trials of JOBS with ROUTING. If some fail, a note says how many and why, and the invocation has failed.
 * *WARMUP: as in struct cw_flit_jobs_case, also after an error. Free with cw_flit_trials_free. */
int flit_outcomes_run(const struct flit_mode *mode, const struct cw_flit_jobs *jobs, const struct flit_routing *routing,
                      size_t n, struct cw_flit_trials *out, uint64_t *warmup);

/* Adds two cells to TABLE: the mean of QUANTITY over the trials of job JOB, and the half width of its 95 % confidence
 * interval. */
int flit_outcomes_add(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                      struct cw_table *table);

#endif
