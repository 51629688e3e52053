/*
 * What a measurement depended on, as JSON: for whoever reads it later, and to tell runs that can be compared from
 * others (study/bench/bench_run.h).
 */
#ifndef CW_MPI_BENCH_ENVIRONMENT_H
#define CW_MPI_BENCH_ENVIRONMENT_H

#include <jansson.h>

#include "mpi/bench/bench_block.h"
#include "mpi/bench/bench_sites.h"

/* {"start", "wait", "oversubscribed", "mpi"}; NULL without memory, as the next one. */
json_t *bench_conditions(const struct bench_crew *crew, const struct bench_sites *sites);

/* Time of day, kernel, MPI and what the environment sets of it, and for each rank its processors. */
json_t *bench_environment(const struct bench_sites *sites);

/* Collective: adds to ENVIRONMENT, on rank 0, what is known of the clocks. 0, CW_ENOMEM or CW_EINTERRUPTED. */
int bench_environment_clocks(struct bench_crew *crew, json_t *environment);

#endif
