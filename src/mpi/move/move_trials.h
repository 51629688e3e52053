/*
 * Moving data again and again, by moves and by MPI_Alltoallv in turn, each time other data, and looking at every byte.
 */
#ifndef CW_MPI_MOVE_TRIALS_H
#define CW_MPI_MOVE_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/move/move.h"
#include "mpi/together.h"

/* The ways of which one is taken after the other. */
enum move_way { MOVE_BY_MOVES, MOVE_BY_ALLTOALLV, MOVE_WAYS };

struct move_trials {
    struct meeting *meeting;      /* of all ranks */
    const struct cw_moves *moves; /* as they are carried out, in lanes */
    const uint32_t *seats;        /* [moves->n_ranks] whose they are */
    size_t n;                     /* repetitions, of each way */
    bool alone;                   /* without MPI_Alltoallv */
    uint64_t seed;                /* of data and order */
};

/* TIMES[way], [n]: from the first rank's start until the last has all its data, in s, the same on all ranks. Before
 * them each way has one turn that is not counted; which goes first is drawn anew for each repetition. Collective; all
 * ranks get the same error, unless the meeting is lost. */
int move_trials_run(const struct move_trials *trials, double *const times[MOVE_WAYS]);

#endif
