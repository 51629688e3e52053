/*
 *   stress each SEED ROUNDS BYTES [FIRST]      all collectives, datatypes, reductions, sizes, one after another
 *   stress random SEED ROUNDS BYTES [FIRST]    batches of operations on several communicators at once
 *   stress progress SEED ROUNDS BYTES [FIRST]  ranks that wait in functions of MPI for each other
 *
 * BYTES: at most, of a buffer. A failure says which round of which seed it was; FIRST begins with that one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

enum { WORLD, TWIN, REVERSED, PART, SHORT_LIVED, COMMS, MOST = 40 };
MPI_Comm comms[COMMS], references[COMMS];
const char *const comm_names[] = {"the world", "its twin", "the reversed world", "a part", "a short-lived copy"};

static uint64_t seed;
static size_t most_bytes;
static int world_rank, world_size;
static unsigned long long operations;

/* Once in a while a rank is late. */
static void jitter(uint64_t *own)
{
    if (below(own, 16) == 0) usleep(below(own, 2000));
}

static void make_comms(void)
{
    comms[WORLD] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[TWIN]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[REVERSED]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3 == 1, world_rank, &comms[PART]);
    for (int i = 0; i < SHORT_LIVED; i++) MPI_Comm_dup(comms[i], &references[i]);
    references[SHORT_LIVED] = references[WORLD];
}

static void free_comms(void)
{
    for (int i = 0; i < SHORT_LIVED; i++) MPI_Comm_free(&references[i]);
    for (int i = TWIN; i < SHORT_LIVED; i++) MPI_Comm_free(&comms[i]);
}

/* What MPI libraries do wrong themselves. MPICH 4.0: persistent collectives that are started again, pairs that are
 * moved in blocks, and blocking reductions in place at another root than rank 0. Open MPI 4: blocking MPI_Alltoall of
 * many ranks with another datatype on the other side. */
static bool is_spared(const struct operation *o)
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
    const bool pairs = o->kind >= SCATTER && sorts[o->what].part == MPI_DATATYPE_NULL;
    return o->persistent || pairs || (o->kind == REDUCE && o->in_place && o->root != 0);
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
    return o->kind == ALLTOALL && o->parted;
#else
    (void)o;
    return false;
#endif
}

static struct operation make(uint64_t *state, enum kind kind, int what, size_t bytes, int comm)
{
    const bool reduces = kind == REDUCE || kind == ALLREDUCE;
    int size;
    MPI_Comm_size(comms[comm], &size);
    const struct sort *sort = &sorts[reduces ? reductions[what].sort : what];
    const bool blocks = kind == SCATTER || kind == GATHER || kind == ALLGATHER || kind == ALLTOALL;
    const size_t one = (size_t)sort->extent * (blocks ? (size_t)world_size : 1);
    struct operation o = {.key = draw(state), .kind = kind, .what = what, .comm = comm};
    o.count = (int)((bytes < most_bytes ? bytes : most_bytes) / one);
    o.root = (int)(below(state, 1u << 30) % (unsigned)size);
    o.in_place = below(state, 3) == 0 && kind != MESSAGE;
    o.persistent = below(state, 4) == 0 && kind != MESSAGE && comm != SHORT_LIVED;
    o.parted = below(state, 2);
    if (is_spared(&o)) {
        o.persistent = o.in_place = o.parted = false;
        if (o.kind >= SCATTER) o.what = 0;
    }
    operation_prepare(&o);
    return o;
}

/* Whether there is something to do for it in the WAVE-th round of persistent operations. */
static bool is_due(const struct operation *o, unsigned wave)
{
    return wave == 0 || o->persistent;
}

/* Starts those that are due; those of one communicator in the same order on all ranks. */
static void start_all(struct operation *o, int n, unsigned wave, MPI_Request *requests, uint64_t *own)
{
    int next[COMMS] = {0}, flag, at[2 * MOST];
    for (int left = COMMS; left > 0;) {
        const int comm = (int)below(own, COMMS);
        if (next[comm] > n) continue;
        while (next[comm] < n && (o[next[comm]].comm != comm || !is_due(&o[next[comm]], wave))) next[comm]++;
        left -= next[comm] == n;
        if (next[comm]++ == n) continue;
        jitter(own);
        operation_start(&o[next[comm] - 1]);
        const unsigned way = below(own, 8);
        if (way == 0) MPI_Testany(2 * n, requests, at, &flag, MPI_STATUS_IGNORE);
        if (way == 1) MPI_Testsome(2 * n, requests, &flag, at, MPI_STATUSES_IGNORE);
        if (way == 2) MPI_Test(&requests[below(own, (unsigned)(2 * n))], &flag, MPI_STATUS_IGNORE);
    }
}

/* Completes all, in any way. */
static void complete_all(int n, MPI_Request *requests, uint64_t *own)
{
    static MPI_Status statuses[2 * MOST];
    for (int done = 0; !done;) {
        int flag, at[2 * MOST];
        MPI_Request *const one = &requests[below(own, (unsigned)n)];
        jitter(own);
        switch (below(own, 7)) {
        case 0:
            MPI_Wait(one, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Test(one, &flag, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Waitany(n, requests, at, statuses);
            break;
        case 3:
            MPI_Testsome(n, requests, &flag, at, statuses);
            break;
        case 4:
            MPI_Waitall(n / 2, requests, statuses);
            break;
        case 5:
            MPI_Request_get_status(*one, &flag, statuses);
            break;
        default:
            MPI_Testall(n, requests, &done, statuses);
            break;
        }
    }
}

static void begin(struct operation *o, MPI_Request *requests)
{
    requests[0] = requests[1] = MPI_REQUEST_NULL;
    o->requests = requests;
    if (o->persistent) operation_init(o);
}

/* N operations are carried out and checked, persistent ones three times. */
static void run(struct operation *o, int n, MPI_Request *requests, uint64_t own, const char *where)
{
    for (unsigned wave = 0; wave < 3; wave++) {
        for (int i = 0; i < n; i++) {
            if (wave == 0) begin(&o[i], &requests[2 * i]);
            if (is_due(&o[i], wave)) operation_fill(&o[i], wave);
        }
        start_all(o, n, wave, requests, &own);
        complete_all(2 * n, requests, &own);
        for (int i = 0; i < n; i++) {
            if (!is_due(&o[i], wave)) continue;
            operation_check(&o[i], where);
            operations++;
        }
        if (wave == 0 && comms[SHORT_LIVED] != MPI_COMM_NULL) MPI_Comm_free(&comms[SHORT_LIVED]);
    }
    for (int i = 0; i < n; i++) operation_free(&o[i]);
}

static void random_round(int round, const char *where)
{
    static struct operation o[MOST];
    static MPI_Request requests[2 * MOST];
    uint64_t state = key(seed, (uint64_t)round, 0, 2), own = key(seed, (uint64_t)round, (uint64_t)world_rank, 3);
    const int n = 1 + (int)below(&state, MOST);
    comms[SHORT_LIVED] = MPI_COMM_NULL;
    const bool short_lived = below(&state, 4) == 0;
    if (short_lived) MPI_Comm_dup(MPI_COMM_WORLD, &comms[SHORT_LIVED]);
    for (int i = 0; i < n; i++) {
        uint64_t drawn = key(seed, (uint64_t)round, (uint64_t)i, 4);
        const enum kind kind = (enum kind)below(&drawn, KINDS);
        const int many = kind == REDUCE || kind == ALLREDUCE ? n_reductions : n_sorts;
        const int what = (int)below(&drawn, (unsigned)many),
                  comm = (int)below(&drawn, short_lived ? COMMS : SHORT_LIVED);
        const size_t bytes = (size_t)1 << below(&drawn, 22), odd = draw(&drawn) % bytes;
        o[i] = make(&drawn, kind, what, bytes + odd, comm);
    }
    run(o, n, requests, own, where);
}

/* Kind by kind, in steps of a round: each with all datatypes or reductions, of one size. */
static void each_round(int round, const char *where)
{
    static const size_t sizes[] = {0,       100,     1 << 12,      (1 << 16) + 3, 300001, (1 << 20) - 5,
                                   5000011, 1 << 24, (1 << 26) + 1};
    static struct operation o[MOST];
    static MPI_Request requests[2 * MOST];
    const enum kind kind = (enum kind)(round % MESSAGE);
    const size_t bytes = sizes[(size_t)(round / MESSAGE) % (sizeof sizes / sizeof *sizes)];
    const int n = kind == REDUCE || kind == ALLREDUCE ? n_reductions : n_sorts, together = bytes > 5000011 ? 1 : 4;
    const int step = bytes > 5000011 ? 5 : together; /* of large ones a few are enough */
    comms[SHORT_LIVED] = MPI_COMM_NULL;
    for (int what = 0; what < n; what += step) {
        const int m = n - what < together ? n - what : together;
        for (int i = 0; i < m; i++) {
            uint64_t drawn = key(seed, (uint64_t)round, (uint64_t)(what + i), 5);
            o[i] = make(&drawn, kind, what + i, bytes, WORLD);
        }
        run(o, m, requests, key(seed, (uint64_t)round, (uint64_t)world_rank, 6), where);
    }
}

/* MPI promises that an operation proceeds while its ranks are in any function of MPI, or wait for others there. */
static void progress_round(int round, const char *where)
{
    uint64_t state = key(seed, (uint64_t)round, 0, 7);
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const bool reduces = round % 3 == 1;
    struct operation o = make(&state,
                              round % 3 == 0 ? BCAST
                              : reduces      ? REDUCE
                                             : ALLTOALL,
                              (int)below(&state, (unsigned)(reduces ? n_reductions : n_sorts)), most_bytes, WORLD);
    const int size = (int)most_bytes, first = o.root, last = (o.root + world_size - 1) % world_size;
    char *message = malloc(most_bytes);
    memset(message, world_rank, most_bytes);
    begin(&o, requests);
    operation_fill(&o, 0);
    if (round % 2 == 0) { /* the root waits for a message that is sent when the last has the operation behind it */
        operation_start(&o);
        if (world_rank == first) MPI_Recv(message, 1, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(o.requests, MPI_STATUS_IGNORE);
        if (world_rank == last) MPI_Send(message, 1, MPI_CHAR, first, 2, MPI_COMM_WORLD);
    } else { /* one waits for the operation while its message, which another waits for before it, is under way */
        if (world_rank == first) MPI_Isend(message, size, MPI_CHAR, last, 2, MPI_COMM_WORLD, &requests[2]);
        if (world_rank == last) MPI_Recv(message, size, MPI_CHAR, first, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        operation_start(&o);
        MPI_Wait(o.requests, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    }
    operation_check(&o, where);
    operation_free(&o);
    operations++;
    free(message);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*round)(int round, const char *where);
    } phases[] = {{"each", each_round}, {"random", random_round}, {"progress", progress_round}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (argc < 5) {
        if (world_rank == 0) fprintf(stderr, "usage: stress each|random|progress SEED ROUNDS BYTES [FIRST]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    seed = strtoull(argv[2], NULL, 10);
    most_bytes = (size_t)strtoull(argv[4], NULL, 10);
    const int rounds = atoi(argv[3]), first = argc > 5 ? atoi(argv[5]) : 0;
    make_comms();
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        for (int round = first; round < first + rounds && strcmp(argv[1], phases[i].name) == 0; round++) {
            char where[80];
            snprintf(where, sizeof where, "%s %llu 1 %zu %d", argv[1], (unsigned long long)seed, most_bytes, round);
            phases[i].round(round, where);
        }
    free_comms();
    if (world_rank == 0) printf("stress: %s: %llu operations\n", argv[1], operations);
    MPI_Finalize();
    return operations == 0;
}
