#include "cli/split_tree/split_tree_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/plot.h"

const char *const split_tree_figure_names[] = {"overlapped", "alone", NULL};

enum { MOST_STEPS = 5, SERIES = 2 * MOST_STEPS + 3, LABEL = 24 };

struct picture {
    const struct cw_split_points *points;
    enum split_tree_figure figure;
    uint32_t from; /* the least N that is shown */
    struct cw_plot_series series[SERIES];
    char labels[SERIES][LABEL];
    size_t n_series;
    struct cw_plot_point *room;
    size_t used;
};

static struct cw_plot_series *begin(struct picture *picture, enum cw_plot_style style, bool dashed)
{
    struct cw_plot_series *series = &picture->series[picture->n_series];
    *series = (struct cw_plot_series){.label = picture->labels[picture->n_series],
                                      .style = style,
                                      .dashed = dashed,
                                      .points = picture->room + picture->used};
    picture->n_series++;
    return series;
}

static void add(struct picture *picture, struct cw_plot_series *series, uint32_t n, double y)
{
    picture->room[picture->used++] = (struct cw_plot_point){n, y, 0};
    series->n_points++;
}

/* The number of S that get a curve: those that are best somewhere, and one more. */
static uint32_t steps_shown(const struct cw_split_points *points)
{
    uint32_t most = 0;
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].best && points->items[i].steps > most) most = points->items[i].steps;
    return most + 2 < MOST_STEPS ? most + 2 : MOST_STEPS;
}

static void add_steps(struct picture *picture, uint32_t steps, bool simulated)
{
    const bool alone = picture->figure == SPLIT_TREE_ALONE;
    snprintf(picture->labels[picture->n_series], LABEL,
             !simulated                        ? "S = %u"
             : picture->points->about.unit > 0 ? "S = %u, emulated"
                                               : "S = %u, simulated",
             steps);
    struct cw_plot_series *series = begin(picture, simulated ? CW_PLOT_POINTS : CW_PLOT_LINES, false);
    if (simulated) series->partner = picture->n_series - steps_shown(picture->points);
    for (size_t i = 0; i < picture->points->n; i++) {
        const struct cw_split_point *point = &picture->points->items[i];
        if (point->steps != steps || point->n < picture->from) continue;
        add(picture, series, point->n,
            simulated ? (alone ? point->simulated : cw_split_executed(picture->points, point))
                      : (alone ? point->times.non_blocking : point->times.overlapped));
    }
}

static void add_others(struct picture *picture)
{
    const bool alone = picture->figure == SPLIT_TREE_ALONE;
    snprintf(picture->labels[picture->n_series], LABEL, "blocking");
    struct cw_plot_series *blocking = begin(picture, CW_PLOT_LINES, true);
    for (uint32_t n = picture->from; n < picture->points->about.model.cores; n++) {
        const struct cw_split_times times = cw_split_times_of(&picture->points->about.model, n, 0);
        add(picture, blocking, n, times.blocking + (alone ? 0 : times.compute));
    }
    snprintf(picture->labels[picture->n_series], LABEL, "computation alone");
    struct cw_plot_series *compute = begin(picture, CW_PLOT_LINES, true);
    for (uint32_t n = picture->from; n < picture->points->about.model.cores; n++)
        add(picture, compute, n, cw_split_times_of(&picture->points->about.model, n, 0).compute);
    if (alone) return;
    snprintf(picture->labels[picture->n_series], LABEL, "slices");
    struct cw_plot_series *slices = begin(picture, CW_PLOT_LINES, true);
    for (uint32_t n = picture->from; n < picture->points->about.model.cores; n++)
        add(picture, slices, n, cw_split_slices_of(&picture->points->about.model, n).overlapped);
}

static int write(const struct picture *picture, const char *title, const char *path)
{
    const struct cw_split_points *points = picture->points;
    const uint32_t cores = points->about.model.cores;
    const bool alone = picture->figure == SPLIT_TREE_ALONE;
    char own[128];
    snprintf(own, sizeof own, "Split-tree %s on %u cores: %s", cw_collectives[points->about.model.collective].name,
             cores, alone ? "communication alone" : "communication beside computation");
    /* With few communication cores the smallest S take so long that nothing else could be told apart. */
    const double most = 3 * points->items[points->least].times.overlapped;
    const struct cw_plot plot = {
        .title = title ? title : own,
        .x = {.label = "application cores N", .min = picture->from, .max = cores},
        .y = {.label = alone ? "time alone" : "time of both", .unit = "transfers", .min = 0, .max = alone ? NAN : most},
        .series = picture->series,
        .n_series = picture->n_series};
    return cw_plot_write(&plot, path);
}

int split_tree_draw(const struct cw_split_points *points, enum split_tree_figure figure, const char *title,
                    const char *path)
{
    struct picture *picture = cw_new_array(1, sizeof *picture, "a picture");
    if (!picture) return CW_ENOMEM;
    const uint32_t cores = points->about.model.cores, shown = steps_shown(points);
    *picture = (struct picture){.points = points, .figure = figure, .from = cores > 8 ? cores / 2 : 1};
    picture->room = cw_new_array((size_t)SERIES * cores, sizeof *picture->room, "points of a picture");
    int rc = picture->room ? 0 : CW_ENOMEM;
    for (uint32_t steps = 0; !rc && steps < shown; steps++) add_steps(picture, steps, false);
    for (uint32_t steps = 0; !rc && points->about.simulated && steps < shown; steps++) add_steps(picture, steps, true);
    if (!rc) {
        add_others(picture);
        rc = write(picture, title, path);
    }
    free(picture->room);
    free(picture);
    return rc;
}
