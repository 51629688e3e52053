/* Runs of the noise benchmark: metadata, a line "---", and CSV. What is accepted is written again and read again as it
 * is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "study/bench/bench_file.h"

struct files {
    struct cw_text csv, metadata;
};

static struct files write_run(const struct cw_bench_run *run)
{
    struct files files = {0};
    if (cw_bench_run_csv(run, &files.csv) != 0) abort();
    if (cw_bench_run_metadata(run, "again", &files.metadata) != 0) abort();
    return files;
}

/* RUN, written and read. */
static void rewrite(struct cw_bench_run *run, struct files *files)
{
    struct cw_bench_run again;
    *files = write_run(run);
    if (cw_bench_parse("again", files->csv.data, files->csv.length, files->metadata.data, files->metadata.length,
                       &again) != 0)
        abort();
    cw_bench_run_free(run);
    *run = again;
}

static void free_files(struct files *files)
{
    cw_text_free(&files->csv);
    cw_text_free(&files->metadata);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char border[] = "\n---\n";
    const char *text = (const char *)data, *at = memmem(text, size, border, strlen(border));
    const size_t metadata = at ? (size_t)(at - text) : size, csv = at ? metadata + strlen(border) : size;
    struct cw_bench_run run;
    if (cw_bench_parse("fuzz", text + csv, size - csv, text, metadata, &run) == 0) {
        struct files first, second;
        rewrite(&run, &first);
        rewrite(&run, &second);
        if (strcmp(first.csv.data, second.csv.data) != 0) abort();
        free_files(&first);
        free_files(&second);
        cw_bench_run_free(&run);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
    return 0;
}
