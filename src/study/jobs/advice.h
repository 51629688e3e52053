/*
 * What would make the last of several jobs faster, with the other jobs where they are: another placement, or another
 * algorithm of its collective. And what would make all of them faster: other routes, or a faster cable.
 *
 * Each change that can be named is tried in the trials of the jobs themselves. What is faster there, beyond the
 * interval, is run once more with draws that it was not chosen by, and is advised if it is faster there, too.
 */
#ifndef CW_STUDY_JOBS_ADVICE_H
#define CW_STUDY_JOBS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "study/jobs/flow_jobs.h"

CW_BEGIN_DECLS

enum cw_advice_kind {
    CW_ADVISE_PLACEMENT,  /* every one that needs no file, and what swaps make of the first draw of one of them
                           * (study/jobs/seat_swaps.h), unless the job names its hosts */
    CW_ADVISE_COLLECTIVE, /* every schedule of the job's collective, with its own parameters' defaults */
    CW_ADVISE_ROUTING,    /* every engine whose routes are known beforehand and cannot deadlock */
    CW_ADVISE_CABLE,      /* of those that the jobs use most: a slow one as fast as most are, others twice as fast;
                           * and those that are missing (cw_what_if_add_missing) */
    CW_ADVICE_KINDS
};

/* What one change comes to. */
struct cw_advice_trial {
    enum cw_advice_kind kind;
    char *change; /* "spread", "random, 3 swapped", "ring-allreduce", "dmodk", "s0/3-s4/1 at 100 Gbit/s",
                   * "s0-s4 added"; owned */
    uint32_t *endpoints;      /* [ranks] after swaps: those of the last job; owned; NULL: as `change` says */
    struct cw_summary time;   /* of the job beside all others [s] */
    struct cw_summary slowed; /* time / time alone */
    struct cw_summary slows;  /* of the other jobs that end: time beside this one alone / alone, mean; 1 without any */
    struct cw_summary gain;   /* time as it was asked for / time with this change, trial by trial */
    struct cw_summary all;    /* the same of all jobs that end: geometric mean */
    struct cw_summary proof;  /* cw_advice_gain with other seeds; n = 0 of what is no gain by itself */
    bool advised;             /* both are more than 1, beyond their intervals */
};

/* What counts: of routes and cables, which all jobs share, the gain of all; else that of the last one. */
static inline const struct cw_summary *cw_advice_gain(const struct cw_advice_trial *trial)
{
    return trial->kind == CW_ADVISE_ROUTING || trial->kind == CW_ADVISE_CABLE ? &trial->all : &trial->gain;
}

struct cw_advice {
    size_t n; /* by cw_advice_gain, the largest first */
    struct cw_advice_trial *trials;
};

/* How often SETUP's progress steps, at most. */
size_t cw_advice_steps(const struct cw_flow_jobs_setup *setup, const bool kinds[CW_ADVICE_KINDS]);

/* Tries the changes of the KINDS that are true for the last job of SETUP, which must end (CW_EUSAGE), in SETUP's
 * trials. ROUTING made SETUP's routes, and those with a cable added; NULL: they were read, so nobody knows how they would
 * use it, and none is added. What is not possible (a placement without room, an engine that does not route the network)
 * is left out. Free with cw_advice_free, which accepts a zeroed one. Time: for each change that of cw_flow_jobs_run with
 * CW_PAIRS_WITH_LAST, twice if it is a gain. */
int cw_advice_find(const struct cw_flow_jobs_setup *setup, const char *routing, const bool kinds[CW_ADVICE_KINDS],
                   struct cw_advice *out);
void cw_advice_free(struct cw_advice *advice);

/* The endpoints of the last job, rank by rank, under PLACEMENT in the first trial: the caller's to free. */
int cw_advice_endpoints(const struct cw_flow_jobs_setup *setup, const char *placement, uint32_t **endpoints);

CW_END_DECLS

#endif
