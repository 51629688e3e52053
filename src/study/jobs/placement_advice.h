/*
 * Which placement the last of several jobs should have: every one that can be named without a file is tried, with the
 * other jobs where they are.
 */
#ifndef CW_STUDY_JOBS_PLACEMENT_ADVICE_H
#define CW_STUDY_JOBS_PLACEMENT_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "study/jobs/flow_jobs.h"

CW_BEGIN_DECLS

/* What one placement comes to. */
struct cw_placement_trial {
    const char *placement;    /* the registry's */
    struct cw_summary time;   /* of the job beside all others [s] */
    struct cw_summary slowed; /* time / time alone */
    struct cw_summary
        slows; /* of the other jobs that end: time beside this one alone / alone, their mean; 1 without any */
    struct cw_summary gain;  /* time where it was to be / time here, trial by trial */
    struct cw_summary proof; /* the same with other seeds; of the best one only, else n = 0 */
};

struct cw_placement_advice {
    size_t n; /* by time, the shortest first */
    struct cw_placement_trial *placements;
    bool better; /* the first one is faster than where the job was to be, both times beyond the interval */
};

/* How often SETUP's progress steps. */
size_t cw_placement_advice_steps(const struct cw_flow_jobs_setup *setup);

/* Tries all placements for the last job of SETUP, which must end (CW_EUSAGE), in SETUP's trials; then the best one and
 * the job's own in as many others. Placements for which there is no room are left out. Free with
 * cw_placement_advice_free, which accepts a zeroed one. */
int cw_placement_advice_find(const struct cw_flow_jobs_setup *setup, struct cw_placement_advice *out);
void cw_placement_advice_free(struct cw_placement_advice *advice);

/* The endpoints of the last job, rank by rank, under PLACEMENT in the first trial: the caller's to free. */
int cw_placement_advice_endpoints(const struct cw_flow_jobs_setup *setup, const char *placement, uint32_t **endpoints);

CW_END_DECLS

#endif
