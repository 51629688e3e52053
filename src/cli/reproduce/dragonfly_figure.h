/* The panels of `crosswind reproduce dragonfly-fig3`: their rows, their CSV and their pictures. */
#ifndef CW_CLI_DRAGONFLY_FIGURE_H
#define CW_CLI_DRAGONFLY_FIGURE_H

#include "base/table.h"
#include "study/papers/dragonfly_paper.h"

/* A table without rows for points. */
int dragonfly_table(const char *name, struct cw_table **out);

/* Adds a row for each of the N points from FIRST on that has run. */
void dragonfly_rows(struct cw_table *table, const struct cw_dragonfly_points *points, size_t first, size_t n);

/* Draws the panel of the N points from FIRST on, which have run: DIRECTORY/dragonfly-fig3X.svg. */
int dragonfly_draw(const struct cw_dragonfly_points *points, size_t first, size_t n, const char *directory);

#endif
