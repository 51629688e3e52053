#include "cli/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/plugin.h"
#include "base/version.h"
#include "cli/interval_note.h"
#include "cli/output.h"
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
    struct cw_text text = {0};
    cw_text_printf(&text, "%s %s", invocation->verb->ranks ? program_name : "crosswind", invocation->verb->name);
    for (size_t i = 0; i < invocation->arguments.n; i++) {
        const struct cw_argument *argument = &invocation->arguments.items[i];
        if (argument->option && argument->option->incidental) continue;
        for (int word = 0; word < argument->words; word++) add_quoted(&text, invocation->argv[argument->first + word]);
    }
    const int rc = cw_text_check(&text);
    if (!rc) {
        const uint64_t seed = (uint64_t)invocation->common.seed;
        cw_result_set_command(invocation->result, text.data, seed);
        cw_result_set_context_number(invocation->result, CW_CONTEXT_SEED, seed);
    }
    cw_text_free(&text);
    return rc;
}

static void show_version(void)
{
    printf("%s %s\n", program_name, cw_version());
}

static int show_help(const struct verb *verb, bool all)
{
    struct cw_text text = {0};
    verb_describe(verb, all, &text);
    const int rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

/* What asks the program to stop: Ctrl-C, a batch system, a terminal or a connection that goes away. */
static const int asking[] = {SIGINT, SIGTERM, SIGHUP};

/* A second signal ends the program at once, as it would without this. */
static void interrupt(int number)
{
    (void)number;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) signal(asking[i], SIG_DFL);
    cw_interrupt();
}

/* What whoever started the program wants ignored stays ignored. Without SA_RESTART, so that a read that waits ends. */
static void catch_signals(void)
{
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        struct sigaction action;
        if (sigaction(asking[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = interrupt};
        sigaction(asking[i], &action, NULL);
    }
}

/* What readers of files had to remark. */
static void note_remarks(struct cw_result *result)
{
    const struct cw_text *remarks = &cw_result_inputs(result)->remarks;
    struct cw_lines lines = cw_lines_of("", remarks->data, remarks->length);
    while (cw_lines_next(&lines)) cw_result_note(result, "%.*s", (int)lines.length, lines.line);
}

static int run_and_write(struct invocation *invocation, const char *owner, const struct cw_option_group *groups,
                         size_t n_groups)
{
    struct output output;
    int rc = cw_arguments_check(owner, &invocation->arguments);
    if (!rc) rc = cw_options_check_outputs(groups, n_groups, &invocation->arguments);
    if (!rc) rc = record_command(invocation);
    if (rc) return rc;
    output_begin(&output, invocation);
    catch_signals();
    rc = invocation->verb->run(invocation);
    note_remarks(invocation->result);
    if (!invocation->unsteady) note_missing_intervals(invocation->result);
    return output_end(&output, rc);
}

/* Where --format does not say it, the ending of --output does. */
static void choose_format(struct invocation *invocation)
{
    const char *ending = invocation->common.output ? strrchr(invocation->common.output, '.') : NULL;
    if (!ending || invocation_has(invocation, "format")) return;
    for (int i = 0; result_formats[i]; i++)
        if (strcmp(ending + 1, result_formats[i]) == 0) invocation->common.format = i;
}

static int run(struct invocation *invocation)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n_groups = verb_groups(invocation->verb, invocation, groups);
    char owner[64];
    snprintf(owner, sizeof owner, "%s %s", program_name, invocation->verb->name);
    int rc = cw_plugins_load(getenv("CROSSWIND_PLUGINS"));
    for (size_t i = 0; !rc && i < n_groups; i++) rc = cw_options_init(groups[i].options, groups[i].values);
    if (!rc)
        rc = cw_options_parse_arguments(owner, groups, n_groups, invocation->argc, invocation->argv,
                                        invocation->verb->arguments, &invocation->arguments);
    if (!rc) rc = cw_plugins_load(invocation->common.plugins);
    choose_format(invocation);
    invocation->positional = invocation->arguments.positional;
    invocation->n_positional = invocation->arguments.n_positional;
    if (invocation->ranks && invocation->common.threads == 0) invocation->common.threads = invocation->ranks->threads;
    if (!rc && invocation->common.help != HELP_NO)
        rc = show_help(invocation->verb, invocation->common.help == HELP_ALL);
    else if (!rc && invocation->common.version)
        show_version();
    else if (!rc)
        rc = run_and_write(invocation, owner, groups, n_groups);
    cw_arguments_free(&invocation->arguments);
    for (size_t i = 0; i < n_groups; i++) cw_options_free(groups[i].options, groups[i].values);
    return rc;
}

/* Of a verb that takes a command, what stands behind "--" is that. */
static void split_command(struct invocation *invocation)
{
    if (!invocation->verb->command) return;
    for (int i = 0; i < invocation->argc; i++)
        if (strcmp(invocation->argv[i], "--") == 0) {
            invocation->command = invocation->argv + i + 1;
            invocation->argc = i;
        }
}

/* How a run ends. */
struct ending {
    int rc;
    bool failed; /* the result says that something is wrong */
    int status;  /* of a command that was run */
    bool quiet;
};

/* NAME may be the first of two words. */
static int fail_unknown(const char *name)
{
    struct cw_text both = {0};
    const size_t length = strlen(name);
    for (size_t i = 0; verbs[i]; i++)
        if (strncmp(verbs[i]->name, name, length) == 0 && verbs[i]->name[length] == ' ')
            cw_text_printf(&both, "%s'%s'", both.length > 0 ? " or " : "", verbs[i]->name);
    const int rc = both.length > 0
                       ? cw_fail(CW_EUSAGE, "'%s' is only the first half of a verb, expected %s", name, both.data)
                       : cw_registry_unknown(&verb_registry, name);
    cw_text_free(&both);
    return rc;
}

static struct ending run_verb(const struct program_ranks *ranks, const char *name, int argc, char *const *argv)
{
    struct invocation invocation = {
        .verb = cw_registry_find(&verb_registry, name), .argc = argc, .argv = argv, .ranks = ranks};
    if (!invocation.verb) return (struct ending){.rc = fail_unknown(name)};
    split_command(&invocation);
    invocation.values = cw_new_array(1, invocation.verb->size, "options");
    int rc = invocation.values ? cw_result_new(&invocation.result) : CW_ENOMEM;
    if (!rc) {
        cw_inputs_record(cw_result_inputs(invocation.result));
        rc = run(&invocation);
        cw_inputs_record(NULL);
    }
    cw_result_free(invocation.result);
    free(invocation.values);
    return (struct ending){rc, invocation.failed, invocation.status, invocation.common.quiet};
}

/* The exit status: that of a command that was run, unless something is wrong. What standard output still holds may not
 * fit on its disk: only closing it tells. */
static int finish(const struct program_ranks *ranks, const struct ending *ending)
{
    int rc = ranks ? ranks->agree(ranks, ending->rc) : ending->rc;
    if (ranks && !rc && !ending->quiet) ranks->tell(ranks);
    if (rc && program_speaks(ranks)) fprintf(stderr, "%s: %s\n", program_name, cw_error_message());
    const bool lost = ferror(stdout) != 0;
    if ((fclose(stdout) != 0 || lost) && !rc) {
        rc = CW_EIO;
        fprintf(stderr, "%s: standard output cannot be written\n", program_name);
    }
    return rc == CW_EUSAGE && !ending->failed ? 2 : rc || ending->failed ? 1 : ending->status;
}

bool program_speaks(const struct program_ranks *ranks)
{
    return !ranks || ranks->rank == 0;
}

int program_main(const struct program_ranks *ranks, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        show_version();
        return finish(ranks, &(struct ending){.quiet = true});
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    char two_words[64];
    snprintf(two_words, sizeof two_words, "%s %s", name, argc > 2 ? argv[2] : "");
    const int words = cw_registry_find(&verb_registry, two_words) ? 2 : 1;
    const struct ending ending =
        run_verb(ranks, words == 2 ? two_words : name, argc > words + 1 ? argc - words - 1 : 0, argv + words + 1);
    return finish(ranks, &ending);
}
