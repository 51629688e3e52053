#include "mpi/overlap/overlap_compute.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/stopwatch.h"

#define SAMPLE  200000 /* rounds: a fraction of a millisecond, which is seldom disturbed */
#define SAMPLES 50

const char *const overlap_kinds[] = {"cpu", "accelerator", NULL};

/* Each round needs the one before, in registers alone: it takes no part of the memory's bandwidth. */
static void spin(uint64_t rounds)
{
    volatile uint64_t kept;
    uint64_t x = 88172645463325252u;
    while (rounds-- > 0) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    kept = x;
    (void)kept;
}

double overlap_calibrate(MPI_Comm comm)
{
    double least = INFINITY, rate;
    for (int i = 0; i < SAMPLES; i++) {
        const double begin = cw_stopwatch_now();
        spin(SAMPLE);
        least = fmin(least, cw_stopwatch_now() - begin);
    }
    rate = SAMPLE / least;
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MAX, comm);
    return rate;
}

void overlap_be_punctual(void)
{
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* ns */
}

void overlap_compute(enum overlap_kind kind, double seconds, double rate)
{
    if (kind == OVERLAP_CPU) {
        spin((uint64_t)(seconds * rate));
        return;
    }
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double whole = floor(seconds);
    end.tv_sec += (time_t)whole;
    end.tv_nsec += (long)(1e9 * (seconds - whole));
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) continue;
}
