#include "study/move/transport_fit.h"

#include <math.h>

#include "base/error.h"
#include "base/units.h"

#define TOO_FAST 1.1 /* times the capacity: more than bursts and clocks explain */
#define NOTHING  (1. / 50)

int cw_transport_fit(const struct cw_fit_times *times, struct cw_transport *out)
{
    const double bytes = (double)times->chunk_bytes, less = bytes - (double)times->short_bytes;
    double byte_time = (times->period - times->short_period) / less;
    double overhead = times->period - bytes * byte_time;
    char more[32];
    if (!(times->period > 0) || !(byte_time > 0))
        return cw_fail(CW_EUSAGE, "chunks of %g bytes take %s longer than chunks of %g; expected a longer time", bytes,
                       cw_format_time(times->period - times->short_period, more, sizeof more),
                       (double)times->short_bytes);
    if (overhead < 0) {
        overhead = 0;
        byte_time = times->period / bytes;
    }
    const double efficiency = 1 / (byte_time * times->capacity);
    if (efficiency > TOO_FAST)
        return cw_fail(CW_EUSAGE,
                       "chunks are sent at %.4g byte/s over channels of %.4g byte/s; expected the capacities that this "
                       "network has",
                       1 / byte_time, times->capacity);
    out->chunk_bytes = times->chunk_bytes;
    out->efficiency = fmin(1, efficiency);
    out->chunk_overhead = overhead;
    const double without_copy = overhead + bytes / (out->efficiency * times->relayed_capacity);
    const double copying = times->relayed_period - without_copy;
    out->copy = copying > NOTHING * without_copy ? bytes / copying : 0;
    out->hop_latency = fmax(0, times->relayed_one - times->direct_one - overhead);
    return 0;
}
