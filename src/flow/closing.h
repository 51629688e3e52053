/*
 * How far a search for the optimum is, for a progress bar: by the gap between z and its bound, on a logarithmic scale
 * from 1 to the gap that is wanted, or by its time budget, whichever is further.
 */
#ifndef CW_FLOW_CLOSING_H
#define CW_FLOW_CLOSING_H

#include "base/decls.h"
#include "base/progress.h"

CW_BEGIN_DECLS

struct cw_closing {
    double gap;             /* wanted, relative to the bound; below 1 */
    double begin, deadline; /* moments (base/stopwatch.h); INFINITY: no budget */
    double after;           /* what follows the search before the deadline, in times of a pricing */
    struct cw_progress_part progress;
};

/* The search has Z and BOUND now. */
void cw_closing_report(const struct cw_closing *closing, double z, double bound);

CW_END_DECLS

#endif
