/*
 * Jobs that share a network: `crosswind flit --jobs "allreduce ranks=40 bytes=1MiB; uniform load=0.5"`.
 *
 * Each job is a traffic or a collective, then words. With bytes= a traffic ends when all ranks have sent so much; a
 * collective ends by itself; all else goes on for ever.
 */
#ifndef CW_CLI_FLIT_JOBS_H
#define CW_CLI_FLIT_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/network.h"
#include "net/selection.h"
#include "sim/flit/flit.h"

/* One job, as it was asked for. */
struct flit_job {
    char *what;      /* "halo:4x4x4", "allreduce"; owned, as below */
    char *placement; /* "contiguous" */
    bool collective;
    uint32_t ranks;
    double load;    /* of a traffic */
    uint64_t bytes; /* 0: without end */
};

struct flit_jobs {
    struct flit_job *items;
    size_t n;
};

/* From TEXT, jobs separated by ';' or line ends, for N_ENDPOINTS that take part. PLACEMENT is that of jobs that say
 * nothing of it. One job may leave out its ranks, and gets the endpoints that the others leave. CW_EUSAGE names the job
 * and what is wrong. */
int flit_jobs_parse(const char *text, const char *placement, uint32_t n_endpoints, struct flit_jobs *out);
/* One more job; WHAT and PLACEMENT are copied. */
int flit_jobs_add(struct flit_jobs *jobs, const char *what, const char *placement, struct flit_job job);
void flit_jobs_free(struct flit_jobs *jobs);

/* True if JOB ends. */
bool flit_job_ends(const struct flit_job *job);

/* Jobs on their endpoints: what a simulation needs. */
struct flit_seating {
    size_t n;
    struct cw_flit_job *jobs; /* [n] */
    struct cw_workload **workloads;
    struct cw_schedule **schedules;
    uint32_t *endpoints; /* those of job 0, then those of job 1 … */
};

/* Places JOBS on the endpoints of NET that are in SELECTION, in random trial number TRIAL. Each job takes, in the order
 * of its placement, the first endpoints that no job before it has; jobs of the same placement share one order. Free
 * with flit_seating_free. */
int flit_jobs_seat(const struct flit_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                   uint64_t seed, uint64_t trial, const struct cw_flit_messages *messages, struct flit_seating *out);
void flit_seating_free(struct flit_seating *seating);

#endif
