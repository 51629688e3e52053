/*
 * Balancing: nearly optimal flows by shifting flow between paths, with a certified gap.
 *
 * Channels get lengths that grow exponentially with their load, as in the approximation schemes for concurrent flow
 * (Garg and Könemann, SIAM J. Comput. 37(2), 2007; Fleischer, SIAM J. Discrete Math. 13(4), 2000; the potential is that
 * of Plotkin, Shmoys and Tardos, Math. Oper. Res. 20(2), 1995). Their steps are as small as the proof needs; here a
 * shift from a path to the shortest one goes as far as Newton's method says, which never raises the potential, and the
 * exponent grows as the gap shrinks. Whatever the steps, the lengths prove a bound after every round (flow/pricing.h).
 *
 * A round: price, add the shortest paths, then shift flow in several sweeps over the demands. Time: a pricing, and per
 * sweep a few exponentials for each channel of each path in use.
 */
#ifndef CW_FLOW_BALANCE_H
#define CW_FLOW_BALANCE_H

#include <stdbool.h>

#include "base/decls.h"
#include "flow/closing.h"
#include "flow/columns.h"
#include "flow/pricing.h"

CW_BEGIN_DECLS

struct cw_balance {
    double z;                 /* of the flows; INFINITY if nothing meets a limit */
    double bound;             /* proven; over the paths that are priced */
    bool late;                /* there was no time for another round */
    double seconds, deadline; /* of a pricing; when a search is to end, so that what comes after is done in time */
};

/* Puts all demands on paths in COLUMNS (empty before) and balances until bound - z ≤ GAP · bound, or another
 * round would end behind the deadline of CLOSING, or the exponent is so steep that rounding is in the way. CLOSING,
 * whose gap may be a smaller one, is told how far it is. There is a plan and a bound even if the deadline has passed.
 * LENGTH [channels], zeroed, is set to the lengths that prove the bound. */
int cw_balance(struct cw_columns *columns, struct cw_pricing *pricing, double gap, const struct cw_closing *closing,
               double *length, struct cw_balance *out);

CW_END_DECLS

#endif
