/*
 * The ranks of MPI_COMM_WORLD as one program (cli/program.h), and how they fail together.
 */
#ifndef CW_MPI_MPI_RANKS_H
#define CW_MPI_MPI_RANKS_H

#include <mpi.h>

#include "cli/program.h"

/* Those of this process; between MPI_Init and MPI_Finalize. */
struct ranks {
    struct program_ranks program; /* first */
    MPI_Comm comm;                /* a copy of MPI_COMM_WORLD, for agreement alone */
    int rc;                       /* what was agreed on: 0 so far, or the error of all */
    bool alone;                   /* this rank has left (ranks_leave) */
};

/* Collective. */
int ranks_begin(struct ranks *ranks);
void ranks_end(struct ranks *ranks);

/* The struct ranks of a verb's invocation. */
struct ranks *ranks_of(const struct program_ranks *program);

/* What program_ranks.agree states: 0, or the error of the lowest rank that has one. Where only some ranks failed, the
 * message begins with the rank and its host. Collective, unless the ranks have agreed on an error before. */
int ranks_agree(struct ranks *ranks, int rc);

/* All ranks take over the error RC of rank LEADER, which is not about that rank. Returns it. Collective. */
int ranks_adopt(struct ranks *ranks, int leader, int rc);

/* Waits for REQUEST without using a core all the time, as MPI_Wait does. */
void ranks_wait(MPI_Request *request);

/* This rank was told to stop where others wait for its messages, or it for theirs: from now on it agrees with nobody,
 * and RC is what it has come to. Returns RC. */
int ranks_leave(struct ranks *ranks, int rc);

/* Ends all ranks, some time after a rank has left: rank 0 at once, others when it has had time to write what there is.
 */
_Noreturn void ranks_abort(const struct ranks *ranks, int status);

#endif
