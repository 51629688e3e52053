/*
 * Ranks that do not ask for the same: of every collective, in every way in which one of three can differ from the
 * others, whoever calls first, once and as a persistent operation. All must end with an error, and nothing may be
 * written behind a buffer. What is the same in other words, last, must work. Of MPI alone; without the library it would
 * hang.
 *
 *   program_disagree [PART OF A CASE'S NAME ...]
 *   program_disagree fatal       one case, with the error handler that MPI has by default
 *   program_disagree beside CALL [joined|first]    the odd one calls a collective that is MPI's own in any case, by its
 * name without MPI_, or "order": both, but first the other; "right": all call all of them. "joined": not the first
 * collectives there; "first": the odd one is rank 0 of the communicator. All but "right" must end by an error, or they
 * hang.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

enum { RANKS = 3, ODD = 1, COUNT = 30000, SHORT = 10, CANARY = 4096, SECONDS = 60 };
enum { BCAST, REDUCE, ALLREDUCE, SCATTER, GATHER, ALLGATHER, ALLTOALL, COLLECTIVES };
static const char *const names[] = {"bcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall"};

struct call {
    int collective, count, root, given; /* given: the count of what is sent, if it is another */
    MPI_Datatype type;
    MPI_Op op;
    int aliased; /* one buffer for both ends */
};

/* What the odd one does. False: there is no such thing in that collective. */
typedef int change(struct call *call);

static int reduces(const struct call *call)
{
    return call->collective == REDUCE || call->collective == ALLREDUCE;
}

static int less(struct call *call)
{
    call->count = COUNT / 3 * 2;
    return 1;
}

static int more(struct call *call)
{
    call->count = COUNT / 2 * 3;
    return 1;
}

static int other_root(struct call *call)
{
    call->root = ODD;
    return call->collective <= GATHER && call->collective != ALLREDUCE;
}

static int other_collective(struct call *call)
{
    call->collective = (call->collective + 1) % COLLECTIVES;
    return 1;
}

static int other_type(struct call *call)
{
    call->type = MPI_FLOAT;
    return 1;
}

static int bytes(struct call *call)
{
    call->type = MPI_BYTE;
    call->count *= 4;
    return !reduces(call);
}

static int other_op(struct call *call)
{
    call->op = MPI_MAX;
    return reduces(call);
}

static int unfit_op(struct call *call)
{
    call->type = MPI_FLOAT;
    call->op = MPI_BXOR;
    return reduces(call);
}

static int uncommitted(struct call *call)
{
    MPI_Type_contiguous(2, MPI_INT, &call->type);
    call->count /= 2;
    return !reduces(call);
}

static int negative(struct call *call)
{
    call->count = -1;
    return 1;
}

static int no_type(struct call *call)
{
    call->type = MPI_DATATYPE_NULL;
    return 1;
}

static int no_op(struct call *call)
{
    call->op = MPI_OP_NULL;
    return reduces(call);
}

static int aliased(struct call *call)
{
    call->aliased = 1;
    return call->collective == ALLREDUCE || call->collective >= ALLGATHER;
}

static int no_rank(struct call *call)
{
    call->root = RANKS;
    return call->collective <= GATHER && call->collective != ALLREDUCE;
}

static int unequal_blocks(struct call *call)
{
    call->given = COUNT / 2;
    return call->collective >= ALLGATHER;
}

static int short_one(struct call *call)
{
    call->count = SHORT;
    return 1;
}

/* A collective as short as those that are left to MPI, where others call a long one of another kind. */
static int short_other(struct call *call)
{
    return other_collective(call) && short_one(call);
}

static const struct {
    const char *name;
    change *apply;
} changes[] = {{"less", less},
               {"more", more},
               {"other root", other_root},
               {"other collective", other_collective},
               {"other type", other_type},
               {"bytes", bytes},
               {"other operation", other_op},
               {"unfit operation", unfit_op},
               {"uncommitted type", uncommitted},
               {"negative count", negative},
               {"no type", no_type},
               {"no operation", no_op},
               {"aliased", aliased},
               {"no such root", no_rank},
               {"unequal blocks", unequal_blocks},
               {"short", short_one},
               {"short other collective", short_other}};
enum { CHANGES = sizeof changes / sizeof *changes };

static int rank, failures, fatal;
static char *memory[2]; /* given and taken, with what nobody may touch behind each */
static size_t used[2];

static void fill(const struct call *call)
{
    int size = (int)sizeof(int);
    if (call->type != MPI_DATATYPE_NULL) MPI_Type_size(call->type, &size);
    const size_t blocks = call->collective >= SCATTER ? RANKS : 1, one = (size_t)size * blocks;
    const int count = call->count > 0 ? call->count : 0;
    used[0] = one * (size_t)(call->given ? call->given : count);
    used[1] = one * (size_t)count;
    for (int i = 0; i < 2; i++) {
        memory[i] = realloc(memory[i], used[i] + CANARY);
        memset(memory[i], 1 + rank, used[i]);
        memset(memory[i] + used[i], 0x5a, CANARY);
    }
}

static int is_whole(void)
{
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < CANARY; j++)
            if (memory[i][used[i] + j] != 0x5a) return 0;
    return 1;
}

static int start(const struct call *c, MPI_Comm comm, MPI_Request *request)
{
    void *give = memory[c->aliased ? 1 : 0], *take = memory[1];
    const int n = c->count, m = c->given ? c->given : n;
    switch (c->collective) {
    case BCAST:
        return MPI_Ibcast(take, n, c->type, c->root, comm, request);
    case REDUCE:
        return MPI_Ireduce(give, take, n, c->type, c->op, c->root, comm, request);
    case ALLREDUCE:
        return MPI_Iallreduce(give, take, n, c->type, c->op, comm, request);
    case SCATTER:
        return MPI_Iscatter(give, m, c->type, take, n, c->type, c->root, comm, request);
    case GATHER:
        return MPI_Igather(give, m, c->type, take, n, c->type, c->root, comm, request);
    case ALLGATHER:
        return MPI_Iallgather(give, m, c->type, take, n, c->type, comm, request);
    default:
        return MPI_Ialltoall(give, m, c->type, take, n, c->type, comm, request);
    }
}

static int persist(const struct call *c, MPI_Comm comm, MPI_Request *request)
{
    void *give = memory[c->aliased ? 1 : 0], *take = memory[1];
    const int n = c->count, m = c->given ? c->given : n;
    const MPI_Info none = MPI_INFO_NULL;
    switch (c->collective) {
    case BCAST:
        return MPI_Bcast_init(take, n, c->type, c->root, comm, none, request);
    case REDUCE:
        return MPI_Reduce_init(give, take, n, c->type, c->op, c->root, comm, none, request);
    case ALLREDUCE:
        return MPI_Allreduce_init(give, take, n, c->type, c->op, comm, none, request);
    case SCATTER:
        return MPI_Scatter_init(give, m, c->type, take, n, c->type, c->root, comm, none, request);
    case GATHER:
        return MPI_Gather_init(give, m, c->type, take, n, c->type, c->root, comm, none, request);
    case ALLGATHER:
        return MPI_Allgather_init(give, m, c->type, take, n, c->type, comm, none, request);
    default:
        return MPI_Alltoall_init(give, m, c->type, take, n, c->type, comm, none, request);
    }
}

/* The end of a request, or -1: there is none. */
static int await(MPI_Request *request)
{
    const double limit = MPI_Wtime() + SECONDS;
    while (MPI_Wtime() < limit) {
        int done = 0;
        const int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS) return code;
        usleep(20); /* ranks may share cores */
    }
    return -1;
}

/* The test may say meanwhile that another communicator is broken. */
static void wait_for_all(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (request != MPI_REQUEST_NULL && await(&request) > 0) {
    }
}

static int run(const struct call *call, int persistent, int first, MPI_Comm comm)
{
    MPI_Request request;
    int token = 0, code;
    if (!first) MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    code = persistent ? persist(call, comm, &request) : start(call, comm, &request);
    if (code == MPI_SUCCESS && persistent) code = MPI_Start(&request);
    return code == MPI_SUCCESS ? await(&request) : code;
}

/* Whoever calls later gets a token from all who call first, who have called by then unless their calls wait. */
static int run_in_order(const struct call *call, int persistent, int odd_first, MPI_Comm comm)
{
    const int odd = rank == ODD, first = odd == odd_first, token = 0;
    MPI_Request request, sent[RANKS];
    int n = 0, code;
    if (!first || persistent) return run(call, persistent, first || persistent, comm);
    code = start(call, comm, &request);
    if (odd_first)
        for (int other = 0; other < RANKS; other++) {
            if (other != ODD) MPI_Isend(&token, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &sent[n++]);
        }
    else if (rank == 0)
        MPI_Isend(&token, 1, MPI_INT, ODD, 7, MPI_COMM_WORLD, &sent[n++]);
    if (code == MPI_SUCCESS) code = await(&request);
    while (n > 0) MPI_Wait(&sent[--n], MPI_STATUS_IGNORE);
    return code;
}

/* One that has left its call to MPI may be through before others have called; it hears at the next. */
static int call_again(MPI_Comm comm)
{
    MPI_Request request;
    int item = 0, code = MPI_Ibcast(&item, 1, MPI_INT, rank, comm, &request);
    return code == MPI_SUCCESS ? await(&request) : code;
}

static void tell(const char *name, const char *what)
{
    printf("rank %d: %s: %s\n", rank, name, what);
    failures++;
    if (strcmp(what, "it hangs") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
}

static char **wanted;

static int is_wanted(const char *name)
{
    for (int i = 0; wanted[i]; i++)
        if (strstr(name, wanted[i])) return 1;
    return !*wanted;
}

/* Persistent ones wait for each other at the call: there ODD_FIRST means that the odd one is rank 0. */
static void check(int collective, int which, int persistent, int odd_first)
{
    struct call call = {collective, COUNT, 0, 0, MPI_INT, MPI_SUM, 0}, odd = call;
    char name[128];
    MPI_Comm comm;
    snprintf(name, sizeof name, "%s%s, %s, %s first", persistent ? "persistent " : "", names[collective],
             changes[which].name, odd_first ? "it" : "others");
    if (!changes[which].apply(&odd) || !is_wanted(name)) return;
    if (rank == ODD) call = odd;
    MPI_Comm_split(MPI_COMM_WORLD, 0, persistent && odd_first && rank == ODD ? -1 : rank, &comm);
    MPI_Comm_set_errhandler(comm, fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN);
    fill(&call);
    if (rank == 0) fprintf(stderr, "%s\n", name);
    int code = run_in_order(&call, persistent, odd_first, comm);
    wait_for_all();
    if (code == MPI_SUCCESS && rank == ODD && call.count == SHORT) code = call_again(comm);
    if (code == -1) tell(name, "it hangs");
    if (code == MPI_SUCCESS) tell(name, "no error");
    if (!is_whole()) tell(name, "something was written behind a buffer");
    wait_for_all();
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* Of three requests, of which one ends with an error, and two are MPI's own: the call says so, and in statuses, unless
 * they are ignored, it stands which. */
static void check_together(int ignored)
{
    const char *const name = ignored ? "with others, statuses ignored" : "with others";
    struct call call = {BCAST, COUNT, 0, 0, MPI_INT, MPI_SUM, 0};
    int given = 5, taken = 0;
    MPI_Comm comm;
    MPI_Request requests[3];
    MPI_Status statuses[3] = {{.MPI_ERROR = 77}, {.MPI_ERROR = 77}, {.MPI_ERROR = 77}};
    if (!is_wanted(name)) return;
    if (rank == ODD) less(&call);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    fill(&call);
    MPI_Irecv(&taken, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&given, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &requests[2]);
    if (start(&call, comm, &requests[1]) != MPI_SUCCESS) tell(name, "an error before its end");
    const int code = MPI_Waitall(3, requests, ignored ? MPI_STATUSES_IGNORE : statuses);
    if (class_of(code) != MPI_ERR_IN_STATUS) tell(name, "no error among them");
    if (taken != given) tell(name, "a message is lost");
    if (!ignored && (statuses[0].MPI_ERROR != MPI_SUCCESS || statuses[2].MPI_ERROR != MPI_SUCCESS))
        tell(name, "an error of another");
    if (!ignored && class_of(statuses[1].MPI_ERROR) != MPI_ERR_TRUNCATE) tell(name, "another error");
    wait_for_all();
}

/* The same by functions that complete some: who completes the one alone gets its error, who completes several at once
 * finds it in the statuses. */
enum { WAIT, TEST, WAITANY, TESTANY, WAITSOME, TESTSOME, COMPLETIONS };

/* What completes of three REQUESTS: their numbers in WHICH, with what became of each in ERRORS. Returns how many. */
static int complete_some(int function, MPI_Request requests[3], int which[3], int errors[3])
{
    MPI_Status statuses[3];
    int n = 0, done = 0, code = MPI_SUCCESS;
    while (n == 0) {
        if (function == WAIT || function == TEST) {
            const int first = requests[1] != MPI_REQUEST_NULL ? 1 : requests[0] != MPI_REQUEST_NULL ? 0 : 2;
            which[0] = first;
            if (function == WAIT)
                code = MPI_Wait(&requests[first], statuses);
            else
                code = MPI_Test(&requests[first], &done, statuses);
            n = done || function == WAIT || code != MPI_SUCCESS;
        } else if (function == WAITANY || function == TESTANY) {
            if (function == WAITANY)
                code = MPI_Waitany(3, requests, which, statuses);
            else
                code = MPI_Testany(3, requests, which, &done, statuses);
            n = done || function == WAITANY || code != MPI_SUCCESS;
        } else {
            code = (function == WAITSOME ? MPI_Waitsome : MPI_Testsome)(3, requests, &n, which, statuses);
        }
        if (n == 0) usleep(20); /* ranks may share cores */
    }
    for (int i = 0; i < n; i++)
        errors[i] = function < WAITSOME ? code : class_of(code) == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : code;
    return n;
}

static void check_one_by_one(int function)
{
    static const char *const functions[] = {"by wait",    "by test",     "by waitany",
                                            "by testany", "by waitsome", "by testsome"};
    struct call call = {BCAST, COUNT, 0, 0, MPI_INT, MPI_SUM, 0};
    const char *name = functions[function];
    int given = 5, taken = 0, errors = 0, which[3] = {-1, -1, -1}, code[3];
    MPI_Comm comm;
    MPI_Request requests[3];
    if (!is_wanted(name)) return;
    if (rank == ODD) less(&call);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    fill(&call);
    MPI_Irecv(&taken, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &requests[0]);
    if (start(&call, comm, &requests[1]) != MPI_SUCCESS) tell(name, "an error before its end");
    MPI_Isend(&given, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &requests[2]);
    for (int left = 3; left > 0;) {
        const int n = complete_some(function, requests, which, code);
        left -= n;
        for (int i = 0; i < n; i++) {
            const int class = class_of(code[i]);
            errors += which[i] == 1;
            if (class != (which[i] == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS)) tell(name, "another error");
            if (requests[which[i]] != MPI_REQUEST_NULL) tell(name, "a request that is complete stays");
        }
    }
    if (errors != 1) tell(name, "not one error");
    if (taken != given) tell(name, "a message is lost");
    wait_for_all();
}

/* What MPI refuses, after what it has just allowed: the operation alone, or the type alone, is as it was. The call
 * itself says so, whatever others ask for. */
static void check_refused(void)
{
    static const char *const name = "refused";
    const struct call allowed = {ALLREDUCE, COUNT, 0, 0, MPI_INT, MPI_SUM, 0},
                      refused[] = {{ALLREDUCE, COUNT, 0, 0, MPI_INT, MPI_MAXLOC, 0},
                                   {ALLREDUCE, COUNT, 0, 0, MPI_2INT, MPI_SUM, 0}};
    if (!is_wanted(name)) return;
    for (int i = 0; i < 2; i++) {
        MPI_Comm comm;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        fill(&allowed);
        if (start(&allowed, comm, &request) != MPI_SUCCESS || await(&request) != MPI_SUCCESS)
            tell(name, "what is right");
        fill(&refused[i]);
        if (start(&refused[i], comm, &request) == MPI_SUCCESS) tell(name, "an operation that is not for the type");
        wait_for_all();
    }
}

/* 30000 numbers, or one type of 30000 numbers, or columns that are as many. */
static void check_same(int collective)
{
    struct call call = {collective, COUNT, 0, 0, MPI_INT, MPI_SUM, 0};
    MPI_Comm comm;
    MPI_Datatype whole;
    MPI_Type_contiguous(COUNT, MPI_INT, &whole);
    MPI_Type_commit(&whole);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == ODD && !reduces(&call)) {
        call.type = whole;
        call.count = 1;
    }
    fill(&call);
    const int code = run_in_order(&call, 0, 0, comm);
    const int root = collective == BCAST || collective == SCATTER;
    const int expected = reduces(&call) ? 1 + 2 + 3 : root ? 1 : collective == GATHER && rank ? 1 + rank : -1;
    if (code != MPI_SUCCESS) tell(names[collective], "what is the same in other words is refused");
    if (collective == REDUCE && rank > 0) return;
    const char *at = memory[1];
    if (expected > 0 && *at != expected) tell(names[collective], "a wrong result");
    for (int i = 0; i < RANKS && expected < 0; i++)
        if (at[used[1] / RANKS * (size_t)i] != 1 + i) tell(names[collective], "a wrong block");
    if (!is_whole()) tell(names[collective], "something was written behind a buffer");
    MPI_Type_free(&whole);
}

/* --- collectives that are only counted ---------------------------------------------------------------------------- */

static int items[2][RANKS * RANKS], counts[RANKS] = {1, 1, 1}, places[RANKS] = {0, 1, 2}, no_bytes[RANKS];
static MPI_Aint offsets[RANKS];
static MPI_Datatype types[RANKS];
static MPI_Request pending;

#define CALLS(EACH)                                                                                                    \
    EACH(Barrier, (c))                                                                                                 \
    EACH(Bcast, (items[0], 1, MPI_INT, 0, c))                                                                          \
    EACH(Reduce, (items[0], items[1], 1, MPI_INT, MPI_SUM, 0, c))                                                      \
    EACH(Allreduce, (items[0], items[1], 1, MPI_INT, MPI_SUM, c))                                                      \
    EACH(Scatter, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, 0, c))                                                  \
    EACH(Gather, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, 0, c))                                                   \
    EACH(Allgather, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c))                                                   \
    EACH(Alltoall, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c))                                                    \
    EACH(Scatterv, (items[0], counts, places, MPI_INT, items[1], 1, MPI_INT, 0, c))                                    \
    EACH(Gatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, 0, c))                                     \
    EACH(Allgatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, c))                                     \
    EACH(Alltoallv, (items[0], counts, places, MPI_INT, items[1], counts, places, MPI_INT, c))                         \
    EACH(Alltoallw, (items[0], counts, no_bytes, types, items[1], counts, no_bytes, types, c))                         \
    EACH(Scan, (items[0], items[1], 1, MPI_INT, MPI_SUM, c))                                                           \
    EACH(Exscan, (items[0], items[1], 1, MPI_INT, MPI_SUM, c))                                                         \
    EACH(Reduce_scatter, (items[0], items[1], counts, MPI_INT, MPI_SUM, c))                                            \
    EACH(Reduce_scatter_block, (items[0], items[1], 1, MPI_INT, MPI_SUM, c))                                           \
    EACH(Neighbor_allgather, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c))                                          \
    EACH(Neighbor_allgatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, c))                            \
    EACH(Neighbor_alltoall, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c))                                           \
    EACH(Neighbor_alltoallv, (items[0], counts, places, MPI_INT, items[1], counts, places, MPI_INT, c))                \
    EACH(Neighbor_alltoallw, (items[0], counts, offsets, types, items[1], counts, offsets, types, c))                  \
    EACH(Ineighbor_allgather, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c, &pending))                               \
    EACH(Ineighbor_allgatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, c, &pending))                 \
    EACH(Ineighbor_alltoall, (items[0], 1, MPI_INT, items[1], 1, MPI_INT, c, &pending))                                \
    EACH(Ineighbor_alltoallv, (items[0], counts, places, MPI_INT, items[1], counts, places, MPI_INT, c, &pending))     \
    EACH(Ineighbor_alltoallw, (items[0], counts, offsets, types, items[1], counts, offsets, types, c, &pending))       \
    EACH(Ibarrier, (c, &pending))                                                                                      \
    EACH(Iscatterv, (items[0], counts, places, MPI_INT, items[1], 1, MPI_INT, 0, c, &pending))                         \
    EACH(Igatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, 0, c, &pending))                          \
    EACH(Iallgatherv, (items[0], 1, MPI_INT, items[1], counts, places, MPI_INT, c, &pending))                          \
    EACH(Ialltoallv, (items[0], counts, places, MPI_INT, items[1], counts, places, MPI_INT, c, &pending))              \
    EACH(Ialltoallw, (items[0], counts, no_bytes, types, items[1], counts, no_bytes, types, c, &pending))              \
    EACH(Iscan, (items[0], items[1], 1, MPI_INT, MPI_SUM, c, &pending))                                                \
    EACH(Iexscan, (items[0], items[1], 1, MPI_INT, MPI_SUM, c, &pending))                                              \
    EACH(Ireduce_scatter, (items[0], items[1], counts, MPI_INT, MPI_SUM, c, &pending))                                 \
    EACH(Ireduce_scatter_block, (items[0], items[1], 1, MPI_INT, MPI_SUM, c, &pending))

/* Calls all that are called NAME, or all (NULL), each to its end. */
static void call_beside(const char *name, MPI_Comm c)
{
#define CALL(NAME, ARGUMENTS)                                                                                          \
    if (!name || strcmp(name, #NAME) == 0) {                                                                           \
        MPI_##NAME ARGUMENTS;                                                                                          \
        MPI_Wait(&pending, MPI_STATUS_IGNORE);                                                                         \
    }
    pending = MPI_REQUEST_NULL;
    CALLS(CALL)
}

static int run_beside(const char *what, const char *how)
{
    const int joined = strcmp(how, "joined") == 0, first = strcmp(how, "first") == 0;
    const struct call call = {BCAST, COUNT, 0, 0, MPI_INT, MPI_SUM, 0};
    const int right = strcmp(what, "right") == 0, order = strcmp(what, "order") == 0;
    MPI_Request request;
    MPI_Comm comm, ordered = MPI_COMM_WORLD;
    for (int i = 0; i < RANKS; i++) types[i] = MPI_INT;
    if (first) MPI_Comm_split(MPI_COMM_WORLD, 0, rank == ODD ? -1 : rank, &ordered);
    MPI_Cart_create(ordered, 1, (int[]){RANKS}, (int[]){1}, 0, &comm); /* all have two neighbours */
    fill(&call);
    for (int i = 0; i < joined; i++) {
        start(&call, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        call_beside(NULL, comm);
    }
    if (right) call_beside(NULL, comm);
    if (order && rank == ODD) call_beside("Ibarrier", comm);
    if (right || order || rank != ODD) start(&call, comm, &request);
    if (order && rank != ODD) MPI_Ibarrier(comm, &pending);
    if (right || order || rank != ODD) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right)
        call_beside(NULL, comm);
    else if (!order && rank == ODD)
        call_beside(what, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    int ranks, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
    if (argc > 2 && strcmp(argv[1], "beside") == 0) return run_beside(argv[2], argc > 3 ? argv[3] : "");
    wanted = argv + 1;
    fatal = argc == 2 && strcmp(argv[1], "fatal") == 0;
    if (fatal) strcpy(*wanted, "less"); /* it ends with the first */
    /* whose handler Open MPI 4 calls for an aliased buffer of any communicator */
    if (!fatal) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int collective = 0; collective < COLLECTIVES; collective++)
        for (int which = 0; which < CHANGES; which++)
            for (int way = 0; way < (collective == BCAST ? 4 : 3); way++) check(collective, which, way >= 2, way % 2);
    for (int ignored = 0; ignored < 2 && !fatal; ignored++) check_together(ignored);
    for (int function = 0; function < COMPLETIONS && !fatal; function++) check_one_by_one(function);
    for (int collective = 0; collective < COLLECTIVES && argc == 1; collective++) check_same(collective);
    if (!fatal) check_refused();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("disagree: %d failures\n", all);
    MPI_Finalize();
    return all > 0;
}
