/*
 * How much of a nonblocking collective is hidden behind a computation: the metrics of the two benchmarks of the field.
 */
#ifndef CW_STUDY_OVERLAP_METRICS_H
#define CW_STUDY_OVERLAP_METRICS_H

#include "base/decls.h"

CW_BEGIN_DECLS

/* Of one rank in one repetition, [s]; the rank whose total is the largest, if there are several. */
struct cw_overlap_times {
    double pure;    /* the collective alone, from its start to the end of MPI_Wait */
    double compute; /* the computation alone */
    double total;   /* collective started, computation, MPI_Wait */
    double init;    /* of this, the call that starts the collective, … */
    double within;  /* … and the computation */
};

/* Both take the computation as it was in the loop with the collective, as the programs do: what is left of the total is
 * the call and the wait. Where the collective disturbs the computation, `total` beside `compute` tells. */

/* Intel MPI Benchmarks, IMB-NBC: 100 · max(0, min(1, (pure + within - total) / min(pure, within))), in per cent. */
double cw_overlap_imb(const struct cw_overlap_times *times);

/* OSU micro-benchmarks: max(0, 100 - 100 · (total - within) / pure), in per cent; no time is spent in MPI_Test. */
double cw_overlap_osu(const struct cw_overlap_times *times);

CW_END_DECLS

#endif
