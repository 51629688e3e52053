/*
 * Communicators are made known to us where they are made, which waits for all of their ranks anyway. Those that are
 * made in other ways are at their first operation, which may then have to wait for its ranks to wait for it.
 */
#include "mpi/nbc/preload.h"

static int settle(int code, const MPI_Comm *comm)
{
    if (code == MPI_SUCCESS) cw_nbc_comm_prepare(*comm); /* which is MPI's own if that fails */
    return code;
}

int cw_preload_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    return settle(PMPI_Comm_dup(comm, out), out);
}

int cw_preload_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out)
{
    return settle(PMPI_Comm_dup_with_info(comm, info, out), out);
}

int cw_preload_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    return settle(PMPI_Comm_create(comm, group, out), out);
}

int cw_preload_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
    return settle(PMPI_Comm_create_group(comm, group, tag, out), out);
}

int cw_preload_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    return settle(PMPI_Comm_split(comm, color, key, out), out);
}

int cw_preload_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    return settle(PMPI_Comm_split_type(comm, type, key, info, out), out);
}

int cw_preload_Cart_create(MPI_Comm comm, int n, const int sizes[], const int periodic[], int reorder, MPI_Comm *out)
{
    return settle(PMPI_Cart_create(comm, n, sizes, periodic, reorder, out), out);
}

int cw_preload_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *out)
{
    return settle(PMPI_Cart_sub(comm, kept, out), out);
}
