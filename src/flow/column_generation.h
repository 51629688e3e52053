/*
 * The optimum over all paths that can be priced, proven: balancing for good columns and lengths (flow/balance.h), then
 * column generation to the end, if the gap wanted is smaller than what balancing reached.
 *
 * A round: solve the master (flow/master_lp.h), price with its duals, which proves a bound, add the paths that are
 * cheaper than what their demand pays. Duals jump about, so lengths between them and those of the best bound so far are
 * priced (Wentges, Int. Trans. Opl Res. 4(2), 1997), and the duals themselves where that finds nothing.
 */
#ifndef CW_FLOW_COLUMN_GENERATION_H
#define CW_FLOW_COLUMN_GENERATION_H

#include "base/decls.h"
#include "flow/closing.h"
#include "flow/columns.h"
#include "flow/pricing.h"

CW_BEGIN_DECLS

/* Finds flows for COLUMNS (empty before) until bound - z ≤ gap · bound or the deadline of CLOSING, which is told how
 * far it is. *BOUND is proven, over the paths that are priced, by LENGTH [channels], which is zeroed before. */
int cw_column_generation(struct cw_columns *columns, struct cw_pricing *pricing, const struct cw_closing *closing,
                         double *length, double *bound);

CW_END_DECLS

#endif
