/*
 * What a run of the noise benchmark says: figures of each case, with intervals.
 *
 * Splits are drawn independently; calls on one split are not independent of each other, for they meet the same cables.
 * So a split counts as one observation: its figure is the median of its calls, cases are summarised over splits, and
 * intervals come from resampling splits (clusters), never calls. A slowdown is the ratio of two medians of the same
 * split. Over splits slowdowns often fall into two groups, those that share a cable with the perturbation and those
 * that do not; so quantiles, extremes and mean are all given, as of the trials of sim/noise.h, and the groups, if there
 * are two. Between two runs or models, medians are compared, never means of ratios (Hoefler and Belli, "Scientific
 * Benchmarking of Parallel Computing Systems", SC'15).
 *
 * A block whose clocks may be off by more than a call took (cw_bench_block.unclocked) is left out and counted.
 */
#ifndef CW_STUDY_BENCH_BENCH_ANALYSIS_H
#define CW_STUDY_BENCH_BENCH_ANALYSIS_H

#include <math.h>

#include "base/estimate.h"
#include "base/statistics.h"
#include "study/bench/bench_run.h"
#include "study/bench/fits.h"
#include "study/bench/sample_tests.h"

CW_BEGIN_DECLS

/* A case in one state. */
struct cw_bench_times {
    size_t n_blocks;                  /* all of them */
    size_t unclocked;                 /* blocks that are left out */
    double clock_error;               /* [s] of a block: the median; NaN: not known */
    double clock_error_max;           /* [s] the greatest */
    size_t counts[CW_BENCH_STATUSES]; /* calls of blocks that count */
    size_t n_splits;                  /* with a call that counts; 0: the rest below is NaN or 0 */
    struct cw_estimate median;        /* [s] of the splits' medians (order statistics) */
    struct cw_box box;                /* [s] of all calls that count; notches for n_splits, which are independent */
    struct cw_estimate p95, p99;      /* [s] 95 and 99 % of the calls took no longer, with an interval over splits; NaN
                                       * for fewer than 20 and 100 calls */
    double goodput; /* [byte/s] of a perturbing rank: harmonic mean over blocks; NaN: nobody perturbed */
};

/* What a state does to the times of a case, compared with another one on the same splits. */
struct cw_bench_effect {
    size_t n;                    /* splits with calls that count in both; 0: the rest is NaN */
    struct cw_summary ratios;    /* of the splits: mean with its interval, quartiles, extremes */
    struct cw_estimate median;   /* of them */
    size_t n_slow;               /* the ratios fall into two groups, and so many are in the upper one; 0: one group */
    double others_max, slow_min; /* where the two end and begin */
    struct cw_rank_sum test;     /* of the splits' medians in the two states, not paired */
    struct cw_signed_rank paired_test; /* of the logarithms of the splits' ratios */
};

/* The medians of one split, by state; NaN: no call that counts. */
struct cw_bench_medians {
    uint32_t split;
    double medians[CW_BENCH_STATES];
    double errors[CW_BENCH_STATES]; /* standard error / median, as if calls were independent and nearly normal (0.93
                                     * (q75 - q25) / √calls; McGill, Tukey and Larsen, 1978); NaN: fewer than 4 calls */
};

/* Times in STATE / clean times; NaN if either is. */
static inline double cw_bench_split_ratio(const struct cw_bench_medians *split, enum cw_bench_state state)
{
    return split->medians[state] / split->medians[CW_BENCH_CLEAN];
}

/* Standard error of this ratio, relative; NaN: not known. */
static inline double cw_bench_split_error(const struct cw_bench_medians *split, enum cw_bench_state state)
{
    return hypot(split->errors[state], split->errors[CW_BENCH_CLEAN]);
}

struct cw_bench_summary {
    const struct cw_bench_case *about;
    uint32_t n_application, n_perturbing; /* ranks, the least over splits */
    bool ranks_differ;                    /* … and not all alike */
    struct cw_bench_medians *splits;      /* [n_splits] in the order in which they were measured */
    size_t n_splits;
    struct cw_bench_times times[CW_BENCH_STATES];
    struct cw_bench_effect effects[CW_BENCH_STATES]; /* of perturbed and control, compared with clean */
    struct cw_bench_effect over_control;             /* of perturbed, compared with control */
    double scatter; /* by how much chance moves a split's slowdown, as a part of it: the median of the splits' standard
                     * errors or, if that is more, the deviation of control / clean over splits, which also has what
                     * differs from block to block; 0: not known */
    size_t normality_tested,
        normality_rejected; /* splits whose clean calls were tested, and found not normal (p < .05) */
};

/* Cases that differ in their ratio alone: slowdown = intercept + slope · ratio over all their splits. */
struct cw_bench_fit {
    const struct cw_bench_case *about; /* the first of them */
    size_t n_ratios;                   /* at least 3 */
    struct cw_line line;
};

struct cw_bench_analysis {
    const struct cw_bench_run *run; /* borrowed */
    struct cw_bench_summary *cases; /* [n_cases] in the order of the run */
    struct cw_bench_fit *fits;
    size_t n_cases, n_fits;
};

/* Analyses RUN, which must outlive OUT. SEED is that of resampling. CW_EUSAGE for a run without a call that counts;
 * the message says why there is none.
 * Free with cw_bench_analysis_free. */
int cw_bench_analyse(const struct cw_bench_run *run, uint64_t seed, struct cw_bench_analysis *out);
void cw_bench_analysis_free(struct cw_bench_analysis *analysis);

/* True if the two differ in their ratio alone, or not at all. */
bool cw_bench_case_similar(const struct cw_bench_case *a, const struct cw_bench_case *b);

CW_END_DECLS

#endif
