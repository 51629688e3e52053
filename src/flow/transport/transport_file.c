/* Files with a set of parameters of the simulated transport: JSON, version 1, doc/formats/transport.md. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "flow/transport/transport_set.h"

#define FORMAT "crosswind-transport"

/* Keys that are no parameters. */
static bool is_head(const char *key)
{
    return strcmp(key, "format") == 0 || strcmp(key, "version") == 0 || strcmp(key, "about") == 0;
}

/* Sets the parameter KEY to VALUE, which is written as on the command line; numbers may stand without quotes. */
static int set_parameter(const char *file, const char *key, const json_t *value, struct cw_transport *out)
{
    char number[64];
    const char *text = json_string_value(value);
    if (json_is_boolean(value)) text = json_is_true(value) ? "yes" : "no";
    if (json_is_number(value)) {
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        text = number;
    }
    if (!text)
        return cw_fail(CW_EPARSE, "%s: %s is not a value; expected a number, true or false, or text such as \"64KiB\"",
                       file, key);
    const int rc = cw_options_set(file, cw_transport_options, out, key, text);
    return rc == CW_EUSAGE ? CW_EPARSE : rc;
}

static int check_head(const char *file, json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    if (!format || strcmp(format, FORMAT) != 0)
        return cw_fail(CW_EPARSE, "%s: no transport; expected an object with \"format\": \"%s\"", file, FORMAT);
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return cw_fail(CW_EPARSE, "%s: the version is not known; expected \"version\": 1", file);
    return 0;
}

static int read_parameters(const char *file, json_t *root, struct cw_transport *out)
{
    const char *key;
    json_t *value;
    int rc = cw_options_init(cw_transport_options, out);
    for (const struct cw_option *option = cw_transport_options; !rc && option->name; option++)
        if (option->required && !json_object_get(root, option->name))
            rc = cw_fail(CW_EPARSE, "%s: %s is missing; expected it: %s", file, option->name, option->help);
    if (rc) return rc;
    json_object_foreach(root, key, value)
    {
        if (!is_head(key)) rc = set_parameter(file, key, value, out);
        if (rc) return rc;
    }
    return 0;
}

int cw_transport_parse(const char *file, const char *data, size_t length, struct cw_transport *out)
{
    struct cw_transport transport = {.direct_is_free = true};
    json_t *root;
    int rc = cw_json_read(file, data, length, &root);
    if (rc) return rc;
    rc = check_head(file, root);
    if (!rc) rc = read_parameters(file, root, &transport);
    json_decref(root);
    if (!rc) *out = transport;
    return rc;
}

static void write_value(const struct cw_option *option, const void *value, struct cw_text *text)
{
    switch (option->type) {
    case CW_OPTION_FLAG:
        cw_text_add(text, *(const bool *)value ? "true" : "false");
        return;
    case CW_OPTION_CHOICE:
        cw_json_add_string(text, option->choices[*(const int *)value]);
        return;
    case CW_OPTION_INT:
        cw_text_printf(text, "%" PRId64, *(const int64_t *)value);
        return;
    case CW_OPTION_BYTES:
        cw_text_printf(text, "%" PRIu64, *(const uint64_t *)value);
        return;
    default:
        cw_text_printf(text, "%.6g", *(const double *)value);
    }
}

int cw_transport_write(const struct cw_transport *transport, const char *about, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": 1,\n  \"about\": ", FORMAT);
    cw_json_add_string(text, about);
    for (const struct cw_option *option = cw_transport_options; option->name; option++) {
        cw_text_printf(text, ",\n  \"%s\": ", option->name);
        write_value(option, (const char *)transport + option->offset, text);
    }
    cw_text_add(text, "\n}\n");
    return cw_text_check(text);
}
