/*
 * What `crosswind-mpi overlap` says: its table, sentences and picture.
 */
#ifndef CW_MPI_OVERLAP_REPORT_H
#define CW_MPI_OVERLAP_REPORT_H

#include "base/result.h"
#include "mpi/overlap/overlap_run.h"

/* What was measured among one number of ranks. */
struct overlap_point {
    const struct operation *operation;
    int ranks;
    struct overlap_samples samples;
};

struct overlap_points {
    struct overlap_point *items; /* by operation, then by ranks */
    size_t n;
    struct overlap_methods methods;
    size_t bytes;
    enum overlap_kind kind;
};

/* Adds the table, a row for each point and method, and a sentence for each point, to RESULT. */
int overlap_show(const struct overlap_points *points, struct cw_result *result);

/* Draws the total times of all methods over the number of ranks; the points are of one operation. */
int overlap_draw(const struct overlap_points *points, const char *path);

#endif
