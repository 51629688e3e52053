/*
 * How ranks wait: for messages, and for a moment. All waiting but that of blocking collectives (bench_operation.h) goes
 * through here, so that a signal ends it.
 */
#ifndef CW_MPI_BENCH_WAIT_H
#define CW_MPI_BENCH_WAIT_H

#include <mpi.h>

#include "mpi/wait_mode.h"

/* Until all N requests are done. After a signal ranks agree to end at the next occasion, if all still answer; so
 * CW_EINTERRUPTED is only what it comes to where they are not done half a second after it. */
int wait_for_all(enum cw_wait_mode mode, int n, MPI_Request *requests);
int wait_for(enum cw_wait_mode mode, MPI_Request *request);

/* Collective: until all ranks of COMM have come. */
int wait_for_others(enum cw_wait_mode mode, MPI_Comm comm);

#endif
