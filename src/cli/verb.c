#include "cli/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/option.h"
#include "base/progress.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/trials.h"

const struct cw_registry verb_registry = {.items = verbs,
                                          .near = "there is no verb '%s', did you mean '%s'?",
                                          .none = "there is no verb '%s', see 'crosswind help'"};

const char *const result_formats[] = {"text", "csv", "json", NULL};

const struct cw_option common_options[] = {
    {.name = "threads",
     .rare = true,
     .type = CW_OPTION_INT,
     .offset = offsetof(struct common, threads),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 4096,
     .incidental = true,
     .help = "number of threads; 0: one on each core (MPI ranks on one host share its cores); results do not depend on "
             "it"},
    {.name = "seed",
     .rare = true,
     .type = CW_OPTION_INT,
     .offset = offsetof(struct common, seed),
     .value_name = "N",
     .default_text = "1",
     .min = 0,
     .max = 9e18,
     .help = "seed of all random choices; the same seed gives the same result"},
    {.name = "format",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct common, format),
     .default_text = "text",
     .choices = result_formats,
     .incidental = true,
     .help = "form of the result; by default, csv or json if that is the ending of --output"},
    {.name = "output",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct common, output),
     .incidental = true,
     .help = "write the result to FILE instead of standard output; --format csv also writes FILE-metadata.json, which "
             "says how the result was made"},
    {.name = "html",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct common, html),
     .incidental = true,
     .help = "write the result to FILE, too, as a page with charts that a browser shows without a network"},
    {.name = "quiet",
     .rare = true,
     .letter = 'q',
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct common, quiet),
     .incidental = true,
     .help = "show no progress"},
    {.name = NULL},
};

const struct cw_option plot_options[] = {
    {.name = "plot",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct common, plot),
     .value_name = "FILE.svg|FILE.png|FILE.pdf",
     .help =
         "draw the result with gnuplot, whose script stays beside it as FILE.gp; further figures are FILE-2, FILE-3 "
         "and so on"},
    {.name = NULL},
};

const struct cw_option store_options[] = {
    {.name = "store",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct common, store),
     .value_name = "FILE.db",
     .incidental = true,
     .help = "keep what is computed in this SQLite database, and take from there what was computed before of the same "
             "input (see crosswind results)"},
    {.name = NULL},
};

static const char *const helps[] = {"no", "usual", "all", NULL}; /* as enum help has them */

const struct cw_option about_options[] = {
    {.name = "help",
     .letter = 'h',
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct common, help),
     .value_name = "all",
     .default_text = "no",
     .choices = helps,
     .bare = "usual",
     .help = "show this text; all: with the options that few need"},
    {.name = "version",
     .letter = 'V',
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct common, version),
     .help = "show the version"},
    {.name = "plugin",
     .rare = true,
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct common, plugins),
     .value_name = "FILE[:FILE]",
     .help = "load topologies, routings, patterns, placements and collectives from these shared objects, as from those "
             "that CROSSWIND_PLUGINS names"},
    {.name = NULL},
};

size_t verb_groups(const struct verb *verb, struct invocation *invocation, struct cw_option_group groups[MAX_GROUPS])
{
    size_t n = 0;
    if (verb->options) groups[n++] = (struct cw_option_group){verb->options, invocation ? invocation->values : NULL};
    if (verb->pictures) groups[n++] = (struct cw_option_group){plot_options, invocation ? &invocation->common : NULL};
    if (verb->stores) groups[n++] = (struct cw_option_group){store_options, invocation ? &invocation->common : NULL};
    if (verb->flits == FLITS_OF_LOADS)
        groups[n++] = (struct cw_option_group){cw_flit_load_options, invocation ? &invocation->flits : NULL};
    if (verb->flits)
        groups[n++] = (struct cw_option_group){cw_flit_how_options, invocation ? &invocation->flits : NULL};
    if (verb->network)
        groups[n++] = (struct cw_option_group){endpoints_options, invocation ? &invocation->routing : NULL};
    if (verb->routes) groups[n++] = (struct cw_option_group){routing_options, invocation ? &invocation->routing : NULL};
    if (verb->routes || verb->lft)
        groups[n++] = (struct cw_option_group){levels_options, invocation ? &invocation->routing : NULL};
    if (verb->nodes) groups[n++] = (struct cw_option_group){nodes_options, invocation ? &invocation->routing : NULL};
    if (verb->lids) groups[n++] = (struct cw_option_group){lids_options, invocation ? &invocation->routing : NULL};
    if (verb->network || verb->computes)
        groups[n++] = (struct cw_option_group){common_options, invocation ? &invocation->common : NULL};
    groups[n++] = (struct cw_option_group){about_options, invocation ? &invocation->common : NULL};
    return n;
}

/* The options that few need, by their names alone. */
static void name_rare(const struct verb *verb, const struct cw_option_group *groups, size_t n, struct cw_text *text)
{
    struct cw_text names = {0};
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = groups[i].options; option->name; option++)
            if (option->rare) cw_text_printf(&names, "%s--%s", names.length > 0 ? ", " : "Also ", option->name);
    if (names.length > 0) {
        cw_text_printf(&names, ": see '%s %s --help=all'.", program_name, verb->name);
        cw_text_add(text, "\n");
        cw_text_wrap(text, names.data, 0, 0, 80);
        cw_text_add(text, "\n");
    }
    text->failed |= names.failed;
    cw_text_free(&names);
}

void verb_describe(const struct verb *verb, bool all, struct cw_text *text)
{
    cw_text_printf(text, "Usage: %s %s", program_name, verb->name);
    if (verb->arguments) cw_positional_synopsis(verb->arguments, text);
    cw_text_printf(text, " [options]%s\n\n%s.\n", verb->command ? " [-- COMMAND [ARG...]]" : "", verb->help);
    if (verb->description) {
        cw_text_add(text, "\n");
        cw_text_wrap(text, verb->description, 0, 0, 80);
        cw_text_add(text, "\n");
    }
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n = verb_groups(verb, NULL, groups);
    if (verb->arguments) {
        cw_text_add(text, "\nArguments:\n");
        cw_positional_help(verb->arguments, text);
    }
    cw_text_add(text, "\nOptions:\n");
    for (size_t i = 0; i < n; i++) cw_options_help(groups[i].options, true, all, text);
    if (!all) name_rare(verb, groups, n, text);
    if (verb->examples) cw_text_printf(text, "\nExamples:\n%s", verb->examples);
}

bool invocation_has(const struct invocation *invocation, const char *name)
{
    return cw_arguments_have(&invocation->arguments, name) || configuration_line(invocation->configuration, name);
}

bool invocation_refuses(const struct invocation *invocation, const char *name)
{
    struct configuration_line *line = configuration_line(invocation->configuration, name);
    if (line) line->refused = invocation->configuration->refused = true;
    return invocation_has(invocation, name);
}

int invocation_refuse(const struct invocation *invocation, const char *const *names, const char *why)
{
    for (; *names; names++)
        if (invocation_refuses(invocation, *names)) return cw_fail(CW_EUSAGE, "--%s %s", *names, why);
    return 0;
}

int invocation_refuse_plot(const struct invocation *invocation, const char *why)
{
    static const char *const plot[] = {"plot", NULL};
    return invocation_refuse(invocation, plot, why);
}

const struct cw_executor *invocation_executor(const struct invocation *invocation)
{
    return invocation->ranks ? invocation->ranks->executor : NULL;
}

struct cw_progress *invocation_progress(const struct invocation *invocation, const char *label, size_t total)
{
    return invocation->common.quiet || !program_speaks(invocation->ranks) ? NULL
                                                                          : cw_progress_new(stderr, label, total);
}
