#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/compressed.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/plugin.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/compare/stored_figures.h"
#include "cli/interval_note.h"
#include "cli/verb.h"
#include "report/figure.h"
#include "report/plot.h"
#include "study/compare/store.h"

void program_add_word(struct cw_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=@+%";
    cw_text_add(text, " ");
    if (*word && strspn(word, plain) == strlen(word)) {
        cw_text_add(text, word);
        return;
    }
    cw_text_add(text, "'");
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            cw_text_add(text, "'\\''");
        else
            cw_text_append(text, c, 1);
    cw_text_add(text, "'");
}

/* The command that gives this result again, without what only says how to compute or show it; and which of its options
 * are of the user's file. */
static int record_command(struct invocation *invocation)
{
    struct cw_text text = {0}, used = {0};
    const uint64_t seed = (uint64_t)invocation->common.seed;
    cw_text_printf(&text, "%s %s", invocation->verb->ranks ? program_name : "crosswind", invocation->verb->name);
    configuration_add_words(invocation->configuration, true, &text);
    for (size_t i = 0; i < invocation->arguments.n; i++) {
        const struct cw_argument *argument = &invocation->arguments.items[i];
        if (argument->option && argument->option->incidental) continue;
        for (int word = 0; word < argument->words; word++)
            program_add_word(&text, invocation->argv[argument->first + word]);
    }
    configuration_add_words(invocation->configuration, false, &used);
    int rc = cw_text_check(&text);
    if (!rc) rc = cw_text_check(&used);
    if (!rc) {
        cw_result_set_command(invocation->result, text.data, seed);
        cw_result_set_context_number(invocation->result, CW_CONTEXT_SEED, seed);
    }
    if (!rc && used.length > 0) /* from behind the blank */
        cw_result_set_configuration(invocation->result, invocation->configuration->path, used.data + 1);
    cw_text_free(&text);
    cw_text_free(&used);
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
/* --- where results go --------------------------------------------------------------------------------------------- */

/*
 * Where a verb's result goes: standard output or the file of --output, in the format of --format; what is finished also
 * after an error or Ctrl-C. Of several ranks, one writes.
 */
struct output {
    struct invocation *invocation;
    struct cw_text rows; /* "FILE.unfinished.csv", where rows wait for the other formats; empty: CSV, or no file */
    int descriptor;      /* of the rows; -1: nothing has been written */
};

static unsigned terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --- where results go: before the verb ---------------------------------------------------------------------------- */

/* The regular file that standard output goes to, or NULL. */
static const char *redirection(char buffer[PATH_MAX])
{
    struct stat by_name, open_file;
    const ssize_t length = readlink("/proc/self/fd/1", buffer, PATH_MAX - 1);
    if (length < 0) return NULL;
    buffer[length] = '\0';
    if (stat(buffer, &by_name) != 0 || fstat(STDOUT_FILENO, &open_file) != 0) return NULL;
    return S_ISREG(by_name.st_mode) && by_name.st_dev == open_file.st_dev && by_name.st_ino == open_file.st_ino ? buffer
                                                                                                                : NULL;
}

static int write_rows(void *context, const struct cw_text *text)
{
    struct output *output = context;
    const bool beside = output->rows.length > 0;
    const char *path = beside ? output->rows.data : output->invocation->common.output;
    if (output->descriptor < 0) {
        output->descriptor = STDOUT_FILENO;
        const int rc = path ? cw_file_begin(path, beside, &output->descriptor) : 0;
        if (rc) output->descriptor = -1;
        if (rc) return rc;
    }
    return cw_file_append(output->descriptor, path, text);
}

/* Before the verb runs: rows of CSV leave as they finish. Those of other formats that go to a file are kept beside it
 * in FILE.unfinished.csv until the result is whole, so that a program that is killed has lost none. */
static void output_begin(struct output *output, struct invocation *invocation)
{
    char buffer[PATH_MAX];
    *output = (struct output){.invocation = invocation, .descriptor = -1};
    if (!program_speaks(invocation->ranks)) return;
    if (invocation->common.format != CW_FORMAT_CSV) {
        const char *path = invocation->common.output ? invocation->common.output : redirection(buffer);
        if (!path) return;
        cw_text_printf(&output->rows, "%s.unfinished.csv", path);
        if (cw_text_check(&output->rows)) return;
    }
    cw_result_stream(invocation->result, write_rows, output);
}

/* --- where results go: after the verb ----------------------------------------------------------------------------- */

static int end_csv(struct output *output)
{
    const char *path = output->invocation->common.output;
    int rc = cw_result_end_stream(output->invocation->result);
    if (path && output->descriptor >= 0 && close(output->descriptor) != 0 && !rc)
        rc = cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    return !rc && path ? cw_result_save_metadata(output->invocation->result, path) : rc;
}

/* TEXT to the file PATH; NULL: to standard output. */
static int write_whole(const char *path, const struct cw_text *text)
{
    if (path) return cw_file_write(path, text);
    return fflush(stdout) == 0 ? cw_file_append(STDOUT_FILENO, NULL, text) : 0; /* finish() tells */
}

static int write_at_once(const struct output *output)
{
    const struct invocation *invocation = output->invocation;
    const char *path = invocation->common.output;
    struct cw_text text = {0};
    int rc = cw_result_write(invocation->result, (enum cw_format)invocation->common.format, path ? 0 : terminal_width(),
                             &text);
    if (!rc) rc = write_whole(path, &text);
    cw_text_free(&text);
    if (output->descriptor < 0) return rc;
    close(output->descriptor);
    if (!rc) unlink(output->rows.data);
    if (!rc) return 0;
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (message) cw_fail(rc, "%s; the rows are in %s", message, output->rows.data);
    free(message);
    return rc;
}

/* What readers remarked about files may be why the command fails. */
static void print_remarks(struct cw_result *result)
{
    const struct cw_text *remarks = &cw_result_inputs(result)->remarks;
    struct cw_lines lines = cw_lines_of("", remarks->data, remarks->length);
    while (cw_lines_next(&lines)) {
        struct cw_text text = {0};
        cw_text_add_visible(&text, lines.line, lines.length);
        if (cw_text_check(&text) == 0) fprintf(stderr, "%s: note: %s\n", program_name, text.data);
        cw_text_free(&text);
    }
}

/* The page of the result in each file that was asked for. */
static int write_page(const struct invocation *invocation)
{
    struct cw_text json = {0}, page = {0};
    if (!invocation_has_page(invocation)) return 0;
    int rc = cw_result_write(invocation->result, CW_FORMAT_JSON, 0, &json);
    if (!rc) rc = cw_page_begin(&page);
    if (!rc) cw_page_add(&page, NULL, &invocation->more, json.data, json.length);
    if (!rc && invocation->common.html) rc = cw_file_write(invocation->common.html, &page);
    if (!rc && invocation->page) rc = cw_file_write(invocation->page, &page);
    cw_text_free(&json);
    cw_text_free(&page);
    return rc;
}

/* After it ended with ERROR or 0: writes what there is. If rows were finished before an error, the result says what is
 * missing, and so does the message; then invocation->failed is set. If none were, remarks about files
 * go to standard error, for they may be why. Returns ERROR or one of its own. */
static int output_end(struct output *output, int rc)
{
    struct invocation *invocation = output->invocation;
    struct cw_result *result = invocation->result;
    char *message = NULL;
    if (!rc) rc = cw_result_check(result);
    if (!program_speaks(invocation->ranks)) return rc;
    if (rc && cw_result_rows(result) == 0) {
        print_remarks(result);
        return rc;
    }
    if (rc) {
        const char *missing = cw_result_end_early(result, cw_error_message());
        message = cw_copy_text(missing, strlen(missing));
        invocation->failed = true;
    } else if (cw_result_tables(result) == 0) {
        return 0;
    }
    int written = invocation->common.format == CW_FORMAT_CSV ? end_csv(output) : write_at_once(output);
    if (!written) written = write_page(invocation);
    if (message) cw_fail(rc, "%s%s%s", message, written ? "; and " : "", written ? cw_error_message() : "");
    free(message);
    return rc ? rc : written;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* Before long work. */
static int check_plot(const struct invocation *invocation)
{
    if (!invocation->common.plot) return 0;
    const char *why = invocation->verb->undrawn ? invocation->verb->undrawn(invocation) : NULL;
    int rc = why ? invocation_refuse_plot(invocation, why) : cw_plot_check_name(invocation->common.plot);
    return rc ? rc : cw_plot_check();
}

/* Draws what is finished, also after the verb ended with RC. Returns RC, or the first error. */
static int draw_figures(const struct invocation *invocation, int rc)
{
    if (!invocation->common.plot || invocation->verb->pictures != PICTURES_DECLARED) return rc;
    if (!rc) rc = cw_result_check(invocation->result);
    if (rc && cw_result_rows(invocation->result) == 0) return rc;
    char *message = rc ? cw_copy_text(cw_error_message(), strlen(cw_error_message())) : NULL;
    const int drawn = cw_figures_draw(invocation->result, !rc, invocation->common.plot);
    if (rc) cw_fail(rc, "%s", message ? message : "out of memory");
    free(message);
    return rc ? rc : drawn;
}

/* --- results in a store ------------------------------------------------------------------------------------------- */

/* The store of --store, for the result of a verb. */
struct kept_result {
    struct cw_store *store; /* NULL: none */
    double begun;
    bool taken; /* from the store, and written: there is no more to do */
};

/* In stored metadata, the name of the file that they describe. */
#define THIS_FILE "crosswind::this-file"

/* An output beside the result itself: a picture, a page, tables. */
static bool writes_more(const struct invocation *invocation)
{
    for (size_t i = 0; i < invocation->arguments.n; i++) {
        const struct cw_option *option = invocation->arguments.items[i].option;
        if (!option || strcmp(option->name, "output") == 0 || strcmp(option->name, "store") == 0) continue;
        if (option->type == CW_OPTION_OUTPUT || option->type == CW_OPTION_NAMED_OUTPUT) return true;
    }
    return false;
}

/* METADATA of the file PATH go beside it, under its name. */
static int write_metadata(const struct cw_text *metadata, const char *path)
{
    const char *slash = strrchr(path, '/'), *rest = metadata->data;
    struct cw_text beside = {0}, name = {0}, named = {0};
    cw_text_printf(&beside, "%s-metadata.json", path);
    cw_json_add_string(&name, slash ? slash + 1 : path);
    int rc = cw_text_check(&beside);
    if (!rc) rc = cw_text_check(&name);
    for (const char *at; !rc && (at = strstr(rest, THIS_FILE)); rest = at + strlen(THIS_FILE)) {
        cw_text_append(&named, rest, (size_t)(at - rest));
        cw_text_append(&named, name.data + 1, name.length - 2); /* without its quotes */
    }
    cw_text_add(&named, rest);
    if (!rc) rc = cw_text_check(&named);
    if (!rc) rc = cw_file_write_beside(beside.data, &named);
    cw_text_free(&beside);
    cw_text_free(&name);
    cw_text_free(&named);
    return rc;
}

static int write_taken(const struct invocation *invocation, const struct cw_stored_result *result)
{
    const struct cw_text *const forms[] = {&result->text, &result->csv, &result->json}; /* as enum cw_format */
    const struct cw_text *form = forms[invocation->common.format];
    const char *path = invocation->common.output;
    const int rc = write_whole(path, form);
    return rc || !path || invocation->common.format != CW_FORMAT_CSV ? rc : write_metadata(&result->metadata, path);
}

static int take(struct kept_result *kept, struct invocation *invocation)
{
    struct cw_stored_result result = {0};
    const char *command = cw_result_command(invocation->result);
    int rc = cw_store_find_result(kept->store, command, &result, &kept->taken);
    if (!rc && kept->taken) {
        invocation->failed = result.wrong;
        rc = write_taken(invocation, &result);
        if (!rc && !invocation->common.quiet)
            fprintf(stderr, "%s: note: taken from %s: computed %s, in %.3g s\n", program_name, invocation->common.store,
                    result.finished, result.seconds);
    }
    cw_stored_result_free(&result);
    return rc;
}

/* Before the verb runs, when its command is known. What writes other files than its result is computed in any case. */
static int kept_result_begin(struct kept_result *kept, struct invocation *invocation)
{
    const char *path = invocation->common.store;
    *kept = (struct kept_result){.begun = cw_stopwatch_now()};
    if (!path || invocation->verb->stores != STORES_RESULT) return 0;
    if (invocation->ranks)
        return cw_fail(CW_EUSAGE, "--store is for one process; expected crosswind %s", invocation->verb->name);
    int rc = cw_store_open(path, &kept->store);
    if (!rc && !writes_more(invocation)) rc = take(kept, invocation);
    return rc;
}

/* Every form of RESULT, as it would be written to a file. */
static int render(const struct cw_result *result, struct cw_stored_result *out)
{
    int rc = cw_result_write(result, CW_FORMAT_TEXT, 0, &out->text);
    if (!rc) rc = cw_result_write(result, CW_FORMAT_CSV, 0, &out->csv);
    if (!rc) rc = cw_result_write(result, CW_FORMAT_JSON, 0, &out->json);
    return rc ? rc : cw_result_write_metadata(result, THIS_FILE, &out->metadata);
}

/* After it ended with RC and was written. Closes the store in any case; if it has failed, says so and has the program
 * fail, but what was printed is right. */
static void kept_result_end(struct kept_result *kept, struct invocation *invocation, int rc)
{
    if (kept->store && !kept->taken && !rc && cw_result_tables(invocation->result) > 0) {
        struct cw_stored_result result = {.wrong = invocation->failed, .seconds = cw_stopwatch_now() - kept->begun};
        if (render(invocation->result, &result) == 0)
            cw_store_put_result(kept->store, cw_result_command(invocation->result), &result,
                                cw_result_inputs(invocation->result));
        else
            cw_store_give_up(kept->store);
        cw_stored_result_free(&result);
    }
    stored_figures_close(invocation, kept->store);
}

/* --- running a verb ----------------------------------------------------------------------------------------------- */

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
    struct kept_result kept;
    int rc = cw_arguments_check(owner, &invocation->arguments);
    if (!rc) rc = cw_options_check_outputs(groups, n_groups, &invocation->arguments);
    if (!rc) rc = check_plot(invocation);
    if (!rc && invocation->common.html) rc = cw_page_check();
    if (!rc) rc = record_command(invocation);
    if (rc) return rc;
    rc = kept_result_begin(&kept, invocation);
    if (!rc && !kept.taken) {
        output_begin(&output, invocation);
        catch_signals();
        rc = invocation->verb->run(invocation);
        if (!rc || !invocation->configuration->refused) { /* else it is run anew */
            rc = draw_figures(invocation, rc);
            note_remarks(invocation->result);
            if (!invocation->unsteady) note_missing_intervals(invocation->result);
            rc = output_end(&output, rc);
        }
        cw_text_free(&output.rows);
    }
    kept_result_end(&kept, invocation, rc);
    return rc;
}

/* Where --format does not say it, the ending of --output does, .gz and the like aside. */
static void choose_format(struct invocation *invocation)
{
    const char *output = invocation->common.output;
    size_t length;
    if (!output || cw_arguments_have(&invocation->arguments, "format")) return;
    cw_compressed_name(output, &length);
    for (int i = 0; result_formats[i]; i++) {
        const size_t n = strlen(result_formats[i]);
        if (length <= n || output[length - n - 1] != '.' || memcmp(output + length - n, result_formats[i], n) != 0)
            continue;
        invocation->common.format = i;
        if (configuration_line(invocation->configuration, "format"))
            configuration_line(invocation->configuration, "format")->used = false;
    }
}

/* After an error in the arguments: CW_EUSAGE if they have an option that the verb had once, whatever else is wrong. */
static int check_moved(const struct invocation *invocation, int rc)
{
    for (const struct moved_option *moved = invocation->verb->moved; rc && moved && moved->name; moved++) {
        const size_t length = strlen(moved->name);
        for (int i = 0; i < invocation->argc; i++) {
            const char *word = invocation->argv[i];
            if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, moved->name, length) == 0 &&
                (word[2 + length] == 0 || word[2 + length] == '='))
                return cw_fail(CW_EUSAGE, "%s %s has no option --%s any more; expected %s", program_name,
                               invocation->verb->name, moved->name, moved->to);
        }
    }
    return rc;
}

/* An error of use may be about options that nobody typed. */
static int explain_defaults(const struct invocation *invocation, int rc)
{
    struct cw_text message = {0};
    if (rc != CW_EUSAGE) return rc;
    cw_text_add(&message, cw_error_message());
    configuration_explain(invocation->configuration, cw_error_message(), &message);
    if (!message.failed) cw_fail(rc, "%s", message.data);
    cw_text_free(&message);
    return rc;
}

/* Options from the user's file, behind those that were typed. Ranks might find different files, and have none. */
static int take_defaults(struct invocation *invocation, const struct cw_option_group *groups, size_t n_groups)
{
    const bool computes = invocation->verb->network || invocation->verb->computes;
    if (!computes || invocation->ranks) return 0;
    struct configuration *configuration = invocation->configuration;
    const int rc = configuration->path ? 0 : configuration_read(configuration);
    configuration->refused = false;
    return rc ? rc : configuration_apply(configuration, invocation->verb, groups, n_groups, &invocation->arguments);
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
    rc = check_moved(invocation, rc);
    const bool asks =
        invocation->common.help != HELP_NO || invocation->common.version; /* also where the file is wrong */
    if (!rc && !asks) rc = take_defaults(invocation, groups, n_groups);
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
        rc = explain_defaults(invocation, run_and_write(invocation, owner, groups, n_groups));
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

static struct ending run_once(const struct program_ranks *ranks, const struct verb *verb, int argc, char *const *argv,
                              struct configuration *configuration)
{
    struct invocation invocation = {
        .verb = verb, .argc = argc, .argv = argv, .ranks = ranks, .configuration = configuration};
    split_command(&invocation);
    invocation.values = cw_new_array(1, invocation.verb->size, "options");
    int rc = invocation.values ? cw_result_new(&invocation.result) : CW_ENOMEM;
    if (!rc) {
        cw_inputs_record(cw_result_inputs(invocation.result));
        rc = run(&invocation);
        cw_inputs_record(NULL);
    }
    cw_result_free(invocation.result);
    cw_text_free(&invocation.more.map);
    cw_text_free(&invocation.more.experiments);
    free(invocation.values);
    return (struct ending){rc, invocation.failed, invocation.status, invocation.common.quiet};
}

/* A default of the user's that the verb refuses was not meant for this: then the verb is run anew, as if it were not in
 * the file. It refuses before it computes. */
static struct ending run_verb(const struct program_ranks *ranks, const char *name, int argc, char *const *argv)
{
    const struct verb *verb = cw_registry_find(&verb_registry, name);
    struct configuration configuration = {0};
    struct ending ending = {0};
    if (!verb) return (struct ending){.rc = fail_unknown(name)};
    do ending = run_once(ranks, verb, argc, argv, &configuration);
    while (ending.rc && configuration.refused);
    configuration_free(&configuration);
    return ending;
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
