#include "study/bench/bench_analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "study/bench/sample_tests.h"

#define RESAMPLES 2000

/* A call that counts. */
struct call {
    double time;
    uint32_t place; /* of its split in the summary */
};

static int compare_times(const void *left, const void *right)
{
    const double a = ((const struct call *)left)->time, b = ((const struct call *)right)->time;
    return (a > b) - (a < b);
}

/* While a case is analysed. */
struct work {
    const struct cw_bench_run *run;
    struct cw_bench_summary *summary;
    uint64_t seed, index;        /* of its next bootstrap */
    struct call *calls;          /* of one state, sorted by time */
    double *times;               /* [n_calls] the same without splits; or of one split; or errors of clocks by block */
    size_t n_calls, *split_size; /* [n_splits] calls of each split */
};

/* Every bootstrap has draws of its own. */
static uint64_t next_index(struct work *work)
{
    return work->index += (uint64_t)1 << 32;
}

/* --- which splits ------------------------------------------------------------------------------------------------- */

/* PLACES[s] gets 1 + the place of split s in the summary, whose splits are listed; 0: it has no block of the case. */
static int list_splits(struct work *work, uint32_t case_index, uint32_t *places)
{
    const struct cw_bench_run *run = work->run;
    struct cw_bench_summary *summary = work->summary;
    summary->splits = cw_new_array(run->n_splits, sizeof *summary->splits, "splits of a case");
    if (!summary->splits) return CW_ENOMEM;
    summary->n_application = summary->n_perturbing = UINT32_MAX;
    for (size_t b = 0; b < run->n_blocks; b++) {
        const struct cw_bench_block *block = &run->blocks[b];
        const struct cw_bench_split *split = &run->splits[block->split];
        if (block->case_index != case_index || places[block->split]) continue;
        summary->ranks_differ |= summary->n_splits > 0 && split->n_application != summary->n_application;
        if (split->n_application < summary->n_application) summary->n_application = split->n_application;
        if (split->n_perturbing < summary->n_perturbing) summary->n_perturbing = split->n_perturbing;
        summary->splits[summary->n_splits++] =
            (struct cw_bench_medians){block->split, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
        places[block->split] = (uint32_t)summary->n_splits;
    }
    return 0;
}

/* --- one state ---------------------------------------------------------------------------------------------------- */

/* How far clocks may be off in the blocks of the case in STATE. */
static void summarise_clocks(struct work *work, uint32_t case_index, enum cw_bench_state state)
{
    struct cw_bench_times *times = &work->summary->times[state];
    size_t n = 0;
    for (size_t b = 0; b < work->run->n_blocks; b++) {
        const struct cw_bench_block *block = &work->run->blocks[b];
        if (block->case_index != case_index || block->state != state) continue;
        times->n_blocks++;
        times->unclocked += block->unclocked;
        if (!isnan(block->clock_error)) work->times[n++] = block->clock_error;
    }
    cw_sort_reals(work->times, n);
    times->clock_error = cw_quantile(work->times, n, 0.5);
    times->clock_error_max = cw_quantile(work->times, n, 1);
}

/* Collects the calls of the case in STATE, of blocks that count. */
static void collect(struct work *work, uint32_t case_index, enum cw_bench_state state, const uint32_t *places)
{
    const struct cw_bench_run *run = work->run;
    struct cw_bench_times *times = &work->summary->times[state];
    double inverse = 0;
    size_t perturbed = 0;
    times->goodput = NAN;
    work->n_calls = 0;
    for (size_t b = 0; b < run->n_blocks; b++) {
        const struct cw_bench_block *block = &run->blocks[b];
        if (block->case_index != case_index || block->state != state || block->unclocked) continue;
        for (size_t i = 0; i < block->n_samples; i++) {
            const struct cw_bench_sample *sample = &run->samples[block->first_sample + i];
            times->counts[sample->status]++;
            if (sample->status == CW_BENCH_OK)
                work->calls[work->n_calls++] = (struct call){sample->time, places[block->split] - 1};
        }
        if (isnan(block->goodput)) continue;
        inverse += 1 / block->goodput;
        perturbed++;
    }
    if (perturbed > 0) times->goodput = (double)perturbed / inverse;
    if (work->n_calls > 0) qsort(work->calls, work->n_calls, sizeof *work->calls, compare_times);
}

static void test_normality(struct cw_bench_summary *summary, const double *sorted, size_t n)
{
    const struct cw_normality test = cw_normality_test(sorted, n);
    if (isnan(test.p)) return;
    summary->normality_tested++;
    summary->normality_rejected += test.p < 0.05;
}

/* Sorts the times of the calls by split, in each ascending; FIRST[s] gets where those of split s begin, [n_splits]. */
static void group_by_split(struct work *work, size_t *first)
{
    const size_t n_splits = work->summary->n_splits;
    size_t n = 0;
    memset(work->split_size, 0, n_splits * sizeof *work->split_size);
    for (size_t i = 0; i < work->n_calls; i++) work->split_size[work->calls[i].place]++;
    for (size_t s = 0; s < n_splits; s++) {
        first[s] = n;
        n += work->split_size[s];
    }
    for (size_t i = 0; i < work->n_calls; i++) work->times[first[work->calls[i].place]++] = work->calls[i].time;
    for (size_t s = 0; s < n_splits; s++) first[s] -= work->split_size[s];
}

/* The standard error of the median of N sorted values, as a part of it. */
static double relative_error(const double *sorted, size_t n)
{
    if (n < 4) return NAN;
    const double range = cw_quantile(sorted, n, 0.75) - cw_quantile(sorted, n, 0.25);
    return 0.93 * range / sqrt((double)n) / cw_quantile(sorted, n, 0.5);
}

/* Medians of the splits in STATE, and of these the median. */
static int find_medians(struct work *work, enum cw_bench_state state)
{
    struct cw_bench_summary *summary = work->summary;
    struct cw_bench_times *times = &summary->times[state];
    double *medians = cw_new_array(summary->n_splits, sizeof *medians, "medians of splits");
    size_t *first = cw_new_array(summary->n_splits, sizeof *first, "calls of splits");
    if (medians && first) {
        group_by_split(work, first);
        for (size_t s = 0; s < summary->n_splits; s++) {
            const double *sorted = work->times + first[s];
            const size_t n = work->split_size[s];
            if (n == 0) continue;
            summary->splits[s].medians[state] = medians[times->n_splits++] = cw_quantile(sorted, n, 0.5);
            summary->splits[s].errors[state] = relative_error(sorted, n);
            if (state == CW_BENCH_CLEAN) test_normality(summary, sorted, n);
        }
        cw_sort_reals(medians, times->n_splits);
        times->median = cw_quantile_estimate(medians, times->n_splits, 0.5, 0.95);
    }
    const int rc = medians && first ? 0 : CW_ENOMEM;
    free(medians);
    free(first);
    return rc;
}

struct tail {
    const struct work *work;
    double share; /* of calls that may take longer */
};

/* The least time that no more than the tail's share of the drawn calls exceed. */
static double tail_time(void *context, const uint32_t *counts)
{
    const struct tail *tail = context;
    const struct work *work = tail->work;
    double drawn = 0, above = 0;
    for (size_t s = 0; s < work->summary->n_splits; s++) drawn += (double)counts[s] * (double)work->split_size[s];
    const double allowed = tail->share * drawn * (1 + 1e-12);
    for (size_t i = work->n_calls; i > 0; i--) {
        above += counts[work->calls[i - 1].place];
        if (above > allowed) return work->calls[i - 1].time;
    }
    return NAN; /* no call was drawn */
}

static int find_tail(struct work *work, double share, size_t least, struct cw_estimate *out)
{
    struct tail tail = {work, share};
    const struct cw_bootstrap bootstrap = {.n = work->summary->n_splits,
                                           .statistic = tail_time,
                                           .context = &tail,
                                           .resamples = RESAMPLES,
                                           .confidence = 0.95,
                                           .seed = work->seed,
                                           .index = next_index(work)};
    *out = (struct cw_estimate){NAN, NAN, NAN};
    if (work->n_calls < least) return 0;
    const int rc = cw_bootstrap_run(&bootstrap, out);
    if (!rc && work->summary->n_splits < CW_MEDIAN_VALUES) out->low = out->high = NAN;
    return rc;
}

static int analyse_state(struct work *work, uint32_t case_index, enum cw_bench_state state, const uint32_t *places)
{
    struct cw_bench_times *times = &work->summary->times[state];
    summarise_clocks(work, case_index, state);
    collect(work, case_index, state, places);
    times->median = times->p95 = times->p99 = (struct cw_estimate){NAN, NAN, NAN};
    if (work->n_calls == 0) return 0;
    int rc = find_medians(work, state);
    if (!rc) rc = find_tail(work, 0.05, 20, &times->p95);
    if (!rc) rc = find_tail(work, 0.01, 100, &times->p99);
    if (rc) return rc;
    for (size_t i = 0; i < work->n_calls; i++) work->times[i] = work->calls[i].time;
    times->box = cw_box_of(work->times, work->n_calls);
    /* Splits are independent of each other, calls are not. */
    const double notch = 1.57 * (times->box.q75 - times->box.q25) / sqrt((double)times->n_splits);
    times->box.notch_low = times->box.median - notch;
    times->box.notch_high = times->box.median + notch;
    return rc;
}

/* --- effects ------------------------------------------------------------------------------------------------------ */

/* Two groups that are told of: each of several splits, much narrower than both together, and with a gap between them.
 */
#define GROUPS_LEAST 2 /* splits of either */
#define GROUPS_SHARE                                                                                                   \
    0.75               /* of the variance of logarithms is between them, at least; of a normal distribution it is .64 */
#define GROUPS_GAP 1.4 /* the least of the upper / the greatest of the lower one, at least */

/* Cuts the ratios, N sorted values, where the variance of their logarithms is least within both parts (Otsu's
 * threshold, 1979). */
static void find_groups(const double *ratios, const double *logs, size_t n, struct cw_bench_effect *effect)
{
    double all = 0, total = 0, below = 0, best = 0;
    size_t cut = 0;
    effect->n_slow = 0;
    effect->others_max = effect->slow_min = NAN;
    if (n < CW_MEDIAN_VALUES) return;
    for (size_t i = 0; i < n; i++) all += logs[i];
    const double mean = all / (double)n;
    for (size_t i = 0; i < n; i++) total += (logs[i] - mean) * (logs[i] - mean);
    for (size_t i = 1; i < n; i++) {
        below += logs[i - 1] - mean;
        const double between = below * below * (1 / (double)i + 1 / (double)(n - i));
        if (between <= best) continue;
        best = between;
        cut = i;
    }
    if (cut < GROUPS_LEAST || n - cut < GROUPS_LEAST) return;
    if (best < GROUPS_SHARE * total || ratios[cut] < GROUPS_GAP * ratios[cut - 1]) return;
    effect->n_slow = n - cut;
    effect->others_max = ratios[cut - 1];
    effect->slow_min = ratios[cut];
}

/* STATE, compared with BASE; ROOM for three numbers a split. */
static int compare_states(struct work *work, enum cw_bench_state state, enum cw_bench_state base, double *room,
                          struct cw_bench_effect *effect)
{
    const struct cw_bench_summary *summary = work->summary;
    double *x = room, *y = x + summary->n_splits, *ratios = y + summary->n_splits;
    const double none = (double)NAN;
    size_t n = 0;
    for (size_t s = 0; s < summary->n_splits; s++) {
        const double *medians = summary->splits[s].medians;
        if (isnan(medians[base]) || isnan(medians[state])) continue;
        x[n] = medians[state];
        y[n] = medians[base];
        ratios[n++] = medians[state] / medians[base];
    }
    effect->n = n;
    effect->median = (struct cw_estimate){none, none, none};
    effect->ratios = (struct cw_summary){.n = 0, none, none, none, none, none, none, none, none, none};
    effect->test.p = effect->paired_test.p = none;
    const uint64_t index = next_index(work);
    if (n == 0) return 0;
    int rc = cw_bootstrap_median(ratios, n, RESAMPLES, work->seed, index, &effect->median);
    if (!rc) rc = cw_rank_sum_test(x, n, y, n, &effect->test);
    if (!rc) rc = cw_summarise(ratios, n, &effect->ratios);
    cw_sort_reals(ratios, n);
    for (size_t i = 0; i < n; i++) x[i] = log(ratios[i]);
    find_groups(ratios, x, n, effect);
    return rc ? rc : cw_signed_rank_test(x, n, &effect->paired_test);
}

/* ROOM for a number a split. */
static void find_scatter(struct cw_bench_summary *summary, double *room)
{
    const struct cw_summary *control = &summary->effects[CW_BENCH_CONTROL].ratios;
    size_t n = 0;
    for (size_t s = 0; s < summary->n_splits; s++) {
        const double error = cw_bench_split_error(&summary->splits[s], CW_BENCH_PERTURBED);
        if (!isnan(error)) room[n++] = error;
    }
    cw_sort_reals(room, n);
    if (n > 0) summary->scatter = cw_quantile(room, n, 0.5);
    /* Quartiles of a normal distribution are 1.349 deviations apart. */
    if (control->n >= CW_MEDIAN_VALUES)
        summary->scatter = fmax(summary->scatter, log(control->q75 / control->q25) / 1.349);
}

static int find_effects(struct work *work)
{
    struct cw_bench_summary *summary = work->summary;
    double *room = cw_new_array(3 * summary->n_splits, sizeof *room, "medians of splits");
    int rc = room ? 0 : CW_ENOMEM;
    for (enum cw_bench_state state = CW_BENCH_PERTURBED; state < CW_BENCH_STATES && !rc; state++)
        rc = compare_states(work, state, CW_BENCH_CLEAN, room, &summary->effects[state]);
    if (!rc) rc = compare_states(work, CW_BENCH_PERTURBED, CW_BENCH_CONTROL, room, &summary->over_control);
    if (!rc) find_scatter(summary, room);
    free(room);
    return rc;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* PLACES is zeroed. */
static int analyse_case(struct work *work, uint32_t case_index, uint32_t *places)
{
    work->summary->about = &work->run->cases[case_index];
    int rc = list_splits(work, case_index, places);
    for (enum cw_bench_state state = 0; state < CW_BENCH_STATES && !rc; state++)
        rc = analyse_state(work, case_index, state, places);
    return rc ? rc : find_effects(work);
}

static int analyse_cases(const struct cw_bench_run *run, uint64_t seed, struct cw_bench_analysis *analysis)
{
    uint32_t *places = cw_new_array(run->n_splits, sizeof *places, "places of splits");
    struct work work = {.run = run, .seed = seed};
    work.calls = cw_new_array(run->n_samples, sizeof *work.calls, "calls");
    work.times = cw_new_array(run->n_samples + run->n_blocks, sizeof *work.times, "times of calls");
    work.split_size = cw_new_array(run->n_splits, sizeof *work.split_size, "calls of splits");
    int rc = places && work.calls && work.times && work.split_size ? 0 : CW_ENOMEM;
    for (uint32_t c = 0; c < run->n_cases && !rc; c++) {
        work.summary = &analysis->cases[analysis->n_cases++];
        memset(places, 0, run->n_splits * sizeof *places);
        rc = analyse_case(&work, c, places);
    }
    free(places);
    free(work.calls);
    free(work.times);
    free(work.split_size);
    return rc;
}

/* --- fits --------------------------------------------------------------------------------------------------------- */

bool cw_bench_case_similar(const struct cw_bench_case *a, const struct cw_bench_case *b)
{
    return strcmp(a->operation, b->operation) == 0 && a->bytes == b->bytes && a->root == b->root &&
           strcmp(a->perturbation, b->perturbation) == 0 && a->perturbation_bytes == b->perturbation_bytes;
}

static bool has_fit(const struct cw_bench_analysis *analysis, const struct cw_bench_case *about)
{
    for (size_t f = 0; f < analysis->n_fits; f++)
        if (cw_bench_case_similar(analysis->fits[f].about, about)) return true;
    return false;
}

/* The line through the slowdowns of all splits of cases like ABOUT; X and Y have room for them. */
static void fit_line(struct cw_bench_analysis *analysis, const struct cw_bench_case *about, double *x, double *y)
{
    struct cw_bench_fit fit = {.about = about};
    size_t n = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_summary *summary = &analysis->cases[c];
        if (!cw_bench_case_similar(summary->about, about)) continue;
        fit.n_ratios += summary->effects[CW_BENCH_PERTURBED].n > 0;
        for (size_t s = 0; s < summary->n_splits; s++) {
            x[n] = summary->about->ratio;
            y[n] = cw_bench_split_ratio(&summary->splits[s], CW_BENCH_PERTURBED);
            if (!isnan(y[n])) n++;
        }
    }
    /* Two ratios always have a line. */
    if (fit.n_ratios >= 3 && cw_line_fit(x, y, n, &fit.line) == 0) analysis->fits[analysis->n_fits++] = fit;
}

static int fit_lines(struct cw_bench_analysis *analysis)
{
    size_t n = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) n += analysis->cases[c].n_splits;
    double *room = cw_new_array(2 * n, sizeof *room, "slowdowns of splits");
    if (!room) return CW_ENOMEM;
    for (size_t c = 0; c < analysis->n_cases; c++)
        if (!has_fit(analysis, analysis->cases[c].about)) fit_line(analysis, analysis->cases[c].about, room, room + n);
    free(room);
    return 0;
}

/* There must be a call that counts. */
static int check_calls(const struct cw_bench_run *run)
{
    size_t unclocked = 0;
    for (size_t b = 0; b < run->n_blocks; b++) {
        const struct cw_bench_block *block = &run->blocks[b];
        unclocked += block->unclocked;
        for (size_t i = 0; i < block->n_samples && !block->unclocked; i++)
            if (run->samples[block->first_sample + i].status == CW_BENCH_OK) return 0;
    }
    const char *name = run->name ? run->name : "this run";
    if (unclocked > 0)
        return cw_fail(CW_EUSAGE,
                       "%s has no call that counts, of %zu: in %zu of %zu blocks clocks may be off by more than a call "
                       "took; expected calls that take longer, or clocks that are closer",
                       name, run->n_samples, unclocked, run->n_blocks);
    return cw_fail(CW_EUSAGE, "%s has no call that counts, of %zu", name, run->n_samples);
}

int cw_bench_analyse(const struct cw_bench_run *run, uint64_t seed, struct cw_bench_analysis *out)
{
    struct cw_bench_analysis analysis = {.run = run};
    int rc = check_calls(run);
    if (rc) return rc;
    analysis.cases = cw_new_array(run->n_cases, sizeof *analysis.cases, "cases");
    analysis.fits = cw_new_array(run->n_cases, sizeof *analysis.fits, "fits");
    rc = analysis.cases && analysis.fits ? analyse_cases(run, seed, &analysis) : CW_ENOMEM;
    if (!rc) rc = fit_lines(&analysis);
    if (rc)
        cw_bench_analysis_free(&analysis);
    else
        *out = analysis;
    return rc;
}

void cw_bench_analysis_free(struct cw_bench_analysis *analysis)
{
    if (!analysis) return;
    for (size_t c = 0; c < analysis->n_cases; c++) free(analysis->cases[c].splits);
    free(analysis->cases);
    free(analysis->fits);
    *analysis = (struct cw_bench_analysis){0};
}
