#include "mpi/bench/bench_wait.h"

#include "base/interrupt.h"
#include "base/stopwatch.h"

#define PATIENCE 0.5 /* [s] after a signal */

int wait_for_all(enum cw_wait_mode mode, int n, MPI_Request *requests)
{
    const double since = mode == CW_WAIT_SLEEP ? cw_stopwatch_now() : 0;
    double deadline = 0; /* once there was a signal */
    for (int done = 0;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return 0;
        if (cw_interrupted()) {
            if (deadline == 0) deadline = cw_stopwatch_deadline(PATIENCE);
            if (cw_stopwatch_now() > deadline) return cw_interrupt_check();
        }
        cw_wait_idle(mode, since);
    }
}

int wait_for(enum cw_wait_mode mode, MPI_Request *request)
{
    return wait_for_all(mode, 1, request);
}

int wait_for_others(enum cw_wait_mode mode, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    return wait_for(mode, &request);
}
