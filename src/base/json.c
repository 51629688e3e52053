#include "base/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The length of the UTF-8 character at BYTES, or 0 if there is none: jansson decides what it accepts. */
static size_t character_length(const char *bytes, size_t n)
{
    for (size_t length = 1; length <= 4 && length <= n; length++) {
        json_t *character = json_stringn(bytes, length);
        if (!character) continue;
        json_decref(character);
        return length;
    }
    return 0;
}

static json_t *repaired_string(const char *string)
{
    struct cw_text repaired = {0};
    for (size_t n = strlen(string); n > 0;) {
        const size_t length = character_length(string, n), step = length > 0 ? length : 1;
        if (length > 0)
            cw_text_append(&repaired, string, length);
        else
            cw_text_add(&repaired, "\ufffd");
        string += step;
        n -= step;
    }
    json_t *result = repaired.failed ? NULL : json_string(repaired.data);
    cw_text_free(&repaired);
    return result;
}

json_t *cw_json_string(const char *string)
{
    if (!string) return json_null();
    json_t *result = json_string(string);
    return result ? result : repaired_string(string);
}

json_t *cw_json_unsigned(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_sprintf("%" PRIu64, value);
}

static void fail_container(json_t **container)
{
    json_decref(*container);
    *container = NULL;
}

void cw_json_set(json_t **object, const char *key, json_t *value)
{
    if (!*object)
        json_decref(value);
    else if (json_object_set_new(*object, key, value))
        fail_container(object);
}

void cw_json_append(json_t **array, json_t *value)
{
    if (!*array)
        json_decref(value);
    else if (json_array_append_new(*array, value))
        fail_container(array);
}

static int append(const char *bytes, size_t length, void *text)
{
    cw_text_append(text, bytes, length);
    return 0;
}

int cw_json_write(json_t *document, struct cw_text *text)
{
    const int rc = document ? json_dump_callback(document, append, text, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) : -1;
    json_decref(document);
    cw_text_add(text, "\n");
    return rc ? cw_fail(CW_ENOMEM, "out of memory for a JSON document") : cw_text_check(text);
}

/* --- composing ---------------------------------------------------------------------------------------------------- */

void cw_json_add_real(struct cw_text *text, double value)
{
    char number[32];
    if (!isfinite(value)) {
        cw_text_add(text, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    cw_text_add(text, number);
}

void cw_json_add_string(struct cw_text *text, const char *string)
{
    json_t *value = cw_json_string(string);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (quoted)
        cw_text_add(text, quoted);
    else
        text->failed = true;
    free(quoted);
}

void cw_json_add_unsigned(struct cw_text *text, uint64_t value)
{
    cw_text_printf(text, value <= INT64_MAX ? "%" PRIu64 : "\"%" PRIu64 "\"", value);
}

void cw_json_add_item(struct cw_text *text, const char *before, uint32_t number)
{
    char digits[10];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    cw_text_add(text, before);
    cw_text_append(text, digits + at, sizeof digits - at);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static _Thread_local bool starved; /* an allocation of jansson failed on this thread */

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) starved = true;
    return memory;
}

/* Memory of either allocator may be freed by the other. */
static void watch_allocations(void)
{
    json_malloc_t before;
    json_free_t release;
    json_get_alloc_funcs(&before, &release);
    if (before == malloc && release == free) json_set_alloc_funcs(allocate, free);
}

/* What begins at DATA; LINES are before it. *USED: the bytes that it takes, of which nothing follows unless FLAGS say
 * so. */
static int read_json(const char *file, unsigned long lines, const char *data, size_t length, size_t flags, size_t *used,
                     json_t **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t error;
    pthread_once(&once, watch_allocations);
    starved = false;
    json_t *root = json_loadb(length > 0 ? data : "", length, JSON_REJECT_DUPLICATES | flags, &error);
    if (starved || (!root && json_error_code(&error) == json_error_out_of_memory)) {
        json_decref(root);
        return cw_fail(CW_ENOMEM, "%s: out of memory for the JSON in %zu bytes", file, length);
    }
    if (!root)
        return cw_fail_at(file, error.line > 0 ? lines + (unsigned long)error.line : 0, "%s, expected JSON",
                          error.text);
    *used = (size_t)error.position;
    *out = root;
    return 0;
}

int cw_json_read(const char *file, const char *data, size_t length, json_t **out)
{
    size_t used;
    return read_json(file, 0, data, length, 0, &used, out);
}

int cw_json_read_next(const char *file, const char *data, size_t length, struct cw_json_place *place, json_t **out)
{
    size_t used;
    *out = NULL;
    for (; place->at < length && strchr(" \t\r\n", data[place->at]); place->at++)
        place->lines += data[place->at] == '\n';
    if (place->at == length) return 0;
    place->line = place->lines + 1;
    const int rc =
        read_json(file, place->lines, data + place->at, length - place->at, JSON_DISABLE_EOF_CHECK, &used, out);
    if (rc) return rc;
    for (const size_t end = place->at + used; place->at < end; place->at++) place->lines += data[place->at] == '\n';
    return 0;
}
