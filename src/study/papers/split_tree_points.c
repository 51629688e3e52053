#include "study/papers/split_tree_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "nbc/nbc_emulate.h"
#include "report/rows.h"
#include "sim/split_tree_sim.h"

struct simulating {
    const struct cw_split_case *about;
    const struct cw_schedule *schedule;
    struct cw_split_point *items;
};

static int simulate_point(void *context, size_t index, unsigned thread)
{
    (void)thread;
    const struct simulating *work = context;
    const struct cw_split_case *about = work->about;
    struct cw_split_point *point = &work->items[index];
    const struct cw_split_setup setup = {.schedule = work->schedule,
                                         .n = point->n,
                                         .communication = about->model.cores - point->n,
                                         .steps = point->steps,
                                         .placement = about->placement,
                                         .executor = about->executor};
    struct cw_split_plan *plan;
    int rc = cw_split_plan_new(&setup, &plan);
    if (rc) return rc;
    const struct cw_split_run alone = {.chunks = about->chunks};
    const struct cw_split_run beside = {.chunks = about->chunks, .compute = point->times.compute};
    rc = cw_split_tree_simulate(plan, &alone, &point->simulated);
    if (!rc) rc = cw_split_tree_simulate(plan, &beside, &point->simulated_overlapped);
    cw_split_plan_free(plan);
    return rc;
}

static int simulate(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *points)
{
    struct cw_schedule *schedule;
    char spec[64]; /* what the model is of */
    snprintf(spec, sizeof spec, "%s:2", cw_collectives[about->model.collective].tree);
    int rc = cw_schedule_new(spec, &schedule);
    if (rc) return rc;
    struct simulating work = {.about = about, .schedule = schedule, .items = points->items};
    rc = cw_parallel_for(n_threads, points->n, simulate_point, &work);
    cw_schedule_free(schedule);
    return rc;
}

#define TAKES 3 /* the least counts: whatever else this machine does makes threads wake late, never early */

static int emulate(const struct cw_split_case *about, struct cw_split_points *points)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < points->n; i++) {
        struct cw_split_point *point = &points->items[i];
        if (4 * (uint64_t)point->n < 3 * (uint64_t)about->model.cores || point->steps > 3) continue;
        const struct cw_nbc_emulation setup = {.collective = about->model.collective,
                                               .n = point->n,
                                               .communication = about->model.cores - point->n,
                                               .schedule = CW_NBC_SPLIT_TREE,
                                               .steps = point->steps,
                                               .compute = point->times.compute,
                                               .unit = about->unit};
        for (int take = 0; !rc && take < TAKES; take++) {
            double time;
            rc = cw_nbc_emulate(&setup, &time);
            if (!rc) point->emulated_overlapped = fmin(point->emulated_overlapped, time); /* NaN: the other one */
            if (!rc) rc = cw_interrupt_check();
        }
    }
    return rc;
}

static void enter(const struct cw_split_model *model, struct cw_split_points *points)
{
    for (uint32_t n = 1; n < model->cores; n++) {
        const uint32_t best = cw_split_best_steps(model, n);
        for (uint32_t steps = 0; steps <= cw_split_height(n); steps++) {
            const struct cw_split_point point = {.n = n,
                                                 .steps = steps,
                                                 .times = cw_split_times_of(model, n, steps),
                                                 .simulated = NAN,
                                                 .simulated_overlapped = NAN,
                                                 .emulated_overlapped = NAN,
                                                 .best = steps == best};
            const struct cw_split_point *least = &points->items[points->least];
            if (points->n > 0 && point.times.overlapped < least->times.overlapped) points->least = points->n;
            points->items[points->n++] = point;
        }
    }
}

int cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out)
{
    struct cw_split_points points = {.about = *about};
    const size_t levels = cw_split_height(about->model.cores) + 1;
    points.items = cw_new_array((about->model.cores - 1) * levels, sizeof *points.items, "points of the model");
    if (!points.items) return CW_ENOMEM;
    enter(&about->model, &points);
    int rc = about->simulated ? simulate(about, n_threads, &points) : 0;
    if (!rc && about->unit > 0) rc = emulate(about, &points);
    if (rc)
        cw_split_points_free(&points);
    else
        *out = points;
    return rc;
}

void cw_split_points_free(struct cw_split_points *points)
{
    free(points->items);
    *points = (struct cw_split_points){0};
}

double cw_split_executed(const struct cw_split_points *points, const struct cw_split_point *point)
{
    return points->about.unit > 0 ? point->emulated_overlapped : point->simulated_overlapped;
}

const struct cw_split_point *cw_split_point_of(const struct cw_split_points *points, uint32_t n, uint32_t steps)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].n == n && points->items[i].steps == steps) return &points->items[i];
    return NULL;
}

double cw_split_emulation_apart(const struct cw_split_points *points)
{
    double apart = 0;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (!isnan(point->emulated_overlapped))
            apart = fmax(apart, fabs(point->emulated_overlapped / point->simulated_overlapped - 1));
    }
    return apart;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Of text; whoever has more cores looks at CSV. */
#define BEST_ROWS 128

static const struct cw_column columns[] = {
    {"cores", CW_COLUMN_INT, NULL, "cores of the machine"},
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute"},
    {"blocking", CW_COLUMN_REAL, "transfer", "a blocking collective alone"},
    {"non_blocking", CW_COLUMN_REAL, "transfer", "the split tree alone"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"best", CW_COLUMN_TEXT, NULL, "yes: the best S for this N; least: of all; no"},
    {"slices", CW_COLUMN_REAL, "transfer", "slices and the computation"},
    {"simulated", CW_COLUMN_REAL, "transfer", "the split tree alone, simulated"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, simulated"},
    {"emulated_overlapped", CW_COLUMN_REAL, "transfer", "the same by the scheduler of libcrosswind-nbc, emulated"},
};

int cw_split_tree_table(const struct cw_split_points *points, struct cw_table **out)
{
    const size_t n_columns =
        sizeof columns / sizeof *columns - (points->about.simulated ? 0 : 2) - (points->about.unit > 0 ? 0 : 1);
    const struct cw_split_model *model = &points->about.model;
    struct cw_table *table;
    const int rc = cw_table_new("split_tree", "Every N and S", columns, n_columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        cw_table_row(table, "%u %u %u %u %g %g %g %g %s %g", model->cores, point->n, model->cores - point->n,
                     point->steps, point->times.blocking, point->times.non_blocking, point->times.overlapped,
                     point->times.compute,
                     i == points->least ? "least"
                     : point->best      ? "yes"
                                        : "no",
                     cw_split_slices_of(model, point->n).overlapped);
        if (!points->about.simulated) continue;
        cw_table_real(table, point->simulated);
        cw_table_real(table, point->simulated_overlapped);
        if (points->about.unit > 0) cw_table_real(table, point->emulated_overlapped);
    }
    *out = table;
    return 0;
}

static const struct cw_column best_columns[] = {
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"one_after_another", CW_COLUMN_REAL, "transfer", "a blocking collective and the computation"},
    {"best_steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute, the best number"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree with this S, and the computation"},
    {"slices", CW_COLUMN_REAL, "transfer", "slices and the computation"},
    {"slices_fraction", CW_COLUMN_REAL, NULL,
     "share of the bytes that communication cores transfer with slices: F of the schedule slices:F"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, simulated"},
};

int cw_split_tree_best_table(const struct cw_split_points *points, struct cw_table **out)
{
    const size_t n_columns = sizeof best_columns / sizeof *best_columns - (points->about.simulated ? 0 : 1);
    const struct cw_split_model *model = &points->about.model;
    struct cw_table *table;
    const int rc = cw_table_new("best", "The best S for each N", best_columns, n_columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (!point->best) continue;
        const struct cw_split_slices slices = cw_split_slices_of(model, point->n);
        cw_table_row(table, "%u %u %g %g %u %g %g %g", point->n, model->cores - point->n, point->times.compute,
                     point->times.compute + point->times.blocking, point->steps, point->times.overlapped,
                     slices.overlapped, 1 - slices.fraction);
        if (points->about.simulated) cw_table_real(table, point->simulated_overlapped);
    }
    cw_table_cut_text(table, BEST_ROWS);
    *out = table;
    return 0;
}

static const struct cw_column executed_columns[] = {
    {"cores", CW_COLUMN_INT, NULL, "cores of the machine that is emulated"},
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, by the model"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the same, simulated"},
    {"emulated_overlapped", CW_COLUMN_REAL, "transfer", "the same, emulated"},
};

int cw_split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out)
{
    struct cw_table *table;
    const int rc = cw_table_new("emulation", "Split trees, emulated", CW_ITEMS(executed_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (isnan(point->emulated_overlapped)) continue;
        cw_table_row(table, "%u %u %u %u %g %g %g %g", points->about.model.cores, point->n,
                     points->about.model.cores - point->n, point->steps, point->times.compute, point->times.overlapped,
                     point->simulated_overlapped, point->emulated_overlapped);
    }
    *out = table;
    return 0;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

const char *const cw_split_shown_names[] = {"overlapped", "alone", NULL};

enum { MOST_STEPS = 5 };

/* The number of S that get a curve: those that are best somewhere, and one more. */
static uint32_t steps_shown(const struct cw_split_points *points)
{
    uint32_t most = 0;
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].best && points->items[i].steps > most) most = points->items[i].steps;
    return most + 2 < MOST_STEPS ? most + 2 : MOST_STEPS;
}

static void add_steps(struct cw_chart *chart, const struct cw_split_points *points, bool alone, uint32_t from,
                      uint32_t steps)
{
    cw_chart_begin(chart, "S = %u", steps)->style = CW_PLOT_LINES;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (point->steps == steps && point->n >= from)
            cw_chart_point(chart, point->n, alone ? point->times.non_blocking : point->times.overlapped, 0, 0);
    }
}

/* In the colour of the model's curve. */
static void add_executed(struct cw_chart *chart, const struct cw_split_points *points, bool alone, uint32_t from,
                         uint32_t steps)
{
    struct cw_plot_series *series =
        cw_chart_begin(chart, "S = %u, %s", steps, points->about.unit > 0 ? "emulated" : "simulated");
    series->style = CW_PLOT_POINTS;
    series->partner = steps + 1;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (point->steps == steps && point->n >= from)
            cw_chart_point(chart, point->n, alone ? point->simulated : cw_split_executed(points, point), 0, 0);
    }
}

/* What does not depend on S, as dashed lines. */
static void add_others(struct cw_chart *chart, const struct cw_split_model *model, bool alone, uint32_t from)
{
    static const char *const labels[] = {"blocking", "computation alone", "slices"};
    for (size_t i = 0; i < (alone ? 2 : 3); i++) {
        struct cw_plot_series *series = cw_chart_begin(chart, "%s", labels[i]);
        series->style = CW_PLOT_LINES;
        series->dashed = true;
        for (uint32_t n = from; n < model->cores; n++) {
            const struct cw_split_times times = cw_split_times_of(model, n, 0);
            const double blocking = times.blocking + (alone ? 0 : times.compute);
            cw_chart_point(chart, n,
                           i == 0   ? blocking
                           : i == 1 ? times.compute
                                    : cw_split_slices_of(model, n).overlapped,
                           0, 0);
        }
    }
}

int cw_split_tree_draw(const struct cw_split_points *points, enum cw_split_shown shown, const char *title,
                       const char *path)
{
    const struct cw_split_model *model = &points->about.model;
    const uint32_t cores = model->cores, n_steps = steps_shown(points), from = cores > 8 ? cores / 2 : 1;
    const bool alone = shown == CW_SPLIT_ALONE;
    /* With few communication cores the smallest S take so long that nothing else could be told apart. */
    const double most = 3 * points->items[points->least].times.overlapped;
    struct cw_chart chart = {0};
    char own[128];
    for (uint32_t steps = 0; steps < n_steps; steps++) add_steps(&chart, points, alone, from, steps);
    for (uint32_t steps = 0; points->about.simulated && steps < n_steps; steps++)
        add_executed(&chart, points, alone, from, steps);
    add_others(&chart, model, alone, from);
    snprintf(own, sizeof own, "Split-tree %s on %u cores: %s", cw_collectives[model->collective].name, cores,
             alone ? "communication alone" : "communication beside computation");
    const struct cw_plot plot = {
        .title = title ? title : own,
        .x = {.label = "application cores N", .min = from, .max = cores},
        .y = {
            .label = alone ? "time alone" : "time of both", .unit = "transfers", .min = 0, .max = alone ? NAN : most}};
    return cw_chart_draw(&chart, plot, path);
}
