/* Tables as CSV, and results, whose rows begin with their context, all at once or row by row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/results/result_content.h"
#include "base/table.h"

/* RFC 4180 asks for quotes around commas, quotes and line ends; many readers trim blanks at the ends; and the empty
 * text must differ from a missing cell. */
static bool needs_quotes(const char *text)
{
    const size_t length = strlen(text);
    return length == 0 || text[strcspn(text, ",\"\r\n")] || text[0] == ' ' || text[length - 1] == ' ';
}

static void add_field(struct cw_text *text, const char *field)
{
    if (!needs_quotes(field)) {
        cw_text_add(text, field);
        return;
    }
    cw_text_add(text, "\"");
    for (;;) {
        const size_t length = strcspn(field, "\"");
        cw_text_append(text, field, length);
        if (!field[length]) break;
        cw_text_add(text, "\"\"");
        field += length + 1;
    }
    cw_text_add(text, "\"");
}

/* Fields of a line. */
static size_t table_fields(const struct cw_table *table)
{
    size_t n = 0;
    for (size_t c = 0; c < cw_table_columns(table); c++) n += !cw_table_column(table, c)->measured;
    return n;
}

static void add_cell(const struct cw_table *table, size_t row, size_t column, struct cw_text *text)
{
    if (cw_table_cell_missing(table, row, column)) {
        if (table_fields(table) == 1) cw_text_add(text, "\"\""); /* an empty line would end the table */
        return;
    }
    switch (cw_table_column(table, column)->type) {
    case CW_COLUMN_TEXT:
        add_field(text, cw_table_cell_text(table, row, column));
        break;
    case CW_COLUMN_INT:
        cw_text_printf(text, "%" PRId64, cw_table_cell_int(table, row, column));
        break;
    case CW_COLUMN_REAL:
        cw_text_printf(text, "%.10g", cw_table_cell_real(table, row, column));
        break;
    }
}

static void add_columns(const struct cw_table *table, struct cw_text *text)
{
    const char *separator = "";
    for (size_t c = 0; c < cw_table_columns(table); c++) {
        const struct cw_column *column = cw_table_column(table, c);
        if (column->measured) continue;
        cw_text_add(text, separator);
        add_field(text, column->name);
        separator = ",";
    }
    cw_text_add(text, "\n");
}

static void add_cells(const struct cw_table *table, size_t row, struct cw_text *text)
{
    const char *separator = "";
    for (size_t c = 0; c < cw_table_columns(table); c++) {
        if (cw_table_column(table, c)->measured) continue;
        cw_text_add(text, separator);
        add_cell(table, row, c, text);
        separator = ",";
    }
    cw_text_add(text, "\n");
}

int cw_table_write_csv(const struct cw_table *table, struct cw_text *text)
{
    const int rc = cw_table_check(table);
    if (rc) return rc;
    add_columns(table, text);
    for (size_t r = 0; r < cw_table_rows(table); r++) add_cells(table, r, text);
    return cw_text_check(text);
}

int cw_table_save_csv(const struct cw_table *table, const char *path)
{
    struct cw_text text = {0};
    int rc = cw_table_write_csv(table, &text);
    if (rc == 0) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

static void add_header(const struct cw_result *result, const struct cw_table *table, struct cw_text *text)
{
    for (enum cw_context i = 0; i < CW_CONTEXTS; i++)
        if (cw_result_shows_context(result, table, i)) cw_text_printf(text, "%s,", cw_context_columns[i].name);
    add_columns(table, text);
}

static void add_row(const struct cw_result *result, const struct cw_table *table, size_t row, struct cw_text *text)
{
    for (enum cw_context i = 0; i < CW_CONTEXTS; i++) {
        if (!cw_result_shows_context(result, table, i)) continue;
        add_field(text, result->context[i]);
        cw_text_add(text, ",");
    }
    add_cells(table, row, text);
}

void cw_result_append_csv(const struct cw_result *result, struct cw_csv_state *state, bool last, struct cw_text *text)
{
    for (; state->table < result->n_tables; state->table++, state->row = 0, state->begun = false) {
        const struct cw_table *table = result->tables[state->table].table;
        const size_t rows = cw_table_rows(table);
        if (result->tables[state->table].detail) continue;
        if (!last && rows == 0) return;
        if (!state->begun) {
            if (state->any) cw_text_add(text, "\n");
            add_header(result, table, text);
        }
        state->begun = state->any = true;
        for (; state->row < rows; state->row++) add_row(result, table, state->row, text);
        if (!last && rows != cw_table_expected(table)) return; /* more may come */
    }
}

void cw_result_append_table(const struct cw_result *result, const struct cw_table *table, struct cw_text *text)
{
    add_header(result, table, text);
    for (size_t row = 0; row < cw_table_rows(table); row++) add_row(result, table, row, text);
}

static void stream(struct cw_result *result, bool last)
{
    struct cw_text text = {0};
    cw_result_append_csv(result, &result->streamed, last, &text);
    int rc = result->failed ? cw_result_check(result) : cw_text_check(&text); /* its context may lack something */
    if (!rc && text.length > 0 && !result->stream_error) rc = result->write(result->write_context, &text);
    cw_text_free(&text);
    if (!rc || result->stream_error) return;
    const char *message = cw_error_message();
    result->stream_error = rc;
    result->stream_message = cw_copy_text(message, strlen(message));
}

void cw_result_flush(void *result)
{
    stream(result, false);
}

void cw_result_stream(struct cw_result *result, int (*write)(void *context, const struct cw_text *text), void *context)
{
    result->write = write;
    result->write_context = context;
    for (size_t i = 0; i < result->n_tables; i++) cw_table_watch(result->tables[i].table, cw_result_flush, result);
    stream(result, false);
}

int cw_result_end_stream(struct cw_result *result)
{
    int rc = cw_result_check(result);
    if (rc) return rc;
    stream(result, true);
    for (size_t i = 0; i < result->n_tables; i++) cw_table_watch(result->tables[i].table, NULL, NULL);
    result->write = NULL;
    if (result->stream_error)
        rc = cw_fail(result->stream_error, "%s", result->stream_message ? result->stream_message : "out of memory");
    return rc;
}
