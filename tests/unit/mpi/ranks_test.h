/* Ranks of MPI, all in this process, for tests of what they do: each is a thread, of which one runs at a time, until it
 * waits or tests in vain; then that goes on whose time comes first. So what happens is the same each time. The clock is
 * the ranks', and nothing but waiting takes time. What is sent is there at once; a send ends when it is received. Where
 * a test says so, sends, messages, collectives and looks at the clock take time, too, and clocks are not the same. All
 * must agree on a collective, or the test ends. MPI's constants are those of the library; what is not here is not to be
 * called. */
#ifndef CW_TESTS_RANKS_TEST_H
#define CW_TESTS_RANKS_TEST_H

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 9, COMMS = 600, TYPES = 8, LARGEST = 100000, OPEN = 4096, TURNS = 2000000 }; /* at most */

/* What a rank knows by a number of its own. */
struct comm {
    uint64_t key; /* the same at all its members */
    int n, me, members[RANKS];
    uint32_t copies; /* that were made of it */
    uint32_t collectives;
    bool returns; /* its errors */
};

struct type {
    int n, lengths[4];
    MPI_Aint places[4];
    bool committed, used;
};

/* A message, or the part of one rank in a collective; from the beginning to the end of its request. */
enum kind {
    NOTHING,
    SEND,
    RECEIVE,
    TIMER,
    BARRIER,
    ALLREDUCE,
    REDUCE,
    EXSCAN,
    BCAST,
    ALLGATHER,
    GATHER,
    SCATTER,
    ALLTOALL
};

struct operation {
    enum kind kind;
    int rank, peer, tag; /* both by their numbers in the world; -1: any rank */
    uint64_t key;
    uint32_t number; /* of the collective */
    bool waits;      /* a send, for its receive */
    bool ended;
    bool forgotten; /* by its rank */
    bool taken;     /* a message, by who probed */
    char *data;     /* a copy of what is sent */
    size_t bytes;   /* of it, or room */
    void *place;    /* to which it goes */
    MPI_Datatype type;
    MPI_Op op;
    int root, source; /* of a receive that has ended */
    size_t came;
    double ready; /* when a message is there, when a collective in which all have met ends, or a timer */
};

static struct {
    int n;
    const int *hosts;         /* [n] of ranks; NULL: all on one */
    const char *const *names; /* [n] of those hosts; NULL: host0, … */
    bool real_time;           /* the clock is that of the machine */
    double now, limit;
    double poll; /* s that looking in vain takes, 1 us */
    long yields[RANKS];
    long looks;             /* for messages that may have come */
    long gone;              /* turns */
    double nap;             /* s that sleeps take at least, to save time */
    void (*rank)(int rank); /* what each does */
    double wakes[RANKS];    /* when it goes on; INFINITY: never */
    double stops[RANKS];    /* s after START, from when on it never does; 0: no such time */
    int statuses[RANKS];    /* with which it has aborted; -1: it has not */
    double aborted_at[RANKS];
    bool over[RANKS], ending, eager; /* EAGER: sends end at once */
    bool leaks;                      /* ranks that are lost leave what messages may still be written to */
    int turn;
    pthread_mutex_t lock;
    pthread_cond_t turns[RANKS + 1]; /* the last is that of the test */
    struct comm comms[RANKS][COMMS];
    int n_comms[RANKS];
    struct type types[RANKS][TYPES];
    int contiguous[RANKS]; /* datatypes; how many are ready: */
    int committed[RANKS];
    int n_types[RANKS]; /* that were made */
    struct operation *open;
    int n_open;
    /* The call of FAILS by rank FAILING that fails, of so many to come; who changes a byte of what it sends next. */
    const char *fails;
    int failing, fails_after;                        /* FAILING: -1 for all */
    bool fails_ever;                                 /* and all after it */
    uint64_t sent[RANKS][RANKS], held[RANKS][RANKS]; /* messages by whom to whom; of them those that wait */
    double offset[RANKS], drift[RANKS];              /* a rank's clock shows (now + offset) (1 + drift) */
    double look;                                     /* s that a look at the clock takes */
    double leap;      /* who tests in vain sleeps until something comes, but so long at most; 0: `poll` */
    bool vain[RANKS]; /* who does */
    double (*send_takes)(int from, int to, size_t bytes);             /* s of the sender; NULL: none */
    double (*message_takes)(int from, int to, int tag, size_t bytes); /* s from then on; NULL: none */
    double (*collective_takes)(enum kind kind, int rank);             /* s after all have come; NULL: none */
    void (*tamper)(int from, int to, int tag, char *data, size_t bytes);
} job;

static _Thread_local int self = -1;

#define START 5000. /* s, of the clock */

#define HANDLE(TYPE, NUMBER) ((TYPE)(intptr_t)(NUMBER))

/* --- turns -------------------------------------------------------------------------------------------------------- */

static _Noreturn void break_off(const char *what)
{
    printf("ranks_test.h: rank %d: %s\n", self, what); /* standard error may be a test's */
    fflush(stdout);
    _exit(3);
}

static void must_be(bool fact, const char *what)
{
    if (!fact) break_off(what);
}

static void give_turn(void)
{
    int next = job.n;
    must_be(job.real_time || job.gone++ < TURNS, "it never ends");
    for (int i = 1; i <= job.n && !job.ending; i++) { /* the one after this comes first */
        const int r = (self + i) % job.n;
        if (!job.over[r] && isfinite(job.wakes[r]) && (next == job.n || job.wakes[r] < job.wakes[next])) next = r;
    }
    job.turn = next;
    if (next < job.n && job.wakes[next] > job.now) job.now = job.wakes[next];
    must_be(job.now < job.limit, "it takes too long");
    pthread_cond_signal(&job.turns[next]);
}

static void await_turn(void)
{
    while (job.turn != self) pthread_cond_wait(&job.turns[self], &job.lock);
    if (job.ending) {
        job.over[self] = true;
        pthread_mutex_unlock(&job.lock);
        pthread_exit(NULL);
    }
}

/* Others go on for so long. */
static void pause_for(double seconds)
{
    pthread_mutex_lock(&job.lock);
    job.wakes[self] = job.now + seconds;
    if (job.stops[self] > 0 && job.wakes[self] >= START + job.stops[self]) job.wakes[self] = INFINITY;
    give_turn();
    await_turn();
    pthread_mutex_unlock(&job.lock);
}

/* A test in vain. */
static void wait_a_little(void)
{
    double moment = job.now + job.leap;
    for (int i = 0; i < job.n_open && job.leap > 0; i++)
        if (job.open[i].kind != NOTHING && job.open[i].ready > job.now) moment = fmin(moment, job.open[i].ready);
    job.vain[self] = job.leap > 0;
    pause_for(job.leap > 0 ? moment - job.now : job.poll);
    job.vain[self] = false;
}

/* Something comes at MOMENT. */
static void wake(double moment)
{
    for (int r = 0; r < job.n; r++)
        if (job.vain[r]) job.wakes[r] = fmin(job.wakes[r], moment);
}

static _Noreturn void leave(void)
{
    pthread_mutex_lock(&job.lock);
    job.over[self] = true;
    give_turn();
    pthread_mutex_unlock(&job.lock);
    pthread_exit(NULL);
}

void __lsan_disable(void) __attribute__((weak));

static void *be_rank(void *number)
{
    self = (int)(intptr_t)number;
    if (job.leaks && __lsan_disable) __lsan_disable();
    pthread_mutex_lock(&job.lock);
    await_turn();
    pthread_mutex_unlock(&job.lock);
    job.rank(self);
    leave();
}

/* N ranks without a past, for `run_ranks`. */
static inline void set_up(int n)
{
    free(job.open); /* of a setting that was not used */
    cpu_set_t core; /* one at a time: that is quickest where nobody has to be woken elsewhere */
    CPU_ZERO(&core);
    CPU_SET((size_t)sched_getcpu(), &core);
    syscall(SYS_sched_setaffinity, 0, sizeof core, &core);
    memset(&job, 0, sizeof job);
    job.n = n;
    job.poll = 1e-6;
    job.now = START;
    job.limit = START + 100;
    pthread_mutex_init(&job.lock, NULL);
    for (int r = 0; r <= RANKS; r++) pthread_cond_init(&job.turns[r], NULL);
    for (int r = 0; r < n; r++) {
        struct comm *world = &job.comms[r][0];
        *world = (struct comm){.key = 1, .n = n, .me = r};
        for (int i = 0; i < n; i++) world->members[i] = i;
        job.n_comms[r] = 1;
        job.statuses[r] = -1;
    }
    job.open = calloc(OPEN, sizeof *job.open);
}

/* Each does RANK, until all have ended or nobody goes on. */
static inline void run_ranks(void (*rank)(int rank))
{
    pthread_t threads[RANKS];
    job.rank = rank;
    job.turn = job.n;
    for (int r = 0; r < job.n; r++)
        must_be(!pthread_create(&threads[r], NULL, be_rank, (void *)(intptr_t)r), "no thread");
    pthread_mutex_lock(&job.lock);
    self = job.n;
    job.turn = 0;
    pthread_cond_signal(&job.turns[0]);
    while (job.turn != job.n) pthread_cond_wait(&job.turns[job.n], &job.lock);
    job.ending = true;
    for (int r = 0; r < job.n; r++) {
        if (!job.over[r]) {
            job.turn = r;
            pthread_cond_signal(&job.turns[r]);
        }
        pthread_mutex_unlock(&job.lock);
        pthread_join(threads[r], NULL);
        pthread_mutex_lock(&job.lock);
    }
    pthread_mutex_unlock(&job.lock);
    self = -1;
}

/* What has not ended is forgotten: how many requests that were. */
static inline int tear_down(void)
{
    int left = 0;
    for (int i = 0; i < job.n_open; i++) {
        left += job.open[i].kind != NOTHING && !job.open[i].forgotten;
        free(job.open[i].data);
    }
    free(job.open);
    job.open = NULL;
    return left;
}

static inline void check_near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within)) fail_msg("%g instead of %g", got, wanted);
}

/* --- the clock ---------------------------------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (self < 0 || job.real_time) return (int)syscall(SYS_clock_gettime, clock, out);
    if (job.look > 0) pause_for(job.look);
    const double shown = self < job.n ? (job.now + job.offset[self]) * (1 + job.drift[self]) : job.now;
    *out = (struct timespec){(time_t)floor(shown), (long)(1e9 * (shown - floor(shown)))};
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    (void)left;
    must_be(clock == CLOCK_MONOTONIC && flags == TIMER_ABSTIME && job.drift[self] == 0, "another clock");
    pause_for(fmax(0, (double)until->tv_sec + 1e-9 * (double)until->tv_nsec - job.now - job.offset[self]));
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    if (job.real_time) syscall(SYS_nanosleep, time, NULL);
    pause_for(fmax(job.nap, (double)time->tv_sec + 1e-9 * (double)time->tv_nsec));
    return 0;
}

unsigned sleep(unsigned seconds)
{
    pause_for(seconds);
    return 0;
}

int sched_yield(void)
{
    if (self >= 0) {
        job.yields[self]++;
        pause_for(1e-6);
    }
    return 0;
}

/* --- failing ------------------------------------------------------------------------------------------------------ */

/* Every function asks whether it is to fail. */
static int come(const char *name)
{
    must_be(self >= 0 && self < job.n, "only ranks call MPI");
    if (!job.fails || (job.failing >= 0 && self != job.failing) || strcmp(name, job.fails) != 0) return MPI_SUCCESS;
    const int left = job.fails_after--;
    return left == 0 || (left < 0 && job.fails_ever) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length)
{
    must_be(code == MPI_ERR_OTHER, "another error");
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "as it should");
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    job.statuses[self] = status;
    job.aborted_at[self] = job.now;
    leave();
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static struct comm *comm_of(MPI_Comm comm)
{
    const intptr_t number = comm == MPI_COMM_WORLD ? 1 : (intptr_t)comm;
    must_be(number > 0 && number <= job.n_comms[self], "no communicator");
    struct comm *of = &job.comms[self][number - 1];
    must_be(of->n > 0, "a communicator that is free");
    return of;
}

/* Of all members, or of those on HOST unless that is -1. */
static MPI_Comm new_comm(struct comm *parent, int host)
{
    struct comm *comm = &job.comms[self][job.n_comms[self]];
    must_be(job.n_comms[self]++ < COMMS, "too many communicators");
    *comm = (struct comm){.key = 256 * parent->key + 16 * (uint64_t)(host + 1) + parent->copies++ % 16};
    for (int i = 0; i < parent->n; i++) {
        const int rank = parent->members[i];
        if (host >= 0 && job.hosts && job.hosts[rank] != host) continue;
        if (rank == self) comm->me = comm->n;
        comm->members[comm->n++] = rank;
    }
    return HANDLE(MPI_Comm, job.n_comms[self]);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    const int code = come("Comm_dup");
    if (!code) *out = new_comm(comm_of(comm), -1);
    return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int by, int key, MPI_Info info, MPI_Comm *out)
{
    must_be(by == MPI_COMM_TYPE_SHARED && key == 0 && info == MPI_INFO_NULL, "another way to split");
    *out = new_comm(comm_of(comm), job.hosts ? job.hosts[self] : 0);
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    comm_of(*comm)->n = 0;
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    comm_of(comm)->returns = handler == MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = comm_of(comm)->me;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *n)
{
    *n = comm_of(comm)->n;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *there)
{
    static int most = 8;
    must_be(key == MPI_TAG_UB && comm_of(comm)->n > 0, "another attribute");
    *(int **)value = &most;
    *there = 1;
    return MPI_SUCCESS;
}

/* Communicators of RANK beside the world. */
static inline int open_comms(int rank)
{
    int n = 0;
    for (int i = 1; i < job.n_comms[rank]; i++) n += job.comms[rank][i].n > 0;
    return n;
}

int MPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "host%d", job.hosts ? job.hosts[self] : 0);
    return MPI_SUCCESS;
}

int gethostname(char *name, size_t room)
{
    if (job.names && self >= 0)
        snprintf(name, room, "%s", job.names[self]);
    else
        snprintf(name, room, "host%d", job.hosts && self >= 0 ? job.hosts[self] : 0);
    return 0;
}

/* The same where the compiler checks sizes. */
int __gethostname_chk(char *name, size_t room, size_t all);
int __gethostname_chk(char *name, size_t room, size_t all)
{
    must_be(room <= all, "a name that is too long");
    return gethostname(name, room);
}

/* --- datatypes ---------------------------------------------------------------------------------------------------- */

static struct type *type_of(MPI_Datatype type)
{
    const intptr_t number = (intptr_t)type;
    return number > 0 && number <= TYPES ? &job.types[self][number - 1] : NULL;
}

static size_t size_of(MPI_Datatype type)
{
    if ((intptr_t)type > TYPES && (intptr_t)type <= TYPES + LARGEST) return (size_t)((intptr_t)type - TYPES);
    const bool byte = type == MPI_BYTE || type == MPI_CHAR || type == MPI_C_BOOL;
    return byte ? 1 : type == MPI_INT || type == MPI_UNSIGNED ? 4 : 8;
}

int MPI_Get_address(const void *place, MPI_Aint *out)
{
    *out = (MPI_Aint)(intptr_t)place;
    return MPI_SUCCESS;
}

int MPI_Type_create_hindexed(int n, const int lengths[], const MPI_Aint places[], MPI_Datatype old, MPI_Datatype *out)
{
    const int code = come("Type_create_hindexed");
    int t = 0;
    if (code) return code;
    must_be(n <= 4 && old == MPI_BYTE, "another datatype");
    while (t < TYPES && job.types[self][t].used) t++;
    must_be(t < TYPES, "too many datatypes");
    job.n_types[self]++;
    job.types[self][t] = (struct type){.n = n, .used = true};
    memcpy(job.types[self][t].lengths, lengths, (size_t)n * sizeof *lengths);
    memcpy(job.types[self][t].places, places, (size_t)n * sizeof *places);
    *out = HANDLE(MPI_Datatype, t + 1);
    return MPI_SUCCESS;
}

/* Its handle says how large it is. */
int MPI_Type_contiguous(int n, MPI_Datatype old, MPI_Datatype *out)
{
    must_be(n > 0 && n <= LARGEST && old == MPI_BYTE, "another datatype");
    *out = HANDLE(MPI_Datatype, TYPES + n);
    job.contiguous[self]++;
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    if (type_of(*type))
        type_of(*type)->committed = true;
    else
        job.committed[self]++;
    return come("Type_commit");
}

int MPI_Type_free(MPI_Datatype *type)
{
    if (type_of(*type))
        type_of(*type)->used = false;
    else
        job.contiguous[self]--, job.committed[self]--;
    return MPI_SUCCESS;
}

/* Copies COUNT of TYPE at PLACE to or from PACKED, at most LIMIT bytes; returns how many there are. */
static size_t pack(void *place, int count, MPI_Datatype type, char *packed, size_t limit, bool out)
{
    const struct type *of = type_of(type);
    size_t bytes = 0;
    if (!of) {
        bytes = (size_t)count * size_of(type);
        if (packed && limit < bytes) bytes = limit;
        if (packed && bytes) memcpy(out ? packed : place, out ? place : packed, bytes);
        return bytes;
    }
    must_be(count == 1 && place == MPI_BOTTOM && of->used && of->committed, "a datatype that is not ready");
    for (int i = 0; i < of->n; i++) {
        size_t part = (size_t)of->lengths[i];
        char *there = (char *)(intptr_t)of->places[i];
        if (packed && limit - bytes < part) part = limit - bytes;
        if (packed) memcpy(out ? packed + bytes : there, out ? there : packed + bytes, part);
        bytes += part;
    }
    return bytes;
}

int MPI_Get_library_version(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v9.9, of a test");
    return MPI_SUCCESS;
}

#include "ranks_test_messages.h"

#endif
