/*
 * What is left in a process after MPI_Finalize, and whether it is quiet while nothing is under way. The same is printed
 * whatever carries the collectives out, unless that leaves something behind or goes on working.
 */
#include <dirent.h>
#include <malloc.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int entries(const char *folder)
{
    int n = 0;
    DIR *all = opendir(folder);
    while (all && readdir(all)) n++;
    if (all) closedir(all);
    return n;
}

/* Descriptors of memory without a name, which the program may want to close, as all that it has not opened. */
static int memory_files(void)
{
    int n = 0;
    char path[64], target[64];
    for (int i = 3; i < 1000; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        n += readlink(path, target, sizeof target) > 7 && memcmp(target, "/memfd:", 7) == 0;
    }
    return n;
}

/* Threads that are left: one that was waited for may still be seen for a moment. */
static int threads(void)
{
    int n = entries("/proc/self/task") - 2;
    for (int tries = 0; n > 1 && tries < 50; tries++) {
        usleep(20000);
        n = entries("/proc/self/task") - 2;
    }
    return n;
}

static double processor_time(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* Bytes that the process holds more of after many operations than before. */
static size_t growth(int *data)
{
    enum { BEFORE = 300, MANY = 1500, COUNT = 64 };
    size_t before = 0;
    for (int i = 0; i < BEFORE + MANY; i++) {
        MPI_Request request;
        MPI_Datatype pair;
        if (i == BEFORE) before = mallinfo2().uordblks;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        MPI_Ibcast(data, COUNT, pair, 0, MPI_COMM_WORLD, &request);
        MPI_Type_free(&pair);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    const size_t after = mallinfo2().uordblks;
    return after > before ? after - before : 0;
}

int main(int argc, char **argv)
{
    enum { COUNT = 1 << 18, TIMES = 30 };
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *data = calloc(COUNT, sizeof *data), *sum = calloc(COUNT, sizeof *sum);
    for (int i = 0; i < TIMES; i++) {
        MPI_Request requests[2];
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Ibcast(data, COUNT, MPI_INT, 0, copy, &requests[0]);
        MPI_Iallreduce(MPI_IN_PLACE, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&copy);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = processor_time();
    usleep(500000);
    const double used = processor_time() - before;
    const int files = memory_files();
    const bool grows = growth(data) > 100000;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) printf("remains: %d files of memory before the end%s\n", files, grows ? ", memory lost" : "");
    if (rank == 0)
        printf("remains: %d threads, %d descriptors%s\n", threads(), entries("/proc/self/fd") - 3,
               used > 0.1 ? ", busy while nothing was under way" : "");
    free(data);
    free(sum);
    return 0;
}
