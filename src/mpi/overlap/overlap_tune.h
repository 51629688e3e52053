/*
 * crosswind-mpi overlap --tuning: a short measurement of all collectives and a few sizes, and what it says is best, in
 * the file of this machine and MPI (nbc/nbc_tuning.h).
 */
#ifndef CW_MPI_OVERLAP_TUNE_H
#define CW_MPI_OVERLAP_TUNE_H

#include "mpi/overlap/overlap_measure.h"

/* Collective. */
int overlap_tune(struct overlap *overlap);

#endif
