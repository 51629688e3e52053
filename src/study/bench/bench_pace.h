/*
 * What ranks of a measurement decide by themselves between calls, rounds and blocks: how much later a call begins than
 * all are ready and how they sleep until then, when somebody asks for the end, how many messages are received at a
 * time, when clocks are compared again, and how much of the time a block gets.
 */
#ifndef CW_STUDY_BENCH_BENCH_PACE_H
#define CW_STUDY_BENCH_BENCH_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* [s] between the moment at which all are ready and the next call: from MARGIN, the last one, and MISSED_BY [s], by
 * which the last rank learned of the last beginning too late (0: it was in time). It grows by twice that, and shortens
 * slowly, between 20 us and 1 s. */
double cw_bench_margin(double margin, double missed_by);

/* [s] that a rank sleeps, LEFT [s] before a moment for which it waits, to look again then: it wakes early enough, also
 * if it wakes 50 us too late. 0: it is so near that it does not sleep. Less than a second. */
double cw_bench_nap(double left);

/* Whether ranks ask for the end after N samples: after 1, 2, 4, 8, 16, 24, …, which disturbs few of them. */
bool cw_bench_asks_for_end(size_t n);

/* Messages of BYTES that one of N_RANKS receives at a time: 64 MiB, but at least one, and one of each rank at most. */
size_t cw_bench_messages_at_once(size_t bytes, uint32_t n_ranks);

/* Whether clocks, compared N times so far, last AGE [s] ago, are compared after a block: the first times after each, so
 * that a model has all its points, then every quarter of a second. */
bool cw_bench_is_sync_due(double age, size_t n);

/* [s] of LEFT [s] for step STEP of N_STEPS: what is left is shared out among the steps that are left. */
double cw_bench_share(double left, size_t step, size_t n_steps);

CW_END_DECLS

#endif
