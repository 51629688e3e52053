/* When a run has measured enough. */
#ifndef CW_STUDY_BENCH_PRECISION_H
#define CW_STUDY_BENCH_PRECISION_H

#include "base/decls.h"
#include "study/bench/bench_run.h"

CW_BEGIN_DECLS

/* How well RUN knows the slowdown of its cases: the relative half width of the 95 % confidence interval, of the case of
 * which it knows least; INFINITY if a case was measured clean and perturbed on fewer than CW_INTERVAL_SAMPLES splits.
 * The slowdown on a split is the ratio of the medians; splits are independent, samples of one are not, so the interval
 * is that of the geometric mean over splits (Student's t of the logarithms). O(samples · log). */
double cw_bench_precision(const struct cw_bench_run *run);

CW_END_DECLS

#endif
