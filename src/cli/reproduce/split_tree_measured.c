#include "cli/reproduce/split_tree_measured.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/reproduce/figures.h"
#include "study/papers/overlap_findings.h"

#define CLAIMS 3 /* of a collective */

static const struct cw_column columns[] = {
    {"mpi", CW_COLUMN_TEXT, NULL, "which MPI"},
    {"processors", CW_COLUMN_INT, NULL, "of the machine that it was measured on"},
    {"operation", CW_COLUMN_TEXT, NULL, "collective"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"beside", CW_COLUMN_TEXT, NULL, "cpu: ranks compute in a loop; accelerator: they sleep, as one that waits for it"},
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"cores", CW_COLUMN_INT, NULL, "for communication"},
    {"method", CW_COLUMN_TEXT, NULL, "how the collective is carried out"},
    {"repetitions", CW_COLUMN_INT, NULL, "measured"},
    {"pure", CW_COLUMN_REAL, "s", "the collective alone, median"},
    {"compute", CW_COLUMN_REAL, "s", "the computation alone, median"},
    {"total", CW_COLUMN_REAL, "s", "collective and computation, median"},
    {"total_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval"},
    {"total_high", CW_COLUMN_REAL, "s", "upper end"},
};

static int write_csv(const struct cw_overlap_runs *runs, const char *directory)
{
    struct cw_table *table;
    int rc = cw_table_new("measured", NULL, columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        cw_table_text(table, point->mpi);
        cw_table_int(table, point->processors);
        cw_table_text(table, point->operation);
        cw_table_int(table, (int64_t)point->bytes);
        cw_table_text(table, point->beside);
        cw_table_int(table, point->ranks);
        cw_table_int(table, point->cores);
        cw_table_text(table, point->method);
        cw_table_int(table, (int64_t)point->repetitions);
        cw_table_real(table, point->pure.value);
        cw_table_real(table, point->compute.value);
        cw_table_real(table, point->total.value);
        cw_table_real(table, point->total.low);
        cw_table_real(table, point->total.high);
    }
    rc = figure_csv(table, directory, "split-tree-fig7");
    cw_table_free(table);
    return rc;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* Panels of one figure have the same axes: they are of the same collective of the same size. */
static bool same_figure(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return strcmp(a->operation, b->operation) == 0 && a->bytes == b->bytes && strcmp(a->beside, b->beside) == 0;
}

static bool same_panel(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return same_figure(a, b) && strcmp(a->mpi, b->mpi) == 0 && a->processors == b->processors;
}

/* What a panel's curve is of: a method, whatever its communication cores. */
static bool same_curve(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return same_panel(a, b) && strcmp(a->method, b->method) == 0;
}

typedef bool same(const struct cw_overlap_point *a, const struct cw_overlap_point *b);

static bool is_first(const struct cw_overlap_runs *runs, size_t index, same *is_same)
{
    for (size_t i = 0; i < index; i++)
        if (is_same(&runs->items[i], &runs->items[index])) return false;
    return true;
}

static int by_x(const void *a, const void *b)
{
    const double x = ((const struct cw_plot_point *)a)->x, y = ((const struct cw_plot_point *)b)->x;
    return (x > y) - (x < y);
}

/* The points of the curve that OF is of, by ranks. */
static size_t fill_curve(const struct cw_overlap_runs *runs, const struct cw_overlap_point *of,
                         struct cw_plot_point *out)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        const struct cw_estimate *total = &point->total;
        if (same_curve(point, of))
            out[n++] = (struct cw_plot_point){point->ranks, 1e3 * total->value, 1e3 * total->low, 1e3 * total->high};
    }
    qsort(out, n, sizeof *out, by_x);
    return n;
}

/* Curves of the panel that OF is of; SERIES and POINTS have room for runs->n. */
static size_t fill_panel(const struct cw_overlap_runs *runs, const struct cw_overlap_point *of,
                         struct cw_plot_series *series, struct cw_plot_point *points)
{
    size_t n = 0, used = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!same_panel(point, of) || !is_first(runs, i, same_curve)) continue;
        const size_t more = fill_curve(runs, point, points + used);
        series[n++] = (struct cw_plot_series){.label = point->method,
                                              .style = CW_PLOT_LINES_AND_POINTS,
                                              .dashed = cw_overlap_is_native(point),
                                              .points = points + used,
                                              .n_points = more};
        used += more;
    }
    return n;
}

/* "split-tree-fig7-reduce-2097152-cpu-mpich-4-0-2-48-processors": another for each panel. */
static void name_panel(const struct cw_overlap_point *of, struct cw_text *name)
{
    cw_text_printf(name, "split-tree-fig7-%s-%llu-%s-", of->operation, (unsigned long long)of->bytes, of->beside);
    bool gap = false;
    for (const char *c = of->mpi; *c; c++) {
        const bool letter = isalnum((unsigned char)*c);
        if (letter) cw_text_printf(name, "%s%c", gap ? "-" : "", tolower((unsigned char)*c));
        gap = !letter;
    }
    cw_text_printf(name, "-%u-processors", of->processors);
}

/* What all panels of a figure show, for their axes. */
struct span {
    double ranks_least, ranks_most, least, most;
};

static struct span span_of(const struct cw_overlap_runs *runs, const struct cw_overlap_point *of)
{
    struct span span = {INFINITY, 0, INFINITY, 0};
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!same_figure(point, of)) continue;
        span.ranks_least = fmin(span.ranks_least, point->ranks);
        span.ranks_most = fmax(span.ranks_most, point->ranks);
        span.least =
            fmin(span.least, 1e3 * fmin(point->total.value, isnan(point->total.low) ? INFINITY : point->total.low));
        span.most = fmax(span.most, 1e3 * fmax(point->total.value, isnan(point->total.high) ? 0 : point->total.high));
    }
    return span;
}

static int draw_panel(const struct cw_overlap_runs *runs, const struct cw_overlap_point *of, const char *directory,
                      struct cw_plot_series *series, struct cw_plot_point *points)
{
    const struct span span = span_of(runs, of);
    struct cw_text title = {0}, axis = {0}, ranks = {0}, name = {0};
    char bytes[32];
    cw_text_printf(&title, "Figure 7, measured here: %s of %s, %s", of->operation,
                   cw_format_bytes(of->bytes, bytes, sizeof bytes), of->mpi);
    cw_text_printf(&axis, "collective beside %s, median", of->beside);
    cw_text_printf(&ranks, "ranks, on %u processors", of->processors);
    name_panel(of, &name);
    int rc = cw_text_check(&title);
    if (!rc) rc = cw_text_check(&axis);
    if (!rc) rc = cw_text_check(&ranks);
    if (!rc) rc = cw_text_check(&name);
    const struct cw_plot plot = {
        .title = title.data,
        .x = {.label = ranks.data, .min = span.ranks_least - .5, .max = span.ranks_most + .5},
        .y = {.label = axis.data, .unit = "ms", .logarithmic = true, .min = span.least / 1.2, .max = 1.2 * span.most},
        .series = series,
        .n_series = fill_panel(runs, of, series, points)};
    if (!rc) rc = figure_draw(&plot, directory, name.data);
    cw_text_free(&title);
    cw_text_free(&axis);
    cw_text_free(&ranks);
    cw_text_free(&name);
    return rc;
}

static int draw(const struct cw_overlap_runs *runs, const char *directory)
{
    struct cw_plot_series *series = cw_new_array(runs->n, sizeof *series, "curves");
    struct cw_plot_point *points = cw_new_array(runs->n, sizeof *points, "points of a picture");
    int rc = series && points ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < runs->n; i++)
        if (is_first(runs, i, same_panel)) rc = draw_panel(runs, &runs->items[i], directory, series, points);
    free(series);
    free(points);
    return rc;
}

/* --- claims ------------------------------------------------------------------------------------------------------- */

static bool same_operation(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return strcmp(a->operation, b->operation) == 0;
}

size_t split_tree_measured_claims(const struct cw_overlap_runs *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) n += is_first(runs, i, same_operation) ? CLAIMS : 0;
    return n;
}

int split_tree_measured(const struct cw_overlap_runs *runs, struct claims *claims)
{
    int rc = write_csv(runs, claims->directory);
    if (!rc) rc = draw(runs, claims->directory);
    for (size_t i = 0; !rc && i < runs->n; i++)
        if (is_first(runs, i, same_operation))
            rc = cw_find_overlap_measured(runs, runs->items[i].operation, &claims->findings);
    return rc ? rc : claims_tell(claims);
}
