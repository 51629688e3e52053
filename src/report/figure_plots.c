/* Figures as plots: lines, histograms, sorted values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/figure_internal.h"

#define MOST_LINES    12 /* that can be told apart */
#define MARKERS_UP_TO 60 /* points of a line: more would hide it */
#define MOST_MARKS    8  /* that have room on a logarithmic axis */
#define MOST_DOTS     60 /* that are marked, of sorted values */

static struct cw_plot_axis axis_of(const char *label, const struct cw_figure_scale *scale, bool logarithmic)
{
    return (struct cw_plot_axis){
        .label = label, .unit = scale && *scale->unit ? scale->unit : NULL, .logarithmic = logarithmic};
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* A figure with the places of its columns. */
struct lines {
    const struct cw_figure *figure;
    const struct cw_table *table;
    size_t x, y, ci95, low, median, high, min, max, samples, series, marked;
    struct cw_figure_scale x_scale, y_scale;
    struct row {
        double x;
        size_t row;
    } * rows;      /* of one series, by x */
    size_t *first; /* rows with which series begin */
    size_t n, all; /* series that are drawn, and all */
    struct cw_chart chart;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->x != y->x && !isnan(x->x) && !isnan(y->x)) return x->x < y->x ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Gathers the rows of series I that have an x. */
static size_t gather(struct lines *lines, size_t i)
{
    size_t n = 0;
    for (size_t r = 0; r < cw_table_rows(lines->table); r++) {
        const double x = cw_figure_value(lines->table, r, lines->x) * lines->x_scale.factor;
        if (!isnan(x) &&
            (lines->series == CW_NO_COLUMN || cw_figure_alike(lines->table, lines->first[i], r, lines->series)))
            lines->rows[n++] = (struct row){x, r};
    }
    qsort(lines->rows, n, sizeof *lines->rows, compare_rows);
    return n;
}

static bool is_marked(const struct lines *lines, size_t row)
{
    const char *word = lines->marked == CW_NO_COLUMN ? NULL : cw_table_cell_text(lines->table, row, lines->marked);
    return word && strcmp(word, "yes") == 0;
}

static void add_point(struct lines *lines, const struct row *row)
{
    const double y = cw_figure_value(lines->table, row->row, lines->y) * lines->y_scale.factor;
    const double half = cw_figure_value(lines->table, row->row, lines->ci95) * lines->y_scale.factor;
    cw_chart_point(&lines->chart, row->x, y, y - half, y + half);
}

static void add_box(struct lines *lines, const struct row *row)
{
    const size_t columns[] = {lines->min, lines->low, lines->median, lines->high, lines->max};
    double values[5];
    for (int i = 0; i < 5; i++) {
        values[i] = cw_figure_value(lines->table, row->row, columns[i]) * lines->y_scale.factor;
        if (isnan(values[i]) || (lines->figure->log_y && values[i] <= 0)) return;
    }
    if (lines->figure->log_x && row->x <= 0) return;
    const double n = cw_figure_value(lines->table, row->row, lines->samples);
    cw_chart_box(&lines->chart, &(struct cw_plot_box){row->x, values[0], values[1], values[2], values[3], values[4],
                                                      n > 0 ? (size_t)n : 0});
}

/* Where a value is marked, the line has a gap. Means have no place beside boxes of several series. */
static void add_series(struct lines *lines, size_t i)
{
    char words[CW_FIGURE_WORDS];
    const char *label =
        lines->series == CW_NO_COLUMN ? "" : cw_figure_words(lines->table, lines->first[i], lines->series, words);
    const bool boxes = lines->low != CW_NO_COLUMN;
    const size_t n = gather(lines, i);
    cw_chart_begin(&lines->chart, "%s", label)->style = boxes               ? CW_PLOT_POINTS
                                                        : n > MARKERS_UP_TO ? CW_PLOT_LINES
                                                                            : CW_PLOT_LINES_AND_POINTS;
    for (size_t k = 0; k < n; k++) {
        const struct row *row = &lines->rows[k];
        if (boxes) add_box(lines, row);
        if (is_marked(lines, row->row))
            cw_chart_point(&lines->chart, row->x, (double)NAN, 0, 0);
        else if (!boxes || lines->n == 1)
            add_point(lines, row);
    }
}

/* What is marked in series I, in its colour, with open markers. */
static void add_marked(struct lines *lines, size_t i, bool *named)
{
    const size_t n = gather(lines, i);
    struct cw_plot_series *series = cw_chart_begin(&lines->chart, "%s", *named ? "" : lines->figure->marked);
    series->style = CW_PLOT_POINTS;
    series->partner = i + 1;
    for (size_t k = 0; k < n; k++)
        if (is_marked(lines, lines->rows[k].row)) add_point(lines, &lines->rows[k]);
    if (cw_chart_keep(&lines->chart)) *named = true;
}

/* The script of PLOT with the series of CHART, which is freed. */
static int end_chart(struct cw_chart *chart, const struct cw_plot *plot, struct cw_text *script)
{
    struct cw_plot whole = *plot;
    int rc = cw_chart_finish(chart, &whole);
    if (!rc) rc = cw_plot_script(&whole, script);
    cw_chart_free(chart);
    return rc;
}

/* The different x, if they are few. */
static size_t find_marks(const struct lines *lines, double marks[MOST_MARKS])
{
    size_t n = 0;
    for (size_t r = 0; r < cw_table_rows(lines->table); r++) {
        const double x = cw_figure_value(lines->table, r, lines->x) * lines->x_scale.factor;
        size_t i = 0;
        while (i < n && marks[i] != x) i++;
        if (i < n || !(x > 0)) continue;
        if (n == MOST_MARKS) return 0;
        marks[n++] = x;
    }
    return n;
}

static int plot_lines(struct lines *lines, struct cw_text *script)
{
    const struct cw_figure *figure = lines->figure;
    char title[CW_FIGURE_TITLE], x_label[CW_FIGURE_WORDS], y_label[CW_FIGURE_WORDS];
    const struct cw_plot_level level = {figure->level_label, figure->level * lines->y_scale.factor};
    double marks[MOST_MARKS];
    bool named = false;
    for (size_t i = 0; i < lines->n; i++) add_series(lines, i);
    for (size_t i = 0; lines->marked != CW_NO_COLUMN && i < lines->n; i++) add_marked(lines, i, &named);
    struct cw_plot plot = {
        .title = cw_figure_title(figure, lines->n, lines->all, title),
        .x = axis_of(cw_figure_label(lines->table, lines->x, figure->x_label, x_label), &lines->x_scale, figure->log_x),
        .y = axis_of(cw_figure_label(lines->table, lines->y, figure->y_label, y_label), &lines->y_scale, figure->log_y),
        .equal = figure->equal,
        .levels = &level,
        .n_levels = figure->level_label != NULL};
    if (figure->log_x) plot.x.n_marks = find_marks(lines, marks);
    plot.x.marks = marks;
    plot.x.min = figure->x_from * lines->x_scale.factor;
    plot.x.max = figure->x_to * lines->x_scale.factor;
    return end_chart(&lines->chart, &plot, script);
}

int cw_figure_lines(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script)
{
    struct lines lines = {.figure = figure,
                          .table = table,
                          .x = cw_figure_column_of(table, figure->x),
                          .y = cw_figure_column_of(table, figure->y),
                          .ci95 = cw_figure_column_of(table, figure->ci95),
                          .low = cw_figure_column_of(table, figure->low),
                          .median = cw_figure_column_of(table, figure->median),
                          .high = cw_figure_column_of(table, figure->high),
                          .min = cw_figure_column_of(table, figure->min),
                          .max = cw_figure_column_of(table, figure->max),
                          .samples = cw_figure_column_of(table, figure->samples),
                          .series = cw_figure_column_of(table, figure->series),
                          .marked = cw_figure_column_of(table, figure->marked)};
    lines.x_scale = cw_figure_scale_of(table, lines.x, figure->log_x);
    lines.y_scale = cw_figure_scale_of(table, lines.y, figure->log_y);
    lines.rows = cw_new_array(cw_table_rows(table), sizeof *lines.rows, "rows of a figure");
    lines.first = cw_new_array(cw_table_rows(table), sizeof *lines.first, "rows of a figure");
    int rc = lines.rows && lines.first ? 0 : CW_ENOMEM;
    if (!rc) {
        lines.all = cw_figure_different(table, lines.series, lines.first);
        lines.n = lines.all < MOST_LINES ? lines.all : MOST_LINES;
        rc = plot_lines(&lines, script);
    }
    free(lines.rows);
    free(lines.first);
    return rc;
}

/* --- distributions ------------------------------------------------------------------------------------------------ */

int cw_figure_histogram(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script)
{
    const size_t x = cw_figure_column_of(table, figure->x), y = cw_figure_column_of(table, figure->y);
    const struct cw_figure_scale x_scale = cw_figure_scale_of(table, x, figure->log_x),
                                 y_scale = cw_figure_scale_of(table, y, figure->log_y);
    char title[CW_FIGURE_TITLE], x_label[CW_FIGURE_WORDS], y_label[CW_FIGURE_WORDS];
    struct cw_chart chart = {0};
    cw_chart_begin(&chart, "%s", "")->style = CW_PLOT_BOXES;
    for (size_t r = 0; r < cw_table_rows(table); r++)
        cw_chart_point(&chart, cw_figure_value(table, r, x) * x_scale.factor,
                       cw_figure_value(table, r, y) * y_scale.factor, 0, 0);
    struct cw_plot plot = {.title = cw_figure_title(figure, 0, 0, title),
                           .x = axis_of(cw_figure_label(table, x, figure->x_label, x_label), &x_scale, figure->log_x),
                           .y = axis_of(cw_figure_label(table, y, figure->y_label, y_label), &y_scale, figure->log_y)};
    plot.y.min = figure->log_y ? 0.5 : 0; /* 1 is to be seen, too */
    plot.y.max = (double)NAN;
    return end_chart(&chart, &plot, script);
}

static int compare_descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

int cw_figure_sorted(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script)
{
    const size_t y = cw_figure_column_of(table, figure->y), rows = cw_table_rows(table);
    const struct cw_figure_scale scale = cw_figure_scale_of(table, y, figure->log_y);
    char title[CW_FIGURE_TITLE], label[CW_FIGURE_WORDS];
    struct cw_chart chart = {0};
    double *values = cw_new_array(rows, sizeof *values, "values of a figure");
    size_t n = 0;
    if (!values) return CW_ENOMEM;
    for (size_t r = 0; r < rows; r++)
        if (!isnan(cw_figure_value(table, r, y))) values[n++] = cw_figure_value(table, r, y) * scale.factor;
    qsort(values, n, sizeof *values, compare_descending);
    cw_chart_begin(&chart, "%s", "")->style = n <= MOST_DOTS ? CW_PLOT_LINES_AND_POINTS : CW_PLOT_LINES;
    for (size_t i = 0; i < n; i++) cw_chart_point(&chart, (double)i + 1, values[i], 0, 0);
    free(values);
    struct cw_plot plot = {.title = cw_figure_title(figure, 0, 0, title),
                           .x = axis_of(figure->x_label ? figure->x_label : "place, the greatest first", NULL, false),
                           .y = axis_of(cw_figure_label(table, y, figure->y_label, label), &scale, figure->log_y)};
    if (n > 1) plot.x.min = 1;
    if (n > 1) plot.x.max = (double)n;
    if (!figure->log_y) plot.y.max = (double)NAN; /* from 0 */
    return end_chart(&chart, &plot, script);
}
