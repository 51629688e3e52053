/*
 * Statistics of samples, with confidence intervals.
 */
#ifndef CW_BASE_STATISTICS_H
#define CW_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Fewer samples than that, or samples that are all equal, say nothing of how far their mean may be off: the times of a
 * collective take few values, and an interval from 2 of them holds the mean in less than half of the cases. */
#define CW_INTERVAL_SAMPLES 10

struct cw_summary {
    size_t n;
    double mean;
    double deviation;      /* sample standard deviation (n-1); 0 for n = 1 */
    double standard_error; /* deviation / √n */
    double
        ci95; /* half width of the 95 % confidence interval of the mean (Student's t); NaN: there is none, see above */
    double min, q25, median, q75, max; /* quantiles by linear interpolation (Hyndman and Fan's type 7) */
};

/* Summarises VALUES (n ≥ 1, finite). The sum is compensated, so that order matters as little as possible. O(n log n).
 */
int cw_summarise(const double *values, size_t n, struct cw_summary *out);

/* The same of values that stand STRIDE bytes apart, FIRST being the first: a member of an array of structures. */
int cw_summarise_member(const double *first, size_t n, size_t stride, struct cw_summary *out);

/* The quantile Q (0 … 1) of N sorted values. */
double cw_quantile(const double *sorted, size_t n, double q);

/* The quantile P (0 < p < 1) of Student's t distribution with DOF ≥ 1 degrees of freedom; relative error < 1e-8. */
double cw_student_quantile(double p, double dof);

/* The probability of a value as far from 0 as T, on either side, by Student's t distribution. */
double cw_student_two_sided(double t, double dof);

/* The quantile P of the standard normal distribution. */
double cw_normal_quantile(double p);

/* Mean and deviation of a stream, without keeping it (Welford); two can be merged (Chan et al.). Starts zeroed. */
struct cw_running {
    uint64_t n;
    double mean, m2, min, max;
};
void cw_running_add(struct cw_running *running, double value);
void cw_running_merge(struct cw_running *into, const struct cw_running *other);
double cw_running_deviation(const struct cw_running *running);
double cw_running_ci95(const struct cw_running *running);

CW_END_DECLS

#endif
