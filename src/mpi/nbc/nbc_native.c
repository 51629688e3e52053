#include "base/error.h"
#include "mpi/nbc/nbc_internal.h"

int nbc_start_native(const struct cw_nbc_call *c, MPI_Request *request)
{
    switch (c->collective) {
    case CW_COLLECTIVE_BCAST:
        return NBC_COUNTED(PMPI_Ibcast)(c->recv, c->recv_count, c->recv_type, c->root, c->comm, request);
    case CW_COLLECTIVE_REDUCE:
        return NBC_COUNTED(PMPI_Ireduce)(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->root, c->comm,
                                         request);
    case CW_COLLECTIVE_ALLREDUCE:
        return NBC_COUNTED(PMPI_Iallreduce)(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->comm, request);
    case CW_COLLECTIVE_SCATTER:
        return NBC_COUNTED(PMPI_Iscatter)(c->send, c->send_count, c->send_type, c->recv, c->recv_count, c->recv_type,
                                          c->root, c->comm, request);
    case CW_COLLECTIVE_GATHER:
        return NBC_COUNTED(PMPI_Igather)(c->send, c->send_count, c->send_type, c->recv, c->recv_count, c->recv_type,
                                         c->root, c->comm, request);
    case CW_COLLECTIVE_ALLGATHER:
        return NBC_COUNTED(PMPI_Iallgather)(c->send, c->send_count, c->send_type, c->recv, c->recv_count, c->recv_type,
                                            c->comm, request);
    case CW_COLLECTIVE_ALLTOALL:
        return NBC_COUNTED(PMPI_Ialltoall)(c->send, c->send_count, c->send_type, c->recv, c->recv_count, c->recv_type,
                                           c->comm, request);
    case CW_COLLECTIVE_REDUCE_SCATTER: /* not carried */
    case CW_COLLECTIVE_BARRIER:
        break;
    }
    return MPI_ERR_ARG;
}

int nbc_fail_of_mpi(const char *what, int code)
{
    char why[MPI_MAX_ERROR_STRING];
    int class, length;
    PMPI_Error_class(code, &class);
    PMPI_Error_string(class, why, &length);
    return cw_fail(CW_EIO, "%s: %s", what, why);
}

int cw_nbc_begin_native(const struct cw_nbc_call *call, MPI_Request *request)
{
    int code = nbc_start_native(call, request);
    return code == MPI_SUCCESS ? 0 : nbc_fail_of_mpi("MPI could not start a collective", code);
}
