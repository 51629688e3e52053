/*
 * libcrosswind-nbc.so: what users put into LD_PRELOAD, whatever their MPI is. It stands between the program and its MPI
 * and forwards some of MPI's functions to cw_preload_* in libcrosswind-nbc.MPI.so beside it, which carries out
 * nonblocking collectives on communication cores. Everything goes straight to MPI if CROSSWIND_NBC is off, or there is
 * no such library.
 *
 * What it calls PMPI_ names is forwarded (preload/forward.h). What is called from within cw_preload_* is meant for MPI.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "preload/forward.h"
#include "preload/nbc_functions.h"

struct target {
    any_function *own, *native; /* own is NULL where we stand aside */
};

static const int none, *n_requests = &none; /* how many requests are ours (cw_preload_requests) */
static const uint32_t *quiet = &(const uint32_t){0}, **alarm = &quiet; /* cw_preload_alarm */
typedef int hear(int code);
static hear *heard; /* cw_preload_heard */
typedef void count_call(word comm, int which);
static count_call *counted; /* cw_preload_count */
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

/* Whether this process is to say why; one of a job is enough. */
static bool is_verbose(void)
{
    const char *value = getenv("CROSSWIND_NBC_VERBOSE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    return value && *value && strcmp(value, "no") != 0 && strcmp(value, "0") != 0 && (!rank || strcmp(rank, "0") == 0);
}

/* The library for the MPI that is called NAME, and what is in it. Returns why it cannot be used, or NULL. */
static const char *open_library(const char *name)
{
    const char *why = open_beside("libcrosswind-nbc", name);
    if (why) return why;
    const int *requests = dlsym(library, "cw_preload_requests");
    if (requests) n_requests = requests;
    const uint32_t **pointer = dlsym(library, "cw_preload_alarm");
    heard = (hear *)find(library, "cw_preload_", "heard");
    counted = (count_call *)find(library, "cw_preload_", "count");
    if (pointer && heard) alarm = pointer;
    return NULL;
}

static void open_libraries(void)
{
    const char *on = getenv("CROSSWIND_NBC"), *name = open_mpi();
    if (on && strcmp(on, "off") == 0) return;
    const char *why = mpi ? open_library(name) : "this MPI is not known";
    if (why && is_verbose()) fprintf(stderr, "crosswind-nbc: collectives are left to MPI: %s\n", why);
}

/* NAME begins with MPI_ or MPIX_, whose functions mean the same. Threads that come here together find the same. */
ONCE static void look_up(const char *name, struct target *out)
{
    pthread_once(&opened, open_libraries);
    any_function *native = find(mpi ? mpi : RTLD_NEXT, "P", name);
    if (!native) {
        fprintf(stderr, "crosswind-nbc: the MPI library has no function %s\n", name);
        abort();
    }
    if (library) out->own = find(library, "cw_preload_", strchr(name, '_') + 1);
    __atomic_store_n(&out->native, native, __ATOMIC_RELEASE);
}

/* What is to be called for NAME: that of a tool that was loaded after us, or OURS. */
ONCE static any_function *look_beyond(const char *name, any_function *ours, any_function **out)
{
    pthread_once(&opened, open_libraries);
    any_function *next = find_beyond(name, ours);
    __atomic_store_n(out, next, __ATOMIC_RELEASE);
    return next;
}

/* Others waited for what this rank left to MPI, and is done: that is an error of the program's, too. */
ONCE static word hear_alarm(word result)
{
    inside = true;
    result = heard((int)result);
    inside = false;
    return result;
}

#define AS_IT_IS(RESULT) (RESULT)
static inline word heed_alarm(word result)
{
    const bool quiet_now = __atomic_load_n(*alarm, __ATOMIC_RELAXED) == 0;
    return __builtin_expect(quiet_now || inside, 1) ? result : hear_alarm(result);
}

/* A function, and its second name; it goes straight to MPI where LEFT, and ends with what AFTER makes of its result.
 * PARAMETERS and ARGUMENTS are in brackets. */
#define FORWARD_UNLESS(LEFT, NAME, PARAMETERS, ARGUMENTS, AFTER)                                                       \
    EXPORTED word NAME PARAMETERS;                                                                                     \
    EXPORTED word P##NAME PARAMETERS;                                                                                  \
    word NAME PARAMETERS                                                                                               \
    {                                                                                                                  \
        typedef word function PARAMETERS;                                                                              \
        static any_function *known;                                                                                    \
        any_function *next = __atomic_load_n(&known, __ATOMIC_ACQUIRE);                                                \
        if (!next) next = look_beyond(#NAME, (any_function *)P##NAME, &known);                                         \
        return ((function *)next)ARGUMENTS;                                                                            \
    }                                                                                                                  \
    word P##NAME PARAMETERS                                                                                            \
    {                                                                                                                  \
        typedef word function PARAMETERS;                                                                              \
        static struct target target;                                                                                   \
        if (!__atomic_load_n(&target.native, __ATOMIC_ACQUIRE)) look_up(#NAME, &target);                               \
        if (inside || (LEFT) || !target.own) return AFTER(((function *)target.native)ARGUMENTS);                       \
        inside = true;                                                                                                 \
        const word result = ((function *)target.own)ARGUMENTS;                                                         \
        inside = false;                                                                                                \
        return (int)result == CW_NBC_LEFT_TO_MPI ? AFTER(((function *)target.native)ARGUMENTS) : AFTER(result);        \
    }

/* MPI's own; but others that wait for this rank are to find out. */
static inline bool count(word comm, int which)
{
    if (counted) counted(comm, which);
    return true;
}

/* Of N arguments. */
#define FORWARD(N, NAME) FORWARD_UNLESS(false, NAME, (PARAMETERS_##N), (ARGUMENTS_##N), AS_IT_IS)
#define FORWARD_COUNTED(NAME, N, COMM, SUFFIX)                                                                         \
    FORWARD_UNLESS(count(COMM, CW_NBC_CALLS_##NAME), MPI_##NAME##SUFFIX, (PARAMETERS_##N), (ARGUMENTS_##N), heed_alarm)
#define FORWARD_NAMED(NAME, N) FORWARD(N, MPI_##NAME)
/* Of requests, of which none is ours most of the time. */
#define FORWARD_REQUESTS(N, NAME)                                                                                      \
    FORWARD_UNLESS(__atomic_load_n(n_requests, __ATOMIC_RELAXED) == 0, NAME, (PARAMETERS_##N), (ARGUMENTS_##N),        \
                   heed_alarm)
/* Those of a collective, by the list of them. */
#define FORWARD_IMMEDIATE(NAME, SHAPE)                                                                                 \
    FORWARD_UNLESS(false, NAME, (CW_NBC_NAMED_##SHAPE(word), word request), (CW_NBC_NAMED_##SHAPE(), request), AS_IT_IS)
#define FORWARD_INIT(NAME, SHAPE)                                                                                      \
    FORWARD_UNLESS(false, NAME, (CW_NBC_NAMED_##SHAPE(word), word info, word request),                                 \
                   (CW_NBC_NAMED_##SHAPE(), info, request), AS_IT_IS)
#define FORWARD_BOTH(KIND, LOWER, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                               \
    FORWARD_IMMEDIATE(MPI_##IMMEDIATE##SUFFIX, SHAPE)                                                                  \
    FORWARD_INIT(MPI_##INIT##SUFFIX, SHAPE)
#define FORWARD_OLDER(KIND, LOWER, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT) FORWARD_INIT(MPIX_##INIT, SHAPE)

FORWARD(2, MPI_Init)
FORWARD(4, MPI_Init_thread)
FORWARD(0, MPI_Finalize)

CW_NBC_COMMUNICATORS(FORWARD_NAMED)

CW_NBC_FUNCTIONS(FORWARD_BOTH, , word)
CW_NBC_FUNCTIONS(FORWARD_BOTH, _c, word) /* of large counts, which MPI 4 has */
CW_NBC_FUNCTIONS(FORWARD_OLDER, , word)  /* as Open MPI 4 calls them */
CW_NBC_COUNTED(FORWARD_COUNTED, )
CW_NBC_COUNTED(FORWARD_COUNTED, _c)
CW_NBC_COUNTED_BARRIERS(FORWARD_COUNTED)
FORWARD(1, MPI_Start)
FORWARD(2, MPI_Startall)

FORWARD_REQUESTS(2, MPI_Wait)
FORWARD_REQUESTS(3, MPI_Waitall)
FORWARD_REQUESTS(4, MPI_Waitany)
FORWARD_REQUESTS(5, MPI_Waitsome)
FORWARD_REQUESTS(3, MPI_Test)
FORWARD_REQUESTS(4, MPI_Testall)
FORWARD_REQUESTS(5, MPI_Testany)
FORWARD_REQUESTS(5, MPI_Testsome)
FORWARD_REQUESTS(3, MPI_Request_get_status)
FORWARD_REQUESTS(1, MPI_Request_free)
FORWARD_REQUESTS(1, MPI_Type_free)
FORWARD_REQUESTS(1, MPI_Op_free)
