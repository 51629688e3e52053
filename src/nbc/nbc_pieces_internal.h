/*
 * Pieces: what an executor does at once, a chunk of a message.
 */
#ifndef CW_NBC_PIECES_INTERNAL_H
#define CW_NBC_PIECES_INTERNAL_H

#include "nbc/nbc_segment_internal.h"

#define FAN 64 /* ranks that one piece of a broadcast serves at most */

struct operation {
    struct cw_nbc_node *node;
    uint32_t comm, n; /* n ranks */
    struct slot *slot;
    struct post *posts; /* [n] */
};

struct piece {
    uint32_t chunk, n_chunks; /* the first, and how many; all of one message */
    uint32_t n_strands;       /* 0: of the operation's only strand */
    uint32_t strands[FAN];
};

/* The number on the host of RANK of the communicator. */
static inline uint32_t host_rank(const struct operation *o, uint32_t rank)
{
    return members_of(o->node, o->comm)[rank];
}

/* Each rank has to do with the root alone, apart from the others: it has a strand of its own. */
static inline bool is_apart(enum cw_collective_kind collective)
{
    return cw_collective_is_rooted(collective) && !cw_collectives[collective].reduces;
}

/* Chunks of a message of WORK, at least 1. */
uint32_t cw_nbc_message_chunks(const struct cw_nbc_work *work);

/* Chunks of a strand of WORK among N ranks, at least 1. */
uint32_t cw_nbc_chunks(const struct cw_nbc_work *work, uint32_t n);

/* Moves or combines the bytes of PIECE. 0, or an errno with the rank whose memory it was. */
int cw_nbc_execute(const struct cw_nbc_executor *executor, const struct operation *operation, const struct piece *piece,
                   uint32_t *error_rank);

#endif
