/* crosswind-mpi overlap --emulate: the schedules of libcrosswind-nbc on cores that there are not. */
#ifndef CW_MPI_OVERLAP_EMULATE_H
#define CW_MPI_OVERLAP_EMULATE_H

#include "cli/verb.h"

/* On one rank. */
int overlap_emulate(struct invocation *invocation);

#endif
