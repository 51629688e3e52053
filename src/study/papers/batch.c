#include "study/papers/batch.h"

#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/trials.h"

struct ranked {
    size_t point;
    double cost;
};

struct run {
    const struct cw_figure_study *study;
    const struct cw_figure_points *points;
    size_t first, n;      /* the points of one figure, */
    struct ranked *order; /* in this order */
    pthread_mutex_t beginning;
    size_t begun; /* points, of all figures; of this one those that began here */
};

/* What comes of a point. */
struct outcome {
    alignas(max_align_t) bool done;
    alignas(max_align_t) char data[]; /* [outcome_size] */
};

/* Dear ones first, else as they stand. */
static int compare(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;
    if (one->cost != other->cost) return one->cost < other->cost ? 1 : -1;
    return one->point < other->point ? -1 : one->point > other->point;
}

static int run_point(const void *context, void *state, size_t index, void *space)
{
    struct run *run = *(struct run *const *)context;
    const struct cw_figure_study *study = run->study;
    const struct cw_figure_points *points = run->points;
    const size_t point = run->order[index].point;
    struct outcome *outcome = space;
    (void)state;
    pthread_mutex_lock(&run->beginning);
    run->begun++;
    if (study->before) study->before(study->context, run->begun, point);
    pthread_mutex_unlock(&run->beginning);
    outcome->done = true;
    return points->compute(points->context, point, outcome->data);
}

/* A multiple of what it is aligned to. */
static size_t size_of_outcome(const struct cw_figure_points *points)
{
    const size_t align = alignof(struct outcome);
    return sizeof(struct outcome) + (points->outcome_size + align - 1) / align * align;
}

static int run_figure(struct run *run)
{
    const struct cw_figure_points *points = run->points;
    const struct cw_trials trials = {.n = run->n,
                                     .outcome_size = size_of_outcome(points),
                                     .context = &run,
                                     .run = run_point,
                                     .n_threads = run->study->n_threads,
                                     .progress = run->study->progress,
                                     .executor = run->study->executor};
    for (size_t i = 0; i < run->n; i++)
        run->order[i] = (struct ranked){run->first + i, points->cost_of(points->context, run->first + i)};
    qsort(run->order, run->n, sizeof *run->order, compare);
    char *outcomes = cw_new_array(run->n, trials.outcome_size, "results of points");
    if (!outcomes) return CW_ENOMEM;
    const int rc = cw_trials_run_into(&trials, outcomes, NULL);
    for (size_t i = 0; i < run->n; i++) {
        const struct outcome *outcome = (const void *)(outcomes + i * trials.outcome_size);
        if (outcome->done) points->keep(points->context, run->order[i].point, outcome->data);
    }
    free(outcomes);
    return rc;
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
        run.first = run.begun = first;
        run.n = n;
        rc = run_figure(&run);
        const int told = study->after ? study->after(study->context, first, n, !rc) : 0;
        if (!rc) rc = told;
    }
    pthread_mutex_destroy(&run.beginning);
    free(run.order);
    return rc;
}
