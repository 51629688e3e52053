/*
 * Requests of all kinds at once, completed by all functions: collectives that the preload library may take, nonblocking
 * and persistent; those that it never takes; messages, nonblocking and persistent; generalised ones; inactive ones and
 * none. All that MPI promises of data, statuses and handles is checked, and what arrived is printed, which is the same
 * whoever carries it out.
 *
 *   program_requests each             every function on one of the first kind beside one of every kind
 *   program_requests random FROM TO   a program drawn from each of these seeds: kinds, sizes, order, functions, delays
 *
 * With a last argument `whole` also what MPICH 4.0.2's own persistent collectives do not bear: they are an error of
 * Testall, and where they are inactive, Wait does not end. Those of the library do.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Allreduce_init  MPIX_Allreduce_init
#define MPI_Bcast_init      MPIX_Bcast_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#endif

enum kind {
    BCAST, /* the first three may be the library's */
    ALLREDUCE,
    PERSISTENT_ALLREDUCE,
    ALLGATHERV,
    BARRIER,
    PERSISTENT_ALLGATHERV,
    MESSAGE,
    PERSISTENT_MESSAGE,
    AWAITED, /* a barrier, which all but rank 0 await before they begin the next */
    GENERALISED,
    NOTHING,
    INACTIVE_MESSAGE,
    KINDS,
    INACTIVE_BCAST = KINDS, /* the library's, if `whole` */
    ALL_KINDS
};

enum function { WAIT, TEST, WAITALL, TESTALL, WAITANY, TESTANY, WAITSOME, TESTSOME, GET_STATUS, FUNCTIONS };

#define ITEMS    10
#define REQUESTS (2 * ITEMS)
#define LONGEST  40000 /* elements */
#define RANKS    8

/* One or two requests: a message is sent and received. */
struct item {
    enum kind kind;
    int number, count, freed;
    MPI_Comm comm;
    uint32_t *in, *out;
};

struct entry {
    struct item *item;
    bool receives, persistent, active;
    MPI_Request kept; /* as it was started */
};

static int rank, ranks, at_seed;
static bool whole;
static MPI_Comm comms[2];
static struct item items[ITEMS];
static struct entry entries[REQUESTS];
static MPI_Request requests[REQUESTS]; /* as the program holds them */
static int n_items, n_requests, n_active;
static uint64_t checksum;

static void fail(const char *what, int number)
{
    fprintf(stderr, "rank %d, seed %d: %s (%d)\n", rank, at_seed, what, number);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Below N: the same numbers on all ranks from one state, others from another. */
static int draw(uint64_t *state, int n)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (int)(mix(*state) % (uint64_t)n);
}

/* What rank FROM gives to an item at position I. */
static uint32_t given(const struct item *item, int from, int i)
{
    return (uint32_t)mix((uint64_t)at_seed << 40 ^ (uint64_t)item->number << 32 ^ (uint64_t)from << 24 ^ (uint64_t)i);
}

static int before(void)
{
    return (rank + ranks - 1) % ranks;
}

static int query(void *state, MPI_Status *status)
{
    const struct item *item = state;
    MPI_Status_set_elements(status, MPI_BYTE, 40 + item->number);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = item->number;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ((struct item *)state)->freed++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void add(struct item *item, MPI_Request request, bool receives, bool persistent, bool active)
{
    entries[n_requests] = (struct entry){item, receives, persistent, active, request};
    requests[n_requests++] = request;
    n_active += active;
    if (persistent && active) MPI_Start(&request);
}

static void begin_messages(struct item *item, bool persistent)
{
    MPI_Request send, receive;
    const int next = (rank + 1) % ranks, tag = item->number;
    (persistent ? MPI_Recv_init : MPI_Irecv)(item->in, item->count, MPI_UINT32_T, before(), tag, item->comm, &receive);
    add(item, receive, true, persistent, true);
    (persistent ? MPI_Send_init : MPI_Isend)(item->out, item->count, MPI_UINT32_T, next, tag, item->comm, &send);
    add(item, send, false, persistent, true);
}

static void begin_gather(struct item *item, bool persistent)
{
    static int counts[ITEMS][RANKS], places[ITEMS][RANKS]; /* MPI reads them until it is complete */
    int *const n = counts[item->number], *const at = places[item->number];
    MPI_Request request;
    for (int i = 0; i < ranks; i++) {
        n[i] = item->count;
        at[i] = i * item->count;
    }
    if (persistent)
        MPI_Allgatherv_init(item->out, item->count, MPI_UINT32_T, item->in, n, at, MPI_UINT32_T, item->comm,
                            MPI_INFO_NULL, &request);
    else
        MPI_Iallgatherv(item->out, item->count, MPI_UINT32_T, item->in, n, at, MPI_UINT32_T, item->comm, &request);
    add(item, request, false, persistent, true);
}

/* In which rank 0 must take several steps, whatever it waits for. */
static void begin_barrier(struct item *item, bool awaited)
{
    MPI_Request request;
    MPI_Ibarrier(item->comm, &request);
    if (awaited && rank > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    add(item, request, false, false, request != MPI_REQUEST_NULL);
}

static void begin(struct item *item)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int n = item->count, root = item->number % ranks;
    switch (item->kind) {
    case BCAST:
        if (rank == root) memcpy(item->in, item->out, (size_t)n * sizeof *item->in);
        MPI_Ibcast(item->in, n, MPI_UINT32_T, root, item->comm, &request);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(item->out, item->in, n, MPI_UINT32_T, MPI_SUM, item->comm, &request);
        break;
    case PERSISTENT_ALLREDUCE:
        MPI_Allreduce_init(item->out, item->in, n, MPI_UINT32_T, MPI_SUM, item->comm, MPI_INFO_NULL, &request);
        break;
    case GENERALISED:
        MPI_Grequest_start(query, release, cancel, item, &request);
        MPI_Grequest_complete(request);
        break;
    case BARRIER:
    case AWAITED:
        begin_barrier(item, item->kind == AWAITED);
        return;
    case ALLGATHERV:
    case PERSISTENT_ALLGATHERV:
        begin_gather(item, item->kind == PERSISTENT_ALLGATHERV);
        return;
    case MESSAGE:
    case PERSISTENT_MESSAGE:
        begin_messages(item, item->kind == PERSISTENT_MESSAGE);
        return;
    case INACTIVE_MESSAGE:
        MPI_Recv_init(item->in, n, MPI_UINT32_T, 0, 77, item->comm, &request);
        break;
    case INACTIVE_BCAST:
        MPI_Bcast_init(item->in, n, MPI_UINT32_T, 0, item->comm, MPI_INFO_NULL, &request);
        break;
    case NOTHING:
    case ALL_KINDS:
        break;
    }
    const bool active = item->kind < NOTHING;
    add(item, request, false, item->kind == PERSISTENT_ALLREDUCE || (!active && item->kind != NOTHING), active);
}

static bool is_own_persistent(const struct entry *entry)
{
    return entry->item->kind == PERSISTENT_ALLGATHERV;
}

static void check_empty(const MPI_Status *status, const char *where)
{
    int count = -1, cancelled = 1;
    MPI_Get_count(status, MPI_BYTE, &count);
    MPI_Test_cancelled(status, &cancelled);
    if (status->MPI_SOURCE != MPI_ANY_SOURCE || status->MPI_TAG != MPI_ANY_TAG || count != 0 || cancelled)
        fail(where, status->MPI_SOURCE);
}

static void check_status(const struct entry *entry, const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    const int bytes = entry->item->count * (int)sizeof(uint32_t), number = entry->item->number;
    if (entry->receives && (status->MPI_SOURCE != before() || status->MPI_TAG != number || count != bytes))
        fail("the status of a message", number);
    if (entry->item->kind == GENERALISED &&
        (status->MPI_SOURCE != 3 || status->MPI_TAG != number || count != 40 + number))
        fail("the status of a generalised request", number);
}

/* The I-th is complete, or was before: its status and what it is now. */
static void note(int i, const MPI_Status *status)
{
    struct entry *entry = &entries[i];
    if (entry->active)
        check_status(entry, status);
    else
        check_empty(status, "the status of an inactive request");
    if (entry->persistent && requests[i] != MPI_REQUEST_NULL && requests[i] != entry->kept)
        fail("a persistent request is another", i);
    if (!entry->persistent && requests[i] != MPI_REQUEST_NULL) fail("a request is not null", i);
    n_active -= entry->active;
    entry->active = false;
    const bool collective = is_own_persistent(entry) || entry->item->kind == PERSISTENT_ALLREDUCE;
    if (collective && (!whole || is_own_persistent(entry))) requests[i] = MPI_REQUEST_NULL; /* see above */
}

static void complete_one(enum function function, int i)
{
    MPI_Status status, seen;
    int done = 1, a = 0, b = 0;
    switch ((int)function) {
    case WAIT:
        MPI_Wait(&requests[i], &status);
        break;
    case TEST:
        MPI_Test(&requests[i], &done, &status);
        break;
    default:
        MPI_Request_get_status(requests[i], &done, &seen);
        if (!done) return;
        MPI_Wait(&requests[i], &status);
        MPI_Get_count(&seen, MPI_BYTE, &a);
        MPI_Get_count(&status, MPI_BYTE, &b);
        if (entries[i].active && entries[i].receives && (seen.MPI_SOURCE != status.MPI_SOURCE || a != b))
            fail("Request_get_status", i);
    }
    if (done) note(i, &status);
}

static void complete_any(enum function function)
{
    MPI_Status status;
    int done = 1, i = -1;
    if (function == WAITANY)
        MPI_Waitany(n_requests, requests, &i, &status);
    else
        MPI_Testany(n_requests, requests, &i, &done, &status);
    if (done && (i < 0 || i >= n_requests || !entries[i].active)) fail("one that is not active", i);
    if (done) note(i, &status);
}

static void complete_some(enum function function)
{
    MPI_Status statuses[REQUESTS];
    int n = -1, which[REQUESTS];
    (function == WAITSOME ? MPI_Waitsome : MPI_Testsome)(n_requests, requests, &n, which, statuses);
    if (n < (function == WAITSOME) || n > n_requests) fail("how many of some", n);
    for (int i = 0; i < n; i++) {
        if (which[i] < 0 || which[i] >= n_requests || !entries[which[i]].active) fail("some are not active", which[i]);
        note(which[i], &statuses[i]);
    }
}

static void complete_all(enum function function)
{
    MPI_Status statuses[REQUESTS];
    int done = 1;
    if (function == WAITALL)
        MPI_Waitall(n_requests, requests, statuses);
    else
        MPI_Testall(n_requests, requests, &done, statuses);
    for (int i = 0; i < n_requests && done; i++) note(i, &statuses[i]);
}

/* MPICH 4.0.2's Testall: see above. */
static bool bears_testall(void)
{
#ifdef MPICH_VERSION
    for (int i = 0; i < n_requests; i++) {
        const bool ours = entries[i].item->kind == PERSISTENT_ALLREDUCE;
        if (requests[i] != MPI_REQUEST_NULL && (is_own_persistent(&entries[i]) || (ours && !whole))) return false;
    }
#endif
    return true;
}

static void complete(enum function function, uint64_t *state)
{
    if (function == TESTALL && !bears_testall()) function = WAITALL;
    switch (function) {
    case WAIT:
    case TEST:
    case GET_STATUS:
        complete_one(function, draw(state, n_requests));
        break;
    case WAITALL:
    case TESTALL:
        complete_all(function);
        break;
    case WAITANY:
    case TESTANY:
        complete_any(function);
        break;
    case WAITSOME:
    case TESTSOME:
        complete_some(function);
        break;
    case FUNCTIONS:
        break;
    }
}

/* What was to arrive at position I. */
static uint32_t expected(const struct item *item, int i)
{
    uint32_t sum = 0;
    switch ((int)item->kind) {
    case BCAST:
        return given(item, item->number % ranks, i);
    case ALLREDUCE:
    case PERSISTENT_ALLREDUCE:
        for (int from = 0; from < ranks; from++) sum += given(item, from, i);
        return sum;
    case ALLGATHERV:
    case PERSISTENT_ALLGATHERV:
        return given(item, i / item->count, i % item->count);
    default:
        return given(item, before(), i);
    }
}

static void end(struct item *item)
{
    const bool gathers = item->kind == ALLGATHERV || item->kind == PERSISTENT_ALLGATHERV;
    const bool moves = item->kind < AWAITED && item->kind != BARRIER;
    const int n = moves ? item->count * (gathers ? ranks : 1) : 0;
    for (int i = 0; i < n; i++) {
        if (item->in[i] != expected(item, i)) fail("wrong data of an item of kind", (int)item->kind);
        checksum = checksum * 31 + item->in[i];
    }
    if (item->kind == GENERALISED && item->freed != 1) fail("a generalised request is freed so often", item->freed);
    free(item->in);
    free(item->out);
}

/* Every rank has its requests in an order of its own. */
static void shuffle(uint64_t *state)
{
    for (int i = n_requests - 1; i > 0; i--) {
        const int j = draw(state, i + 1);
        const struct entry entry = entries[i];
        const MPI_Request request = requests[i];
        entries[i] = entries[j];
        requests[i] = requests[j];
        entries[j] = entry;
        requests[j] = request;
    }
}

static void begin_item(enum kind kind, int count, int comm)
{
    struct item *item = &items[n_items];
    *item = (struct item){.kind = kind, .number = n_items, .count = count, .comm = comms[comm]};
    item->in = calloc((size_t)count * (size_t)ranks, sizeof *item->in);
    item->out = calloc((size_t)count, sizeof *item->out);
    for (int i = 0; i < count; i++) item->out[i] = given(item, rank, i);
    n_items++;
    begin(item);
}

/* By FUNCTION, or by one after the other. */
static void finish(enum function function, uint64_t *state)
{
    shuffle(state);
    while (n_active > 0) complete(function < FUNCTIONS ? function : (enum function)draw(state, FUNCTIONS), state);
    for (int i = 0; i < n_requests; i++)
        if (entries[i].persistent) MPI_Request_free(&entries[i].kept);
    for (int i = 0; i < n_items; i++) end(&items[i]);
    n_items = n_requests = 0;
}

static void run_each(void)
{
    for (int function = 0; function < FUNCTIONS; function++)
        for (int ours = ALLREDUCE; ours <= PERSISTENT_ALLREDUCE; ours++)
            for (int beside = 0; beside < (whole ? ALL_KINDS : KINDS); beside++) {
                uint64_t state = mix((uint64_t)++at_seed << 8 | (uint64_t)rank);
                begin_item((enum kind)beside, 3000, 0);
                begin_item((enum kind)ours, 3000, 0);
                finish((enum function)function, &state);
            }
}

static void run_random(int seed)
{
    uint64_t all = mix((uint64_t)(at_seed = seed)), own = mix(all + 1 + (uint64_t)rank);
    const int n = 1 + draw(&all, ITEMS);
    for (int i = 0; i < n; i++) {
        const int kind = draw(&all, whole ? ALL_KINDS : KINDS), longest = draw(&all, 3) ? 2000 : LONGEST;
        const int count = 1 + draw(&all, longest), comm = draw(&all, 2);
        if (draw(&own, 4) == 0) usleep((useconds_t)draw(&own, 500));
        begin_item((enum kind)kind, count, comm);
    }
    finish(draw(&own, 2) ? FUNCTIONS : (enum function)draw(&own, FUNCTIONS), &own);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    whole = argc > 1 && strcmp(argv[argc - 1], "whole") == 0;
    const bool each = argc > 1 && strcmp(argv[1], "each") == 0;
    if (ranks > RANKS || (!each && argc < 4)) fail("usage: program_requests each | random FROM TO [whole]", ranks);
    if (each) run_each();
    for (int seed = each ? 1 : atoi(argv[2]); !each && seed <= atoi(argv[3]); seed++) run_random(seed);
    uint64_t all;
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("requests: %016llx\n", (unsigned long long)all);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
