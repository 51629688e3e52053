#include "base/result.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/results/result_content.h"
#include "base/version.h"

#define NOTE_WIDTH 80

int cw_result_new(struct cw_result **out)
{
    struct cw_result *result = cw_new_array(1, sizeof *result, "a result");
    if (!result) return CW_ENOMEM;
    *out = result;
    return 0;
}

void cw_result_free(struct cw_result *result)
{
    if (!result) return;
    for (size_t i = 0; i < result->n_tables; i++) cw_table_free(result->tables[i].table);
    for (size_t i = 0; i < result->n_notes; i++) free(result->notes[i]);
    for (size_t i = 0; i < result->n_figures; i++) cw_figure_free(&result->figures[i]);
    cw_inputs_free(&result->inputs);
    json_decref(result->properties);
    free(result->tables);
    free(result->figures);
    free(result->notes);
    for (int i = 0; i < CW_CONTEXTS; i++) free(result->context[i]);
    free(result->missing);
    free(result->stream_message);
    free(result->command);
    free(result->configuration);
    free(result->configured);
    free(result);
}

void cw_result_set_command(struct cw_result *result, const char *command, uint64_t seed)
{
    char *copy = cw_copy_text(command, strlen(command));
    if (!copy) result->failed = true;
    free(result->command);
    result->command = copy;
    result->seed = seed;
}

const char *cw_result_command(const struct cw_result *result)
{
    return result->command;
}

void cw_result_set_configuration(struct cw_result *result, const char *path, const char *options)
{
    free(result->configuration);
    free(result->configured);
    result->configuration = path ? cw_copy_text(path, strlen(path)) : NULL;
    result->configured = path ? cw_copy_text(options, strlen(options)) : NULL;
    if (path && (!result->configuration || !result->configured)) result->failed = true;
}

struct cw_inputs *cw_result_inputs(struct cw_result *result)
{
    return &result->inputs;
}

static int add_table(struct cw_result *result, struct cw_table *table, bool detail)
{
    int rc = cw_result_find_table(result, cw_table_name(table))
                 ? cw_fail(CW_EINTERNAL, "the result has a table '%s' already", cw_table_name(table))
                 : 0;
    void *tables = result->tables;
    if (!rc)
        rc = cw_grow_array(&tables, &result->capacity_tables, result->n_tables + 1, sizeof *result->tables,
                           "tables of a result");
    if (rc) {
        cw_table_free(table);
        return rc;
    }
    result->tables = tables;
    result->tables[result->n_tables++] = (struct cw_result_table){table, detail};
    if (result->write) cw_table_watch(table, cw_result_flush, result);
    if (result->write) cw_result_flush(result);
    return 0;
}

int cw_result_add_table(struct cw_result *result, struct cw_table *table)
{
    return add_table(result, table, false);
}

int cw_result_add_detail(struct cw_result *result, struct cw_table *table)
{
    return add_table(result, table, true);
}

void cw_result_note(struct cw_result *result, const char *format, ...)
{
    char *note = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&note, format, arguments) < 0) note = NULL;
    va_end(arguments);
    for (size_t i = 0; note && i < result->n_notes; i++)
        if (strcmp(result->notes[i], note) == 0) {
            free(note);
            return;
        }
    void *notes = result->notes;
    if (!note || cw_grow_array(&notes, &result->capacity_notes, result->n_notes + 1, sizeof *result->notes,
                               "notes of a result")) {
        result->failed = true;
        free(note);
        return;
    }
    result->notes = notes;
    result->notes[result->n_notes++] = note;
}

void cw_result_note_text(struct cw_result *result, struct cw_text *text)
{
    if (text->failed)
        result->failed = true;
    else
        cw_result_note(result, "%s", text->data ? text->data : "");
    cw_text_free(text);
}

size_t cw_result_notes(const struct cw_result *result)
{
    return result->n_notes;
}

const char *cw_result_note_at(const struct cw_result *result, size_t i)
{
    return result->notes[i];
}

void cw_result_set_property(struct cw_result *result, const char *name, struct json_t *value)
{
    if (!result->properties) result->properties = json_object();
    if (json_object_set_new(result->properties, name, value)) result->failed = true;
}

size_t cw_result_rows(const struct cw_result *result)
{
    size_t rows = 0;
    for (size_t i = 0; i < result->n_tables; i++) rows += cw_table_rows(result->tables[i].table);
    return rows;
}

size_t cw_result_tables(const struct cw_result *result)
{
    return result->n_tables;
}

const struct cw_table *cw_result_table(const struct cw_result *result, size_t i)
{
    return result->tables[i].table;
}

const struct cw_table *cw_result_find_table(const struct cw_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_tables; i++)
        if (strcmp(cw_table_name(result->tables[i].table), name) == 0) return result->tables[i].table;
    return NULL;
}

int cw_result_check(const struct cw_result *result)
{
    if (result->failed || result->inputs.remarks.failed)
        return cw_fail(CW_ENOMEM, "out of memory for the notes of a result");
    if (result->late) return cw_fail(CW_EINTERNAL, "the context of a result was set after its first row");
    for (size_t i = 0; i < result->n_tables; i++) {
        const int rc = cw_table_check(result->tables[i].table);
        if (rc) return rc;
    }
    return 0;
}

static void add_provenance(struct cw_text *text, const char *label, const char *value)
{
    cw_text_printf(text, "# %s", label);
    cw_text_add_visible(text, value, strlen(value));
}

/* A sentence, or several lines each wrapped for itself. Those that begin with two blanks are a list; with more, they
 * are whole, so that they can be copied. */
static void add_note(struct cw_text *text, const char *note, size_t width)
{
    struct cw_lines lines = cw_lines_of("", note, strlen(note));
    while (cw_lines_next(&lines)) {
        struct cw_text line = {0};
        cw_text_append(&line, lines.line, lines.length);
        if (cw_text_check(&line) != 0) text->failed = true;
        const size_t blanks = line.data ? strspn(line.data, " ") : 0;
        if (blanks > 0 && blanks != 2) {
            cw_text_add_visible(text, lines.line, lines.length);
        } else if (line.data) {
            cw_text_printf(text, "%*s", (int)blanks, "");
            cw_text_wrap(text, line.data + blanks, blanks, 2 * blanks, width);
        }
        cw_text_add(text, "\n");
        cw_text_free(&line);
    }
}

static int write_text(const struct cw_result *result, unsigned terminal_width, struct cw_text *text)
{
    for (size_t i = 0; i < result->n_tables; i++) {
        const char *whole = result->tables[i].detail ? "json" : "csv or json";
        const int rc = cw_table_write_text(result->tables[i].table, terminal_width, whole, text);
        if (rc) return rc;
        cw_text_add(text, "\n");
    }
    const size_t width = terminal_width > 0 ? terminal_width : NOTE_WIDTH;
    if (result->missing) {
        struct cw_text note = {0};
        cw_text_printf(&note, "INCOMPLETE: %s.", result->missing);
        text->failed |= note.failed;
        if (!note.failed) add_note(text, note.data, width);
        cw_text_free(&note);
    }
    for (size_t i = 0; i < result->n_notes; i++) add_note(text, result->notes[i], width);
    if (result->missing || result->n_notes > 0) cw_text_add(text, "\n");
    cw_text_printf(text, "# crosswind %s\n", cw_version());
    if (result->command) {
        add_provenance(text, "command: ", result->command);
        cw_text_printf(text, "\n# seed: %" PRIu64 "\n", result->seed);
    }
    if (result->configuration) {
        add_provenance(text, "configuration: ", result->configuration);
        cw_text_add(text, ": ");
        cw_text_add_visible(text, result->configured, strlen(result->configured));
        cw_text_add(text, "\n");
    }
    for (size_t i = 0; i < result->inputs.n; i++) {
        add_provenance(text, "input: ", result->inputs.items[i].path);
        cw_text_printf(text, " (SHA-256 %s)\n", result->inputs.items[i].sha256);
    }
    return cw_text_check(text);
}

static int write_csv(const struct cw_result *result, struct cw_text *text)
{
    struct cw_csv_state state = {0};
    cw_result_append_csv(result, &state, true, text);
    return cw_text_check(text);
}

int cw_result_write(const struct cw_result *result, enum cw_format format, unsigned terminal_width,
                    struct cw_text *text)
{
    const int rc = cw_result_check(result);
    if (rc) return rc;
    switch (format) {
    case CW_FORMAT_TEXT:
        return write_text(result, terminal_width, text);
    case CW_FORMAT_CSV:
        return write_csv(result, text);
    case CW_FORMAT_JSON:
        return cw_result_write_json(result, text);
    }
    return cw_fail(CW_EINTERNAL, "there is no format %d", (int)format);
}

/* --- what a result is about, and that it ended early -------------------------------------------------------------- */

const struct cw_column cw_context_columns[CW_CONTEXTS] = {
    [CW_CONTEXT_NETWORK] = {"network", CW_COLUMN_TEXT, NULL, "network, as given"},
    [CW_CONTEXT_ENDPOINTS] = {"endpoints", CW_COLUMN_INT, NULL, "endpoints that take part"},
    [CW_CONTEXT_ROUTES] = {"routes", CW_COLUMN_TEXT, NULL, "routing engine, or file of tables or paths"},
    [CW_CONTEXT_PLACEMENT] = {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    [CW_CONTEXT_TRAFFIC] = {"traffic", CW_COLUMN_TEXT, NULL, "pattern, collective or checked plan"},
    [CW_CONTEXT_BACKGROUND] = {"background", CW_COLUMN_TEXT, NULL, "what the perturbing endpoints send"},
    [CW_CONTEXT_SEED] = {"seed", CW_COLUMN_INT, NULL, "of all random choices"},
};

void cw_result_set_context(struct cw_result *result, enum cw_context what, const char *value)
{
    char *copy = value ? cw_copy_text(value, strlen(value)) : NULL;
    if (value && !copy) result->failed = true;
    if (result->streamed.any) result->late = true;
    free(result->context[what]);
    result->context[what] = copy;
}

void cw_result_set_context_number(struct cw_result *result, enum cw_context what, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    cw_result_set_context(result, what, digits);
}

bool cw_result_shows_context(const struct cw_result *result, const struct cw_table *table, enum cw_context what)
{
    if (!result->context[what]) return false;
    for (size_t c = 0; c < cw_table_columns(table); c++)
        if (strcmp(cw_table_column(table, c)->name, cw_context_columns[what].name) == 0) return false;
    return true;
}

const char *cw_result_end_early(struct cw_result *result, const char *reason)
{
    struct cw_text text = {0};
    cw_text_add(&text, reason);
    for (size_t i = 0; i < result->n_tables; i++) {
        struct cw_table *table = result->tables[i].table;
        cw_table_cut(table);
        if (cw_table_rows(table) < cw_table_expected(table))
            cw_text_printf(&text, "; table %s has %zu of %zu rows", cw_table_name(table), cw_table_rows(table),
                           cw_table_expected(table));
    }
    free(result->missing);
    result->missing = text.data;
    result->failed |= cw_text_check(&text) != 0;
    return result->missing ? result->missing : "";
}
