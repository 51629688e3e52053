/*
 * The collective operations that are measured. Adding one: a descriptor in bench_operation.c.
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

#include "base/registry.h"
#include "mpi/bench/bench_wait.h"

/* One operation made ready for the ranks of one communicator. Starts zeroed. */
struct call {
    const struct operation *operation;
    MPI_Comm comm; /* borrowed */
    int rank, n, root;
    size_t bytes;
    int count;
    MPI_Datatype type;
    MPI_Op combine;
    unsigned char *send, *receive;
    enum cw_wait_mode mode;
};

struct operation {
    const char *name;
    bool no_bytes;                        /* takes no size */
    bool reduces;                         /* combines what ranks send */
    bool rooted, root_sends;              /* only the root receives; only the root sends */
    bool all_send, all_receive;           /* what is sent, or received, has a part of `bytes` for each rank */
    void (*run)(const struct call *call); /* blocking */
    void (*start)(const struct call *call, MPI_Request *request);
    double (*expected)(const struct call *call, size_t index); /* what call_check must receive; NULL: nothing */
};

extern const struct operation operations[]; /* ended by one without a name */
extern const struct cw_registry operation_registry;

/* BYTES of OPERATION on COMM. 0, CW_ENOMEM, or CW_ELIMIT for more than MPI counts. */
int call_new(const struct operation *operation, size_t bytes, int root, MPI_Comm comm, enum cw_wait_mode mode,
             struct call *out);
void call_free(struct call *call);

/* Carries it out once: with mode CW_WAIT_SPIN by the blocking function of MPI, else by the one that does not block and
 * tests. 0 or CW_EINTERRUPTED. */
int call_run(const struct call *call);

/* Bytes that this rank has room for to receive. */
size_t call_received(const struct call *call);

/* Data that are known: puts them into the buffers; CW_EINTERNAL if they did not become what they should; and both, with
 * the operation between. */
void call_fill(const struct call *call);
int call_verify(const struct call *call);
int call_check(const struct call *call);

#endif
