/*
 * The ways in which a collective is carried out beside a computation. Adding one: an entry in overlap_method.c.
 */
#ifndef CW_MPI_OVERLAP_METHOD_H
#define CW_MPI_OVERLAP_METHOD_H

#include <stdbool.h>

#include "mpi/bench/bench_operation.h"

struct overlap_method {
    const char *name;
    bool of_mpi;   /* what a program has without us */
    bool blocking; /* the collective begins when the computation has ended */
};

extern const struct overlap_method overlap_methods[]; /* ended by one without a name */
extern const struct cw_registry overlap_method_registry;

/* What is under way. */
struct overlap_operation {
    MPI_Request native;
};

/* Starts CALL, whose result is there after _wait. A blocking one does all in _wait. 0 or an error. */
int overlap_begin(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation);
int overlap_wait(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation);

/* Whether MPI was told to make progress in a thread of its own; NULL: not as far as is known. */
const char *overlap_async_setting(void);

#endif
