/*
 * What the preload library adds to calls of MPI, beside the functions of the MPI library itself, in turn: MPI_Ibcast of
 * 8 bytes and MPI_Wait; MPI_Waitall of 2,000 messages to oneself, while the program has a long persistent collective,
 * and with that, inactive, among them; MPI_Comm_dup and MPI_Comm_free. Compiled without Crosswind; bench/overlap runs
 * it.
 *
 * Prints a line for each of the four, of rank 0: nanoseconds of MPI's own, through the library, and the median of their
 * ratios, over blocks of calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { BLOCKS = 401, CALLS = 200, MESSAGES = 1000, LONG = 1 << 20 };

/* MPI's functions: those of the program, or of the MPI library itself. */
struct functions {
    int (*ibcast)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
    int (*wait)(MPI_Request *, MPI_Status *);
    int (*waitall)(int, MPI_Request *, MPI_Status *);
    int (*dup)(MPI_Comm, MPI_Comm *);
    int (*free)(MPI_Comm *);
};

static MPI_Request persistent; /* long: the library's */

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
static double broadcasts(const struct functions *mpi)
{
    double value = 1;
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) {
        mpi->ibcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
        mpi->wait(&request, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - begin) / CALLS;
}

/* Of MPI_Waitall of N requests. */
static double messages(const struct functions *mpi, int n)
{
    static int sent[MESSAGES], got[MESSAGES];
    static MPI_Request requests[2 * MESSAGES + 1];
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i]);
        MPI_Isend(&sent[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i + 1]);
    }
    requests[2 * MESSAGES] = persistent;
    const double begin = MPI_Wtime();
    mpi->waitall(n, requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - begin;
}

static double messages_beside(const struct functions *mpi)
{
    return messages(mpi, 2 * MESSAGES);
}

/* MPI's own is not asked for one that is inactive: with MPICH 4.0.2 it would wait for ever. */
static double messages_among(const struct functions *mpi)
{
    return messages(mpi, 2 * MESSAGES + (mpi->waitall == MPI_Waitall));
}

static double communicators(const struct functions *mpi)
{
    MPI_Comm comm;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS / 10; i++) {
        mpi->dup(MPI_COMM_WORLD, &comm);
        mpi->free(&comm);
    }
    return (MPI_Wtime() - begin) / (CALLS / 10);
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

static void compare(const struct functions *native, double (*block)(const struct functions *), int rank)
{
    static const struct functions programs = {MPI_Ibcast, MPI_Wait, MPI_Waitall, MPI_Comm_dup, MPI_Comm_free};
    static double own[BLOCKS], through[BLOCKS], ratios[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) { /* either first in turn */
        if (i % 2) own[i] = block(native);
        through[i] = block(&programs);
        if (i % 2 == 0) own[i] = block(native);
        ratios[i] = through[i] / own[i];
    }
    if (rank == 0) printf("%.0f %.0f %.3f\n", 1e9 * median(own), 1e9 * median(through), median(ratios));
}

int main(int argc, char **argv)
{
    static char data[LONG];
    struct functions native;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find("MPI_Ibcast", &native.ibcast);
    find("MPI_Wait", &native.wait);
    find("MPI_Waitall", &native.waitall);
    find("MPI_Comm_dup", &native.dup);
    find("MPI_Comm_free", &native.free);
    compare(&native, broadcasts, rank);
    MPI_Bcast_init(data, LONG, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    compare(&native, messages_beside, rank);
    compare(&native, messages_among, rank);
    MPI_Request_free(&persistent);
    compare(&native, communicators, rank);
    MPI_Finalize();
    return 0;
}
