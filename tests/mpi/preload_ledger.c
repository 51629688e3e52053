/* For tests: loaded before the MPI library, it keeps the accounts of a program, and can make its network slow: a
 * message takes GAP_US [us] and GAP_NS [ns] for each byte to send, in which the sender sleeps. At the end each rank
 * writes what it has begun, and what of that it has not completed. */
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static unsigned long long sent, sent_bytes, received, alltoalls, barriers, yields, sent_long;
static long long begun; /* requests that are not complete */

static void note_sent(int count, MPI_Datatype type)
{
    int size;
    const char *gap = getenv("GAP_US"), *gap_of_byte = getenv("GAP_NS");
    PMPI_Type_size(type, &size);
    const double bytes = (double)count * size;
    sent++;
    sent_bytes += (unsigned long long)bytes;
    sent_long += bytes > 1024;
    if (!gap || !gap_of_byte) return;
    const double seconds = 1e-6 * atof(gap) + 1e-9 * atof(gap_of_byte) * bytes; /* less than one */
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

/* The result of what has begun *REQUEST. */
static int after_begin(int code, const MPI_Request *request)
{
    begun += *request != MPI_REQUEST_NULL;
    return code;
}

static int count_of(int n, const MPI_Request *requests)
{
    int there = 0;
    for (int i = 0; i < n; i++) there += requests[i] != MPI_REQUEST_NULL;
    return there;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    note_sent(n, type);
    return after_begin(PMPI_Isend(data, n, type, to, tag, comm, request), request);
}

int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    note_sent(n, type);
    return after_begin(PMPI_Issend(data, n, type, to, tag, comm, request), request);
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    note_sent(n, type);
    return PMPI_Send(data, n, type, to, tag, comm);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    received++;
    return after_begin(PMPI_Irecv(data, n, type, from, tag, comm, request), request);
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    received++;
    return PMPI_Recv(data, n, type, from, tag, comm, status);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Ibarrier(comm, request), request);
}

int MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Ibcast(data, n, type, root, comm, request), request);
}

int MPI_Iallreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Iallreduce(in, out, n, type, op, comm, request), request);
}

int MPI_Ireduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    return after_begin(PMPI_Ireduce(in, out, n, type, op, root, comm, request), request);
}

#define BLOCKS const void *in, int n, MPI_Datatype type, void *out, int n_out, MPI_Datatype type_out

int MPI_Iallgather(BLOCKS, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Iallgather(in, n, type, out, n_out, type_out, comm, request), request);
}

int MPI_Ialltoall(BLOCKS, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Ialltoall(in, n, type, out, n_out, type_out, comm, request), request);
}

int MPI_Igather(BLOCKS, int root, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Igather(in, n, type, out, n_out, type_out, root, comm, request), request);
}

int MPI_Iscatter(BLOCKS, int root, MPI_Comm comm, MPI_Request *request)
{
    return after_begin(PMPI_Iscatter(in, n, type, out, n_out, type_out, root, comm, request), request);
}

int MPI_Alltoall(BLOCKS, MPI_Comm comm)
{
    alltoalls++;
    return PMPI_Alltoall(in, n, type, out, n_out, type_out, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

int MPI_Cancel(MPI_Request *request)
{
    received--;
    return PMPI_Cancel(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    begun -= count_of(1, request);
    return PMPI_Wait(request, status);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    const int before = count_of(1, request), code = PMPI_Test(request, done, status);
    begun -= before - count_of(1, request);
    return code;
}

int MPI_Testall(int n, MPI_Request requests[], int *done, MPI_Status statuses[])
{
    const int before = count_of(n, requests), code = PMPI_Testall(n, requests, done, statuses);
    begun -= before - count_of(n, requests);
    return code;
}

int MPI_Testsome(int n, MPI_Request requests[], int *n_done, int which[], MPI_Status statuses[])
{
    const int before = count_of(n, requests), code = PMPI_Testsome(n, requests, n_done, which, statuses);
    begun -= before - count_of(n, requests);
    return code;
}

/* Of the program itself; MPI libraries do so, too. */
int sched_yield(void)
{
    Dl_info caller;
    static int (*yield)(void);
    if (!yield) *(void **)&yield = dlsym(RTLD_NEXT, "sched_yield");
    if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname && strstr(caller.dli_fname, "crosswind-mpi"))
        yields++;
    return yield();
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(
        stderr,
        "ledger: rank %d sent %llu bytes %llu received %llu open %lld long %llu alltoalls %llu barriers %llu yields "
        "%llu slack %d\n",
        rank, sent, sent_bytes, received, begun, sent_long, alltoalls, barriers, yields, prctl(PR_GET_TIMERSLACK));
    return PMPI_Finalize();
}
