/*
 * Writes a run while it is measured: FILE, CSV with a row a sample, and FILE-metadata.json beside it
 * (doc/formats/bench.md). Each block is in the file when cw_bench_writer_add returns, so that a run that is killed
 * leaves what it has measured; all that is there can be read (study/bench/bench_reader.h).
 */
#ifndef CW_STUDY_BENCH_WRITER_H
#define CW_STUDY_BENCH_WRITER_H

#include "base/text.h"
#include "study/bench/bench_run.h"

CW_BEGIN_DECLS

struct cw_bench_writer;

/* Begins the file PATH, in place of one that is there, with what RUN knows so far; blocks that it has are written. The
 * writer borrows RUN. 0, CW_EIO or CW_ENOMEM. */
int cw_bench_writer_open(const char *path, const struct cw_bench_run *run, struct cw_bench_writer **out);

/* Writes the blocks that RUN has got since, and the metadata if it has got splits. */
int cw_bench_writer_add(struct cw_bench_writer *writer);

/* Ends the file and writes the metadata as RUN is now; run->complete says whether it ended well. Frees the writer in
 * any case; accepts NULL. */
int cw_bench_writer_close(struct cw_bench_writer *writer);

/* Appends what the two files of a run hold. NAME: the CSV file, as the metadata call it. */
int cw_bench_run_csv(const struct cw_bench_run *run, struct cw_text *text);
int cw_bench_run_metadata(const struct cw_bench_run *run, const char *name, struct cw_text *text);

CW_END_DECLS

#endif
