/*
 * Metadata of CSV files: W3C, "Metadata Vocabulary for Tabular Data", 2015. Where that has no word for something, the
 * words of Dublin Core (dc), PROV (prov) and schema.org (schema) are used, whose prefixes it knows.
 */
#include <string.h>

#include "base/json.h"
#include "base/results/result_content.h"
#include "base/version.h"

static json_t *column_json(const struct cw_column *column)
{
    static const char *const types[] = {"string", "integer", "number"};
    json_t *object = json_object();
    cw_json_set(&object, "name", cw_json_string(column->name));
    cw_json_set(&object, "titles", cw_json_string(column->name));
    cw_json_set(&object, "datatype", cw_json_string(types[column->type]));
    if (column->unit) cw_json_set(&object, "schema:unitText", cw_json_string(column->unit));
    if (column->help) cw_json_set(&object, "dc:description", cw_json_string(column->help));
    return object;
}

/* Place, title and columns of TABLE. */
static void set_table(json_t **object, const struct cw_result *result, const struct cw_table *table, json_t *url)
{
    json_t *columns = json_array(), *schema = json_object();
    for (enum cw_context i = 0; i < CW_CONTEXTS; i++)
        if (cw_result_shows_context(result, table, i)) cw_json_append(&columns, column_json(&cw_context_columns[i]));
    for (size_t c = 0; c < cw_table_columns(table); c++)
        if (!cw_table_column(table, c)->measured) cw_json_append(&columns, column_json(cw_table_column(table, c)));
    cw_json_set(&schema, "columns", columns);
    cw_json_set(object, "url", url);
    if (cw_table_title(table)) cw_json_set(object, "dc:title", cw_json_string(cw_table_title(table)));
    cw_json_set(object, "tableSchema", schema);
}

/* Several tables in one file are told apart by their rows (RFC 7111); headers and the empty rows between tables count.
 */
static json_t *tables_json(const struct cw_result *result, const char *url)
{
    json_t *tables = json_array();
    size_t first = 1;
    for (size_t i = 0; i < result->n_tables; i++) {
        if (result->tables[i].detail) continue;
        const struct cw_table *table = result->tables[i].table;
        const size_t last = first + cw_table_rows(table);
        json_t *object = json_object();
        set_table(&object, result, table, json_sprintf("%s#row=%zu-%zu", url, first, last));
        cw_json_append(&tables, object);
        first = last + 2;
    }
    return tables;
}

/* The table of the CSV file, if it has just one. */
static const struct cw_table *only_table(const struct cw_result *result)
{
    const struct cw_table *only = NULL;
    for (size_t i = 0; i < result->n_tables; i++) {
        if (result->tables[i].detail) continue;
        if (only) return NULL;
        only = result->tables[i].table;
    }
    return only;
}

static json_t *inputs_json(const struct cw_result *result)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < result->inputs.n; i++) {
        const struct cw_input *input = &result->inputs.items[i];
        json_t *object = json_object();
        cw_json_set(&object, "@type", cw_json_string("prov:Entity"));
        cw_json_set(&object, "schema:name", cw_json_string(input->path));
        cw_json_set(&object, "schema:sha256", cw_json_string(input->sha256));
        cw_json_append(&inputs, object);
    }
    return inputs;
}

static json_t *property_json(json_t *name, json_t *value)
{
    json_t *property = json_object();
    cw_json_set(&property, "@type", cw_json_string("schema:PropertyValue"));
    cw_json_set(&property, "schema:name", name);
    cw_json_set(&property, "schema:value", value);
    return property;
}

/* The values of a measured column, by row: they are about this run, and not in the file. */
static json_t *measured_json(const struct cw_table *table, size_t column)
{
    const struct cw_column *about = cw_table_column(table, column);
    json_t *values = json_array();
    for (size_t r = 0; r < cw_table_rows(table); r++)
        cw_json_append(&values, cw_table_cell_missing(table, r, column)
                                    ? json_null()
                                    : json_real(cw_table_cell_real(table, r, column)));
    json_t *property = property_json(json_sprintf("%s.%s", cw_table_name(table), about->name), values);
    if (about->unit) cw_json_set(&property, "schema:unitText", cw_json_string(about->unit));
    if (about->help) cw_json_set(&property, "schema:description", cw_json_string(about->help));
    return property;
}

/* What is known of the run beyond its command. TABLE: of the only table; NULL: of all in the CSV file. */
static json_t *properties_json(const struct cw_result *result, const struct cw_table *table)
{
    json_t *properties = json_array(), *value;
    const char *name;
    if (result->command)
        cw_json_append(&properties, property_json(cw_json_string("seed"), cw_json_unsigned(result->seed)));
    if (result->configuration)
        cw_json_append(&properties,
                       property_json(cw_json_string("configuration"), cw_result_configuration_json(result)));
    json_object_foreach(result->properties, name, value)
    {
        cw_json_append(&properties, property_json(cw_json_string(name), json_incref(value)));
    }
    for (size_t i = 0; i < (table ? 1 : result->n_tables); i++) {
        const struct cw_table *one = table ? table : result->tables[i].table;
        if (!table && result->tables[i].detail) continue;
        for (size_t c = 0; c < cw_table_columns(one); c++)
            if (cw_table_column(one, c)->measured) cw_json_append(&properties, measured_json(one, c));
    }
    return properties;
}

/* The run of the program that made the file. */
static json_t *activity_json(const struct cw_result *result, const struct cw_table *table)
{
    json_t *activity = json_object();
    cw_json_set(&activity, "@type", cw_json_string("prov:Activity"));
    cw_json_set(&activity, "schema:name", cw_json_string("crosswind"));
    cw_json_set(&activity, "schema:softwareVersion", cw_json_string(cw_version()));
    if (result->command) cw_json_set(&activity, "schema:description", cw_json_string(result->command));
    cw_json_set(&activity, "schema:additionalProperty", properties_json(result, table));
    cw_json_set(&activity, "prov:used", inputs_json(result));
    return activity;
}

static json_t *note_json(json_t *text)
{
    json_t *note = json_object();
    cw_json_set(&note, "schema:text", text);
    return note;
}

static json_t *notes_json(const struct cw_result *result)
{
    json_t *notes = json_array();
    struct cw_text early = {0};
    if (result->missing) {
        cw_text_printf(&early, "INCOMPLETE: %s.", result->missing);
        cw_json_append(&notes, note_json(early.data ? cw_json_string(early.data) : NULL));
        cw_text_free(&early);
    }
    for (size_t i = 0; i < result->n_notes; i++) cw_json_append(&notes, note_json(cw_json_string(result->notes[i])));
    return notes;
}

/* Of a file with the table ONLY; NULL: with those of RESULT. */
static int write_metadata(const struct cw_result *result, const struct cw_table *only, const char *url,
                          struct cw_text *text)
{
    json_t *document = json_object();
    cw_json_set(&document, "@context", cw_json_string("http://www.w3.org/ns/csvw"));
    if (only)
        set_table(&document, result, only, cw_json_string(url));
    else
        cw_json_set(&document, "tables", tables_json(result, url));
    cw_json_set(&document, "notes", notes_json(result));
    cw_json_set(&document, "prov:wasGeneratedBy", activity_json(result, only));
    return cw_json_write(document, text);
}

int cw_result_write_metadata(const struct cw_result *result, const char *url, struct cw_text *text)
{
    const int rc = cw_result_check(result);
    return rc ? rc : write_metadata(result, only_table(result), url, text);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The metadata of the file PATH, beside it. */
static int save_metadata(const struct cw_result *result, const struct cw_table *only, const char *path)
{
    struct cw_text beside = {0}, metadata = {0};
    cw_text_printf(&beside, "%s-metadata.json", path);
    int rc = cw_text_check(&beside);
    if (!rc) rc = write_metadata(result, only, last_part(path), &metadata);
    if (!rc) rc = cw_file_write_beside(beside.data, &metadata);
    cw_text_free(&beside);
    cw_text_free(&metadata);
    return rc;
}

int cw_result_save_metadata(const struct cw_result *result, const char *path)
{
    const int rc = cw_result_check(result);
    return rc ? rc : save_metadata(result, only_table(result), path);
}

int cw_result_save_csv(const struct cw_result *result, const struct cw_table *table, const char *path)
{
    struct cw_text text = {0};
    int rc = cw_table_check(table);
    if (rc) return rc;
    cw_result_append_table(result, table, &text);
    rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc || !cw_table_is_measured(table) ? rc : save_metadata(result, table, path);
}

int cw_result_save_described(const struct cw_result *result, const struct cw_table *table, const char *path)
{
    const int rc = cw_result_save_csv(result, table, path);
    return rc || cw_table_is_measured(table) ? rc : save_metadata(result, table, path);
}
