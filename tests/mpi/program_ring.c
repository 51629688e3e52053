/* program_ring BYTES [sleep]: each rank says where it is, sends BYTES to the next one and checks what it receives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME 64

static int exchange(int rank, int size, int bytes)
{
    unsigned char *sent = malloc((size_t)bytes), *received = calloc((size_t)bytes, 1);
    const int before = (rank + size - 1) % size;
    if (!sent || !received) return 1;
    for (int i = 0; i < bytes; i++) sent[i] = (unsigned char)(i * 7 + rank);
    MPI_Sendrecv(sent, bytes, MPI_BYTE, (rank + 1) % size, 0, received, bytes, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int wrong = 0;
    for (int i = 0; i < bytes; i++) wrong += received[i] != (unsigned char)(i * 7 + before);
    free(sent);
    free(received);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, size;
    char name[NAME] = {0}, *names = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(name, sizeof name - 1);
    if (rank == 0 && !(names = malloc((size_t)size * NAME))) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(name, NAME, MPI_CHAR, names, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; names && i < size; i++) printf("%d %d %s\n", i, size, names + (size_t)i * NAME);
    fflush(stdout);
    free(names);
    if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
    int wrong = exchange(rank, size, atoi(argv[1])), all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (argc > 2 && strcmp(argv[2], "sleep") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(10000);
    }
    MPI_Finalize();
    return all != 0;
}
