#include "study/bench/bench_precision.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"

/* The median time of the block's samples that count; NaN if none does, or the clock was off too far. TIMES has room for
 * them. */
static double median(const struct cw_bench_run *run, const struct cw_bench_block *block, double *times)
{
    size_t n = 0;
    if (block->unclocked) return NAN;
    for (size_t i = 0; i < block->n_samples; i++) {
        const struct cw_bench_sample *sample = &run->samples[block->first_sample + i];
        if (sample->status == CW_BENCH_OK) times[n++] = sample->time;
    }
    struct cw_summary summary;
    return n > 0 && cw_summarise(times, n, &summary) == 0 ? summary.median : NAN;
}

/* The perturbed block that was measured together with CLEAN; NULL: none. */
static const struct cw_bench_block *partner(const struct cw_bench_run *run, const struct cw_bench_block *clean)
{
    const struct cw_bench_block *end = run->blocks + run->n_blocks;
    for (const struct cw_bench_block *block = clean - clean->order;
         block < end && block->case_index == clean->case_index && block->split == clean->split &&
         block < clean - clean->order + CW_BENCH_STATES;
         block++)
        if (block->state == CW_BENCH_PERTURBED) return block;
    return NULL;
}

double cw_bench_precision(const struct cw_bench_run *run)
{
    struct cw_running *slowdowns = cw_new_array(run->n_cases, sizeof *slowdowns, "slowdowns");
    double *times = cw_new_array(run->n_samples, sizeof *times, "times");
    double worst = slowdowns && times && run->n_cases > 0 ? 0 : INFINITY;
    for (size_t i = 0; worst == 0 && i < run->n_blocks; i++) {
        const struct cw_bench_block *clean = &run->blocks[i];
        const struct cw_bench_block *perturbed = clean->state == CW_BENCH_CLEAN ? partner(run, clean) : NULL;
        if (!perturbed) continue;
        const double slowdown = log(median(run, perturbed, times) / median(run, clean, times));
        if (isfinite(slowdown)) cw_running_add(&slowdowns[clean->case_index], slowdown);
    }
    for (size_t i = 0; isfinite(worst) && i < run->n_cases; i++)
        worst = slowdowns[i].n < CW_INTERVAL_SAMPLES ? INFINITY : fmax(worst, expm1(cw_running_ci95(&slowdowns[i])));
    free(times);
    free(slowdowns);
    return worst;
}
