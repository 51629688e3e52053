/* The public functions that start something: each makes the description of its call. */
#include "base/error.h"
#include "mpi/nbc/nbc_internal.h"

static struct cw_nbc_call bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return (struct cw_nbc_call){
        CW_COLLECTIVE_BCAST, .recv = buffer,    .recv_count = count, .send_type = MPI_DATATYPE_NULL,
        .recv_type = type,   .op = MPI_OP_NULL, .root = root,        .comm = comm};
}

static struct cw_nbc_call reduction(enum cw_collective_kind collective, const void *send, void *recv, int count,
                                    MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    return (struct cw_nbc_call){collective, send, recv, count, count, type, type, op, root, comm, false};
}

static struct cw_nbc_call movement(enum cw_collective_kind collective, const void *send, int send_count,
                                   MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type, int root,
                                   MPI_Comm comm)
{
    return (struct cw_nbc_call){collective, send,        recv, send_count, recv_count, send_type,
                                recv_type,  MPI_OP_NULL, root, comm,       false};
}

int cw_nbc_ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, cw_nbc_request *request)
{
    struct cw_nbc_call call = bcast(buffer, count, type, root, comm);
    return cw_nbc_begin(&call, request);
}

int cw_nbc_bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, cw_nbc_request *request)
{
    struct cw_nbc_call call = bcast(buffer, count, type, root, comm);
    return cw_nbc_prepare(&call, request);
}

int cw_nbc_ireduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                   cw_nbc_request *request)
{
    struct cw_nbc_call call = reduction(CW_COLLECTIVE_REDUCE, send, recv, count, type, op, root, comm);
    return cw_nbc_begin(&call, request);
}

int cw_nbc_reduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                       cw_nbc_request *request)
{
    struct cw_nbc_call call = reduction(CW_COLLECTIVE_REDUCE, send, recv, count, type, op, root, comm);
    return cw_nbc_prepare(&call, request);
}

int cw_nbc_iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      cw_nbc_request *request)
{
    struct cw_nbc_call call = reduction(CW_COLLECTIVE_ALLREDUCE, send, recv, count, type, op, 0, comm);
    return cw_nbc_begin(&call, request);
}

int cw_nbc_allreduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          cw_nbc_request *request)
{
    struct cw_nbc_call call = reduction(CW_COLLECTIVE_ALLREDUCE, send, recv, count, type, op, 0, comm);
    return cw_nbc_prepare(&call, request);
}

/* The four that move blocks differ in their names, and two of them have a root. */
#define ROOTED(NAME, COLLECTIVE)                                                                                       \
    int cw_nbc_i##NAME(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,           \
                       MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request)                       \
    {                                                                                                                  \
        struct cw_nbc_call call =                                                                                      \
            movement(COLLECTIVE, send, send_count, send_type, recv, recv_count, recv_type, root, comm);                \
        return cw_nbc_begin(&call, request);                                                                           \
    }                                                                                                                  \
    int cw_nbc_##NAME##_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,     \
                             MPI_Datatype recv_type, int root, MPI_Comm comm, cw_nbc_request *request)                 \
    {                                                                                                                  \
        struct cw_nbc_call call =                                                                                      \
            movement(COLLECTIVE, send, send_count, send_type, recv, recv_count, recv_type, root, comm);                \
        return cw_nbc_prepare(&call, request);                                                                         \
    }
#define ROOTLESS(NAME, COLLECTIVE)                                                                                     \
    int cw_nbc_i##NAME(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,           \
                       MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request)                                 \
    {                                                                                                                  \
        struct cw_nbc_call call =                                                                                      \
            movement(COLLECTIVE, send, send_count, send_type, recv, recv_count, recv_type, 0, comm);                   \
        return cw_nbc_begin(&call, request);                                                                           \
    }                                                                                                                  \
    int cw_nbc_##NAME##_init(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,     \
                             MPI_Datatype recv_type, MPI_Comm comm, cw_nbc_request *request)                           \
    {                                                                                                                  \
        struct cw_nbc_call call =                                                                                      \
            movement(COLLECTIVE, send, send_count, send_type, recv, recv_count, recv_type, 0, comm);                   \
        return cw_nbc_prepare(&call, request);                                                                         \
    }
ROOTED(scatter, CW_COLLECTIVE_SCATTER)
ROOTED(gather, CW_COLLECTIVE_GATHER)
ROOTLESS(allgather, CW_COLLECTIVE_ALLGATHER)
ROOTLESS(alltoall, CW_COLLECTIVE_ALLTOALL)

const char *cw_nbc_error_message(void)
{
    return cw_error_message();
}
