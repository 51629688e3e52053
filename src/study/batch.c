#include "study/batch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

struct ranked {
    size_t point;
    double cost;
};

struct run {
    const struct cw_figure_study *study;
    const struct cw_figure_points *points;
    struct ranked *order; /* of the points of one figure */
    pthread_mutex_t beginning;
    size_t begun;
};

/* Dear ones first, else as they stand. */
static int compare(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;
    if (one->cost != other->cost) return one->cost < other->cost ? 1 : -1;
    return one->point < other->point ? -1 : one->point > other->point;
}

static int run_point(void *context, size_t index, unsigned thread)
{
    struct run *run = context;
    const struct cw_figure_study *study = run->study;
    const struct cw_figure_points *points = run->points;
    const size_t point = run->order[index].point;
    (void)thread;
    pthread_mutex_lock(&run->beginning);
    run->begun++;
    if (study->before) study->before(study->context, run->begun, point);
    pthread_mutex_unlock(&run->beginning);
    const int rc = points->compute(points->context, point);
    if (!rc) cw_progress_step(study->progress, 1);
    return rc;
}

static int run_figure(struct run *run, size_t first, size_t n)
{
    const struct cw_figure_points *points = run->points;
    for (size_t i = 0; i < n; i++)
        run->order[i] = (struct ranked){first + i, points->cost_of(points->context, first + i)};
    qsort(run->order, n, sizeof *run->order, compare);
    return cw_parallel_for(run->study->n_threads, n, run_point, run);
}

int cw_figure_points_run(const struct cw_figure_study *study, const struct cw_figure_points *points)
{
    if (points->n == 0) return 0;
    struct run run = {.study = study, .points = points, .order = cw_new_array(points->n, sizeof *run.order, "points")};
    if (!run.order) return CW_ENOMEM;
    pthread_mutex_init(&run.beginning, NULL);
    int rc = 0;
    for (size_t first = 0, n; !rc && first < points->n; first += n) {
        const int figure = points->figure_of(points->context, first);
        for (n = 1; first + n < points->n && points->figure_of(points->context, first + n) == figure;) n++;
        rc = run_figure(&run, first, n);
        const int told = study->after ? study->after(study->context, first, n, !rc) : 0;
        if (!rc) rc = told;
    }
    pthread_mutex_destroy(&run.beginning);
    free(run.order);
    return rc;
}
