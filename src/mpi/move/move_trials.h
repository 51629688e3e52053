/*
 * Moving data again and again, by moves and by MPI_Alltoallv in turn, each time other data, and looking at every byte.
 */
#ifndef CW_MPI_MOVE_TRIALS_H
#define CW_MPI_MOVE_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/move/move.h"

/* The ways of which one is taken after the other. */
enum move_way { MOVE_BY_MOVES, MOVE_BY_ALLTOALLV, MOVE_WAYS };

struct move_trials {
    MPI_Comm comm;                /* of MPI_ERRORS_ARE_FATAL or not, all the same */
    const struct cw_moves *moves; /* as they are carried out, in lanes */
    const uint32_t *seats;        /* [moves->n_ranks] whose they are in comm */
    size_t n;                     /* repetitions, of each way */
    bool alone;                   /* without MPI_Alltoallv */
    uint64_t seed;                /* of data and order */
    enum cw_wait_mode wait;
    double patience; /* s */
};

/* TIMES[way], [n]: from the first rank's start until the last has all its data, in s, the same on all ranks. Before
 * them each way has one turn that is not counted; which goes first is drawn anew for each repetition. Collective; all
 * ranks get the same error, unless *LOST: then ranks may be missing, the one that found out has returned first, has
 * *FOUND set, and all that can follow is MPI_Abort. */
int move_trials_run(const struct move_trials *trials, double *const times[MOVE_WAYS], bool *lost, bool *found);

#endif
