/* Results as CSV, all at once or row by row. */
#include <stdlib.h>
#include <string.h>

#include "base/csv_internal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/result_content.h"

static void add_header(const struct cw_result *result, const struct cw_table *table, struct cw_text *text)
{
    for (enum cw_context i = 0; i < CW_CONTEXTS; i++)
        if (cw_result_shows_context(result, table, i)) cw_text_printf(text, "%s,", cw_context_columns[i].name);
    cw_csv_header(table, text);
}

static void add_row(const struct cw_result *result, const struct cw_table *table, size_t row, struct cw_text *text)
{
    for (enum cw_context i = 0; i < CW_CONTEXTS; i++) {
        if (!cw_result_shows_context(result, table, i)) continue;
        cw_csv_field(text, result->context[i]);
        cw_text_add(text, ",");
    }
    cw_csv_row(table, row, text);
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
