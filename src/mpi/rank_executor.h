/*
 * Trials shared out over MPI ranks (base/trials.h).
 *
 * Rank 0 hands out blocks of trials, in rising order, to whoever asks: a rank that is slow asks less often, and blocks
 * become small towards the end. In each rank other threads run the trials, so that the one that may call MPI
 * (MPI_THREAD_FUNNELED) serves and asks whatever they do. It sleeps in between; ranks that have nothing left to do
 * sleep, too, and take no core from others.
 *
 * What trials tell rank 0 is sent by the thread that talks, within a tenth of a second, and what is left of it before
 * the loop ends.
 *
 * Afterwards every rank gets all outcomes and tallies. An error on one rank ends the handing out. What was handed out
 * before is still run: so all trials below the lowest that failed have run, and its error, which all ranks return, is
 * the one that a single process would meet.
 */
#ifndef CW_MPI_RANK_EXECUTOR_H
#define CW_MPI_RANK_EXECUTOR_H

#include <pthread.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/trials.h"
#include "mpi/together.h"

struct rank_executor {
    struct cw_executor executor; /* first */
    struct ranks *ranks;
    MPI_Comm comm;         /* of the asking and handing out */
    pthread_mutex_t lock;  /* of what trials of this rank tell rank 0: */
    struct cw_text untold; /* each with its length before it */
    char heard[1 << 16];   /* by rank 0 */
    /* So far, in all loops: */
    uint64_t trials; /* of all ranks, */
    uint64_t own;    /* and those run here */
    double seconds;
};

/* Collective, as the next. RANKS outlives it and gets it as its executor. */
int rank_executor_begin(struct rank_executor *executor, struct ranks *ranks);
void rank_executor_end(struct rank_executor *executor);

#endif
