#include "mpi/bench/bench_application.h"

#include <math.h>
#include <sched.h>
#include <time.h>

#include "base/interrupt.h"

#define SHORTEST_MARGIN 20e-6 /* [s] */
#define LONGEST_MARGIN  1.0
#define WAKING_TAKES    100e-6 /* a rank that sleeps wakes that much too late at times */

const char *const bench_starts[] = {"window", "barrier", NULL};

/* The margin of the next call, from the greatest of all ranks, which may have been in different applications before,
 * and by how much the last rank missed the last beginning. */
static double adapt_margin(double margin, double missed_by)
{
    if (missed_by > 0) return fmin(LONGEST_MARGIN, margin + 2 * missed_by);
    return fmax(SHORTEST_MARGIN, 0.97 * margin);
}

static void wait_until(const struct call *call, const struct bench_clock *clock, double moment)
{
    double left;
    while ((left = moment - bench_clock_now(clock)) > 0) {
        if (call->mode == CW_WAIT_SLEEP && left > WAKING_TAKES) {
            const double sleep = fmin(0.1, left - WAKING_TAKES / 2);
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * sleep)}, NULL);
        } else if (call->mode != CW_WAIT_SPIN) {
            sched_yield();
        }
    }
}

static int start_by_window(const struct call *call, struct sampling *sampling, bool *late)
{
    const struct bench_clock *clock = sampling->clock;
    const double mine[] = {cw_clock_global(&clock->model, bench_clock_now(clock)), sampling->margin,
                           sampling->lateness};
    double all[3];
    MPI_Request request;
    MPI_Iallreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, call->comm, &request);
    const int rc = wait_for(call->mode, &request);
    if (rc) return rc;
    sampling->margin = adapt_margin(all[1], all[2]);
    const double moment = cw_clock_local(&clock->model, all[0] + sampling->margin);
    sampling->lateness = fmax(0, bench_clock_now(clock) - moment);
    *late = sampling->lateness > 0;
    wait_until(call, clock, moment);
    return 0;
}

static int start_by_barrier(const struct call *call)
{
    if (call->mode != CW_WAIT_SPIN) return wait_for_others(call->mode, call->comm);
    MPI_Barrier(call->comm);
    return 0;
}

/* The application's leader knows the time. Asked after 1, 2, 4, 8, 16, 24, ... samples: that disturbs few of them. */
static int agree_on_end(const struct call *call, const struct bench_limits *limits, double since,
                        const struct sampling *sampling, int *end)
{
    const size_t n = sampling->n;
    MPI_Request request;
    if ((n & (n - 1)) != 0 && n % 8 != 0) return 0;
    *end = cw_interrupted() || (n >= limits->least && bench_clock_now(sampling->clock) - since > limits->time);
    MPI_Ibcast(end, 1, MPI_INT, 0, call->comm, &request);
    return wait_for(call->mode, &request);
}

int sample_calls(const struct call *call, const struct bench_limits *limits, struct sampling *sampling)
{
    const double since = bench_clock_now(sampling->clock);
    int rc = 0, end = 0;
    sampling->lateness = 0;
    for (sampling->n = 0; !rc && !end && sampling->n < limits->samples;) {
        struct bench_moment *moment = &sampling->moments[sampling->n];
        moment->late = false;
        rc = sampling->start == START_WINDOW ? start_by_window(call, sampling, &moment->late) : start_by_barrier(call);
        if (rc) break;
        moment->began = bench_clock_now(sampling->clock);
        rc = call_run(call);
        moment->ended = bench_clock_now(sampling->clock);
        sampling->n++;
        if (!rc) rc = agree_on_end(call, limits, since, sampling, &end);
    }
    return rc;
}
