/*
 * Statistics of samples, with confidence intervals.
 */
#ifndef CW_BASE_STATISTICS_H
#define CW_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"

CW_BEGIN_DECLS

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
