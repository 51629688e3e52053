#include "cli/reproduce/noise_figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/reproduce/figures.h"

#define MAX_CURVES 16 /* in a picture */

static const struct cw_column columns[] = {
    {"curve", CW_COLUMN_TEXT, NULL, "curve of the figure"},
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"endpoints", CW_COLUMN_INT, NULL, "endpoints that take part"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all endpoints"},
    {"application", CW_COLUMN_INT, NULL, "endpoints that run the collective"},
    {"trials", CW_COLUMN_INT, NULL, "random trials"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed time / clean time, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_min", CW_COLUMN_REAL, NULL, "least slowdown of a trial"},
    {"slowdown_q25", CW_COLUMN_REAL, NULL, "first quartile of the slowdown"},
    {"slowdown_median", CW_COLUMN_REAL, NULL, "median of the slowdown"},
    {"slowdown_q75", CW_COLUMN_REAL, NULL, "third quartile of the slowdown"},
    {"slowdown_max", CW_COLUMN_REAL, NULL, "greatest slowdown of a trial"},
    {"clean_mean", CW_COLUMN_REAL, NULL, "time without perturbation, mean over trials"},
    {"clean_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"perturbed_mean", CW_COLUMN_REAL, NULL, "time with perturbation, mean over trials"},
    {"perturbed_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static void add_row(struct cw_table *table, const struct cw_noise_point *point, size_t trials)
{
    const struct cw_noise_result *result = &point->result;
    const struct cw_summary *slowdown = &result->slowdown;
    cw_table_text(table, point->curve);
    cw_table_text(table, point->network);
    cw_table_int(table, point->endpoints);
    cw_table_real(table, point->ratio);
    cw_table_int(table, result->application);
    cw_table_int(table, (int64_t)trials);
    const double figures[] = {slowdown->mean,     slowdown->ci95,         slowdown->min,         slowdown->q25,
                              slowdown->median,   slowdown->q75,          slowdown->max,         result->clean.mean,
                              result->clean.ci95, result->perturbed.mean, result->perturbed.ci95};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) cw_table_real(table, figures[i]);
}

int noise_figure_csv(struct cw_table *table, const char *directory, const char *name)
{
    const int rc = figure_csv(table, directory, name);
    cw_table_free(table);
    return rc;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* What is constant in each picture. */
static const struct face {
    int figure;
    bool by_size; /* x is the number of endpoints, not the ratio */
    const char *title;
} faces[] = {
    {11, false, "Figure 11: real fabrics, by perturbation ratio"},
    {13, true, "Figure 13: fat trees of growing size, perturbation ratio 1/2"},
    {15, false, "Figure 15: tori, by perturbation ratio"},
    {16, true, "Figure 16: tori of growing size, perturbation ratio 1/2"},
};

/* The points and boxes of all curves, one behind another. */
struct picture {
    const struct face *face;
    struct cw_plot_point *points;
    struct cw_plot_box *boxes;
    struct cw_plot_series series[MAX_CURVES];
    size_t n_series;
};

static struct cw_plot_series *series_of(struct picture *picture, const char *curve)
{
    for (size_t i = 0; i < picture->n_series; i++)
        if (strcmp(picture->series[i].label, curve) == 0) return &picture->series[i];
    if (picture->n_series == MAX_CURVES) return NULL;
    picture->series[picture->n_series].label = curve;
    return &picture->series[picture->n_series++];
}

/* Puts the points of the figure, curve by curve (they stand so in the list), into the picture. BOXES: quartiles, else
 * means. */
static void fill(struct picture *picture, const struct cw_noise_points *points, size_t n, bool boxes)
{
    size_t at = 0;
    picture->n_series = 0;
    memset(picture->series, 0, sizeof picture->series);
    for (size_t i = 0; i < n; i++) {
        const struct cw_noise_point *point = &points->items[i];
        if (point->figure != picture->face->figure) continue;
        struct cw_plot_series *series = series_of(picture, point->curve);
        if (!series) return;
        const struct cw_summary *slowdown = &point->result.slowdown;
        const double x = picture->face->by_size ? point->endpoints : point->ratio;
        if (boxes) {
            picture->boxes[at] = (struct cw_plot_box){
                x, slowdown->min, slowdown->q25, slowdown->median, slowdown->q75, slowdown->max, slowdown->n};
            if (series->n_boxes++ == 0) series->boxes = &picture->boxes[at];
        } else {
            picture->points[at] = (struct cw_plot_point){x, slowdown->mean, slowdown->mean - slowdown->ci95,
                                                         slowdown->mean + slowdown->ci95};
            if (series->n_points++ == 0) series->points = &picture->points[at];
        }
        at++;
    }
}

static int draw(const struct picture *picture, const char *directory, bool boxes)
{
    const struct cw_plot_axis by_size = {.label = "endpoints", .logarithmic = true};
    const struct cw_plot_axis by_ratio = {.label = "perturbation ratio", .min = 0, .max = 1};
    const struct cw_plot_level none = {"no slowdown", 1};
    struct cw_text name = {0}, title = {0};
    cw_text_printf(&title, "%s%s", picture->face->title, boxes ? ": quartiles and range" : "");
    cw_text_printf(&name, "noise-fig%d%s", picture->face->figure, boxes ? "-boxes" : "");
    int rc = cw_text_check(&name);
    if (!rc) rc = cw_text_check(&title);
    const struct cw_plot plot = {
        .title = title.data,
        .x = picture->face->by_size ? by_size : by_ratio,
        .y = {.label = boxes ? "slowdown of trials" : "mean slowdown, 95 % confidence", .unit = "perturbed / clean"},
        .series = picture->series,
        .n_series = picture->n_series,
        .levels = &none,
        .n_levels = 1};
    if (!rc) rc = figure_draw(&plot, directory, name.data);
    cw_text_free(&title);
    cw_text_free(&name);
    return rc;
}

static int draw_both(const struct cw_noise_points *points, size_t n, const struct face *face, const char *directory)
{
    struct picture picture = {.face = face};
    picture.points = cw_new_array(n, sizeof *picture.points, "points of a plot");
    picture.boxes = cw_new_array(n, sizeof *picture.boxes, "boxes of a plot");
    int rc = picture.points && picture.boxes ? 0 : CW_ENOMEM;
    for (int boxes = 0; !rc && boxes < 2; boxes++) {
        fill(&picture, points, n, boxes != 0);
        rc = draw(&picture, directory, boxes != 0);
    }
    free(picture.points);
    free(picture.boxes);
    return rc;
}

int noise_figure_write(const struct cw_noise_points *points, size_t n, int figure, size_t trials, const char *directory)
{
    struct cw_table *table;
    char name[32];
    snprintf(name, sizeof name, "noise-fig%d", figure);
    int rc = cw_table_new(name, NULL, columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < n; i++)
        if (points->items[i].figure == figure) add_row(table, &points->items[i], trials);
    rc = noise_figure_csv(table, directory, name);
    for (size_t i = 0; !rc && i < sizeof faces / sizeof *faces; i++)
        if (faces[i].figure == figure) rc = draw_both(points, n, &faces[i], directory);
    return rc;
}
