#include "base/option.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"

bool cw_option_is_text(const struct cw_option *option)
{
    switch (option->type) {
    case CW_OPTION_TEXT:
    case CW_OPTION_INPUT:
    case CW_OPTION_INPUTS:
    case CW_OPTION_OUTPUT:
    case CW_OPTION_NAMED_OUTPUT:
    case CW_OPTION_DIRECTORY:
        return true;
    default:
        return false;
    }
}

static void *field_of(const struct cw_option *option, void *values)
{
    return (char *)values + option->offset;
}

static bool has_limits(const struct cw_option *option)
{
    return option->min != 0 || option->max != 0;
}

/* A limit as the user would write it. */
static const char *format_limit(const struct cw_option *option, double limit, char *buffer, size_t size)
{
    switch (option->type) {
    case CW_OPTION_BYTES:
    case CW_OPTION_SIZES:
        if (limit < 0x1p64) return cw_format_bytes((uint64_t)limit, buffer, size);
        break;
    case CW_OPTION_RATE:
        return cw_format_rate(limit, buffer, size);
    case CW_OPTION_TIME:
        return cw_format_time(limit, buffer, size);
    case CW_OPTION_BYTE_TIME:
        cw_format_time(limit, buffer, size);
        return strncat(buffer, "/byte", size - strlen(buffer) - 1);
    default:
        break;
    }
    snprintf(buffer, size, "%.10g", limit);
    return buffer;
}

static int check_limits(const char *what, const char *text, const struct cw_option *option, double value)
{
    if (!has_limits(option) || (value >= option->min && value <= option->max)) return 0;
    char low[48], high[48];
    format_limit(option, option->min, low, sizeof low);
    format_limit(option, option->max, high, sizeof high);
    if (isinf(option->max)) return cw_fail(CW_EUSAGE, "%s: %s is out of range; expected at least %s", what, text, low);
    if (isinf(option->min)) return cw_fail(CW_EUSAGE, "%s: %s is out of range; expected at most %s", what, text, high);
    return cw_fail(CW_EUSAGE, "%s: %s is out of range; expected %s to %s", what, text, low, high);
}

static int parse_flag(const char *what, const char *text, bool *out)
{
    const bool yes = !text || strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0) return cw_fail(CW_EUSAGE, "%s: '%s' is not yes or no", what, text);
    *out = yes;
    return 0;
}

struct cw_registry cw_option_choices(const struct cw_option *option)
{
    if (!option->choices) return *option->names;
    return (struct cw_registry){.items = option->choices, .size = sizeof *option->choices}; /* all name, and no more */
}

static int parse_choice(const char *what, const char *text, const struct cw_option *option, int *out)
{
    const struct cw_registry choices = cw_option_choices(option);
    const void *item;
    for (int i = 0; (item = cw_registry_item(&choices, (size_t)i)); i++) {
        if (strcmp(text, cw_registry_name_of(item)) != 0) continue;
        *out = i;
        return 0;
    }
    struct cw_text message = {0};
    cw_text_printf(&message, "%s: there is no '%s'", what, text);
    struct cw_guess guess = cw_guess_of(text);
    cw_registry_guess(&choices, &guess);
    if (guess.nearest) cw_text_printf(&message, "; did you mean %s?", guess.nearest);
    cw_text_add(&message, " (choices: ");
    cw_registry_list(&choices, ", ", &message);
    cw_text_add(&message, ")");
    int rc = cw_text_check(&message);
    if (!rc) rc = cw_fail(CW_EUSAGE, "%s", message.data);
    cw_text_free(&message);
    return rc;
}

static int parse_text(const char *text, char **field)
{
    char *copy = cw_copy_text(text, strlen(text));
    if (!copy) return CW_ENOMEM;
    free(*field);
    *field = copy;
    return 0;
}

const void *cw_option_named_output(const struct cw_option *option, const char *text, const char **file)
{
    char name[CW_SPEC_NAME_SIZE];
    *file = cw_spec_split(text, name, sizeof name);
    return *file && **file ? cw_registry_find(option->names, name) : NULL;
}

static int parse_named_output(const char *what, const char *text, const struct cw_option *option, char **field)
{
    const char *file;
    struct cw_text names = {0};
    if (cw_option_named_output(option, text, &file)) return parse_text(text, field);
    cw_registry_list(option->names, ":FILE, ", &names);
    int rc = cw_text_check(&names);
    if (!rc) rc = cw_fail(CW_EUSAGE, "%s: '%s' is none of %s:FILE", what, text, names.data);
    cw_text_free(&names);
    return rc;
}

static int parse_reals(const char *what, const char *text, const struct cw_option *option, struct cw_reals *field)
{
    struct cw_reals reals;
    int rc = cw_parse_reals(what, text, &reals);
    if (rc) return rc;
    for (size_t i = 0; i < reals.n && !rc; i++) {
        char item[48];
        snprintf(item, sizeof item, "%.10g", reals.values[i]);
        rc = check_limits(what, item, option, reals.values[i]);
    }
    if (rc) {
        cw_reals_free(&reals);
        return rc;
    }
    cw_reals_free(field);
    *field = reals;
    return 0;
}

static int parse_sizes(const char *what, const char *text, const struct cw_option *option, struct cw_sizes *field)
{
    struct cw_sizes sizes;
    int rc = cw_parse_sizes(what, text, &sizes);
    if (rc) return rc;
    for (size_t i = 0; i < sizes.n && !rc; i++) {
        char item[48];
        rc = check_limits(what, cw_format_bytes(sizes.values[i], item, sizeof item), option, (double)sizes.values[i]);
    }
    if (rc) {
        cw_sizes_free(&sizes);
        return rc;
    }
    cw_sizes_free(field);
    *field = sizes;
    return 0;
}

/* Numbers with an x between two of them. */
static bool is_dimensions(const char *text)
{
    for (;;) {
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0) return false;
        text += digits;
        if (!*text) return true;
        if (*text++ != 'x') return false;
    }
}

/* Lists may be written 4x8x2, since a comma ends a plug-in's parameter; dimensions are always written so. */
static int parse_ints(const char *what, const char *text, const struct cw_option *option, struct cw_ints *field)
{
    if (option->type == CW_OPTION_DIMENSIONS && !is_dimensions(text))
        return cw_fail(CW_EUSAGE, "%s: '%s' is not a list of sizes such as 10x10x4", what, text);
    char *list = cw_copy_text(text, strlen(text));
    if (!list) return CW_ENOMEM;
    for (char *x = strchr(list, 'x'); x; x = strchr(x, 'x')) *x = ',';
    struct cw_ints ints = {0};
    int rc = cw_parse_ints(what, list, &ints);
    free(list);
    for (size_t i = 0; i < ints.n && !rc; i++) {
        char item[48];
        snprintf(item, sizeof item, "%lld", (long long)ints.values[i]);
        rc = check_limits(what, item, option, (double)ints.values[i]);
    }
    if (rc) {
        cw_ints_free(&ints);
        return rc;
    }
    cw_ints_free(field);
    *field = ints;
    return 0;
}

/* The types that are one number. */
static int parse_number(const char *what, const char *text, const struct cw_option *option, void *field)
{
    int64_t whole = 0;
    uint64_t bytes = 0;
    double real = 0;
    int rc;
    switch (option->type) {
    case CW_OPTION_INT:
        rc = cw_parse_int(what, text, &whole);
        real = (double)whole;
        break;
    case CW_OPTION_BYTES:
        rc = cw_parse_bytes(what, text, &bytes);
        real = (double)bytes;
        break;
    case CW_OPTION_RATE:
        rc = cw_parse_rate(what, text, &real);
        break;
    case CW_OPTION_TIME:
        rc = cw_parse_time(what, text, &real);
        break;
    case CW_OPTION_BYTE_TIME:
        rc = cw_parse_byte_time(what, text, &real);
        break;
    default:
        rc = cw_parse_real(what, text, &real);
        break;
    }
    if (!rc) rc = check_limits(what, text, option, real);
    if (rc) return rc;
    if (option->type == CW_OPTION_INT)
        *(int64_t *)field = whole;
    else if (option->type == CW_OPTION_BYTES)
        *(uint64_t *)field = bytes;
    else
        *(double *)field = real;
    return 0;
}

int cw_option_set(const char *what, const struct cw_option *option, void *values, const char *text)
{
    void *field = field_of(option, values);
    if (option->type == CW_OPTION_FLAG) return parse_flag(what, text, field);
    if (!text) return cw_fail(CW_EUSAGE, "%s needs a value: %s", what, option->help);
    switch (option->type) {
    case CW_OPTION_CHOICE:
        return parse_choice(what, text, option, field);
    case CW_OPTION_TEXT:
    case CW_OPTION_INPUT:
    case CW_OPTION_INPUTS:
    case CW_OPTION_OUTPUT:
    case CW_OPTION_DIRECTORY:
        return parse_text(text, field);
    case CW_OPTION_NAMED_OUTPUT:
        return parse_named_output(what, text, option, field);
    case CW_OPTION_REALS:
        return parse_reals(what, text, option, field);
    case CW_OPTION_SIZES:
        return parse_sizes(what, text, option, field);
    case CW_OPTION_INTS:
    case CW_OPTION_DIMENSIONS:
        return parse_ints(what, text, option, field);
    default:
        return parse_number(what, text, option, field);
    }
}

int cw_options_init(const struct cw_option *options, void *values)
{
    for (const struct cw_option *option = options; option->name; option++) {
        if (!option->default_text || cw_option_set(option->name, option, values, option->default_text) == 0) continue;
        cw_options_free(options, values);
        return cw_fail(CW_EINTERNAL, "default of option %s", cw_error_message());
    }
    return 0;
}

void cw_options_free(const struct cw_option *options, void *values)
{
    for (const struct cw_option *option = options; option->name; option++) {
        void *field = field_of(option, values);
        if (cw_option_is_text(option)) {
            free(*(char **)field);
            *(char **)field = NULL;
        } else if (option->type == CW_OPTION_REALS) {
            cw_reals_free(field);
        } else if (option->type == CW_OPTION_SIZES) {
            cw_sizes_free(field);
        } else if (option->type == CW_OPTION_INTS || option->type == CW_OPTION_DIMENSIONS) {
            cw_ints_free(field);
        }
    }
}
