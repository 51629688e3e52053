/*
 * Random bisections on MPI ranks: halves of the hosts exchange large messages, all at once.
 */
#ifndef CW_MPI_BENCH_BISECTION_H
#define CW_MPI_BENCH_BISECTION_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "mpi/together.h"
#include "traffic/flows.h"
#include "traffic/pattern.h"

#define ALONE 8 /* messages sent alone at most, to know what a message gets then */

struct bisections {
    struct ranks *ranks;
    MPI_Comm comm;                    /* all ranks; as the next two, borrowed */
    const struct cw_pattern *pattern; /* bisection:uni or :bi */
    const uint32_t *members;          /* [n_members] the ranks that take part */
    uint32_t n_members;
    uint64_t seed;
    enum cw_wait_mode mode;
    size_t bytes, trials;         /* of a message; most trials */
    double time;                  /* [s] no trial begins after that; INFINITY: no limit */
    struct cw_progress *progress; /* steps once a trial, on rank 0; may be NULL */
};

/* When, on the clock of all, a rank began to send its message and had the one that it received; -INFINITY where it sent
 * or received none. */
struct moments {
    double begun, ended;
};

/* What was measured, on rank 0. Free with bisections_free. */
struct bisection_times {
    size_t n;            /* trials */
    struct moments *all; /* [ranks][stride] of each trial */
    size_t stride;
    double alone[ALONE]; /* [s] of messages alone */
    size_t n_alone;
};

/* Appends the messages of TRIAL, between ranks; FLOWS is emptied first. The same on every rank. */
int bisections_flows(const struct bisections *bisections, size_t trial, struct cw_flows *flows);

/* Collective. Sends messages of the first trial one after another, then all of each trial at once. */
int bisections_run(const struct bisections *bisections, struct bisection_times *out);

/* From the moment at which MESSAGE of TRIAL was begun to that at which its receiver had it. */
double bisections_seconds(const struct bisection_times *times, const struct cw_flow *message, size_t trial);
void bisections_free(struct bisection_times *times);

#endif
