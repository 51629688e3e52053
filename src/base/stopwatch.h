/* How long something has taken, and how long it may. Never part of results that must be reproducible. */
#ifndef CW_BASE_STOPWATCH_H
#define CW_BASE_STOPWATCH_H

#include <math.h>
#include <stdint.h>
#include <time.h>

#include "base/decls.h"

CW_BEGIN_DECLS

static inline double cw_stopwatch_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The same in whole ns: of long runs, too, to the last. */
static inline int64_t cw_stopwatch_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A moment of that clock, or a time, as the system takes it. */
static inline struct timespec cw_stopwatch_time(double moment)
{
    const double whole = floor(moment);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (moment - whole))};
}

/* The moment at which SECONDS from now are over; INFINITY for 0, no limit. */
static inline double cw_stopwatch_deadline(double seconds)
{
    return seconds > 0 ? cw_stopwatch_now() + seconds : INFINITY;
}

CW_END_DECLS

#endif
