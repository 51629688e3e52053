/* `crosswind flit --finite` and `--jobs` with jobs that end: how long they take. */
#ifndef CW_CLI_FLIT_COMPLETION_H
#define CW_CLI_FLIT_COMPLETION_H

#include "cli/fabric.h"
#include "cli/flit_jobs.h"
#include "cli/flit_study.h"
#include "cli/verb.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"

/* What the two have in common with the other modes of the verb. */
struct flit_mode {
    struct invocation *invocation;
    const struct cw_network *net;
    const struct cw_selection *selection; /* endpoints that take part */
    struct cw_flit_hardware hardware;
    uint32_t message_flits;
    struct cw_steady_setup steady;
    const char *routings;
    size_t n_routings;
};

/* flit_study_make of JOBS in this mode. */
int flit_mode_study(const struct flit_mode *mode, const struct flit_jobs *jobs, const char *routing,
                    struct flit_study *study);

/* JOBS side by side, of which one ends. */
int flit_completion_jobs(const struct flit_mode *mode, const struct flit_jobs *jobs);

/* The traffic of the options, a finite amount of it. */
int flit_completion_finite(const struct flit_mode *mode);

#endif
