/* Figure 7 of Denis et al. (2018): collectives beside computation, as they were measured on the user's machine. */
#ifndef CW_CLI_SPLIT_TREE_MEASURED_H
#define CW_CLI_SPLIT_TREE_MEASURED_H

#include "cli/reproduce/claims.h"
#include "study/overlap/overlap_runs.h"

/* Writes split-tree-fig7.csv, and a picture for each collective of a size and MPI, those of one collective with the
 * same axes; then what is claimed. */
int split_tree_measured(const struct cw_overlap_runs *runs, struct claims *claims);

/* How many claims that adds. */
size_t split_tree_measured_claims(const struct cw_overlap_runs *runs);

#endif
