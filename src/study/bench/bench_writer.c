#include "base/text.h"
#include "study/bench/bench_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/result.h"

const struct cw_column cw_bench_columns[CW_BENCH_COLUMNS] = {
    {"block", CW_COLUMN_INT, NULL, "Calls measured without interruption, counted from 0"},
    {"split", CW_COLUMN_INT, NULL, "Which ranks are application and perturbation: index among the splits"},
    {"ratio", CW_COLUMN_REAL, NULL, "Perturbation ratio that was asked for"},
    {"application_ranks", CW_COLUMN_INT, NULL, "Ranks that the operation is measured on"},
    {"perturbing_ranks", CW_COLUMN_INT, NULL, "Ranks that perturb"},
    {"operation", CW_COLUMN_TEXT, NULL, "Collective operation"},
    {"bytes", CW_COLUMN_INT, "byte", "Size of the operation"},
    {"root", CW_COLUMN_INT, NULL, "Root among the application's ranks"},
    {"perturbation", CW_COLUMN_TEXT, NULL, "Who perturbs whom"},
    {"perturbation_bytes", CW_COLUMN_INT, "byte", "Size of a perturbing message"},
    {"state", CW_COLUMN_TEXT, NULL, "clean, perturbed, or control: perturbed over other cables only"},
    {"order", CW_COLUMN_INT, NULL, "Place among the blocks that were measured together, from 0"},
    {"goodput", CW_COLUMN_REAL, "byte/s", "What a perturbing rank received, mean"},
    {"clock_error", CW_COLUMN_REAL, "s", "Bound of the error of the synchronised clock"},
    {"sample", CW_COLUMN_INT, NULL, "Call within its block, from 0"},
    {"start", CW_COLUMN_REAL, "s", "Start of the first rank since the run began"},
    {"time", CW_COLUMN_REAL, "s", "From the first rank's start to the last rank's end"},
    {"slowest", CW_COLUMN_REAL, "s", "What the slowest rank took by itself"},
    {"status", CW_COLUMN_TEXT, NULL, "ok, or why the sample does not count: late, expired, uncovered"},
};

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

static void add_header(struct cw_text *text)
{
    for (int c = 0; c < CW_BENCH_COLUMNS; c++) cw_text_printf(text, "%s%s", c > 0 ? "," : "", cw_bench_columns[c].name);
    cw_text_add(text, "\n");
}

/* A number and a comma; nothing where there is none. */
static void add_real(struct cw_text *text, double value)
{
    if (isfinite(value)) cw_json_add_real(text, value);
    cw_text_add(text, ",");
}

/* What rows of block B have in common. */
static void add_common(const struct cw_bench_run *run, size_t b, struct cw_text *text)
{
    const struct cw_bench_block *block = &run->blocks[b];
    const struct cw_bench_case *one = &run->cases[block->case_index];
    const struct cw_bench_split *split = &run->splits[block->split];
    cw_text_printf(text, "%zu,%" PRIu32 ",", b, block->split);
    add_real(text, one->ratio);
    cw_text_printf(text, "%" PRIu32 ",%" PRIu32 ",", split->n_application, split->n_perturbing);
    cw_text_printf(text, "%s,%" PRIu64 ",%" PRIu32 ",", one->operation, one->bytes, one->root);
    cw_text_printf(text, "%s,%" PRIu64 ",", one->perturbation, one->perturbation_bytes);
    cw_text_printf(text, "%s,%" PRIu32 ",", cw_bench_state_names[block->state], block->order);
    add_real(text, block->goodput);
    add_real(text, block->clock_error);
}

static void add_block(const struct cw_bench_run *run, size_t b, struct cw_text *text)
{
    struct cw_text common = {0};
    add_common(run, b, &common);
    text->failed |= common.failed;
    for (size_t i = 0; i < run->blocks[b].n_samples && !text->failed; i++) {
        const struct cw_bench_sample *sample = &run->samples[run->blocks[b].first_sample + i];
        cw_text_append(text, common.data, common.length);
        cw_text_printf(text, "%zu,", i);
        add_real(text, sample->start);
        add_real(text, sample->time);
        add_real(text, sample->slowest);
        cw_text_printf(text, "%s\n", cw_bench_status_names[sample->status]);
    }
    cw_text_free(&common);
}

int cw_bench_run_csv(const struct cw_bench_run *run, struct cw_text *text)
{
    add_header(text);
    for (size_t b = 0; b < run->n_blocks; b++) add_block(run, b, text);
    return cw_text_check(text);
}

/* --- metadata ----------------------------------------------------------------------------------------------------- */

static json_t *hosts_json(const struct cw_bench_run *run)
{
    json_t *hosts = json_array();
    for (uint32_t r = 0; r < run->n_ranks; r++) cw_json_append(&hosts, cw_json_string(run->hosts[r]));
    return hosts;
}

/* A letter a rank: thousands of ranks and splits stay readable. */
static json_t *split_json(const struct cw_bench_run *run, const struct cw_bench_split *split)
{
    struct cw_text letters = {0};
    for (uint32_t r = 0; r < run->n_ranks; r++) cw_text_append(&letters, &CW_BENCH_ROLE_LETTERS[split->roles[r]], 1);
    json_t *string = letters.failed ? NULL : cw_json_string(letters.data);
    cw_text_free(&letters);
    return string;
}

static json_t *splits_json(const struct cw_bench_run *run)
{
    json_t *splits = json_array();
    for (size_t s = 0; s < run->n_splits; s++) cw_json_append(&splits, split_json(run, &run->splits[s]));
    return splits;
}

static int add_samples_table(struct cw_result *result)
{
    struct cw_table *table;
    const int rc = cw_table_new("samples", "Calls, one a row", cw_bench_columns, CW_BENCH_COLUMNS, &table);
    return rc ? rc : cw_result_add_table(result, table);
}

int cw_bench_run_metadata(const struct cw_bench_run *run, const char *name, struct cw_text *text)
{
    struct cw_result *result;
    int rc = cw_result_new(&result);
    if (rc) return rc;
    rc = add_samples_table(result);
    if (run->command) cw_result_set_command(result, run->command, run->seed);
    cw_result_set_property(result, "format", cw_json_string(CW_BENCH_FORMAT));
    cw_result_set_property(result, "version", json_integer(CW_BENCH_VERSION));
    cw_result_set_property(result, "complete", json_boolean(run->complete));
    cw_result_set_property(result, "conditions", json_incref(run->conditions));
    cw_result_set_property(result, "environment", json_incref(run->environment));
    cw_result_set_property(result, "hosts", hosts_json(run));
    cw_result_set_property(result, "splits", splits_json(run));
    if (!rc) rc = cw_result_write_metadata(result, name, text);
    cw_result_free(result);
    return rc;
}

/* --- the file while it is measured -------------------------------------------------------------------------------- */

struct cw_bench_writer {
    char *path;
    int descriptor;
    const struct cw_bench_run *run;
    size_t blocks, splits; /* that are in the files */
};

static int write_metadata(struct cw_bench_writer *writer)
{
    struct cw_text beside = {0}, text = {0};
    const char *slash = strrchr(writer->path, '/');
    cw_text_printf(&beside, "%s-metadata.json", writer->path);
    int rc = cw_text_check(&beside);
    if (!rc) rc = cw_bench_run_metadata(writer->run, slash ? slash + 1 : writer->path, &text);
    if (!rc) rc = cw_file_write_beside(beside.data, &text);
    if (!rc) writer->splits = writer->run->n_splits;
    cw_text_free(&beside);
    cw_text_free(&text);
    return rc;
}

/* Appends TEXT to the file, now. */
static int flush(struct cw_bench_writer *writer, struct cw_text *text)
{
    const int rc = cw_file_append(writer->descriptor, writer->path, text);
    cw_text_free(text);
    return rc;
}

int cw_bench_writer_add(struct cw_bench_writer *writer)
{
    struct cw_text text = {0};
    /* First what the rows refer to. */
    int rc = writer->run->n_splits > writer->splits ? write_metadata(writer) : 0;
    for (; writer->blocks < writer->run->n_blocks && !rc; writer->blocks++) {
        add_block(writer->run, writer->blocks, &text);
        rc = flush(writer, &text);
    }
    return rc;
}

static int begin(struct cw_bench_writer *writer)
{
    struct cw_text header = {0};
    int rc = cw_file_begin(writer->path, false, &writer->descriptor);
    if (rc) return rc;
    add_header(&header);
    rc = flush(writer, &header);
    if (!rc) rc = write_metadata(writer);
    return rc ? rc : cw_bench_writer_add(writer);
}

static void free_writer(struct cw_bench_writer *writer)
{
    if (writer->descriptor >= 0) close(writer->descriptor);
    free(writer->path);
    free(writer);
}

int cw_bench_writer_open(const char *path, const struct cw_bench_run *run, struct cw_bench_writer **out)
{
    struct cw_bench_writer *writer = cw_new_array(1, sizeof *writer, "a writer of runs");
    if (!writer) return CW_ENOMEM;
    writer->run = run;
    writer->descriptor = -1;
    writer->path = cw_copy_text(path, strlen(path));
    const int rc = writer->path ? begin(writer) : CW_ENOMEM;
    if (rc)
        free_writer(writer);
    else
        *out = writer;
    return rc;
}

int cw_bench_writer_close(struct cw_bench_writer *writer)
{
    if (!writer) return 0;
    int rc = cw_bench_writer_add(writer);
    if (!rc) rc = write_metadata(writer);
    free_writer(writer);
    return rc;
}
