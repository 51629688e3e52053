#include "study/bench/fits.h"

#include <math.h>

#include "base/error.h"
#include "base/statistics.h"

static double half_width(const struct cw_line *line, double standard_error)
{
    return line->n < 3 ? (double)NAN : cw_student_quantile(0.975, (double)line->n - 2) * standard_error;
}

int cw_line_fit(const double *x, const double *y, size_t n, struct cw_line *out)
{
    struct cw_line line = {.n = n};
    double mean_y = 0, xy = 0, yy = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        line.mean_x += x[i] / (double)n;
        mean_y += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        line.spread_x += (x[i] - line.mean_x) * (x[i] - line.mean_x);
        xy += (x[i] - line.mean_x) * (y[i] - mean_y);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    if (n < 2 || !(line.spread_x > 1e-24 * line.mean_x * line.mean_x))
        return cw_fail(CW_EUSAGE, "a line through points of fewer than two different x");
    const double slope = xy / line.spread_x;
    line.intercept = mean_y - slope * line.mean_x;
    for (size_t i = 0; i < n; i++) {
        const double off = y[i] - line.intercept - slope * x[i];
        rest += off * off;
    }
    line.r2 = yy > 0 ? 1 - rest / yy : (double)NAN;
    line.deviation = n > 2 ? sqrt(rest / (double)(n - 2)) : (double)NAN;
    const double half = half_width(&line, line.deviation / sqrt(line.spread_x));
    line.slope = (struct cw_estimate){slope, slope - half, slope + half};
    *out = line;
    return 0;
}

struct cw_estimate cw_line_at(const struct cw_line *line, double x)
{
    const double value = line->intercept + line->slope.value * x, off = x - line->mean_x;
    const double half = half_width(line, line->deviation * sqrt(1 / (double)line->n + off * off / line->spread_x));
    return (struct cw_estimate){value, value - half, value + half};
}
