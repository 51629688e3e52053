#include "mpi/bench/bench_wait.h"

#include <math.h>
#include <sched.h>
#include <time.h>

#include "base/interrupt.h"
#include "base/stopwatch.h"

#define SHORTEST_SLEEP 10e-6 /* [s] */
#define LONGEST_SLEEP  200e-6
#define PATIENCE       0.5 /* [s] after a signal */

const char *const wait_modes[] = {"spin", "yield", "sleep", NULL};

static void wait_a_little(enum wait_mode mode, double since)
{
    if (mode == WAIT_YIELD) sched_yield();
    if (mode != WAIT_SLEEP) return;
    const double waited = cw_stopwatch_now() - since;
    const double sleep = fmin(LONGEST_SLEEP, fmax(SHORTEST_SLEEP, waited / 8));
    nanosleep(&(struct timespec){.tv_nsec = (long)(sleep * 1e9)}, NULL);
}

int wait_for_all(enum wait_mode mode, int n, MPI_Request *requests)
{
    const double since = mode == WAIT_SLEEP ? cw_stopwatch_now() : 0;
    double deadline = 0; /* once there was a signal */
    for (int done = 0;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return 0;
        if (cw_interrupted()) {
            if (deadline == 0) deadline = cw_stopwatch_deadline(PATIENCE);
            if (cw_stopwatch_now() > deadline) return cw_interrupt_check();
        }
        wait_a_little(mode, since);
    }
}

int wait_for(enum wait_mode mode, MPI_Request *request)
{
    return wait_for_all(mode, 1, request);
}

int wait_for_others(enum wait_mode mode, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    return wait_for(mode, &request);
}
