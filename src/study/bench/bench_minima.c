#include "study/bench/bench_minima.h"

#include <math.h>

enum of_sample { BEGAN, MINUS_ENDED, MINUS_TOOK, MINUS_LATE, OF_SAMPLE };
enum of_block { MINUS_PERTURBING_FROM, PERTURBING_TO, MINUS_CLOCK_ERROR, OF_BLOCK };

size_t cw_bench_minima_size(size_t n)
{
    return OF_BLOCK + n * OF_SAMPLE;
}

void cw_bench_minima_clear(double *minima, size_t n)
{
    for (size_t i = 0; i < cw_bench_minima_size(n); i++) minima[i] = INFINITY;
}

void cw_bench_minima_enter(const struct cw_clock_model *model, const struct cw_bench_moment *moments, size_t n,
                           double *minima)
{
    for (size_t i = 0; i < n; i++) {
        double *sample = minima + cw_bench_minima_size(i);
        sample[BEGAN] = cw_clock_global(model, moments[i].began);
        sample[MINUS_ENDED] = -cw_clock_global(model, moments[i].ended);
        sample[MINUS_TOOK] = moments[i].began - moments[i].ended;
        sample[MINUS_LATE] = moments[i].late ? -1 : 0;
    }
    minima[MINUS_CLOCK_ERROR] =
        -fmax(cw_clock_error(model, moments[0].began), cw_clock_error(model, moments[n - 1].ended));
}

void cw_bench_minima_perturb(const struct cw_clock_model *model, double began, double ended, double *minima)
{
    minima[MINUS_PERTURBING_FROM] = -cw_clock_global(model, began);
    minima[PERTURBING_TO] = cw_clock_global(model, ended);
}

double cw_bench_minima_samples(const double *minima, size_t n, bool perturbed, struct cw_bench_sample *samples)
{
    for (size_t i = 0; i < n; i++) {
        const double *all = minima + cw_bench_minima_size(i);
        struct cw_bench_sample *sample = &samples[i];
        /* No call is over before its slowest rank, whatever the clocks say. */
        *sample = (struct cw_bench_sample){.start = all[BEGAN],
                                           .time = fmax(-all[MINUS_ENDED] - all[BEGAN], -all[MINUS_TOOK]),
                                           .slowest = -all[MINUS_TOOK]};
        const bool covered = all[BEGAN] >= -minima[MINUS_PERTURBING_FROM] && -all[MINUS_ENDED] <= minima[PERTURBING_TO];
        sample->status = all[MINUS_LATE] < 0 ? CW_BENCH_LATE : perturbed && !covered ? CW_BENCH_UNCOVERED : CW_BENCH_OK;
    }
    return -minima[MINUS_CLOCK_ERROR];
}
