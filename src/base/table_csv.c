#include <inttypes.h>
#include <string.h>

#include "base/csv_internal.h"

/* RFC 4180 asks for quotes around commas, quotes and line ends; many readers trim blanks at the ends; and the empty
 * text must differ from a missing cell. */
static bool needs_quotes(const char *text)
{
    const size_t length = strlen(text);
    return length == 0 || text[strcspn(text, ",\"\r\n")] || text[0] == ' ' || text[length - 1] == ' ';
}

void cw_csv_field(struct cw_text *text, const char *field)
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
        cw_csv_field(text, cw_table_cell_text(table, row, column));
        break;
    case CW_COLUMN_INT:
        cw_text_printf(text, "%" PRId64, cw_table_cell_int(table, row, column));
        break;
    case CW_COLUMN_REAL:
        cw_text_printf(text, "%.10g", cw_table_cell_real(table, row, column));
        break;
    }
}

void cw_csv_header(const struct cw_table *table, struct cw_text *text)
{
    const char *separator = "";
    for (size_t c = 0; c < cw_table_columns(table); c++) {
        const struct cw_column *column = cw_table_column(table, c);
        if (column->measured) continue;
        cw_text_add(text, separator);
        cw_csv_field(text, column->name);
        separator = ",";
    }
    cw_text_add(text, "\n");
}

void cw_csv_row(const struct cw_table *table, size_t row, struct cw_text *text)
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
    cw_csv_header(table, text);
    for (size_t r = 0; r < cw_table_rows(table); r++) cw_csv_row(table, r, text);
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
