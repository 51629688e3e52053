#include "flow/closing.h"

#include <math.h>

#include "base/stopwatch.h"

void cw_closing_report(const struct cw_closing *closing, double z, double bound)
{
    const double gap = fmax(1 - z / bound, closing->gap), budget = closing->deadline - closing->begin;
    const double closed = log(gap) / log(closing->gap);
    const double spent = isfinite(budget) ? (cw_stopwatch_now() - closing->begin) / budget : 0;
    cw_progress_reach(&closing->progress, fmax(closed, spent));
}
