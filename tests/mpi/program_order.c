/* In which order four hosts, of one rank each, add numbers: prints 1 where rank 1 and rank 3 meet first, and else 0. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const double numbers[] = {0, 1e16, 1, -1e16};
    double sum;
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ireduce(&numbers[rank % 4], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
