/*
 * One description of a call for all collectives, and the decision whose it is. For this folder and the preload library.
 */
#ifndef CW_MPI_NBC_INTERNAL_H
#define CW_MPI_NBC_INTERNAL_H

#include <stdbool.h>

#include "mpi/nbc/nbc.h"
#include "mpi/nbc/nbc_count.h"
#include "nbc/nbc_collective.h"

/* Arguments as MPI has them. Broadcasts have `recv` alone; reductions have count and type in recv_*, and send_* the
 * same; what a collective has not is 0. */
struct cw_nbc_call {
    enum cw_nbc_collective collective;
    const void *send;
    void *recv;
    nbc_count send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

/* Whether cw_nbc_begin would carry it out here (true) or leave it to MPI's own function (false). The same on all ranks
 * of the communicator. Takes 100 ns, less for what is short. */
bool cw_nbc_takes(const struct cw_nbc_call *call);

/* Starts CALL. */
int cw_nbc_begin(const struct cw_nbc_call *call, cw_nbc_request *request);

/* A request for CALL that is not active yet, and stays when it is complete. */
int cw_nbc_prepare(const struct cw_nbc_call *call, cw_nbc_request *request);

/* Between two looks at COUNT requests: sleeps for a moment if all that are active are ours; MPI's own must be polled.
 */
void cw_nbc_rest(int count, const cw_nbc_request requests[]);

/* Starts MPI's own function (PMPI_I…). 0 or CW_EIO. */
int cw_nbc_begin_native(const struct cw_nbc_call *call, MPI_Request *request);

/* Fails with CW_EIO because of an error CODE of MPI: WHAT, and what class of errors it is. */
int nbc_fail_of_mpi(const char *what, int code);

#endif
