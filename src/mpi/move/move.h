/*
 * Carrying moves (flow/moves/moves.h) out on MPI ranks: what `crosswind-mpi move` does, for programs that move data of
 * their own.
 *
 *     struct cw_move_setup setup = {.comm = MPI_COMM_WORLD, .moves = &moves, .wait = cw_wait_choose(MPI_COMM_WORLD)};
 *     struct cw_move *move;
 *     if (cw_move_new(&setup, &move) || cw_move_run(move, data, &seconds)) … cw_error_message() …
 *     cw_move_free(move);
 *
 * Chunks are messages of their own, with a sum that every rank they pass checks. Relays hold `credits` chunks of each
 * stream; messages of room go back for what they have sent on. A rank works on all its streams at once, and answers
 * others until all have finished.
 *
 * Nobody waits for ever: a rank that something is awaited from, and that has not been heard of for `patience`, is an
 * error that names it, with what is awaited. So is a chunk that was changed. Who finds an error tells all ranks that
 * still listen, and they return it, too. Then messages are left in the air; all that can follow is MPI_Abort.
 */
#ifndef CW_MPI_MOVE_H
#define CW_MPI_MOVE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/moves/moves.h"
#include "mpi/wait_mode.h"

CW_BEGIN_DECLS

#define CW_MOVE_PATIENCE 10. /* s */

struct cw_move_setup {
    MPI_Comm comm;
    const struct cw_moves *moves; /* verified; the same on all ranks; borrowed */
    const uint32_t *ranks;        /* [moves->n_ranks] whose they are in comm; NULL: the same numbers. Copied */
    enum cw_wait_mode wait;
    double patience; /* s; 0: CW_MOVE_PATIENCE */
};

struct cw_move;

/* Collective over `comm`, of which every rank takes part, also those without steps. CW_EUSAGE for moves of more ranks
 * than there are; CW_ELIMIT for chunks above 1 GiB or more streams than MPI has tags. All ranks get the same error. */
int cw_move_new(const struct cw_move_setup *setup, struct cw_move **out);

/* Collective, unless cw_move_run has failed. NULL is nobody's. */
void cw_move_free(struct cw_move *move);

/* Moves the data; collective: all ranks must come within `patience` of each other. DATA[d] is where the bytes of demand
 * d are, at its source, or are put, at its destination; not looked at for other demands. *SECONDS: until this rank had
 * received and sent all that is its own. Errors: see above; CW_EIO. */
int cw_move_run(struct cw_move *move, void *const *data, double *seconds);

/* True if cw_move_run has failed for what this rank itself has found, false if it was told: so that one prints it. */
bool cw_move_found(const struct cw_move *move);

CW_END_DECLS

#endif
