/*
 * Data in several places, which a datatype of addresses names (MPI_BOTTOM), as programs have them that communicate what
 * structures of pointers reach.
 *
 *   addresses [ROUNDS [COUNT]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 3 };

/* The COUNT numbers at each of PLACES addresses. */
static MPI_Datatype type_of(uint32_t *const places[], int count)
{
    MPI_Datatype type;
    MPI_Aint addresses[PLACES];
    int counts[PLACES];
    for (int i = 0; i < PLACES; i++) {
        MPI_Get_address(places[i], &addresses[i]);
        counts[i] = count;
    }
    MPI_Type_create_hindexed(PLACES, counts, addresses, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    return type;
}

static uint64_t sum_of(uint64_t sum, const uint32_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++) sum = sum * 33 + data[i];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, count = argc > 2 ? atoi(argv[2]) : 20000;
    const size_t bytes = (size_t)count * sizeof(uint32_t), all = PLACES * (size_t)count * (size_t)ranks;
    uint32_t *places[PLACES], *gathered = calloc(all, sizeof *gathered);
    for (int i = 0; i < PLACES; i++) places[i] = malloc(bytes);
    uint64_t checksum = 0, total;
    for (int round = 0; round < rounds; round++) {
        MPI_Datatype type = type_of(places, count);
        MPI_Request request;
        const int root = round % ranks;
        for (int i = 0; i < PLACES; i++)
            for (int j = 0; j < count; j++) places[i][j] = (uint32_t)(rank * 1000 + i * 100 + j + round);
        MPI_Igather(MPI_BOTTOM, 1, type, gathered, PLACES * count, MPI_UINT32_T, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == root) checksum = sum_of(checksum, gathered, all);
        MPI_Ibcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < PLACES; i++) checksum = sum_of(checksum, places[i], (size_t)count);
        MPI_Iscatter(gathered, PLACES * count, MPI_UINT32_T, MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < PLACES; i++) checksum = sum_of(checksum, places[i], (size_t)count);
    }
    MPI_Reduce(&checksum, &total, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("addresses: %016llx\n", (unsigned long long)total);
    for (int i = 0; i < PLACES; i++) free(places[i]);
    free(gathered);
    MPI_Finalize();
    return 0;
}
