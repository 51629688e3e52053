/*
 * A plot that grows: series one after another, each with the points and boxes that are added while it is the last. It
 * starts zeroed, and remembers a failed allocation for cw_chart_draw, which frees all.
 *
 *     struct cw_chart chart = {0};
 *     cw_chart_begin(&chart, "%u nodes", nodes)->dashed = true;
 *     for (…) cw_chart_point(&chart, x, y, low, high);
 *     int error = cw_chart_draw(&chart, &(struct cw_plot){.title = …}, "picture.svg");
 */
#ifndef CW_REPORT_CHART_H
#define CW_REPORT_CHART_H

#include "base/decls.h"
#include "base/text.h"
#include "report/plot.h"

CW_BEGIN_DECLS

struct cw_chart {
    struct cw_plot_series *series; /* [n_series], whose labels, points and boxes cw_chart_draw sets */
    struct cw_text labels;         /* one behind another, each with its 0 */
    struct cw_plot_point *points;
    struct cw_plot_box *boxes;
    size_t n_series, n_points, n_boxes;
    size_t series_capacity, points_capacity, boxes_capacity;
    struct cw_plot_series spare; /* the last series where there is no memory for one */
    int rc;
};

/* Begins a series with this label, of which the first KiB is kept; "": it has none. What else it is, the caller sets in
 * what is returned, which is never NULL, and is good until the next one begins. */
struct cw_plot_series *cw_chart_begin(struct cw_chart *chart, const char *format, ...) CW_PRINTF(2, 3);

/* Takes the last series back if it has neither points nor boxes. True if it stays. */
bool cw_chart_keep(struct cw_chart *chart);

/* Add to the last series. LOW, HIGH: of the error bar, equal for none. */
void cw_chart_point(struct cw_chart *chart, double x, double y, double low, double high);
void cw_chart_box(struct cw_chart *chart, const struct cw_plot_box *box);

/* The least and the greatest x of all points; infinite, the wrong way round, of none. */
void cw_chart_range(const struct cw_chart *chart, double *least, double *greatest);

/* PLOT gets the series of CHART, borrowed, to which nothing is added any more. 0, or the first failure of CHART. */
int cw_chart_finish(struct cw_chart *chart, struct cw_plot *plot);

/* Draws PLOT with the series of CHART to PATH, as cw_plot_write does, and frees the chart, which is empty then. */
int cw_chart_draw(struct cw_chart *chart, struct cw_plot plot, const char *path);
void cw_chart_free(struct cw_chart *chart);

CW_END_DECLS

#endif
