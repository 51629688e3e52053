/*
 * What `crosswind-mpi overlap --save` has measured: a row of CSV for each repetition of each method
 * (doc/formats/overlap.md), and its medians, for pictures in which several runs stand side by side.
 */
#ifndef CW_STUDY_OVERLAP_RUNS_H
#define CW_STUDY_OVERLAP_RUNS_H

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

CW_END_DECLS

#endif
