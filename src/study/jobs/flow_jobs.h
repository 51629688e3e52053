/*
 * Jobs side by side by flows (sim/flows/flow_sim.h), or by counts: how long each takes beside all others, alone, and
 * beside each one of them.
 *
 * Jobs are as they are asked for, and on the endpoints that they get there (study/jobs/job_list.h). Each has its time
 * from its own start, with all its repetitions (cw_program_repeat). A collective is its schedule's program; the ranks
 * of a program send one message after another. Of a traffic that ends, a rank sends its bytes to all its receivers at a
 * time, in proportion to what each gets, as if packets to all were mixed; one without end goes on like that.
 */
#ifndef CW_STUDY_JOBS_FLOW_JOBS_H
#define CW_STUDY_JOBS_FLOW_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "net/selection.h"
#include "route/routes.h"
#include "sim/flows/flow_path.h"
#include "study/jobs/job_list.h"

CW_BEGIN_DECLS

/* Which jobs are run in pairs, beside alone and all together. */
enum cw_flow_pairs {
    CW_PAIRS_NONE,
    CW_PAIRS_WITH_LAST, /* the last one with each other */
    CW_PAIRS_ALL
};

struct cw_flow_jobs_setup {
    const struct cw_routes *routes;       /* borrowed, as all here */
    const struct cw_selection *selection; /* endpoints that may run jobs; NULL: all */
    const struct cw_jobs *jobs;
    double overhead, latency; /* o and L [s] */
    uint64_t rendezvous;      /* as in struct cw_flow_setup */
    uint64_t seed;
    size_t trials;
    enum cw_flow_pairs pairs;
    const double *capacity; /* as in struct cw_flow_setup */
    unsigned n_threads;
    struct cw_progress *progress; /* steps cw_flow_jobs_steps times; may be NULL */
    const struct cw_executor *executor;
    bool by_counts; /* messages of a round are counted, of what cw_jobs_check_counts accepts (sim/collective.h: in
                     * order, o as here, L and G of the channels; what is repeated takes so many times as long) */
};

/* Times of all trials [s]. */
struct cw_flow_jobs {
    size_t n, trials;
    double *times; /* [trials][n + 1][2n + 1] */
};

size_t cw_flow_jobs_steps(const struct cw_flow_jobs_setup *setup);

/* Runs all trials; the endpoints and traffic of a trial are drawn by its number. CW_EUSAGE if no job ends. Free with
 * cw_flow_jobs_free. Time: 2 simulations a job and trial, with pairs n² / 2 of two jobs more. */
int cw_flow_jobs_run(const struct cw_flow_jobs_setup *setup, struct cw_flow_jobs *out);
void cw_flow_jobs_free(struct cw_flow_jobs *jobs);

/* Of job JOB, which ends, in TRIAL: [s] beside all others; alone; and beside OTHER alone (if they are a pair). */
double cw_flow_jobs_time(const struct cw_flow_jobs *jobs, size_t trial, size_t job);
double cw_flow_jobs_alone(const struct cw_flow_jobs *jobs, size_t trial, size_t job);
double cw_flow_jobs_beside(const struct cw_flow_jobs *jobs, size_t trial, size_t job, size_t other);

/* BYTES [channels] that the jobs that end send over each channel in TRIAL, all together, and when the last of them ends
 * [s after the first of all jobs has begun]. */
int cw_flow_jobs_channels(const struct cw_flow_jobs_setup *setup, size_t trial, double *bytes, double *end);
/* The same of JOB alone, which ends; BYTES are zero before. */
int cw_flow_jobs_channels_of(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, double *bytes);

/* Appends who sends how many bytes to whom in TRIAL, by rank, of JOB; one without end for SECONDS, as fast as it may.
 * ENDPOINTS [ranks] is where they are. */
int cw_flow_jobs_matrix(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, double seconds,
                        struct cw_flows *matrix, uint32_t *endpoints);

/* The longest path of JOB, which ends, in TRIAL beside all others; its times count from the beginning of the first of
 * all jobs. Free with cw_flow_path_free. */
int cw_flow_jobs_path(const struct cw_flow_jobs_setup *setup, size_t trial, size_t job, struct cw_flow_path *out);

/* How much of a channel jobs that end need, until the last of them has ended. */
struct cw_channel_use {
    double share, bytes; /* of its capacity; all in all */
    uint32_t channel;
};

/* By share, the greatest first; of equal ones the lowest channel. */
void cw_channel_uses_sort(struct cw_channel_use *uses, size_t n);

/* The N channels that carry something of these in TRIAL, those used most first: the caller's to free. */
int cw_flow_jobs_uses(const struct cw_flow_jobs_setup *setup, size_t trial, struct cw_channel_use **uses, size_t *n);

CW_END_DECLS

#endif
