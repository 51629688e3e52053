/* `crosswind flit` of loads without end: what is accepted of a load, or where the network saturates. */
#ifndef CW_CLI_FLIT_LOAD_H
#define CW_CLI_FLIT_LOAD_H

#include "cli/flit/flit_mode.h"
#include "study/flit/flit_jobs.h"

/* The traffic of the options at its loads; or, in a sweep, at loads that are tried. */
int flit_load(const struct flit_mode *mode);

/* JOBS, of which none ends, side by side. */
int flit_load_jobs(const struct flit_mode *mode, const struct cw_flit_jobs *jobs);

#endif
