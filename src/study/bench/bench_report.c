#include "study/bench/bench_report.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

void cw_bench_case_cells(struct cw_table *table, const struct cw_bench_case *one)
{
    cw_table_text(table, one->operation);
    cw_table_int(table, (int64_t)one->bytes);
    cw_table_int(table, one->root);
    cw_table_text(table, one->perturbation);
    cw_table_int(table, (int64_t)one->perturbation_bytes);
    cw_table_real(table, one->ratio);
}

void cw_bench_estimate_cells(struct cw_table *table, const struct cw_estimate *estimate)
{
    cw_table_real(table, estimate->value);
    cw_table_real(table, estimate->low);
    cw_table_real(table, estimate->high);
}

const char *cw_bench_case_words(const struct cw_bench_case *one, char text[CW_BENCH_WORDS_SIZE])
{
    char bytes[32];
    snprintf(text, CW_BENCH_WORDS_SIZE, "%s of %s at ratio %.4g", one->operation,
             cw_format_bytes(one->bytes, bytes, sizeof bytes), one->ratio);
    return text;
}

/* --- slowdown ----------------------------------------------------------------------------------------------------- */

#define LOW  "lower end of its 95 % interval"
#define HIGH "upper end of its 95 % interval"

static const struct cw_column slowdown_columns[] = {
    CW_BENCH_CASE_COLUMNS,
    {"application_ranks", CW_COLUMN_INT, NULL, "Ranks that the operation was measured on, the fewest of all splits",
     .detail = true},
    {"perturbing_ranks", CW_COLUMN_INT, NULL, "Ranks that perturbed, the fewest of all splits", .detail = true},
    {"comparison", CW_COLUMN_TEXT, NULL,
     "What is compared on each split: perturbed/clean; control/clean, which is near 1 if only the network slows down; "
     "perturbed/control, which is the network's part"},
    {"splits", CW_COLUMN_INT, NULL, "Splits that were measured in both states"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "Ratio of the medians of a split, mean over splits"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "Half width of its 95 % confidence interval", .interval = true},
    {"slowdown_min", CW_COLUMN_REAL, NULL, "Least slowdown of a split"},
    {"slowdown_q25", CW_COLUMN_REAL, NULL, "First quartile of the slowdown"},
    {"slowdown_median", CW_COLUMN_REAL, NULL, "Median of the slowdown"},
    {"slowdown_median_low", CW_COLUMN_REAL, NULL, LOW, .detail = true},
    {"slowdown_median_high", CW_COLUMN_REAL, NULL, HIGH, .detail = true},
    {"slowdown_q75", CW_COLUMN_REAL, NULL, "Third quartile of the slowdown"},
    {"slowdown_max", CW_COLUMN_REAL, NULL, "Greatest slowdown of a split"},
    {"p", CW_COLUMN_REAL, NULL, "Rank-sum test of the splits' medians in the two states, two-sided", .detail = true},
    {"paired_p", CW_COLUMN_REAL, NULL, "Signed-rank test of the splits' slowdowns, two-sided"},
};

static void add_comparison(struct cw_table *table, const struct cw_bench_summary *summary, const char *name,
                           const struct cw_bench_effect *effect)
{
    cw_bench_case_cells(table, summary->about);
    cw_table_int(table, summary->n_application);
    cw_table_int(table, summary->n_perturbing);
    cw_table_text(table, name);
    cw_table_int(table, (int64_t)effect->n);
    cw_table_real(table, effect->ratios.mean);
    cw_table_real(table, effect->ratios.ci95);
    cw_table_real(table, effect->ratios.min);
    cw_table_real(table, effect->ratios.q25);
    cw_bench_estimate_cells(table, &effect->median);
    cw_table_real(table, effect->ratios.q75);
    cw_table_real(table, effect->ratios.max);
    cw_table_real(table, effect->test.p);
    cw_table_real(table, effect->paired_test.p);
}

static void add_slowdown(struct cw_table *table, const struct cw_bench_summary *summary)
{
    const struct cw_bench_effect *control = &summary->effects[CW_BENCH_CONTROL];
    add_comparison(table, summary, "perturbed/clean", &summary->effects[CW_BENCH_PERTURBED]);
    if (control->n > 0) add_comparison(table, summary, "control/clean", control);
    if (summary->over_control.n > 0) add_comparison(table, summary, "perturbed/control", &summary->over_control);
}

/* --- times -------------------------------------------------------------------------------------------------------- */

static const struct cw_column times_columns[] = {
    CW_BENCH_CASE_COLUMNS,
    {"state", CW_COLUMN_TEXT, NULL, "clean, perturbed, or control: perturbed over other cables only"},
    {"splits", CW_COLUMN_INT, NULL, "Splits with a call that counts"},
    {"split_median", CW_COLUMN_REAL, "s", "Median of the splits' medians"},
    {"split_median_low", CW_COLUMN_REAL, "s", LOW, .detail = true},
    {"split_median_high", CW_COLUMN_REAL, "s", HIGH, .detail = true},
    {"calls", CW_COLUMN_INT, NULL, "Calls that count"},
    {"late", CW_COLUMN_INT, NULL, "Calls left out: a rank was not ready in time"},
    {"expired", CW_COLUMN_INT, NULL, "Calls left out: not over when their window was"},
    {"uncovered", CW_COLUMN_INT, NULL, "Calls left out: the perturbation did not last for all of them"},
    {"min", CW_COLUMN_REAL, "s", "Shortest call"},
    {"q25", CW_COLUMN_REAL, "s", "A quarter of the calls took no longer"},
    {"median", CW_COLUMN_REAL, "s", "Half of the calls took no longer"},
    {"q75", CW_COLUMN_REAL, "s", "Three quarters of the calls took no longer"},
    {"p95", CW_COLUMN_REAL, "s", "95 % of the calls took no longer"},
    {"p95_low", CW_COLUMN_REAL, "s", LOW, .detail = true},
    {"p95_high", CW_COLUMN_REAL, "s", HIGH, .detail = true},
    {"p99", CW_COLUMN_REAL, "s", "99 % of the calls took no longer"},
    {"p99_low", CW_COLUMN_REAL, "s", LOW, .detail = true},
    {"p99_high", CW_COLUMN_REAL, "s", HIGH, .detail = true},
    {"max", CW_COLUMN_REAL, "s", "Longest call"},
    {"notch_low", CW_COLUMN_REAL, "s", "Median - 1.57 (q75 - q25) / √splits", .detail = true},
    {"notch_high", CW_COLUMN_REAL, "s", "Median + 1.57 (q75 - q25) / √splits", .detail = true},
    {"whisker_low", CW_COLUMN_REAL, "s", "Shortest call within 1.5 (q75 - q25) of q25", .detail = true},
    {"whisker_high", CW_COLUMN_REAL, "s", "Longest call within 1.5 (q75 - q25) of q75", .detail = true},
    {"outliers", CW_COLUMN_INT, NULL, "Calls beyond these whiskers", .detail = true},
    {"goodput", CW_COLUMN_REAL, "byte/s", "What a perturbing rank received: harmonic mean over blocks"},
    {"clock_error", CW_COLUMN_REAL, "s", "Bound of the clock's error in a block: median over blocks"},
    {"clock_error_max", CW_COLUMN_REAL, "s", "The greatest of all blocks", .detail = true},
    {"blocks", CW_COLUMN_INT, NULL, "Blocks that were measured", .detail = true},
    {"unclocked", CW_COLUMN_INT, NULL, "Blocks left out: clocks may be off by more than a call took"},
};

static bool is_measured(const struct cw_bench_times *times)
{
    for (int status = 0; status < CW_BENCH_STATUSES; status++)
        if (times->counts[status] > 0) return true;
    return times->unclocked > 0;
}

static void add_times(struct cw_table *table, const struct cw_bench_summary *summary, enum cw_bench_state state)
{
    const struct cw_bench_times *times = &summary->times[state];
    const struct cw_box *box = &times->box;
    cw_bench_case_cells(table, summary->about);
    cw_table_text(table, cw_bench_state_names[state]);
    cw_table_int(table, (int64_t)times->n_splits);
    cw_bench_estimate_cells(table, &times->median);
    for (int status = 0; status < CW_BENCH_STATUSES; status++) cw_table_int(table, (int64_t)times->counts[status]);
    const double none = (double)NAN;
    const bool any = times->n_splits > 0;
    cw_table_real(table, any ? box->min : none);
    cw_table_real(table, any ? box->q25 : none);
    cw_table_real(table, any ? box->median : none);
    cw_table_real(table, any ? box->q75 : none);
    cw_bench_estimate_cells(table, &times->p95);
    cw_bench_estimate_cells(table, &times->p99);
    cw_table_real(table, any ? box->max : none);
    cw_table_real(table, any ? box->notch_low : none);
    cw_table_real(table, any ? box->notch_high : none);
    cw_table_real(table, any ? box->tukey_low : none);
    cw_table_real(table, any ? box->tukey_high : none);
    cw_table_int(table, (int64_t)box->outliers);
    cw_table_real(table, times->goodput);
    cw_table_real(table, times->clock_error);
    cw_table_real(table, times->clock_error_max);
    cw_table_int(table, (int64_t)times->n_blocks);
    cw_table_int(table, (int64_t)times->unclocked);
}

/* --- fits --------------------------------------------------------------------------------------------------------- */

static const struct cw_column fit_columns[] = {
    {"operation", CW_COLUMN_TEXT, NULL, "Collective operation"},
    {"bytes", CW_COLUMN_INT, "byte", "Size of the operation"},
    {"perturbation", CW_COLUMN_TEXT, NULL, "Who perturbs whom"},
    {"perturbation_bytes", CW_COLUMN_INT, "byte", "Size of a perturbing message", .detail = true},
    {"ratios", CW_COLUMN_INT, NULL, "Perturbation ratios"},
    {"splits", CW_COLUMN_INT, NULL, "Splits of all ratios: the points of the fit"},
    {"intercept", CW_COLUMN_REAL, NULL, "Slowdown at ratio 0 by the line"},
    {"slope", CW_COLUMN_REAL, NULL, "Growth of the slowdown from ratio 0 to 1"},
    {"slope_low", CW_COLUMN_REAL, NULL, LOW},
    {"slope_high", CW_COLUMN_REAL, NULL, HIGH},
    {"r2", CW_COLUMN_REAL, NULL, "R²: the part of the variance that the line accounts for"},
};

static void add_fit(struct cw_table *table, const struct cw_bench_fit *fit)
{
    cw_table_text(table, fit->about->operation);
    cw_table_int(table, (int64_t)fit->about->bytes);
    cw_table_text(table, fit->about->perturbation);
    cw_table_int(table, (int64_t)fit->about->perturbation_bytes);
    cw_table_int(table, (int64_t)fit->n_ratios);
    cw_table_int(table, (int64_t)fit->line.n);
    cw_table_real(table, fit->line.intercept);
    cw_bench_estimate_cells(table, &fit->line.slope);
    cw_table_real(table, fit->line.r2);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static int add_table(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                     size_t n_columns, struct cw_table **out)
{
    int rc = cw_table_new(name, title, columns, n_columns, out);
    return rc ? rc : cw_result_add_table(result, *out);
}

#define COLUMNS(LIST) LIST, sizeof LIST / sizeof *LIST

int cw_bench_report(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    struct cw_table *table;
    int rc = add_table(result, "slowdown", "Slowdown by perturbation", COLUMNS(slowdown_columns), &table);
    if (rc) return rc;
    for (size_t c = 0; c < analysis->n_cases; c++) add_slowdown(table, &analysis->cases[c]);
    rc = add_table(result, "times", "Times of calls", COLUMNS(times_columns), &table);
    if (rc) return rc;
    for (size_t c = 0; c < analysis->n_cases; c++)
        for (enum cw_bench_state state = 0; state < CW_BENCH_STATES; state++)
            if (is_measured(&analysis->cases[c].times[state])) add_times(table, &analysis->cases[c], state);
    if (analysis->n_fits > 0) {
        rc = add_table(result, "fit", "Line through the slowdowns of all splits over the ratio", COLUMNS(fit_columns),
                       &table);
        if (rc) return rc;
        for (size_t f = 0; f < analysis->n_fits; f++) add_fit(table, &analysis->fits[f]);
    }
    cw_bench_report_notes(analysis, result);
    return 0;
}
