/*
 * Nonblocking collectives that proceed while the program computes: communication cores do the work for the ranks of
 * their host (the idea: Split-tree nonblocking collectives, 2018).
 *
 *     MPI_Init_thread(…, cw_nbc_thread_level(), …); cw_nbc_init();
 *     cw_nbc_request request;
 *     cw_nbc_ibcast(data, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
 *     … compute …
 *     if (cw_nbc_wait(&request)) … cw_nbc_error_message() …
 *     MPI_Finalize();
 *
 * Arguments are those of the functions of MPI whose names these have, and mean the same: any root, any communicator,
 * any datatype, any operation, MPI_IN_PLACE. Buffers belong to the operation until it is complete; of those in memory
 * of a device are left to MPI, or copied by it. All ranks of a communicator call its collectives in the same order;
 * those of MPI and these may be mixed, and wait for nobody at the call. The type of a request is our own: complete it
 * with the functions below.
 *
 * What is not worth it is left to MPI's own function inside the same request: messages shorter than CROSSWIND_NBC_MIN,
 * intercommunicators, communicators that cw_nbc_comm_prepare was not told of, a host without a core to spare;
 * communicators that span hosts if any host is such a one, or MPI was not initialised as cw_nbc_thread_level says; and
 * everything before cw_nbc_init or without it. So are messages of 2 GiB and more where MPI has no functions of large
 * counts. Datatypes that are not contiguous are packed at the call and unpacked in wait or test. Operations that are
 * the user's, and predefined ones on types that are no plain numbers, are applied by the ranks in wait or test, in the
 * order of ranks. Reductions of floating-point numbers add up in a fixed order: results are the same in every run.
 *
 * Ranks that do not ask for the same get an error (CW_EUSAGE), all of them, before a byte moves.
 *
 * Functions return 0 or a negative code of base/error.h (message: cw_nbc_error_message), never abort and never print. A
 * failed operation is complete; where it spans hosts, ranks of one host may get the error, and the others wrong data. A
 * rank that has ended while others wait for it is an error of theirs; all that can follow is MPI_Abort. Errors of MPI's
 * own functions go to the error handler of the communicator first.
 *
 * Functions may be called by several threads if MPI was initialised with MPI_THREAD_MULTIPLE, as MPI's own may.
 *
 * Environment, of rank 0; its table is in nbc/nbc_settings.c:
 *     CROSSWIND_NBC            off: all collectives are left to MPI
 *     CROSSWIND_NBC_CORES      communication cores of each host, as 3 or 0,4-7; without it, those that ranks leave free
 *     CROSSWIND_NBC_MIN        messages of a rank that are shorter are left to MPI (32KiB)
 *     CROSSWIND_NBC_SCHEDULE   auto; slices:F, the fraction F of all bytes on communication cores; split-tree:S
 *     CROSSWIND_NBC_TUNING     what crosswind-mpi overlap --tuning has measured: auto, what is kept here; a file; off
 *     CROSSWIND_NBC_HOSTS      how hosts pass on what spans them: auto, fabric, chain, binomial, k-nomial:K, ring;
 *                              native: left to MPI
 *     CROSSWIND_NBC_FABRIC     what crosswind tree has predicted: auto, what is kept; a file; off
 *     CROSSWIND_NBC_VERBOSE    yes: one line a host says what is used
 *
 * The library is complete in itself: loading it brings nothing else into a program. Its messages are its own, too.
 */
#ifndef CW_MPI_NBC_H
#define CW_MPI_NBC_H

#include <mpi.h>

#include "base/decls.h"

CW_BEGIN_DECLS

typedef struct cw_nbc_request *cw_nbc_request; /* NULL: no request */

/* What to ask MPI_Init_thread for, at least, so that communicators that span hosts can be ours: MPI_THREAD_MULTIPLE
 * where the launcher says that there are several hosts, since a thread exchanges messages with those of others while
 * ranks compute; else MPI_THREAD_SINGLE. */
int cw_nbc_thread_level(void);

/* Makes what the ranks of a host share, and starts the threads on communication cores. Collective over MPI_COMM_WORLD,
 * once, after MPI_Init. MPI_Finalize ends it; so does cw_nbc_finalize, earlier, which is collective, too, and after
 * which everything is MPI's own. Calling either twice does nothing. Fails alike on all ranks of a host. */
int cw_nbc_init(void);
int cw_nbc_finalize(void);

/* Makes COMM known, so that operations on it can be ours; collective, waits for all its ranks. MPI_COMM_WORLD is known
 * from cw_nbc_init on. Operations on a communicator that is not known are MPI's own. Does nothing where COMM is left to
 * MPI. */
int cw_nbc_comm_prepare(MPI_Comm comm);

/* 0: from now on operations are MPI's own; else ours again. All ranks call it at the same point of their sequence of
 * collectives. Returns what was before. */
int cw_nbc_enable(int on);

/* *REQUEST: the operation that was started. */
int cw_nbc_ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_ireduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                   cw_nbc_request *request);
int cw_nbc_iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      cw_nbc_request *request);
int cw_nbc_iscatter(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                    MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_igather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                   MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_iallgather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                      MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_ialltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                     MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request);

/* Persistent operations: *REQUEST is inactive until cw_nbc_start, and again when it is complete; it is the caller's
 * until cw_nbc_request_free. Datatypes and operations must live as long. */
int cw_nbc_bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_reduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                       cw_nbc_request *request);
int cw_nbc_allreduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          cw_nbc_request *request);
int cw_nbc_scatter_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                        MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_gather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                       MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                          MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                         MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request);
int cw_nbc_start(cw_nbc_request *request);

/* Completion. A request that is complete becomes NULL, or inactive if it is persistent; NULL and inactive requests
 * count as complete. *DONE is 0 or 1. Of several errors the first is returned, and all requests that are complete are
 * dealt with. _waitany: *INDEX is MPI_UNDEFINED, _waitsome: *N is MPI_UNDEFINED, where no request is active. */
int cw_nbc_test(cw_nbc_request *request, int *done);
int cw_nbc_wait(cw_nbc_request *request);
int cw_nbc_testall(int count, cw_nbc_request requests[], int *done);
int cw_nbc_waitall(int count, cw_nbc_request requests[]);
int cw_nbc_waitany(int count, cw_nbc_request requests[], int *index);
int cw_nbc_waitsome(int count, cw_nbc_request requests[], int *n, int indices[]);

/* Of an active request: waits for it first, since its buffers are in use. *REQUEST becomes NULL. NULL is nobody's. */
int cw_nbc_request_free(cw_nbc_request *request);

/* This thread's last message. */
const char *cw_nbc_error_message(void);

CW_END_DECLS

#endif
