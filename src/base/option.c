#include "base/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"

/* Room for a name in a message; a longer one is cut. */
#define WHAT_SIZE 160

/* What is being parsed, and what was given already. */
struct parser {
    const char *owner;
    const struct cw_option_group *groups;
    size_t n_groups;
    bool dashes; /* options are written --name */
    bool *given; /* for each option, group by group; NULL: an option may be set again */
};

static const struct cw_option no_options[] = {{.name = NULL}};

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
    char *wanted = cw_copy_text(name, length);
    if (!wanted) return CW_ENOMEM;
    struct cw_guess guess = cw_guess_of(wanted);
    struct cw_text message = {0}, all = {0};
    for (size_t g = 0; g < parser->n_groups; g++)
        for (const struct cw_option *option = parser->groups[g].options; option->name; option++) {
            cw_guess_try(&guess, option->name);
            cw_text_printf(&all, "%s%s", all.length > 0 ? ", " : "", option->name);
        }
    cw_text_printf(&message, "%s has no option %s%s", parser->owner, dashes, wanted);
    if (guess.nearest) cw_text_printf(&message, "; did you mean %s%s?", dashes, guess.nearest);
    if (!parser->dashes && all.length > 0) cw_text_printf(&message, " (options: %s)", all.data);
    int rc = cw_text_check(&message);
    if (!rc) rc = cw_fail(CW_EUSAGE, "%s", message.data);
    cw_text_free(&message);
    cw_text_free(&all);
    free(wanted);
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
    return cw_option_set(what, option, values, text);
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
        if (find_option(parser, option->name, strlen(option->name), &values, &number) && parser->given[number])
            return cw_fail(CW_EUSAGE, "%s: '%s' has no name, and %s is given already (a comma begins another value)",
                           parser->owner, parameter, option->name);
        return set_option(parser, option->name, strlen(option->name), parameter);
    }
    if (*position == 0)
        return cw_fail(CW_EUSAGE, "%s: '%s' has no name; expected name=value", parser->owner, parameter);
    return cw_fail(CW_EUSAGE, "%s: unexpected '%s'; expected at most %zu value%s without a name", parser->owner,
                   parameter, *position, cw_plural(*position));
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
static int parse_argument(const struct parser *parser, int argc, char *const *argv, int *i,
                          const struct cw_option **out)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    void *values;
    size_t number;
    const struct cw_option *option = find_option(parser, name, length, &values, &number);
    if (!option) return fail_unknown(parser, name, length);
    *out = option;
    if (equals) return set_option(parser, name, length, equals + 1);
    if (option->type == CW_OPTION_FLAG) return set_option(parser, name, length, NULL);
    if (option->bare) return set_option(parser, name, length, option->bare);
    if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0)
        return cw_fail(CW_EUSAGE, "--%s needs a value: %s", option->name, option->help);
    return set_option(parser, name, length, argv[++*i]);
}

/* A flag by its letter: "-h". */
static int parse_letter(const struct parser *parser, const char *argument, const struct cw_option **out)
{
    const char *name = argument + 1;
    for (size_t g = 0; g < parser->n_groups; g++)
        for (const struct cw_option *option = parser->groups[g].options; option->name; option++)
            if (option->letter == *name && !name[1]) {
                *out = option;
                return set_option(parser, option->name, strlen(option->name), option->bare);
            }
    void *values;
    size_t number;
    if (find_option(parser, name, strcspn(name, "="), &values, &number))
        return cw_fail(CW_EUSAGE, "%s: '%s' needs two dashes: -%s", parser->owner, argument, argument);
    return cw_fail(CW_EUSAGE, "%s: '%s' is not an option; expected --name, or -- before an argument that begins with -",
                   parser->owner, argument);
}

/* What POSITIONAL says of argument NUMBER of N, from 0; its end if there may be no such argument. What stands behind
 * one that repeats is said of the last arguments. */
static const struct cw_option *described_at(const struct cw_option *positional, size_t number, size_t n)
{
    for (; positional->name && number > 0; positional++, number--, n--) {
        if (!positional->repeats) continue;
        const size_t behind = count_options(positional + 1), last = n > behind ? n - behind : 1;
        return number < last ? positional : positional + 1 + (number - last);
    }
    return positional;
}

/* A positional argument, of those that POSITIONAL describes. */
static int take_positional(const struct parser *parser, const struct cw_option *positional, const char *argument,
                           const struct cw_option **option, struct cw_arguments *out)
{
    *option = described_at(positional, out->n_positional, out->n_positional + 1);
    if (!(*option)->name)
        return cw_fail(CW_EUSAGE, "%s: unexpected argument '%s'; expected at most %zu", parser->owner, argument,
                       count_options(positional));
    out->positional[out->n_positional++] = argument;
    return 0;
}

/* The argument at ARGV[*I], which may be an option's name and the next one its value. */
static int parse_next(const struct parser *parser, int argc, char *const *argv, int *i,
                      const struct cw_option *positional, struct cw_arguments *out)
{
    const char *argument = argv[*i];
    struct cw_argument *entry = &out->items[out->n];
    *entry = (struct cw_argument){.first = *i, .words = 1};
    const bool options_end = out->end_of_options;
    int rc = 0;
    if (!options_end && strcmp(argument, "--") == 0)
        out->end_of_options = true;
    else if (!options_end && strncmp(argument, "--", 2) == 0)
        rc = parse_argument(parser, argc, argv, i, &entry->option);
    else if (!options_end && argument[0] == '-' && argument[1])
        rc = parse_letter(parser, argument, &entry->option);
    else
        rc = take_positional(parser, positional, argument, &entry->option, out);
    entry->words += *i - entry->first;
    out->n++;
    return rc;
}

/* How many there are decides which of them are the last. */
static void describe_positional(char *const *argv, struct cw_arguments *arguments)
{
    size_t number = 0;
    for (size_t i = 0; i < arguments->n && number < arguments->n_positional; i++)
        if (argv[arguments->items[i].first] == arguments->positional[number]) {
            arguments->items[i].option = described_at(arguments->described, number, arguments->n_positional);
            number++;
        }
}

int cw_options_parse_arguments(const char *owner, const struct cw_option_group *groups, size_t n_groups, int argc,
                               char *const *argv, const struct cw_option *positional, struct cw_arguments *out)
{
    if (!positional) positional = no_options;
    struct parser parser = {.owner = owner, .groups = groups, .n_groups = n_groups, .dashes = true};
    struct cw_arguments arguments = {.described = positional};
    parser.given = cw_new_array(count_all_options(&parser), sizeof *parser.given, "options");
    arguments.items = cw_new_array((size_t)argc, sizeof *arguments.items, "arguments");
    arguments.positional = cw_new_array((size_t)argc + 1, sizeof *arguments.positional, "arguments");
    int rc = parser.given && arguments.items && arguments.positional ? 0 : CW_ENOMEM;
    for (int i = 0; rc == 0 && i < argc; i++) rc = parse_next(&parser, argc, argv, &i, positional, &arguments);
    describe_positional(argv, &arguments);
    if (rc == 0) rc = check_required(&parser);
    free(parser.given);
    if (rc)
        cw_arguments_free(&arguments);
    else
        *out = arguments;
    return rc;
}

bool cw_arguments_have(const struct cw_arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->n; i++)
        if (arguments->items[i].option && strcmp(arguments->items[i].option->name, name) == 0) return true;
    return false;
}

void cw_arguments_free(struct cw_arguments *arguments)
{
    free(arguments->items);
    free(arguments->positional);
    *arguments = (struct cw_arguments){0};
}

int cw_arguments_check(const char *owner, const struct cw_arguments *arguments)
{
    for (const struct cw_option *option = arguments->described; option->name; option++)
        if (option->required && !cw_arguments_have(arguments, option->name))
            return cw_fail(CW_EUSAGE, "%s: expected %s, see '%s --help'", owner, option->name, owner);
    return 0;
}

/* The file that VALUE of OPTION says will be written, or NULL. */
static const char *output_of(const struct cw_option *option, const char *value)
{
    const char *file;
    if (!value || !option) return NULL;
    if (option->type == CW_OPTION_OUTPUT) return value;
    return option->type == CW_OPTION_NAMED_OUTPUT && cw_option_named_output(option, value, &file) ? file : NULL;
}

/* What the file PATH of OPTION brings with it: metadata of CSV, the script of a figure. */
static int declare(const struct cw_option *option, bool dashes, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) return 0; /* as often as one likes: /dev/null */
    const size_t length = strlen(path);
    const bool figure = length > 4 && strcmp(path + length - 4, ".svg") == 0;
    struct cw_text what = {0}, metadata = {0}, script = {0};
    cw_text_printf(&what, "%s%s", dashes ? "--" : "", option->name);
    cw_text_printf(&metadata, "%s-metadata.json", path);
    cw_text_printf(&script, "%.*s.gp", (int)(length - (figure ? 4 : 0)), path);
    int rc = cw_text_check(&what);
    if (!rc) rc = cw_text_check(&metadata);
    if (!rc) rc = cw_text_check(&script);
    if (!rc) rc = cw_inputs_add_output(path, what.data);
    if (!rc) rc = cw_inputs_add_output(metadata.data, what.data);
    if (!rc && figure) rc = cw_inputs_add_output(script.data, what.data);
    cw_text_free(&what);
    cw_text_free(&metadata);
    cw_text_free(&script);
    return rc;
}

/* Checks the file that VALUE of OPTION says will be written, or with INPUTS that will be read: all outputs come first.
 */
static int check_file(const struct cw_option *option, bool dashes, const char *value, bool inputs)
{
    const char *path = output_of(option, value);
    if (inputs) return value && option && option->type == CW_OPTION_INPUT ? cw_inputs_check_read(value) : 0;
    const int rc = path ? cw_file_check_output(path) : 0;
    return rc || !path ? rc : declare(option, dashes, path);
}

static int check_files(const struct cw_option_group *groups, size_t n_groups, const struct cw_arguments *arguments,
                       bool inputs)
{
    for (size_t g = 0; g < n_groups; g++)
        for (const struct cw_option *option = groups[g].options; option->name; option++) {
            if (!cw_option_is_text(option)) continue;
            const char *value = *(char *const *)((const char *)groups[g].values + option->offset);
            const int rc = check_file(option, true, value, inputs);
            if (rc) return rc;
        }
    for (size_t i = 0; arguments && i < arguments->n_positional; i++) {
        const struct cw_option *option = described_at(arguments->described, i, arguments->n_positional);
        const int rc = check_file(option, false, arguments->positional[i], inputs);
        if (rc) return rc;
    }
    return 0;
}

int cw_options_check_outputs(const struct cw_option_group *groups, size_t n_groups,
                             const struct cw_arguments *arguments)
{
    const int rc = check_files(groups, n_groups, arguments, false);
    return rc ? rc : check_files(groups, n_groups, arguments, true);
}

int cw_option_values_new(const char *owner, const struct cw_option *options, size_t size, const char *parameters,
                         void **out)
{
    if (!options) options = no_options;
    void *values = cw_new_array(1, size > 0 ? size : 1, owner);
    if (!values) return CW_ENOMEM;
    int rc = cw_options_init(options, values);
    if (!rc) rc = cw_options_parse_parameters(owner, options, values, parameters);
    if (rc)
        cw_option_values_free(options, values);
    else
        *out = values;
    return rc;
}

void cw_option_values_free(const struct cw_option *options, void *values)
{
    if (values && options) cw_options_free(options, values);
    free(values);
}

const char *cw_spec_split(const char *spec, char *name, size_t size)
{
    const size_t length = strcspn(spec, ":");
    snprintf(name, size, "%.*s", (int)length, spec);
    return spec[length] ? spec + length + 1 : NULL;
}
