/*
 * The files of a run: CSV with a row a sample, and FILE-metadata.json beside it (doc/formats/bench.md). They are
 * written while it is measured, block by block, so that a run that is killed leaves what it has measured; all that is
 * there can be read. Of the CSV a last row that is cut off does not count.
 */
#ifndef CW_STUDY_BENCH_BENCH_FILE_H
#define CW_STUDY_BENCH_BENCH_FILE_H

#include "base/table.h"
#include "base/text.h"
#include "study/bench/bench_run.h"

CW_BEGIN_DECLS

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct cw_bench_writer;

/* Begins the file PATH, in place of one that is there, with what RUN knows so far; blocks that it has are written. The
 * writer borrows RUN. 0, CW_EIO or CW_ENOMEM. */
int cw_bench_writer_open(const char *path, const struct cw_bench_run *run, struct cw_bench_writer **out);

/* Writes the blocks that RUN has got since, and the metadata if it has got splits. They are in the files when it
 * returns. */
int cw_bench_writer_add(struct cw_bench_writer *writer);

/* Ends the file and writes the metadata as RUN is now; run->complete says whether it ended well. Frees the writer in
 * any case; accepts NULL. */
int cw_bench_writer_close(struct cw_bench_writer *writer);

/* Appends what the two files of a run hold. NAME: the CSV file, as the metadata call it. */
int cw_bench_run_csv(const struct cw_bench_run *run, struct cw_text *text);
int cw_bench_run_metadata(const struct cw_bench_run *run, const char *name, struct cw_text *text);

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Reads the CSV file PATH and PATH-metadata.json. OUT is given back with cw_bench_run_free. 0, CW_EIO, CW_EPARSE with
 * file and line, CW_ELIMIT or CW_ENOMEM. */
int cw_bench_read(const char *path, struct cw_bench_run *out);

/* Reads all PATHS[n], n ≥ 1, and merges them into one run. Also CW_EUSAGE: they were not measured alike. */
int cw_bench_read_all(const char *const *paths, size_t n, struct cw_bench_run *out);

/* The same from memory. CSV and METADATA are LENGTH and METADATA_LENGTH bytes; FILE is the name of the CSV. */
int cw_bench_parse(const char *file, const char *csv, size_t length, const char *metadata, size_t metadata_length,
                   struct cw_bench_run *out);

/* --- what both agree on ------------------------------------------------------------------------------------------- */

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
