/*
 * What a call of MPI costs, for comparing it with and without libcrosswind-record: of MPI_Irecv, MPI_Isend and
 * MPI_Waitall of a message of 8 bytes to oneself, of MPI_Send to nobody, and of MPI_Allreduce of one number with
 * oneself. Compiled without Crosswind; bench/record runs it on one rank, where calls themselves cost least. Prints a
 * line for each: its name, and nanoseconds a call, the median of blocks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 201, CALLS = 3000, KINDS = 3 };

static double seconds[KINDS][BLOCKS];

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double messages(void)
{
    char sent[8] = {0}, got[8];
    MPI_Request requests[2];
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS / 3; i++) {
        MPI_Irecv(got, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(sent, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return MPI_Wtime() - begin;
}

static double sends(void)
{
    char sent[8] = {0};
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) MPI_Send(sent, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

static double reductions(void)
{
    double give = 1, get;
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) MPI_Allreduce(&give, &get, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    static double (*const kinds[KINDS])(void) = {messages, sends, reductions};
    static const char *const names[KINDS] = {"messages", "sends", "reductions"};
    MPI_Init(&argc, &argv);
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < KINDS; k++) seconds[k][b] = kinds[k]() / CALLS;
    for (int k = 0; k < KINDS; k++) {
        qsort(seconds[k], BLOCKS, sizeof(double), compare);
        printf("%s %.0f\n", names[k], 1e9 * seconds[k][BLOCKS / 2]);
    }
    MPI_Finalize();
    return 0;
}
