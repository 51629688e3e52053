/*
 * What an operation does on its own rank, because it needs MPI or the user's code: packing before, unpacking and the
 * user's reductions after.
 */
#ifndef CW_MPI_NBC_BUFFERS_H
#define CW_MPI_NBC_BUFFERS_H

#include "mpi/nbc/nbc_internal.h"
#include "nbc/nbc_node.h"

/* Bytes of a rank's message without gaps: the vector, or a block. The same on all ranks; ME: of this one, looked at for
 * scatter and gather. */
uint64_t nbc_message_bytes(const struct cw_nbc_call *call, int me);

/* Reductions that are no plain numbers' are gathers of what all ranks have, laid out as it is in their memory. */
bool nbc_is_gathered(const struct cw_nbc_call *call);

/* Whether the result is the same bytes in whatever order ranks are combined: not of reductions of floating-point
 * numbers, nor of operations of the program's own. */
bool nbc_is_exact(const struct cw_nbc_call *call);

/* Bytes of a rank's vector as it lies in memory, with gaps. */
uint64_t nbc_span_bytes(const struct cw_nbc_call *call);

struct nbc_buffers {
    bool gathered;         /* a reduction, which the ranks apply */
    char *sent, *received; /* ours, packed; NULL: the program's own */
    char *room;            /* for what this rank passes on in a tree */
};

/* What has to be done of CALL, which is ours as DECIDED, by rank ME of N, and with which memory. Packs. Free with
 * nbc_buffers_free. */
int nbc_buffers_prepare(const struct cw_nbc_call *call, int n, int me, const struct nbc_decision *decided,
                        struct cw_nbc_work *work, struct cw_nbc_part *part, struct nbc_buffers *buffers);

/* After it is done: unpacks, and reduces in the order of ranks. */
int nbc_buffers_finish(const struct cw_nbc_call *call, int n, int me, const struct nbc_buffers *buffers);

void nbc_buffers_free(struct nbc_buffers *buffers);

#endif
