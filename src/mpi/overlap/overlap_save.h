/* Every repetition in a file, and what would be measured. */
#ifndef CW_MPI_OVERLAP_SAVE_H
#define CW_MPI_OVERLAP_SAVE_H

#include "mpi/overlap/overlap_measure.h"

/* Writes all of POINTS to PATH in place of what is there: study/overlap_runs.h reads it. Collective; rank 0 writes. */
int overlap_save(const struct overlap *overlap, const struct overlap_points *points, const char *path);

/* Says what is to be measured: a row for each number of ranks, with its communication cores. Collective. */
int overlap_dry_run(struct overlap *overlap, const struct overlap_points *points);

#endif
