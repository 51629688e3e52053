/*
 * What each job of a run in steady state gets, batch by batch. Part of sim/flit/steady.h.
 */
#ifndef CW_SIM_FLIT_STEADY_JOBS_H
#define CW_SIM_FLIT_STEADY_JOBS_H

#include "sim/flit/steady.h"

CW_BEGIN_DECLS

struct cw_steady_jobs;

/* For SIMULATION, made with OF (both borrowed), whose counters are all zero. */
int cw_steady_jobs_new(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                       struct cw_steady_jobs **out);
void cw_steady_jobs_free(struct cw_steady_jobs *jobs);

/* Injection bandwidth of the ranks of job JOB that send, in flits a cycle. */
double cw_steady_jobs_bandwidth(const struct cw_steady_jobs *jobs, size_t job);

/* After each batch, of CYCLES cycles; and after the counters were reset. */
int cw_steady_jobs_add(struct cw_steady_jobs *jobs, uint64_t cycles);
void cw_steady_jobs_reset(struct cw_steady_jobs *jobs);

/* Of the batches from FROM on, scatter being judged by those from SCATTER_FROM on. OUT has room for all jobs. */
int cw_steady_jobs_summarise(const struct cw_steady_jobs *jobs, size_t scatter_from, size_t from,
                             struct cw_steady_job *out);

CW_END_DECLS

#endif
