/*
 * What the application's ranks do during a block: they call the operation again and again, and note when, each by its
 * own clock.
 *
 * How the calls begin together:
 *
 *   window    before each call ranks agree on a moment of the common clock a little later than the last of them is
 * ready, and wait for it, each by its own clock. A rank that learns of the moment too late makes the sample late; the
 * time that is left for learning it is doubled then, and shortens slowly. The next moment is agreed on when the last
 * rank is ready again, so that no call is cut off, however long it takes: dropping slow calls would hide what is
 * measured. barrier   each call begins when MPI_Barrier lets a rank go, which is not at the same time everywhere.
 */
#ifndef CW_MPI_BENCH_APPLICATION_H
#define CW_MPI_BENCH_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/bench/bench_clock.h"
#include "mpi/bench/bench_operation.h"

enum bench_start { START_WINDOW, START_BARRIER };

extern const char *const bench_starts[]; /* their names, ended by NULL */

struct bench_limits {
    size_t samples; /* at most */
    size_t least;   /* of them are made whatever time says */
    double time;    /* [s] */
};

/* When a rank began and ended a call, by its own clock. */
struct bench_moment {
    double began, ended;
    bool late;
};

/* The sampling of one application rank. It starts zeroed. */
struct sampling {
    const struct bench_clock *clock;
    enum bench_start start;
    double margin;                /* [s] between the last rank's being ready and the beginning; adapted */
    double lateness;              /* [s] by which this rank missed the last beginning */
    struct bench_moment *moments; /* [limits.samples] */
    size_t n;
};

/* Collective over the application. 0 or CW_EINTERRUPTED. */
int sample_calls(const struct call *call, const struct bench_limits *limits, struct sampling *sampling);

#endif
