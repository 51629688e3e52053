#include "study/bench/rank_clock.h"

#include <math.h>

struct cw_clock_point cw_clock_best(const struct cw_clock_exchange *exchanges, size_t n)
{
    const struct cw_clock_exchange *best = exchanges;
    for (const struct cw_clock_exchange *one = exchanges; one < exchanges + n; one++)
        if (one->received - one->sent < best->received - best->sent) best = one;
    const double half = (best->received - best->sent) / 2, middle = best->sent + half;
    return (struct cw_clock_point){.local = middle, .offset = best->remote - middle, .error = half};
}

/* Points count by the inverse square of their bounds; one with a bound of 0 would count alone. */
static double weight(const struct cw_clock_point *point)
{
    const double error = fmax(point->error, 1e-9);
    return 1 / (error * error);
}

static void fit_line(const struct cw_clock_point *points, size_t n, struct cw_clock_model *model)
{
    double sum = 0, local = 0, offset = 0, squares = 0, products = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = weight(&points[i]);
        sum += w;
        local += w * (points[i].local - points->local);
        offset += w * points[i].offset;
    }
    model->origin = points->local + local / sum;
    model->offset = offset / sum;
    for (size_t i = 0; i < n; i++) {
        const double x = points[i].local - model->origin, w = weight(&points[i]);
        squares += w * x * x;
        products += w * x * (points[i].offset - model->offset);
    }
    model->drift = squares > 0 ? products / squares : 0;
}

struct cw_clock_model cw_clock_fit(const struct cw_clock_point *points, size_t n)
{
    struct cw_clock_model model = {.first = points->local, .last = points[n - 1].local, .drift_error = CW_CLOCK_DRIFT};
    double first = 0, last = 0; /* bounds of the ends */
    fit_line(points, n, &model);
    for (size_t i = 0; i < n; i++) {
        const double line = model.offset + model.drift * (points[i].local - model.origin);
        last = fabs(line - points[i].offset) + points[i].error;
        if (i == 0) first = last;
        model.error = fmax(model.error, last);
    }
    if (model.last > model.first) model.drift_error = (first + last) / (model.last - model.first);
    return model;
}

double cw_clock_global(const struct cw_clock_model *model, double local)
{
    return local + model->offset + model->drift * (local - model->origin);
}

double cw_clock_local(const struct cw_clock_model *model, double global)
{
    return (global - model->offset + model->drift * model->origin) / (1 + model->drift);
}

double cw_clock_error(const struct cw_clock_model *model, double local)
{
    const double outside = fmax(0, fmax(model->first - local, local - model->last));
    return model->error + model->drift_error * outside;
}
