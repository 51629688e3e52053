#include "mpi/move/move_meeting.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "base/stopwatch.h"

#define TAG_REPORT 1
#define TAG_ANSWER 2

/* Until REQUEST, a message to or from RANK, has ended. */
static int await(const struct meeting *meeting, int rank, double begin, double patience, MPI_Request *request)
{
    for (int done = 0;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return 0;
        const int rc = cw_interrupt_check();
        if (rc) return rc;
        if (cw_stopwatch_now() - begin > patience)
            return cw_fail(CW_EIO, "rank %d has not answered for %.3g s", rank, patience);
        cw_wait_idle(meeting->wait, begin);
    }
}

static int lead(const struct meeting *meeting, int n, double *value)
{
    const double begin = cw_stopwatch_now();
    MPI_Request request;
    int rc = 0;
    for (int r = 1; r < n && !rc; r++) {
        double other;
        MPI_Irecv(&other, 1, MPI_DOUBLE, r, TAG_REPORT, meeting->comm, &request);
        rc = await(meeting, r, begin, meeting->patience, &request);
        if (!rc && other > *value) *value = other;
    }
    for (int r = 1; r < n && !rc; r++) {
        MPI_Isend(value, 1, MPI_DOUBLE, r, TAG_ANSWER, meeting->comm, &request);
        rc = await(meeting, r, begin, 2 * meeting->patience, &request);
    }
    return rc;
}

/* Rank 0 is given the time in which it finds out who else is missing. */
static int follow(const struct meeting *meeting, double *value)
{
    const double begin = cw_stopwatch_now();
    MPI_Request request;
    double own = *value;
    MPI_Isend(&own, 1, MPI_DOUBLE, 0, TAG_REPORT, meeting->comm, &request);
    int rc = await(meeting, 0, begin, 2 * meeting->patience, &request);
    if (rc) return rc;
    MPI_Irecv(value, 1, MPI_DOUBLE, 0, TAG_ANSWER, meeting->comm, &request);
    return await(meeting, 0, begin, 2 * meeting->patience, &request);
}

int move_meet(const struct meeting *meeting, double *value, bool *lost)
{
    int rank, n;
    MPI_Comm_rank(meeting->comm, &rank);
    MPI_Comm_size(meeting->comm, &n);
    const int rc = rank == 0 ? lead(meeting, n, value) : follow(meeting, value);
    *lost = rc != 0;
    return rc;
}
