/* Messages and collectives of ranks_test.h, which includes this. */
#ifndef CW_TESTS_RANKS_TEST_MESSAGES_H
#define CW_TESTS_RANKS_TEST_MESSAGES_H

#include "ranks_test.h"

/* --- requests ----------------------------------------------------------------------------------------------------- */

static struct operation *begin_operation(enum kind kind, MPI_Comm comm, MPI_Request *request)
{
    int i = 0;
    while (i < job.n_open && job.open[i].kind != NOTHING) i++;
    must_be(i < OPEN, "too many requests");
    if (i == job.n_open) job.n_open++;
    job.open[i] = (struct operation){.kind = kind, .rank = self, .key = comm_of(comm)->key};
    *request = HANDLE(MPI_Request, i + 1);
    return &job.open[i];
}

static void end_operation(struct operation *operation)
{
    free(operation->data);
    *operation = (struct operation){.kind = NOTHING};
}

static struct operation *operation_of(MPI_Request request)
{
    const intptr_t number = (intptr_t)request;
    must_be(number > 0 && number <= job.n_open, "no request");
    struct operation *operation = &job.open[number - 1];
    must_be(operation->kind != NOTHING && operation->rank == self && !operation->forgotten, "a request that has ended");
    return operation;
}

/* A receive keeps its datatype, which may be freed meanwhile, as places of its own. */
struct receive {
    struct type type;
    bool typed;
};

static struct receive receives[OPEN];

static void deliver(struct operation *receive, struct operation *message)
{
    const struct receive *how = &receives[receive - job.open];
    must_be(message->bytes <= receive->bytes, "a message that is too long");
    size_t at = 0;
    for (int i = 0; how->typed && i < how->type.n && at < message->bytes; i++) {
        size_t part = (size_t)how->type.lengths[i];
        if (part > message->bytes - at) part = message->bytes - at;
        memcpy((char *)(intptr_t)how->type.places[i], message->data + at, part);
        at += part;
    }
    if (!how->typed && message->bytes) memcpy(receive->place, message->data, message->bytes);
    receive->came = message->bytes;
    receive->source = message->rank;
    receive->tag = message->tag;
    receive->ended = message->ended = true;
    wake(job.now);
}

static bool fits(const struct operation *receive, const struct operation *message)
{
    return message->kind == SEND && !message->ended && message->ready <= job.now && message->key == receive->key &&
           message->peer == receive->rank && (receive->peer < 0 || receive->peer == message->rank) &&
           receive->tag == message->tag;
}

/* The message that was sent first of those that fit. */
static uint32_t message_number;

static struct operation *first_fitting(const struct operation *receive)
{
    struct operation *first = NULL;
    for (int i = 0; i < job.n_open; i++)
        if (fits(receive, &job.open[i]) && (!first || job.open[i].number < first->number)) first = &job.open[i];
    return first;
}

/* Receives are met in the order in which they were begun. */
static void match(void)
{
    for (bool any = true; any;) {
        struct operation *first = NULL;
        for (int i = 0; i < job.n_open; i++) {
            struct operation *receive = &job.open[i];
            if (receive->kind != RECEIVE || receive->ended || receive->forgotten) continue;
            if (first_fitting(receive) && (!first || receive->number < first->number)) first = receive;
        }
        any = first != NULL;
        if (!any) break;
        struct operation *message = first_fitting(first);
        deliver(first, message);
        if (message->forgotten) end_operation(message);
    }
}

/* An error that is not to be returned ends a program. */
static int come_in(const char *name, MPI_Comm comm)
{
    const int code = come(name);
    must_be(!code || comm_of(comm)->returns, "errors are fatal");
    return code;
}

static int send(const char *name, const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request, bool waits)
{
    const int code = come_in(name, comm);
    if (code) return code;
    const struct comm *of = comm_of(comm);
    must_be(to >= 0 && to < of->n, "no rank to send to");
    if (job.send_takes)
        pause_for(job.send_takes(self, of->members[to], pack((void *)(uintptr_t)data, count, type, NULL, 0, true)));
    struct operation *message = begin_operation(SEND, comm, request);
    message->peer = of->members[to];
    message->tag = tag;
    message->waits = waits;
    message->number = message_number++;
    message->bytes = pack((void *)(uintptr_t)data, count, type, NULL, 0, true);
    message->data = malloc(message->bytes + 1);
    pack((void *)(uintptr_t)data, count, type, message->data, message->bytes, true);
    job.sent[self][message->peer]++;
    job.held[self][message->peer] += waits;
    if (job.tamper) job.tamper(self, message->peer, tag, message->data, message->bytes);
    message->ready = job.now;
    if (job.message_takes) message->ready += job.message_takes(self, message->peer, tag, message->bytes);
    wake(message->ready);
    match();
    return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return send("Isend", data, n, type, to, tag, comm, request, false);
}

int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return send("Issend", data, n, type, to, tag, comm, request, true);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    const int code = come_in("Irecv", comm);
    if (code) return code;
    const struct comm *of = comm_of(comm);
    must_be(from == MPI_ANY_SOURCE || (from >= 0 && from < of->n), "no rank to receive from");
    struct operation *receive = begin_operation(RECEIVE, comm, request);
    struct receive *how = &receives[receive - job.open];
    receive->peer = from == MPI_ANY_SOURCE ? -1 : of->members[from];
    receive->tag = tag;
    receive->number = message_number++;
    receive->place = data;
    receive->bytes = pack(data, n, type, NULL, 0, true);
    *how = (struct receive){.typed = type_of(type) != NULL};
    if (how->typed) how->type = *type_of(type);
    match();
    return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request *request)
{
    operation_of(*request)->ended = true;
    return MPI_SUCCESS;
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

static void combine(MPI_Op op, MPI_Datatype type, char *into, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += size_of(type)) {
        if (type == MPI_INT || type == MPI_UNSIGNED) {
            int a, b;
            memcpy(&a, into + at, sizeof a);
            memcpy(&b, from + at, sizeof b);
            a = op == MPI_SUM ? a + b : op == MPI_MIN ? (a < b ? a : b) : a > b ? a : b;
            memcpy(into + at, &a, sizeof a);
        } else if (type == MPI_DOUBLE) {
            double a, b;
            memcpy(&a, into + at, sizeof a);
            memcpy(&b, from + at, sizeof b);
            a = op == MPI_SUM ? a + b : op == MPI_MIN ? fmin(a, b) : fmax(a, b);
            memcpy(into + at, &a, sizeof a);
        } else if (type == MPI_UINT64_T) {
            uint64_t a, b;
            memcpy(&a, into + at, sizeof a);
            memcpy(&b, from + at, sizeof b);
            a = op == MPI_SUM ? a + b : op == MPI_MIN ? (a < b ? a : b) : a > b ? a : b;
            memcpy(into + at, &a, sizeof a);
        } else {
            must_be(op == MPI_BOR && type == MPI_BYTE, "another reduction");
            into[at] |= from[at];
        }
    }
}

/* RANK's part in the collective of OWN; NULL: it has not come. */
static struct operation *part_of(const struct operation *own, int rank)
{
    for (int i = 0; i < job.n_open; i++) {
        struct operation *other = &job.open[i];
        if (other->kind < BARRIER || other->rank != rank || other->key != own->key || other->number != own->number)
            continue;
        must_be(other->kind == own->kind && other->bytes == own->bytes && other->type == own->type &&
                    other->op == own->op && other->root == own->root,
                "ranks do not agree on a collective");
        return other;
    }
    return NULL;
}

static void finish_part(const struct comm *comm, struct operation *own, struct operation *parts[])
{
    char *place = own->place;
    const int me = own->peer;
    if (own->kind == BCAST && me != own->root) memcpy(place, parts[own->root]->data, own->bytes);
    for (int i = 0; own->kind == ALLGATHER && i < comm->n; i++)
        memcpy(place + (size_t)i * own->bytes, parts[i]->data, own->bytes);
    for (int i = 0; own->kind == GATHER && me == own->root && i < comm->n; i++)
        memcpy(place + (size_t)i * own->bytes, parts[i]->data, own->bytes);
    if (own->kind == SCATTER) memcpy(place, parts[own->root]->data + (size_t)me * own->bytes, own->bytes);
    for (int i = 0; own->kind == ALLTOALL && i < comm->n; i++)
        memcpy(place + (size_t)i * own->bytes, parts[i]->data + (size_t)me * own->bytes, own->bytes);
    const bool reduces = own->kind == ALLREDUCE || (own->kind == REDUCE && me == own->root) || own->kind == EXSCAN;
    const int n = own->kind == EXSCAN ? me : comm->n;
    for (int i = 0; reduces && i < n; i++)
        if (i == 0)
            memcpy(place, parts[i]->data, own->bytes);
        else
            combine(own->op, own->type, place, parts[i]->data, own->bytes);
    own->ready = job.now + (job.collective_takes ? job.collective_takes(own->kind, own->rank) : 0);
    own->ended = true;
    wake(own->ready);
}

/* All members have come: each gets what is its. */
static void meet(const struct comm *comm, const struct operation *own)
{
    struct operation *parts[RANKS];
    for (int i = 0; i < comm->n; i++)
        if (!(parts[i] = part_of(own, comm->members[i]))) return;
    for (int i = 0; i < comm->n; i++) finish_part(comm, parts[i], parts);
    for (int i = 0; i < comm->n; i++)
        if (parts[i]->forgotten) end_operation(parts[i]);
}

/* A request that ends when SECONDS are over, of nothing else. */
static inline void begin_timer(double seconds, MPI_Comm comm, MPI_Request *request)
{
    begin_operation(TIMER, comm, request)->ready = job.now + seconds;
}

static int collect(enum kind kind, const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm, MPI_Request *request)
{
    struct comm *of = comm_of(comm);
    struct operation *own = begin_operation(kind, comm, request);
    own->number = of->collectives++;
    own->peer = of->me;
    own->bytes = kind == BARRIER ? 0 : (size_t)count * size_of(type);
    const bool in_parts = kind == ALLTOALL || (kind == SCATTER && of->me == root); /* one for each rank */
    const size_t given = own->bytes * (in_parts ? (size_t)of->n : 1);
    own->data = malloc(given + 1);
    const size_t at = kind == ALLGATHER ? (size_t)of->me * given : 0;
    if (given) memcpy(own->data, data == MPI_IN_PLACE ? (char *)place + at : data, given);
    own->place = place;
    own->type = type;
    own->op = op;
    own->root = root;
    meet(of, own);
    return MPI_SUCCESS;
}

#define BOTH_WAYS const void *data, int n, MPI_Datatype type, void *place, int n_each, MPI_Datatype type_each

static int exchange(enum kind kind, BOTH_WAYS, int root, MPI_Comm comm, MPI_Request *request)
{
    must_be(n == n_each && type == type_each, "a collective of two sizes");
    return collect(kind, data, place, n, type, MPI_OP_NULL, root, comm, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    const int code = come_in("Ibarrier", comm);
    return code ? code : collect(BARRIER, NULL, NULL, 0, MPI_BYTE, MPI_OP_NULL, 0, comm, request);
}

int MPI_Barrier(MPI_Comm comm)
{
    MPI_Request request;
    collect(BARRIER, NULL, NULL, 0, MPI_BYTE, MPI_OP_NULL, 0, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    const int code = collect(BCAST, data, data, n, type, MPI_OP_NULL, root, comm, request);
    pause_for(job.poll); /* a moment, after which a clock is another */
    return code;
}

int MPI_Iallgather(BOTH_WAYS, MPI_Comm comm, MPI_Request *request)
{
    return exchange(ALLGATHER, data, n, type, place, n_each, type_each, 0, comm, request);
}

int MPI_Iallreduce(const void *data, void *place, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    return collect(ALLREDUCE, data, place, n, type, op, 0, comm, request);
}

int MPI_Allreduce(const void *data, void *place, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    collect(ALLREDUCE, data, place, n, type, op, 0, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Reduce(const void *data, void *place, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    MPI_Request request;
    collect(REDUCE, data, place, n, type, op, root, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Exscan(const void *data, void *place, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    collect(EXSCAN, data, place, n, type, op, 0, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    collect(BCAST, data, data, n, type, MPI_OP_NULL, root, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Allgather(BOTH_WAYS, MPI_Comm comm)
{
    MPI_Request request;
    exchange(ALLGATHER, data, n, type, place, n_each, type_each, 0, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Ireduce(const void *data, void *place, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    return collect(REDUCE, data, place, n, type, op, root, comm, request);
}

#define EXCHANGE_WITH_ROOT(KIND, NAME, LOWER)                                                                          \
    int MPI_I##LOWER(BOTH_WAYS, int root, MPI_Comm comm, MPI_Request *request)                                         \
    {                                                                                                                  \
        return exchange(KIND, data, n, type, place, n_each, type_each, root, comm, request);                           \
    }                                                                                                                  \
    int MPI_##NAME(BOTH_WAYS, int root, MPI_Comm comm)                                                                 \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        exchange(KIND, data, n, type, place, n_each, type_each, root, comm, &request);                                 \
        return MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                  \
    }

EXCHANGE_WITH_ROOT(GATHER, Gather, gather)
EXCHANGE_WITH_ROOT(SCATTER, Scatter, scatter)

int MPI_Ialltoall(BOTH_WAYS, MPI_Comm comm, MPI_Request *request)
{
    return exchange(ALLTOALL, data, n, type, place, n_each, type_each, 0, comm, request);
}

int MPI_Alltoall(BOTH_WAYS, MPI_Comm comm)
{
    MPI_Request request;
    exchange(ALLTOALL, data, n, type, place, n_each, type_each, 0, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Those who name no colour get none; the others are in the order of the parent, and so must their keys be. */
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *out)
{
    struct comm *parent = comm_of(comm);
    int all[2 * RANKS], mine[] = {colour, key}, last = INT_MIN;
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, comm);
    *out = new_comm(parent, -1);
    struct comm *part = comm_of(*out);
    part->n = 0;
    if (colour != MPI_UNDEFINED) part->key += 16 * (uint64_t)(colour + 1);
    for (int i = 0; i < parent->n; i++) {
        if (all[2 * i] != colour || colour == MPI_UNDEFINED) continue;
        must_be(all[2 * i + 1] >= last, "another order of ranks");
        last = all[2 * i + 1];
        if (parent->members[i] == self) part->me = part->n;
        part->members[part->n++] = parent->members[i];
    }
    if (colour == MPI_UNDEFINED) *out = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* --- ending ------------------------------------------------------------------------------------------------------- */

/* Whether REQUEST has ended; then it is gone. */
static bool end_request(MPI_Request *request, MPI_Status *status)
{
    if (*request == MPI_REQUEST_NULL) return true;
    struct operation *operation = operation_of(*request);
    const bool eager = operation->kind == SEND && job.eager && !operation->waits;
    const bool due = operation->kind == TIMER && job.now >= operation->ready - 1e-9;
    match();
    if ((!operation->ended || job.now < operation->ready) && !eager && !due) return false;
    if (status != MPI_STATUS_IGNORE) *status = (MPI_Status){.MPI_TAG = operation->tag};
    if (status != MPI_STATUS_IGNORE && operation->kind == RECEIVE) {
        status->MPI_ERROR = (int)operation->came;
        for (int i = 0; i < job.n; i++) /* by its number in that communicator */
            for (int c = 0; c < job.n_comms[self]; c++)
                if (job.comms[self][c].key == operation->key && job.comms[self][c].n > i &&
                    job.comms[self][c].members[i] == operation->source)
                    status->MPI_SOURCE = i;
    }
    if (eager && !operation->ended)
        operation->forgotten = true;
    else
        end_operation(operation);
    *request = MPI_REQUEST_NULL;
    return true;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    const int code = come("Test");
    if (code) return code;
    *done = end_request(request, status);
    if (!*done) wait_a_little();
    return MPI_SUCCESS;
}

int MPI_Testall(int n, MPI_Request requests[], int *done, MPI_Status statuses[])
{
    must_be(statuses == MPI_STATUSES_IGNORE, "statuses of all");
    *done = 1;
    for (int i = 0; i < n; i++)
        if (!end_request(&requests[i], MPI_STATUS_IGNORE)) *done = 0;
    if (!*done) wait_a_little();
    return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request requests[], int *n_done, int done[], MPI_Status statuses[])
{
    const int code = come("Testsome");
    if (code) return code;
    *n_done = 0;
    for (int i = 0; i < n; i++) {
        must_be(requests[i] != MPI_REQUEST_NULL, "a request that is null");
        if (end_request(&requests[i], &statuses[*n_done])) done[(*n_done)++] = i;
    }
    if (*n_done == 0) wait_a_little();
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    while (!end_request(request, status)) wait_a_little();
    return MPI_SUCCESS;
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    const int code = send("Send", data, n, type, to, tag, comm, &request, false);
    return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    const int code = MPI_Irecv(data, n, type, from, tag, comm, &request);
    return code ? code : MPI_Wait(&request, status);
}

enum { TAG_ALLTOALL = 99999 }; /* the tag of its messages */

int MPI_Alltoallv(const void *data, const int counts[], const int places[], MPI_Datatype type, void *into,
                  const int counts_in[], const int places_in[], MPI_Datatype type_in, MPI_Comm comm)
{
    MPI_Request requests[2 * RANKS];
    const int code = come("Alltoallv"), n = comm_of(comm)->n;
    const size_t out = size_of(type), in = size_of(type_in);
    if (code) return code;
    must_be(job.committed[self] > 0, "a datatype that is not ready");
    for (int i = 0; i < n; i++)
        MPI_Irecv((char *)into + (size_t)places_in[i] * in, (int)((size_t)counts_in[i] * in), MPI_BYTE, i, TAG_ALLTOALL,
                  comm, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend((const char *)data + (size_t)places[i] * out, (int)((size_t)counts[i] * out), MPI_BYTE, i,
                  TAG_ALLTOALL, comm, &requests[n + i]);
    for (int i = 0; i < 2 * n; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    const struct comm *of = comm_of(comm);
    const struct operation receive = {.kind = RECEIVE,
                                      .rank = self,
                                      .peer = from == MPI_ANY_SOURCE ? -1 : of->members[from],
                                      .tag = tag,
                                      .key = of->key};
    const struct operation *first = first_fitting(&receive);
    *there = first != NULL;
    job.looks++;
    for (int i = 0; first && i < of->n; i++)
        if (of->members[i] == first->rank) *status = (MPI_Status){.MPI_SOURCE = i, .MPI_TAG = tag};
    if (!first) wait_a_little();
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n)
{
    must_be(type == MPI_BYTE, "bytes are counted");
    *n = status->MPI_ERROR;
    return MPI_SUCCESS;
}

#endif
