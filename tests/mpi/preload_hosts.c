/* For tests: loaded before the MPI library, ranks are on hosts of their own, h0, h1, …: each on one, or as many as the
 * environment variable RANKS_A_HOST says, one after another. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int own_host(void)
{
    int rank;
    const char *each = getenv("RANKS_A_HOST");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank / (each ? atoi(each) : 1);
}

int PMPI_Get_processor_name(char *name, int *length)
{
    *length = sprintf(name, "h%d", own_host());
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length)
{
    return PMPI_Get_processor_name(name, length);
}

/* Only by what ranks share is asked for here. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    (void)info;
    return PMPI_Comm_split(comm, type == MPI_COMM_TYPE_SHARED ? own_host() : MPI_UNDEFINED, key, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    return PMPI_Comm_split_type(comm, type, key, info, out);
}
