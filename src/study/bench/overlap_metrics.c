#include "study/bench/overlap_metrics.h"

#include <math.h>

double cw_overlap_imb(const struct cw_overlap_times *times)
{
    const double hidden = times->pure + times->within - times->total;
    return 100 * fmax(0, fmin(1, hidden / fmin(times->pure, times->within)));
}

double cw_overlap_osu(const struct cw_overlap_times *times)
{
    return fmax(0, 100 - 100 * (times->total - times->within) / times->pure);
}
