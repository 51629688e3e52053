/*
 * Least squares: a straight line through points, and how well it is known.
 */
#ifndef CW_STUDY_BENCH_FITS_H
#define CW_STUDY_BENCH_FITS_H

#include <stddef.h>

#include "base/decls.h"
#include "base/estimate.h"

CW_BEGIN_DECLS

struct cw_line {
    size_t n;
    double intercept;
    struct cw_estimate slope; /* with its 95 % interval; none for fewer than 3 points */
    double r2;                /* the part of the variance of y that the line accounts for; NaN if there is none */
    double deviation;         /* of y from the line: √(squares / (n - 2)); NaN for n = 2 */
    double mean_x, spread_x;  /* mean of x, and the sum of squares of what x differ from it */
};

/* Fits y = intercept + slope · x to N points. CW_EUSAGE if they have fewer than two different x. Draper and Smith,
 * "Applied Regression Analysis", 1998, chapter 1. */
int cw_line_fit(const double *x, const double *y, size_t n, struct cw_line *out);

/* The line at X, with the pointwise 95 % interval of the mean there; none for fewer than 3 points. */
struct cw_estimate cw_line_at(const struct cw_line *line, double x);

CW_END_DECLS

#endif
