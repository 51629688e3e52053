/*
 * The collective operations that are measured. Adding one: its functions in bench_operation.c.
 *
 * `bytes` is what MPI's own count says: of the vector for reductions and broadcast, of what goes to (from) each other
 * rank for the others. Reductions add up doubles where bytes are a multiple of 8, else they combine bytes
 * by OR.
 */
#ifndef CW_MPI_BENCH_OPERATION_H
#define CW_MPI_BENCH_OPERATION_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/together.h"
#include "traffic/collectives.h"

/* One operation made ready for the ranks of one communicator. Starts zeroed. */
struct call {
    const struct cw_collective_traits *operation;
    MPI_Comm comm; /* borrowed */
    int rank, n, root;
    size_t bytes;
    int count;
    MPI_Datatype type;
    MPI_Op combine;
    unsigned char *send, *receive;
    enum cw_wait_mode mode;
};

extern const struct cw_registry operation_registry; /* of struct cw_collective_traits */

/* BYTES of OPERATION on COMM. 0, CW_ENOMEM, or CW_ELIMIT for more than MPI counts. */
int call_new(const struct cw_collective_traits *operation, size_t bytes, int root, MPI_Comm comm,
             enum cw_wait_mode mode, struct call *out);
void call_free(struct call *call);

/* Carries it out once: with mode CW_WAIT_SPIN by the blocking function of MPI, else by the one that does not block and
 * tests. 0 or CW_EINTERRUPTED. */
int call_run(const struct call *call);

/* Only begins it, by the function of MPI that does not block. */
void call_start(const struct call *call, MPI_Request *request);

/* Bytes that this rank has room for to receive. */
size_t call_received(const struct call *call);

/* Data that are known: puts them into the buffers, of which that for what is received is zero; CW_EINTERNAL if they did
 * not become what they should; and both, with the operation between. */
void call_fill(const struct call *call);
int call_verify(const struct call *call);
int call_check(const struct call *call);

#endif
