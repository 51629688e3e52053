/*
 * Communicators that are freed while two operations on each are under way; when one is complete, others are made in
 * their place.
 *
 *   freed [ROUNDS [COUNT]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void start(MPI_Comm parent, uint32_t *data, int count, int rank, int root, MPI_Request requests[2])
{
    MPI_Comm comm;
    MPI_Comm_dup(parent, &comm);
    for (int i = 0; i < 2; i++) {
        uint32_t *part = data + (size_t)i * (size_t)count;
        for (int j = 0; j < count; j++) part[j] = rank == root ? (uint32_t)(i * 1000 + j + root) : 0;
        MPI_Ibcast(part, count, MPI_UINT32_T, root, comm, &requests[i]);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 8, count = argc > 2 ? atoi(argv[2]) : 20000;
    uint32_t *data = malloc(4 * (size_t)count * sizeof *data);
    uint64_t checksum = 0, all;
    for (int round = 0; round < rounds; round++) {
        MPI_Request requests[4];
        start(MPI_COMM_WORLD, data, count, rank, round % ranks, requests);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        start(MPI_COMM_WORLD, data + 2 * (size_t)count, count, rank, (round + 1) % ranks, requests + 2);
        MPI_Waitall(3, requests + 1, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4 * count; i++) checksum = checksum * 33 + data[i];
    }
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("freed: %016llx\n", (unsigned long long)all);
    free(data);
    MPI_Finalize();
    return 0;
}
