/*
 * Loaded before the preload library, turns blocking collectives of any program into nonblocking and persistent ones, by
 * turns, and completes each by another function: so that test suites of MPI, most of which call blocking ones, test the
 * library. NONBLOCKING_VERBOSE in the environment: each rank says at its end how many.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init     MPIX_Bcast_init
#define MPI_Reduce_init    MPIX_Reduce_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Scatter_init   MPIX_Scatter_init
#define MPI_Gather_init    MPIX_Gather_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Alltoall_init  MPIX_Alltoall_init
#endif

#define EXPORTED __attribute__((visibility("default")))

static const char *const functions[] = {"Wait",    "Test",     "Waitall",  "Testall",           "Waitany",
                                        "Testany", "Waitsome", "Testsome", "Request_get_status"};
enum { FUNCTIONS = sizeof functions / sizeof *functions, OURS = 1 };

static _Thread_local unsigned completions;
static _Atomic unsigned turned[2][FUNCTIONS];

/* Every second one of a communicator: all ranks have to agree. */
static bool is_persistent(MPI_Comm comm)
{
    static int key = MPI_KEYVAL_INVALID;
    intptr_t *turn = NULL;
    int found = 0;
    if (comm == MPI_COMM_NULL) return false;
    if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_get_attr(comm, key, &turn, &found);
    const intptr_t number = found ? (intptr_t)turn + 1 : 0;
    MPI_Comm_set_attr(comm, key, (void *)number);
    return number % 2;
}

/* Beside nobody's request, so that positions mean something; each function says which request it has completed. */
static int complete_by(unsigned function, MPI_Request requests[2], int *done)
{
    MPI_Status statuses[2];
    int code = MPI_SUCCESS, at = OURS, some[2] = {OURS};
    *done = function % 2 == 0;
    switch (function) {
    case 0:
        code = MPI_Wait(&requests[OURS], MPI_STATUS_IGNORE);
        break;
    case 1:
        code = MPI_Test(&requests[OURS], done, MPI_STATUS_IGNORE);
        break;
    case 2:
        code = MPI_Waitall(2, requests, statuses);
        break;
    case 3:
        code = MPI_Testall(2, requests, done, statuses);
        break;
    case 4:
        code = MPI_Waitany(2, requests, &at, MPI_STATUS_IGNORE);
        break;
    case 5:
        code = MPI_Testany(2, requests, &at, done, MPI_STATUS_IGNORE);
        break;
    case 6:
        code = MPI_Waitsome(2, requests, done, some, statuses);
        break;
    case 7:
        code = MPI_Testsome(2, requests, done, some, statuses);
        break;
    default:
        for (*done = 0; !*done && code == MPI_SUCCESS;)
            code = MPI_Request_get_status(requests[OURS], done, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS) code = MPI_Wait(&requests[OURS], MPI_STATUS_IGNORE);
    }
    const int one = *done == 1 && at == OURS && some[0] == OURS;
    return code == MPI_SUCCESS && *done && !one ? MPI_ERR_INTERN : code;
}

static int complete(MPI_Request *request, bool persistent)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, *request};
    int done = 0, code = MPI_SUCCESS;
    unsigned function = completions++ % FUNCTIONS;
#ifdef MPICH_VERSION
    if (persistent && function == 3) function = 2; /* MPICH 4.0.2's own fail in Testall */
#endif
    turned[persistent][function]++;
    while (!done && code == MPI_SUCCESS) code = complete_by(function, requests, &done);
    if (persistent && requests[OURS] == MPI_REQUEST_NULL) code = MPI_ERR_REQUEST; /* it is inactive, and still there */
    if (persistent) MPI_Request_free(&requests[OURS]);
    return code == MPI_SUCCESS && requests[OURS] != MPI_REQUEST_NULL ? MPI_ERR_REQUEST : code;
}

/* How many calls of this rank were turned into what, and completed by each function. */
static __attribute__((destructor)) void tell(void)
{
    if (!getenv("NONBLOCKING_VERBOSE")) return;
    for (int persistent = 0; persistent < 2; persistent++)
        for (int i = 0; i < FUNCTIONS; i++)
            if (turned[persistent][i] > 0)
                fprintf(stderr, "preload_nonblocking: %s %s %u\n", persistent ? "persistent" : "nonblocking",
                        functions[i], turned[persistent][i]);
}

#define COMPLETE(COMM, NAME, INIT, ...)                                                                                \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        const bool persistent = is_persistent(COMM);                                                                   \
        int code = persistent ? INIT(__VA_ARGS__, MPI_INFO_NULL, &request) : NAME(__VA_ARGS__, &request);              \
        if (code == MPI_SUCCESS && persistent) code = MPI_Start(&request);                                             \
        return code == MPI_SUCCESS ? complete(&request, persistent) : code;                                            \
    }

EXPORTED int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
    COMPLETE(comm, MPI_Ibcast, MPI_Bcast_init, buffer, count, type, root, comm)

        EXPORTED
    int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
        COMPLETE(comm, MPI_Ireduce, MPI_Reduce_init, send, recv, count, type, op, root, comm)

            EXPORTED
    int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
        COMPLETE(comm, MPI_Iallreduce, MPI_Allreduce_init, send, recv, count, type, op, comm)

            EXPORTED int MPI_Scatter(const void *send, int sends, MPI_Datatype sent, void *recv, int recvs,
                                     MPI_Datatype received, int root, MPI_Comm comm)
                COMPLETE(comm, MPI_Iscatter, MPI_Scatter_init, send, sends, sent, recv, recvs, received, root, comm)

                    EXPORTED
    int MPI_Gather(const void *send, int sends, MPI_Datatype sent, void *recv, int recvs, MPI_Datatype received,
                   int root, MPI_Comm comm)
        COMPLETE(comm, MPI_Igather, MPI_Gather_init, send, sends, sent, recv, recvs, received, root, comm)

            EXPORTED int MPI_Allgather(const void *send, int sends, MPI_Datatype sent, void *recv, int recvs,
                                       MPI_Datatype received, MPI_Comm comm)
                COMPLETE(comm, MPI_Iallgather, MPI_Allgather_init, send, sends, sent, recv, recvs, received, comm)

                    EXPORTED int MPI_Alltoall(const void *send, int sends, MPI_Datatype sent, void *recv, int recvs,
                                              MPI_Datatype received, MPI_Comm comm)
                        COMPLETE(comm, MPI_Ialltoall, MPI_Alltoall_init, send, sends, sent, recv, recvs, received, comm)
