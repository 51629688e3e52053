/* `crosswind flit --finite` and `--jobs` with jobs that end: how long they take. */
#ifndef CW_CLI_FLIT_COMPLETION_H
#define CW_CLI_FLIT_COMPLETION_H

#include "cli/flit/flit_mode.h"
#include "study/flit/flit_jobs.h"

/* JOBS side by side, of which one ends. */
int flit_completion_jobs(const struct flit_mode *mode, const struct cw_flit_jobs *jobs);

/* The traffic of the options, a finite amount of it. */
int flit_completion_finite(const struct flit_mode *mode);

#endif
