/* What `crosswind flit` tells of a run besides its row: utilisation by class, fairness, hottest channels, latencies,
 * series. */
#ifndef CW_CLI_FLIT_DETAILS_H
#define CW_CLI_FLIT_DETAILS_H

#include "base/result.h"
#include "cli/flit_case.h"
#include "cli/flit_options.h"

struct flit_details;

int flit_details_new(const struct flit_options *values, struct flit_details **out);
int flit_details_add(struct flit_details *details, const struct flit_case *made, double load, struct flit_run *run);

/* Adds the tables to RESULT and writes the files that were asked for. */
int flit_details_finish(struct flit_details *details, struct cw_result *result);
void flit_details_free(struct flit_details *details);

#endif
