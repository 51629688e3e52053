#include "base/json_build.h"

#include <inttypes.h>
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
