/* Tables and sentences of predictions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/rows.h"
#include "study/bench/bench_prediction.h"
#include "study/bench/bench_report.h"
#include "traffic/schedule.h"

static const struct cw_column point_columns[] = {
    CW_BENCH_CASE_COLUMNS,
    {"split", CW_COLUMN_INT, NULL, "Index among the splits of the run"},
    {"measured", CW_COLUMN_REAL, NULL, "Slowdown: perturbed / clean, medians of calls"},
    {"congestion", CW_COLUMN_REAL, NULL, "Slowdown by counting messages on channels: mean over rounds of perturbation"},
    {"loggp", CW_COLUMN_REAL, NULL, "The same with sizes: o + L + bytes * G * congestion"},
};

static const struct cw_column agreement_columns[] = {
    CW_BENCH_CASE_COLUMNS,
    {"model", CW_COLUMN_TEXT, NULL, "congestion or loggp"},
    {"splits", CW_COLUMN_INT, NULL, "Splits that were measured and predicted"},
    {"measured", CW_COLUMN_REAL, NULL, "Slowdown as measured, median over splits"},
    {"predicted", CW_COLUMN_REAL, NULL, "Slowdown as predicted, median over splits"},
    {"predicted_per_measured", CW_COLUMN_REAL, NULL, "Ratio of these medians"},
    {"predicted_per_measured_low", CW_COLUMN_REAL, NULL, "Lower end of its 95 % interval", .detail = true},
    {"predicted_per_measured_high", CW_COLUMN_REAL, NULL, "Upper end of its 95 % interval", .detail = true},
    {"error", CW_COLUMN_REAL, NULL, "Median over splits of |predicted / measured - 1|"},
    {"spread", CW_COLUMN_REAL, NULL, "By how much predictions differ: standard deviation of their logarithms",
     .detail = true},
    {"scatter", CW_COLUMN_REAL, NULL, "By how much chance moves a measured slowdown, as a part of it", .detail = true},
    {"spearman", CW_COLUMN_REAL, NULL,
     "Correlation of the ranks of measured and predicted slowdowns; missing unless spread exceeds scatter"},
    {"spearman_low", CW_COLUMN_REAL, NULL, "Lower end of its 95 % interval"},
    {"spearman_high", CW_COLUMN_REAL, NULL, "Upper end of its 95 % interval"},
    {"p", CW_COLUMN_REAL, NULL, "Of such a correlation, if the two had nothing to do with each other"},
};

static int add_points(const struct cw_bench_run *run, const struct cw_bench_prediction *prediction,
                      struct cw_result *result)
{
    struct cw_table *table;
    int rc = cw_result_new_table(result, "prediction", "Slowdown of each split, measured and predicted",
                                 CW_ITEMS(point_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < prediction->n_points; i++) {
        const struct cw_bench_point *point = &prediction->points[i];
        cw_bench_case_cells(table, &run->cases[point->case_index]);
        cw_table_int(table, point->split);
        cw_table_real(table, point->measured);
        for (int m = 0; m < CW_BENCH_MODELS; m++) cw_table_real(table, point->predicted[m]);
    }
    return 0;
}

static void add_agreement(struct cw_table *table, const struct cw_bench_agreements *agreements, int model)
{
    const struct cw_bench_agreement *agreement = &agreements->of[model];
    struct cw_bench_case about = *agreements->about;
    if (agreements->all_ratios) about.ratio = (double)NAN;
    cw_bench_case_cells(table, &about);
    cw_table_row(table, "%s %zu %g %g", cw_bench_model_names[model], agreements->n, agreements->measured,
                 agreement->predicted);
    cw_bench_estimate_cells(table, &agreement->ratio);
    cw_table_row(table, "%g %g %g %g %g %g %g", agreement->error, agreement->spread, agreements->scatter,
                 agreement->correlation.r, agreement->correlation.low, agreement->correlation.high,
                 agreement->correlation.p);
}

/* What the best model says of the order of splits, or why it says nothing. */
static void note_order(const struct cw_bench_agreements *agreements, const char *words, struct cw_result *result)
{
    const char *best = cw_bench_model_names[agreements->best];
    const struct cw_bench_agreement *agreement = &agreements->of[agreements->best];
    const struct cw_spearman *correlation = &agreement->correlation;
    if (!isnan(correlation->r))
        cw_result_note(
            result,
            "%s: measured slowdowns of %zu splits and those predicted by %s correlate with %.2f (Spearman; p "
            "= %.2g).",
            words, agreements->n, best, correlation->r, correlation->p);
    else if (agreement->spread == 0)
        cw_result_note(result, "%s: %s predicts the same for all splits, so that their order cannot be compared.",
                       words, best);
    else if (agreement->spread <= agreements->scatter)
        cw_result_note(
            result,
            "%s: predictions of %s differ by %.2g %% between splits, and chance moves a measured slowdown by "
            "%.2g %%, so that their order cannot be compared.",
            words, best, 100 * agreement->spread, 100 * agreements->scatter);
    else
        cw_result_note(result, "%s: the order of splits cannot be compared, because all were slowed alike.", words);
}

static void note_agreement(const struct cw_bench_agreements *agreements, struct cw_result *result)
{
    const struct cw_bench_agreement *agreement = &agreements->of[agreements->best];
    char words[CW_BENCH_WORDS_SIZE], interval[64] = "";
    if (agreements->all_ratios)
        snprintf(words, sizeof words, "%s at all ratios", agreements->about->operation);
    else
        cw_bench_case_words(agreements->about, words);
    if (!isnan(agreement->ratio.low))
        snprintf(interval, sizeof interval, " (95 %% interval %.3g to %.3g)", agreement->ratio.low,
                 agreement->ratio.high);
    cw_result_note(result,
                   "%s: of the models, %s comes nearest. Its median prediction is a slowdown of %.3g, %.3g times the "
                   "measured %.3g%s; half of its predictions are off by more than %.2g %%.",
                   words, cw_bench_model_names[agreements->best], agreement->predicted, agreement->ratio.value,
                   agreements->measured, interval, 100 * agreement->error);
    note_order(agreements, words, result);
}

/* An alias alone says little. */
static void note_schedule(const struct cw_bench_run *run, const char *operation, struct cw_result *result)
{
    const struct cw_schedule_kind *schedule = cw_schedule_find(cw_bench_schedule(run, operation));
    cw_result_note(result, "%s is simulated by the schedule %s.", operation, schedule->name);
}

int cw_bench_prediction_report(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction *prediction,
                               struct cw_result *result)
{
    struct cw_table *table;
    int rc = add_points(analysis->run, prediction, result);
    if (!rc)
        rc = cw_result_new_table(result, "agreement",
                                 "Agreement of measurement and prediction (ratio -: all ratios together)",
                                 CW_ITEMS(agreement_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < prediction->n_agreements; i++)
        for (int m = 0; m < CW_BENCH_MODELS; m++) add_agreement(table, &prediction->agreements[i], m);
    for (size_t i = 0; i < prediction->n_agreements; i++) /* of many ratios, only what they say together */
        if (prediction->n_agreements <= 2 || prediction->agreements[i].all_ratios)
            note_agreement(&prediction->agreements[i], result);
    for (size_t c = 0; c < analysis->n_cases; c++)
        if (c == 0 || strcmp(analysis->cases[c].about->operation, analysis->cases[c - 1].about->operation) != 0)
            note_schedule(analysis->run, analysis->cases[c].about->operation, result);
    cw_result_note(
        result,
        "The congestion model counts messages and knows no sizes: it says which splits are worse off, not by how "
        "much a small message waits in the queues of large ones. LogGP shares bandwidth among the operation's own "
        "bytes: it fits large operations, and predicts next to no slowdown for small ones. Both leave out queues, "
        "congestion control, and processors that ranks share.");
    return 0;
}
