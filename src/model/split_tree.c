#include "model/split_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const cw_split_equation_names[] = {"exact", "printed", NULL};

uint32_t cw_split_height(uint32_t n)
{
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* 2^K for K of either sign. */
static double power(int k)
{
    return ldexp(1, k);
}

double cw_split_edges(enum cw_split_equation equation, uint32_t n, uint32_t level)
{
    const int above_leaves = (int)cw_split_height(n) - (int)level;
    const double d = power(above_leaves);
    if (equation == CW_SPLIT_EXACT) return floor((n - 1 + d) / (2 * d));
    const int complete = 31 - __builtin_clz(n);
    const double rest = n - power(complete);
    return power(complete - above_leaves - 1) + floor((rest + d) / (2 * d));
}

/* How often the tree is gone through. */
static double passes(const struct cw_split_model *model)
{
    return cw_collective_is_rooted(model->collective) ? 1 : 2;
}

static bool has_parts(const struct cw_split_model *model)
{
    return cw_collective_has_blocks(model->collective);
}

/* The weights of the last LEVELS levels. */
static double low_part(const struct cw_split_model *model, uint32_t levels)
{
    return passes(model) * (has_parts(model) ? power((int)levels) - 1 : levels);
}

/* The levels above the last STEPS, folded on the communication cores. */
static double high_part(const struct cw_split_model *model, uint32_t n, uint32_t steps)
{
    const uint32_t height = cw_split_height(n);
    double sum = 0;
    for (uint32_t level = 1; level + steps <= height; level++) {
        const double weight = has_parts(model) ? power((int)(height - level)) : 1;
        sum += weight * ceil(cw_split_edges(model->equation, n, level) / (model->cores - n));
    }
    return passes(model) * sum;
}

static double compute_of(const struct cw_split_model *model, uint32_t n)
{
    return model->ratio * model->cores / n * low_part(model, cw_split_height(model->cores));
}

struct cw_split_times cw_split_times_of(const struct cw_split_model *model, uint32_t n, uint32_t steps)
{
    const uint32_t height = cw_split_height(n), low_levels = steps < height ? steps : height;
    const double low = low_part(model, low_levels), high = high_part(model, n, low_levels);
    const double compute = compute_of(model, n);
    return (struct cw_split_times){.blocking = low_part(model, height),
                                   .non_blocking = low + high,
                                   .overlapped = low + fmax(compute, high),
                                   .compute = compute};
}

struct cw_split_slices cw_split_slices_of(const struct cw_split_model *model, uint32_t n)
{
    const double compute = compute_of(model, n), work = passes(model) * (n - 1);
    const double left = fmax(0, work - (model->cores - n) * compute);
    return (struct cw_split_slices){.fraction = work > 0 ? left / work : 0, .overlapped = compute + left / n};
}

uint32_t cw_split_best_steps(const struct cw_split_model *model, uint32_t n)
{
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t steps = 0; steps <= cw_split_height(n); steps++) {
        const double time = cw_split_times_of(model, n, steps).overlapped;
        if (time >= least) continue;
        least = time;
        best = steps;
    }
    return best;
}

uint32_t cw_split_best_ranks(const struct cw_split_model *model)
{
    uint32_t best = 1;
    double least = INFINITY;
    for (uint32_t n = 1; n < model->cores; n++) {
        const double time = cw_split_times_of(model, n, cw_split_best_steps(model, n)).overlapped;
        if (time >= least) continue;
        least = time;
        best = n;
    }
    return best;
}

uint32_t cw_split_best_sliced(const struct cw_split_model *model)
{
    uint32_t best = 1;
    for (uint32_t n = 2; n < model->cores; n++)
        if (cw_split_slices_of(model, n).overlapped < cw_split_slices_of(model, best).overlapped) best = n;
    return best;
}
