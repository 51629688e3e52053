/*
 * One clock for all ranks: that of rank 0, to which each rank knows its offset and drift (study/bench/rank_clock.h).
 *
 * The clock is CLOCK_MONOTONIC. Ranks of the same host, booted system and time namespace share it: one of them, the
 * leader, exchanges messages with rank 0 and tells the others. Times are seconds since a moment shortly before the
 * first comparison, so that doubles have all digits.
 */
#ifndef CW_MPI_BENCH_CLOCK_H
#define CW_MPI_BENCH_CLOCK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/together.h"
#include "study/bench/rank_clock.h"

struct bench_clock {
    MPI_Comm comm, shared; /* all ranks; those with the same clock, led by its rank 0 */
    enum cw_wait_mode mode;
    int rank, n;
    bool leads;
    int *leaders; /* [n_leaders] on rank 0: the other leaders */
    int n_leaders;
    int64_t base; /* [ns] CLOCK_MONOTONIC at time 0 */
    struct cw_clock_model model;
    size_t n_syncs;      /* comparisons so far */
    double synchronised; /* [s] when the last was, by the own clock */
};

/* Collective over COMM, all ranks, which is borrowed. Without a comparison. */
int bench_clock_init(struct ranks *ranks, MPI_Comm comm, enum cw_wait_mode mode, struct bench_clock *out);
void bench_clock_free(struct bench_clock *clock); /* collective */

/* The own clock. */
double bench_clock_now(const struct bench_clock *clock);

/* Collective: compares all clocks with rank 0's once more. 0 or CW_EINTERRUPTED. O(hosts) messages of rank 0. */
int bench_clock_sync(struct bench_clock *clock);

#endif
