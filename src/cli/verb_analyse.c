/* crosswind analyse: what runs of the noise benchmark say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/analyse/analyse_prediction.h"
#include "cli/verb.h"
#include "report/chart.h"
#include "report/plot.h"
#include "study/bench/bench_analysis.h"
#include "study/bench/bench_comparison.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_prediction.h"
#include "study/bench/bench_report.h"

struct analyse_options {
    char *compare;
    int figure;
    struct prediction_options prediction;
};

/* --- pictures of runs, as in figures 3 to 5 of the papers --------------------------------------------------------- */

enum figure {
    FIGURE_AUTO,       /* ratio where there are three of them, else times */
    FIGURE_TIMES,      /* calls in each state, by ranks of the application: notched boxes; medians of few splits */
    FIGURE_RATIO,      /* slowdowns of splits by ratio, and the line through them with its band */
    FIGURE_SIZE,       /* slowdowns of splits by ranks of the application */
    FIGURE_PREDICTION, /* slowdowns of splits as measured, by what each model predicts */
};

static const char *const figure_names[] = {"auto", "times", "ratio", "size", "prediction", NULL};

#define LINE_POINTS 21
#define BOX_SPLITS  CW_INTERVAL_SAMPLES /* a box of fewer splits hides them: they are points */
#define POINTS_WIDE 0.3                 /* of an axis of ranks, so that points of several splits lie apart */
#define MOST_MARKS  16

/* A picture while it is made. */
struct picture {
    const struct cw_bench_analysis *analysis;
    struct cw_chart chart;
    double *slowdowns; /* of one case */
    double *marks;     /* numbers of ranks */
    size_t n_marks;
    double scale; /* of times, which are in a unit with a prefix */
};

static void free_picture(struct picture *picture)
{
    cw_chart_free(&picture->chart);
    free(picture->slowdowns);
    free(picture->marks);
}

static int new_picture(const struct cw_bench_analysis *analysis, struct picture *picture)
{
    size_t splits = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) splits += analysis->cases[c].n_splits;
    *picture = (struct picture){.analysis = analysis};
    picture->slowdowns = cw_new_array(splits, sizeof *picture->slowdowns, "slowdowns of splits");
    picture->marks = cw_new_array(analysis->n_cases, sizeof *picture->marks, "marks of a picture");
    if (picture->slowdowns && picture->marks) return 0;
    free_picture(picture);
    return CW_ENOMEM;
}

/* A new series: WHAT is of ABOUT. */
static struct cw_plot_series *begin_series(struct picture *picture, const struct cw_bench_case *about, const char *what)
{
    char bytes[32];
    return cw_chart_begin(&picture->chart, "%s of %s%s%s", about->operation,
                          cw_format_bytes(about->bytes, bytes, sizeof bytes), *what ? ", " : "", what);
}

static void add_box(struct picture *picture, double x, const struct cw_box *box, size_t n, double scale)
{
    const struct cw_plot_box scaled = {
        x, scale * box->min, scale * box->q25, scale * box->median, scale * box->q75, scale * box->max, n};
    cw_chart_box(&picture->chart, &scaled);
}

/* The figure of a split, whose relative standard error is ERROR, with its 95 % interval if that is known: of the
 * logarithm, for neither times nor ratios can be negative. */
static void add_split(struct picture *picture, double x, double y, double error)
{
    const double factor = exp(1.96 * error);
    cw_chart_point(&picture->chart, x, y, y / factor, y * factor);
}

/* Where split S of N is drawn around X, within WIDTH. */
static double beside(double x, size_t s, size_t n, double width)
{
    return n < 2 ? x : x + width * ((double)s / (double)(n - 1) - 0.5);
}

static void add_mark(struct picture *picture, double value)
{
    for (size_t i = 0; i < picture->n_marks; i++)
        if (picture->marks[i] == value) return;
    picture->marks[picture->n_marks++] = value;
}

/* Whether CASE_INDEX is the first of those that differ in their ratio alone: they are one series. */
static bool begins_group(const struct cw_bench_analysis *analysis, size_t case_index)
{
    for (size_t c = 0; c < case_index; c++)
        if (cw_bench_case_similar(analysis->cases[c].about, analysis->cases[case_index].about)) return false;
    return true;
}

/* --- times -------------------------------------------------------------------------------------------------------- */

/* The medians of the splits of SUMMARY in STATE. */
static void add_medians(struct picture *picture, const struct cw_bench_summary *summary, enum cw_bench_state state)
{
    const double width = POINTS_WIDE / CW_BENCH_STATES;
    const double x = summary->n_application + width * ((double)state - 1) * 1.5;
    size_t n = 0;
    for (size_t s = 0; s < summary->n_splits; s++) {
        const struct cw_bench_medians *split = &summary->splits[s];
        if (!isnan(split->medians[state]))
            add_split(picture, beside(x, n++, summary->times[state].n_splits, width),
                      picture->scale * split->medians[state], split->errors[state]);
    }
}

static void draw_times(struct picture *picture, const struct cw_bench_case *about)
{
    const struct cw_bench_analysis *analysis = picture->analysis;
    for (enum cw_bench_state state = 0; state < CW_BENCH_STATES; state++) {
        begin_series(picture, about, cw_bench_state_names[state])->style = CW_PLOT_POINTS;
        for (size_t c = 0; c < analysis->n_cases; c++) {
            const struct cw_bench_summary *summary = &analysis->cases[c];
            const struct cw_bench_times *times = &summary->times[state];
            if (!cw_bench_case_similar(summary->about, about) || times->n_splits == 0) continue;
            add_mark(picture, summary->n_application);
            if (times->n_splits < BOX_SPLITS)
                add_medians(picture, summary, state);
            else
                add_box(picture, summary->n_application, &times->box, times->n_splits, picture->scale);
        }
        cw_chart_keep(&picture->chart);
    }
}

/* --- slowdowns ---------------------------------------------------------------------------------------------------- */

static void draw_fit(struct picture *picture, const struct cw_bench_fit *fit)
{
    double least = INFINITY, greatest = -INFINITY;
    const size_t boxes = picture->chart.n_series; /* the series before, whose colour the line has */
    for (size_t c = 0; c < picture->analysis->n_cases; c++) {
        const struct cw_bench_case *about = picture->analysis->cases[c].about;
        if (!cw_bench_case_similar(about, fit->about)) continue;
        least = fmin(least, about->ratio);
        greatest = fmax(greatest, about->ratio);
    }
    for (int k = 0; k < 3; k++) {
        struct cw_plot_series *series = k == 2 ? cw_chart_begin(&picture->chart, "%s", "") /* the band's other side */
                                               : begin_series(picture, fit->about, k == 0 ? "line" : "95 % band");
        series->style = CW_PLOT_LINES;
        series->dashed = k > 0;
        series->partner = boxes;
        for (int i = 0; i < LINE_POINTS; i++) {
            const double x = least + (greatest - least) * i / (LINE_POINTS - 1);
            const struct cw_estimate at = cw_line_at(&fit->line, x);
            cw_chart_point(&picture->chart, x, k == 0 ? at.value : k == 1 ? at.low : at.high, 0, 0);
        }
    }
}

static void draw_slowdowns(struct picture *picture, const struct cw_bench_case *about, bool by_ratio)
{
    const struct cw_bench_analysis *analysis = picture->analysis;
    begin_series(picture, about, "")->style = CW_PLOT_POINTS;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_summary *summary = &analysis->cases[c];
        const size_t n_splits = summary->effects[CW_BENCH_PERTURBED].n;
        const double x = by_ratio ? summary->about->ratio : summary->n_application;
        size_t n = 0;
        if (!cw_bench_case_similar(summary->about, about) || n_splits == 0) continue;
        if (!by_ratio) add_mark(picture, x);
        for (size_t s = 0; s < summary->n_splits; s++) {
            const double slowdown = cw_bench_split_ratio(&summary->splits[s], CW_BENCH_PERTURBED);
            if (isnan(slowdown)) continue;
            if (n_splits < BOX_SPLITS)
                add_split(picture, beside(x, n, n_splits, by_ratio ? POINTS_WIDE / 10 : POINTS_WIDE), slowdown,
                          cw_bench_split_error(&summary->splits[s], CW_BENCH_PERTURBED));
            picture->slowdowns[n++] = slowdown;
        }
        if (n_splits < BOX_SPLITS) continue;
        cw_sort_reals(picture->slowdowns, n);
        const struct cw_box box = cw_box_of(picture->slowdowns, n);
        add_box(picture, x, &box, n, 1);
    }
    cw_chart_keep(&picture->chart);
    for (size_t f = 0; f < analysis->n_fits && by_ratio; f++)
        if (analysis->fits[f].about == about) draw_fit(picture, &analysis->fits[f]);
}

/* --- predictions -------------------------------------------------------------------------------------------------- */

/* Of all cases that differ from ABOUT in their ratio alone: a series for each model, which says of every split what is
 * predicted and what was measured. */
static void draw_predictions(struct picture *picture, const struct cw_bench_prediction *prediction,
                             const struct cw_bench_case *about)
{
    const struct cw_bench_analysis *analysis = picture->analysis;
    for (int m = 0; m < CW_BENCH_MODELS; m++) {
        begin_series(picture, about, cw_bench_model_names[m])->style = CW_PLOT_POINTS;
        for (size_t i = 0; i < prediction->n_points; i++) {
            const struct cw_bench_point *point = &prediction->points[i];
            if (cw_bench_case_similar(analysis->cases[point->case_index].about, about))
                add_split(picture, point->predicted[m], point->measured, point->error);
        }
        cw_chart_keep(&picture->chart);
    }
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void draw_case(struct picture *picture, const struct cw_bench_prediction *prediction, enum figure figure,
                      size_t case_index)
{
    const struct cw_bench_case *about = picture->analysis->cases[case_index].about;
    if (!begins_group(picture->analysis, case_index)) return; /* is drawn */
    if (figure == FIGURE_PREDICTION)
        draw_predictions(picture, prediction, about);
    else if (figure == FIGURE_TIMES)
        draw_times(picture, about);
    else
        draw_slowdowns(picture, about, figure == FIGURE_RATIO);
}

/* The axis of ranks has room on either side, and is labelled at what was measured. */
static void fit_ranks(const struct picture *picture, struct cw_plot_axis *axis)
{
    if (picture->n_marks == 0) return;
    double least = picture->marks[0], greatest = least;
    for (size_t i = 1; i < picture->n_marks; i++) {
        least = fmin(least, picture->marks[i]);
        greatest = fmax(greatest, picture->marks[i]);
    }
    const double room = fmax(1, 0.1 * (greatest - least));
    axis->min = least - room;
    axis->max = greatest + room;
    if (picture->n_marks > MOST_MARKS) return;
    axis->marks = picture->marks;
    axis->n_marks = picture->n_marks;
}

/* Slowdowns that differ by more than ten times need a logarithmic axis. */
static bool spans_decades(const struct cw_bench_prediction *prediction)
{
    double least = INFINITY, greatest = 0;
    for (size_t i = 0; i < prediction->n_points; i++) {
        const struct cw_bench_point *point = &prediction->points[i];
        least = fmin(least, point->measured);
        greatest = fmax(greatest, point->measured);
        for (int m = 0; m < CW_BENCH_MODELS; m++) greatest = fmax(greatest, point->predicted[m]);
    }
    return greatest > 10 * least;
}

/* Times are in a unit that suits the shortest; NAME gets it. */
static void choose_unit(struct picture *picture, char name[8])
{
    double least = INFINITY;
    const char *prefix;
    for (size_t c = 0; c < picture->analysis->n_cases; c++)
        for (int state = 0; state < CW_BENCH_STATES; state++) {
            const struct cw_bench_times *times = &picture->analysis->cases[c].times[state];
            if (times->n_splits > 0) least = fmin(least, times->median.value);
        }
    picture->scale = pow(10, -cw_time_prefix(least, &prefix));
    snprintf(name, 8, "%ss", prefix);
}

/* Draws FIGURE to PATH with gnuplot; its script stays beside it. PREDICTION may be NULL, but not for FIGURE_PREDICTION:
 * CW_EUSAGE. */
static int draw(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction *prediction,
                enum figure figure, const char *path)
{
    static const struct cw_plot plots[] = {
        [FIGURE_TIMES] = {.title = "Times of calls",
                          .x = {.label = "ranks of the application"},
                          .y = {.label = "time", .logarithmic = true}},
        [FIGURE_RATIO] = {.title = "Slowdown by perturbation",
                          .x = {.label = "perturbation ratio", .min = 0, .max = 1},
                          .y = {.label = "slowdown of splits", .min = 0, .max = NAN}},
        [FIGURE_SIZE] = {.title = "Slowdown by perturbation",
                         .x = {.label = "ranks of the application"},
                         .y = {.label = "slowdown of splits", .min = 0, .max = NAN}},
        [FIGURE_PREDICTION] = {.title = "Slowdown of splits",
                               .x = {.label = "predicted"},
                               .y = {.label = "measured, with 95 % interval"},
                               .equal = true},
    };
    struct picture picture;
    char unit[8];
    if (figure == FIGURE_AUTO) figure = analysis->n_fits > 0 ? FIGURE_RATIO : FIGURE_TIMES;
    if (figure == FIGURE_PREDICTION && !prediction)
        return cw_fail(CW_EUSAGE, "the figure of predictions needs a network to predict them on");
    int rc = new_picture(analysis, &picture);
    if (rc) return rc;
    choose_unit(&picture, unit);
    for (size_t c = 0; c < analysis->n_cases; c++) draw_case(&picture, prediction, figure, c);
    struct cw_plot plot = plots[figure];
    if (figure == FIGURE_TIMES) plot.y.unit = unit;
    if (figure == FIGURE_PREDICTION) plot.x.logarithmic = plot.y.logarithmic = spans_decades(prediction);
    fit_ranks(&picture, &plot.x);
    rc = cw_chart_draw(&picture.chart, plot, path);
    free_picture(&picture);
    return rc;
}

static const struct cw_option options[] = {
    {.name = "compare",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct analyse_options, compare),
     .value_name = "FILE[,FILE...]",
     .help = "compare with this other run, case by case; splits that both measured are compared in pairs"},
    {.name = "figure",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct analyse_options, figure),
     .default_text = "auto",
     .choices = figure_names,
     .help =
         "with --plot: calls by the application's ranks (times); slowdowns of splits by ratio, with a fitted line and "
         "its band (ratio), by the application's ranks (size), or by what is predicted, with the line y = x "
         "(prediction). From 10 splits on they are notched boxes, before that points with 95 % intervals. auto: ratio "
         "where there are three of them, else times"},
    PREDICTION_OPTIONS(struct analyse_options, prediction),
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "FILE",
     .type = CW_OPTION_INPUT,
     .required = true,
     .repeats = true,
     .help = "samples that crosswind-mpi bench noise has written (CSV, its metadata beside it); several are merged"},
    {.name = NULL},
};

/* What means nothing without other options. */
static int check_options(const struct invocation *invocation)
{
    static const char *const of_plot[] = {"figure", NULL};
    const struct analyse_options *values = invocation->values;
    int rc = prediction_check(invocation, &values->prediction);
    if (!rc && !invocation->common.plot) rc = invocation_refuse(invocation, of_plot, "is for --plot FILE");
    if (!rc && values->figure == FIGURE_PREDICTION && !values->prediction.fabric)
        rc = cw_fail(CW_EUSAGE, "--figure prediction: expected --fabric NETWORK");
    return rc;
}

/* All that an invocation is about. */
struct job {
    struct cw_bench_run run, other; /* OTHER: to compare with */
    struct cw_bench_analysis analysis, other_analysis;
    struct prediction_site site; /* where --fabric is given */
    struct cw_bench_prediction prediction;
};

static void free_job(struct job *job)
{
    cw_bench_prediction_free(&job->prediction);
    prediction_site_free(&job->site);
    cw_bench_analysis_free(&job->analysis);
    cw_bench_analysis_free(&job->other_analysis);
    cw_bench_run_free(&job->run);
    cw_bench_run_free(&job->other);
}

/* --- reading: what is wrong with a file is said before anything is shown ------------------------------------------ */

/* The runs of LIST, "FILE,FILE", as one. */
static int read_list(const char *list, struct cw_bench_run *out)
{
    char *copy = cw_copy_text(list, strlen(list)), *rest = copy;
    const char **paths = cw_new_array(strlen(list) + 1, sizeof *paths, "names of files");
    size_t n = 0;
    if (copy && paths)
        for (char *path; (path = strsep(&rest, ","));) paths[n++] = path;
    const int rc = copy && paths ? cw_bench_read_all(paths, n, out) : CW_ENOMEM;
    free(paths);
    free(copy);
    return rc;
}

static int read_all(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    const uint64_t seed = (uint64_t)invocation->common.seed;
    int rc = cw_bench_read_all(invocation->positional, invocation->n_positional, &job->run);
    if (!rc && values->compare) rc = read_list(values->compare, &job->other);
    if (!rc && values->prediction.fabric)
        rc = prediction_site_open(invocation, &values->prediction, &job->run, &job->site);
    if (!rc) rc = cw_bench_analyse(&job->run, seed, &job->analysis);
    if (!rc && values->compare) rc = cw_bench_analyse(&job->other, seed, &job->other_analysis);
    return rc;
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int compare(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    struct cw_bench_comparison comparison;
    int rc = cw_bench_compare(&job->analysis, &job->other_analysis, (uint64_t)invocation->common.seed, &comparison);
    if (rc) return rc;
    rc = cw_bench_comparison_report(&comparison, job->run.name, values->compare, invocation->result);
    cw_bench_comparison_free(&comparison);
    return rc;
}

static int report(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    int rc = cw_bench_report(&job->analysis, invocation->result);
    if (!rc && values->compare) rc = compare(invocation, job);
    if (!rc && values->prediction.fabric)
        rc = prediction_report(invocation, &values->prediction, &job->site, &job->analysis, &job->prediction);
    if (!rc && invocation->common.plot)
        rc = draw(&job->analysis, values->prediction.fabric ? &job->prediction : NULL, (enum figure)values->figure,
                  invocation->common.plot);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct job job = {0};
    int rc = check_options(invocation);
    if (!rc) rc = read_all(invocation, &job);
    if (!rc) rc = report(invocation, &job);
    free_job(&job);
    return rc;
}

const struct verb verb_analyse = {
    .name = "analyse",
    .help = "What a measurement of network noise says, from its samples",
    .arguments = arguments,
    .description =
        "Recomputes the figures of crosswind-mpi bench noise from the samples it has written. Several files are one "
        "collection if they were measured alike: on the same hosts, under the same conditions. A split of the ranks is "
        "one observation: its figure is the median of its calls, for calls of one split are not independent. The "
        "slowdown is the ratio of the medians with and without perturbation of the same split, summarised by its "
        "median over splits, with an interval from resampling splits. Samples that were late, expired, or not covered "
        "by "
        "perturbation are counted and left out. With --fabric, each split is also simulated with the same ranks in the "
        "application and in the perturbation.",
    .examples = "  crosswind analyse noise.csv\n"
                "  crosswind analyse monday.csv tuesday.csv --format json\n"
                "  crosswind analyse before.csv --compare after.csv\n"
                "  crosswind analyse noise.csv --plot noise.svg --figure times\n"
                "  crosswind analyse noise.csv --fabric fabric.ibnetdiscover --lft opensm-lfts.dump --hosts map.txt\n",
    .options = options,
    .size = sizeof(struct analyse_options),
    .network = true,
    .stores = STORES_RESULT,
    .routes = true,
    .pictures = PICTURES_OWN,
    .run = run,
};
