/*
 * Jobs on their endpoints, as the simulator takes them.
 */
#ifndef CW_STUDY_FLIT_SEATING_H
#define CW_STUDY_FLIT_SEATING_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/selection.h"
#include "sim/flit/flit.h"
#include "study/flit/flit_jobs.h"

CW_BEGIN_DECLS

/* What a simulation needs of jobs. */
struct cw_flit_seating {
    size_t n;
    struct cw_flit_job *jobs; /* [n] */
    struct cw_workload **workloads;
    struct cw_schedule **schedules;
    uint32_t *endpoints; /* those of job 0, then those of job 1 … */
};

/* Places JOBS on the endpoints of NET that are in SELECTION (NULL: all), in random trial number TRIAL. Each job takes,
 * in the order of its placement, the first endpoints that no job before it has; jobs of the same placement share one
 * order. MESSAGES is borrowed. CW_EUSAGE if a placement has too few endpoints left for a job. Free with
 * cw_flit_seating_free. */
int cw_flit_seating_make(const struct cw_flit_jobs *jobs, const struct cw_network *net,
                         const struct cw_selection *selection, uint64_t seed, uint64_t trial,
                         const struct cw_flit_messages *messages, struct cw_flit_seating *out);
void cw_flit_seating_free(struct cw_flit_seating *seating);

CW_END_DECLS

#endif
