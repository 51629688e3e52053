/*
 * Jobs of which some end, flit by flit: how long each takes beside the others, how long alone, and what the congestion
 * model says of that.
 */
#ifndef CW_STUDY_JOBS_FLIT_JOBS_CASE_H
#define CW_STUDY_JOBS_FLIT_JOBS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "net/network.h"
#include "net/selection.h"
#include "route/packets/packet_routing.h"
#include "route/routes.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"
#include "study/jobs/job_list.h"

CW_BEGIN_DECLS

struct cw_flit_jobs_case {
    const struct cw_network *net;         /* borrowed, as the next */
    const struct cw_selection *selection; /* endpoints that may run jobs; NULL: all */
    struct cw_flit_hardware hardware;
    const struct cw_flit_messages *messages; /* borrowed */
    uint64_t seed;
    unsigned n_threads;
    bool allow_deadlock;        /* as in struct cw_flit_setup */
    uint64_t patience;          /* cycles without a flit of a job after which it starves; 0: a million */
    const struct cw_jobs *jobs; /* borrowed, as the next two */
    const struct cw_packet_routing *routing;
    const struct cw_routes *routes; /* of the congestion model; NULL: no engine gives routes of this routing */
    struct cw_routes *compiled;     /* the same, if the case owns them */
    uint64_t warmup;                /* cycles that jobs without end run before the others begin; 0: there are none */
};

/* What a job did in one trial. */
enum cw_outcome_quantity {
    CW_OUTCOME_ACCEPTED, /* load while it ran; of a job without end while one that ends was running; of a traffic */
    CW_OUTCOME_TIME,     /* cycles, of a job that ends, as the next four: beside the others */
    CW_OUTCOME_SECONDS,  /* the same in seconds */
    CW_OUTCOME_ALONE,    /* cycles without the others */
    CW_OUTCOME_SLOWDOWN, /* beside the others / alone; 1 of a job that has no others */
    CW_OUTCOME_CONGESTION_SLOWDOWN, /* the congestion model's, of a collective that has no other collective beside it */
    CW_OUTCOME_QUANTITIES
};

struct cw_flit_outcome {
    double of[CW_OUTCOME_QUANTITIES]; /* NaN where a quantity does not apply */
};

/* Makes a case whose members down to `routing` are set. `routes` are those that are set, else those of the engine SPEC,
 * the routing's specification, if it gives any. Finds the warm-up: that of STEADY, or if it is to be found, what
 * the jobs without end take in the first trial. CW_EUSAGE as cw_jobs_check_flits. Free with cw_flit_jobs_case_free in
 * any case. */
int cw_flit_jobs_case_make(struct cw_flit_jobs_case *made, const char *spec, const struct cw_steady_setup *steady);
void cw_flit_jobs_case_free(struct cw_flit_jobs_case *made);

/* Runs trial TRIAL. OUTCOMES has room for all jobs, one of which ends. Jobs without end are in steady state when the
 * first of those that end may begin, each at its start; the run ends with the last of these, of which each has its time
 * from its own start. CW_EROUTE if the routing fails or a job starves:
 * no flit of it arrives for `patience` cycles, and as long as it takes to send 100 messages. */
int cw_flit_jobs_case_run(const struct cw_flit_jobs_case *made, uint64_t trial, struct cw_flit_outcome *outcomes);

/* --- trials ------------------------------------------------------------------------------------------------------- */

/* Random trials: those that succeed, and what they come to. A trial that fails does not take the others with it. */

struct cw_flit_trials {
    size_t wanted, n_jobs;
    size_t kept;                      /* trials that succeeded, 1 at least */
    struct cw_flit_outcome *outcomes; /* [kept][n_jobs]; owned, as the next */
    char *why;                        /* the first failure's message; NULL: no trial failed */
    size_t failed;                    /* the trial that it is of, from 0 on */
};

/* Runs the trials 0 … WANTED-1 of MADE. Those that end with CW_EROUTE are left out: the slowest ones, so that means
 * over the others are too low, which the caller should say. An error if none is left, or for any other reason.
 * EXECUTOR runs them (NULL: this process). PROGRESS (or NULL) steps once a trial. Free with cw_flit_trials_free. */
int cw_flit_trials_run(const struct cw_flit_jobs_case *made, size_t wanted, const struct cw_executor *executor,
                       struct cw_progress *progress, struct cw_flit_trials *out);
void cw_flit_trials_free(struct cw_flit_trials *trials);

/* Summarises QUANTITY of job JOB over those of the trials kept in which it applies, OUT's n. Mean and interval are NaN
 * if there are none. */
int cw_flit_trials_summarise(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                             struct cw_summary *out);

CW_END_DECLS

#endif
