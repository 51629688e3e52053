/*
 * Potential reduction: nearly optimal flows by shifting flow between paths, with a certified gap.
 *
 * Channels get lengths that grow exponentially with their load, as in the approximation schemes for concurrent flow
 * (Garg and Könemann, SIAM J. Comput. 37(2), 2007; Fleischer, SIAM J. Discrete Math. 13(4), 2000; the potential is that
 * of Plotkin, Shmoys and Tardos, Math. Oper. Res. 20(2), 1995). Their steps are as small as the proof needs; here a
 * shift from a path to the shortest one goes as far as Newton's method says, which never raises the potential, and the
 * exponent grows as the gap shrinks. Whatever the steps, the lengths prove a bound after every round
 * (flow/pricing/pricing.h).
 *
 * A round: price, add the shortest paths, then shift flow in several sweeps over the demands. In large networks it
 * prices a part of the demands, so that the next part's lengths know what this one takes; all of them, for a bound,
 * only where z does not come nearer to the bound that there is. Time: a pricing, and per sweep a few exponentials for
 * each channel of each path in use.
 */
#ifndef CW_FLOW_POTENTIAL_REDUCTION_H
#define CW_FLOW_POTENTIAL_REDUCTION_H

#include <stdbool.h>

#include "base/decls.h"
#include "base/progress.h"
#include "flow/columns.h"
#include "flow/flow_problem.h"
#include "flow/pricing/pricing.h"

CW_BEGIN_DECLS

/*
 * How far a search for the optimum is, for a progress bar: by the gap between z and its bound, on a logarithmic scale
 * from 1 to the gap that is wanted, or by its time budget, whichever is further.
 */
struct cw_termination {
    double gap;             /* wanted, relative to the bound; below 1 */
    double begin, deadline; /* moments (base/stopwatch.h); INFINITY: no budget */
    double first;           /* moment at which the first pricing is given up, with CW_ELIMIT; 0: never */
    double after;           /* what follows the search before the deadline, in times of a pricing */
    struct cw_progress_part progress;
};

/* The search has Z and BOUND now. */
void cw_termination_report(const struct cw_termination *termination, double z, double bound);

struct cw_potential_reduction {
    double z;                 /* of the flows; INFINITY if nothing meets a limit */
    double bound;             /* proven; over the paths that are priced */
    bool late;                /* there was no time for another round */
    double seconds, deadline; /* of a pricing; when a search is to end, so that what comes after is done in time */
};

/* Puts all demands on paths in COLUMNS (empty before) and shifts flow until bound - z ≤ GAP · bound, or another
 * round would end behind the deadline of TERMINATION, or the exponent is so steep that rounding is in the way.
 * TERMINATION, whose gap may be a smaller one, is told how far it is. There is a plan and a bound even if the deadline
 * has passed, once there was a pricing. LENGTH [channels], zeroed, is set to the lengths that prove the bound. */
int cw_potential_reduction(struct cw_columns *columns, struct cw_pricing *pricing, double gap,
                           const struct cw_termination *termination, double *length,
                           struct cw_potential_reduction *out);

CW_END_DECLS

#endif
