/* The figures of `reproduce noise` that are sweeps of simulated points: their CSV and their pictures. */
#ifndef CW_CLI_NOISE_FIGURES_H
#define CW_CLI_NOISE_FIGURES_H

#include "base/table.h"
#include "study/papers/noise_paper.h"

/* Writes TABLE to DIRECTORY/NAME.csv, and frees it. */
int noise_figure_csv(struct cw_table *table, const char *directory, const char *name);

/* Writes noise-figN.csv for FIGURE, the means with their intervals as noise-figN.svg, and the quartiles as
 * noise-figN-boxes.svg. Only the first N points have run. */
int noise_figure_write(const struct cw_noise_points *points, size_t n, int figure, size_t trials,
                       const char *directory);

#endif
