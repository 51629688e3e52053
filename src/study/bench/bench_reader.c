#include "study/bench/bench_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

/* --- metadata ----------------------------------------------------------------------------------------------------- */

/* The value of the property NAME of ACTIVITY, or NULL. */
static json_t *property(const json_t *activity, const char *name)
{
    const json_t *list = json_object_get(activity, "schema:additionalProperty");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i), *key = json_object_get(one, "schema:name");
        if (json_is_string(key) && strcmp(json_string_value(key), name) == 0)
            return json_object_get(one, "schema:value");
    }
    return NULL;
}

static int fail_property(const char *file, const char *name, const char *expected)
{
    return cw_fail_at(file, 0, "property '%s' of the run is missing or wrong, expected %s", name, expected);
}

static int check_format(const char *file, const json_t *activity)
{
    const json_t *format = property(activity, "format"), *version = property(activity, "version");
    if (!json_is_string(format) || strcmp(json_string_value(format), CW_BENCH_FORMAT) != 0)
        return cw_fail_at(file, 0, "no metadata of a run of crosswind-mpi bench, expected the property format \"%s\"",
                          CW_BENCH_FORMAT);
    if (json_integer_value(version) != CW_BENCH_VERSION)
        return fail_property(file, "version", "1: this program knows no other");
    return 0;
}

static int read_hosts(const char *file, const json_t *activity, struct cw_bench_run *run)
{
    json_t *conditions = property(activity, "conditions"), *environment = property(activity, "environment");
    const json_t *list = property(activity, "hosts");
    const size_t n = json_array_size(list);
    if (n == 0 || n > UINT32_MAX) return fail_property(file, "hosts", "a list of the names of hosts by rank");
    if (!json_is_object(conditions)) return fail_property(file, "conditions", "an object");
    if (!json_is_object(environment)) return fail_property(file, "environment", "an object");
    const char **hosts = cw_new_array(n, sizeof *hosts, "names of hosts");
    int rc = hosts ? 0 : CW_ENOMEM;
    for (size_t r = 0; r < n && !rc; r++) {
        hosts[r] = json_string_value(json_array_get(list, r));
        if (!hosts[r]) rc = fail_property(file, "hosts", "a list of the names of hosts by rank");
    }
    if (!rc) rc = cw_bench_run_begin(run, (uint32_t)n, hosts, json_incref(conditions), json_incref(environment));
    free(hosts);
    return rc;
}

/* ROLES[n_ranks] gets what LETTERS say. */
static int read_roles(const char *file, size_t split, const json_t *letters, uint32_t n_ranks, uint8_t *roles)
{
    const char *text = json_is_string(letters) ? json_string_value(letters) : "";
    if (strlen(text) != n_ranks || strspn(text, CW_BENCH_ROLE_LETTERS) != n_ranks)
        return cw_fail_at(file, 0, "split %zu is not a text of %u letters '-', 'a' or 'p', one a rank", split, n_ranks);
    for (uint32_t r = 0; r < n_ranks; r++)
        roles[r] = (uint8_t)(strchr(CW_BENCH_ROLE_LETTERS, text[r]) - CW_BENCH_ROLE_LETTERS);
    return 0;
}

static int read_splits(const char *file, const json_t *activity, struct cw_bench_run *run)
{
    const json_t *list = property(activity, "splits");
    if (!json_is_array(list)) return fail_property(file, "splits", "a list");
    uint8_t *roles = cw_new_array(run->n_ranks, 1, "roles of ranks");
    int rc = roles ? 0 : CW_ENOMEM;
    for (size_t s = 0; s < json_array_size(list) && !rc; s++) {
        uint32_t index;
        rc = read_roles(file, s, json_array_get(list, s), run->n_ranks, roles);
        if (!rc) rc = cw_bench_run_split(run, roles, &index);
        if (rc == CW_EUSAGE) rc = cw_fail_at(file, 0, "split %zu has no rank of the application", s);
        if (!rc && index != s) rc = cw_fail_at(file, 0, "split %zu is split %u again", s, index);
    }
    free(roles);
    return rc;
}

static int copy_member(const json_t *object, const char *key, char **out)
{
    const char *text = json_string_value(json_object_get(object, key));
    *out = text ? cw_copy_text(text, strlen(text)) : NULL;
    return !text || *out ? 0 : CW_ENOMEM;
}

static int read_metadata(const char *file, const char *data, size_t length, struct cw_bench_run *run)
{
    json_t *root;
    int rc = cw_json_read(file, data, length, &root);
    if (rc) return rc;
    const json_t *activity = json_object_get(root, "prov:wasGeneratedBy");
    rc = check_format(file, activity);
    if (!rc) rc = copy_member(activity, "schema:softwareVersion", &run->version);
    if (!rc) rc = copy_member(activity, "schema:description", &run->command);
    if (!rc) rc = read_hosts(file, activity, run);
    if (!rc) rc = read_splits(file, activity, run);
    const json_t *seed = property(activity, "seed"); /* above 2^63-1 a text of its digits */
    run->seed = json_is_string(seed) ? strtoull(json_string_value(seed), NULL, 10) : (uint64_t)json_integer_value(seed);
    run->complete = json_is_true(property(activity, "complete"));
    json_decref(root);
    return rc;
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

#define ROW_LENGTH 1024 /* bytes; the writer's rows are shorter than 500 */

struct reading {
    struct cw_lines lines;
    struct cw_bench_run *run;
    char row[ROW_LENGTH]; /* with a 0 for each comma */
    char *fields[CW_BENCH_COLUMNS];
    char common[ROW_LENGTH]; /* what the rows of the current block begin with; empty: there is none */
    size_t common_length;
    int64_t number; /* of the block */
    struct cw_bench_block block;
    struct cw_bench_sample *samples; /* of the block so far */
    size_t n_samples, capacity;
};

static int fail_field(const struct reading *reading, enum cw_bench_column column, const char *expected)
{
    return cw_fail_at(reading->lines.file, reading->lines.number, "%s is '%s', expected %s",
                      cw_bench_columns[column].name, reading->fields[column], expected);
}

/* A whole number from 0 to MOST. */
static int read_whole(const struct reading *reading, enum cw_bench_column column, int64_t most, int64_t *out)
{
    char expected[64];
    int64_t value;
    if (cw_parse_int("", reading->fields[column], &value) == 0 && value >= 0 && value <= most) {
        *out = value;
        return 0;
    }
    snprintf(expected, sizeof expected, "a whole number from 0 to %lld", (long long)most);
    return fail_field(reading, column, expected);
}

static int read_real(const struct reading *reading, enum cw_bench_column column, double *out)
{
    return cw_parse_real("", reading->fields[column], out) ? fail_field(reading, column, "a number") : 0;
}

/* A number that is not negative, or nothing: NaN. */
static int read_optional(const struct reading *reading, enum cw_bench_column column, double *out)
{
    *out = NAN;
    if (!*reading->fields[column]) return 0;
    const int rc = read_real(reading, column, out);
    return rc || *out >= 0 ? rc : fail_field(reading, column, "0 or more");
}

static int read_choice(const struct reading *reading, enum cw_bench_column column, const char *const *names,
                       const char *expected, unsigned *out)
{
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], reading->fields[column]) != 0) continue;
        *out = i;
        return 0;
    }
    return fail_field(reading, column, expected);
}

static int read_name(const struct reading *reading, enum cw_bench_column column, char name[CW_BENCH_NAME_SIZE])
{
    const size_t length = strlen(reading->fields[column]);
    if (length >= CW_BENCH_NAME_SIZE) return fail_field(reading, column, "a name of at most 23 letters");
    memcpy(name, reading->fields[column], length + 1);
    return 0;
}

static int read_case(struct reading *reading)
{
    struct cw_bench_case one = {.root = 0};
    int64_t root, bytes, perturbation_bytes;
    int rc = read_real(reading, CW_BENCH_COLUMN_RATIO, &one.ratio);
    if (!rc) rc = read_name(reading, CW_BENCH_COLUMN_OPERATION, one.operation);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_BYTES, INT64_MAX, &bytes);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_ROOT, UINT32_MAX, &root);
    if (!rc) rc = read_name(reading, CW_BENCH_COLUMN_PERTURBATION, one.perturbation);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_PERTURBATION_BYTES, INT64_MAX, &perturbation_bytes);
    if (rc) return rc;
    one.root = (uint32_t)root;
    one.bytes = (uint64_t)bytes;
    one.perturbation_bytes = (uint64_t)perturbation_bytes;
    if (cw_bench_case_check(&one))
        return cw_fail_at(reading->lines.file, reading->lines.number,
                          "operation, perturbation or ratio is impossible, expected names and a ratio from 0 to 1");
    return cw_bench_run_case(reading->run, &one, &reading->block.case_index);
}

static int read_split(struct reading *reading)
{
    int64_t index, application, perturbing;
    int rc = read_whole(reading, CW_BENCH_COLUMN_SPLIT, (int64_t)reading->run->n_splits - 1, &index);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_APPLICATION_RANKS, UINT32_MAX, &application);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_PERTURBING_RANKS, UINT32_MAX, &perturbing);
    if (rc) return rc;
    const struct cw_bench_split *split = &reading->run->splits[index];
    reading->block.split = (uint32_t)index;
    if (application == split->n_application && perturbing == split->n_perturbing) return 0;
    return cw_fail_at(
        reading->lines.file, reading->lines.number,
        "split %lld has %lld ranks of the application and %lld that perturb, expected %u and %u as in the "
        "metadata",
        (long long)index, (long long)application, (long long)perturbing, split->n_application, split->n_perturbing);
}

/* The block that is at its end goes into the run. */
static int end_block(struct reading *reading)
{
    if (reading->n_samples == 0) return 0;
    const int rc = cw_bench_run_block(reading->run, &reading->block, reading->samples, reading->n_samples);
    reading->n_samples = 0;
    return rc;
}

static int begin_block(struct reading *reading)
{
    int64_t number, order;
    unsigned state;
    int rc = end_block(reading);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_BLOCK, INT64_MAX, &number);
    if (!rc && number <= reading->number) rc = fail_field(reading, CW_BENCH_COLUMN_BLOCK, "one after the block before");
    if (!rc) rc = read_split(reading);
    if (!rc) rc = read_case(reading);
    if (!rc)
        rc = read_choice(reading, CW_BENCH_COLUMN_STATE, cw_bench_state_names, "clean, perturbed or control", &state);
    if (!rc) rc = read_whole(reading, CW_BENCH_COLUMN_ORDER, UINT32_MAX, &order);
    if (!rc) rc = read_optional(reading, CW_BENCH_COLUMN_GOODPUT, &reading->block.goodput);
    if (!rc) rc = read_optional(reading, CW_BENCH_COLUMN_CLOCK_ERROR, &reading->block.clock_error);
    if (rc) return rc;
    reading->number = number;
    reading->block.state = (enum cw_bench_state)state;
    reading->block.order = (uint32_t)order;
    return 0;
}

static int read_sample(struct reading *reading)
{
    struct cw_bench_sample sample;
    int64_t number;
    unsigned status;
    int rc = read_whole(reading, CW_BENCH_COLUMN_SAMPLE, INT64_MAX, &number);
    if (!rc && (uint64_t)number != reading->n_samples) rc = fail_field(reading, CW_BENCH_COLUMN_SAMPLE, "the next one");
    if (!rc) rc = read_real(reading, CW_BENCH_COLUMN_START, &sample.start);
    if (!rc) rc = read_real(reading, CW_BENCH_COLUMN_TIME, &sample.time);
    if (!rc) rc = read_real(reading, CW_BENCH_COLUMN_SLOWEST, &sample.slowest);
    if (!rc)
        rc = read_choice(reading, CW_BENCH_COLUMN_STATUS, cw_bench_status_names, "ok, late, expired or uncovered",
                         &status);
    if (rc) return rc;
    sample.status = (enum cw_bench_status)status;
    if (!(sample.time > 0)) return fail_field(reading, CW_BENCH_COLUMN_TIME, "more than 0");
    if (!(sample.slowest >= 0)) return fail_field(reading, CW_BENCH_COLUMN_SLOWEST, "0 or more");
    void *samples = reading->samples;
    rc = cw_grow_array(&samples, &reading->capacity, reading->n_samples + 1, sizeof sample, "samples of a block");
    reading->samples = samples;
    if (!rc) reading->samples[reading->n_samples++] = sample;
    return rc;
}

/* Cuts the row into its fields. */
static int cut_row(struct reading *reading)
{
    const struct cw_lines *lines = &reading->lines;
    size_t n = 0;
    if (lines->length < ROW_LENGTH) {
        memcpy(reading->row, lines->line, lines->length);
        reading->row[lines->length] = '\0';
        for (char *at = reading->row; at && n <= CW_BENCH_COLUMNS; n++) {
            if (n < CW_BENCH_COLUMNS) reading->fields[n] = at;
            at = strchr(at, ',');
            if (at) *at++ = '\0';
        }
    }
    return n == CW_BENCH_COLUMNS
               ? 0
               : cw_fail_at(lines->file, lines->number, "no row of %d values as the header says", CW_BENCH_COLUMNS);
}

static int read_row(struct reading *reading)
{
    const struct cw_lines *lines = &reading->lines;
    int rc = cut_row(reading);
    if (rc) return rc;
    if (reading->common_length > 0 && lines->length > reading->common_length &&
        memcmp(lines->line, reading->common, reading->common_length) == 0)
        return read_sample(reading);
    rc = begin_block(reading);
    if (rc) return rc;
    reading->common_length = (size_t)(reading->fields[CW_BENCH_COLUMN_SAMPLE] - reading->row);
    memcpy(reading->common, lines->line, reading->common_length);
    return read_sample(reading);
}

static int check_header(struct cw_lines *lines)
{
    struct cw_text expected = {0};
    for (int c = 0; c < CW_BENCH_COLUMNS; c++)
        cw_text_printf(&expected, "%s%s", c > 0 ? "," : "", cw_bench_columns[c].name);
    int rc = cw_text_check(&expected);
    if (!rc && !(cw_lines_next(lines) && lines->length == expected.length &&
                 memcmp(lines->line, expected.data, expected.length) == 0))
        rc = cw_fail_at(lines->file, 1, "no samples of crosswind-mpi bench, expected the header %s", expected.data);
    cw_text_free(&expected);
    return rc;
}

static int read_rows(const char *file, const char *csv, size_t length, struct cw_bench_run *run)
{
    struct reading *reading = cw_new_array(1, sizeof *reading, "a reader of runs");
    if (!reading) return CW_ENOMEM;
    *reading = (struct reading){.lines = cw_lines_of(file, csv, length), .run = run, .number = -1};
    int rc = check_header(&reading->lines);
    while (!rc && cw_lines_next(&reading->lines)) {
        const bool cut_off = reading->lines.next == csv + length && csv[length - 1] != '\n';
        if (cut_off && !run->complete) break;
        rc = read_row(reading);
    }
    if (!rc) rc = end_block(reading);
    free(reading->samples);
    free(reading);
    return rc;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

int cw_bench_parse(const char *file, const char *csv, size_t length, const char *metadata, size_t metadata_length,
                   struct cw_bench_run *out)
{
    struct cw_bench_run run = {.name = cw_copy_text(file, strlen(file))};
    struct cw_text beside = {0};
    cw_text_printf(&beside, "%s-metadata.json", file);
    int rc = run.name ? cw_text_check(&beside) : CW_ENOMEM;
    if (!rc) rc = read_metadata(beside.data, metadata, metadata_length, &run);
    if (!rc) rc = read_rows(file, csv, length, &run);
    cw_text_free(&beside);
    if (rc)
        cw_bench_run_free(&run);
    else
        *out = run;
    return rc;
}

int cw_bench_read(const char *path, struct cw_bench_run *out)
{
    struct cw_text csv = {0}, metadata = {0}, beside = {0};
    cw_text_printf(&beside, "%s-metadata.json", path);
    int rc = cw_text_check(&beside);
    if (!rc) rc = cw_file_read(path, &csv);
    if (!rc) rc = cw_file_read(beside.data, &metadata);
    if (!rc) rc = cw_bench_parse(path, csv.data, csv.length, metadata.data, metadata.length, out);
    cw_text_free(&csv);
    cw_text_free(&metadata);
    cw_text_free(&beside);
    return rc;
}

int cw_bench_read_all(const char *const *paths, size_t n, struct cw_bench_run *out)
{
    struct cw_bench_run all = {0};
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        struct cw_bench_run one;
        rc = cw_bench_read(paths[i], &one);
        if (rc) break;
        rc = cw_bench_run_merge(&all, &one);
        cw_bench_run_free(&one);
    }
    if (rc)
        cw_bench_run_free(&all);
    else
        *out = all;
    return rc;
}
