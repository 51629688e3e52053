/* Figures 3 to 6 of the noise papers: what crosswind-mpi bench noise has measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "report/chart.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_report.h"
#include "study/papers/noise_paper.h"

#define HALF   .5
#define WITHIN .05 /* of that, a ratio is a half: ranks are whole numbers */
#define SMALL  .3  /* a ratio of the perturbation is small up to here */

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* What was measured alike, on the same hosts. */
struct allocation {
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
    uint32_t n_hosts;
};

struct measured {
    struct allocation *items;
    size_t n, capacity;
};

static void measured_free(struct measured *measured)
{
    for (size_t i = 0; i < measured->n; i++) {
        cw_bench_analysis_free(&measured->items[i].analysis);
        cw_bench_run_free(&measured->items[i].run);
    }
    free(measured->items);
    free(measured);
}

/* RUN, which is taken over, joins what was measured alike, or stands alone. */
static int add_run(struct measured *measured, struct cw_bench_run *run)
{
    int rc = CW_EUSAGE;
    for (size_t i = 0; rc == CW_EUSAGE && i < measured->n; i++) rc = cw_bench_run_merge(&measured->items[i].run, run);
    if (rc == CW_EUSAGE)
        rc = cw_grow_array((void **)&measured->items, &measured->capacity, measured->n + 1, sizeof *measured->items,
                           "runs");
    else if (!rc) {
        cw_bench_run_free(run);
        return 0;
    }
    if (rc)
        cw_bench_run_free(run);
    else
        measured->items[measured->n++] = (struct allocation){.run = *run};
    return rc;
}

static int read_file(void *context, const char *path)
{
    struct cw_bench_run run = {0};
    const int rc = cw_bench_read(path, &run);
    return rc ? rc : add_run(context, &run);
}

static uint32_t count_hosts(const struct cw_bench_run *run)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->n_ranks; i++) {
        uint32_t k = 0;
        while (k < i && strcmp(run->hosts[k], run->hosts[i]) != 0) k++;
        n += k == i;
    }
    return n;
}

static bool is_measured(size_t figure)
{
    return figure >= CW_NOISE_BOXES && figure <= CW_NOISE_LATENCIES;
}

int cw_noise_measured_begin(struct cw_paper_run *run)
{
    const struct cw_paper_setup *setup = run->setup;
    bool any = false;
    for (size_t i = 0; i < CW_MAX_FIGURES; i++) any |= run->wanted[i] && is_measured(i);
    if (!setup->runs) run->also = " Figures 3 to 6 are drawn of what crosswind-mpi bench noise has measured (--runs).";
    if (!any) return 0;
    if (!setup->runs) {
        for (size_t i = 0; i < CW_MAX_FIGURES; i++) run->wanted[i] &= !is_measured(i);
        return strcmp(setup->figures, "all") == 0
                   ? 0
                   : cw_fail(CW_EUSAGE, "figures 3 to 6 need --runs FILE: mpirun crosswind-mpi bench noise --save FILE "
                                        "measures them");
    }
    struct measured *measured = run->data = cw_new_array(1, sizeof *measured, "runs");
    int rc = measured ? cw_list_each(setup->runs, read_file, measured) : CW_ENOMEM;
    for (size_t i = 0; !rc && i < measured->n; i++) {
        rc = cw_bench_analyse(&measured->items[i].run, setup->seed, &measured->items[i].analysis);
        measured->items[i].n_hosts = count_hosts(&measured->items[i].run);
    }
    return rc;
}

void cw_noise_measured_end(struct cw_paper_run *run)
{
    if (run->data) measured_free(run->data);
}

/* --- what a figure shows ------------------------------------------------------------------------------------------ */

/* A case that was measured with and without perturbation. */
struct shown {
    const struct allocation *of;
    const struct cw_bench_summary *one;
    double x;
};

struct view {
    struct shown *items; /* [n] by x */
    size_t figure, n;
};

/* Whether FIGURE compares allocations, at a perturbation ratio of a half. */
static bool by_allocation(size_t figure)
{
    return figure == CW_NOISE_SCALING || figure == CW_NOISE_LATENCIES;
}

static double x_of(size_t figure, const struct allocation *of, const struct cw_bench_summary *one)
{
    return by_allocation(figure) ? of->run.n_ranks : figure == CW_NOISE_BOXES ? one->n_application : one->about->ratio;
}

static int compare_x(const void *a, const void *b)
{
    const struct shown *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->one < q->one ? -1 : p->one > q->one;
}

static int view_new(const struct measured *measured, size_t figure, struct view *out)
{
    size_t most = 1;
    for (size_t i = 0; i < measured->n; i++) most += measured->items[i].analysis.n_cases;
    *out = (struct view){.items = cw_new_array(most, sizeof *out->items, "cases"), .figure = figure};
    if (!out->items) return CW_ENOMEM;
    for (size_t i = 0; i < measured->n; i++) {
        const struct allocation *of = &measured->items[i];
        for (size_t c = 0; c < of->analysis.n_cases; c++) {
            const struct cw_bench_summary *one = &of->analysis.cases[c];
            if (one->effects[CW_BENCH_PERTURBED].n == 0) continue;
            if (by_allocation(figure) && fabs(one->about->ratio - HALF) > WITHIN) continue;
            out->items[out->n++] = (struct shown){of, one, x_of(figure, of, one)};
        }
    }
    qsort(out->items, out->n, sizeof *out->items, compare_x);
    return 0;
}

/* Whether A and B are points of one curve. */
static bool of_one_curve(const struct view *view, const struct shown *a, const struct shown *b)
{
    return cw_bench_case_similar(a->one->about, b->one->about) && (by_allocation(view->figure) || a->of == b->of);
}

/* The point before item I on its curve, NULL: it begins it. */
static const struct shown *before(const struct view *view, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (of_one_curve(view, &view->items[k], &view->items[i])) return &view->items[k];
    return NULL;
}

static const struct cw_summary *slowdown_of(const struct shown *at)
{
    return &at->one->effects[CW_BENCH_PERTURBED].ratios;
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"ranks", CW_COLUMN_INT, NULL, "of the allocation"},
    {"hosts", CW_COLUMN_INT, NULL, "that they were on"},
    CW_BENCH_CASE_COLUMNS,
    {"application_ranks", CW_COLUMN_INT, NULL, "ranks that the operation was measured on, the fewest of all splits"},
    {"perturbing_ranks", CW_COLUMN_INT, NULL, "ranks that perturbed, the fewest of all splits"},
    {"splits", CW_COLUMN_INT, NULL, "splits that were measured in both states"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "ratio of the medians of a split, mean over splits"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"clean_q25", CW_COLUMN_REAL, "s", "first quartile of the calls without perturbation"},
    {"clean_median", CW_COLUMN_REAL, "s", "median of them"},
    {"clean_q75", CW_COLUMN_REAL, "s", "third quartile of them"},
    {"clean_max", CW_COLUMN_REAL, "s", "the longest"},
    {"perturbed_q25", CW_COLUMN_REAL, "s", "first quartile of the calls with perturbation"},
    {"perturbed_median", CW_COLUMN_REAL, "s", "median of them"},
    {"perturbed_q75", CW_COLUMN_REAL, "s", "third quartile of them"},
    {"perturbed_max", CW_COLUMN_REAL, "s", "the longest"},
};

static int write_csv(const struct cw_paper_run *run, const struct view *view)
{
    struct cw_table *table;
    const int rc = cw_table_new("measured", NULL, CW_ITEMS(columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < view->n; i++) {
        const struct shown *at = &view->items[i];
        const struct cw_summary *slowdown = slowdown_of(at);
        const struct cw_box *boxes[] = {&at->one->times[CW_BENCH_CLEAN].box, &at->one->times[CW_BENCH_PERTURBED].box};
        cw_table_row(table, "%u %u", at->of->run.n_ranks, at->of->n_hosts);
        cw_bench_case_cells(table, at->one->about);
        cw_table_row(table, "%u %u %zu %g %g", at->one->n_application, at->one->n_perturbing, slowdown->n,
                     slowdown->mean, slowdown->ci95);
        for (size_t b = 0; b < 2; b++)
            cw_table_row(table, "%g %g %g %g", boxes[b]->q25, boxes[b]->median, boxes[b]->q75, boxes[b]->max);
    }
    return cw_paper_csv(run, run->paper->figures[view->figure].file, table);
}

static void begin_curve(const struct view *view, const struct shown *at, const char *which, struct cw_chart *chart)
{
    char bytes[32], ranks[32] = "";
    bool alike = false; /* another allocation, of as many ranks */
    for (size_t i = 0; i < view->n; i++)
        alike |= view->items[i].of != at->of && view->items[i].of->run.n_ranks == at->of->run.n_ranks;
    if (!by_allocation(view->figure)) snprintf(ranks, sizeof ranks, ", %u ranks", at->of->run.n_ranks);
    cw_chart_begin(chart, "%s of %s%s%s%s%s", at->one->about->operation,
                   cw_format_bytes(at->one->about->bytes, bytes, sizeof bytes), ranks, *ranks && alike ? " of " : "",
                   *ranks && alike ? at->of->run.name : "", which);
}

static void add_boxes(const struct view *view, const struct shown *first, enum cw_bench_state state,
                      struct cw_chart *chart)
{
    begin_curve(view, first, state == CW_BENCH_CLEAN ? ", clean" : ", perturbed", chart);
    for (size_t i = 0; i < view->n; i++) {
        const struct cw_box *box = &view->items[i].one->times[state].box;
        if (of_one_curve(view, first, &view->items[i]))
            cw_chart_box(chart, &(struct cw_plot_box){view->items[i].x, 1e3 * box->min, 1e3 * box->q25,
                                                      1e3 * box->median, 1e3 * box->q75, 1e3 * box->max, box->n});
    }
}

/* The straight line through the slowdowns of all splits, as the papers draw it. */
static void add_line(const struct view *view, const struct shown *first, struct cw_chart *chart)
{
    const struct cw_bench_analysis *analysis = &first->of->analysis;
    for (size_t f = 0; f < analysis->n_fits; f++) {
        const struct cw_line *line = &analysis->fits[f].line;
        double last = first->x;
        if (!cw_bench_case_similar(analysis->fits[f].about, first->one->about)) continue;
        for (size_t i = 0; i < view->n; i++)
            if (of_one_curve(view, first, &view->items[i])) last = view->items[i].x;
        struct cw_plot_series *series = cw_chart_begin(chart, "linear fit");
        series->style = CW_PLOT_LINES;
        series->dashed = true;
        for (size_t end = 0; end < 2; end++) {
            const double x = end ? last : first->x, y = cw_line_at(line, x).value;
            cw_chart_point(chart, x, y, y, y);
        }
    }
}

static void add_means(const struct view *view, const struct shown *first, struct cw_chart *chart)
{
    begin_curve(view, first, "", chart);
    for (size_t i = 0; i < view->n; i++) {
        const struct cw_summary *of = slowdown_of(&view->items[i]);
        if (of_one_curve(view, first, &view->items[i]))
            cw_chart_point(chart, view->items[i].x, of->mean, of->mean - of->ci95, of->mean + of->ci95);
    }
    if (view->figure == CW_NOISE_BY_RATIO) add_line(view, first, chart);
}

static int draw(const struct cw_paper_run *run, const struct view *view)
{
    static const struct cw_plot_level none = {"no slowdown", 1};
    const struct cw_paper_figure *figure = &run->paper->figures[view->figure];
    const bool boxes = view->figure == CW_NOISE_BOXES || view->figure == CW_NOISE_LATENCIES;
    struct cw_chart chart = {0};
    for (size_t i = 0; i < view->n; i++) {
        if (before(view, i)) continue;
        if (boxes) add_boxes(view, &view->items[i], CW_BENCH_CLEAN, &chart);
        if (boxes) add_boxes(view, &view->items[i], CW_BENCH_PERTURBED, &chart);
        if (!boxes) add_means(view, &view->items[i], &chart);
    }
    const struct cw_plot plot = {.title = figure->title,
                                 .x = {.label = by_allocation(view->figure)      ? "ranks of the allocation"
                                                : view->figure == CW_NOISE_BOXES ? "ranks of the application"
                                                                                 : "perturbation ratio"},
                                 .y = {.label = boxes ? "time of calls" : "mean slowdown of splits, 95 % confidence",
                                       .unit = boxes ? "ms" : "perturbed / clean",
                                       .logarithmic = boxes},
                                 .levels = boxes ? NULL : &none,
                                 .n_levels = boxes ? 0 : 1};
    return cw_paper_plot(run, figure->file, &chart, &plot);
}

int cw_noise_make_measured(struct cw_paper_run *run, size_t figure)
{
    struct view view;
    int rc = view_new(run->data, figure, &view);
    if (!rc) rc = write_csv(run, &view);
    if (!rc && view.n > 0) rc = draw(run, &view);
    if (!rc) rc = cw_paper_tell(run, figure, 0, run->paper->figures[figure].n_claims, &view);
    free(view.items);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static const char nothing[] = "no case was measured on ten splits or more";

/* AT is the number that decides FINDING. */
static double number_of(struct cw_finding *finding, const struct shown *at)
{
    finding->ci95 = slowdown_of(at)->ci95;
    return slowdown_of(at)->mean;
}

/* Whether the perturbation slows a case beyond chance, and more than the same traffic does where it shares no cable. */
static bool is_slowed(const struct shown *at)
{
    const struct cw_bench_effect *over =
        at->one->over_control.n > 0 ? &at->one->over_control : &at->one->effects[CW_BENCH_PERTURBED];
    return over->ratios.mean - over->ratios.ci95 > 1;
}

static int find_noise(const void *of, struct cw_finding *finding)
{
    const struct view *view = of;
    const struct shown *most = NULL;
    size_t slowed = 0, tested = 0;
    for (size_t i = 0; i < view->n; i++) {
        if (isnan(slowdown_of(&view->items[i])->ci95)) continue;
        tested++;
        slowed += is_slowed(&view->items[i]);
        if (!most || slowdown_of(&view->items[i])->mean > slowdown_of(most)->mean) most = &view->items[i];
    }
    if (!most) return cw_find_nothing(finding, nothing);
    return cw_find(finding, cw_verdict_of(slowed, tested), number_of(finding, most),
                   "%zu of %zu cases are slowed; most of all %.2f times, on %u of %u ranks on %u hosts", slowed, tested,
                   slowdown_of(most)->mean, most->one->n_application, most->of->run.n_ranks, most->of->n_hosts);
}

static int find_slope(const void *of, struct cw_finding *finding)
{
    const struct view *view = of;
    const struct cw_bench_fit *steepest = NULL;
    size_t grow = 0, fall = 0, n = 0;
    for (size_t i = 0; i < view->n; i++) {
        const struct cw_bench_analysis *analysis = &view->items[i].of->analysis;
        if (before(view, i)) continue;
        for (size_t f = 0; f < analysis->n_fits; f++) {
            const struct cw_bench_fit *fit = &analysis->fits[f];
            if (!cw_bench_case_similar(fit->about, view->items[i].one->about)) continue;
            n++;
            grow += fit->line.slope.low > 0;
            fall += fit->line.slope.high < 0;
            if (!steepest || fit->line.slope.value > steepest->line.slope.value) steepest = fit;
        }
    }
    if (!steepest) return cw_find_nothing(finding, "fewer than three perturbation ratios were measured");
    const struct cw_estimate *slope = &steepest->line.slope;
    finding->ci95 = (slope->high - slope->low) / 2;
    return cw_find(
        finding, grow + fall == 0 ? CW_NOT_TESTED : cw_verdict_of(grow, grow + fall), slope->value,
        "of %zu straight line%s %zu rise and %zu fall beyond their intervals; the steepest rises by %.2f from "
        "ratio 0 to 1",
        n, cw_plural(n), grow, fall, slope->value);
}

static int find_small_ratio(const void *of, struct cw_finding *finding)
{
    const struct view *view = of;
    const struct shown *most = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const struct shown *at = &view->items[i];
        if (at->x > SMALL || isnan(slowdown_of(at)->ci95)) continue;
        if (!most || slowdown_of(at)->mean > slowdown_of(most)->mean) most = at;
    }
    if (!most) return cw_find_nothing(finding, "no ratio up to .3 was measured on ten splits or more");
    return cw_find(finding, is_slowed(most) ? CW_HOLDS : CW_HOLDS_NOT, number_of(finding, most),
                   "at ratio %.2g %s takes %.2f times as long", most->x, most->one->about->operation,
                   slowdown_of(most)->mean);
}

static int find_growth(const void *of, struct cw_finding *finding)
{
    const struct view *view = of;
    const struct shown *first = NULL, *last = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const struct shown *at = &view->items[i];
        if (first && !of_one_curve(view, first, at)) continue;
        if (!first) first = at;
        if (at->x > first->x) last = at;
    }
    if (!last) return cw_find_nothing(finding, "allocations of one size only were measured at ratio 1/2");
    const struct cw_summary *small = slowdown_of(first), *large = slowdown_of(last);
    const double apart =
        hypot(isnan(small->ci95) ? INFINITY : small->ci95, isnan(large->ci95) ? INFINITY : large->ci95);
    const double growth = large->mean - small->mean;
    return cw_find(finding,
                   growth > apart    ? CW_HOLDS
                   : growth < -apart ? CW_HOLDS_NOT
                                     : CW_NOT_TESTED,
                   number_of(finding, last), "%.2f at %u ranks, %.2f at %u ranks%s", small->mean,
                   first->of->run.n_ranks, large->mean, last->of->run.n_ranks,
                   fabs(growth) > apart ? "" : ", which intervals do not tell apart");
}

static int find_scatter(const void *of, struct cw_finding *finding)
{
    const struct view *view = of;
    double most = 0;
    size_t wider = 0, tested = 0;
    for (size_t i = 0; i < view->n; i++) {
        const struct cw_box *clean = &view->items[i].one->times[CW_BENCH_CLEAN].box,
                            *perturbed = &view->items[i].one->times[CW_BENCH_PERTURBED].box;
        const double ratio = (perturbed->q75 - perturbed->q25) / (clean->q75 - clean->q25);
        if (!isfinite(ratio)) continue;
        tested++;
        wider += ratio > 2;
        most = fmax(most, ratio);
    }
    if (tested == 0) return cw_find_nothing(finding, nothing);
    return cw_find(finding, cw_verdict_of(wider, tested), most,
                   "in %zu of %zu cases the middle half of perturbed calls spans more than twice as much time as that "
                   "of clean calls; at most %.3g times",
                   wider, tested, most);
}

const struct cw_paper_claim cw_noise_boxes_claims[1] = {
    {"random perturbation makes a collective take longer", "greatest mean slowdown", find_noise}};
const struct cw_paper_claim cw_noise_by_ratio_claims[2] = {
    {"the slowdown grows with the perturbation ratio", "slope of the steepest line", find_slope},
    {"even a small perturbation causes significant delays", "greatest mean slowdown up to ratio .3", find_small_ratio}};
const struct cw_paper_claim cw_noise_scaling_claims[1] = {
    {"the effect of network noise grows with the number of processes", "slowdown of the largest allocation",
     find_growth}};
const struct cw_paper_claim cw_noise_latencies_claims[1] = {
    {"perturbed calls vary much, clean ones hardly", "quartiles apart, perturbed / clean", find_scatter}};
