/*
 * Jobs that share a network, as they are asked for: "allreduce ranks=40 bytes=1MiB; uniform load=0.5".
 *
 * Each job is a traffic, a collective or a program (goal:FILE, traffic/goal_file.h; recorded:FILE,
 * traffic/recorded/recording.h), then words. A collective and a program end by themselves. A traffic ends when each
 * rank has sent bytes=; without bytes= it goes on for ever. Each collectives= of a recording is a rule of
 * cw_recording_program.
 */
#ifndef CW_STUDY_JOBS_JOB_LIST_H
#define CW_STUDY_JOBS_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/selection.h"
#include "sim/collective.h"
#include "sim/flit/flit.h"
#include "traffic/rank_program.h"

CW_BEGIN_DECLS

/* One job. */
struct cw_job_request {
    char *what;                 /* "halo:4x4x4", "allreduce", "goal:ring.goal"; owned, as below */
    char *placement;            /* "contiguous" */
    struct cw_program *program; /* of a job that is one */
    double recorded;            /* what that took when it was recorded [s]; 0: it was not; and then … */
    double waited;              /* … the share in which it waited for processors (cw_recording_waited) */
    uint32_t crowd, processors; /* … how many ranks had how few of these (cw_recording_crowded); 0: enough */
    bool collective;
    uint32_t ranks;
    uint32_t
        *endpoints;  /* [ranks] of a job that names its hosts; NULL: the first free ones in order of its placement */
    uint32_t repeat; /* how often it does the same, one time after another, if it ends; 0: once */
    double start;    /* when it begins [s] */
    double load;     /* of a traffic */
    uint64_t bytes;  /* of each rank of a traffic, 0: without end; of a collective's message; of a program 0 */
};

static inline bool cw_job_ends(const struct cw_job_request *job)
{
    return job->program || job->collective || job->bytes > 0;
}

/* A list that starts zeroed. */
struct cw_jobs {
    struct cw_job_request *items;
    size_t n;
};

/* From TEXT, jobs separated by ';' or line ends, for N_ENDPOINTS, of which ranks=N% are a share; hosts= is the same, or
 * names of endpoints of NET or hosts (all of their endpoints), in the order of ranks (net/host_list.h). PLACEMENT is
 * that of jobs that name none. One job may leave out its ranks, and gets the endpoints that the others leave; a
 * program's are those of its file, which is read. NET may be NULL: nothing has a name. CW_EUSAGE names the job and what
 * is wrong; or what cw_goal_read or cw_recording_read says. */
int cw_jobs_parse(const char *text, const char *placement, uint32_t n_endpoints, const struct cw_network *net,
                  struct cw_jobs *out);

/* Appends one more job; WHAT and PLACEMENT are copied, its program and endpoints are taken over, also on failure. */
int cw_jobs_add(struct cw_jobs *jobs, const char *what, const char *placement, struct cw_job_request job);
void cw_jobs_free(struct cw_jobs *jobs);

/* How many of JOBS end. */
size_t cw_jobs_ending(const struct cw_jobs *jobs);

/* Whether the endpoints or the messages of some of JOBS on NET are drawn, so that one trial says little:
 * CW_JOBS_RANDOM_TRIALS are usual then. SELECTION: endpoints that may run jobs; NULL: all. CW_EUSAGE for what is no
 * placement or pattern. */
#define CW_JOBS_RANDOM_TRIALS 20
int cw_jobs_are_drawn(const struct cw_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                      bool *drawn);

/* CW_EUSAGE, with its number, for a job that only flows can carry out (study/jobs/flow_jobs.h). Not by flits: a
 * program, one that is repeated, and a traffic that begins later and never ends. Not by counts: what ends and is no
 * collective, a second collective, for nobody counts when it sends what, and one that begins later. */
int cw_jobs_check_flits(const struct cw_jobs *jobs);
int cw_jobs_check_counts(const struct cw_jobs *jobs);

/* --- on their endpoints ------------------------------------------------------------------------------------------- */

/* What a simulation needs of jobs. */
struct cw_flit_seating {
    size_t n;
    struct cw_flit_job *jobs; /* [n] */
    struct cw_workload **workloads;
    struct cw_schedule **schedules;
    uint32_t *endpoints; /* those of job 0, then those of job 1 … */
};

/* Places JOBS on the endpoints of NET that are in SELECTION (NULL: all), in random trial number TRIAL. Jobs that name
 * their hosts have these. Then each takes, in the order of its placement, the first endpoints that no other job has;
 * jobs of the same placement share one order. Of a program there is only where its ranks are. MESSAGES is borrowed.
 * CW_EUSAGE if a placement has too few endpoints left for a job. Free with cw_flit_seating_free. */
int cw_flit_seating_make(const struct cw_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                         uint64_t seed, uint64_t trial, const struct cw_flit_messages *messages,
                         struct cw_flit_seating *out);
void cw_flit_seating_free(struct cw_flit_seating *seating);

/* Times by counting messages (sim/collective.h) of job JOB of N, a collective, beside all traffic among the others,
 * each rank of which has a message under way, drawn by SEED: counts know no rates. HOW has routes and timing. */
int cw_flit_jobs_count(const struct cw_collective_setup *how, const struct cw_flit_job *jobs, size_t n, size_t job,
                       uint64_t seed, struct cw_times *out);

CW_END_DECLS

#endif
