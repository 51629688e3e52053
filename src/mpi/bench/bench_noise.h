/* Measuring network noise: all blocks of a plan, until they are done, precise enough, or time is over. */
#ifndef CW_MPI_BENCH_NOISE_H
#define CW_MPI_BENCH_NOISE_H

#include "base/progress.h"
#include "mpi/bench/bench_block.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_plan.h"

struct bench_noise {
    const struct cw_bench_request *request;
    const struct cw_bench_plan *plan;
    size_t samples;                 /* of a block */
    double time;                    /* [s] for all; INFINITY: no limit */
    double precision;               /* relative half width of the interval of the slowdown that is enough; 0: none is */
    struct cw_progress *progress;   /* on rank 0; may be NULL */
    struct cw_bench_writer *writer; /* the same */
};

/* Collective. RUN, which was begun, gets the blocks on rank 0, each when it is measured. Errors as of bench_block_run.
 */
int bench_noise_run(const struct bench_noise *noise, struct bench_crew *crew, struct cw_bench_run *run);

#endif
