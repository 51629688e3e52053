/*
 * What a store of studies has, as tables of a result.
 */
#ifndef CW_CLI_STORED_FIGURES_H
#define CW_CLI_STORED_FIGURES_H

#include <stddef.h>

#include "base/result.h"

/* Adds to RESULT the table `figures` of the store PATH: the rows that all N CONDITIONS, "COLUMN=VALUE", hold for; and
 * of several cases the table `best`, with a note among which. CW_EUSAGE for a condition that is none, or the errors of
 * the store. */
int stored_figures_list(struct cw_result *result, const char *path, const char *const *conditions, size_t n);

/* The same of all rows, behind the table `cases`, which has a row for each case and a column for each measure, and its
 * figure: what crosswind study gave. A note says so where this release does not know a measure, and there is no such
 * table, nor `best`. */
int stored_figures_by_case(struct cw_result *result, const char *path);

#endif
