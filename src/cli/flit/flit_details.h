/* What `crosswind flit` tells of a run besides its row: utilisation by class, fairness, hottest channels, latencies,
 * series. */
#ifndef CW_CLI_FLIT_DETAILS_H
#define CW_CLI_FLIT_DETAILS_H

#include "base/result.h"
#include "cli/flit/flit_options.h"
#include "study/flit/flit_case.h"

struct flit_details;

/* Adds the tables to RESULT, which outlives the details. */
int flit_details_new(const struct flit_options *values, const struct cw_flit_how *how, struct cw_result *result,
                     struct flit_details **out);
int flit_details_add(struct flit_details *details, const struct cw_flit_case *made, double load,
                     const struct cw_flit_measurement *run);

/* After the runs ended with ERROR or 0: writes the files that were asked for, with what there is, and frees the
 * details. Returns ERROR, or else one of its own. */
int flit_details_finish(struct flit_details *details, int rc);

#endif
