/*
 * Communicators get their names where they are made. Those that are made in other ways, such as MPI_Comm_idup, remain
 * MPI's own.
 */
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/preload.h"

static int name(int code, MPI_Comm parent, bool by_all, const MPI_Comm *child)
{
    if (code == MPI_SUCCESS) nbc_comm_made(parent, by_all, *child); /* which is MPI's own if that fails */
    return code;
}

/* By all ranks of PARENT. */
static int settle(int code, MPI_Comm parent, const MPI_Comm *child)
{
    return name(code, parent, true, child);
}

int cw_preload_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    return settle(PMPI_Comm_dup(comm, out), comm, out);
}

int cw_preload_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out)
{
    return settle(PMPI_Comm_dup_with_info(comm, info, out), comm, out);
}

int cw_preload_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    return settle(PMPI_Comm_create(comm, group, out), comm, out);
}

int cw_preload_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
    return name(PMPI_Comm_create_group(comm, group, tag, out), comm, false, out);
}

int cw_preload_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    return settle(PMPI_Comm_split(comm, color, key, out), comm, out);
}

int cw_preload_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    return settle(PMPI_Comm_split_type(comm, type, key, info, out), comm, out);
}

int cw_preload_Cart_create(MPI_Comm comm, int n, const int sizes[], const int periodic[], int reorder, MPI_Comm *out)
{
    return settle(PMPI_Cart_create(comm, n, sizes, periodic, reorder, out), comm, out);
}

int cw_preload_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *out)
{
    return settle(PMPI_Cart_sub(comm, kept, out), comm, out);
}

int cw_preload_Graph_create(MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *out)
{
    return settle(PMPI_Graph_create(comm, n, index, edges, reorder, out), comm, out);
}

int cw_preload_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[],
                                 const int weights[], MPI_Info info, int reorder, MPI_Comm *out)
{
    return settle(PMPI_Dist_graph_create(comm, n, sources, degrees, targets, weights, info, reorder, out), comm, out);
}

int cw_preload_Dist_graph_create_adjacent(MPI_Comm comm, int ins, const int sources[], const int source_weights[],
                                          int outs, const int targets[], const int target_weights[], MPI_Info info,
                                          int reorder, MPI_Comm *out)
{
    return settle(PMPI_Dist_graph_create_adjacent(comm, ins, sources, source_weights, outs, targets, target_weights,
                                                  info, reorder, out),
                  comm, out);
}

int cw_preload_Intercomm_merge(MPI_Comm between, int high, MPI_Comm *out)
{
    return name(PMPI_Intercomm_merge(between, high, out), between, false, out);
}
