/*
 * What the preload library adds to calls that it leaves to MPI: MPI_Ibcast of 8 bytes and MPI_Wait as the program calls
 * them, beside the functions of the MPI library itself, in turn. Compiled without Crosswind; bench/overlap runs it.
 *
 * Prints, of rank 0: nanoseconds of both, and the median of their ratios, over blocks of calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 401, CALLS = 200 };

typedef int broadcast(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
typedef int await(MPI_Request *, MPI_Status *);

static void find(const char *name, void *out)
{
    static const char *const libraries[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    void *mpi = NULL;
    for (size_t i = 0; i < 3 && !mpi; i++) mpi = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    void *const found = mpi ? dlsym(mpi, name) : NULL;
    if (!found) MPI_Abort(MPI_COMM_WORLD, 1);
    memcpy(out, &found, sizeof found);
}

/* Seconds of a call and the wait for it. */
static double block(broadcast *start, await *end)
{
    double value = 1;
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) {
        start(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
        end(&request, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - begin) / CALLS;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, BLOCKS, sizeof *values, by_size);
    return values[BLOCKS / 2];
}

int main(int argc, char **argv)
{
    static double own[BLOCKS], through[BLOCKS], ratios[BLOCKS];
    broadcast *start;
    await *end;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find("MPI_Ibcast", &start);
    find("MPI_Wait", &end);
    for (int i = 0; i < BLOCKS; i++) { /* either first in turn */
        if (i % 2) own[i] = block(start, end);
        through[i] = block(MPI_Ibcast, MPI_Wait);
        if (i % 2 == 0) own[i] = block(start, end);
        ratios[i] = through[i] / own[i];
    }
    if (rank == 0) printf("%.0f %.0f %.3f\n", 1e9 * median(own), 1e9 * median(through), median(ratios));
    MPI_Finalize();
    return 0;
}
