/*
 * Least squares: a straight line through points, and how well it is known; and LogGP parameters by such lines.
 */
#ifndef CW_STUDY_BENCH_FITS_H
#define CW_STUDY_BENCH_FITS_H

#include <stddef.h>
#include <stdint.h>

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

/* --- LogGP -------------------------------------------------------------------------------------------------------- */

/*
 * LogGP parameters of a network from parametrised round trips.
 *
 * PRTT(n, d, s) is the time in which a rank sends n messages of s bytes, each after a pause of d, and gets one of s
 * bytes back for the last. A message alone takes L + 2o + (s-1)G, and n of them follow each other by the larger of o +
 * d and g + (s-1)G:
 *
 *     PRTT(1, 0, s) = 2 (L + 2o + (s-1)G)
 *     PRTT(n, d, s) = PRTT(1, 0, s) + (n-1) max(o + d, g + (s-1)G)
 *
 * so that differences give each parameter alone: o with a long pause, g and G without one. Only one clock is read.
 * Source: Hoefler, Lichei and Rehm, "Low-overhead LogGP parameter assessment for modern interconnection networks",
 * IPDPS 2007, section 3. Here s, not s-1, is multiplied by G, as in crosswind noise.
 */

/* Round trips of one round of measurements; all times in seconds. */
struct cw_prtt {
    uint32_t messages;                /* n ≥ 2 */
    double delay;                     /* d, longer than g */
    double small;                     /* PRTT(1, 0, 1) */
    double small_paced;               /* PRTT(n, d, 1) */
    double small_many;                /* PRTT(n, 0, 1) */
    size_t n_sizes;                   /* at least two different ones */
    const double *bytes, *one, *many; /* [n_sizes] s, PRTT(1, 0, s), PRTT(n, 0, s) */
};

/* In seconds, G in s/byte. */
enum cw_loggp_parameter { CW_LOGGP_L, CW_LOGGP_O, CW_LOGGP_SMALL_G, CW_LOGGP_G, CW_LOGGP_PARAMETERS };

/* L may come out negative, where sending and receiving do not follow one another. CW_EUSAGE if all sizes are the same.
 */
int cw_loggp_fit(const struct cw_prtt *prtt, double out[CW_LOGGP_PARAMETERS]);

CW_END_DECLS

#endif
