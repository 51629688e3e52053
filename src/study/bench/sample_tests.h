/*
 * Tests of samples: by ranks, which ask for no distribution, and whether a distribution is normal.
 */
#ifndef CW_STUDY_BENCH_SAMPLE_TESTS_H
#define CW_STUDY_BENCH_SAMPLE_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The ranks of N values, from 1; equal values share the mean of theirs. RANKS has room for N. *TIES, which may be NULL,
 * gets the sum of t³ - t over groups of t equal values. 0 or CW_ENOMEM; O(n log n). */
int cw_ranks_of_values(const double *values, size_t n, double *ranks, double *ties);

/* Wilcoxon's rank-sum test, which is Mann and Whitney's. */
struct cw_rank_sum {
    double u;   /* pairs in which the value of A is the greater one; equal ones count half */
    double p;   /* two-sided: of a U as far from its mean, if A and B are samples of one distribution. 1 if a sample is
                 * empty or all values are equal */
    bool exact; /* by counting all ways; else by the normal distribution with corrections for ties and continuity */
};

/* Tests A [n_a] against B [n_b]. Exact without ties up to 60 values together. 0 or CW_ENOMEM.
 * Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 2014, section 4.1. */
int cw_rank_sum_test(const double *a, size_t n_a, const double *b, size_t n_b, struct cw_rank_sum *out);

/* Wilcoxon's signed-rank test of pairs: do A or B tend to be greater? Differences of 0 are left out. */
struct cw_signed_rank {
    size_t n;   /* differences that are not 0 */
    double v;   /* the sum of the ranks, by size, of those above 0 */
    double p;   /* two-sided; 1 where n is 0 */
    bool exact; /* by all signs, up to 60 differences without ties; else as above */
};

/* Tests the N DIFFERENCES of pairs, of which it asks that their distribution is symmetric about 0 if there is no
 * effect: of ratios, take logarithms. 0 or CW_ENOMEM. Hollander, Wolfe and Chicken, section 3.1. */
int cw_signed_rank_test(const double *differences, size_t n, struct cw_signed_rank *out);

/* Spearman's correlation of ranks. */
struct cw_spearman {
    size_t n;
    double r;         /* NaN: fewer than 2 pairs, or one side is all equal */
    double low, high; /* 95 % interval (Bonett and Wright, Psychometrika 65, 2000); NaN for fewer than 10 pairs */
    double p; /* two-sided: of an r as far from 0, if the two are independent. By all permutations for n ≤ 8, else
               * by Student's t; NaN where r is */
};

/* Correlates N pairs. 0 or CW_ENOMEM; O(n log n). */
int cw_spearman_of(const double *x, const double *y, size_t n, struct cw_spearman *out);

/* --- normality ---------------------------------------------------------------------------------------------------- */

/* Is a sample drawn from a normal distribution? The test of Anderson and Darling, with the mean and the variance of the
 * sample. */

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
