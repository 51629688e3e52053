/*
 * Collectives as XML files of MSCCL, which its runtimes carry out on GPUs (microsoft/msccl, Azure/msccl-executor-nccl,
 * RCCL), and a check that carries such a file out on symbols.
 *
 * What such a file means. The buffers of each rank, input, output and scratch, are cut into chunks. A rank has thread
 * blocks, all at work at once, each with one peer it sends to, one it receives from (or neither) and a channel, and
 * steps that it carries out one after another. Messages between two ranks on a channel arrive in the order in which
 * they were sent; who receives waits for them. A step may wait for a step of another block of its rank; one that waits
 * for several has steps before it that do nothing but wait. doc/formats/msccl.md has the elements and their limits.
 */
#ifndef CW_FLOW_MSCCL_H
#define CW_FLOW_MSCCL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "flow/forest/forest.h"
#include "traffic/collectives.h"

CW_BEGIN_DECLS

/* What MSCCL's runtimes have room for. */
#define CW_MSCCL_STEPS    256   /* of a thread block */
#define CW_MSCCL_BLOCKS   216   /* thread blocks of a rank */
#define CW_MSCCL_CHANNELS 32    /* of a file; */
#define CW_MSCCL_PEERS    32    /* thread blocks that send, or receive, of a rank on one of them */
#define CW_MSCCL_COUNT    71    /* chunks of a step */
#define CW_MSCCL_CHUNKS   32767 /* of a buffer */

struct cw_msccl_size {
    uint32_t chunks;   /* of the data of each root */
    uint32_t channels; /* of the file */
    uint32_t blocks;   /* of the rank that has most */
    double loss;       /* chunks are whole, trees' shares need not be: 0.01 is 1 % more time than FORESTS need */
};

/* Appends to TEXT the trees of FORESTS[0 … N - 1], which carry out KIND one after another, with INSTANCES ≥ 1 copies of
 * all thread blocks, each for a part of the data and on channels of its own. Rank i is member i. CW_ELIMIT: it is more
 * than MSCCL has room for. Steps that wait for one another are written in one order, that of their depth in trees, so
 * that none waits for ever, however little is buffered. */
int cw_msccl_write(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n,
                   enum cw_collective_kind kind, uint32_t instances, struct cw_text *text, struct cw_msccl_size *size);

/* Carries out the file of LENGTH bytes at DATA, named FILE in messages, on symbols: in several orders drawn at random,
 * in place and not, as the file says it may be used. A send ends when it is received, so that nothing rests on buffers.
 * 0: it is within the limits above, ends, and leaves what KIND from (or to) ROOT promises, each contribution once. Else
 * CW_EPARSE, with where it fails. */
int cw_msccl_check(const char *file, const char *data, size_t length, enum cw_collective_kind kind, uint32_t root);

CW_END_DECLS

#endif
