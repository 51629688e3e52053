#include "report/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* --- the application ---------------------------------------------------------------------------------------------- */

#ifdef CW_PAGE_APPLICATION
__asm__(".pushsection .rodata\n"
        "cw_page_application: .incbin \"" CW_PAGE_APPLICATION "\"\n"
        "cw_page_application_end: .byte 0\n"
        ".popsection\n");
extern const char application[] __asm__("cw_page_application") __attribute__((visibility("hidden")));
extern const char application_end[] __asm__("cw_page_application_end") __attribute__((visibility("hidden")));
#else
static const char application[1] = "", *const application_end = application;
#endif

static size_t application_length(void)
{
    return (size_t)((uintptr_t)application_end - (uintptr_t)application);
}

bool cw_page_is_name(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && (strcmp(ending, ".html") == 0 || strcmp(ending, ".htm") == 0);
}

int cw_page_check(void)
{
    if (application_length() > 0) return 0;
    return cw_fail(CW_EIO, "this program was built without what pages consist of: node, npm or npm's registry was "
                           "missing; expected a build with them");
}

int cw_page_begin(struct cw_text *page)
{
    const int rc = cw_page_check();
    if (!rc) cw_text_append(page, application, application_length());
    return rc ? rc : cw_text_check(page);
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

/* The bytes at BYTES, of LENGTH, that stand for themselves: up to what could end a script, or a line of one. */
static size_t harmless(const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] != '<' && bytes[n] != '\xe2') n++;
    return n;
}

/* JSON, in which '<' is only within strings; there it may be written as what it is escaped to, too. */
static void add_json(struct cw_text *page, const char *json, size_t length)
{
    for (const char *end = json + length; json < end;) {
        const size_t n = harmless(json, (size_t)(end - json));
        cw_text_append(page, json, n);
        json += n;
        if (json == end) return;
        const bool separator =
            end - json >= 3 && (memcmp(json, "\xe2\x80\xa8", 3) == 0 || memcmp(json, "\xe2\x80\xa9", 3) == 0);
        if (separator)
            cw_text_add(page, json[2] == '\xa8' ? "\\u2028" : "\\u2029");
        else if (*json == '<')
            cw_text_add(page, "\\u003c");
        else
            cw_text_append(page, json, 1);
        json += separator ? 3 : 1;
    }
}

static void add_more(struct cw_text *page, const char *name, const struct cw_text *json)
{
    if (json->length == 0) return;
    cw_text_printf(page, ", \"%s\": ", name);
    add_json(page, json->data, json->length);
}

void cw_page_add(struct cw_text *page, const char *source, const struct cw_page_more *more, const char *json,
                 size_t length)
{
    cw_text_add(page, "<script type=\"application/json\" class=\"result\">{\"source\": ");
    if (source) {
        struct cw_text name = {0};
        cw_json_add_string(&name, source);
        page->failed |= name.failed;
        if (!name.failed) add_json(page, name.data, name.length);
        cw_text_free(&name);
    } else {
        cw_text_add(page, "null");
    }
    add_more(page, "map", &more->map);
    add_more(page, "experiments", &more->experiments);
    cw_text_add(page, ", \"result\": ");
    add_json(page, json, length);
    cw_text_add(page, "}</script>\n");
}

/* --- what a document must be -------------------------------------------------------------------------------------- */

/* A document that is read, and where in it. */
struct place {
    const char *file;
    const char *table; /* NULL: none of them */
};

static int fail_here(const struct place *place, const char *what)
{
    if (!place->table)
        return cw_fail_at(place->file, 0, "%s; expected a result in JSON, as --format json gives it", what);
    return cw_fail_at(place->file, 0, "table %s: %s; expected a result in JSON, as --format json gives it",
                      place->table, what);
}

static bool is_text_array(const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!json_is_string(json_array_get(array, i))) return false;
    return json_is_array(array);
}

static int check_columns(const struct place *place, const json_t *columns)
{
    if (!json_is_array(columns)) return fail_here(place, "there are no columns");
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const json_t *column = json_array_get(columns, i);
        const char *type = json_string_value(json_object_get(column, "type"));
        if (!json_is_string(json_object_get(column, "name")) || !type)
            return fail_here(place, "a column has no name or no type");
        if (strcmp(type, "text") != 0 && strcmp(type, "int") != 0 && strcmp(type, "real") != 0)
            return fail_here(place, "a column's type is none of text, int, real");
    }
    return 0;
}

static int check_tables(struct place *place, json_t *tables)
{
    const char *name;
    json_t *table;
    if (!json_is_object(tables)) return fail_here(place, "there are no tables");
    json_object_foreach(tables, name, table)
    {
        place->table = name;
        const int rc = check_columns(place, json_object_get(table, "columns"));
        if (rc) return rc;
        const json_t *rows = json_object_get(table, "rows");
        if (!json_is_array(rows)) return fail_here(place, "there are no rows");
        for (size_t i = 0; i < json_array_size(rows); i++)
            if (!json_is_object(json_array_get(rows, i))) return fail_here(place, "a row is no object");
    }
    place->table = NULL;
    return 0;
}

static int check_inputs(const struct place *place, const json_t *inputs)
{
    if (!json_is_array(inputs)) return fail_here(place, "there are no inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        if (!json_is_string(json_object_get(input, "path")) || !json_is_string(json_object_get(input, "sha256")))
            return fail_here(place, "an input has no path or no sha256");
    }
    return 0;
}

static int check_document(struct place *place, const json_t *document)
{
    const char *tool = json_string_value(json_object_get(document, "tool"));
    const json_t *figures = json_object_get(document, "figures");
    json_t *measured = json_object_get(document, "measured");
    if (!tool || strcmp(tool, "crosswind") != 0) return fail_here(place, "the member \"tool\" is not \"crosswind\"");
    if (!json_is_string(json_object_get(document, "version"))) return fail_here(place, "there is no version");
    if (!json_is_object(json_object_get(document, "context"))) return fail_here(place, "there is no context");
    if (!is_text_array(json_object_get(document, "notes"))) return fail_here(place, "the notes are no texts");
    if (figures && !json_is_array(figures)) return fail_here(place, "the figures are no array");
    int rc = check_inputs(place, json_object_get(document, "inputs"));
    if (!rc) rc = check_tables(place, json_object_get(document, "tables"));
    if (!rc && measured) rc = check_tables(place, measured);
    return rc;
}

int cw_page_check_document(const char *file, const char *json, size_t length)
{
    json_t *document;
    struct place place = {.file = file};
    int rc = cw_json_read(file, json, length, &document);
    if (rc) return rc;
    rc = check_document(&place, document);
    json_decref(document);
    return rc;
}
