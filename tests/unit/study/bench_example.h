/* Runs with planted times, for tests of what is made of them. */
#ifndef CW_TEST_BENCH_EXAMPLE_H
#define CW_TEST_BENCH_EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"
#include "study/bench/bench_run.h"

/* What is planted: the time of a sample is clean · split's factor · sample's factor, where both factors are lognormal;
 * a split's slowdown is slowdown · split's own factor. */
struct bench_plan {
    uint32_t n_ranks, n_splits, n_samples; /* splits of each ratio, samples of each block */
    double ratio;
    double clean;          /* [s] median */
    double slowdown;       /* median over splits */
    double control;        /* the same of the control state; 0: not measured */
    double across, within; /* standard deviations of the logarithms: of splits, of samples of a split */
    double paired;         /* of the logarithm of a split's slowdown */
    uint64_t seed;
};

static inline double bench_normal(struct cw_random *random)
{
    const double u = cw_random_unit(random);
    return cw_normal_quantile(u > 0 ? u : 0x1p-54);
}

/* A run of PLAN's ranks on as many hosts, without blocks. */
static inline void bench_begin(const struct bench_plan *plan, struct cw_bench_run *run)
{
    char names[64][16];
    const char *hosts[64];
    for (uint32_t r = 0; r < plan->n_ranks; r++) {
        snprintf(names[r], sizeof names[r], "h%u", r);
        hosts[r] = names[r];
    }
    *run = (struct cw_bench_run){.complete = true, .seed = plan->seed, .command = strdup("crosswind-mpi bench noise")};
    if (cw_bench_run_begin(run, plan->n_ranks, hosts,
                           json_pack("{s:s,s:s,s:b}", "start", "window", "wait", "sleep", "oversubscribed", 0),
                           json_pack("{s:s}", "kernel", "none")))
        puts(cw_error_message());
}

static inline void bench_add_block(const struct bench_plan *plan, struct cw_bench_run *run,
                                   const struct cw_bench_block *block, double median, struct cw_random *random)
{
    struct cw_bench_sample samples[1024];
    for (uint32_t i = 0; i < plan->n_samples; i++) {
        const double time = median * exp(plan->within * bench_normal(random));
        samples[i] =
            (struct cw_bench_sample){.start = 0.01 * (double)(run->n_samples + i), .time = time, .slowest = time};
    }
    if (cw_bench_run_block(run, block, samples, plan->n_samples)) puts(cw_error_message());
}

/* Adds PLAN's case. */
static inline void bench_add_case(const struct bench_plan *plan, struct cw_bench_run *run)
{
    struct cw_random random = cw_random_of(plan->seed, CW_STREAM_TEST, (uint64_t)(1000 * plan->ratio));
    const struct cw_bench_case one = {"allreduce", 8, 0, "permutation", 10 << 20, plan->ratio};
    const uint32_t n_perturbing = (uint32_t)lround(plan->ratio * plan->n_ranks);
    uint32_t order[64];
    uint8_t roles[64];
    struct cw_bench_block block = {.clock_error = 1e-6};
    if (cw_bench_run_case(run, &one, &block.case_index)) puts(cw_error_message());
    for (uint32_t s = 0; s < plan->n_splits; s++) {
        cw_random_permutation(&random, plan->n_ranks, order);
        for (uint32_t i = 0; i < plan->n_ranks; i++)
            roles[order[i]] = i < n_perturbing ? CW_BENCH_PERTURBING : CW_BENCH_APPLICATION;
        if (cw_bench_run_split(run, roles, &block.split)) puts(cw_error_message());
        const double clean = plan->clean * exp(plan->across * bench_normal(&random));
        const double slowdown = plan->slowdown * exp(plan->paired * bench_normal(&random));
        const double medians[] = {clean, clean * slowdown, clean * plan->control};
        for (int state = 0; state < CW_BENCH_STATES; state++) {
            if (!(medians[state] > 0)) continue;
            block.state = (enum cw_bench_state)state;
            block.order = (uint32_t)state;
            block.goodput = state == CW_BENCH_CLEAN ? (double)NAN : 1e8;
            bench_add_block(plan, run, &block, medians[state], &random);
        }
    }
}

#endif
