/* What a reader may conclude from a run, and what not: sentences under its tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "study/bench/bench_report.h"

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

static void note_slowdown(const struct cw_bench_summary *summary, struct cw_result *result)
{
    const struct cw_bench_effect *effect = &summary->effects[CW_BENCH_PERTURBED];
    const struct cw_estimate *ratio = &effect->ratio;
    char words[CW_BENCH_WORDS_SIZE], interval[64], clean[32];
    if (effect->n == 0) {
        cw_result_note(result, "%s: no split was measured both clean and perturbed.",
                       cw_bench_case_words(summary->about, words));
        return;
    }
    const char *verdict = "";
    if (has_interval(ratio) && ratio->low <= 1 && ratio->high >= 1)
        verdict = " No effect is shown: the interval holds 1.";
    cw_result_note(result, "%s takes %.3g times as long with perturbation (%s, %zu splits; clean %s).%s",
                   cw_bench_case_words(summary->about, words), ratio->value, interval_words(ratio, interval), effect->n,
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
    const struct cw_estimate *ratio = &summary->effects[CW_BENCH_CONTROL].ratio;
    const enum verdict verdict = judge_control(ratio);
    char words[CW_BENCH_WORDS_SIZE], interval[64];
    cw_bench_case_words(summary->about, words);
    interval_words(ratio, interval);
    if (verdict == CONTROL_OFF)
        cw_result_note(
            result,
            "%s: the control, which perturbs without a cable of the application's, is at %.3g (%s), not near 1: "
            "processors or memory are contended for, and not all of the slowdown is the network's.",
            words, ratio->value, interval);
    if (verdict == CONTROL_UNCERTAIN)
        cw_result_note(result,
                       "%s: the control, which perturbs without a cable of the application's, is at %.3g (%s): too "
                       "uncertain to tell the network from processors that ranks share.",
                       words, ratio->value, interval);
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
        least = fmin(least, control->ratio.low);
        greatest = fmax(greatest, control->ratio.high);
    }
    if (measured > 0 && near == measured)
        cw_result_note(
            result,
            "The control, which perturbs without a cable of the application's, stays near 1 (95 %% intervals "
            "within %.3g to %.3g): slowdowns come from the network.",
            least, greatest);
    if (measured < analysis->n_cases)
        cw_result_note(
            result,
            "%zu of %zu case%s ha%s a control: elsewhere a slowdown may also come from processors that ranks share.",
            measured, analysis->n_cases, analysis->n_cases == 1 ? "" : "s", measured == 1 ? "s" : "ve");
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
                       least, least == 1 ? "" : "s", CW_MEDIAN_VALUES);
    cw_result_note(result, "Intervals and p are over splits, each with the median of its calls: calls of one split are "
                           "not independent. p is of a rank-sum test, which takes the states for independent samples; "
                           "paired_p is of a signed-rank test of the slowdowns.");
}

static void note_discarded(const struct cw_bench_analysis *analysis, struct cw_result *result)
{
    size_t counts[CW_BENCH_STATUSES] = {0}, all = 0;
    for (size_t i = 0; i < analysis->run->n_samples; i++, all++) counts[analysis->run->samples[i].status]++;
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
    double worst = 0, error = 0, clean = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_times *times = &analysis->cases[c].times[CW_BENCH_CLEAN];
        const double share = times->clock_error / times->median.value;
        if (!(share > worst)) continue;
        worst = share;
        error = times->clock_error;
        clean = times->median.value;
    }
    char off[32], of[32];
    if (worst > CLOCK_SHARE)
        cw_result_note(result,
                       "Clocks may be off by %s, which is %.0f %% of a clean call of %s: slowdowns are too small by "
                       "as much where they are.",
                       cw_format_time(error, off, sizeof off), 100 * worst, cw_format_time(clean, of, sizeof of));
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
