/* Figure 7: collectives beside computation, as they were measured on the user's machine. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "report/rows.h"
#include "study/papers/split_tree_points.h"

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

static int write_csv(const struct cw_paper_run *run, const struct cw_overlap_runs *runs)
{
    struct cw_table *table;
    const int rc = cw_table_new("measured", NULL, CW_ITEMS(columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        cw_table_row(table, "%s %u %s %lu %s %u %u %s %zu %g %g %g %g %g", point->mpi, point->processors,
                     point->operation, point->bytes, point->beside, point->ranks, point->cores, point->method,
                     point->repetitions, point->pure.value, point->compute.value, point->total.value, point->total.low,
                     point->total.high);
    }
    return cw_paper_csv(run, "split-tree-fig7", table);
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

/* Adds the curve that OF is of, by ranks. */
static void add_curve(struct cw_chart *chart, const struct cw_overlap_runs *runs, const struct cw_overlap_point *of)
{
    struct cw_plot_series *series = cw_chart_begin(chart, "%s", of->method);
    series->dashed = cw_overlap_is_native(of);
    for (uint32_t ranks = 0, next; ranks < UINT32_MAX; ranks = next) {
        next = UINT32_MAX;
        for (size_t i = 0; i < runs->n; i++) {
            const struct cw_overlap_point *point = &runs->items[i];
            const struct cw_estimate *total = &point->total;
            if (!same_curve(point, of)) continue;
            if (point->ranks == ranks)
                cw_chart_point(chart, ranks, 1e3 * total->value, 1e3 * total->low, 1e3 * total->high);
            else if (point->ranks > ranks && point->ranks < next)
                next = point->ranks;
        }
    }
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

static int draw_panel(const struct cw_paper_run *run, const struct cw_overlap_runs *runs,
                      const struct cw_overlap_point *of)
{
    const struct span span = span_of(runs, of);
    struct cw_text title = {0}, axis = {0}, ranks = {0}, name = {0};
    struct cw_chart chart = {0};
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
    for (size_t i = 0; i < runs->n; i++)
        if (same_panel(&runs->items[i], of) && is_first(runs, i, same_curve)) add_curve(&chart, runs, &runs->items[i]);
    const struct cw_plot plot = {
        .title = title.data,
        .x = {.label = ranks.data, .min = span.ranks_least - .5, .max = span.ranks_most + .5},
        .y = {.label = axis.data, .unit = "ms", .logarithmic = true, .min = span.least / 1.2, .max = 1.2 * span.most}};
    if (!rc)
        rc = cw_paper_plot(run, name.data, &chart, &plot);
    else
        cw_chart_free(&chart);
    cw_text_free(&title);
    cw_text_free(&axis);
    cw_text_free(&ranks);
    cw_text_free(&name);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

bool cw_overlap_is_native(const struct cw_overlap_point *point)
{
    return strncmp(point->method, "native", strlen("native")) == 0 ||
           strncmp(point->method, "blocking", strlen("blocking")) == 0;
}

#define ALIKE 1.25 /* computations: the larger one over the smaller one, at most */

/* Measured alike, but for the method and what it needs, beside the same computation: progress threads are switched on
 * by a run of their own, which may have had another. */
static bool is_beside(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return a->ranks == b->ranks && a->bytes == b->bytes && a->processors == b->processors &&
           strcmp(a->mpi, b->mpi) == 0 && strcmp(a->operation, b->operation) == 0 &&
           strcmp(a->beside, b->beside) == 0 &&
           fmax(a->compute.value, b->compute.value) <= ALIKE * fmin(a->compute.value, b->compute.value);
}

static bool is_of(const struct cw_overlap_point *point, const char *operation)
{
    return strcmp(point->operation, operation) == 0;
}

/* The least time of what was measured beside POINT, of MPI's own or of others; NaN: none was. */
static double least(const struct cw_overlap_runs *runs, const struct cw_overlap_point *point, bool native)
{
    double time = NAN;
    for (size_t i = 0; i < runs->n; i++)
        if (is_beside(&runs->items[i], point) && cw_overlap_is_native(&runs->items[i]) == native)
            time = fmin(time, runs->items[i].total.value);
    return time;
}

/* Each set of those measured beside each other counts once. */
static int find_faster(const void *of, struct cw_finding *finding)
{
    const struct cw_split_measured *measured = of;
    const struct cw_overlap_runs *runs = measured->runs;
    size_t n = 0, faster = 0;
    double most = NAN;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!is_of(point, measured->operation) || !is_first(runs, i, is_beside)) continue;
        const double ratio = least(runs, point, true) / least(runs, point, false);
        if (isnan(ratio)) continue;
        n++;
        faster += ratio > 1;
        most = fmax(most, ratio);
    }
    if (n == 0) return cw_find(finding, CW_NOT_TESTED, most, "%s was not measured with both", measured->operation);
    return cw_find(finding, cw_verdict_of(faster, n), most,
                   "measured here, %s: faster in %zu of %zu cases (MPI, ranks, size); at best %.2f times as fast",
                   measured->operation, faster, n, most);
}

static int find_async(const void *of, struct cw_finding *finding)
{
    const struct cw_split_measured *measured = of;
    const struct cw_overlap_runs *runs = measured->runs;
    size_t n = 0, slower = 0;
    double worst = NAN;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *async = &runs->items[i];
        if (!is_of(async, measured->operation) || strcmp(async->method, "native-async") != 0) continue;
        for (size_t k = 0; k < runs->n; k++) {
            const struct cw_overlap_point *plain = &runs->items[k];
            if (!is_beside(plain, async) || strcmp(plain->method, "native") != 0) continue;
            n++;
            slower += async->total.value > plain->total.value;
            worst = fmax(worst, async->total.value / plain->total.value);
        }
    }
    if (n == 0)
        return cw_find(finding, CW_NOT_TESTED, worst,
                       "%s was not measured with progress threads of MPI (MPICH_ASYNC_PROGRESS=1) and without, beside "
                       "the same --compute",
                       measured->operation);
    return cw_find(finding, cw_verdict_of(slower, n), worst,
                   "measured here, %s: slower with them in %zu of %zu cases, %.2f times as long at most",
                   measured->operation, slower, n, worst);
}

/* Of OPERATION of that size, with ranks that compute: others need no cores. */
static bool is_candidate(const struct cw_overlap_point *point, const char *operation, uint64_t bytes)
{
    return is_of(point, operation) && strcmp(point->beside, "cpu") == 0 && point->bytes == bytes;
}

/* The least time of the largest message: times of different sizes say nothing of each other. NULL: there is none. */
static const struct cw_overlap_point *find_best(const struct cw_overlap_runs *runs, const char *operation)
{
    const struct cw_overlap_point *best = NULL;
    uint64_t bytes = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (runs->items[i].bytes > bytes && is_candidate(&runs->items[i], operation, runs->items[i].bytes))
            bytes = runs->items[i].bytes;
    for (size_t i = 0; i < runs->n; i++)
        if (is_candidate(&runs->items[i], operation, bytes) &&
            (!best || runs->items[i].total.value < best->total.value))
            best = &runs->items[i];
    return best;
}

/* The least time, of the largest size, is not that of as many ranks as there are processors. */
static int find_trade_off(const void *of, struct cw_finding *finding)
{
    const struct cw_split_measured *measured = of;
    const struct cw_overlap_runs *runs = measured->runs;
    const char *operation = measured->operation;
    const struct cw_overlap_point *best = find_best(runs, operation);
    uint32_t fewest = UINT32_MAX, most = 0;
    for (size_t i = 0; best && i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!is_candidate(point, operation, best->bytes) || point->processors != best->processors) continue;
        if (point->ranks < fewest) fewest = point->ranks;
        if (point->ranks > most) most = point->ranks;
    }
    if (!best) return cw_find(finding, CW_NOT_TESTED, NAN, "%s was not measured with ranks that compute", operation);
    const double share = (double)best->ranks / best->processors;
    if (fewest >= most || most < best->processors)
        return cw_find(finding, CW_NOT_TESTED, share,
                       "%s was not measured from few ranks to as many as the %u processors", operation,
                       best->processors);
    return cw_find(finding, best->ranks >= best->processors ? CW_HOLDS_NOT : CW_HOLDS, share,
                   "measured here, %s: the least time is that of %s with %u ranks on %u processors (%s)", operation,
                   best->method, best->ranks, best->processors, best->mpi);
}

const struct cw_paper_claim cw_split_measured_claims[3] = {
    {"with communication cores it is faster than the MPI libraries",
     "largest ratio of the least times, MPI's own / communication cores", find_faster},
    {"flags for asynchronous progress reduce the performance",
     "largest ratio of times, with progress threads / without", find_async},
    {"the best trade-off is far from using all the available cores", "ranks of the least time / processors",
     find_trade_off}};

/* ------------------------------------------------------------------------------------------------------------------ */

static bool same_operation(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return is_of(a, b->operation);
}

size_t cw_split_count_operations(const struct cw_overlap_runs *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) n += is_first(runs, i, same_operation);
    return n;
}

/* A picture for each collective of a size and MPI, those of one collective with the same axes. */
int cw_split_make_measured(struct cw_paper_run *run, size_t figure)
{
    const struct cw_overlap_runs *runs = run->data;
    int rc = write_csv(run, runs);
    for (size_t i = 0; !rc && i < runs->n; i++)
        if (is_first(runs, i, same_panel)) rc = draw_panel(run, runs, &runs->items[i]);
    for (size_t i = 0; !rc && i < runs->n; i++) {
        const struct cw_split_measured of = {runs, runs->items[i].operation};
        if (is_first(runs, i, same_operation)) rc = cw_paper_tell(run, figure, 0, 3, &of);
    }
    return rc;
}
