/*
 * Random nonblocking collectives, many at once, on several communicators, with the types, operations and buffers MPI
 * allows; every result is compared with that of MPI's own blocking function. usage: program_nbc OPERATIONS ELEMENTS
 * SEED
 */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/nbc/nbc.h"

#define AT_ONCE 100
#define COMMS   5

static int me, size;
static MPI_Comm comms[COMMS];
static MPI_Datatype types[4];
static MPI_Op ops[4];
static uint64_t state;

/* The same on all ranks. */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Not commutative: composition of x -> a x + b, modulo 2^32. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned *f = in;
    unsigned *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        unsigned a = f[0] * g[0], b = f[0] * g[1] + f[1];
        g[0] = a;
        g[1] = b;
    }
}

struct job {
    int kind, count, root, n, rank, in_place;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes; /* of each buffer */
    char *send, *recv, *recv_expected;
    cw_nbc_request request;
};

static char *noise(size_t bytes, unsigned key)
{
    char *data = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++) data[i] = (char)((i * 2654435761u + key * 40503u) >> 7 & 63);
    return data;
}

static void make(struct job *job, unsigned number, int most)
{
    MPI_Aint lower, extent;
    job->kind = (int)draw(7);
    job->comm = comms[draw(COMMS)];
    MPI_Comm_size(job->comm, &job->n);
    MPI_Comm_rank(job->comm, &job->rank);
    job->root = (int)draw(16) % job->n;
    job->in_place = draw(3) == 0;
    job->count = (int)draw((unsigned)most + 1);
    if (draw(8) == 0) job->count = 0;
    const unsigned type = draw(4), op = draw(3);
    job->type = types[type];
    job->op = ops[op];
    if (job->kind == 1 || job->kind == 2) { /* reductions: of numbers, or of what the user's operation knows */
        if (type == 2)
            job->op = ops[3];
        else
            job->type = types[type == 0 ? 0 : 1];
    }
    MPI_Type_get_extent(job->type, &lower, &extent);
    job->bytes = (size_t)extent * (size_t)job->count * (size_t)job->n;
    job->send = noise(job->bytes, number * 31u + (unsigned)me);
    job->recv = noise(job->bytes, number * 37u + (unsigned)me);
    if ((job->kind == 1 || job->kind == 2) && job->type == MPI_DOUBLE)
        for (size_t i = 0; i < job->bytes / sizeof(double); i++) {
            ((double *)(void *)job->send)[i] = (double)((i + number + (unsigned)me) % 7);
            ((double *)(void *)job->recv)[i] = (double)((i + number + (unsigned)me) % 5);
        }
    job->recv_expected = malloc(job->bytes + 1);
    memcpy(job->recv_expected, job->recv, job->bytes);
}

/* The blocking functions of MPI if REQUEST is NULL, with RECV. */
static int call(const struct job *j, char *recv, cw_nbc_request *request)
{
    const int root = j->rank == j->root, c = j->count;
    MPI_Datatype t = j->type;
    const void *send = j->in_place && (root || j->kind == 2 || j->kind > 4) ? MPI_IN_PLACE : j->send;
    void *to = j->in_place && root && j->kind == 3 ? MPI_IN_PLACE : recv;
    switch (j->kind) {
    case 0:
        return request ? cw_nbc_ibcast(recv, c, t, j->root, j->comm, request) : MPI_Bcast(recv, c, t, j->root, j->comm);
    case 1:
        return request ? cw_nbc_ireduce(send, recv, c, t, j->op, j->root, j->comm, request)
                       : MPI_Reduce(send, recv, c, t, j->op, j->root, j->comm);
    case 2:
        return request ? cw_nbc_iallreduce(send, recv, c, t, j->op, j->comm, request)
                       : MPI_Allreduce(send, recv, c, t, j->op, j->comm);
    case 3:
        return request ? cw_nbc_iscatter(j->send, c, t, to, c, t, j->root, j->comm, request)
                       : MPI_Scatter(j->send, c, t, to, c, t, j->root, j->comm);
    case 4:
        return request ? cw_nbc_igather(send, c, t, recv, c, t, j->root, j->comm, request)
                       : MPI_Gather(send, c, t, recv, c, t, j->root, j->comm);
    case 5:
        return request ? cw_nbc_iallgather(send, c, t, recv, c, t, j->comm, request)
                       : MPI_Allgather(send, c, t, recv, c, t, j->comm);
    default:
        return request ? cw_nbc_ialltoall(send, c, t, recv, c, t, j->comm, request)
                       : MPI_Alltoall(send, c, t, recv, c, t, j->comm);
    }
}

/* Reductions without MPI_IN_PLACE, where MPICH 4.0 fails if they are not commutative, and as allreduces: its MPI_Reduce
 * gives wrong results on several hosts. */
static void expect(struct job *job)
{
    const int reduction = job->kind == 1 || job->kind == 2, has_result = job->kind != 1 || job->rank == job->root;
    if (!reduction) {
        call(job, job->recv_expected, NULL);
        return;
    }
    if (job->in_place && has_result) memcpy(job->send, job->recv_expected, job->bytes);
    char *result = malloc(job->bytes + 1);
    memcpy(result, job->recv_expected, job->bytes);
    MPI_Allreduce(job->send, result, job->count, job->type, job->op, job->comm);
    if (has_result) memcpy(job->recv_expected, result, job->bytes);
    free(result);
}

static void end(const char *what)
{
    fprintf(stderr, "rank %d: %s: %s\n", me, what, cw_nbc_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void complete(struct job *jobs, int n)
{
    cw_nbc_request requests[AT_ONCE];
    int index, some[AT_ONCE], left = n, done = 0;
    for (int i = 0; i < n; i++) requests[i] = jobs[i].request;
    switch (me % 3 == 0 ? draw(5) : (draw(5) + (unsigned)me) % 5) { /* ranks do not do the same */
    case 0:
        for (int i = n - 1; i >= 0; i--)
            if (cw_nbc_wait(&requests[i])) end("wait");
        break;
    case 1:
        if (cw_nbc_waitall(n, requests)) end("waitall");
        break;
    case 2:
        while (left-- > 0)
            if (cw_nbc_waitany(n, requests, &index) || index == MPI_UNDEFINED) end("waitany");
        break;
    case 3:
        for (; left > 0; left -= done)
            if (cw_nbc_waitsome(n, requests, &done, some)) end("waitsome");
        break;
    default:
        while (!done)
            if (cw_nbc_testall(n, requests, &done)) end("testall");
    }
    for (int i = 0; i < n; i++)
        if (requests[i]) end("a request is left");
}

/* Started again and again, and switched to MPI's own in between. */
static void run_persistent(int n)
{
    cw_nbc_request request;
    int *all = calloc((size_t)n + 1, sizeof *all), done = 0;
    if (cw_nbc_allreduce_init(MPI_IN_PLACE, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request)) end("init");
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < n; i++) all[i] = me + i + round;
        cw_nbc_enable(round != 2);
        if (cw_nbc_start(&request)) end("start");
        if (!cw_nbc_start(&request)) end("an active request was started");
        while (!done)
            if (cw_nbc_test(&request, &done)) end("test");
        for (int i = 0; i < n; i++)
            if (all[i] != size * (size - 1) / 2 + size * (i + round)) end("wrong result of a persistent operation");
        done = 0;
        if (!request || cw_nbc_wait(&request)) end("an inactive request is not complete");
    }
    if (cw_nbc_request_free(&request) || request) end("free");
    free(all);
}

/* Who waits for one of ours attends to MPI's messages: rank 1 has no time for the broadcast before it has rank 0's. */
static void run_progress(int n)
{
    enum { LONG = 1 << 20 };
    int *message = calloc(LONG, sizeof *message), *data = calloc((size_t)n + 1, sizeof *data);
    MPI_Request sent = MPI_REQUEST_NULL;
    cw_nbc_request request;
    if (size > 1 && me == 0) MPI_Isend(message, LONG, MPI_INT, 1, 7, MPI_COMM_WORLD, &sent);
    if (me == 1) MPI_Recv(message, LONG, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (cw_nbc_ibcast(data, n, MPI_INT, size > 1, MPI_COMM_WORLD, &request) || cw_nbc_wait(&request)) end("progress");
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    free(message);
    free(data);
}

/* What MPI refuses is an error with its reason. */
static void run_refused(void)
{
    int data = 0;
    cw_nbc_request request = NULL;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (!cw_nbc_ibcast(&data, -1, MPI_INT, 0, comm, &request) || request) end("a negative count was accepted");
    if (!strstr(cw_nbc_error_message(), "count")) end("no reason");
    MPI_Comm_free(&comm);
}

/* How often the library has MPI bring data into another order: it calls these instead of MPI's own. */
static unsigned packed;

#define PACK(NAME, COUNT)                                                                                              \
    int NAME(const void *in, COUNT n, MPI_Datatype type, void *out, COUNT bytes, COUNT *at, MPI_Comm comm)             \
    {                                                                                                                  \
        int (*of_mpi)(const void *, COUNT, MPI_Datatype, void *, COUNT, COUNT *, MPI_Comm);                            \
        *(void **)&of_mpi = dlsym(RTLD_NEXT, #NAME);                                                                   \
        packed++;                                                                                                      \
        return of_mpi(in, n, type, out, bytes, at, comm);                                                              \
    }
PACK(PMPI_Pack, int)
#if MPI_VERSION >= 4
PACK(PMPI_Pack_c, MPI_Count)
#endif

/* Data that lie as they are sent are taken from where they are; others are packed, by the root of a broadcast once. */
static void run_packing(void)
{
    enum { COUNT = 2000 };
    const char *setting = getenv("CROSSWIND_NBC");
    const bool ours = size > 1 && !(setting && strcmp(setting, "off") == 0);
    MPI_Datatype dup, rising;
    MPI_Type_dup(types[2], &dup);
    MPI_Type_create_resized(MPI_INT, 0, 12, &rising);
    MPI_Type_commit(&rising);
    const struct {
        MPI_Datatype type;
        unsigned packs;
    } cases[] = {{MPI_INT, 0}, {types[2], 0}, {dup, 0}, {MPI_DOUBLE_INT, 1}, {types[3], 1}, {rising, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cw_nbc_request request;
        char *data = noise((size_t)COUNT * 32, 5);
        const unsigned before = packed;
        if (cw_nbc_ibcast(data, COUNT, cases[i].type, 0, MPI_COMM_WORLD, &request) || cw_nbc_wait(&request))
            end("packing");
        if (packed - before != (me == 0 && ours ? cases[i].packs : 0)) {
            fprintf(stderr, "rank %d: data of type %zu were packed %u times\n", me, i, packed - before);
            end("packing");
        }
        free(data);
    }
    MPI_Type_free(&dup);
    MPI_Type_free(&rising);
}

int main(int argc, char **argv)
{
    static struct job jobs[AT_ONCE];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* for what spans hosts */
    if (cw_nbc_init()) { /* on all ranks; MPI_Abort would lose what is written before it */
        fprintf(stderr, "init: %s\n", cw_nbc_error_message());
        MPI_Finalize();
        return 1;
    }
    const int operations = atoi(argv[1]), most = atoi(argv[2]);
    const int dies = argc > 4 ? atoi(argv[4]) : -1;
    state = (uint64_t)atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 0, me % 2, &comms[3]);
    MPI_Comm_dup(comms[1], &comms[4]);
    for (int i = 1; i < 4; i++)
        if (cw_nbc_comm_prepare(comms[i])) end("prepare"); /* the last one remains MPI's own */
    types[0] = MPI_INT;
    types[1] = MPI_DOUBLE;
    MPI_Type_contiguous(2, MPI_UNSIGNED, &types[2]);
    MPI_Type_vector(3, 2, 5, MPI_SHORT, &types[3]);
    MPI_Type_commit(&types[2]);
    MPI_Type_commit(&types[3]);
    ops[0] = MPI_SUM;
    ops[1] = MPI_MAX;
    ops[2] = MPI_MIN;
    MPI_Op_create(compose, 0, &ops[3]);
    for (int first = 0; first < operations; first += AT_ONCE) {
        const int n = operations - first < AT_ONCE ? operations - first : AT_ONCE;
        for (int i = 0; i < n; i++) {
            make(&jobs[i], (unsigned)(first + i), most);
            if (me == (first / AT_ONCE + i) % 37) usleep(300);
            if (call(&jobs[i], jobs[i].recv, &jobs[i].request)) end("start");
            if (first + i == dies && me == size - 1) raise(SIGKILL);
        }
        complete(jobs, n);
        for (int i = 0; i < n; i++) {
            const int in_place = jobs[i].in_place;
            expect(&jobs[i]);
            if (memcmp(jobs[i].recv, jobs[i].recv_expected, jobs[i].bytes) != 0) {
                fprintf(stderr, "rank %d, operation %d: kind %d, %d elements, root %d of %d, in place %d, type %d\n",
                        me, first + i, jobs[i].kind, jobs[i].count, jobs[i].root, jobs[i].n, in_place,
                        jobs[i].type == types[3]   ? 3
                        : jobs[i].type == types[2] ? 2
                                                   : 0);
                end("wrong result");
            }
            free(jobs[i].send);
            free(jobs[i].recv);
            free(jobs[i].recv_expected);
        }
    }
    run_persistent(most);
    run_progress(most);
    run_refused();
    run_packing();
    MPI_Type_free(&types[2]);
    MPI_Type_free(&types[3]);
    MPI_Op_free(&ops[3]);
    for (int i = 1; i < COMMS; i++) MPI_Comm_free(&comms[i]);
    if (me == 0) printf("%d operations\n", operations);
    MPI_Finalize();
    return 0;
}
