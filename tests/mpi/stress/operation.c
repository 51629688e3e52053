/* One operation: its buffers, how it is started, and what it must have done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init     MPIX_Bcast_init
#define MPI_Reduce_init    MPIX_Reduce_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Scatter_init   MPIX_Scatter_init
#define MPI_Gather_init    MPIX_Gather_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Alltoall_init  MPIX_Alltoall_init
#endif

enum { MARGIN = 64 }; /* bytes around data that nobody may touch */

static const char *const names[KINDS] = {"bcast",  "reduce",    "allreduce", "scatter",
                                         "gather", "allgather", "alltoall",  "message"};

static bool reduces(const struct operation *o)
{
    return o->kind == REDUCE || o->kind == ALLREDUCE;
}

static int sort_of(const struct operation *o)
{
    return reduces(o) ? reductions[o->what].sort : o->what;
}

static unsigned char *new_bytes(size_t bytes)
{
    unsigned char *data = malloc(bytes);
    if (data) return data;
    fprintf(stderr, "stress: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

void operation_prepare(struct operation *o)
{
    const struct sort *sort = &sorts[sort_of(o)];
    int size;
    MPI_Comm_size(comms[o->comm], &size);
    MPI_Comm_rank(comms[o->comm], &o->rank);
    const size_t block = (size_t)o->count * (size_t)sort->extent, all = block * (size_t)size;
    const bool many_sent = o->kind == SCATTER || o->kind == ALLTOALL;
    const bool many_received = o->kind == GATHER || o->kind == ALLGATHER || o->kind == ALLTOALL;
    o->send_bytes = (many_sent ? all : block) + 2 * MARGIN;
    o->recv_bytes = (many_received ? all : block) + 2 * MARGIN;
    o->send = new_bytes(o->send_bytes);
    o->recv = new_bytes(o->recv_bytes);
    o->expected_send = new_bytes(o->send_bytes);
    o->expected_recv = new_bytes(o->recv_bytes);
}

static void fill(const struct operation *o, uint64_t state, unsigned char *data, size_t bytes)
{
    fill_raw(&state, data, MARGIN);
    (reduces(o) ? reductions[o->what].fill : fill_raw)(&state, data + MARGIN, bytes - 2 * MARGIN);
    fill_raw(&state, data + bytes - MARGIN, MARGIN);
}

void operation_fill(struct operation *o, unsigned wave)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fill(o, key(o->key, 2 * wave, (uint64_t)rank, 1), o->send, o->send_bytes);
    fill(o, key(o->key, 2 * wave + 1, (uint64_t)rank, 1), o->recv, o->recv_bytes);
    memcpy(o->expected_send, o->send, o->send_bytes);
    memcpy(o->expected_recv, o->recv, o->recv_bytes);
}

/* Arguments of its functions. */
struct arguments {
    const void *send;
    void *recv;
    int sends, receives;
    MPI_Datatype sent, received;
    MPI_Op op;
};

/* What means something at the root only may be anything elsewhere. */
static void drop_what_roots_need(const struct operation *o, struct arguments *a)
{
    if (o->kind == SCATTER) {
        a->send = NULL;
        a->sends = 0;
    }
    if (o->kind == REDUCE || o->kind == GATHER) a->recv = NULL;
    if (o->kind == GATHER) {
        a->receives = 0;
        a->received = MPI_DATATYPE_NULL;
    }
}

static struct arguments arguments_of(const struct operation *o, unsigned char *send, unsigned char *recv)
{
    const struct sort *sort = &sorts[sort_of(o)];
    const MPI_Datatype type = sort_make(sort_of(o));
    const int rank = o->rank;
    struct arguments a = {send + MARGIN, recv + MARGIN, o->count, o->count, type, type, MPI_OP_NULL};
    if (o->parted && !reduces(o) && sort->parts > 0 && !(o->kind == BCAST && rank == o->root)) {
        a.receives = o->count * sort->parts;
        a.received = sort->part;
    }
    if (reduces(o)) a.op = reduction_make(o->what);
    if (rank != o->root && o->key % 2) drop_what_roots_need(o, &a);
    if (!o->in_place) return a;
    const bool sends = (o->kind == REDUCE || o->kind == GATHER) ? rank == o->root : o->kind != SCATTER;
    if (o->kind == SCATTER && rank == o->root) { /* the others decide by what they receive, the root by what it sends */
        a.recv = MPI_IN_PLACE;
        a.receives = 0;
        a.received = MPI_DATATYPE_NULL;
    }
    if (sends) a.send = MPI_IN_PLACE;
    if (o->kind == ALLTOALL || o->kind == ALLGATHER || (o->kind == GATHER && sends)) { /* blocks as they are received */
        a.receives = o->count;
        a.received = type;
    }
    return a;
}

/* The types and operations are in use, or will not be: MPI keeps what it needs. */
static void release(const struct operation *o, MPI_Datatype type, MPI_Op op)
{
    sort_free(sort_of(o), &type);
    if (reduces(o)) reduction_free(o->what, &op);
}

void operation_free(struct operation *o)
{
    if (o->persistent) {
        MPI_Request_free(&o->requests[0]);
        release(o, o->kept_type, o->kept_op);
    }
    free(o->send);
    free(o->recv);
    free(o->expected_send);
    free(o->expected_recv);
}

void operation_init(struct operation *o)
{
    struct arguments a = arguments_of(o, o->send, o->recv);
    const MPI_Comm comm = comms[o->comm];
    MPI_Request *r = o->requests;
    if (o->kind == BCAST)
        MPI_Bcast_init(a.recv, a.receives, a.received, o->root, comm, MPI_INFO_NULL, r);
    else if (o->kind == REDUCE)
        MPI_Reduce_init(a.send, a.recv, a.sends, a.sent, a.op, o->root, comm, MPI_INFO_NULL, r);
    else if (o->kind == ALLREDUCE)
        MPI_Allreduce_init(a.send, a.recv, a.sends, a.sent, a.op, comm, MPI_INFO_NULL, r);
    else if (o->kind == SCATTER)
        MPI_Scatter_init(a.send, a.sends, a.sent, a.recv, a.receives, a.received, o->root, comm, MPI_INFO_NULL, r);
    else if (o->kind == GATHER)
        MPI_Gather_init(a.send, a.sends, a.sent, a.recv, a.receives, a.received, o->root, comm, MPI_INFO_NULL, r);
    else if (o->kind == ALLGATHER)
        MPI_Allgather_init(a.send, a.sends, a.sent, a.recv, a.receives, a.received, comm, MPI_INFO_NULL, r);
    else
        MPI_Alltoall_init(a.send, a.sends, a.sent, a.recv, a.receives, a.received, comm, MPI_INFO_NULL, r);
    o->kept_type = a.sent; /* Open MPI 4 and MPICH 4.0 do not keep what persistent ones need */
    o->kept_op = a.op;
}

/* To the next rank from the one before. */
static void start_message(const struct operation *o, const struct arguments *a)
{
    int rank, size;
    MPI_Comm_rank(comms[o->comm], &rank);
    MPI_Comm_size(comms[o->comm], &size);
    MPI_Irecv(a->recv, a->receives, a->received, (rank + size - 1) % size, 1, comms[o->comm], &o->requests[0]);
    MPI_Isend(a->send, a->sends, a->sent, (rank + 1) % size, 1, comms[o->comm], &o->requests[1]);
}

void operation_start(struct operation *o)
{
    if (o->persistent) {
        MPI_Start(o->requests);
        return;
    }
    struct arguments a = arguments_of(o, o->send, o->recv);
    const MPI_Comm comm = comms[o->comm];
    MPI_Request *r = o->requests;
    if (o->kind == BCAST)
        MPI_Ibcast(a.recv, a.receives, a.received, o->root, comm, r);
    else if (o->kind == REDUCE)
        MPI_Ireduce(a.send, a.recv, a.sends, a.sent, a.op, o->root, comm, r);
    else if (o->kind == ALLREDUCE)
        MPI_Iallreduce(a.send, a.recv, a.sends, a.sent, a.op, comm, r);
    else if (o->kind == SCATTER)
        MPI_Iscatter(a.send, a.sends, a.sent, a.recv, a.receives, a.received, o->root, comm, r);
    else if (o->kind == GATHER)
        MPI_Igather(a.send, a.sends, a.sent, a.recv, a.receives, a.received, o->root, comm, r);
    else if (o->kind == ALLGATHER)
        MPI_Iallgather(a.send, a.sends, a.sent, a.recv, a.receives, a.received, comm, r);
    else if (o->kind == ALLTOALL)
        MPI_Ialltoall(a.send, a.sends, a.sent, a.recv, a.receives, a.received, comm, r);
    else
        start_message(o, &a);
    release(o, a.sent, a.op);
}

static void run_reference(const struct operation *o, struct arguments *a)
{
    const MPI_Comm comm = references[o->comm];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (o->kind == BCAST)
        MPI_Bcast(a->recv, a->receives, a->received, o->root, comm);
    else if (o->kind == REDUCE)
        MPI_Reduce(a->send, a->recv, a->sends, a->sent, a->op, o->root, comm);
    else if (o->kind == ALLREDUCE)
        MPI_Allreduce(a->send, a->recv, a->sends, a->sent, a->op, comm);
    else if (o->kind == SCATTER)
        MPI_Scatter(a->send, a->sends, a->sent, a->recv, a->receives, a->received, o->root, comm);
    else if (o->kind == GATHER)
        MPI_Gather(a->send, a->sends, a->sent, a->recv, a->receives, a->received, o->root, comm);
    else if (o->kind == ALLGATHER)
        MPI_Allgather(a->send, a->sends, a->sent, a->recv, a->receives, a->received, comm);
    else if (o->kind == ALLTOALL)
        MPI_Alltoall(a->send, a->sends, a->sent, a->recv, a->receives, a->received, comm);
    else
        MPI_Sendrecv(a->send, a->sends, a->sent, (rank + 1) % size, 1, a->recv, a->receives, a->received,
                     (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
}

/* Gaps of pairs mean nothing: the values are compared. */
static bool same(const struct operation *o, const unsigned char *a, const unsigned char *b, size_t bytes, size_t *at)
{
    const bool padded = reduces(o) && reductions[o->what].padded;
    if (!padded && memcmp(a, b, bytes) == 0) return true;
    for (size_t i = 0; i < bytes; i++) {
        const bool gap = padded && i >= MARGIN && i < bytes - MARGIN && (i - MARGIN) % 16 >= 12;
        *at = i;
        if (a[i] != b[i] && !gap) return false;
    }
    return true;
}

void operation_check(const struct operation *o, const char *where)
{
    struct arguments a = arguments_of(o, o->expected_send, o->expected_recv);
    run_reference(o, &a);
    release(o, a.sent, a.op);
    size_t at = 0;
    const bool sent = same(o, o->send, o->expected_send, o->send_bytes, &at);
    if (sent && same(o, o->recv, o->expected_recv, o->recv_bytes, &at)) return;
    fprintf(stderr, "stress: %s: rank %d of %s: %s%s of %d × %s%s, root %d%s: %s buffer differs at byte %lld of %lld\n",
            where, o->rank, comm_names[o->comm], o->persistent ? "persistent " : "", names[o->kind], o->count,
            reduces(o) ? reductions[o->what].name : sorts[o->what].name, o->parted ? " (parts)" : "", o->root,
            o->in_place ? ", in place" : "", sent ? "receive" : "send", (long long)at - MARGIN,
            (long long)(sent ? o->recv_bytes : o->send_bytes) - 2 * MARGIN);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
