#include "cli/analyse/analyse_figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "report/plot.h"

const char *const figure_names[] = {"auto", "times", "ratio", "size", "prediction", NULL};

#define LINE_POINTS 21
#define LABEL_SIZE  96

/* A picture while it is made: room for all that its series can have. */
struct picture {
    const struct cw_bench_analysis *analysis;
    struct cw_plot_series *series;
    char (*labels)[LABEL_SIZE];
    struct cw_plot_point *points;
    struct cw_plot_box *boxes;
    double *slowdowns; /* of one case */
    size_t n_series, n_points, n_boxes;
};

static void free_picture(struct picture *picture)
{
    free(picture->series);
    free(picture->labels);
    free(picture->points);
    free(picture->boxes);
    free(picture->slowdowns);
}

/* Each case is in three series of boxes at most, and with others in a line with its band. */
static int new_picture(const struct cw_bench_analysis *analysis, struct picture *picture)
{
    const size_t n = analysis->n_cases;
    size_t splits = 0;
    for (size_t c = 0; c < n; c++) splits += analysis->cases[c].n_splits;
    *picture = (struct picture){.analysis = analysis};
    picture->series = cw_new_array(6 * n, sizeof *picture->series, "series of a picture");
    picture->labels = cw_new_array(6 * n, sizeof *picture->labels, "series of a picture");
    picture->points = cw_new_array(3 * LINE_POINTS * n + splits, sizeof *picture->points, "points of a picture");
    picture->boxes = cw_new_array(3 * n, sizeof *picture->boxes, "boxes of a picture");
    picture->slowdowns = cw_new_array(splits, sizeof *picture->slowdowns, "slowdowns of splits");
    if (picture->series && picture->labels && picture->points && picture->boxes && picture->slowdowns) return 0;
    free_picture(picture);
    return CW_ENOMEM;
}

/* A new series, whose points and boxes are those that are added next. WHAT is of ABOUT. */
static struct cw_plot_series *begin_series(struct picture *picture, const struct cw_bench_case *about, const char *what)
{
    char bytes[32];
    char *label = picture->labels[picture->n_series];
    struct cw_plot_series *series = &picture->series[picture->n_series++];
    snprintf(label, LABEL_SIZE, "%s of %s%s%s", about->operation, cw_format_bytes(about->bytes, bytes, sizeof bytes),
             *what ? ", " : "", what);
    *series = (struct cw_plot_series){
        .label = label, .points = picture->points + picture->n_points, .boxes = picture->boxes + picture->n_boxes};
    return series;
}

static void add_box(struct picture *picture, struct cw_plot_series *series, double x, const struct cw_box *box,
                    size_t n)
{
    picture->boxes[picture->n_boxes++] =
        (struct cw_plot_box){x, box->min, box->q25, box->median, box->q75, box->max, n};
    series->n_boxes++;
}

static void add_point(struct picture *picture, struct cw_plot_series *series, double x, double y)
{
    picture->points[picture->n_points++] = (struct cw_plot_point){x, y, 0};
    series->n_points++;
}

/* Whether CASE_INDEX is the first of those that differ in their ratio alone: they are one series. */
static bool begins_group(const struct cw_bench_analysis *analysis, size_t case_index)
{
    for (size_t c = 0; c < case_index; c++)
        if (cw_bench_case_similar(analysis->cases[c].about, analysis->cases[case_index].about)) return false;
    return true;
}

/* --- times -------------------------------------------------------------------------------------------------------- */

static void draw_times(struct picture *picture, const struct cw_bench_case *about)
{
    const struct cw_bench_analysis *analysis = picture->analysis;
    for (enum cw_bench_state state = 0; state < CW_BENCH_STATES; state++) {
        struct cw_plot_series *series = begin_series(picture, about, cw_bench_state_names[state]);
        for (size_t c = 0; c < analysis->n_cases; c++) {
            const struct cw_bench_summary *summary = &analysis->cases[c];
            const struct cw_bench_times *times = &summary->times[state];
            if (cw_bench_case_similar(summary->about, about) && times->n_splits > 0)
                add_box(picture, series, summary->n_application, &times->box, times->n_splits);
        }
        if (series->n_boxes == 0) picture->n_series--;
    }
}

/* --- slowdowns ---------------------------------------------------------------------------------------------------- */

static void draw_fit(struct picture *picture, const struct cw_bench_fit *fit)
{
    static const char *const names[] = {"line", "95 % band", NULL};
    double least = INFINITY, greatest = -INFINITY;
    const size_t boxes = picture->n_series; /* the series before, whose colour the line has */
    for (size_t c = 0; c < picture->analysis->n_cases; c++) {
        const struct cw_bench_case *about = picture->analysis->cases[c].about;
        if (!cw_bench_case_similar(about, fit->about)) continue;
        least = fmin(least, about->ratio);
        greatest = fmax(greatest, about->ratio);
    }
    for (int k = 0; k < 3; k++) {
        struct cw_plot_series *series = begin_series(picture, fit->about, names[k < 2 ? k : 1]);
        series->style = CW_PLOT_LINES;
        series->dashed = k > 0;
        series->partner = boxes;
        if (k == 2) series->label = NULL; /* the other side of the band */
        for (int i = 0; i < LINE_POINTS; i++) {
            const double x = least + (greatest - least) * i / (LINE_POINTS - 1);
            const struct cw_estimate at = cw_line_at(&fit->line, x);
            add_point(picture, series, x, k == 0 ? at.value : k == 1 ? at.low : at.high);
        }
    }
}

static void draw_slowdowns(struct picture *picture, const struct cw_bench_case *about, bool by_ratio)
{
    const struct cw_bench_analysis *analysis = picture->analysis;
    struct cw_plot_series *series = begin_series(picture, about, "");
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_summary *summary = &analysis->cases[c];
        size_t n = 0;
        if (!cw_bench_case_similar(summary->about, about)) continue;
        for (size_t s = 0; s < summary->n_splits; s++) {
            const double slowdown = cw_bench_split_ratio(&summary->splits[s], CW_BENCH_PERTURBED);
            if (!isnan(slowdown)) picture->slowdowns[n++] = slowdown;
        }
        if (n == 0) continue;
        cw_sort_reals(picture->slowdowns, n);
        const struct cw_box box = cw_box_of(picture->slowdowns, n);
        add_box(picture, series, by_ratio ? summary->about->ratio : summary->n_application, &box, n);
    }
    if (series->n_boxes == 0) picture->n_series--;
    for (size_t f = 0; f < analysis->n_fits && by_ratio; f++)
        if (analysis->fits[f].about == about) draw_fit(picture, &analysis->fits[f]);
}

/* --- predictions -------------------------------------------------------------------------------------------------- */

static void draw_predictions(struct picture *picture, const struct cw_bench_prediction *prediction, size_t case_index)
{
    char what[32];
    const struct cw_bench_case *about = picture->analysis->cases[case_index].about;
    snprintf(what, sizeof what, "ratio %.4g", about->ratio);
    struct cw_plot_series *series = begin_series(picture, about, what);
    series->style = CW_PLOT_POINTS;
    for (size_t i = 0; i < prediction->n_points; i++)
        if (prediction->points[i].case_index == case_index)
            add_point(picture, series, prediction->points[i].predicted[CW_BENCH_CONGESTION],
                      prediction->points[i].measured);
    if (series->n_points == 0) picture->n_series--;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void draw_case(struct picture *picture, const struct cw_bench_prediction *prediction, enum figure figure,
                      size_t case_index)
{
    const struct cw_bench_case *about = picture->analysis->cases[case_index].about;
    if (figure == FIGURE_PREDICTION)
        draw_predictions(picture, prediction, case_index);
    else if (!begins_group(picture->analysis, case_index))
        return; /* is drawn */
    else if (figure == FIGURE_TIMES)
        draw_times(picture, about);
    else
        draw_slowdowns(picture, about, figure == FIGURE_RATIO);
}

int analyse_draw(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction *prediction,
                 enum figure figure, const char *path)
{
    static const struct cw_plot plots[] = {
        [FIGURE_TIMES] = {.title = "Times of calls",
                          .x = {.label = "ranks of the application"},
                          .y = {.label = "time", .unit = "s", .logarithmic = true}},
        [FIGURE_RATIO] = {.title = "Slowdown by perturbation",
                          .x = {.label = "perturbation ratio", .min = 0, .max = 1},
                          .y = {.label = "slowdown of splits"}},
        [FIGURE_SIZE] = {.title = "Slowdown by perturbation",
                         .x = {.label = "ranks of the application"},
                         .y = {.label = "slowdown of splits"}},
        [FIGURE_PREDICTION] = {.title = "Slowdown of splits",
                               .x = {.label = "predicted by congestion"},
                               .y = {.label = "measured"}},
    };
    struct picture picture;
    if (figure == FIGURE_AUTO) figure = analysis->n_fits > 0 ? FIGURE_RATIO : FIGURE_TIMES;
    if (figure == FIGURE_PREDICTION && !prediction)
        return cw_fail(CW_EUSAGE, "the figure of predictions needs a network to predict them on");
    int rc = new_picture(analysis, &picture);
    if (rc) return rc;
    for (size_t c = 0; c < analysis->n_cases; c++) draw_case(&picture, prediction, figure, c);
    struct cw_plot plot = plots[figure];
    plot.series = picture.series;
    plot.n_series = picture.n_series;
    rc = cw_plot_write(&plot, path);
    free_picture(&picture);
    return rc;
}
