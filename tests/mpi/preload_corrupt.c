/* A network that spoils data, for tests: loaded before the MPI library, it changes a byte of the tenth message of more
 * than a kilobyte that the rank CORRUPT sends. */
#include <mpi.h>
#include <stdlib.h>

static int is_tenth(int bytes)
{
    static int sent;
    int rank;
    const char *wanted = getenv("CORRUPT");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return wanted && atoi(wanted) == rank && bytes > 1024 && ++sent == 10;
}

static void corrupt(const void *buffer, int count, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    if (buffer != MPI_BOTTOM && is_tenth(count * size)) ((unsigned char *)(size_t)buffer)[1000] ^= 4;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    corrupt(buffer, count, type);
    return PMPI_Isend(buffer, count, type, destination, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    corrupt(buffer, count, type);
    return PMPI_Issend(buffer, count, type, destination, tag, comm, request);
}
