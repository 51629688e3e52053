/*
 * Reads what study/bench/bench_writer.h has written, also of a run that was killed: of its CSV a last row that is cut
 * off does not count. doc/formats/bench.md says what is in the files.
 */
#ifndef CW_STUDY_BENCH_READER_H
#define CW_STUDY_BENCH_READER_H

#include "study/bench/bench_run.h"

CW_BEGIN_DECLS

/* Reads the CSV file PATH and PATH-metadata.json. OUT is given back with cw_bench_run_free. 0, CW_EIO, CW_EPARSE with
 * file and line, CW_ELIMIT or CW_ENOMEM. */
int cw_bench_read(const char *path, struct cw_bench_run *out);

/* Reads all PATHS[n], n ≥ 1, and merges them into one run. Also CW_EUSAGE: they were not measured alike. */
int cw_bench_read_all(const char *const *paths, size_t n, struct cw_bench_run *out);

/* The same from memory. CSV and METADATA are LENGTH and METADATA_LENGTH bytes; FILE is the name of the CSV. */
int cw_bench_parse(const char *file, const char *csv, size_t length, const char *metadata, size_t metadata_length,
                   struct cw_bench_run *out);

CW_END_DECLS

#endif
