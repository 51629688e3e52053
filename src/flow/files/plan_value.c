#include "flow/files/plan_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

int cw_plan_value_fail(const struct cw_plan_place *place, const json_t *value, const char *expected)
{
    struct cw_text where = {0};
    if (place->demand != CW_NOWHERE)
        cw_text_printf(&where, "%s[%zu]", place->demands ? place->demands : "demands", place->demand);
    if (place->path != CW_NOWHERE)
        cw_text_printf(&where, ".%s[%zu]", place->paths ? place->paths : "paths", place->path);
    if (place->key) cw_text_printf(&where, "%s%s", where.length > 0 ? "." : "", place->key);
    if (place->index != CW_NOWHERE) cw_text_printf(&where, "[%zu]", place->index);
    int rc = cw_text_check(&where);
    char *found = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (!rc && !value)
        rc = cw_fail_at(place->file, 0, "%s is missing, expected %s", where.data, expected);
    else if (!rc)
        rc = cw_fail_at(place->file, 0, "%s is %.72s, expected %s", where.data, found ? found : "?", expected);
    free(found);
    cw_text_free(&where);
    return rc;
}

int cw_plan_value_integer(const struct cw_plan_place *place, const json_t *value, uint32_t min, uint32_t max,
                          uint32_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= min && json_integer_value(value) <= max) {
        *out = (uint32_t)json_integer_value(value);
        return 0;
    }
    char expected[64];
    if (min == max)
        snprintf(expected, sizeof expected, "%u", min);
    else
        snprintf(expected, sizeof expected, "a whole number from %u to %u", min, max);
    return cw_plan_value_fail(place, value, expected);
}

int cw_plan_value_bytes(const struct cw_plan_place *place, const json_t *value, uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return 0;
    }
    const char *text = json_string_value(value); /* NULL if it is no text */
    uint64_t bytes = 0;
    bool good = text && *text;
    for (; good && *text; text++) {
        const unsigned digit = (unsigned)*text - '0';
        good = digit <= 9 && bytes <= (UINT64_MAX - digit) / 10;
        if (good) bytes = 10 * bytes + digit;
    }
    if (!good) return cw_plan_value_fail(place, value, "a number of bytes, 0 to 18446744073709551615");
    *out = bytes;
    return 0;
}

int cw_plan_value_real(const struct cw_plan_place *place, const json_t *value, double if_null, double *out)
{
    const bool nullable = !(if_null == 0), null = nullable && json_is_null(value);
    if (!null && !(json_is_number(value) && json_number_value(value) >= 0))
        return cw_plan_value_fail(place, value, nullable ? "a number, 0 or more, or null" : "a number, 0 or more");
    *out = null ? if_null : json_number_value(value);
    return 0;
}

int cw_plan_value_text(const struct cw_plan_place *place, const json_t *value, const char *expected)
{
    json_t *text = cw_json_string(expected);
    const bool same = text && json_equal(text, value);
    char *quoted = text && !same ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
    json_decref(text);
    if (same) return 0;
    if (!quoted) return cw_fail_memory(strlen(expected), "a text");
    const int rc = cw_plan_value_fail(place, value, quoted);
    free(quoted);
    return rc;
}

int cw_plan_value_keys(const struct cw_plan_place *place, json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object)) return cw_plan_value_fail(place, object, "an object");
    json_object_foreach(object, key, value)
    {
        const char *const *word = known;
        while (*word && strcmp(*word, key) != 0) word++;
        if (*word) continue;
        struct cw_plan_place unknown = *place;
        char name[80];
        snprintf(name, sizeof name, "%s%s%.60s", place->key ? place->key : "", place->key ? "." : "", key);
        unknown.key = name;
        return cw_plan_value_fail(&unknown, value, "no such key");
    }
    return 0;
}
