/*
 * Data for moves whose every byte is known: what `crosswind-mpi move` moves and then looks at. The data of one rank are
 * laid out as the function of MPI wants them that moves the same, so that both move the same bytes between the same
 * places.
 *
 * Word i (8 bytes) of demand d is a hash of (key, d, i), and what rank r adds to a sum one of (key, d, r, i). With a
 * new key for each repetition nothing that an earlier one
 * left can pass for data that have arrived.
 */
#ifndef CW_STUDY_MOVE_MOVE_DATA_H
#define CW_STUDY_MOVE_MOVE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/moves/moves.h"

CW_BEGIN_DECLS

enum cw_move_call {
    CW_MOVE_ALLTOALLV,
    CW_MOVE_ALLTOALL,
    CW_MOVE_BCAST,
    CW_MOVE_ALLGATHER,
    CW_MOVE_ALLGATHERV,
    CW_MOVE_REDUCE,
    CW_MOVE_REDUCE_SCATTER,
    CW_MOVE_REDUCE_SCATTER_BLOCK,
    CW_MOVE_ALLREDUCE
};

extern const char *const cw_move_calls[]; /* "MPI_Alltoallv", …: by enum cw_move_call */

/* What of MPI moves the data of MOVES among N ranks of a program. CW_EUSAGE for data of which some are for one rank and
 * some for all, or some are added up and others are not. */
int cw_move_call_of(const struct cw_moves *moves, uint32_t n, enum cw_move_call *out);

/* Whether CALL gives all ranks that take part the same data, or adds up theirs: then it is of these ranks alone, in the
 * program's order. */
static inline bool cw_move_call_shares(enum cw_move_call call)
{
    return call >= CW_MOVE_BCAST;
}

/* Whether it adds up words. */
static inline bool cw_move_call_adds(enum cw_move_call call)
{
    return call >= CW_MOVE_REDUCE;
}

/* What one rank sends or receives, by the program's ranks. */
struct cw_move_side {
    unsigned char *buffer;
    int *counts, *places; /* [n] in units */
};

struct cw_move_data {
    const struct cw_moves *moves; /* borrowed */
    uint32_t self;                /* rank of the moves; CW_NONE: of none */
    uint32_t n;                   /* the program's ranks */
    uint64_t unit; /* bytes: 1, or a power of two where counts of bytes would be beyond an int; of sums a word */
    enum cw_move_call call;
    struct cw_move_side sent, received; /* of CW_MOVE_ALLTOALL each rank's count is the same, its own one, too */
    struct cw_move_side shared; /* instead, if the call shares: everybody's data, by the ranks that take part and have
                                 * them at first, or get them in the end */
    unsigned char *block;       /* where MPI adds up the part of this rank, of shared.counts[part] units */
    int part, root; /* this rank's number among these, and that of CW_MOVE_BCAST's and CW_MOVE_REDUCE's root */
    void **demands; /* [moves->n_demands] where each demand's data are here; NULL: they are not */
};

/* The data of rank SELF (CW_NONE: of a rank without a part) of MOVES, where SEATS[r] of the program's N ranks is rank
 * r. Places and counts are at most LIMIT, e.g. INT_MAX: where bytes are too many, all ranks count in greater units, and
 * demands begin at whole ones. CW_ENOMEM or CW_ELIMIT if the data do not fit into memory; else as cw_move_call_of. */
int cw_move_data_new(const struct cw_moves *moves, uint32_t self, const uint32_t *seats, uint32_t n, int limit,
                     struct cw_move_data *out);
void cw_move_data_free(struct cw_move_data *data);

/* Takes what MPI has added up into `block` to where the moves put it. MPI_Allreduce adds in place. */
void cw_move_data_settle(struct cw_move_data *data);

/* Writes what this rank sends or adds, by KEY. */
void cw_move_data_fill(struct cw_move_data *data, uint64_t key);

/* Looks at every byte that it has received. CW_EIO: "byte 17 of demand 3, h0 to h2, did not arrive"; of sums "… the sum
 * to h2, …". */
int cw_move_data_check(const struct cw_move_data *data, uint64_t key);

CW_END_DECLS

#endif
