/* For LD_PRELOAD: a profiling tool. It counts what the program calls, and rank 0 prints that at the end. */
#include <mpi.h>
#include <stdio.h>

static int begun, reductions, waits;

int MPI_Init(int *argc, char ***argv)
{
    begun++;
    return PMPI_Init(argc, argv);
}

int MPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    reductions++;
    return PMPI_Iallreduce(send, recv, count, type, op, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    waits++;
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    waits++;
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("tool: %d begun, %d reductions, %d waits\n", begun, reductions, waits);
    return PMPI_Finalize();
}
