/*
 * Loaded before the preload library, turns blocking collectives of any program into nonblocking and persistent ones, by
 * turns, and completes each by another function: so that test suites of MPI, most of which call blocking ones, test the
 * library.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

enum { FUNCTIONS = 9 };

static _Thread_local unsigned completions;

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

static int complete(MPI_Request *request, bool persistent)
{
    MPI_Status status;
    int done = 0, i, code = MPI_SUCCESS;
    unsigned function = completions++ % FUNCTIONS;
#ifdef MPICH_VERSION
    if (persistent && function == 3) function = 2; /* MPICH 4.0.2's own fail in Testall */
#endif
    while (!done && code == MPI_SUCCESS) {
        done = function % 2 == 0;
        switch (function) {
        case 0:
            code = MPI_Wait(request, MPI_STATUS_IGNORE);
            break;
        case 1:
            code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
            break;
        case 2:
            code = MPI_Waitall(1, request, &status);
            break;
        case 3:
            code = MPI_Testall(1, request, &done, &status);
            break;
        case 4:
            code = MPI_Waitany(1, request, &i, MPI_STATUS_IGNORE);
            break;
        case 5:
            code = MPI_Testany(1, request, &i, &done, MPI_STATUS_IGNORE);
            break;
        case 6:
            code = MPI_Waitsome(1, request, &done, &i, &status);
            break;
        case 7:
            code = MPI_Testsome(1, request, &done, &i, &status);
            break;
        default:
            for (done = 0; !done && code == MPI_SUCCESS;)
                code = MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
            if (code == MPI_SUCCESS) code = MPI_Wait(request, MPI_STATUS_IGNORE);
        }
    }
    if (persistent) MPI_Request_free(request);
    return code;
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
