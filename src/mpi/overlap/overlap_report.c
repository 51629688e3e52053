#include "mpi/overlap/overlap_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/units.h"
#include "report/chart.h"
#include "study/overlap/overlap_runs.h"

static const struct cw_column columns[] = {
    {"operation", CW_COLUMN_TEXT, NULL, "collective"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"beside", CW_COLUMN_TEXT, NULL, "cpu: ranks compute in a loop; accelerator: they sleep, as one that waits for it"},
    {"method", CW_COLUMN_TEXT, NULL, "how the collective is carried out"},
    {"repetitions", CW_COLUMN_INT, NULL, "measured"},
    {"pure", CW_COLUMN_REAL, "s", "the collective alone: median over repetitions of the slowest rank's time"},
    {"pure_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval", .detail = true},
    {"pure_high", CW_COLUMN_REAL, "s", "upper end", .detail = true},
    {"compute", CW_COLUMN_REAL, "s", "the computation alone, median"},
    {"total", CW_COLUMN_REAL, "s", "collective and computation, median"},
    {"total_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval"},
    {"total_high", CW_COLUMN_REAL, "s", "upper end"},
    {"total_q10", CW_COLUMN_REAL, "s", "a tenth of the totals is below", .detail = true},
    {"total_q90", CW_COLUMN_REAL, "s", "a tenth of the totals is above", .detail = true},
    {"init", CW_COLUMN_REAL, "s", "of the total, the call that starts the collective, median"},
    {"within", CW_COLUMN_REAL, "s", "of the total, the computation, median", .detail = true},
    {"overlap_imb", CW_COLUMN_REAL, "%",
     "share of the communication that is hidden, as the Intel MPI Benchmarks "
     "define it, median"},
    {"overlap_imb_low", CW_COLUMN_REAL, "%", "lower end of its 95 % confidence interval", .detail = true},
    {"overlap_imb_high", CW_COLUMN_REAL, "%", "upper end", .detail = true},
    {"overlap_osu", CW_COLUMN_REAL, "%", "the same as the OSU micro-benchmarks define it, median"},
    {"speedup", CW_COLUMN_REAL, NULL, "total of the best method of MPI itself / total"},
};

static double quantity_of(const struct overlap_sample *sample, enum overlap_quantity quantity)
{
    switch (quantity) {
    case OVERLAP_PURE:
        return sample->most.pure;
    case OVERLAP_COMPUTE:
        return sample->most.compute;
    case OVERLAP_TOTAL:
        return sample->most.total;
    case OVERLAP_INIT:
        return sample->most.init;
    case OVERLAP_WITHIN:
        return sample->most.within;
    case OVERLAP_IMB:
        return sample->imb;
    default:
        return sample->osu;
    }
}

/* The samples of one method, a quantity of them sorted into ROOM. */
static void sort_samples(const struct overlap_point *point, size_t method, enum overlap_quantity quantity, double *room)
{
    for (size_t i = 0; i < point->samples.n; i++)
        room[i] = quantity_of(&point->samples.items[i * point->methods.n + method], quantity);
    cw_sort_reals(room, point->samples.n);
}

struct cw_estimate overlap_median(const struct overlap_point *point, size_t method, enum overlap_quantity quantity,
                                  double *room)
{
    sort_samples(point, method, quantity, room);
    return cw_quantile_estimate(room, point->samples.n, 0.5, 0.95);
}

/* The method of MPI whose total is the least; methods.n: there is none. */
static size_t best_of_mpi(const struct overlap_point *point, double *total, double *room)
{
    size_t best = point->methods.n;
    *total = INFINITY;
    for (size_t m = 0; m < point->methods.n; m++) {
        if (!point->methods.items[m].of_mpi) continue;
        const double time = overlap_median(point, m, OVERLAP_TOTAL, room).value;
        if (time >= *total) continue;
        *total = time;
        best = m;
    }
    return best;
}

static void add_row(const struct overlap_points *points, const struct overlap_point *point, size_t method,
                    double of_mpi, double *room, struct cw_table *table)
{
    const struct cw_estimate pure = overlap_median(point, method, OVERLAP_PURE, room);
    const struct cw_estimate total = overlap_median(point, method, OVERLAP_TOTAL, room);
    const struct cw_estimate imb = overlap_median(point, method, OVERLAP_IMB, room);
    sort_samples(point, method, OVERLAP_TOTAL, room);
    const double low = cw_quantile(room, point->samples.n, 0.1), high = cw_quantile(room, point->samples.n, 0.9);
    cw_table_text(table, point->operation->name);
    cw_table_int(table, (int64_t)points->bytes);
    cw_table_int(table, point->ranks);
    cw_table_int(table, point->cores);
    cw_table_text(table, overlap_kinds[points->kind]);
    cw_table_text(table, point->methods.items[method].name);
    cw_table_int(table, (int64_t)point->samples.n);
    cw_table_real(table, pure.value);
    cw_table_real(table, pure.low);
    cw_table_real(table, pure.high);
    cw_table_real(table, overlap_median(point, method, OVERLAP_COMPUTE, room).value);
    cw_table_real(table, total.value);
    cw_table_real(table, total.low);
    cw_table_real(table, total.high);
    cw_table_real(table, low);
    cw_table_real(table, high);
    cw_table_real(table, overlap_median(point, method, OVERLAP_INIT, room).value);
    cw_table_real(table, overlap_median(point, method, OVERLAP_WITHIN, room).value);
    cw_table_real(table, imb.value);
    cw_table_real(table, imb.low);
    cw_table_real(table, imb.high);
    cw_table_real(table, overlap_median(point, method, OVERLAP_OSU, room).value);
    cw_table_real(table, isinf(of_mpi) ? NAN : of_mpi / total.value);
}

/* Which method is best, and by how much better than MPI's own. */
static void note_best(const struct overlap_points *points, const struct overlap_point *point, double *room,
                      struct cw_result *result)
{
    size_t best = 0;
    double least = INFINITY, of_mpi;
    const size_t rival = best_of_mpi(point, &of_mpi, room);
    for (size_t m = 0; m < point->methods.n; m++) {
        const double time = overlap_median(point, m, OVERLAP_TOTAL, room).value;
        if (time >= least) continue;
        least = time;
        best = m;
    }
    const char *name = point->methods.items[best].name;
    char bytes[32], time[32];
    cw_format_bytes(points->bytes, bytes, sizeof bytes);
    cw_format_time(least, time, sizeof time);
    if (rival == point->methods.n || rival == best)
        cw_result_note(result, "%s of %s among %d ranks: %s takes least, %s with the computation.",
                       point->operation->name, bytes, point->ranks, name, time);
    else
        cw_result_note(result,
                       "%s of %s among %d ranks: %s takes least, %s with the computation: %.2f times as fast "
                       "as the best of MPI itself (%s).",
                       point->operation->name, bytes, point->ranks, name, time, of_mpi / least,
                       point->methods.items[rival].name);
}

static double *new_room(const struct overlap_points *points)
{
    size_t most = 1;
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].samples.n > most) most = points->items[i].samples.n;
    return cw_new_array(most, sizeof(double), "samples");
}

int overlap_show(const struct overlap_points *points, struct cw_result *result)
{
    struct cw_table *table;
    double *room = new_room(points);
    int rc = room ? cw_table_new("overlap", "Collectives beside computation", columns, sizeof columns / sizeof *columns,
                                 &table)
                  : CW_ENOMEM;
    if (!rc) rc = cw_result_add_table(result, table);
    for (size_t i = 0; !rc && i < points->n; i++) {
        double of_mpi;
        best_of_mpi(&points->items[i], &of_mpi, room);
        for (size_t m = 0; m < points->items[i].methods.n; m++)
            add_row(points, &points->items[i], m, of_mpi, room, table);
    }
    for (size_t i = 0; !rc && i < points->n; i++) note_best(points, &points->items[i], room, result);
    free(room);
    return rc;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void add_sample(const struct overlap_points *points, const struct overlap_point *point, size_t method,
                       size_t repetition, const struct cw_nbc_site *site, struct cw_table *table)
{
    const struct overlap_sample *sample = &point->samples.items[repetition * point->methods.n + method];
    cw_table_text(table, site->mpi);
    cw_table_int(table, site->processors);
    cw_table_text(table, point->operation->name);
    cw_table_int(table, (int64_t)points->bytes);
    cw_table_text(table, overlap_kinds[points->kind]);
    cw_table_int(table, point->ranks);
    cw_table_int(table, overlap_methods_need_cores(&point->methods) ? point->cores : 0);
    cw_table_text(table, point->methods.items[method].name);
    cw_table_int(table, (int64_t)repetition);
    for (int q = OVERLAP_PURE; q <= OVERLAP_OSU; q++)
        cw_table_real(table, quantity_of(sample, (enum overlap_quantity)q));
}

int overlap_save(const struct overlap_points *points, const struct cw_nbc_site *site, const struct cw_result *result,
                 const char *path)
{
    struct cw_table *table;
    int rc = cw_overlap_runs_table(&table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++)
        for (size_t s = 0; s < points->items[i].samples.n; s++)
            for (size_t m = 0; m < points->items[i].methods.n; m++)
                add_sample(points, &points->items[i], m, s, site, table);
    rc = cw_result_save_described(result, table, path);
    cw_table_free(table);
    return rc;
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

/* Where METHOD is among those of POINT; methods.n: it was not measured. */
static size_t index_of(const struct overlap_point *point, const struct overlap_method *method)
{
    size_t m = 0;
    while (m < point->methods.n && strcmp(point->methods.items[m].name, method->name) != 0) m++;
    return m;
}

/* A curve for each method, and one of the computation alone (METHOD is NULL); bars are half of what their intervals
 * span. */
static void add_curve(const struct overlap_points *points, const struct overlap_method *method, double *room,
                      struct cw_chart *chart)
{
    struct cw_plot_series *series = cw_chart_begin(chart, "%s", method ? method->name : "computation alone");
    series->style = method ? CW_PLOT_LINES_AND_POINTS : CW_PLOT_LINES;
    series->dashed = !method || method->of_mpi;
    for (size_t i = 0; i < points->n; i++) {
        const struct overlap_point *point = &points->items[i];
        const size_t m = method ? index_of(point, method) : 0;
        if (m == point->methods.n) continue;
        const struct cw_estimate time = overlap_median(point, m, method ? OVERLAP_TOTAL : OVERLAP_COMPUTE, room);
        cw_chart_point(chart, point->ranks, 1e6 * time.value, method ? 1e6 * time.low : 0,
                       method ? 1e6 * time.high : 0);
    }
}

int overlap_draw(const struct overlap_points *points, const char *path)
{
    double *room = new_room(points);
    if (!room) return CW_ENOMEM;
    struct cw_chart chart = {0};
    char title[128], bytes[32];
    for (size_t m = 0; m <= points->methods.n; m++)
        add_curve(points, m < points->methods.n ? &points->methods.items[m] : NULL, room, &chart);
    free(room);
    snprintf(title, sizeof title, "%s of %s beside computation (%s)", points->items[0].operation->name,
             cw_format_bytes(points->bytes, bytes, sizeof bytes), overlap_kinds[points->kind]);
    const struct cw_plot plot = {
        .title = title,
        .x = {.label = "ranks", .min = points->items[0].ranks - 0.5, .max = points->items[points->n - 1].ranks + 0.5},
        .y = {.label = "collective and computation, median", .unit = "µs", .min = 0, .max = NAN}};
    return cw_chart_draw(&chart, plot, path);
}
