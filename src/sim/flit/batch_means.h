/*
 * Batch means: the mean of a correlated series with a confidence interval, and whether the series drifts.
 *
 * The values of a simulation's series are correlated with their neighbours, so their own scatter says too little of
 * the mean's. Neighbours are joined, two by two, until 20 to 39 are left; what correlation these have widens the
 * interval (as of a first-order autoregression), and leaves fewer degrees of freedom. So few say by themselves how they
 * scatter, to a sixth or so; with correlation left, the widths of intervals of equally long series differ threefold and
 * more. Of such intervals, at 95 %, 93 to 97 % hold the mean as long as the series is 15 times as long as the values
 * remember.
 *
 * A series that rests for longer than it was looked at seems more certain than it is. How it scatters can therefore be
 * judged by more than what is averaged: by values from before.
 *
 * Drift is the mean of the last third less that of the first. Its interval comes from the scatter around the straight
 * line, so that a trend does not hide itself, of neighbours joined only until they are independent: a slow swing may be
 * called a drift, so that few drifts are taken for a swing.
 *
 * Sources: A. M. Law, "Simulation modeling and analysis", chapter 9 (batch means); B. Schmeiser, "Batch size effects in
 * the analysis of simulation output", Operations Research 30(3), 1982 (few, long batches are enough); M. G. Kendall,
 * "Note on bias in the estimation of autocorrelation", Biometrika 41, 1954.
 */
#ifndef CW_SIM_FLIT_BATCH_MEANS_H
#define CW_SIM_FLIT_BATCH_MEANS_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_BATCH_MEANS_LEAST 10 /* values that a series must have */

struct cw_batch_means {
    double mean, half_width;        /* of its interval */
    double drift, drift_half_width; /* in the values' unit */
    size_t joined, groups; /* values joined to one until neighbours are independent or few are left; and how many that
                              makes of all */
};

/* Mean and drift of N finite VALUES from number FROM on, at the confidence level CONFIDENCE (0.95); how they scatter is
 * judged by all N. CW_EUSAGE for fewer than CW_BATCH_MEANS_LEAST from there on, or a level outside (0, 1). O(n). */
int cw_batch_means(const double *values, size_t n, size_t from, double confidence, struct cw_batch_means *out);

CW_END_DECLS

#endif
