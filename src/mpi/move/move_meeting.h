/*
 * A barrier that says who is missing: all ranks report to rank 0, which answers. MPI's own would wait for ever.
 */
#ifndef CW_MPI_MOVE_MEETING_H
#define CW_MPI_MOVE_MEETING_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/wait_mode.h"

struct meeting {
    MPI_Comm comm;
    enum cw_wait_mode wait;
    double patience; /* s */
};

/* *VALUE becomes the greatest of all ranks. CW_EIO if one is not there within `patience`: "rank 3 has not answered for
 * 10 s"; *LOST is true then. Ranks must use COMM for nothing else that they send without receiving it. */
int move_meet(const struct meeting *meeting, double *value, bool *lost);

#endif
