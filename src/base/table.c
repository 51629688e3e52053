#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The column's type says which value a cell has. */
struct cell {
    union {
        char *text; /* owned */
        int64_t whole;
        double real;
    } value;
    bool missing;
};

struct cw_table {
    const char *name;
    char *title; /* owned; may be NULL */
    const struct cw_column *columns;
    size_t n_columns;
    struct cell *cells; /* row by row */
    size_t n_cells, capacity;
    size_t text_rows; /* that text shows at most */
    size_t expected;  /* rows; 0: not known */
    void (*finished)(void *context);
    void *context;
    int error;           /* the first one, with its message: the cell's place and what is wrong */
    char *error_message; /* owned; NULL where there was no memory for it */
    void *kept;          /* owned; NULL: columns are somebody else's */
};

static int check_columns(const char *name, const struct cw_column *columns, size_t n)
{
    if (n == 0) return cw_fail(CW_EINTERNAL, "table '%s' has no columns", name);
    if (columns[0].interval) return cw_fail(CW_EINTERNAL, "table '%s': the first column is an interval", name);
    size_t shown = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct cw_column *column = &columns[i];
        shown += !column->detail && !column->interval;
        kept += !column->measured;
        for (size_t j = 0; j < i; j++)
            if (strcmp(column->name, columns[j].name) == 0)
                return cw_fail(CW_EINTERNAL, "table '%s' has two columns '%s'", name, column->name);
        if (column->interval &&
            (column->type != CW_COLUMN_REAL || column[-1].type != CW_COLUMN_REAL || column[-1].interval))
            return cw_fail(CW_EINTERNAL, "table '%s': the interval '%s' does not follow its real column", name,
                           column->name);
    }
    if (kept == 0) return cw_fail(CW_EINTERNAL, "table '%s' has only measured columns", name);
    return shown > 0 ? 0 : cw_fail(CW_EINTERNAL, "table '%s' has only details", name);
}

int cw_table_new(const char *name, const char *title, const struct cw_column *columns, size_t n_columns,
                 struct cw_table **out)
{
    const int rc = check_columns(name, columns, n_columns);
    if (rc) return rc;
    struct cw_table *table = cw_new_array(1, sizeof *table, "a table");
    if (!table) return CW_ENOMEM;
    *table = (struct cw_table){.name = name, .columns = columns, .n_columns = n_columns, .text_rows = SIZE_MAX};
    table->title = title ? cw_copy_text(title, strlen(title)) : NULL;
    if (title && !table->title) {
        free(table);
        return CW_ENOMEM;
    }
    *out = table;
    return 0;
}

void cw_table_free(struct cw_table *table)
{
    if (!table) return;
    free(table->title);
    for (size_t i = 0; i < table->n_cells; i++)
        if (table->columns[i % table->n_columns].type == CW_COLUMN_TEXT) free(table->cells[i].value.text);
    free(table->cells);
    free(table->error_message);
    free(table->kept);
    free(table);
}

void cw_table_keep(struct cw_table *table, void *memory)
{
    table->kept = memory;
}

/* Remembers the failure that cw_fail has just been told of. */
static void remember(struct cw_table *table, int error)
{
    const char *message = cw_error_message();
    table->error = error;
    table->error_message = cw_copy_text(message, strlen(message));
}

/* The next cell, missing so far; NULL after an error. ANY: for every type of column. */
static struct cell *next_cell(struct cw_table *table, enum cw_column_type type, bool any)
{
    static const char *const names[] = {"text", "a whole number", "a real number"};
    if (table->error) return NULL;
    const struct cw_column *column = &table->columns[table->n_cells % table->n_columns];
    if (!any && column->type != type) {
        remember(table, cw_fail(CW_EINTERNAL, "table '%s', row %zu: column '%s' takes %s, not %s", table->name,
                                table->n_cells / table->n_columns + 1, column->name, names[column->type], names[type]));
        return NULL;
    }
    void *cells = table->cells;
    const int rc = cw_grow_array(&cells, &table->capacity, table->n_cells + 1, sizeof *table->cells, "table cells");
    if (rc) {
        remember(table, rc);
        return NULL;
    }
    table->cells = cells;
    struct cell *cell = &table->cells[table->n_cells++];
    *cell = (struct cell){.missing = true};
    return cell;
}

/* After a cell was filled. */
static void end_cell(struct cw_table *table)
{
    if (table->finished && !table->error && table->n_cells % table->n_columns == 0) table->finished(table->context);
}

void cw_table_text(struct cw_table *table, const char *text)
{
    struct cell *cell = next_cell(table, CW_COLUMN_TEXT, false);
    if (!cell) return;
    cell->value.text = text ? cw_copy_text(text, strlen(text)) : NULL;
    cell->missing = !text;
    if (text && !cell->value.text) {
        remember(table, CW_ENOMEM);
        table->n_cells--;
        return;
    }
    end_cell(table);
}

void cw_table_int(struct cw_table *table, int64_t value)
{
    struct cell *cell = next_cell(table, CW_COLUMN_INT, false);
    if (!cell) return;
    cell->value.whole = value;
    cell->missing = false;
    end_cell(table);
}

void cw_table_real(struct cw_table *table, double value)
{
    struct cell *cell = next_cell(table, CW_COLUMN_REAL, false);
    if (!cell) return;
    cell->value.real = isfinite(value) ? value : 0;
    cell->missing = !isfinite(value);
    end_cell(table);
}

void cw_table_none(struct cw_table *table)
{
    if (next_cell(table, CW_COLUMN_TEXT, true)) end_cell(table);
}

void cw_table_expect(struct cw_table *table, size_t rows)
{
    table->expected = rows;
}

size_t cw_table_expected(const struct cw_table *table)
{
    return table->expected;
}

void cw_table_watch(struct cw_table *table, void (*finished)(void *context), void *context)
{
    table->finished = finished;
    table->context = context;
}

void cw_table_cut(struct cw_table *table)
{
    for (; table->n_cells % table->n_columns > 0; table->n_cells--) {
        const size_t last = table->n_cells - 1;
        if (table->columns[last % table->n_columns].type == CW_COLUMN_TEXT) free(table->cells[last].value.text);
    }
    free(table->error_message);
    table->error_message = NULL;
    table->error = 0;
}

const char *cw_table_name(const struct cw_table *table)
{
    return table->name;
}

const char *cw_table_title(const struct cw_table *table)
{
    return table->title;
}

size_t cw_table_rows(const struct cw_table *table)
{
    return table->n_cells / table->n_columns;
}

void cw_table_cut_text(struct cw_table *table, size_t rows)
{
    table->text_rows = rows;
}

size_t cw_table_text_rows(const struct cw_table *table)
{
    const size_t rows = cw_table_rows(table);
    return rows < table->text_rows ? rows : table->text_rows;
}

size_t cw_table_columns(const struct cw_table *table)
{
    return table->n_columns;
}

const struct cw_column *cw_table_column(const struct cw_table *table, size_t column)
{
    return &table->columns[column];
}

size_t cw_table_find_column(const struct cw_table *table, const char *name)
{
    size_t c = 0;
    while (c < table->n_columns && strcmp(table->columns[c].name, name) != 0) c++;
    return c;
}

bool cw_table_is_measured(const struct cw_table *table)
{
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->columns[c].measured) return true;
    return false;
}

static const struct cell *cell_at(const struct cw_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->n_columns + column];
}

bool cw_table_cell_missing(const struct cw_table *table, size_t row, size_t column)
{
    return cell_at(table, row, column)->missing;
}

const char *cw_table_cell_text(const struct cw_table *table, size_t row, size_t column)
{
    return table->columns[column].type == CW_COLUMN_TEXT ? cell_at(table, row, column)->value.text : NULL;
}

double cw_table_cell_real(const struct cw_table *table, size_t row, size_t column)
{
    const struct cell *cell = cell_at(table, row, column);
    if (cell->missing || table->columns[column].type == CW_COLUMN_TEXT) return (double)NAN;
    return table->columns[column].type == CW_COLUMN_INT ? (double)cell->value.whole : cell->value.real;
}

int64_t cw_table_cell_int(const struct cw_table *table, size_t row, size_t column)
{
    return table->columns[column].type == CW_COLUMN_INT ? cell_at(table, row, column)->value.whole : 0;
}

int cw_table_check(const struct cw_table *table)
{
    if (table->error) return cw_fail(table->error, "%s", table->error_message ? table->error_message : "out of memory");
    const size_t cells = table->n_cells % table->n_columns;
    if (cells != 0)
        return cw_fail(CW_EINTERNAL, "table '%s': the last row has %zu of %zu cells", table->name, cells,
                       table->n_columns);
    return 0;
}
