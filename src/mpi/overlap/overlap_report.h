/*
 * What `crosswind-mpi overlap` says: its table, sentences, file and picture.
 */
#ifndef CW_MPI_OVERLAP_REPORT_H
#define CW_MPI_OVERLAP_REPORT_H

#include "base/estimate.h"
#include "base/result.h"
#include "mpi/overlap/overlap_run.h"
#include "nbc/nbc_tuning.h"

/* What was measured among one number of ranks. */
struct overlap_point {
    const struct cw_collective_traits *operation;
    int ranks;
    unsigned cores; /* for communication, of the first host */
    struct overlap_methods methods;
    struct overlap_samples samples;
};

struct overlap_points {
    struct overlap_point *items; /* by ranks, then by operation */
    size_t n;
    struct overlap_methods methods; /* that were asked for; a point may lack those that need communication cores */
    size_t bytes;
    enum overlap_kind kind;
};

enum overlap_quantity {
    OVERLAP_PURE,
    OVERLAP_COMPUTE,
    OVERLAP_TOTAL,
    OVERLAP_INIT,
    OVERLAP_IMB,
    OVERLAP_OSU, /* until here in files (study/overlap/overlap_runs.h) */
    OVERLAP_WITHIN
};

/* The median of a method's samples, with its 95 % confidence interval; ROOM for as many numbers as POINT has samples.
 */
struct cw_estimate overlap_median(const struct overlap_point *point, size_t method, enum overlap_quantity quantity,
                                  double *room);

/* Adds the table, a row for each point and method, and a sentence for each point, to RESULT. */
int overlap_show(const struct overlap_points *points, struct cw_result *result);

/* Writes every repetition of all POINTS, measured at SITE, to PATH in place of what is there, and beside it what RESULT
 * knows of the run: study/overlap/overlap_runs.h reads it. */
int overlap_save(const struct overlap_points *points, const struct cw_nbc_site *site, const struct cw_result *result,
                 const char *path);

/* Draws the total times of all methods over the number of ranks; the points are of one operation. */
int overlap_draw(const struct overlap_points *points, const char *path);

#endif
