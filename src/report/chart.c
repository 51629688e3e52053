#include "report/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ITEMS with room for one more of them than N. */
static void *grow(struct cw_chart *chart, void *items, size_t n, size_t *capacity, size_t size)
{
    if (!chart->rc) chart->rc = cw_grow_array(&items, capacity, n + 1, size, "a picture");
    return items;
}

#define GROW(chart, what)                                                                                              \
    ((chart)->what = grow(chart, (chart)->what, (chart)->n_##what, &(chart)->what##_capacity, sizeof *(chart)->what),  \
     !(chart)->rc)

struct cw_plot_series *cw_chart_begin(struct cw_chart *chart, const char *format, ...)
{
    char label[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    cw_text_append(&chart->labels, label, strlen(label) + 1);
    if (!chart->rc) chart->rc = cw_text_check(&chart->labels);
    chart->spare = (struct cw_plot_series){0};
    if (!GROW(chart, series)) return &chart->spare;
    chart->series[chart->n_series] = chart->spare;
    return &chart->series[chart->n_series++];
}

bool cw_chart_keep(struct cw_chart *chart)
{
    if (chart->rc || chart->series[chart->n_series - 1].n_points + chart->series[chart->n_series - 1].n_boxes > 0)
        return true;
    size_t at = 0;
    chart->n_series--;
    for (size_t i = 0; i < chart->n_series; i++) at += strlen(chart->labels.data + at) + 1;
    chart->labels.length = at;
    return false;
}

void cw_chart_point(struct cw_chart *chart, double x, double y, double low, double high)
{
    if (!GROW(chart, points)) return;
    chart->points[chart->n_points++] = (struct cw_plot_point){x, y, low, high};
    chart->series[chart->n_series - 1].n_points++;
}

void cw_chart_box(struct cw_chart *chart, const struct cw_plot_box *box)
{
    if (!GROW(chart, boxes)) return;
    chart->boxes[chart->n_boxes++] = *box;
    chart->series[chart->n_series - 1].n_boxes++;
}

void cw_chart_range(const struct cw_chart *chart, double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (size_t i = 0; i < chart->n_points; i++) {
        *least = fmin(*least, chart->points[i].x);
        *greatest = fmax(*greatest, chart->points[i].x);
    }
}

int cw_chart_finish(struct cw_chart *chart, struct cw_plot *plot)
{
    size_t points = 0, boxes = 0, label = 0;
    for (size_t i = 0; !chart->rc && i < chart->n_series; i++) {
        struct cw_plot_series *series = &chart->series[i];
        const char *text = chart->labels.data + label;
        series->label = *text ? text : NULL;
        series->points = chart->points + points;
        series->boxes = chart->boxes + boxes;
        label += strlen(text) + 1;
        points += series->n_points;
        boxes += series->n_boxes;
    }
    plot->series = chart->series;
    plot->n_series = chart->n_series;
    return chart->rc;
}

int cw_chart_draw(struct cw_chart *chart, struct cw_plot plot, const char *path)
{
    int rc = cw_chart_finish(chart, &plot);
    if (!rc) rc = cw_plot_write(&plot, path);
    cw_chart_free(chart);
    return rc;
}

void cw_chart_free(struct cw_chart *chart)
{
    free(chart->series);
    free(chart->points);
    free(chart->boxes);
    cw_text_free(&chart->labels);
    *chart = (struct cw_chart){0};
}
