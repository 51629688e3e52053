/*
 * How ranks wait: for messages, and for a moment. All waiting but that of blocking collectives (bench_operation.h) goes
 * through here, so that a signal ends it.
 */
#ifndef CW_MPI_BENCH_WAIT_H
#define CW_MPI_BENCH_WAIT_H

#include <mpi.h>

/* On cores that ranks share, one that spins keeps those from working for which it waits. */
enum wait_mode {
    WAIT_SPIN,  /* tests again at once */
    WAIT_YIELD, /* lets other processes run between two tests */
    WAIT_SLEEP  /* sleeps between two tests: 10 µs, after a while longer, up to 200 µs */
};

extern const char *const wait_modes[]; /* their names, ended by NULL */

/* Until all N requests are done. 0 or CW_EINTERRUPTED; then they are not done. */
int wait_for_all(enum wait_mode mode, int n, MPI_Request *requests);
int wait_for(enum wait_mode mode, MPI_Request *request);

/* What a loop of tests does between two of them; SINCE: when it began, by cw_stopwatch_now(). */
void wait_a_little(enum wait_mode mode, double since);

/* Collective: until all ranks of COMM have come. */
int wait_for_others(enum wait_mode mode, MPI_Comm comm);

#endif
