#include "mpi/nbc/preload_requests.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/locks.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_handles.h"

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS };

struct preload_request {
    struct preload_request *next; /* in its bucket */
    MPI_Request request;          /* the program's */
    MPI_Request standing;         /* generalised: that of the operation under way, or MPI_REQUEST_NULL */
    bool complete;                /* the operation; its request, too, once MPI has been asked */
    int code;                     /* of MPI: how it ended */
    cw_nbc_request operation;
    MPI_Comm comm;
    bool persistent;
    MPI_Datatype types[2]; /* that are in use, or MPI_DATATYPE_NULL */
    MPI_Op op;
};

static struct preload_request *buckets[BUCKETS];
static struct preload_request *dropped; /* in no bucket, not freed yet */
static pthread_mutex_t lock = CW_LOCK;  /* of the buckets, and of these */
atomic_int cw_preload_requests;         /* how many there are */
static atomic_ullong started;

unsigned long long preload_requests_started(void)
{
    return started;
}

/* Handles are pointers, or integers that number the requests. */
static struct preload_request **bucket_of(MPI_Request request)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)request * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[mixed >> (64 - BUCKET_BITS)];
}

static void insert(struct preload_request *entry)
{
    struct preload_request **bucket = bucket_of(entry->request);
    lock_take(&lock);
    entry->next = *bucket;
    *bucket = entry;
    lock_give(&lock);
    atomic_fetch_add(&cw_preload_requests, 1);
}

/* Under the lock. */
static struct preload_request *find(MPI_Request request)
{
    struct preload_request *entry = *bucket_of(request);
    while (entry && entry->request != request) entry = entry->next;
    return entry;
}

static struct preload_request *lookup(MPI_Request request)
{
    lock_take(&lock);
    struct preload_request *entry = find(request);
    lock_give(&lock);
    return entry;
}

bool preload_requests_any(void)
{
    return atomic_load_explicit(&cw_preload_requests, memory_order_relaxed) > 0;
}

bool preload_requests_among(int count, const MPI_Request requests[])
{
    bool among = false;
    if (!preload_requests_any()) return false;
    lock_take(&lock);
    for (int i = 0; i < count && !among; i++) among = find(requests[i]);
    lock_give(&lock);
    return among;
}

static void free_entry(struct preload_request *entry)
{
    for (int i = 0; i < 2; i++) preload_type_leave(entry->types[i]);
    preload_op_leave(entry->op);
    free(entry);
}

static void drop(struct preload_request *entry)
{
    lock_take(&lock);
    struct preload_request **at = bucket_of(entry->request);
    while (*at != entry) at = &(*at)->next;
    *at = entry->next;
    entry->next = dropped;
    dropped = entry;
    lock_give(&lock);
    atomic_fetch_sub(&cw_preload_requests, 1);
}

/* Not within a function of MPI that calls one of ours: MPICH with MPI_THREAD_MULTIPLE does not bear that types are
 * freed there. */
static void free_dropped(void)
{
    lock_take(&lock);
    struct preload_request *entry = dropped;
    dropped = NULL;
    lock_give(&lock);
    while (entry) {
        struct preload_request *next = entry->next;
        free_entry(entry);
        entry = next;
    }
}

/* What MPI asks of a generalised request. */
static int query(void *state, MPI_Status *status)
{
    (void)state;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    status->MPI_ERROR = MPI_SUCCESS;
    return MPI_SUCCESS; /* else MPI would call the error handler of another communicator */
}

/* MPI needs the generalised request no more: the program has seen that the operation is complete. */
static int release(void *state)
{
    struct preload_request *entry = state;
    entry->standing = MPI_REQUEST_NULL;
    if (!entry->persistent) drop(entry);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete; /* collectives cannot be cancelled */
    return MPI_SUCCESS;
}

/* Through the error handler of the communicator. */
int preload_failed(MPI_Comm comm, int rc)
{
    const int code = nbc_class_of_failure(rc);
    fprintf(stderr, "crosswind-nbc: %s\n", cw_nbc_error_message());
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
    return code;
}

/* The datatypes of CALL that mean anything on this rank; the others may be anything. */
static int find_types(const struct cw_nbc_call *call, MPI_Datatype types[2])
{
    int rank, code = PMPI_Comm_rank(call->comm, &rank);
    const bool root = rank == call->root;
    const bool sends = call->send != MPI_IN_PLACE && (root || call->collective != CW_COLLECTIVE_SCATTER);
    const bool receives = call->recv != MPI_IN_PLACE && (root || call->collective != CW_COLLECTIVE_GATHER);
    types[0] = sends ? call->send_type : MPI_DATATYPE_NULL;
    types[1] = receives ? call->recv_type : MPI_DATATYPE_NULL;
    return code;
}

/* Until it is freed. */
static int use_handles(const struct cw_nbc_call *call, struct preload_request *entry)
{
    MPI_Datatype types[2];
    int code = find_types(call, types);
    for (int i = 0; i < 2 && code == MPI_SUCCESS; i++) {
        code = preload_type_use(types[i]);
        if (code == MPI_SUCCESS) entry->types[i] = types[i];
    }
    if (code == MPI_SUCCESS) code = preload_op_use(call->op);
    if (code == MPI_SUCCESS) entry->op = call->op;
    return code;
}

static int new_entry(const struct cw_nbc_call *call, bool persistent, struct preload_request **out)
{
    struct preload_request *entry = calloc(1, sizeof *entry);
    if (!entry) return MPI_ERR_NO_MEM;
    entry->comm = call->comm;
    entry->standing = MPI_REQUEST_NULL;
    entry->persistent = persistent;
    entry->types[0] = entry->types[1] = MPI_DATATYPE_NULL;
    entry->op = MPI_OP_NULL;
    int code = use_handles(call, entry);
    if (code == MPI_SUCCESS)
        *out = entry;
    else
        free_entry(entry);
    return code;
}

/* After the operation was started. */
static int stand_in(struct preload_request *entry)
{
    entry->complete = false;
    entry->code = MPI_SUCCESS;
    atomic_fetch_add_explicit(&started, 1, memory_order_relaxed);
    return PMPI_Grequest_start(query, release, cancel, entry, &entry->standing);
}

int preload_request_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, MPI_Request *out)
{
    struct preload_request *entry;
    int code = new_entry(call, false, &entry);
    if (code != MPI_SUCCESS) return code;
    const int rc = cw_nbc_begin(call, decided, &entry->operation);
    code = rc ? preload_failed(entry->comm, rc) : stand_in(entry);
    if (code != MPI_SUCCESS) {
        free_entry(entry);
        return code;
    }
    entry->request = entry->standing;
    insert(entry);
    *out = entry->request;
    return MPI_SUCCESS;
}

int preload_request_persist(const struct cw_nbc_call *call, MPI_Request inactive)
{
    struct preload_request *entry;
    int code = new_entry(call, true, &entry);
    if (code != MPI_SUCCESS) return code;
    const int rc = cw_nbc_prepare(call, &entry->operation);
    if (rc) {
        code = preload_failed(entry->comm, rc);
        free_entry(entry);
        return code;
    }
    entry->request = inactive;
    insert(entry);
    return MPI_SUCCESS;
}

int preload_request_start(MPI_Request request)
{
    struct preload_request *entry = lookup(request);
    const int rc = cw_nbc_start(&entry->operation);
    return rc ? preload_failed(entry->comm, rc) : stand_in(entry);
}

int preload_request_free(MPI_Request *request)
{
    struct preload_request *entry = lookup(*request);
    const bool persistent = entry->persistent;
    cw_nbc_request_free(&entry->operation);
    if (entry->standing != MPI_REQUEST_NULL) {
        MPI_Request standing = entry->standing;
        if (!entry->complete) PMPI_Grequest_complete(standing);
        PMPI_Request_free(&standing); /* and what stands for a single operation is forgotten */
    }
    if (persistent) {
        drop(entry);
        free_dropped();
        return PMPI_Request_free(request);
    }
    free_dropped();
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* False: memory is out. */
static bool add_item(struct preload_view *view, struct preload_item item)
{
    const size_t few = sizeof view->few / sizeof *view->few, n = (size_t)view->ours;
    if (n >= few && (n & (n - 1)) == 0) { /* as many as there is room for */
        struct preload_item *items = malloc(2 * n * sizeof *items);
        if (!items) return false;
        memcpy(items, view->items, n * sizeof *items);
        if (view->items != view->few) free(view->items);
        view->items = items;
    }
    view->items[view->ours++] = item;
    return true;
}

/* Which are ours, each looked up once, and whether one is PERSISTENT. False: memory is out. */
static bool find_items(struct preload_view *view, bool *persistent)
{
    bool room = true;
    lock_take(&lock);
    for (int i = 0; i < view->count && room; i++) {
        struct preload_request *entry = find(view->program[i]);
        if (entry) {
            room = add_item(view, (struct preload_item){i, entry->persistent, MPI_SUCCESS, entry});
            *persistent |= entry->persistent;
        } else {
            view->mixed = view->mixed || view->program[i] != MPI_REQUEST_NULL;
        }
    }
    lock_give(&lock);
    return room;
}

int preload_view_open(int count, MPI_Request requests[], struct preload_view *out)
{
    bool persistent = false;
    *out = (struct preload_view){
        .program = requests, .seen = requests, .count = requests ? count : 0}; /* or MPI says so */
    out->items = out->few;
    bool room = !preload_requests_any() || find_items(out, &persistent);
    if (room && persistent) {
        out->seen = malloc((size_t)count * sizeof(MPI_Request));
        room = out->seen;
    }
    if (!room) {
        out->seen = requests;
        preload_view_close(out);
        return MPI_ERR_NO_MEM;
    }
    if (!persistent) return MPI_SUCCESS;
    memcpy(out->seen, requests, (size_t)count * sizeof(MPI_Request));
    for (int i = 0; i < out->ours; i++) out->seen[out->items[i].position] = out->items[i].request->standing;
    return MPI_SUCCESS;
}

MPI_Request preload_view_look(struct preload_view *view)
{
    MPI_Request pending = MPI_REQUEST_NULL;
    for (int i = 0; i < view->ours; i++) {
        struct preload_request *entry = view->items[i].request;
        int done = 0;
        if (entry->standing == MPI_REQUEST_NULL) continue;
        if (entry->complete) view->items[i].code = entry->code;
        if (entry->complete) continue;
        const int rc = cw_nbc_test(&entry->operation, &done);
        if (rc) {
            entry->code = preload_failed(entry->comm, rc);
            done = 1;
        }
        if (!done) pending = entry->standing;
        if (!done) continue;
        entry->complete = true;
        view->items[i].code = entry->code;
        PMPI_Grequest_complete(entry->standing);
    }
    return pending;
}

void preload_view_rest(const struct preload_view *view)
{
    for (int i = 0; i < view->ours && !view->mixed; i++) {
        const struct preload_request *entry = view->items[i].request;
        if (entry->standing == MPI_REQUEST_NULL || entry->complete) continue;
        cw_nbc_rest(1, &entry->operation);
        return;
    }
    sched_yield();
}

void preload_view_close(struct preload_view *view)
{
    if (view->seen != view->program) {
        for (int i = 0; i < view->ours; i++)
            if (view->items[i].persistent) view->seen[view->items[i].position] = view->program[view->items[i].position];
        memcpy(view->program, view->seen, (size_t)view->count * sizeof(MPI_Request));
        free(view->seen);
    }
    if (view->items != view->few) free(view->items);
    free_dropped();
}
