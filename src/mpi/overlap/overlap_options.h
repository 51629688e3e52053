/* The options of crosswind-mpi overlap. */
#ifndef CW_MPI_OVERLAP_OPTIONS_H
#define CW_MPI_OVERLAP_OPTIONS_H

#include "base/option.h"
#include "base/units.h"

struct overlap_options {
    char *op, *methods, *cores, *plot, *save;
    uint64_t bytes;
    struct cw_ints ranks;
    int beside;
    double compute, time;
    int64_t repetitions, emulate;
    bool dry_run, tune;
};

extern const struct cw_option overlap_options[];

#endif
