#include "study/bench/rank_clock.h"

#include <math.h>
#include <string.h>

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
    struct cw_clock_model model = {.n = n};
    fit_line(points, n, &model);
    memcpy(model.points, points, n * sizeof *points);
    return model;
}

void cw_clock_add(struct cw_clock_model *model, const struct cw_clock_point *point)
{
    struct cw_clock_point latest[CW_CLOCK_POINTS + 1];
    memcpy(latest, model->points, sizeof model->points);
    latest[model->n] = *point;
    *model =
        model->n < CW_CLOCK_POINTS ? cw_clock_fit(latest, model->n + 1) : cw_clock_fit(latest + 1, CW_CLOCK_POINTS);
}

static double line_at(const struct cw_clock_model *model, double local)
{
    return model->offset + model->drift * (local - model->origin);
}

double cw_clock_global(const struct cw_clock_model *model, double local)
{
    return local + line_at(model, local);
}

double cw_clock_local(const struct cw_clock_model *model, double global)
{
    return (global - model->offset + model->drift * model->origin) / (1 + model->drift);
}

/* The greatest value that a line has at LOCAL which passes A and then B not above their bounds, and where it comes from
 * beyond both of them, the farther one not below. SIGN -1: the same upside down. */
static double reach(const struct cw_clock_point *a, const struct cw_clock_point *b, double local, double sign)
{
    const double span = b->local - a->local, from_a = (local - a->local) / span, from_b = (b->local - local) / span;
    const double top_a = sign * a->offset + a->error, top_b = sign * b->offset + b->error;
    if (from_b < 0) return top_b + (top_b - (sign * a->offset - a->error)) * -from_b;
    if (from_a < 0) return top_a + (top_a - (sign * b->offset - b->error)) * -from_a;
    return top_a * from_b + top_b * from_a;
}

/* The greatest offset at LOCAL that all points allow; with SIGN -1 minus the least. */
static double greatest(const struct cw_clock_model *model, double local, double sign)
{
    const struct cw_clock_point *points = model->points;
    double least = INFINITY;
    for (size_t i = 0; i < model->n; i++) {
        const double away = fabs(local - points[i].local);
        least = fmin(least, sign * points[i].offset + points[i].error + CW_CLOCK_DRIFT * away);
        for (size_t j = i + 1; j < model->n; j++)
            if (points[j].local > points[i].local) least = fmin(least, reach(&points[i], &points[j], local, sign));
    }
    return least;
}

/* For points that are on no line. */
static double error_of_points(const struct cw_clock_model *model, double local)
{
    const double first = model->points[0].local, last = model->points[model->n - 1].local;
    double error = 0;
    for (size_t i = 0; i < model->n; i++) {
        const struct cw_clock_point *point = &model->points[i];
        error = fmax(error, fabs(line_at(model, point->local) - point->offset) + point->error);
    }
    return error + CW_CLOCK_DRIFT * fmax(0, fmax(first - local, local - last));
}

double cw_clock_error(const struct cw_clock_model *model, double local)
{
    if (model->n == 0) return 0;
    const double line = line_at(model, local), most = greatest(model, local, 1), least = -greatest(model, local, -1);
    return most >= least ? fmax(most - line, line - least) : error_of_points(model, local);
}

double cw_clock_drift_error(const struct cw_clock_model *model)
{
    double most = CW_CLOCK_DRIFT, least = -CW_CLOCK_DRIFT;
    if (model->n == 0) return 0;
    for (size_t i = 0; i < model->n; i++)
        for (size_t j = i + 1; j < model->n; j++) {
            const struct cw_clock_point *a = &model->points[i], *b = &model->points[j];
            const double rise = b->offset - a->offset, slack = b->error + a->error, span = b->local - a->local;
            if (span <= 0) continue;
            most = fmin(most, (rise + slack) / span);
            least = fmax(least, (rise - slack) / span);
        }
    return most >= least ? fmax(most - model->drift, model->drift - least) : CW_CLOCK_DRIFT;
}
