#include "study/bench/bench_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/rows.h"
#include "study/bench/bench_report.h"

#define RESAMPLES 2000

/* One quantity of one case in both runs: the splits' values. */
struct samples {
    double *values[2]; /* room for all splits of the run */
    double *ratios;
    size_t n[2];
};

static double value_of(const struct cw_bench_medians *split, int quantity)
{
    return quantity == CW_BENCH_SLOWDOWN ? cw_bench_split_ratio(split, CW_BENCH_PERTURBED) : split->medians[quantity];
}

static bool same_hosts(const struct cw_bench_run *a, const struct cw_bench_run *b)
{
    if (a->n_ranks != b->n_ranks) return false;
    for (uint32_t r = 0; r < a->n_ranks; r++)
        if (strcmp(a->hosts[r], b->hosts[r]) != 0) return false;
    return true;
}

/* The split of SUMMARY, in RUN, with ROLES; NULL: there is none. */
static const struct cw_bench_medians *split_with(const struct cw_bench_run *run, const struct cw_bench_summary *summary,
                                                 const uint8_t *roles)
{
    for (size_t s = 0; s < summary->n_splits; s++)
        if (memcmp(run->splits[summary->splits[s].split].roles, roles, run->n_ranks) == 0) return &summary->splits[s];
    return NULL;
}

struct pair_of_runs {
    const struct cw_bench_run *runs[2];
    const struct cw_bench_summary *summaries[2]; /* of one case */
    bool same_hosts;
};

static void collect_all(const struct pair_of_runs *pair, int quantity, struct samples *samples)
{
    for (int k = 0; k < 2; k++) {
        samples->n[k] = 0;
        for (size_t s = 0; s < pair->summaries[k]->n_splits; s++) {
            const double value = value_of(&pair->summaries[k]->splits[s], quantity);
            if (!isnan(value)) samples->values[k][samples->n[k]++] = value;
        }
    }
}

/* Only splits that both have, in the same order. */
static void collect_pairs(const struct pair_of_runs *pair, int quantity, struct samples *samples)
{
    size_t n = 0;
    for (size_t s = 0; pair->same_hosts && s < pair->summaries[0]->n_splits; s++) {
        const struct cw_bench_medians *one = &pair->summaries[0]->splits[s];
        const struct cw_bench_medians *other =
            split_with(pair->runs[1], pair->summaries[1], pair->runs[0]->splits[one->split].roles);
        if (!other || isnan(value_of(one, quantity)) || isnan(value_of(other, quantity))) continue;
        samples->values[0][n] = value_of(one, quantity);
        samples->values[1][n] = value_of(other, quantity);
        samples->ratios[n] = samples->values[1][n] / samples->values[0][n];
        n++;
    }
    samples->n[0] = samples->n[1] = n;
}

/* --- two independent samples -------------------------------------------------------------------------------------- */

static double ratio_of_medians(void *context, const uint32_t *counts)
{
    const struct samples *samples = context;
    return cw_drawn_median(samples->values[1], samples->n[1], counts + samples->n[0]) /
           cw_drawn_median(samples->values[0], samples->n[0], counts);
}

/* The values are sorted. */
static int compare_independent(struct samples *samples, uint64_t seed, uint64_t index, struct cw_estimate *out)
{
    const struct cw_bootstrap bootstrap = {.n = samples->n[0] + samples->n[1],
                                           .n_first = samples->n[0],
                                           .statistic = ratio_of_medians,
                                           .context = samples,
                                           .resamples = RESAMPLES,
                                           .confidence = 0.95,
                                           .seed = seed,
                                           .index = index};
    const int rc = cw_bootstrap_run(&bootstrap, out);
    if (!rc && (samples->n[0] < CW_MEDIAN_VALUES || samples->n[1] < CW_MEDIAN_VALUES)) out->low = out->high = NAN;
    return rc;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int compare_quantity(const struct pair_of_runs *pair, int quantity, uint64_t seed, struct samples *samples,
                            struct cw_bench_comparison *comparison)
{
    struct cw_bench_difference *item = &comparison->items[comparison->n];
    const uint64_t index = (uint64_t)(comparison->n + 1) << 32;
    collect_all(pair, quantity, samples);
    if (samples->n[0] == 0 || samples->n[1] == 0) return 0;
    *item = (struct cw_bench_difference){
        .about = pair->summaries[0]->about, .quantity = quantity, .n = {samples->n[0], samples->n[1]}};
    collect_pairs(pair, quantity, samples);
    if (samples->n[0] >= CW_MEDIAN_VALUES)
        item->n_pairs = samples->n[0];
    else
        collect_all(pair, quantity, samples);
    int rc = cw_rank_sum_test(samples->values[0], samples->n[0], samples->values[1], samples->n[1], &item->test);
    if (!rc && item->n_pairs > 0)
        rc = cw_bootstrap_median(samples->ratios, item->n_pairs, RESAMPLES, seed, index, &item->ratio);
    for (int k = 0; k < 2; k++) {
        cw_sort_reals(samples->values[k], samples->n[k]);
        item->values[k] = cw_quantile(samples->values[k], samples->n[k], 0.5);
    }
    if (!rc && item->n_pairs == 0) rc = compare_independent(samples, seed, index, &item->ratio);
    if (!rc) comparison->n++;
    return rc;
}

static const struct cw_bench_summary *summary_of(const struct cw_bench_analysis *analysis,
                                                 const struct cw_bench_case *about)
{
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_case *one = analysis->cases[c].about;
        if (cw_bench_case_similar(one, about) && one->ratio == about->ratio) return &analysis->cases[c];
    }
    return NULL;
}

static int compare_cases(const struct cw_bench_analysis *first, const struct cw_bench_analysis *second, uint64_t seed,
                         struct samples *samples, struct cw_bench_comparison *comparison)
{
    struct pair_of_runs pair = {.runs = {first->run, second->run}, .same_hosts = same_hosts(first->run, second->run)};
    int rc = 0;
    for (size_t c = 0; c < first->n_cases && !rc; c++) {
        pair.summaries[0] = &first->cases[c];
        pair.summaries[1] = summary_of(second, first->cases[c].about);
        for (int quantity = 0; quantity < CW_BENCH_QUANTITIES && pair.summaries[1] && !rc; quantity++)
            rc = compare_quantity(&pair, quantity, seed, samples, comparison);
    }
    if (!rc && comparison->n == 0)
        rc = cw_fail(CW_EUSAGE, "the two runs have no case in common: there is nothing to compare");
    return rc;
}

int cw_bench_compare(const struct cw_bench_analysis *first, const struct cw_bench_analysis *second, uint64_t seed,
                     struct cw_bench_comparison *out)
{
    const size_t n = first->run->n_splits, m = second->run->n_splits;
    double *room = cw_new_array(2 * n + m, sizeof *room, "values of splits");
    struct cw_bench_comparison comparison = {0};
    comparison.items = cw_new_array(CW_BENCH_QUANTITIES * first->n_cases, sizeof *comparison.items, "a comparison");
    struct samples samples = {.values = {room, room + n}, .ratios = room + n + m};
    int rc = room && comparison.items ? compare_cases(first, second, seed, &samples, &comparison) : CW_ENOMEM;
    free(room);
    if (rc)
        cw_bench_comparison_free(&comparison);
    else
        *out = comparison;
    return rc;
}

void cw_bench_comparison_free(struct cw_bench_comparison *comparison)
{
    if (!comparison) return;
    free(comparison->items);
    *comparison = (struct cw_bench_comparison){0};
}

/* --- the report --------------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    CW_BENCH_CASE_COLUMNS,
    {"quantity", CW_COLUMN_TEXT, NULL, "Time in a state (clean, perturbed, control), or the slowdown"},
    {"first_splits", CW_COLUMN_INT, NULL, "Splits of the first run", .detail = true},
    {"second_splits", CW_COLUMN_INT, NULL, "Splits of the second run", .detail = true},
    {"pairs", CW_COLUMN_INT, NULL, "Splits that both runs measured; 0: the runs are taken for independent"},
    {"first_time", CW_COLUMN_REAL, "s", "Median over the splits of the first run"},
    {"second_time", CW_COLUMN_REAL, "s", "The same of the second run"},
    {"first_slowdown", CW_COLUMN_REAL, NULL, "Median over the splits of the first run"},
    {"second_slowdown", CW_COLUMN_REAL, NULL, "The same of the second run"},
    {"second_per_first", CW_COLUMN_REAL, NULL, "Second / first: of pairs the median of their ratios"},
    {"low", CW_COLUMN_REAL, NULL, "Lower end of its 95 % interval"},
    {"high", CW_COLUMN_REAL, NULL, "Upper end of its 95 % interval"},
    {"p", CW_COLUMN_REAL, NULL, "Rank-sum test of the splits' values, two-sided"},
};

static const char *quantity_name(int quantity)
{
    return quantity == CW_BENCH_SLOWDOWN ? "slowdown" : cw_bench_state_names[quantity];
}

static void add_row(struct cw_table *table, const struct cw_bench_difference *item)
{
    const bool time = item->quantity != CW_BENCH_SLOWDOWN;
    cw_bench_case_cells(table, item->about);
    cw_table_text(table, quantity_name(item->quantity));
    for (int k = 0; k < 2; k++) cw_table_int(table, (int64_t)item->n[k]);
    cw_table_int(table, (int64_t)item->n_pairs);
    for (int k = 0; k < 2; k++) cw_table_real(table, time ? item->values[k] : (double)NAN);
    for (int k = 0; k < 2; k++) cw_table_real(table, time ? (double)NAN : item->values[k]);
    cw_bench_estimate_cells(table, &item->ratio);
    cw_table_real(table, item->test.p);
}

/* The difference that matters, if there is one. */
static void note_slowdown(const struct cw_bench_difference *item, struct cw_result *result)
{
    char words[CW_BENCH_WORDS_SIZE];
    const struct cw_estimate *ratio = &item->ratio;
    cw_bench_case_words(item->about, words);
    if (isnan(ratio->low))
        cw_result_note(result, "%s: slowdowns of %.3g and %.3g; too few splits to say whether they differ.", words,
                       item->values[0], item->values[1]);
    else if (ratio->low <= 1 && ratio->high >= 1)
        cw_result_note(result,
                       "%s: slowdowns of %.3g and %.3g; no difference is shown (second / first 95 %% interval %.3g to "
                       "%.3g).",
                       words, item->values[0], item->values[1], ratio->low, ratio->high);
    else
        cw_result_note(result,
                       "%s: the slowdown of the second run is %s: %.3g after %.3g (second / first 95 %% interval "
                       "%.3g to %.3g).",
                       words, ratio->value < 1 ? "smaller" : "greater", item->values[1], item->values[0], ratio->low,
                       ratio->high);
}

int cw_bench_comparison_report(const struct cw_bench_comparison *comparison, const char *first, const char *second,
                               struct cw_result *result)
{
    struct cw_table *table;
    struct cw_text title = {0};
    size_t pairs = 0;
    cw_text_printf(&title, "%s (first) and %s (second)", first, second);
    int rc = cw_text_check(&title);
    if (!rc) rc = cw_result_new_table(result, "comparison", title.data, CW_ITEMS(columns), &table);
    cw_text_free(&title);
    if (rc) return rc;
    for (size_t i = 0; i < comparison->n; i++) {
        add_row(table, &comparison->items[i]);
        pairs += comparison->items[i].n_pairs;
        if (comparison->items[i].quantity == CW_BENCH_SLOWDOWN) note_slowdown(&comparison->items[i], result);
    }
    cw_result_note(result, pairs > 0
                               ? "Splits that both runs measured are compared in pairs."
                               : "The runs have not enough splits in common to pair them: each is resampled by itself, "
                                 "and what differs between their ranks and hosts counts as a difference.");
    return 0;
}
