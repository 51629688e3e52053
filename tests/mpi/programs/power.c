/*
 * A dense matrix is dealt out from rank 0 (MPI_Iscatter), a vector given to all (MPI_Ibcast); products are taken with a
 * vector that is collected everywhere (MPI_Iallgather); in the end rank 0 collects the vector (MPI_Igather), and a
 * product of small matrices, in which order matters, is formed with an operation of the program's own (MPI_Ireduce).
 * All modulo a prime.
 *
 *   power [SIDE [STEPS]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PRIME UINT64_C(2147483647)

/* Matrices of 2 × 2, row by row: inout = in · inout. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const uint64_t *a = in;
    uint64_t *b = inout;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        const uint64_t c[4] = {(a[0] * b[0] + a[1] * b[2]) % PRIME, (a[0] * b[1] + a[1] * b[3]) % PRIME,
                               (a[2] * b[0] + a[3] * b[2]) % PRIME, (a[2] * b[1] + a[3] * b[3]) % PRIME};
        for (int k = 0; k < 4; k++) b[k] = c[k];
    }
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % PRIME;
}

/* The product of small matrices in the order of ranks, one for each entry of the vector. */
static void small_matrices(const uint64_t *vector, int n, int rank, uint64_t *product)
{
    MPI_Datatype small;
    MPI_Op in_order;
    MPI_Type_contiguous(4, MPI_UINT64_T, &small);
    MPI_Type_commit(&small);
    MPI_Op_create(multiply, 0, &in_order);
    uint64_t *own = malloc(4 * (size_t)n * sizeof *own);
    for (int i = 0; i < 4 * n; i++) own[i] = (vector[i % n] + (uint64_t)(i + 1) * (uint64_t)(rank + 1)) % PRIME;
    MPI_Request request;
    MPI_Ireduce(own, product, n, small, in_order, 0, MPI_COMM_WORLD, &request);
    int index;
    MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    free(own);
    MPI_Op_free(&in_order);
    MPI_Type_free(&small);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int mine = (argc > 1 ? atoi(argv[1]) : 1024) / ranks, n = mine * ranks, steps = argc > 2 ? atoi(argv[2]) : 20;
    const size_t side = (size_t)n, part = (size_t)mine;
    uint64_t state = 20181118, *matrix = NULL, *rows = malloc(part * side * sizeof *rows),
             *vector = malloc(side * sizeof *vector), *own = malloc(part * sizeof *own), *small = NULL;
    if (rank == 0) {
        matrix = malloc(side * side * sizeof *matrix);
        small = malloc(4 * side * sizeof *small);
        for (size_t i = 0; i < side * side; i++) matrix[i] = next(&state);
        for (size_t i = 0; i < side; i++) vector[i] = next(&state);
    }
    MPI_Request requests[2];
    MPI_Iscatter(matrix, mine * n, MPI_UINT64_T, rows, mine * n, MPI_UINT64_T, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(vector, n, MPI_UINT64_T, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < mine; i++) {
            uint64_t sum = 0;
            for (int j = 0; j < n; j++) sum += rows[(size_t)i * side + (size_t)j] * vector[j] % PRIME;
            own[i] = sum % PRIME;
        }
        MPI_Iallgather(own, mine, MPI_UINT64_T, vector, mine, MPI_UINT64_T, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    small_matrices(vector, n, rank, small);
    MPI_Igather(vector + (size_t)rank * part, mine, MPI_UINT64_T, matrix, mine, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &requests[0]);
    int done = 0, count;
    while (!done) MPI_Testsome(1, requests, &done, &count, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        uint64_t checksum = 0;
        for (int i = 0; i < n; i++) checksum = (checksum * 31 + matrix[i]) % PRIME;
        for (int i = 0; i < 4 * n; i++) checksum = (checksum * 31 + small[i]) % PRIME;
        printf("power: %016llx\n", (unsigned long long)checksum);
    }
    free(matrix);
    free(small);
    free(rows);
    free(vector);
    free(own);
    MPI_Finalize();
    return 0;
}
