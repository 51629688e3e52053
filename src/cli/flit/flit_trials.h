/* Trials of jobs that end: what became of each, and their means. */
#ifndef CW_CLI_FLIT_TRIALS_H
#define CW_CLI_FLIT_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "cli/flit/flit_mode.h"
#include "cli/flit/flit_study.h"

struct flit_trials {
    const struct flit_mode *mode;
    size_t wanted;
    /* Of the last routing: */
    size_t n_jobs;
    struct flit_outcome *outcomes; /* [kept][n_jobs] of the trials that succeeded */
    size_t kept;
    double *figures; /* [wanted], work space */
};

/* Room for WANTED trials of at most MOST_JOBS jobs. Free with flit_trials_free in any case. */
int flit_trials_new(const struct flit_mode *mode, size_t wanted, size_t most_jobs, struct flit_trials *trials);
void flit_trials_free(struct flit_trials *trials);

/* Runs all trials of JOBS with ROUTING. Those in which a job starves or the routing fails are left out; a note says how
 * many and why, and the invocation has failed then. An error if none is left, or for any other reason. *WARMUP: as in
 * struct flit_study. */
int flit_trials_run(struct flit_trials *trials, const struct flit_jobs *jobs, const struct flit_routing *routing,
                    uint64_t *warmup);

/* Adds two cells to TABLE: the mean of the figure at OFFSET of job JOB's outcomes, times SCALE, and the half width of
 * its 95 % confidence interval; missing ones where it does not apply, which the first trial shows. */
int flit_trials_add_figure(const struct flit_trials *trials, struct cw_table *table, size_t job, size_t offset,
                           double scale);

#endif
