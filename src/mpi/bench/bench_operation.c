#include "mpi/bench/bench_operation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"

/* --- data that are known ------------------------------------------------------------------------------------------ */

/* Element INDEX of what RANK sends to rank TO: small numbers, so that sums of doubles are exact. */
static unsigned char sent(int rank, int to, size_t index)
{
    return (unsigned char)((size_t)rank * 7 + (size_t)to * 3 + index % 13 + 1);
}

/* Of what all ranks send to rank TO. */
static double combined(const struct call *call, int to, size_t index)
{
    double sum = 0;
    unsigned bits = 0;
    for (int rank = 0; rank < call->n; rank++) {
        sum += sent(rank, to, index);
        bits |= sent(rank, to, index);
    }
    return call->type == MPI_DOUBLE ? sum : bits;
}

/* What element INDEX of what is received must be. */
static double expected(const struct call *call, size_t index)
{
    const struct cw_collective_traits *operation = call->operation;
    const int to = operation->gives_blocks ? call->rank : 0;
    if (operation->reduces) return combined(call, to, index);
    if (operation->takes_blocks) return sent((int)(index / call->bytes), to, index % call->bytes);
    return sent(call->root, to, index);
}

/* Parts of `bytes` that this rank sends, and receives. */
static size_t parts_sent(const struct call *call)
{
    const struct cw_collective_traits *operation = call->operation;
    return operation->gives_blocks && (!operation->root_gives || call->rank == call->root) ? (size_t)call->n : 1;
}

static size_t parts_received(const struct call *call)
{
    const struct cw_collective_traits *operation = call->operation;
    return operation->takes_blocks && (!operation->root_takes || call->rank == call->root) ? (size_t)call->n : 1;
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

static const struct {
    void (*run)(const struct call *call); /* blocking */
    void (*start)(const struct call *call, MPI_Request *request);
} functions[CW_COLLECTIVES] = {
    [CW_COLLECTIVE_BCAST] = {run_bcast, start_bcast},
    [CW_COLLECTIVE_REDUCE] = {run_reduce, start_reduce},
    [CW_COLLECTIVE_ALLREDUCE] = {run_allreduce, start_allreduce},
    [CW_COLLECTIVE_SCATTER] = {run_scatter, start_scatter},
    [CW_COLLECTIVE_GATHER] = {run_gather, start_gather},
    [CW_COLLECTIVE_ALLGATHER] = {run_allgather, start_allgather},
    [CW_COLLECTIVE_ALLTOALL] = {run_alltoall, start_alltoall},
    [CW_COLLECTIVE_BARRIER] = {run_barrier, start_barrier},
};

static bool is_measured(const void *item)
{
    return functions[cw_collective_kind_of(item)].run;
}

const struct cw_registry operation_registry = {.items = cw_collectives,
                                               .size = sizeof *cw_collectives,
                                               .has = is_measured,
                                               .near = "unknown operation '%s'; did you mean %s?",
                                               .none = "unknown operation '%s'; expected one of %s"};

/* --- calls -------------------------------------------------------------------------------------------------------- */

int call_new(const struct cw_collective_traits *operation, size_t bytes, int root, MPI_Comm comm,
             enum cw_wait_mode mode, struct call *out)
{
    struct call call = {.operation = operation, .comm = comm, .root = root, .mode = mode, .type = MPI_BYTE};
    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.n);
    call.bytes = operation->no_data ? 0 : bytes;
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

void call_start(const struct call *call, MPI_Request *request)
{
    functions[cw_collective_kind_of(call->operation)].start(call, request);
}

int call_run(const struct call *call)
{
    MPI_Request request;
    if (call->mode == CW_WAIT_SPIN) {
        functions[cw_collective_kind_of(call->operation)].run(call);
        return 0;
    }
    call_start(call, &request);
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
    const bool one_buffer = cw_collective_kind_of(call->operation) == CW_COLLECTIVE_BCAST;
    for (size_t i = 0; i < parts_sent(call) * count; i++)
        put(call, call->send, i, sent(call->rank, (int)(i / count), i % count));
    for (size_t i = 0; i < count && one_buffer && call->rank == call->root; i++)
        put(call, call->receive, i, sent(call->rank, 0, i));
}

int call_verify(const struct call *call)
{
    const struct cw_collective_traits *operation = call->operation;
    if (call->bytes == 0 || (operation->root_takes && call->rank != call->root)) return 0;
    const size_t n = parts_received(call) * (size_t)call->count;
    for (size_t i = 0; i < n; i++)
        if (get(call, i) != expected(call, i))
            return cw_fail(CW_EINTERNAL, "%s of %zu bytes delivers a wrong element %zu: %g, expected %g",
                           operation->name, call->bytes, i, get(call, i), expected(call, i));
    return 0;
}

int call_check(const struct call *call)
{
    call_fill(call);
    const int rc = call_run(call);
    return rc ? rc : call_verify(call);
}
