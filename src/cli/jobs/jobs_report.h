/* What `crosswind jobs` shows: its tables, and what is said of them. */
#ifndef CW_CLI_JOBS_REPORT_H
#define CW_CLI_JOBS_REPORT_H

#include "cli/fabric.h"
#include "study/jobs/advice.h"
#include "study/jobs/flow_jobs.h"

struct jobs_report {
    struct invocation *invocation;
    const struct fabric *fabric;
    const struct cw_flit_jobs *jobs;
    const struct cw_flow_jobs_setup *setup;
    struct cw_flow_jobs times;
    double *values; /* [trials] */
};

/* Adds the jobs, the pairs if they were run, and the TOP busiest channels; and the sentences. */
int jobs_report_add(const struct jobs_report *report, size_t top);

/* Tries changes of these KINDS, and says which are gains; HOSTS (NULL: none) gets who runs the last job where it is
 * best placed. */
int jobs_report_advise(const struct jobs_report *report, const bool kinds[CW_ADVICE_KINDS], const char *hosts);

/* Says what flits say. */
int jobs_report_check(const struct jobs_report *report, const struct cw_flow_jobs_check *check);

#endif
