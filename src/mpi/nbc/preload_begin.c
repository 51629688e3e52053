/* Starting collectives under the preload library: those that cw_nbc_takes are ours, all others MPI's own. */
#include <stdatomic.h>

#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_type.h"
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_requests.h"

#if MPI_VERSION < 4 /* Open MPI 4 has persistent collectives under names of its own */
#include <mpi-ext.h>
#define PMPI_Bcast_init     PMPIX_Bcast_init
#define PMPI_Reduce_init    PMPIX_Reduce_init
#define PMPI_Allreduce_init PMPIX_Allreduce_init
#define PMPI_Scatter_init   PMPIX_Scatter_init
#define PMPI_Gather_init    PMPIX_Gather_init
#define PMPI_Allgather_init PMPIX_Allgather_init
#define PMPI_Alltoall_init  PMPIX_Alltoall_init
#endif

static atomic_ullong left; /* to MPI */

unsigned long long preload_calls_left(void)
{
    return left;
}

/* Threads that are here together may count once; an addition that is locked takes longer than the rest. */
static int leave(void)
{
    atomic_store_explicit(&left, atomic_load_explicit(&left, memory_order_relaxed) + 1, memory_order_relaxed);
    return CW_NBC_LEFT_TO_MPI;
}

static bool is_ours(const struct cw_nbc_call *call)
{
    const bool taken = cw_nbc_takes(call);
    if (!taken) leave();
    return taken;
}

/* What needs no closer look, for that takes as long as MPI does for a few bytes. */
static bool is_short(nbc_count count, MPI_Datatype type)
{
    const uint64_t size = nbc_type_known_size(type);
    return size > 0 && (uint64_t)count * size < nbc_job.settings.least;
}

/* REQUEST is MPI's own, if CODE is MPI_SUCCESS; makes it ours if CALL is. */
static int persist(int code, const struct cw_nbc_call *call, MPI_Request request)
{
    return code == MPI_SUCCESS && is_ours(call) ? preload_request_persist(call, request) : code;
}

static int begin(const struct cw_nbc_call *call, MPI_Request *request)
{
    return is_ours(call) ? preload_request_begin(call, request) : CW_NBC_LEFT_TO_MPI;
}

/* Every collective has two functions, and with large counts two more: their names end in SUFFIX, and they count in
 * COUNT. */
#define BCAST_CALL                                                                                                     \
    {                                                                                                                  \
        CW_NBC_BCAST, .recv = buffer, .recv_count = count, .send_type = MPI_DATATYPE_NULL, .recv_type = type,          \
                      .op = MPI_OP_NULL, .root = root, .comm = comm                                                    \
    }

#define BCAST(SUFFIX, COUNT)                                                                                           \
    int cw_preload_Ibcast##SUFFIX(void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm,               \
                                  MPI_Request *request)                                                                \
    {                                                                                                                  \
        if (is_short(count, type)) return leave();                                                                     \
        const struct cw_nbc_call call = BCAST_CALL;                                                                    \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Bcast_init##SUFFIX(void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm,           \
                                      MPI_Info info, MPI_Request *request)                                             \
    {                                                                                                                  \
        const struct cw_nbc_call call = BCAST_CALL;                                                                    \
        int code = PMPI_Bcast_init##SUFFIX(buffer, count, type, root, comm, info, request);                            \
        return persist(code, &call, *request);                                                                         \
    }

#define REDUCE(SUFFIX, COUNT)                                                                                          \
    int cw_preload_Ireduce##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op, int root,  \
                                   MPI_Comm comm, MPI_Request *request)                                                \
    {                                                                                                                  \
        if (is_short(count, type)) return leave();                                                                     \
        const struct cw_nbc_call call = {CW_NBC_REDUCE, send, recv, count, count, type, type, op, root, comm};         \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Reduce_init##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,        \
                                       int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)                   \
    {                                                                                                                  \
        const struct cw_nbc_call call = {CW_NBC_REDUCE, send, recv, count, count, type, type, op, root, comm};         \
        int code = PMPI_Reduce_init##SUFFIX(send, recv, count, type, op, root, comm, info, request);                   \
        return persist(code, &call, *request);                                                                         \
    }

#define ALLREDUCE(SUFFIX, COUNT)                                                                                       \
    int cw_preload_Iallreduce##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,         \
                                      MPI_Comm comm, MPI_Request *request)                                             \
    {                                                                                                                  \
        if (is_short(count, type)) return leave();                                                                     \
        const struct cw_nbc_call call = {CW_NBC_ALLREDUCE, send, recv, count, count, type, type, op, 0, comm};         \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Allreduce_init##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,     \
                                          MPI_Comm comm, MPI_Info info, MPI_Request *request)                          \
    {                                                                                                                  \
        const struct cw_nbc_call call = {CW_NBC_ALLREDUCE, send, recv, count, count, type, type, op, 0, comm};         \
        int code = PMPI_Allreduce_init##SUFFIX(send, recv, count, type, op, comm, info, request);                      \
        return persist(code, &call, *request);                                                                         \
    }

/* The four that move blocks differ in their names, and two of them have a root. */
#define ROOTED(COLLECTIVE, IMMEDIATE, INIT, SUFFIX, COUNT)                                                             \
    int cw_preload_##IMMEDIATE##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,      \
                                       MPI_Datatype received, int root, MPI_Comm comm, MPI_Request *request)           \
    {                                                                                                                  \
        const struct cw_nbc_call call = {                                                                              \
            COLLECTIVE, send, recv, sends, recvs, sent, received, MPI_OP_NULL, root, comm};                            \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_##INIT##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,           \
                                  MPI_Datatype received, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) \
    {                                                                                                                  \
        const struct cw_nbc_call call = {                                                                              \
            COLLECTIVE, send, recv, sends, recvs, sent, received, MPI_OP_NULL, root, comm};                            \
        int code = PMPI_##INIT##SUFFIX(send, sends, sent, recv, recvs, received, root, comm, info, request);           \
        return persist(code, &call, *request);                                                                         \
    }
#define ROOTLESS(COLLECTIVE, IMMEDIATE, INIT, SUFFIX, COUNT)                                                           \
    int cw_preload_##IMMEDIATE##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,      \
                                       MPI_Datatype received, MPI_Comm comm, MPI_Request *request)                     \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send, recv, sends, recvs, sent, received, MPI_OP_NULL, 0, comm};  \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_##INIT##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,           \
                                  MPI_Datatype received, MPI_Comm comm, MPI_Info info, MPI_Request *request)           \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send, recv, sends, recvs, sent, received, MPI_OP_NULL, 0, comm};  \
        int code = PMPI_##INIT##SUFFIX(send, sends, sent, recv, recvs, received, comm, info, request);                 \
        return persist(code, &call, *request);                                                                         \
    }

#define COLLECTIVES(SUFFIX, COUNT)                                                                                     \
    BCAST(SUFFIX, COUNT)                                                                                               \
    REDUCE(SUFFIX, COUNT)                                                                                              \
    ALLREDUCE(SUFFIX, COUNT)                                                                                           \
    ROOTED(CW_NBC_SCATTER, Iscatter, Scatter_init, SUFFIX, COUNT)                                                      \
    ROOTED(CW_NBC_GATHER, Igather, Gather_init, SUFFIX, COUNT)                                                         \
    ROOTLESS(CW_NBC_ALLGATHER, Iallgather, Allgather_init, SUFFIX, COUNT)                                              \
    ROOTLESS(CW_NBC_ALLTOALL, Ialltoall, Alltoall_init, SUFFIX, COUNT)

COLLECTIVES(, int)
#ifdef CW_NBC_LARGE
COLLECTIVES(_c, MPI_Count)
#endif

int cw_preload_Start(MPI_Request *request)
{
    return preload_requests_among(1, request) ? preload_request_start(*request) : PMPI_Start(request);
}

int cw_preload_Startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    if (!preload_requests_among(count, requests)) return PMPI_Startall(count, requests);
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) code = cw_preload_Start(&requests[i]);
    return code;
}
