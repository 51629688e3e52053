/*
 * Communicators are made known to us where they are made, which waits for all of their ranks anyway. Those that are
 * made in other ways, such as MPI_Comm_idup, remain MPI's own.
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

int cw_preload_Graph_create(MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *out)
{
    return settle(PMPI_Graph_create(comm, n, index, edges, reorder, out), out);
}

int cw_preload_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[],
                                 const int weights[], MPI_Info info, int reorder, MPI_Comm *out)
{
    return settle(PMPI_Dist_graph_create(comm, n, sources, degrees, targets, weights, info, reorder, out), out);
}

int cw_preload_Dist_graph_create_adjacent(MPI_Comm comm, int ins, const int sources[], const int source_weights[],
                                          int outs, const int targets[], const int target_weights[], MPI_Info info,
                                          int reorder, MPI_Comm *out)
{
    return settle(PMPI_Dist_graph_create_adjacent(comm, ins, sources, source_weights, outs, targets, target_weights,
                                                  info, reorder, out),
                  out);
}

int cw_preload_Intercomm_merge(MPI_Comm between, int high, MPI_Comm *out)
{
    return settle(PMPI_Intercomm_merge(between, high, out), out);
}
