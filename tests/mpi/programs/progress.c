/*
 * Operations proceed while a rank that has started them waits for something else, in a function of MPI: on
 * communicators of every origin, and if there are hundreds at once.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 3000, MANY = 200, FEW = 64 };

static int rank, ranks;
static uint32_t checksum;

/* Rank 1 starts all of N operations and waits for a message, which rank 2 sends when its own are complete. */
static void cross(MPI_Comm comm, int n, int count)
{
    MPI_Request *requests = malloc((size_t)n * sizeof *requests);
    int size, me;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &me);
    const size_t block = (size_t)count * (size_t)size;
    uint32_t *given = malloc((size_t)n * block * sizeof *given), *turned = calloc((size_t)n * block, sizeof *turned);
    for (size_t i = 0; i < (size_t)n * block; i++) given[i] = (uint32_t)(i * 7 + (size_t)me * 13);
    for (int i = 0; i < n; i++)
        MPI_Ialltoall(given + (size_t)i * block, count, MPI_UINT32_T, turned + (size_t)i * block, count, MPI_UINT32_T,
                      comm, &requests[i]);
    if (rank == 1) MPI_Recv(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    if (rank == 2) MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < (size_t)n * block; i++) checksum = checksum * 31 + turned[i];
    free(requests);
    free(given);
    free(turned);
}

/* One of its origin, of all ranks. */
static MPI_Comm make(int origin)
{
    MPI_Comm comm = MPI_COMM_NULL, half, between;
    MPI_Request request;
    MPI_Group group;
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, no = 0, one = 1;
    int *degrees = calloc((size_t)ranks, sizeof *degrees);
    switch (origin) {
    case 0:
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &comm);
        break;
    case 2:
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, &one, MPI_INFO_NULL, 0, &comm);
        break;
    case 3:
        MPI_Graph_create(MPI_COMM_WORLD, ranks, degrees, &no, 0, &comm);
        break;
    case 4:
        MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &no, 0, &comm);
        break;
    case 5:
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &comm);
        MPI_Group_free(&group);
        break;
    default:
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &between);
        MPI_Intercomm_merge(between, rank % 2, &comm);
        MPI_Comm_free(&between);
        MPI_Comm_free(&half);
        break;
    }
    free(degrees);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int origin = 0; origin < 7; origin++) {
        MPI_Comm comm = make(origin);
        cross(comm, 3, COUNT);
        MPI_Comm_free(&comm);
    }
    cross(MPI_COMM_WORLD, MANY, FEW);
    uint32_t all;
    MPI_Reduce(&checksum, &all, 1, MPI_UINT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("progress: %08x\n", all);
    MPI_Finalize();
    return 0;
}
