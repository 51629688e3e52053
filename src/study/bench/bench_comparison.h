/*
 * Two runs of the noise benchmark, case by case: did what was changed between them make a difference?
 */
#ifndef CW_STUDY_BENCH_BENCH_COMPARISON_H
#define CW_STUDY_BENCH_BENCH_COMPARISON_H

#include "base/result.h"
#include "study/bench/bench_analysis.h"

CW_BEGIN_DECLS

/* What is compared: times in each state, and the slowdown. The first are as enum cw_bench_state. */
#define CW_BENCH_SLOWDOWN   CW_BENCH_STATES
#define CW_BENCH_QUANTITIES (CW_BENCH_STATES + 1)

struct cw_bench_difference {
    const struct cw_bench_case *about;
    int quantity;
    size_t n[2];              /* splits of the first and of the second run */
    size_t n_pairs;           /* splits that both measured; 0: the two are taken for independent */
    double values[2];         /* medians over splits: [s], or of the slowdown. Of pairs, over these alone */
    struct cw_estimate ratio; /* second / first: of pairs the median of their ratios, else the ratio of the medians; the
                               * interval is from resampling pairs, or the splits of each run */
    struct cw_rank_sum test;  /* of the splits' values */
};

struct cw_bench_comparison {
    struct cw_bench_difference *items; /* by case, then quantity: those that both runs have */
    size_t n;
};

/* Compares FIRST with SECOND, which must outlive OUT. Splits are paired where both runs had the same ranks on the same
 * hosts and CW_MEDIAN_VALUES splits of a case at least are in both. CW_EUSAGE if they have no case in common. Free with
 * cw_bench_comparison_free. */
int cw_bench_compare(const struct cw_bench_analysis *first, const struct cw_bench_analysis *second, uint64_t seed,
                     struct cw_bench_comparison *out);
void cw_bench_comparison_free(struct cw_bench_comparison *comparison);

/* Adds the table "comparison", and notes. FIRST and SECOND name the two. */
int cw_bench_comparison_report(const struct cw_bench_comparison *comparison, const char *first, const char *second,
                               struct cw_result *result);

CW_END_DECLS

#endif
