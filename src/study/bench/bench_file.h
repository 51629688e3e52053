/* What the writer and the reader of runs agree on: doc/formats/bench.md. */
#ifndef CW_STUDY_BENCH_FILE_H
#define CW_STUDY_BENCH_FILE_H

#include "base/table.h"

CW_BEGIN_DECLS

/* Columns of the CSV. What describes a block comes first, so that rows of one block begin alike. */
enum cw_bench_column {
    CW_BENCH_COLUMN_BLOCK,
    CW_BENCH_COLUMN_SPLIT,
    CW_BENCH_COLUMN_RATIO,
    CW_BENCH_COLUMN_APPLICATION_RANKS,
    CW_BENCH_COLUMN_PERTURBING_RANKS,
    CW_BENCH_COLUMN_OPERATION,
    CW_BENCH_COLUMN_BYTES,
    CW_BENCH_COLUMN_ROOT,
    CW_BENCH_COLUMN_PERTURBATION,
    CW_BENCH_COLUMN_PERTURBATION_BYTES,
    CW_BENCH_COLUMN_STATE,
    CW_BENCH_COLUMN_ORDER,
    CW_BENCH_COLUMN_GOODPUT,
    CW_BENCH_COLUMN_CLOCK_ERROR,
    CW_BENCH_COLUMN_SAMPLE, /* from here on: of the sample */
    CW_BENCH_COLUMN_START,
    CW_BENCH_COLUMN_TIME,
    CW_BENCH_COLUMN_SLOWEST,
    CW_BENCH_COLUMN_STATUS,
    CW_BENCH_COLUMNS
};

extern const struct cw_column cw_bench_columns[CW_BENCH_COLUMNS];

/* Properties of the run in the metadata. */
#define CW_BENCH_FORMAT       "crosswind-bench"
#define CW_BENCH_VERSION      1
#define CW_BENCH_ROLE_LETTERS "-ap" /* by enum cw_bench_role */

CW_END_DECLS

#endif
