/* The tables of `crosswind reproduce optiq`: what each method gains, and the CSV of a figure with every measurement. */
#ifndef CW_CLI_OPTIQ_TABLE_H
#define CW_CLI_OPTIQ_TABLE_H

#include "base/result.h"
#include "study/papers/optiq_points.h"

/* A table without rows for gains. */
int optiq_gains_table(struct cw_table **out);

/* Adds a row for each network and method that FIGURE compares with the default routes, of what has run. */
void optiq_gains_add(struct cw_table *table, const struct cw_optiq_points *points, enum cw_optiq_figure figure);

/* How many rows that will be when all has run. */
size_t optiq_gains_count(const struct cw_optiq_points *points);

/* "fig4", "fixed", …: the files of FIGURE are called optiq-NAME. */
const char *optiq_figure_name(enum cw_optiq_figure figure);

/* Writes DIRECTORY/optiq-NAME.csv, with the context of RESULT: those of the N points from FIRST on that have run; and
 * how long searches took to its metadata. */
int optiq_points_csv(const struct cw_result *result, const struct cw_optiq_points *points, size_t first, size_t n,
                     const char *directory);

#endif
