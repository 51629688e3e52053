/*
 * The ways in which a collective is carried out beside a computation: as MPI does it, or with communication cores
 * (mpi/nbc/nbc.h) by one of their schedules.
 *
 * Those of MPI are all that a program can have without us. Ranks that poll on shared processors without end, as in
 * MPICH's MPI_Wait, measure time slices of the kernel; a program can test and yield instead, which Open MPI does by
 * itself there.
 */
#ifndef CW_MPI_OVERLAP_METHOD_H
#define CW_MPI_OVERLAP_METHOD_H

#include <stdbool.h>

#include "mpi/bench/bench_operation.h"
#include "mpi/nbc/nbc.h"
#include "nbc/nbc_collective.h"
#include "nbc/nbc_way.h"

#define OVERLAP_METHODS 16 /* at most */

struct overlap_method {
    char name[CW_NBC_WAY_SIZE]; /* "blocking", "native", "native-yield" ("native-async…" with progress threads; and
                                 * "@all"), or a schedule: "auto", "slices:0.8", "split-tree:1" */
    bool of_mpi;                /* what a program has without us */
    bool blocking;              /* the collective begins when the computation has ended */
    bool yields;                /* who waits tests, and lets others run */
    bool all_cores;             /* ranks have communication cores, too */
    struct cw_nbc_way way;      /* if it is none of MPI's */
};

struct overlap_methods {
    struct overlap_method items[OVERLAP_METHODS];
    size_t n;
};

/* LIST: "NAME[,NAME…]". CW_EUSAGE. */
int overlap_methods_parse(const char *list, struct overlap_methods *out);

/* Whether one of them needs communication cores; and takes those away. */
bool overlap_methods_need_cores(const struct overlap_methods *methods);
void overlap_methods_keep_native(struct overlap_methods *methods);

/* Takes those away that COLLECTIVE does not have. */
void overlap_methods_fit(struct overlap_methods *methods, enum cw_collective_kind collective);

/* What is under way. */
struct overlap_operation {
    MPI_Request native;
    cw_nbc_request ours;
};

/* Starts CALL, whose result is there after _wait. A blocking one does all in _wait. 0 or an error. */
int overlap_begin(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation);
int overlap_wait(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation);

/* The variable by which MPI was told to make progress in a thread of its own; NULL: not as far as is known. */
const char *overlap_async_setting(void);

#endif
