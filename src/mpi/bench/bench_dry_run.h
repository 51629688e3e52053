/* What `crosswind-mpi bench noise` would do, as tables. */
#ifndef CW_MPI_BENCH_DRY_RUN_H
#define CW_MPI_BENCH_DRY_RUN_H

#include "base/result.h"
#include "mpi/bench/bench_sides.h"
#include "study/bench/bench_plan.h"

/* Adds to RESULT the splits of PLAN, and in words how much is measured, for at most TIME (0: no limit) with SAMPLES a
 * block. */
int bench_dry_run(const struct bench_sites *sites, const struct cw_bench_request *request,
                  const struct cw_bench_plan *plan, size_t samples, double time, struct cw_result *result);

#endif
