/*
 * How often a rank sleeps until something is done, which it waits for together with a message of MPI's own: never, or
 * that message would come late. And that it does sleep where it waits for a collective alone. Prints both as words.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 20000, LATE = 100000 }; /* us */

static int waits, naps; /* whether this thread waits; how often it has slept then */
static pid_t waiting;

/* In place of the system library's own, by which the library sleeps. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    va_list list;
    long of[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++) of[i] = va_arg(list, long);
    va_end(list);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    if (waits && number == SYS_futex && (of[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && gettid() == waiting) naps++;
    return real(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

/* A broadcast by rank 1, which comes late, and a message from it, or none. */
static int count_naps(int rank, int message)
{
    static int items[COUNT], item;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 1) usleep(LATE);
    if (rank == 1 && message) MPI_Isend(&item, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    if (rank == 0 && message) MPI_Irecv(&item, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibcast(items, COUNT, MPI_INT, 1, MPI_COMM_WORLD, &requests[0]);
    naps = 0;
    waits = 1;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    waits = 0;
    return naps;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    waiting = gettid();
    const int alone = count_naps(rank, 0), together = count_naps(rank, 1);
    if (rank == 0)
        printf("%s, %s\n", alone > 0 ? "it sleeps" : "it does not sleep",
               together > 0 ? "it sleeps" : "it does not sleep");
    MPI_Finalize();
    return 0;
}
