/*
 * What `crosswind-mpi overlap --save` has measured: a row of CSV for each repetition of each method
 * (doc/formats/overlap.md), and its medians, for pictures in which several runs stand side by side; and how much of a
 * collective a repetition has hidden.
 */
#ifndef CW_STUDY_OVERLAP_OVERLAP_RUNS_H
#define CW_STUDY_OVERLAP_OVERLAP_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/estimate.h"
#include "base/table.h"

CW_BEGIN_DECLS

#define CW_OVERLAP_NAME 96

/* An empty table with the columns of the file; the caller frees it. */
int cw_overlap_runs_table(struct cw_table **out);

/* All repetitions of one method among one number of ranks. */
struct cw_overlap_point {
    char mpi[CW_OVERLAP_NAME], operation[CW_OVERLAP_NAME], beside[CW_OVERLAP_NAME], method[CW_OVERLAP_NAME];
    uint32_t processors, ranks, cores; /* of the machine; that took part; for communication, of a host */
    uint64_t bytes;
    size_t repetitions;
    struct cw_estimate total, pure, compute; /* medians with their 95 % confidence intervals [s] */
};

struct cw_overlap_runs {
    struct cw_overlap_point *items; /* in the order in which they are in the files */
    size_t n;
};

/* Reads all FILES, "PATH[,PATH…]". CW_EIO, CW_EPARSE, CW_ENOMEM. Free with cw_overlap_runs_free. */
int cw_overlap_runs_read(const char *files, struct cw_overlap_runs *out);
void cw_overlap_runs_free(struct cw_overlap_runs *runs);

/* --- what is hidden ----------------------------------------------------------------------------------------------- */

/* How much of a nonblocking collective is hidden behind a computation: the metrics of the field's two benchmarks. */

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
