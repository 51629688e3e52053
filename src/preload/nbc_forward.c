/*
 * libcrosswind-nbc.so: what users put into LD_PRELOAD, whatever their MPI is. It stands between the program and its MPI
 * and forwards some of MPI's functions to cw_preload_* in libcrosswind-nbc.MPI.so beside it, which carries out
 * nonblocking collectives on communication cores. Everything goes straight to MPI if CROSSWIND_NBC is off, or there is
 * no such library.
 *
 * A program calls MPI_ names, which profiling tools may have taken over: those that were loaded before this library
 * have been asked already, those that were loaded after it are asked next. Both then call the PMPI_ names, and these
 * are what is forwarded. So a tool sees what the program calls, whatever comes first in LD_PRELOAD.
 *
 * Which MPI it is shows when the first of these functions is called. Their arguments are integers and pointers in every
 * MPI; as words they are passed on alike (System V on x86-64, AAPCS64). The Fortran layer of Open MPI calls
 * PMPI_ names, that of MPICH the others. What is called from within cw_preload_* is meant for MPI.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/nbc_functions.h"

#define EXPORTED __attribute__((visibility("default")))
#define ONCE     __attribute__((noinline, cold)) /* not in the way of what every call takes */

typedef intptr_t word;
typedef void any_function(void);

struct target {
    any_function *own, *native; /* own is NULL where we stand aside */
};

static void *library, *mpi;                 /* cw_preload_* and MPI; NULL where there is none */
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

static any_function *find(void *where, const char *prefix, const char *name)
{
    char symbol[64];
    any_function *function;
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void *const found = dlsym(where, symbol);
    memcpy(&function, &found, sizeof function);
    return function;
}

/* The library for the MPI that is called NAME, which stands beside this one. Returns why it cannot be used, or NULL. */
static const char *open_library(const char *name)
{
    char path[4096];
    Dl_info self;
    if (!dladdr(&opened, &self) || !self.dli_fname) return "the preload library cannot find its own folder";
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    const int n = snprintf(path, sizeof path, "%.*slibcrosswind-nbc.%s.so", folder, self.dli_fname, name);
    if (n < 0 || (size_t)n >= sizeof path) return "the path of the preload library is too long";
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    const int *requests = dlsym(library, "cw_preload_requests");
    if (requests) n_requests = requests;
    const uint32_t **pointer = dlsym(library, "cw_preload_alarm");
    heard = (hear *)find(library, "cw_preload_", "heard");
    counted = (count_call *)find(library, "cw_preload_", "count");
    if (pointer && heard) alarm = pointer;
    if (dlsym(library, "PMPI_Comm_rank") == dlsym(mpi, "PMPI_Comm_rank")) return NULL;
    library = NULL;
    counted = NULL;
    return "the program has another MPI library than that for which Crosswind was built";
}

static void open_libraries(void)
{
    static const struct {
        const char *soname, *name;
    } known[] = {{"libmpi.so.40", "openmpi"}, {"libmpich.so.12", "mpich"}, {"libmpi.so.12", "mpich"}};
    const char *on = getenv("CROSSWIND_NBC"), *name = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known && !mpi; i++) {
        mpi = dlopen(known[i].soname, RTLD_LAZY | RTLD_NOLOAD);
        name = known[i].name;
    }
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
    any_function *next = find(RTLD_NEXT, "", name);
    if (!next || (mpi && next == find(mpi, "", name))) next = ours;
    __atomic_store_n(out, next, __ATOMIC_RELEASE);
    return next;
}

#define PARAMETERS_0  void
#define PARAMETERS_1  word a
#define PARAMETERS_2  PARAMETERS_1, word b
#define PARAMETERS_3  PARAMETERS_2, word c
#define PARAMETERS_4  PARAMETERS_3, word d
#define PARAMETERS_5  PARAMETERS_4, word e
#define PARAMETERS_6  PARAMETERS_5, word f
#define PARAMETERS_7  PARAMETERS_6, word g
#define PARAMETERS_8  PARAMETERS_7, word h
#define PARAMETERS_9  PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j
#define ARGUMENTS_0
#define ARGUMENTS_1  a
#define ARGUMENTS_2  ARGUMENTS_1, b
#define ARGUMENTS_3  ARGUMENTS_2, c
#define ARGUMENTS_4  ARGUMENTS_3, d
#define ARGUMENTS_5  ARGUMENTS_4, e
#define ARGUMENTS_6  ARGUMENTS_5, f
#define ARGUMENTS_7  ARGUMENTS_6, g
#define ARGUMENTS_8  ARGUMENTS_7, h
#define ARGUMENTS_9  ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j

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

FORWARD(2, MPI_Comm_dup)
FORWARD(3, MPI_Comm_dup_with_info)
FORWARD(3, MPI_Comm_create)
FORWARD(4, MPI_Comm_create_group)
FORWARD(4, MPI_Comm_split)
FORWARD(5, MPI_Comm_split_type)
FORWARD(6, MPI_Cart_create)
FORWARD(3, MPI_Cart_sub)
FORWARD(6, MPI_Graph_create)
FORWARD(9, MPI_Dist_graph_create)
FORWARD(10, MPI_Dist_graph_create_adjacent)
FORWARD(3, MPI_Intercomm_merge)

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
