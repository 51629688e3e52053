/*
 * Persistent collectives, started again and again, alone and together with persistent messages: MPI 4's, or those that
 * Open MPI 4 offers as MPIX_.
 *
 *   persistent [ROUNDS [COUNT]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init     MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoall_init  MPIX_Alltoall_init
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 50, count = (argc > 2 ? atoi(argv[2]) : 65536) / ranks * ranks;
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    uint32_t *given = calloc(1, bytes), *sum = calloc(1, bytes), *turned = calloc(1, bytes), *told = calloc(1, bytes),
             token = (uint32_t)rank, passed = 0;
    enum { BCAST, ALLREDUCE, ALLTOALL, SEND, RECEIVE, ALL };
    MPI_Request requests[ALL];
    MPI_Bcast_init(told, count, MPI_UINT32_T, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[BCAST]);
    MPI_Allreduce_init(given, sum, count, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[ALLREDUCE]);
    MPI_Alltoall_init(given, count / ranks, MPI_UINT32_T, turned, count / ranks, MPI_UINT32_T, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &requests[ALLTOALL]);
    MPI_Send_init(&token, 1, MPI_UINT32_T, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[SEND]);
    MPI_Recv_init(&passed, 1, MPI_UINT32_T, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[RECEIVE]);
    uint64_t checksum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            given[i] = (uint32_t)(i * 31 + round * 7 + rank);
            if (rank == ranks - 1) told[i] = (uint32_t)(i ^ round);
        }
        if (round % 2) {
            MPI_Startall(ALL, requests);
            MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int i = 0; i < ALL; i++) MPI_Start(&requests[i]);
            for (int done = 0; !done;) MPI_Test(&requests[ALLTOALL], &done, MPI_STATUS_IGNORE);
            for (int i = 0; i < ALL; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        token = passed + 1;
        for (int i = 0; i < count; i++) checksum = checksum * 33 + sum[i] + (uint64_t)turned[i] * 3 + told[i];
        checksum += passed;
    }
    uint64_t all;
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("persistent: %016llx\n", (unsigned long long)all);
    for (int i = 0; i < ALL; i++) MPI_Request_free(&requests[i]);
    free(given);
    free(sum);
    free(turned);
    free(told);
    MPI_Finalize();
    return 0;
}
