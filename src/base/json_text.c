#include "base/json_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_build.h"

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
