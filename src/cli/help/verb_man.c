/* crosswind man: the manual pages, generated from the option tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/version.h"
#include "cli/verb.h"

/* Text with what roff would take for its own made plain. */
static void add_escaped(struct cw_text *text, const char *string)
{
    bool line_start = true;
    for (const char *c = string; *c; c++) {
        if (line_start && (*c == '.' || *c == '\'')) cw_text_add(text, "\\&");
        if (*c == '\\')
            cw_text_add(text, "\\e");
        else if (*c == '-')
            cw_text_add(text, "\\-");
        else
            cw_text_append(text, c, 1);
        line_start = *c == '\n';
    }
}

static void add_choices(struct cw_text *text, const struct cw_option *option)
{
    const struct cw_registry choices = cw_option_choices(option);
    const void *item;
    for (size_t i = 0; (item = cw_registry_item(&choices, i)); i++) {
        cw_text_add(text, i ? "|" : "");
        add_escaped(text, cw_registry_name_of(item));
    }
}

static void add_options(struct cw_text *text, const struct cw_option *options)
{
    for (; options->name; options++) {
        cw_text_add(text, ".TP\n\\fB");
        if (options->letter) cw_text_printf(text, "\\-%c, ", options->letter);
        cw_text_add(text, "\\-\\-");
        add_escaped(text, options->name);
        cw_text_add(text, "\\fR");
        if (options->bare) {
            cw_text_add(text, "[=\\fI");
            add_escaped(text, cw_option_value_name(options));
            cw_text_add(text, "\\fR]");
        } else if (options->type == CW_OPTION_CHOICE) {
            cw_text_add(text, " ");
            add_choices(text, options);
        } else if (options->type != CW_OPTION_FLAG) {
            cw_text_add(text, " \\fI");
            add_escaped(text, cw_option_value_name(options));
            cw_text_add(text, "\\fR");
        }
        cw_text_add(text, "\n");
        add_escaped(text, options->help);
        if (options->default_text && !options->bare) {
            cw_text_add(text, " (default ");
            add_escaped(text, options->default_text);
            cw_text_add(text, ")");
        }
        cw_text_add(text, "\n");
    }
}

static void add_arguments(struct cw_text *text, const struct cw_option *arguments)
{
    cw_text_add(text, ".SH ARGUMENTS\n");
    for (; arguments->name; arguments++) {
        cw_text_add(text, ".TP\n\\fI");
        add_escaped(text, arguments->name);
        cw_text_add(text, "\\fR\n");
        add_escaped(text, arguments->help);
        cw_text_add(text, "\n");
    }
}

/* What the page of VERB is called, "crosswind-mpi-bench-noise"; NULL: that of the program. A verb that both programs
 * have has one page. */
static void name_page(const struct verb *verb, char name[64])
{
    const char *program = !verb || verb->ranks ? program_name : "crosswind";
    snprintf(name, 64, "%s%s%s", program, verb ? "-" : "", verb ? verb->name : "");
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '-';
}

/* ".TH CROSSWIND-NOISE 1 ..." and the section of the name; VERB is NULL for the page of the program. */
static void add_head(const struct verb *verb, struct cw_text *text)
{
    char name[64];
    name_page(verb, name);
    cw_text_add(text, ".TH ");
    for (const char *c = name; *c; c++) cw_text_printf(text, "%c", toupper((unsigned char)*c));
    cw_text_printf(text, " 1 \"\" \"crosswind %s\"\n.SH NAME\n", cw_version());
    add_escaped(text, name);
    cw_text_add(text, " \\- ");
}

/* Where defaults of options come from. Verbs that compute nothing have none, and neither have ranks. */
static void add_files(const struct verb *verb, struct cw_text *text)
{
    if (!verb && strcmp(program_name, "crosswind") != 0)
        cw_text_add(text,
                    ".SH FILES\nThe file with defaults of options that crosswind reads is not read: ranks may run on "
                    "hosts whose files differ.\n");
    if (verb ? verb->ranks || !(verb->network || verb->computes) : strcmp(program_name, "crosswind") != 0) return;
    cw_text_add(text, ".SH FILES\n\\fI~/.config/crosswind/config\\fR\n");
    add_escaped(text,
                "has defaults of options, as 'crosswind help configuration' explains. The file is another one where "
                "$CROSSWIND_CONFIG names it, or in $XDG_CONFIG_HOME if that is set. crosswind-mpi reads none.\n");
}

static void verb_page(const struct verb *verb, struct cw_text *text)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n = verb_groups(verb, NULL, groups);
    add_head(verb, text);
    add_escaped(text, verb->help);
    cw_text_add(text, "\n.SH SYNOPSIS\n\\fB");
    add_escaped(text, verb->ranks ? program_name : "crosswind");
    cw_text_printf(text, " %s\\fR", verb->name);
    if (verb->arguments) cw_positional_synopsis(verb->arguments, text);
    cw_text_printf(text, " [options]%s\n", verb->command ? " [\\-\\- COMMAND [ARG...]]" : "");
    if (verb->description) {
        cw_text_add(text, ".SH DESCRIPTION\n");
        add_escaped(text, verb->description);
        cw_text_add(text, "\n");
    }
    if (verb->arguments) add_arguments(text, verb->arguments);
    cw_text_add(text, ".SH OPTIONS\n");
    for (size_t i = 0; i < n; i++) add_options(text, groups[i].options);
    if (verb->examples) {
        cw_text_add(text, ".SH EXAMPLES\n.nf\n");
        add_escaped(text, verb->examples);
        cw_text_add(text, ".fi\n");
    }
    add_files(verb, text);
    cw_text_add(text, ".SH EXIT STATUS\n0 success; 1 failure, or a check that found something wrong; 2 usage.\n"
                      ".SH SEE ALSO\n\\fBcrosswind\\fR(1)\n");
}

static void main_page(struct cw_text *text)
{
    add_head(NULL, text);
    cw_text_add(text, "contention on the interconnects of parallel machines\n.SH SYNOPSIS\n\\fB");
    add_escaped(text, program_name);
    cw_text_add(text, "\\fR \\fIVERB\\fR ... [options]\n.SH VERBS\n");
    for (size_t i = 0; verbs[i]; i++) {
        char name[64];
        name_page(verbs[i], name);
        cw_text_add(text, ".TP\n\\fB");
        add_escaped(text, name);
        cw_text_add(text, "\\fR(1)\n");
        add_escaped(text, verbs[i]->help);
        cw_text_add(text, "\n");
    }
    add_files(NULL, text);
    cw_text_add(text, ".SH EXIT STATUS\n0 success; 1 failure, or a check that found something wrong; 2 usage.\n");
}

static int run(struct invocation *invocation)
{
    struct cw_text text = {0};
    if (invocation->n_positional > 0) {
        const struct verb *verb = cw_registry_find(&verb_registry, invocation->positional[0]);
        if (!verb) return cw_registry_unknown(&verb_registry, invocation->positional[0]);
        verb_page(verb, &text);
    } else {
        main_page(&text);
    }
    const int rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

static const struct cw_option arguments[] = {
    {.name = "VERB",
     .type = CW_OPTION_TEXT,
     .names = &verb_registry,
     .help = "the page of this verb; by default that of the program"},
    {.name = NULL},
};

const struct verb verb_man = {
    .name = "man",
    .help = "Prints the manual page of a verb, in roff",
    .arguments = arguments,
    .examples = "  crosswind man noise | man -l -\n",
    .run = run,
};
