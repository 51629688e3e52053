/*
 * Two-dimensional Fourier transforms modulo a prime (exact), rows distributed. Each transposition is an MPI_Ialltoall
 * of a derived type for half of the rows, under way while the other half is transformed. What was transformed forth and
 * back must be what it was.
 *
 *   transform [SIDE]      a power of two, a multiple of twice the ranks
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIME 998244353u /* 119·2^23 + 1; 3 generates its multiplicative group */

static uint32_t power(uint64_t base, uint32_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % PRIME)
        if (exponent & 1) result = result * base % PRIME;
    return (uint32_t)result;
}

static void transform_row(uint32_t *a, unsigned n, int inverse)
{
    for (unsigned i = 1, j = 0; i < n; i++) {
        unsigned bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const uint32_t swap = a[i];
            a[i] = a[j];
            a[j] = swap;
        }
    }
    for (unsigned length = 2; length <= n; length *= 2) {
        const uint32_t quotient = (PRIME - 1) / length, root = power(3, inverse ? PRIME - 1 - quotient : quotient);
        for (unsigned i = 0; i < n; i += length) {
            uint64_t w = 1;
            for (unsigned j = 0; j < length / 2; j++, w = w * root % PRIME) {
                const uint32_t u = a[i + j], v = (uint32_t)(w * a[i + j + length / 2] % PRIME);
                a[i + j] = (u + v) % PRIME;
                a[i + j + length / 2] = (u + PRIME - v) % PRIME;
            }
        }
    }
    if (!inverse) return;
    const uint64_t scale = power(n, PRIME - 2);
    for (unsigned i = 0; i < n; i++) a[i] = (uint32_t)(a[i] * scale % PRIME);
}

/* Transforms all rows and transposes: from `rows` to `columns`, both `mine` rows of n. */
static void pass(uint32_t *rows, uint32_t *columns, int n, int mine, int inverse)
{
    /* To each rank goes a block of half the rows and `mine` columns, column by column; there they are pieces of rows.
     */
    const int half = mine / 2;
    MPI_Datatype column, resized, block, piece, pieces;
    MPI_Type_vector(half, 1, n, MPI_UINT32_T, &column);
    MPI_Type_create_resized(column, 0, sizeof(uint32_t), &resized);
    MPI_Type_contiguous(mine, resized, &block);
    MPI_Type_commit(&block);
    MPI_Type_vector(mine, half, n, MPI_UINT32_T, &piece);
    MPI_Type_create_resized(piece, 0, mine * (MPI_Aint)sizeof(uint32_t), &pieces);
    MPI_Type_commit(&pieces);

    MPI_Request requests[2];
    for (int h = 0; h < 2; h++) {
        uint32_t *const first = rows + (size_t)h * (size_t)half * (size_t)n;
        for (int r = 0; r < half; r++) transform_row(first + (size_t)r * (size_t)n, (unsigned)n, inverse);
        MPI_Ialltoall(first, 1, block, columns + h * half, 1, pieces, MPI_COMM_WORLD, &requests[h]);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&resized);
    MPI_Type_free(&block); /* MPI keeps it while it is in use */
    MPI_Type_free(&piece);
    MPI_Type_free(&pieces);
    int done = 0;
    while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int n = argc > 1 ? atoi(argv[1]) : 1024, mine = n / ranks;
    if (n % (2 * ranks) != 0 || (n & (n - 1)) != 0) {
        if (rank == 0) fprintf(stderr, "transform: %d is no power of two that is a multiple of %d\n", n, 2 * ranks);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const size_t words = (size_t)mine * (size_t)n;
    uint32_t *data = malloc(words * sizeof *data), *other = malloc(words * sizeof *other),
             *kept = malloc(words * sizeof *kept);
    for (size_t i = 0; i < words; i++)
        kept[i] = data[i] = (uint32_t)((i + words * (size_t)rank) * UINT64_C(2654435761) % PRIME);
    pass(data, other, n, mine, 0);
    pass(other, data, n, mine, 0);
    uint64_t mixed = 0, checksum;
    for (size_t i = 0; i < words; i++) mixed += (i + words * (size_t)rank + 1) * data[i];
    MPI_Request request;
    MPI_Ireduce(&mixed, &checksum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD, &request);
    pass(data, other, n, mine, 1);
    pass(other, data, n, mine, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int same = memcmp(kept, data, words * sizeof *data) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0) printf("transform: %016llx%s\n", (unsigned long long)checksum, same ? "" : ", not restored");
    free(data);
    free(other);
    free(kept);
    MPI_Finalize();
    return same ? 0 : 1;
}
