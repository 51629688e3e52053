#include "study/bench/bench_pace.h"

#include <math.h>

#include "study/bench/rank_clock.h"

#define SHORTEST_MARGIN  20e-6 /* [s] */
#define LONGEST_MARGIN   1.0
#define WAKING_TAKES     100e-6             /* [s] by which a rank that sleeps wakes too late at times */
#define LONGEST_NAP      0.1                /* [s] */
#define RECEIVED_AT_ONCE ((size_t)64 << 20) /* bytes */
#define SYNC_EVERY       0.25               /* [s] */

double cw_bench_margin(double margin, double missed_by)
{
    if (missed_by > 0) return fmin(LONGEST_MARGIN, margin + 2 * missed_by);
    return fmax(SHORTEST_MARGIN, 0.97 * margin);
}

double cw_bench_nap(double left)
{
    return left > WAKING_TAKES ? fmin(LONGEST_NAP, left - WAKING_TAKES / 2) : 0;
}

bool cw_bench_asks_for_end(size_t n)
{
    return (n & (n - 1)) == 0 || n % 8 == 0;
}

size_t cw_bench_messages_at_once(size_t bytes, uint32_t n_ranks)
{
    const size_t fit = RECEIVED_AT_ONCE / (bytes > 0 ? bytes : 1);
    return fit < 1 ? 1 : fit < n_ranks ? fit : n_ranks;
}

bool cw_bench_is_sync_due(double age, size_t n)
{
    return age > SYNC_EVERY || n <= CW_CLOCK_POINTS;
}

double cw_bench_share(double left, size_t step, size_t n_steps)
{
    return left / (double)(n_steps - step);
}
