/* A network that spoils data, for tests: loaded before the MPI library, it changes a byte of the tenth message of more
 * than a kilobyte that the rank CORRUPT sends, and one of what the rank CORRUPT_ALL receives from all. What the rank
 * STALE receives from all is lost, but for the first times. */
#include <mpi.h>
#include <stdlib.h>

static int is_named(const char *variable)
{
    int rank;
    const char *wanted = getenv(variable);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return wanted && atoi(wanted) == rank;
}

static int is_tenth(int bytes)
{
    static int sent;
    return is_named("CORRUPT") && bytes > 1024 && ++sent == 10;
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

int MPI_Alltoall(const void *send, int sent, MPI_Datatype send_type, void *receive, int received,
                 MPI_Datatype receive_type, MPI_Comm comm)
{
    const int code = PMPI_Alltoall(send, sent, send_type, receive, received, receive_type, comm);
    if (is_named("CORRUPT_ALL")) ((unsigned char *)receive)[1000] ^= 4;
    return code;
}

int MPI_Alltoallv(const void *send, const int *sent, const int *from, MPI_Datatype send_type, void *receive,
                  const int *received, const int *to, MPI_Datatype receive_type, MPI_Comm comm)
{
    const int code = PMPI_Alltoallv(send, sent, from, send_type, receive, received, to, receive_type, comm);
    if (is_named("CORRUPT_ALL")) ((unsigned char *)receive)[1000] ^= 4;
    return code;
}
