#include "study/bench/bench_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "report/rows.h"

void cw_bench_case_cells(struct cw_table *table, const struct cw_bench_case *one)
{
    cw_table_row(table, "%s %lu %u %s %lu %g", one->operation, one->bytes, one->root, one->perturbation,
                 one->perturbation_bytes, one->ratio);
}

void cw_bench_estimate_cells(struct cw_table *table, const struct cw_estimate *estimate)
{
    cw_table_row(table, "%g %g %g", estimate->value, estimate->low, estimate->high);
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
    cw_table_row(table, "%u %u %s %zu %g %g %g %g", summary->n_application, summary->n_perturbing, name, effect->n,
                 effect->ratios.mean, effect->ratios.ci95, effect->ratios.min, effect->ratios.q25);
    cw_bench_estimate_cells(table, &effect->median);
    cw_table_row(table, "%g %g %g %g", effect->ratios.q75, effect->ratios.max, effect->test.p, effect->paired_test.p);
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
    cw_table_row(table, "%g %g %g %g", any ? box->min : none, any ? box->q25 : none, any ? box->median : none,
                 any ? box->q75 : none);
    cw_bench_estimate_cells(table, &times->p95);
    cw_bench_estimate_cells(table, &times->p99);
    cw_table_row(table, "%g %g %g %g %g %zu %g %g %g %zu %zu", any ? box->max : none, any ? box->notch_low : none,
                 any ? box->notch_high : none, any ? box->tukey_low : none, any ? box->tukey_high : none, box->outliers,
                 times->goodput, times->clock_error, times->clock_error_max, times->n_blocks, times->unclocked);
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
    cw_table_row(table, "%s %lu %s %lu %zu %zu %g", fit->about->operation, fit->about->bytes, fit->about->perturbation,
                 fit->about->perturbation_bytes, fit->n_ratios, fit->line.n, fit->line.intercept);
    cw_bench_estimate_cells(table, &fit->line.slope);
    cw_table_real(table, fit->line.r2);
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

/* What a reader may conclude from a run, and what not: sentences under its tables. */

/* A control beyond these, with an interval that does not hold 1, is not near 1. */
#define CONTROL_LEAST    (1 / 1.25)
#define CONTROL_GREATEST 1.25
#define DISCARDED_SHARE  0.05 /* of calls, that must be told of */
#define CLOCK_SHARE      0.05 /* of the clean time, that a clock may be off without being told of */

static bool has_interval(const struct cw_estimate *estimate)
{
    return !isnan(estimate->low);
}

/* ", 95 % interval 1.2 to 1.5", or why there is none; into TEXT. */
static const char *interval_words(const struct cw_estimate *estimate, char text[64])
{
    if (has_interval(estimate))
        snprintf(text, 64, "95 %% interval %.3g to %.3g", estimate->low, estimate->high);
    else
        snprintf(text, 64, "no interval");
    return text;
}

/* The two groups that splits are in. */
static void note_groups(const struct cw_bench_summary *summary, struct cw_result *result)
{
    const struct cw_bench_effect *effect = &summary->effects[CW_BENCH_PERTURBED];
    char words[CW_BENCH_WORDS_SIZE], interval[64], clean[32];
    cw_result_note(
        result,
        "%s: %zu of %zu splits were slowed %.3g to %.3g times, the others %.3g to %.3g times (clean %s). The "
        "median, %.3g (%s), describes neither group.",
        cw_bench_case_words(summary->about, words), effect->n_slow, effect->n, effect->slow_min, effect->ratios.max,
        effect->ratios.min, effect->others_max,
        cw_format_time(summary->times[CW_BENCH_CLEAN].median.value, clean, sizeof clean), effect->median.value,
        interval_words(&effect->median, interval));
}

static void note_slowdown(const struct cw_bench_summary *summary, struct cw_result *result)
{
    const struct cw_bench_effect *effect = &summary->effects[CW_BENCH_PERTURBED];
    const struct cw_estimate *median = &effect->median;
    char words[CW_BENCH_WORDS_SIZE], interval[64], clean[32];
    cw_bench_case_words(summary->about, words);
    if (effect->n == 0) {
        cw_result_note(result, "%s: no split was measured both clean and perturbed.", words);
        return;
    }
    if (effect->n_slow > 0) {
        note_groups(summary, result);
        return;
    }
    const char *verdict = "";
    if (has_interval(median) && median->low <= 1 && median->high >= 1)
        verdict = " The median shows no effect: its interval holds 1.";
    cw_result_note(result,
                   "%s takes %.3g times as long with perturbation (median of %zu split%s, %s); half of the splits %.3g "
                   "to %.3g times, all %.3g to %.3g (clean %s).%s",
                   words, median->value, effect->n, cw_plural(effect->n), interval_words(median, interval),
                   effect->ratios.q25, effect->ratios.q75, effect->ratios.min, effect->ratios.max,
                   cw_format_time(summary->times[CW_BENCH_CLEAN].median.value, clean, sizeof clean), verdict);
}

enum verdict { CONTROL_NEAR, CONTROL_OFF, CONTROL_UNCERTAIN };

static enum verdict judge_control(const struct cw_estimate *ratio)
{
    const bool off = ratio->value < CONTROL_LEAST || ratio->value > CONTROL_GREATEST;
    if (!has_interval(ratio)) return off ? CONTROL_OFF : CONTROL_UNCERTAIN;
    if (off && !(ratio->low <= 1 && ratio->high >= 1)) return CONTROL_OFF;
    return ratio->low >= CONTROL_LEAST && ratio->high <= CONTROL_GREATEST ? CONTROL_NEAR : CONTROL_UNCERTAIN;
}

/* Says what the case's control is unless it is near 1. */
static enum verdict note_control(const struct cw_bench_summary *summary, struct cw_result *result)
{
    const struct cw_estimate *control = &summary->effects[CW_BENCH_CONTROL].median;
    const struct cw_estimate *network = &summary->over_control.median;
    const enum verdict verdict = judge_control(control);
    char words[CW_BENCH_WORDS_SIZE], interval[64], rest[64];
    if (verdict == CONTROL_NEAR) return verdict;
    cw_result_note(result,
                   "%s: the control, which perturbs without a cable of the application's, takes %.3g times as "
                   "long as clean (%s)%s",
                   cw_bench_case_words(summary->about, words), control->value, interval_words(control, interval),
                   verdict == CONTROL_OFF
                       ? ": ranks contend for processors or memory, too, and only a part of the "
                         "slowdown is the network's."
                       : ". That is too uncertain to tell the network from processors that ranks share.");
    if (has_interval(network))
        cw_result_note(result, "%s: compared with the control, perturbed calls take %.3g times as long (%s).%s", words,
                       network->value, interval_words(network, rest),
                       network->low > 1 ? " That much is the network's." : " No effect of the network is shown.");
    return verdict;
}

/* The case that a sentence speaks of where there are many: the middle ratio of the first. */
static bool is_telling(const struct cw_bench_analysis *analysis, size_t c)
{
    return analysis->n_cases <= 3 || c == analysis->n_cases / 2;
}

static void note_controls(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    size_t measured = 0, near = 0;
    double least = INFINITY, greatest = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_effect *control = &analysis->cases[c].effects[CW_BENCH_CONTROL];
        if (control->n == 0) continue;
        measured++;
        if (note_control(&analysis->cases[c], result) != CONTROL_NEAR) continue;
        near++;
        least = fmin(least, control->median.low);
        greatest = fmax(greatest, control->median.high);
    }
    if (measured > 0 && near == measured)
        cw_result_note(
            result,
            "The control, which perturbs without a cable of the application's, stays near 1 (95 %% intervals "
            "within %.3g to %.3g): slowdowns come from the network.",
            least, greatest);
    if (measured == 0)
        cw_result_note(result, "No case has a control: slowdowns may also come from processors that ranks share.");
    else if (measured < analysis->n_cases)
        cw_result_note(result,
                       "%zu of %zu cases have no control: there, slowdowns may also come from processors that ranks "
                       "share.",
                       analysis->n_cases - measured, analysis->n_cases);
}

/* --- what limits all cases ---------------------------------------------------------------------------------------- */

static void note_few_splits(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    size_t least = SIZE_MAX;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const size_t n = analysis->cases[c].effects[CW_BENCH_PERTURBED].n;
        if (n > 0 && n < least) least = n;
    }
    if (least < CW_MEDIAN_VALUES)
        cw_result_note(result,
                       "Of %zu split%s no interval can be given: it takes %d at least to hold the median with 95 %%. "
                       "Another choice of ranks may give quite another slowdown.",
                       least, cw_plural(least), CW_MEDIAN_VALUES);
    cw_result_note(result, "Each split counts once, by the medians of its calls: calls of one split are not "
                           "independent. paired_p is of Wilcoxon's signed-rank test of the splits' slowdowns.");
}

static void note_discarded(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    const struct cw_bench_run *run = analysis->run;
    size_t counts[CW_BENCH_STATUSES] = {0}, all = 0, unclocked = 0;
    for (size_t b = 0; b < run->n_blocks; b++) {
        const struct cw_bench_block *block = &run->blocks[b];
        unclocked += block->unclocked;
        if (block->unclocked) continue;
        all += block->n_samples;
        for (size_t i = 0; i < block->n_samples; i++) counts[run->samples[block->first_sample + i].status]++;
    }
    if (unclocked > 0)
        cw_result_note(result, "%zu of %zu blocks are left out: there, clocks may be off by more than a call took.",
                       unclocked, run->n_blocks);
    const size_t discarded = all - counts[CW_BENCH_OK];
    if ((double)discarded <= DISCARDED_SHARE * (double)all) return;
    cw_result_note(
        result,
        "%.0f %% of the %zu calls do not count: %zu late, %zu expired, %zu not covered by perturbation. Calls "
        "that are left out may be the slow ones.",
        100 * (double)discarded / (double)all, all, counts[CW_BENCH_LATE], counts[CW_BENCH_EXPIRED],
        counts[CW_BENCH_UNCOVERED]);
}

static void note_normality(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    size_t tested = 0, rejected = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        tested += analysis->cases[c].normality_tested;
        rejected += analysis->cases[c].normality_rejected;
    }
    if (tested == 0) return;
    /* 5 % of tests of a normal distribution reject it. */
    const double expected = 0.05 * (double)tested;
    const bool normal = (double)rejected <= expected + 2 * sqrt(0.95 * expected);
    cw_result_note(result,
                   "Clean times are %s: the Anderson-Darling test rejects that in %zu of %zu splits (p < .05).%s",
                   normal ? "compatible with a normal distribution" : "not normally distributed", rejected, tested,
                   normal ? "" : " Means and standard deviations do not describe them.");
}

static void note_clocks(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    const struct cw_bench_times *worst = NULL;
    double share = CLOCK_SHARE;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_times *times = &analysis->cases[c].times[CW_BENCH_CLEAN];
        if (!(times->clock_error / times->median.value > share)) continue;
        worst = times;
        share = times->clock_error / times->median.value;
    }
    char off[32], most[32], of[32];
    if (worst)
        cw_result_note(result,
                       "Clocks may be off by %s (median of the blocks; %s at most), %.0f %% of a clean call of %s. "
                       "True slowdowns may be greater by that share.",
                       cw_format_time(worst->clock_error, off, sizeof off),
                       cw_format_time(worst->clock_error_max, most, sizeof most), 100 * share,
                       cw_format_time(worst->median.value, of, sizeof of));
}

static bool condition_is(const struct cw_bench_run *run, const char *key, const char *value)
{
    const char *text = json_string_value(json_object_get(run->conditions, key));
    return text && strcmp(text, value) == 0;
}

static void note_conditions(const struct cw_bench_run *run, struct cw_result *result)
{
    if (condition_is(run, "start", "barrier"))
        cw_result_note(result,
                       "Calls began after a barrier, which ranks leave one after another: times include that, and "
                       "short calls seem slower than they are.");
    if (json_is_true(json_object_get(run->conditions, "oversubscribed")))
        cw_result_note(result, "Hosts had more ranks than cores%s: ranks waited for processors, too.",
                       condition_is(run, "wait", "spin") ? ", and waiting ranks spun" : "");
    if (!run->complete) cw_result_note(result, "The run ended early; this is what it had measured.");
}

void cw_bench_report_notes(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    for (size_t c = 0; c < analysis->n_cases; c++)
        if (is_telling(analysis, c)) note_slowdown(&analysis->cases[c], result);
    note_controls(analysis, result);
    note_few_splits(analysis, result);
    note_discarded(analysis, result);
    note_normality(analysis, result);
    note_clocks(analysis, result);
    note_conditions(analysis->run, result);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static int add_table(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                     size_t n_columns, struct cw_table **out)
{
    int rc = cw_table_new(name, title, columns, n_columns, out);
    return rc ? rc : cw_result_add_table(result, *out);
}

int cw_bench_report(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    struct cw_table *table;
    int rc = add_table(result, "slowdown", "Slowdown by perturbation", CW_ITEMS(slowdown_columns), &table);
    if (rc) return rc;
    for (size_t c = 0; c < analysis->n_cases; c++) add_slowdown(table, &analysis->cases[c]);
    rc = add_table(result, "times", "Times of calls", CW_ITEMS(times_columns), &table);
    if (rc) return rc;
    for (size_t c = 0; c < analysis->n_cases; c++)
        for (enum cw_bench_state state = 0; state < CW_BENCH_STATES; state++)
            if (is_measured(&analysis->cases[c].times[state])) add_times(table, &analysis->cases[c], state);
    if (analysis->n_fits > 0) {
        rc = add_table(result, "fit", "Line through the slowdowns of all splits over the ratio", CW_ITEMS(fit_columns),
                       &table);
        if (rc) return rc;
        for (size_t f = 0; f < analysis->n_fits; f++) add_fit(table, &analysis->fits[f]);
    }
    cw_bench_report_notes(analysis, result);
    return 0;
}
