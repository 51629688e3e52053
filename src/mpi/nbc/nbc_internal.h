/*
 * One description of a call for all collectives, and the decision whose it is. For this folder and the preload library.
 */
#ifndef CW_MPI_NBC_INTERNAL_H
#define CW_MPI_NBC_INTERNAL_H

#include <stdbool.h>

#include "mpi/nbc/nbc.h"
#include "mpi/nbc/nbc_type.h"
#include "nbc/nbc_sharing.h"

/* Arguments as MPI has them. Broadcasts have `recv` alone; reductions have count and type in recv_*, and send_* the
 * same; what a collective has not is 0. */
struct cw_nbc_call {
    enum cw_collective_kind collective;
    const void *send;
    void *recv;
    nbc_count send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

static inline struct cw_nbc_call nbc_call(enum cw_collective_kind collective, const void *send, nbc_count send_count,
                                          MPI_Datatype send_type, void *recv, nbc_count recv_count,
                                          MPI_Datatype recv_type, MPI_Op op, int root, MPI_Comm comm)
{
    return (struct cw_nbc_call){collective, send, recv, send_count, recv_count, send_type, recv_type, op, root, comm};
}

/* Of the parameters of each shape (preload/nbc_functions.h). */
#define NBC_CALL_BUFFER(KIND)                                                                                          \
    nbc_call(CW_COLLECTIVE_##KIND, NULL, 0, MPI_DATATYPE_NULL, recv, recv_count, recv_type, MPI_OP_NULL, root, comm)
#define NBC_CALL_REDUCTION(KIND)                                                                                       \
    nbc_call(CW_COLLECTIVE_##KIND, send, recv_count, recv_type, recv, recv_count, recv_type, op, root, comm)
#define NBC_CALL_REDUCTION_TO_ALL(KIND)                                                                                \
    nbc_call(CW_COLLECTIVE_##KIND, send, recv_count, recv_type, recv, recv_count, recv_type, op, 0, comm)
#define NBC_CALL_BLOCKS(KIND)                                                                                          \
    nbc_call(CW_COLLECTIVE_##KIND, send, send_count, send_type, recv, recv_count, recv_type, MPI_OP_NULL, root, comm)
#define NBC_CALL_BLOCKS_OF_ALL(KIND)                                                                                   \
    nbc_call(CW_COLLECTIVE_##KIND, send, send_count, send_type, recv, recv_count, recv_type, MPI_OP_NULL, 0, comm)

enum nbc_side {
    NBC_OURS,
    NBC_LEFT,    /* to MPI's own function */
    NBC_REFUSED, /* to the same, which will not have it */
    NBC_BROKEN   /* the ranks of the communicator no longer call the same */
};

struct nbc_comm;

/* What is decided of a call, once: all that follows goes by it. */
struct nbc_decision {
    enum nbc_side side;
    struct nbc_comm *comm;         /* NULL: others do not look at what is left to MPI there */
    uint64_t bytes;                /* of ours: of a rank's message (nbc_buffers.h), … */
    bool gathered;                 /* … whether it is a reduction that ranks apply, … */
    struct cw_nbc_sharing sharing; /* … and how it is carried out */
};

/* Whose CALL is, and how it is carried out: the one function before the choice, which is asked once a call. Where all
 * ranks ask for the same, the side is the same on all of them; where they do not, those on our side find out
 * (nbc/nbc_node.h). Takes 100 ns, less for what is short. */
struct nbc_decision cw_nbc_side(const struct cw_nbc_call *call);

/* Tells the others on COMM that this call is not ours. NULL: it does not matter to them. REFUSED: MPI would not have
 * it. */
void cw_nbc_leave(const struct cw_nbc_call *call, struct nbc_comm *comm, bool refused);

/* Fails with CW_EUSAGE as COMM does, which is broken. */
int cw_nbc_fail_of_broken(const struct nbc_comm *comm);

/* 0, or CW_EUSAGE once after others have waited for a call of this rank that was left to MPI; *COMM: whose, or
 * MPI_COMM_NULL. */
int cw_nbc_hear_alarm(MPI_Comm *comm);

/* Starts CALL as DECIDED, or as is decided there and then (NULL). */
int cw_nbc_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, cw_nbc_request *request);

/* A request for CALL that is not active yet, and stays when it is complete. */
int cw_nbc_prepare(const struct cw_nbc_call *call, cw_nbc_request *request);

/* Between two looks at COUNT requests: sleeps for a moment if all that are active are ours; MPI's own must be polled.
 */
void cw_nbc_rest(int count, const cw_nbc_request requests[]);

/* Starts MPI's own function (PMPI_I…). A code of MPI; 0 or CW_EIO. */
int nbc_start_native(const struct cw_nbc_call *call, MPI_Request *request);
int cw_nbc_begin_native(const struct cw_nbc_call *call, MPI_Request *request);

/* Fails with CW_EIO because of an error CODE of MPI: WHAT, and what class of errors it is. */
int nbc_fail_of_mpi(const char *what, int code);

#endif
