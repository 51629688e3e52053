/*
 * What was counted on the cables beside what jobs send over them: which jobs explain it, and which load is no job's.
 *
 * What a job sends over each channel in one run is known from its messages and routes. Counters say what was sent in
 * all; how often each job has run is found so that the sum of what differs, channel by channel, is smallest (least
 * absolute deviations, runs >= 0): what many channels agree on counts, and a cable that carries more than the jobs send
 * stands out instead of being spread over all. It is solved by least squares that are weighted anew until they stand.
 */
#ifndef CW_STUDY_JOBS_LOAD_FIT_H
#define CW_STUDY_JOBS_LOAD_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/jobs/flow_jobs.h"

CW_BEGIN_DECLS

struct cw_load_fit {
    size_t n;          /* jobs */
    double *runs;      /* [n] how often each job has run, with all its repetitions */
    double *explained; /* [channels] bytes that the jobs have sent in these */
    /* Sums over the channels of which the counters know [byte]. */
    double counted, beyond, missing; /* all; more than explained; less than explained */
};

/* The runs of SETUP's jobs, on the endpoints and with the traffic of its first trial, that explain COUNTED [channels],
 * bytes; NAN is unknown. CW_EUSAGE if a job never ends, or if no channel is known. Free with cw_load_fit_free, which
 * accepts a zeroed one. Time: one simulation a job, and channels · jobs² a step of at most 100. */
int cw_load_fit_find(const struct cw_flow_jobs_setup *setup, const double *counted, struct cw_load_fit *out);
void cw_load_fit_free(struct cw_load_fit *fit);

/* The channels with the greatest positive VALUES [channels], greatest first: TOP at most, their number in *N. The
 * caller's to free. */
int cw_load_greatest(const double *values, uint32_t channels, size_t top, uint32_t **out, size_t *n);

CW_END_DECLS

#endif
