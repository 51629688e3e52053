#include "cli/configuration.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/verb.h"

/* A file that is being read. */
struct reader {
    struct configuration *out;
    unsigned long line;
    const struct verb *verb; /* of the section; NULL: before the first */
};

/* CW_EUSAGE, whatever is wrong: the user has asked for it, if not just now. */
static int CW_PRINTF(2, 3) fail(const struct reader *reader, const char *format, ...)
{
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&message, format, arguments) < 0) message = NULL;
    va_end(arguments);
    const int rc = message ? cw_fail(CW_EUSAGE, "%s:%lu: %s", reader->out->path, reader->line, message) : CW_ENOMEM;
    free(message);
    return rc;
}

/* --- which options may have defaults ------------------------------------------------------------------------------ */

/* Those that write would write over what the run before has written; --help and --version are no part of a run. */
static bool may_have_default(const struct cw_option *option)
{
    const bool writes = option->type == CW_OPTION_OUTPUT || option->type == CW_OPTION_NAMED_OUTPUT ||
                        option->type == CW_OPTION_DIRECTORY;
    return !writes && strcmp(option->name, "help") != 0 && strcmp(option->name, "version") != 0;
}

/* The options of VERB; NULL: those of all verbs that compute something. Returns the number of tables. */
static size_t tables_of(const struct verb *verb, const struct cw_option *tables[MAX_GROUPS])
{
    struct cw_option_group groups[MAX_GROUPS] = {{common_options, NULL}, {about_options, NULL}};
    const size_t n = verb ? verb_groups(verb, NULL, groups) : 2;
    for (size_t i = 0; i < n; i++) tables[i] = groups[i].options;
    return n;
}

static int fail_unknown(const struct reader *reader, const char *name)
{
    const struct cw_option *tables[MAX_GROUPS];
    const size_t n = tables_of(reader->verb, tables);
    struct cw_guess guess = cw_guess_of(name);
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = tables[i]; option->name; option++)
            if (may_have_default(option)) cw_guess_try(&guess, option->name);
    if (guess.nearest && reader->verb)
        return fail(reader, "%s has no option '%s'; did you mean '%s'?", reader->verb->name, name, guess.nearest);
    if (guess.nearest) return fail(reader, "'%s' is no option of all verbs; did you mean '%s'?", name, guess.nearest);
    if (reader->verb)
        return fail(reader, "%s has no option '%s', see 'crosswind %s --help=all'", reader->verb->name, name,
                    reader->verb->name);
    return fail(reader,
                "'%s' is no option of all verbs; expected threads, seed, format, quiet or plugin, or above it the "
                "verb that has it: [VERB]",
                name);
}

/* The option NAME in this section, which may have a default. */
static int find_option(const struct reader *reader, const char *name, const struct cw_option **out)
{
    const struct cw_option *tables[MAX_GROUPS];
    const size_t n = tables_of(reader->verb, tables);
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = tables[i]; option->name; option++) {
            if (strcmp(option->name, name) != 0) continue;
            if (!may_have_default(option))
                return fail(reader, "'%s' has no default; expected it on the command line, as --%s", name, name);
            *out = option;
            return 0;
        }
    return fail_unknown(reader, name);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* [VERB] in TEXT. */
static int read_section(struct reader *reader, char *text)
{
    char *end = strchr(text, ']');
    const char *behind = end ? end + 1 + strspn(end + 1, " \t") : "?";
    if (*behind && *behind != '#') return fail(reader, "'%s' is no section; expected [VERB]", text);
    *end = '\0';
    reader->verb = cw_registry_find(&verb_registry, text + 1);
    if (reader->verb) return 0;
    struct cw_guess guess = cw_guess_of(text + 1);
    cw_registry_guess(&verb_registry, &guess);
    if (guess.nearest) return fail(reader, "there is no verb '%s'; did you mean '%s'?", text + 1, guess.nearest);
    return fail(reader, "there is no verb '%s', see 'crosswind help'", text + 1);
}

/* The value that TEXT begins with, in place: in quotes, or up to the end or a comment. NULL: none of these. */
static char *value_in(char *text)
{
    if (*text == '"') {
        char *end = strchr(text + 1, '"');
        if (!end) return NULL;
        *end++ = '\0';
        end += strspn(end, " \t");
        return *end && *end != '#' ? NULL : text + 1;
    }
    for (char *c = text; (c = strchr(c, '#')); c++)
        if (c == text || strchr(" \t", c[-1])) *c = '\0'; /* no comment within a word */
    for (size_t n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--) text[n - 1] = '\0';
    return *text ? text : NULL;
}

/* Tries VALUE, as the verb would set it. */
static int try(const struct reader *reader, const struct cw_option *option, const char *value)
{
    const struct cw_option alone[] = {*option, {.name = NULL}};
    struct cw_text what = {0};
    void *values = cw_new_array(1, sizeof(struct invocation) + (reader->verb ? reader->verb->size : 0), "options");
    cw_text_printf(&what, "%s:%lu: %s", reader->out->path, reader->line, option->name);
    int rc = values ? cw_text_check(&what) : CW_ENOMEM;
    if (!rc) rc = cw_option_set(what.data, option, values, value);
    if (values) cw_options_free(alone, values);
    free(values);
    cw_text_free(&what);
    return rc;
}

static int enter(struct reader *reader, const struct cw_option *option, const char *value)
{
    struct configuration *out = reader->out;
    for (size_t i = 0; i < out->n; i++)
        if (out->lines[i].option == option && out->lines[i].verb == reader->verb)
            return fail(reader, "'%s' is given twice, before on line %lu", option->name, out->lines[i].number);
    void *lines = out->lines;
    const int rc = cw_grow_array(&lines, &out->capacity, out->n + 1, sizeof *out->lines, "lines of a file");
    if (rc) return rc;
    out->lines = lines;
    char *copy = cw_copy_text(value, strlen(value));
    if (!copy) return CW_ENOMEM;
    out->lines[out->n++] = (struct configuration_line){reader->line, reader->verb, option, copy, false, false};
    return 0;
}

/* NAME = VALUE in TEXT. */
static int read_default(struct reader *reader, char *text)
{
    const struct cw_option *option;
    char *equals = strchr(text, '=');
    if (!equals) return fail(reader, "'%s' has no '='; expected NAME = VALUE, [VERB] or # and a comment", text);
    *equals = '\0';
    for (char *end = equals; end > text && strchr(" \t", end[-1]); end--) end[-1] = '\0';
    const char *name = strncmp(text, "--", 2) == 0 ? text + 2 : text;
    if (name != text) return fail(reader, "'%s': expected the name without dashes, '%s'", text, name);
    int rc = find_option(reader, name, &option);
    if (rc) return rc;
    const char *value = value_in(equals + 1 + strspn(equals + 1, " \t"));
    if (!value) return fail(reader, "%s: expected a value behind '=', or one in quotes: \"...\"", name);
    rc = try(reader, option, value);
    return rc ? rc : enter(reader, option, value);
}

static int read_line(struct reader *reader, const struct cw_lines *lines)
{
    char *copy = cw_copy_text(lines->line, lines->length);
    if (!copy) return CW_ENOMEM;
    char *text = copy + strspn(copy, " \t");
    reader->line = lines->number;
    const int rc = !*text || *text == '#' ? 0 : *text == '[' ? read_section(reader, text) : read_default(reader, text);
    free(copy);
    return rc;
}

int configuration_parse(const char *path, const char *text, size_t length, struct configuration *out)
{
    struct reader reader = {.out = out};
    struct cw_lines lines = cw_lines_of(path, text, length);
    out->path = cw_copy_text(path, strlen(path));
    int rc = out->path ? 0 : CW_ENOMEM;
    while (!rc && cw_lines_next(&lines)) rc = read_line(&reader, &lines);
    return rc;
}

/* Where the file is; empty: nowhere. One that the user has named must be there. */
static int find_file(struct cw_text *path)
{
    const char *named = getenv("CROSSWIND_CONFIG"), *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (named)
        cw_text_add(path, named);
    else if (folder && *folder == '/')
        cw_text_printf(path, "%s/crosswind/config", folder);
    else if (home && *home)
        cw_text_printf(path, "%s/.config/crosswind/config", home);
    if (path->failed) return cw_text_check(path);
    if (!named && path->length > 0 && access(path->data, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        cw_text_free(path);
    return 0;
}

int configuration_read(struct configuration *out)
{
    struct cw_text path = {0}, text = {0};
    struct cw_inputs *record = cw_inputs_record(NULL); /* it is no input: results name what of it they used */
    int rc = find_file(&path);
    const bool is_there = !rc && path.length > 0;
    if (is_there) rc = cw_file_read(path.data, &text);
    if (is_there && !rc) rc = configuration_parse(path.data, text.data ? text.data : "", text.length, out);
    cw_inputs_record(record);
    cw_text_free(&path);
    cw_text_free(&text);
    return rc;
}

void configuration_free(struct configuration *configuration)
{
    for (size_t i = 0; i < configuration->n; i++) free(configuration->lines[i].value);
    free(configuration->lines);
    free(configuration->path);
    *configuration = (struct configuration){0};
}

/* --- using it ----------------------------------------------------------------------------------------------------- */

/* Whether the section of VERB has a line of its own for OPTION. */
static bool is_overruled(const struct configuration *configuration, const struct verb *verb,
                         const struct cw_option *option)
{
    for (size_t i = 0; i < configuration->n; i++)
        if (configuration->lines[i].verb == verb && configuration->lines[i].option == option) return true;
    return false;
}

/* Sets the option of LINE, if it is one of GROUP. */
static int apply(struct configuration_line *line, const struct cw_option_group *group)
{
    for (const struct cw_option *option = group->options; option->name; option++) {
        if (option != line->option) continue;
        line->used = true;
        return cw_option_set(option->name, option, group->values, line->value);
    }
    return 0;
}

int configuration_apply(struct configuration *configuration, const struct verb *verb,
                        const struct cw_option_group *groups, size_t n_groups, const struct cw_arguments *given)
{
    int rc = 0;
    for (size_t i = 0; i < configuration->n; i++) {
        struct configuration_line *line = &configuration->lines[i];
        const bool is_for = line->verb == verb || (!line->verb && !is_overruled(configuration, verb, line->option));
        line->used = false;
        if (!is_for || line->refused || cw_arguments_have(given, line->option->name)) continue;
        for (size_t g = 0; !rc && g < n_groups; g++) rc = apply(line, &groups[g]);
    }
    return rc;
}

struct configuration_line *configuration_line(const struct configuration *configuration, const char *name)
{
    for (size_t i = 0; configuration && i < configuration->n; i++)
        if (configuration->lines[i].used && strcmp(configuration->lines[i].option->name, name) == 0)
            return &configuration->lines[i];
    return NULL;
}

static void add_word(const struct configuration_line *line, struct cw_text *text)
{
    struct cw_text word = {0};
    cw_text_printf(&word, "--%s", line->option->name);
    if (line->option->type != CW_OPTION_FLAG || strcmp(line->value, "yes") != 0)
        cw_text_printf(&word, "=%s", line->value);
    text->failed |= word.failed;
    if (!word.failed) program_add_word(text, word.data);
    cw_text_free(&word);
}

void configuration_add_words(const struct configuration *configuration, bool results, struct cw_text *text)
{
    for (size_t i = 0; i < configuration->n; i++)
        if (configuration->lines[i].used && !(results && configuration->lines[i].option->incidental))
            add_word(&configuration->lines[i], text);
}

void configuration_explain(const struct configuration *configuration, const char *message, struct cw_text *text)
{
    for (size_t i = 0; i < configuration->n; i++) {
        const struct configuration_line *line = &configuration->lines[i];
        const char *at = strstr(message, line->option->name);
        const bool is_named = at && at >= message + 2 && strncmp(at - 2, "--", 2) == 0;
        if (!line->used || (!is_named && !(cw_option_is_text(line->option) && strstr(message, line->value)))) continue;
        cw_text_printf(text, " (%s:%lu has", configuration->path, line->number);
        add_word(line, text);
        cw_text_add(text, ")");
    }
}
