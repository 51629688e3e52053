/*
 * libcrosswind-record.so: what users put into LD_PRELOAD to have a program recorded, whatever its MPI is. It stands
 * between the program and its MPI (preload/forward.h) and tells libcrosswind-record.MPI.so beside it of each call,
 * before and after. MPI itself gets the call in any case.
 *
 * A call is recorded where it comes in, as MPI_ name or PMPI_ name; what is called within it is not. Nor is what the
 * collectives' library calls, whose threads have calls of their own.
 */
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "preload/forward.h"
#include "preload/record_functions.h"

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static cw_record_begin_function *record_begin;
static cw_record_end_function *record_end;
static bool recording;        /* from the end of MPI_Init to the beginning of MPI_Finalize */
static uintptr_t from, until; /* where the collectives' library is */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void open_libraries(void)
{
    const char *name = open_mpi();
    const char *why = name ? open_beside("libcrosswind-record", name) : "this MPI is not known";
    if (!library) {
        fprintf(stderr, "crosswind-record: nothing is recorded: %s\n", why);
        return;
    }
    any_function *const begin = find(library, "cw_record_", "begin"), *const end = find(library, "cw_record_", "end");
    memcpy(&record_begin, &begin, sizeof begin);
    memcpy(&record_end, &end, sizeof end);
}

static int look_for_nbc(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (!strstr(info->dlpi_name, "libcrosswind-nbc.") || strstr(info->dlpi_name, "libcrosswind-nbc.so")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = first + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        if (!until || first < from) from = first;
        if (end > until) until = end;
    }
    return 1;
}

ONCE static any_function *look_beyond(const char *name, any_function *ours, any_function **out)
{
    pthread_once(&opened, open_libraries);
    any_function *next = find_beyond(name, ours);
    __atomic_store_n(out, next, __ATOMIC_RELEASE);
    return next;
}

/* What PNAME is to be passed on to. */
ONCE static any_function *look_up(const char *name, any_function **out)
{
    pthread_once(&opened, open_libraries);
    any_function *next = find(RTLD_NEXT, "P", name);
    if (!next && mpi) next = find(mpi, "P", name);
    if (!next) {
        fprintf(stderr, "crosswind-record: the MPI library has no function %s\n", name);
        abort();
    }
    __atomic_store_n(out, next, __ATOMIC_RELEASE);
    return next;
}

/* Whether a call that comes from CALLER is recorded. */
static inline bool is_recorded(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    return __atomic_load_n(&recording, __ATOMIC_ACQUIRE) && !inside && !(at >= from && at < until);
}

#define FROM_1  arguments[0]
#define FROM_2  FROM_1, arguments[1]
#define FROM_3  FROM_2, arguments[2]
#define FROM_4  FROM_3, arguments[3]
#define FROM_5  FROM_4, arguments[4]
#define FROM_6  FROM_5, arguments[5]
#define FROM_7  FROM_6, arguments[6]
#define FROM_8  FROM_7, arguments[7]
#define FROM_9  FROM_8, arguments[8]
#define FROM_10 FROM_9, arguments[9]
#define FROM_11 FROM_10, arguments[10]
#define FROM_12 FROM_11, arguments[11]

/* The same for both names of a function. */
#define RECORD_AS(NAME, FUNCTION, N, LOOK)                                                                             \
    EXPORTED word NAME(PARAMETERS_##N);                                                                                \
    word NAME(PARAMETERS_##N)                                                                                          \
    {                                                                                                                  \
        typedef word function(PARAMETERS_##N);                                                                         \
        static any_function *known;                                                                                    \
        any_function *next = __atomic_load_n(&known, __ATOMIC_ACQUIRE);                                                \
        if (!next) next = LOOK;                                                                                        \
        if (!is_recorded(__builtin_return_address(0))) return ((function *)next)(ARGUMENTS_##N);                       \
        word arguments[] = {ARGUMENTS_##N};                                                                            \
        struct cw_record_call call;                                                                                    \
        call.function = FUNCTION;                                                                                      \
        call.arguments = arguments;                                                                                    \
        inside = true;                                                                                                 \
        record_begin(&call);                                                                                           \
        const word result = ((function *)next)(FROM_##N);                                                              \
        record_end(&call, (int)result);                                                                                \
        inside = false;                                                                                                \
        return result;                                                                                                 \
    }
#define RECORD(NAME, FUNCTION, N)                                                                                      \
    EXPORTED word P##NAME(PARAMETERS_##N);                                                                             \
    RECORD_AS(NAME, FUNCTION, N, look_beyond(#NAME, (any_function *)P##NAME, &known))                                  \
    RECORD_AS(P##NAME, FUNCTION, N, look_up(#NAME, &known))

#define RECORD_N(NAME, FUNCTION, N)        RECORD(NAME, FUNCTION, N)
#define RECORD_CALL(NAME, N, KIND, SUFFIX) RECORD(MPI_##NAME##SUFFIX, CW_RECORD_##NAME##SUFFIX, N)
#define RECORD_COMMUNICATOR(NAME, N)       RECORD(MPI_##NAME, CW_RECORD_##NAME, N)
#define RECORD_IMMEDIATE(KIND, LOWER, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                           \
    RECORD_N(MPI_##IMMEDIATE##SUFFIX, CW_RECORD_##IMMEDIATE##SUFFIX, CW_RECORD_N_##SHAPE)

CW_RECORD_FUNCTIONS(RECORD_CALL, RECORD_IMMEDIATE, RECORD_CALL, RECORD_COMMUNICATOR)

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static void begin_recording(void)
{
    if (!library || recording) return;
    any_function *const found = find(library, "cw_record_", "start");
    cw_record_start_function *start;
    memcpy(&start, &found, sizeof found);
    dl_iterate_phdr(look_for_nbc, NULL);
    if (start()) __atomic_store_n(&recording, true, __ATOMIC_RELEASE);
}

static void end_recording(int finalized)
{
    if (!recording) return;
    any_function *const found = find(library, "cw_record_", "stop");
    cw_record_stop_function *stop;
    memcpy(&stop, &found, sizeof found);
    __atomic_store_n(&recording, false, __ATOMIC_RELEASE);
    stop(finalized);
}

/* NAME, with BEFORE it and AFTER it, wherever the call comes in. */
#define SURROUND_AS(NAME, PARAMETERS, ARGUMENTS, LOOK, BEFORE, AFTER)                                                  \
    EXPORTED word NAME PARAMETERS;                                                                                     \
    word NAME PARAMETERS                                                                                               \
    {                                                                                                                  \
        typedef word function PARAMETERS;                                                                              \
        static any_function *known;                                                                                    \
        any_function *next = __atomic_load_n(&known, __ATOMIC_ACQUIRE);                                                \
        if (!next) next = LOOK;                                                                                        \
        if (inside) return ((function *)next)ARGUMENTS;                                                                \
        inside = true;                                                                                                 \
        BEFORE;                                                                                                        \
        const word result = ((function *)next)ARGUMENTS;                                                               \
        if ((int)result == 0) AFTER;                                                                                   \
        inside = false;                                                                                                \
        return result;                                                                                                 \
    }
#define SURROUND(NAME, N, BEFORE, AFTER)                                                                               \
    EXPORTED word P##NAME(PARAMETERS_##N);                                                                             \
    SURROUND_AS(NAME, (PARAMETERS_##N), (ARGUMENTS_##N), look_beyond(#NAME, (any_function *)P##NAME, &known), BEFORE,  \
                AFTER)                                                                                                 \
    SURROUND_AS(P##NAME, (PARAMETERS_##N), (ARGUMENTS_##N), look_up(#NAME, &known), BEFORE, AFTER)

SURROUND(MPI_Init, 2, (void)0, begin_recording())
SURROUND(MPI_Init_thread, 4, (void)0, begin_recording())
SURROUND(MPI_Finalize, 0, end_recording(1), (void)0)
SURROUND(MPI_Abort, 2, end_recording(0), (void)0)
