/*
 * Heat on a ring of strips: halos travel by point to point, the norm of each step by MPI_Iallreduce, which is looked at
 * LAG steps later; one MPI_Waitall is for both. Sums are of integers, so that their order does not matter.
 *
 *   stencil [STEPS [WIDTH]]
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, LAG = 3 };

/* The sums of the columns, as fixed-point numbers. */
static void sums_of_columns(const double *cells, int width, int64_t *sums)
{
    for (int x = 0; x < width; x++) {
        sums[x] = 0;
        for (int y = 1; y <= ROWS; y++) sums[x] += llround(cells[y * width + x] * 1048576);
    }
}

static void step(const double *cells, double *next, int width)
{
    for (int y = 1; y <= ROWS; y++)
        for (int x = 0; x < width; x++) {
            const int left = (x + width - 1) % width, right = (x + 1) % width;
            next[y * width + x] =
                0.5 * cells[y * width + x] + 0.125 * (cells[(y - 1) * width + x] + cells[(y + 1) * width + x] +
                                                      cells[y * width + left] + cells[y * width + right]);
        }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int steps = argc > 1 ? atoi(argv[1]) : 40, width = argc > 2 ? atoi(argv[2]) : 20000;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t row = (size_t)width, bytes = (ROWS + 2) * row * sizeof(double);
    double *cells = malloc(bytes), *next = malloc(bytes);
    int64_t *sums = malloc(LAG * row * sizeof *sums), *total = malloc(LAG * row * sizeof *total);
    for (size_t i = 0; i < (ROWS + 2) * row; i++) cells[i] = (double)((i * 7919 + (size_t)rank * 104729) % 1000);

    MPI_Request requests[4 + LAG];
    for (int i = 0; i < 4 + LAG; i++) requests[i] = MPI_REQUEST_NULL;
    uint64_t checksum = 0;
    for (int i = 0; i < steps + LAG; i++) {
        const int slot = i % LAG, up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
        MPI_Wait(&requests[4 + slot], MPI_STATUS_IGNORE);
        if (i >= LAG)
            for (size_t x = 0; x < row; x++)
                checksum = (checksum ^ (uint64_t)total[(size_t)slot * row + x]) * UINT64_C(0x100000001b3);
        if (i >= steps) continue;
        MPI_Irecv(cells, width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(cells + (ROWS + 1) * row, width, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(cells + ROWS * row, width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(cells + row, width, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
        sums_of_columns(cells, width, sums + (size_t)slot * row);
        MPI_Iallreduce(sums + (size_t)slot * row, total + (size_t)slot * row, width, MPI_INT64_T, MPI_SUM,
                       MPI_COMM_WORLD, &requests[4 + slot]);
        if (i % 5 == 4) /* the norm, too */
            MPI_Waitall(4 + LAG, requests, MPI_STATUSES_IGNORE);
        else
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        step(cells, next, width);
        double *const swap = cells;
        cells = next;
        next = swap;
    }
    if (rank == 0) printf("stencil: %016llx\n", (unsigned long long)checksum);
    free(cells);
    free(next);
    free(sums);
    free(total);
    MPI_Finalize();
    return 0;
}
