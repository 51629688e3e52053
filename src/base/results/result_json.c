#include <stdlib.h>

#include "base/json.h"
#include "base/results/result_content.h"
#include "base/version.h"

static json_t *column_json(const struct cw_column *column)
{
    static const char *const types[] = {"text", "int", "real"};
    json_t *object = json_object();
    cw_json_set(&object, "name", cw_json_string(column->name));
    cw_json_set(&object, "type", cw_json_string(types[column->type]));
    cw_json_set(&object, "unit", cw_json_string(column->unit));
    cw_json_set(&object, "help", cw_json_string(column->help));
    return object;
}

static json_t *cell_json(const struct cw_table *table, size_t row, size_t column)
{
    if (cw_table_cell_missing(table, row, column)) return json_null();
    switch (cw_table_column(table, column)->type) {
    case CW_COLUMN_TEXT:
        return cw_json_string(cw_table_cell_text(table, row, column));
    case CW_COLUMN_INT:
        return json_integer(cw_table_cell_int(table, row, column));
    case CW_COLUMN_REAL:
        return json_real(cw_table_cell_real(table, row, column));
    }
    return NULL;
}

/* The columns of TABLE that are MEASURED, or those that are not. */
static json_t *table_json(const struct cw_table *table, bool measured)
{
    json_t *columns = json_array(), *rows = json_array(), *object = json_object();
    for (size_t c = 0; c < cw_table_columns(table); c++)
        if (cw_table_column(table, c)->measured == measured)
            cw_json_append(&columns, column_json(cw_table_column(table, c)));
    for (size_t r = 0; r < cw_table_rows(table); r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < cw_table_columns(table); c++)
            if (cw_table_column(table, c)->measured == measured)
                cw_json_set(&row, cw_table_column(table, c)->name, cell_json(table, r, c));
        cw_json_append(&rows, row);
    }
    cw_json_set(&object, "columns", columns);
    cw_json_set(&object, "rows", rows);
    return object;
}

static json_t *inputs_json(const struct cw_result *result)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < result->inputs.n; i++) {
        const struct cw_input *input = &result->inputs.items[i];
        json_t *object = json_object();
        cw_json_set(&object, "path", cw_json_string(input->path));
        cw_json_set(&object, "sha256", cw_json_string(input->sha256));
        cw_json_append(&inputs, object);
    }
    return inputs;
}

json_t *cw_result_configuration_json(const struct cw_result *result)
{
    json_t *object = json_object();
    cw_json_set(&object, "path", cw_json_string(result->configuration));
    cw_json_set(&object, "options", cw_json_string(result->configured));
    return object;
}

static json_t *context_json(const struct cw_result *result)
{
    json_t *context = json_object();
    for (int i = 0; i < CW_CONTEXTS; i++) {
        const char *value = result->context[i];
        if (!value) continue;
        const bool number = cw_context_columns[i].type == CW_COLUMN_INT;
        cw_json_set(&context, cw_context_columns[i].name,
                    number ? cw_json_unsigned(strtoull(value, NULL, 10)) : cw_json_string(value));
    }
    return context;
}

/* Tables with their MEASURED columns, as far as they have such, or all with the others. */
static json_t *tables_json(const struct cw_result *result, bool measured)
{
    json_t *tables = json_object();
    for (size_t i = 0; i < result->n_tables; i++) {
        const struct cw_table *table = result->tables[i].table;
        if (!measured || cw_table_is_measured(table))
            cw_json_set(&tables, cw_table_name(table), table_json(table, measured));
    }
    return tables;
}

static bool any_measured(const struct cw_result *result)
{
    for (size_t i = 0; i < result->n_tables; i++)
        if (cw_table_is_measured(result->tables[i].table)) return true;
    return false;
}

int cw_result_write_json(const struct cw_result *result, struct cw_text *text)
{
    json_t *document = json_object(), *notes = json_array();
    for (size_t i = 0; i < result->n_notes; i++) cw_json_append(&notes, cw_json_string(result->notes[i]));
    cw_json_set(&document, "tool", cw_json_string("crosswind"));
    cw_json_set(&document, "version", cw_json_string(cw_version()));
    cw_json_set(&document, "command", cw_json_string(result->command));
    cw_json_set(&document, "seed", result->command ? cw_json_unsigned(result->seed) : json_null());
    if (result->configuration) cw_json_set(&document, "configuration", cw_result_configuration_json(result));
    cw_json_set(&document, "inputs", inputs_json(result));
    cw_json_set(&document, "context", context_json(result));
    cw_json_set(&document, "complete", json_boolean(!result->missing));
    if (result->missing) cw_json_set(&document, "missing", cw_json_string(result->missing));
    cw_json_set(&document, "tables", tables_json(result, false));
    if (result->n_figures > 0) cw_json_set(&document, "figures", cw_result_figures_json(result));
    cw_json_set(&document, "notes", notes);
    if (any_measured(result)) cw_json_set(&document, "measured", tables_json(result, true));
    return cw_json_write(document, text);
}
