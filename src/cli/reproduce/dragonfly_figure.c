#include "cli/reproduce/dragonfly_figure.h"

#include <stdio.h>
#include <string.h>

#include "cli/reproduce/figures.h"

static const struct cw_column columns[] = {
    {"panel", CW_COLUMN_TEXT, NULL, "panel of the figure"},
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where messages go"},
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"placement", CW_COLUMN_TEXT, NULL, "contiguous, or groups in random order"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth", .detail = true},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci99", CW_COLUMN_REAL, NULL, "half width of its 99 % confidence interval, as in the paper",
     .interval = true},
    {"cycles", CW_COLUMN_INT, "cycle", "measured", .detail = true},
    {"warmup_cycles", CW_COLUMN_INT, "cycle", "before measuring", .detail = true},
    {"steady", CW_COLUMN_TEXT, NULL, "whether the accepted load had no trend in the cycles measured"},
    {"model_estimate", CW_COLUMN_REAL, NULL, "3/(4p) of equation 4"},
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound"},
};

int dragonfly_table(const char *name, struct cw_table **out)
{
    return cw_table_new(name, "Accepted load of adversarial traffic on dragonflies", columns,
                        sizeof columns / sizeof *columns, out);
}

static void add_row(struct cw_table *table, const struct cw_dragonfly_point *point)
{
    const char panel[] = {'3', (char)('a' + point->panel), '\0'};
    cw_table_text(table, panel);
    cw_table_text(table, point->network);
    cw_table_int(table, point->nodes);
    cw_table_text(table, point->traffic);
    cw_table_text(table, cw_dragonfly_ways[point->curve].routing);
    cw_table_text(table, cw_dragonfly_ways[point->curve].placement);
    cw_table_real(table, 1);
    cw_table_real(table, point->accepted);
    cw_table_real(table, point->accepted_ci99);
    cw_table_int(table, (int64_t)point->cycles);
    cw_table_int(table, (int64_t)point->warmup_cycles);
    cw_table_text(table, point->steady ? "yes" : "no");
    cw_table_real(table, point->estimate);
    cw_table_real(table, point->bound);
}

void dragonfly_rows(struct cw_table *table, const struct cw_dragonfly_points *points, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (points->items[i].done) add_row(table, &points->items[i]);
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

#define MAX_SIZES 8 /* points of a curve */

static const char *const titles[CW_DRAGONFLY_PANELS / 2] = {"bit complement", "shift by h + 1 groups",
                                                            "3-D nearest neighbour"};

/* A curve for each way that the panel has, and on the left the estimate. POINTS has room for all. */
static size_t fill(const struct cw_dragonfly_points *points, size_t first, size_t n,
                   struct cw_plot_point room[CW_DRAGONFLY_CURVES + 1][MAX_SIZES],
                   struct cw_plot_series series[CW_DRAGONFLY_CURVES + 1])
{
    size_t at[CW_DRAGONFLY_CURVES] = {0}, n_series = 0;
    bool begun[CW_DRAGONFLY_CURVES] = {false};
    for (size_t i = first; i < first + n; i++) {
        const struct cw_dragonfly_point *point = &points->items[i];
        if (!begun[point->curve]) {
            begun[point->curve] = true;
            at[point->curve] = n_series++;
            series[at[point->curve]] = (struct cw_plot_series){.label = cw_dragonfly_ways[point->curve].label,
                                                               .points = room[at[point->curve]]};
        }
        struct cw_plot_series *own = &series[at[point->curve]];
        room[at[point->curve]][own->n_points++] =
            (struct cw_plot_point){point->nodes, point->accepted, point->accepted - point->accepted_ci99,
                                   point->accepted + point->accepted_ci99};
    }
    if (points->items[first].panel % 2 != 0) return n_series;
    series[n_series] = (struct cw_plot_series){
        .label = "estimate 3/(4p)", .style = CW_PLOT_LINES, .dashed = true, .points = room[n_series]};
    for (size_t i = first; i < first + n; i++)
        if (points->items[i].curve == points->items[first].curve)
            room[n_series][series[n_series].n_points++] =
                (struct cw_plot_point){points->items[i].nodes, points->items[i].estimate, 0};
    return n_series + 1;
}

int dragonfly_draw(const struct cw_dragonfly_points *points, size_t first, size_t n, const char *directory)
{
    struct cw_plot_point room[CW_DRAGONFLY_CURVES + 1][MAX_SIZES];
    struct cw_plot_series series[CW_DRAGONFLY_CURVES + 1];
    const int panel = points->items[first].panel;
    const struct cw_plot_level level = {"load-oblivious limit", 0.5};
    char name[32], title[64];
    snprintf(name, sizeof name, "dragonfly-fig3%c", 'a' + panel);
    snprintf(title, sizeof title, "Figure 3%c: %s", 'a' + panel, titles[panel / 2]);
    const size_t n_series = fill(points, first, n, room, series);
    /* Between powers of ten gnuplot has nothing to write on an axis, and beyond the points it would go on to the next.
     */
    const double least = room[0][0].x, most = room[0][series[0].n_points - 1].x;
    const bool wide = most >= 10 * least;
    const struct cw_plot plot = {
        .title = title,
        .x = {.label = "nodes",
              .logarithmic = wide,
              .min = wide ? 0.8 * least : least - 0.1 * (most - least),
              .max = wide ? 1.25 * most : most + 0.1 * (most - least)},
        .y = {.label = "accepted load", .unit = "share of injection bandwidth", .min = 0, .max = 0.6},
        .series = series,
        .n_series = n_series,
        .levels = &level,
        .n_levels = 1};
    return figure_draw(&plot, directory, name);
}
