/* What a reader may conclude from a run, and what not: sentences under its tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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
