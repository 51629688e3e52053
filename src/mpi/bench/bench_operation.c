#include "mpi/bench/bench_operation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- data that are known ------------------------------------------------------------------------------------------ */

/* Element INDEX of what RANK sends to rank TO: small numbers, so that sums of doubles are exact. */
static unsigned char sent(int rank, int to, size_t index)
{
    return (unsigned char)((size_t)rank * 7 + (size_t)to * 3 + index % 13 + 1);
}

static double combined(const struct call *call, size_t index)
{
    double sum = 0;
    unsigned bits = 0;
    for (int rank = 0; rank < call->n; rank++) {
        sum += sent(rank, 0, index);
        bits |= sent(rank, 0, index);
    }
    return call->type == MPI_DOUBLE ? sum : bits;
}

static double of_root(const struct call *call, size_t index)
{
    return sent(call->root, 0, index);
}

static double of_root_to_me(const struct call *call, size_t index)
{
    return sent(call->root, call->rank, index);
}

static double of_all(const struct call *call, size_t index)
{
    return sent((int)(index / call->bytes), call->operation->all_send ? call->rank : 0, index % call->bytes);
}

/* Parts of `bytes` that this rank sends, and receives. */
static size_t parts_sent(const struct call *call)
{
    const struct operation *operation = call->operation;
    return operation->all_send && (!operation->root_sends || call->rank == call->root) ? (size_t)call->n : 1;
}

static size_t parts_received(const struct call *call)
{
    const struct operation *operation = call->operation;
    return operation->all_receive && (!operation->rooted || call->rank == call->root) ? (size_t)call->n : 1;
}

/* --- operations --------------------------------------------------------------------------------------------------- */

#define REDUCED call->send, call->receive, call->count, call->type, call->combine

static void run_allreduce(const struct call *call)
{
    MPI_Allreduce(REDUCED, call->comm);
}

static void start_allreduce(const struct call *call, MPI_Request *request)
{
    MPI_Iallreduce(REDUCED, call->comm, request);
}

static void run_reduce(const struct call *call)
{
    MPI_Reduce(REDUCED, call->root, call->comm);
}

static void start_reduce(const struct call *call, MPI_Request *request)
{
    MPI_Ireduce(REDUCED, call->root, call->comm, request);
}

static void run_bcast(const struct call *call)
{
    MPI_Bcast(call->receive, call->count, call->type, call->root, call->comm);
}

static void start_bcast(const struct call *call, MPI_Request *request)
{
    MPI_Ibcast(call->receive, call->count, call->type, call->root, call->comm, request);
}

static void run_barrier(const struct call *call)
{
    MPI_Barrier(call->comm);
}

static void start_barrier(const struct call *call, MPI_Request *request)
{
    MPI_Ibarrier(call->comm, request);
}

#define GATHERED call->send, call->count, call->type, call->receive, call->count, call->type, call->comm

static void run_alltoall(const struct call *call)
{
    MPI_Alltoall(GATHERED);
}

static void start_alltoall(const struct call *call, MPI_Request *request)
{
    MPI_Ialltoall(GATHERED, request);
}

static void run_allgather(const struct call *call)
{
    MPI_Allgather(GATHERED);
}

static void start_allgather(const struct call *call, MPI_Request *request)
{
    MPI_Iallgather(GATHERED, request);
}

#define ROOTED call->send, call->count, call->type, call->receive, call->count, call->type, call->root, call->comm

static void run_scatter(const struct call *call)
{
    MPI_Scatter(ROOTED);
}

static void start_scatter(const struct call *call, MPI_Request *request)
{
    MPI_Iscatter(ROOTED, request);
}

static void run_gather(const struct call *call)
{
    MPI_Gather(ROOTED);
}

static void start_gather(const struct call *call, MPI_Request *request)
{
    MPI_Igather(ROOTED, request);
}

const struct operation operations[] = {
    {.name = "allreduce", .run = run_allreduce, .start = start_allreduce, .reduces = true, .expected = combined},
    {.name = "reduce", .run = run_reduce, .start = start_reduce, .reduces = true, .rooted = true, .expected = combined},
    {.name = "bcast", .run = run_bcast, .start = start_bcast, .expected = of_root},
    {.name = "barrier", .run = run_barrier, .start = start_barrier, .no_bytes = true},
    {.name = "alltoall",
     .run = run_alltoall,
     .start = start_alltoall,
     .all_send = true,
     .all_receive = true,
     .expected = of_all},
    {.name = "scatter",
     .run = run_scatter,
     .start = start_scatter,
     .all_send = true,
     .root_sends = true,
     .expected = of_root_to_me},
    {.name = "gather",
     .run = run_gather,
     .start = start_gather,
     .all_receive = true,
     .rooted = true,
     .expected = of_all},
    {.name = "allgather", .run = run_allgather, .start = start_allgather, .all_receive = true, .expected = of_all},
    {.name = NULL},
};

const struct cw_registry operation_registry = {.items = operations,
                                               .size = sizeof *operations,
                                               .near = "unknown operation '%s'; did you mean %s?",
                                               .none = "unknown operation '%s'; expected one of %s"};

/* --- calls -------------------------------------------------------------------------------------------------------- */

int call_new(const struct operation *operation, size_t bytes, int root, MPI_Comm comm, enum cw_wait_mode mode,
             struct call *out)
{
    struct call call = {.operation = operation, .comm = comm, .root = root, .mode = mode, .type = MPI_BYTE};
    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.n);
    call.bytes = operation->no_bytes ? 0 : bytes;
    call.combine = MPI_BOR;
    if (operation->reduces && bytes % sizeof(double) == 0) {
        call.type = MPI_DOUBLE;
        call.combine = MPI_SUM;
    }
    if (call.bytes > INT_MAX || SIZE_MAX / (size_t)call.n < call.bytes)
        return cw_fail(CW_ELIMIT, "%zu bytes of %s are more than one call of MPI takes", bytes, operation->name);
    call.count = (int)(call.type == MPI_DOUBLE ? call.bytes / sizeof(double) : call.bytes);
    call.send = cw_new_array(parts_sent(&call), call.bytes, "data to send");
    call.receive = cw_new_array(parts_received(&call), call.bytes, "data to receive");
    if (!call.send || !call.receive) {
        call_free(&call);
        return CW_ENOMEM;
    }
    *out = call;
    return 0;
}

size_t call_received(const struct call *call)
{
    return parts_received(call) * call->bytes;
}

void call_free(struct call *call)
{
    free(call->send);
    free(call->receive);
    *call = (struct call){0};
}

int call_run(const struct call *call)
{
    MPI_Request request;
    if (call->mode == CW_WAIT_SPIN) {
        call->operation->run(call);
        return 0;
    }
    call->operation->start(call, &request);
    return wait_for(call->mode, &request);
}

static void put(const struct call *call, unsigned char *data, size_t index, unsigned char value)
{
    const double real = value;
    if (call->type == MPI_DOUBLE)
        memcpy(data + index * sizeof real, &real, sizeof real);
    else
        data[index] = value;
}

static double get(const struct call *call, size_t index)
{
    double real = call->receive[call->type == MPI_DOUBLE ? 0 : index];
    if (call->type == MPI_DOUBLE) memcpy(&real, call->receive + index * sizeof real, sizeof real);
    return real;
}

void call_fill(const struct call *call)
{
    if (call->bytes == 0) return;
    const size_t count = (size_t)call->count;
    for (size_t i = 0; i < parts_sent(call) * count; i++)
        put(call, call->send, i, sent(call->rank, (int)(i / count), i % count));
    if (call->operation->all_receive) memset(call->receive, 0, call_received(call));
    /* A broadcast has one buffer. */
    for (size_t i = 0; i < count && !call->operation->all_receive; i++)
        put(call, call->receive, i,
            call->rank == call->root && !call->operation->all_send ? sent(call->rank, 0, i) : 0);
}

int call_verify(const struct call *call)
{
    const struct operation *operation = call->operation;
    if (call->bytes == 0 || (operation->rooted && call->rank != call->root)) return 0;
    const size_t n = parts_received(call) * (size_t)call->count;
    for (size_t i = 0; i < n; i++)
        if (get(call, i) != operation->expected(call, i))
            return cw_fail(CW_EINTERNAL, "%s of %zu bytes delivers a wrong element %zu: %g, expected %g",
                           operation->name, call->bytes, i, get(call, i), operation->expected(call, i));
    return 0;
}

int call_check(const struct call *call)
{
    call_fill(call);
    const int rc = call_run(call);
    return rc ? rc : call_verify(call);
}
