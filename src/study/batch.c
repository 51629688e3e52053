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
    const struct cw_figure_points *batches;
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
    const struct cw_figure_points *batches = run->batches;
    const size_t point = run->order[index].point;
    (void)thread;
    pthread_mutex_lock(&run->beginning);
    run->begun++;
    if (batches->before) batches->before(batches->context, run->begun, point);
    pthread_mutex_unlock(&run->beginning);
    const int rc = batches->compute(batches->context, point);
    if (!rc) cw_progress_step(batches->progress, 1);
    return rc;
}

static int run_figure(struct run *run, size_t first, size_t n)
{
    const struct cw_figure_points *batches = run->batches;
    for (size_t i = 0; i < n; i++)
        run->order[i] = (struct ranked){first + i, batches->cost_of(batches->context, first + i)};
    qsort(run->order, n, sizeof *run->order, compare);
    return cw_parallel_for(batches->n_threads, n, run_point, run);
}

int cw_figure_points_run(const struct cw_figure_points *batches)
{
    if (batches->n == 0) return 0;
    struct run run = {.batches = batches, .order = cw_new_array(batches->n, sizeof *run.order, "points")};
    if (!run.order) return CW_ENOMEM;
    pthread_mutex_init(&run.beginning, NULL);
    int rc = 0;
    for (size_t first = 0, n; !rc && first < batches->n; first += n) {
        const int figure = batches->figure_of(batches->context, first);
        for (n = 1; first + n < batches->n && batches->figure_of(batches->context, first + n) == figure;) n++;
        rc = run_figure(&run, first, n);
        const int told = batches->after(batches->context, first, n, !rc);
        if (!rc) rc = told;
    }
    pthread_mutex_destroy(&run.beginning);
    free(run.order);
    return rc;
}
