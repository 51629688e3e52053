/*
 * What libraries between a program and its MPI have in common (nbc_forward.c, record_forward.c): which MPI it is, the
 * library for that MPI beside the one that is loaded, and functions whose arguments are words.
 *
 * A program calls MPI_ names, which profiling tools may have taken over: those that were loaded before this library
 * have been asked already, those that were loaded after it are asked next. Both then call the PMPI_ names. So a tool
 * sees what the program calls, whatever comes first in LD_PRELOAD.
 *
 * Which MPI it is shows when the first of these functions is called. Their arguments are integers and pointers in every
 * MPI; as words they are passed on alike (System V on x86-64, AAPCS64). The Fortran layer of Open MPI calls
 * PMPI_ names, that of MPICH the others.
 */
#ifndef CW_PRELOAD_FORWARD_H
#define CW_PRELOAD_FORWARD_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define ONCE     __attribute__((noinline, cold)) /* not in the way of what every call takes */

typedef intptr_t word;
typedef void any_function(void);

static void *library, *mpi; /* the library for this MPI, and MPI; NULL where there is none */

static any_function *find(void *where, const char *prefix, const char *name)
{
    char symbol[64];
    any_function *function;
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void *const found = dlsym(where, symbol);
    memcpy(&function, &found, sizeof function);
    return function;
}

/* Finds the MPI that is loaded. Returns what its libraries are called after, or NULL if it is not known. */
static const char *open_mpi(void)
{
    static const struct {
        const char *soname, *name;
    } known[] = {{"libmpi.so.40", "openmpi"}, {"libmpich.so.12", "mpich"}, {"libmpi.so.12", "mpich"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        mpi = dlopen(known[i].soname, RTLD_LAZY | RTLD_NOLOAD);
        if (mpi) return known[i].name;
    }
    return NULL;
}

/* Opens STEM.NAME.so, which stands beside this library. Returns why it cannot be used, or NULL. */
static const char *open_beside(const char *stem, const char *name)
{
    char path[4096];
    Dl_info self;
    if (!dladdr(&mpi, &self) || !self.dli_fname) return "the preload library cannot find its own folder";
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    const int n = snprintf(path, sizeof path, "%.*s%s.%s.so", folder, self.dli_fname, stem, name);
    if (n < 0 || (size_t)n >= sizeof path) return "the path of the preload library is too long";
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    if (dlsym(library, "PMPI_Comm_rank") == dlsym(mpi, "PMPI_Comm_rank")) return NULL;
    library = NULL;
    return "the program has another MPI library than that for which Crosswind was built";
}

/* What is to be called for NAME (MPI_…): that of a tool that was loaded after us, or OURS. */
static any_function *find_beyond(const char *name, any_function *ours)
{
    any_function *next = find(RTLD_NEXT, "", name);
    if (!next || (mpi && next == find(mpi, "", name))) next = ours;
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
#define PARAMETERS_11 PARAMETERS_10, word k
#define PARAMETERS_12 PARAMETERS_11, word l
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
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l

#endif
