/*
 * What a sample says without an assumption of its distribution: quantiles with confidence intervals, boxes, and the
 * bootstrap.
 */
#ifndef CW_BASE_ESTIMATE_H
#define CW_BASE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* A figure and its confidence interval; low and high are NaN where the sample is too small for one. */
struct cw_estimate {
    double value, low, high;
};

/* Sorts the N values, ascending. */
void cw_sort_reals(double *values, size_t n);

/* The quantile Q (0 < q < 1) of N ≥ 1 sorted values as cw_quantile has it, with an interval from one of the values to
 * another that holds the distribution's quantile with probability CONFIDENCE at least, at most half of the rest on
 * either side: of a median with 95 % from 6 values on. It holds for independent samples of any distribution (order
 * statistics; David and Nagaraja, "Order Statistics", section 7.1). O(√n). */
struct cw_estimate cw_quantile_estimate(const double *sorted, size_t n, double q, double confidence);

/* A notched box. */
struct cw_box {
    size_t n;
    double min, q25, median, q75, max;
    double notch_low, notch_high; /* median ∓ 1.57 (q75 - q25) / √n: where notches of two boxes do not overlap, their
                                   * medians differ with about 95 % confidence (McGill, Tukey and Larsen, "Variations of
                                   * box plots", 1978) */
    double tukey_low, tukey_high; /* the outermost values within 1.5 (q75 - q25) of the box */
    size_t outliers;              /* values beyond them */
};

/* The box of N ≥ 1 sorted values. O(n). */
struct cw_box cw_box_of(const double *sorted, size_t n);

/* The interval that holds the middle CONFIDENCE of RESAMPLES values of a statistic, each of N clusters drawn with
 * replacement from N (percentile bootstrap over clusters; Davison and Hinkley, "Bootstrap Methods and their
 * Application", 1997, sections 3.8 and 5.3). Draws are keyed by (seed, CW_STREAM_BOOTSTRAP, index + resample). */
struct cw_bootstrap {
    size_t n;       /* at least 1 */
    size_t n_first; /* not 0: there are two samples, each drawn from itself: the first n_first clusters, and the rest */
    /* The statistic where cluster i was drawn COUNTS[i] times, [n]; NaN: it has none, and the resample does not count.
     */
    double (*statistic)(void *context, const uint32_t *counts);
    void *context;
    size_t resamples; /* at least 100 */
    double confidence;
    uint64_t seed, index;
};

/* OUT->value is the statistic with every cluster drawn once. 0 or CW_ENOMEM; O(resamples · (n + statistic)). */
int cw_bootstrap_run(const struct cw_bootstrap *bootstrap, struct cw_estimate *out);

/* For statistics: the median of N sorted values, of which the i-th was drawn COUNTS[i] times, N in all. O(n). */
double cw_drawn_median(const double *sorted, size_t n, const uint32_t *counts);

/* From fewer values no interval can hold the median with 95 %. */
#define CW_MEDIAN_VALUES 6

/* The same of the median of N ≥ 1 values, in any order, with 95 %; no interval for fewer than CW_MEDIAN_VALUES. */
int cw_bootstrap_median(const double *values, size_t n, size_t resamples, uint64_t seed, uint64_t index,
                        struct cw_estimate *out);

CW_END_DECLS

#endif
