/*
 * Effective bisection bandwidth: the mean, over the messages of random bisection matchings, of 1/congestion (Hoefler,
 * Schneider, Lumsdaine, "Multistage switches are not crossbars", Cluster 2008). 1 is a network without contention. It
 * is the bandwidth (sim/congestion.h) that messages of the pattern `bisection` get, trial by trial: where channels are
 * not equally fast, a share of the fastest cable of an endpoint, unless `equal_speeds`. A message between endpoints
 * that have no way to each other gets 0: what a fabric has lost is not left out of the mean.
 */
#ifndef CW_SIM_EBB_H
#define CW_SIM_EBB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_executor;
struct cw_progress;

struct cw_ebb_setup {
    const struct cw_routes *routes;       /* borrowed */
    const struct cw_selection *selection; /* endpoints that take part, borrowed, with parts; NULL: all, in one part */
    bool both_directions;                 /* every pair exchanges; else only one half sends */
    bool equal_speeds;                    /* all channels count as equally fast, as in the paper */
    size_t trials;
    uint64_t seed;
    unsigned n_threads;
    struct cw_progress *progress;       /* steps once a trial; may be NULL */
    const struct cw_executor *executor; /* who runs the trials; NULL: threads of this process */
};

struct cw_ebb_result {
    struct cw_summary ebb;            /* over trials, of the mean over messages */
    struct cw_summary max_congestion; /* over trials, of the greatest congestion */
};

CW_API int cw_ebb_run_sized(const struct cw_ebb_setup *setup, size_t size, struct cw_ebb_result *out);

/* Draws `trials` random halvings of the endpoints that take part (one of an odd number stays out) with a random perfect
 * matching between the halves. Fewer than 2 endpoints are CW_EUSAGE. About N routes a trial (half of them in one
 * direction). */
static inline int cw_ebb_run(const struct cw_ebb_setup *setup, struct cw_ebb_result *out)
{
    return cw_ebb_run_sized(setup, sizeof *setup, out);
}

CW_END_DECLS

#endif
