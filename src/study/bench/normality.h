/*
 * Is a sample drawn from a normal distribution? The test of Anderson and Darling, with the mean and the variance of the
 * sample.
 */
#ifndef CW_STUDY_BENCH_NORMALITY_H
#define CW_STUDY_BENCH_NORMALITY_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_NORMALITY_SAMPLES 8 /* the test is not defined for fewer */

struct cw_normality {
    double a2; /* A², modified for the size of the sample: A² (1 + 0.75/n + 2.25/n²); NaN: see below */
    double p;  /* of an A² as large, if the distribution is normal; at least 3.7e-24 */
};

/* Tests N sorted values; NaN for fewer than 8, or if all are equal. D'Agostino and Stephens, "Goodness-of-Fit
 * Techniques", 1986, section 4.8.5 and table 4.9. O(n). */
struct cw_normality cw_normality_test(const double *sorted, size_t n);

CW_END_DECLS

#endif
