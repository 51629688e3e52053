/* crosswind: finds the verb, parses its arguments, runs it and writes its result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/version.h"
#include "cli/interval_note.h"
#include "cli/verb.h"

static void add_quoted(struct cw_text *text, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=@+%";
    cw_text_add(text, " ");
    if (*argument && strspn(argument, plain) == strlen(argument)) {
        cw_text_add(text, argument);
        return;
    }
    cw_text_add(text, "'");
    for (const char *c = argument; *c; c++)
        if (*c == '\'')
            cw_text_add(text, "'\\''");
        else
            cw_text_append(text, c, 1);
    cw_text_add(text, "'");
}

/* The command that gives this result again: without what only says how to compute or show it. */
static int record_command(struct invocation *invocation)
{
    static const char *const left_out[] = {"threads", "output", "format", NULL};
    struct cw_text text = {0};
    cw_text_printf(&text, "crosswind %s", invocation->verb->name);
    char *const *argv = invocation->argv;
    for (int i = 0; i < invocation->argc; i++) {
        bool skip = is_option(argv[i], "quiet");
        for (size_t j = 0; !skip && left_out[j]; j++)
            if (is_option(argv[i], left_out[j])) {
                skip = true;
                if (!strchr(argv[i], '=')) i++;
            }
        if (!skip) add_quoted(&text, argv[i]);
    }
    const int error = cw_text_check(&text);
    if (!error) cw_result_set_command(invocation->result, text.data, (uint64_t)invocation->common.seed);
    cw_text_free(&text);
    return error;
}

static unsigned terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int write_metadata(const struct invocation *invocation, const char *output)
{
    struct cw_text path = {0}, metadata = {0};
    const char *name = strrchr(output, '/');
    cw_text_printf(&path, "%s-metadata.json", output);
    int error = cw_text_check(&path);
    if (!error) error = cw_result_write_metadata(invocation->result, name ? name + 1 : output, &metadata);
    if (!error) error = cw_file_write(path.data, &metadata);
    cw_text_free(&path);
    cw_text_free(&metadata);
    return error;
}

static int write_result(const struct invocation *invocation)
{
    const char *output = invocation->common.output;
    const enum cw_format format = (enum cw_format)invocation->common.format;
    struct cw_text text = {0};
    int error = cw_result_write(invocation->result, format, output ? 0 : terminal_width(), &text);
    if (!error && output) {
        error = cw_file_write(output, &text);
        if (!error && format == CW_FORMAT_CSV) error = write_metadata(invocation, output);
    } else if (!error && text.length > 0) {
        fwrite(text.data, 1, text.length, stdout);
    }
    cw_text_free(&text);
    return error;
}

static int show_help(const struct verb *verb)
{
    struct cw_text text = {0};
    verb_describe(verb, &text);
    const int error = cw_text_check(&text);
    if (!error) fputs(text.data, stdout);
    cw_text_free(&text);
    return error;
}

static int check_positional(const struct invocation *invocation)
{
    const struct verb *verb = invocation->verb;
    if (invocation->n_positional >= verb->min_positional) return 0;
    return cw_fail(CW_EUSAGE, "crosswind %s: expected %s, see 'crosswind %s --help'", verb->name, verb->arguments,
                   verb->name);
}

static int run(struct invocation *invocation)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n_groups = verb_groups(invocation->verb, invocation, groups);
    char owner[64];
    snprintf(owner, sizeof owner, "crosswind %s", invocation->verb->name);
    int error = 0;
    for (size_t i = 0; !error && i < n_groups; i++) error = cw_options_init(groups[i].options, groups[i].values);
    if (!error)
        error = cw_options_parse_arguments(owner, groups, n_groups, invocation->argc, invocation->argv,
                                           invocation->positional, invocation->verb->max_positional,
                                           &invocation->n_positional);
    if (!error && invocation->common.help) {
        error = show_help(invocation->verb);
    } else if (!error) {
        error = check_positional(invocation);
        if (!error) error = record_command(invocation);
        if (!error) error = invocation->verb->run(invocation);
        if (!error) note_missing_intervals(invocation->result);
        if (!error && cw_result_tables(invocation->result) > 0) error = write_result(invocation);
    }
    for (size_t i = 0; i < n_groups; i++) cw_options_free(groups[i].options, groups[i].values);
    return error;
}

static int run_verb(const char *name, int argc, char *const *argv, bool *failed)
{
    struct invocation invocation = {.verb = verb_find(name), .argc = argc, .argv = argv};
    if (!invocation.verb) return CW_EUSAGE;
    invocation.values = cw_new_array(1, invocation.verb->size, "options");
    int error = invocation.values ? cw_result_new(&invocation.result) : CW_ENOMEM;
    if (!error) error = run(&invocation);
    *failed = invocation.failed;
    cw_result_free(invocation.result);
    free(invocation.values);
    return error;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0) {
        printf("crosswind %s\n", cw_version());
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    bool failed = false;
    int error = run_verb(name, argc > 2 ? argc - 2 : 0, argv + 2, &failed);
    if (!error && (fflush(stdout) != 0 || ferror(stdout))) error = cw_fail(CW_EIO, "standard output cannot be written");
    if (error) fprintf(stderr, "crosswind: %s\n", cw_error_message());
    return error == CW_EUSAGE ? 2 : error || failed ? 1 : 0;
}
