#include "study/split_tree_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "nbc/nbc_emulate.h"
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
