/* What `crosswind-mpi bench noise` shows. */
#ifndef CW_MPI_BENCH_NOISE_TABLES_H
#define CW_MPI_BENCH_NOISE_TABLES_H

#include "base/result.h"
#include "study/bench/bench_run.h"

/* Adds the tables of RUN to RESULT. */
int noise_tables_add(const struct cw_bench_run *run, struct cw_result *result);

#endif
