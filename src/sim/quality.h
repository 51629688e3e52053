/*
 * What messages feel of routes, and how good any shortest routes could be.
 *
 * Routes may spread evenly over the channels when all pairs are counted, and yet make every job wait: what counts is
 * how many messages of one round meet on a channel. Four measures, of all channels between switches or of messages of
 * one size:
 *
 *   destinations   how many destinations' routes use a channel. Two messages can only meet there if they go to two of
 *                  them, or come together earlier.
 *   ebb            effective bisection bandwidth (sim/ebb.h), one half sending and both
 *   shift          every endpoint sends to the one K places further on, for each K: the time of the slowest channel, in
 *                  messages on the fastest cable of an endpoint. Mean, and worst.
 *   all-to-all     all shifts, one after another
 *
 * Endpoints are in the order of the placement `switches`, so that neighbours share a switch.
 *
 * Beside each stands a bound: no forwarding tables of shortest routes (or, where packets take several ways, no routes
 * of any kind) can do better. It need not be reached. What it rests on:
 *
 *   - Messages that leave a switch share its channels, as do those that enter it: Σ of their bandwidths is at most the
 *     capacity of the channels that carry any. In forwarding tables each destination has one channel out of a switch,
 *     so a random matching leaves some channels empty, fewest if destinations are dealt out evenly; of a shift, the
 *     fullest channel has at least the messages that leave / the channels there are, rounded up.
 *   - Σ of bandwidth · distance is at most the capacity of all channels between switches.
 *   - Switches that are on the way of endpoints to a destination have a channel each in its tree.
 */
#ifndef CW_SIM_QUALITY_H
#define CW_SIM_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_quality_setup {
    const struct cw_routes *routes;       /* borrowed */
    const struct cw_selection *selection; /* endpoints that take part, borrowed, with parts; NULL: all, in one part */
    uint64_t max_routes;                  /* about as many are walked for each measure; 0: 4,000,000 */
    uint64_t seed;                        /* of bisections, and of samples */
    unsigned n_threads;
};

/* A measure and its bound; NAN where it is not known. */
struct cw_quality_measure {
    double value, ci95; /* ci95: half width of the 95 % interval of the mean where it is drawn or sampled, else NAN */
    double best;        /* no shortest routes can have less, or, of bandwidths, more */
};

struct cw_quality {
    struct cw_quality_measure destinations, most_destinations; /* on a channel between switches: mean and greatest */
    struct cw_quality_measure ebb_uni, ebb_bi;                 /* of the fastest cable of an endpoint */
    struct cw_quality_measure shift, worst_shift, alltoall;    /* times */
    uint32_t endpoints;
    uint32_t n_destinations, n_shifts; /* looked at; fewer than there are: an even random sample, and the worst of all
                                          can be worse than the worst of these */
    uint32_t trials;                   /* random bisections of each ebb */
};

CW_API int cw_quality_run_sized(const struct cw_quality_setup *setup, size_t size, struct cw_quality *out);

/* Fewer than 2 endpoints that take part are CW_EUSAGE; a missing route is CW_EROUTE, but between parts there are no
 * messages, and they get no bandwidth. Bounds take O(switches with endpoints · channels); they are left out (NAN) where
 * that is more than 2·10^9. */
static inline int cw_quality_run(const struct cw_quality_setup *setup, struct cw_quality *out)
{
    return cw_quality_run_sized(setup, sizeof *setup, out);
}

CW_END_DECLS

#endif
