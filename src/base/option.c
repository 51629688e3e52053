#include "base/option.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Room for a name in a message; a longer one is cut. */
#define WHAT_SIZE 160

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
        snprintf(buffer, size, "%.10g s", limit);
        return buffer;
    case CW_OPTION_BYTE_TIME:
        snprintf(buffer, size, "%.10g s/byte", limit);
        return buffer;
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

/* Appends a guess at what NAME was meant to be, if there is a good one. */
static void add_nearest(struct cw_text *text, const char *prefix, const char *name, const char *const *candidates)
{
    const char *nearest = cw_nearest(name, candidates);
    if (nearest) cw_text_printf(text, "; did you mean %s%s?", prefix, nearest);
}

static int parse_flag(const char *what, const char *text, bool *out)
{
    const bool yes = !text || strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0) return cw_fail(CW_EUSAGE, "%s: '%s' is not yes or no", what, text);
    *out = yes;
    return 0;
}

static int parse_choice(const char *what, const char *text, const char *const *choices, int *out)
{
    for (int i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) != 0) continue;
        *out = i;
        return 0;
    }
    struct cw_text message = {0};
    cw_text_printf(&message, "%s: there is no '%s'", what, text);
    add_nearest(&message, "", text, choices);
    cw_text_add(&message, " (choices: ");
    for (int i = 0; choices[i]; i++) cw_text_printf(&message, "%s%s", i ? ", " : "", choices[i]);
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

/* Sets the value of OPTION, called WHAT in messages. TEXT is NULL for a name alone. */
static int set_value(const char *what, const struct cw_option *option, void *values, const char *text)
{
    void *field = field_of(option, values);
    if (option->type == CW_OPTION_FLAG) return parse_flag(what, text, field);
    if (!text) return cw_fail(CW_EUSAGE, "%s needs a value: %s", what, option->help);
    switch (option->type) {
    case CW_OPTION_CHOICE:
        return parse_choice(what, text, option->choices, field);
    case CW_OPTION_TEXT:
        return parse_text(text, field);
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
        if (!option->default_text || set_value(option->name, option, values, option->default_text) == 0) continue;
        cw_options_free(options, values);
        return cw_fail(CW_EINTERNAL, "default of option %s", cw_error_message());
    }
    return 0;
}

void cw_options_free(const struct cw_option *options, void *values)
{
    for (const struct cw_option *option = options; option->name; option++) {
        void *field = field_of(option, values);
        if (option->type == CW_OPTION_TEXT) {
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

/* What is being parsed, and what was given already. */
struct parser {
    const char *owner;
    const struct cw_option_group *groups;
    size_t n_groups;
    bool dashes; /* options are written --name */
    bool *given; /* for each option, group by group; NULL: an option may be set again */
};

static size_t count_options(const struct cw_option *options)
{
    size_t n = 0;
    while (options[n].name) n++;
    return n;
}

static size_t count_all_options(const struct parser *parser)
{
    size_t n = 0;
    for (size_t g = 0; g < parser->n_groups; g++) n += count_options(parser->groups[g].options);
    return n;
}

/* The option called by the LENGTH bytes at NAME, or NULL; its group's values and its number among all options. */
static const struct cw_option *find_option(const struct parser *parser, const char *name, size_t length, void **values,
                                           size_t *number)
{
    *number = 0;
    for (size_t g = 0; g < parser->n_groups; g++) {
        *values = parser->groups[g].values;
        for (const struct cw_option *option = parser->groups[g].options; option->name; option++, ++*number)
            if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
    }
    return NULL;
}

static int fail_unknown(const struct parser *parser, const char *name, size_t length)
{
    const char *dashes = parser->dashes ? "--" : "";
    const char **names = cw_new_array(count_all_options(parser) + 1, sizeof *names, "names of options");
    char *wanted = names ? cw_copy_text(name, length) : NULL;
    if (!wanted) {
        free(names);
        return CW_ENOMEM;
    }
    size_t n = 0;
    for (size_t g = 0; g < parser->n_groups; g++)
        for (const struct cw_option *option = parser->groups[g].options; option->name; option++)
            names[n++] = option->name;
    struct cw_text message = {0};
    cw_text_printf(&message, "%s has no option %s%s", parser->owner, dashes, wanted);
    add_nearest(&message, dashes, wanted, names);
    if (!parser->dashes && n > 0) {
        cw_text_add(&message, " (options: ");
        for (size_t i = 0; i < n; i++) cw_text_printf(&message, "%s%s", i ? ", " : "", names[i]);
        cw_text_add(&message, ")");
    }
    int rc = cw_text_check(&message);
    if (!rc) rc = cw_fail(CW_EUSAGE, "%s", message.data);
    cw_text_free(&message);
    free(wanted);
    free(names);
    return rc;
}

static void describe(const struct parser *parser, const struct cw_option *option, char what[WHAT_SIZE])
{
    if (parser->dashes)
        snprintf(what, WHAT_SIZE, "--%s", option->name);
    else
        snprintf(what, WHAT_SIZE, "option '%s' of %s", option->name, parser->owner);
}

/* Sets the option called by the LENGTH bytes at NAME. */
static int set_option(const struct parser *parser, const char *name, size_t length, const char *text)
{
    void *values;
    size_t number;
    const struct cw_option *option = find_option(parser, name, length, &values, &number);
    if (!option) return fail_unknown(parser, name, length);
    char what[WHAT_SIZE];
    describe(parser, option, what);
    if (parser->given && parser->given[number]) return cw_fail(CW_EUSAGE, "%s is given twice", what);
    if (parser->given) parser->given[number] = true;
    return set_value(what, option, values, text);
}

static int check_required(const struct parser *parser)
{
    const bool *given = parser->given;
    for (size_t g = 0; g < parser->n_groups; g++)
        for (const struct cw_option *option = parser->groups[g].options; option->name; option++, given++)
            if (option->required && !*given)
                return cw_fail(CW_EUSAGE, "%s needs %s%s: %s", parser->owner, parser->dashes ? "--" : "", option->name,
                               option->help);
    return 0;
}

int cw_options_set(const char *owner, const struct cw_option *options, void *values, const char *name, const char *text)
{
    const struct cw_option_group group = {options, values};
    const struct parser parser = {.owner = owner, .groups = &group, .n_groups = 1};
    return set_option(&parser, name, strlen(name), text);
}

/* The positional option number POSITION, or NULL. */
static const struct cw_option *positional_option(const struct cw_option *options, size_t position)
{
    for (; options->name; options++)
        if (options->positional && position-- == 0) return options;
    return NULL;
}

/* One of the values between commas: "name=value", a flag's name, or the value of the next positional option. */
static int parse_parameter(const struct parser *parser, const char *parameter, size_t *position)
{
    const struct cw_option *options = parser->groups->options;
    const char *equals = strchr(parameter, '=');
    if (!*parameter) return cw_fail(CW_EUSAGE, "%s: a value between two commas is empty", parser->owner);
    if (equals) return set_option(parser, parameter, (size_t)(equals - parameter), equals + 1);
    void *values;
    size_t number;
    const struct cw_option *named = find_option(parser, parameter, strlen(parameter), &values, &number);
    if (named && named->type == CW_OPTION_FLAG) return set_option(parser, parameter, strlen(parameter), NULL);
    const struct cw_option *option = positional_option(options, *position);
    if (option) {
        ++*position;
        return set_option(parser, option->name, strlen(option->name), parameter);
    }
    if (*position == 0)
        return cw_fail(CW_EUSAGE, "%s: '%s' has no name; expected name=value", parser->owner, parameter);
    return cw_fail(CW_EUSAGE, "%s: '%s' is one too many; expected at most %zu value%s without a name", parser->owner,
                   parameter, *position, *position == 1 ? "" : "s");
}

int cw_options_parse_parameters(const char *owner, const struct cw_option *options, void *values,
                                const char *parameters)
{
    const struct cw_option_group group = {options, values};
    struct parser parser = {.owner = owner, .groups = &group, .n_groups = 1};
    parser.given = cw_new_array(count_options(options), sizeof *parser.given, "options");
    if (!parser.given) return CW_ENOMEM;
    char *copy = cw_copy_text(parameters ? parameters : "", parameters ? strlen(parameters) : 0);
    int rc = copy ? 0 : CW_ENOMEM;
    char *rest = copy && *copy ? copy : NULL;
    size_t position = 0;
    while (rc == 0 && rest) rc = parse_parameter(&parser, strsep(&rest, ","), &position);
    if (rc == 0) rc = check_required(&parser);
    free(copy);
    free(parser.given);
    return rc;
}

/* An option at ARGV[*I], and its value, which may be the argument after it. */
static int parse_argument(const struct parser *parser, int argc, char *const *argv, int *i)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    void *values;
    size_t number;
    const struct cw_option *option = find_option(parser, name, length, &values, &number);
    if (!option) return fail_unknown(parser, name, length);
    if (option->type == CW_OPTION_FLAG) {
        if (equals) return cw_fail(CW_EUSAGE, "--%s takes no value", option->name);
        return set_option(parser, name, length, NULL);
    }
    if (equals) return set_option(parser, name, length, equals + 1);
    if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0)
        return cw_fail(CW_EUSAGE, "--%s needs a value: %s", option->name, option->help);
    return set_option(parser, name, length, argv[++*i]);
}

static int fail_dash(const struct parser *parser, const char *argument)
{
    const char *name = argument + 1;
    void *values;
    size_t number;
    if (find_option(parser, name, strcspn(name, "="), &values, &number))
        return cw_fail(CW_EUSAGE, "%s: '%s' needs two dashes: -%s", parser->owner, argument, argument);
    return cw_fail(CW_EUSAGE, "%s: '%s' is not an option; expected --name, or -- before an argument that begins with -",
                   parser->owner, argument);
}

static int parse_all(const struct parser *parser, int argc, char *const *argv, const char **positional,
                     size_t max_positional, size_t *n_positional)
{
    bool options_end = false;
    size_t n = 0;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        int rc = 0;
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = true;
        else if (!options_end && strncmp(argument, "--", 2) == 0)
            rc = parse_argument(parser, argc, argv, &i);
        else if (!options_end && argument[0] == '-' && argument[1])
            rc = fail_dash(parser, argument);
        else if (n < max_positional)
            positional[n++] = argument;
        else
            rc = cw_fail(CW_EUSAGE, "%s: argument '%s' is one too many; expected at most %zu", parser->owner, argument,
                         max_positional);
        if (rc) return rc;
    }
    const int rc = check_required(parser);
    if (!rc) *n_positional = n;
    return rc;
}

int cw_options_parse_arguments(const char *owner, const struct cw_option_group *groups, size_t n_groups, int argc,
                               char *const *argv, const char **positional, size_t max_positional, size_t *n_positional)
{
    struct parser parser = {.owner = owner, .groups = groups, .n_groups = n_groups, .dashes = true};
    parser.given = cw_new_array(count_all_options(&parser), sizeof *parser.given, "options");
    if (!parser.given) return CW_ENOMEM;
    const int rc = parse_all(&parser, argc, argv, positional, max_positional, n_positional);
    free(parser.given);
    return rc;
}

const char *cw_spec_split(const char *spec, char *name, size_t size)
{
    const size_t length = strcspn(spec, ":");
    snprintf(name, size, "%.*s", (int)length, spec);
    return spec[length] ? spec + length + 1 : NULL;
}
