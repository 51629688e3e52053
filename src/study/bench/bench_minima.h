/*
 * How ranks bring together when they began and ended the calls of a block: each enters its own moments, by the common
 * clock, into an array; the minima of all these arrays, element by element, are the block's, and rank 0 makes samples
 * of them. Of what a maximum is wanted, the negative is entered.
 */
#ifndef CW_STUDY_BENCH_BENCH_MINIMA_H
#define CW_STUDY_BENCH_BENCH_MINIMA_H

#include <stdbool.h>
#include <stddef.h>

#include "study/bench/bench_run.h"
#include "study/bench/rank_clock.h"

/* When a rank began and ended a call, by its own clock. */
struct cw_bench_moment {
    double began, ended; /* [s] */
    bool late;
};

/* The numbers of N samples. */
size_t cw_bench_minima_size(size_t n);

/* MINIMA[cw_bench_minima_size(n)] of a rank that has nothing to say. */
void cw_bench_minima_clear(double *minima, size_t n);

/* A rank of the application, with the N ≥ 1 MOMENTS of its calls. */
void cw_bench_minima_enter(const struct cw_clock_model *model, const struct cw_bench_moment *moments, size_t n,
                           double *minima);

/* A rank of the perturbation, whose messages were under way from BEGAN to ENDED, by its own clock. */
void cw_bench_minima_perturb(const struct cw_clock_model *model, double began, double ended, double *minima);

/* The N samples that the minima of all ranks make; PERTURBED: what the perturbation did not cover does not count.
 * Returns the clock error [s]: that of the rank with the greatest, at its first or its last moment. */
double cw_bench_minima_samples(const double *minima, size_t n, bool perturbed, struct cw_bench_sample *samples);

#endif
