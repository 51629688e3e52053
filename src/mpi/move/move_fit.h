/*
 * What sending and relaying costs on this machine: measured on two legs that moves have, with chunks as theirs.
 */
#ifndef CW_MPI_MOVE_FIT_H
#define CW_MPI_MOVE_FIT_H

#include "flow/transport/transport.h"
#include "mpi/move/move.h"
#include "mpi/together.h"
#include "net/network.h"

struct move_fit {
    struct meeting *meeting;      /* of all ranks */
    const struct cw_moves *moves; /* as planned, of NET */
    const uint32_t *seats;        /* [moves->n_ranks · ranks_each] whose they are; the first of each measures */
    uint32_t ranks_each;
    const struct cw_network *net;
};

/* WAY: sender, relay and receiver of the moves, whose legs were measured; OUT: chunks and credits of the moves, and
 * what cw_transport_fit says. Collective. CW_EUSAGE for moves that relay nothing. Errors as of move_trials_run. */
int move_fit_run(const struct move_fit *fit, uint32_t way[3], struct cw_transport *out);

#endif
