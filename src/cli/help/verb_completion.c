/* crosswind completion: bash completion, generated from the option tables and registries. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "cli/verb.h"

static void add_options(struct cw_text *text, const struct verb *verb)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n = verb_groups(verb, NULL, groups);
    cw_text_printf(text, "        \"%s\") options=\"", verb->name);
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = groups[i].options; option->name; option++)
            cw_text_printf(text, "--%s ", option->name);
    cw_text_add(text, "\" ;;\n");
}

static bool is_file(const struct cw_option *option)
{
    return option->type == CW_OPTION_INPUT || option->type == CW_OPTION_INPUTS || option->type == CW_OPTION_OUTPUT;
}

/* True for an option whose value is a number or a text of which nothing is known. */
static bool is_open(const struct cw_option *option)
{
    return option->type != CW_OPTION_FLAG && option->type != CW_OPTION_DIRECTORY && !is_file(option) &&
           !option->choices && !option->names;
}

/* For compgen, what the value of OPTION may be: files (-f), directories (-d) or words (-W). */
static void add_kinds(struct cw_text *text, const struct cw_option *option)
{
    const char *separator = option->type == CW_OPTION_NAMED_OUTPUT ? ": " : " ";
    if (is_file(option)) cw_text_add(text, " -f");
    if (option->type == CW_OPTION_DIRECTORY) cw_text_add(text, " -d");
    if (!option->choices && !option->names) return;
    cw_text_add(text, " -W \"");
    for (size_t i = 0; option->choices && option->choices[i]; i++) cw_text_printf(text, "%s ", option->choices[i]);
    if (option->names) cw_registry_list(option->names, separator, text);
    cw_text_printf(text, "%s\"", option->type == CW_OPTION_NAMED_OUTPUT ? ":" : "");
}

static void add_value(struct cw_text *text, const struct verb *verb, const struct cw_option *option)
{
    if (option->type == CW_OPTION_FLAG || is_open(option)) return;
    cw_text_printf(text, "        \"%s --%s\") values=(", verb->name, option->name);
    add_kinds(text, option);
    cw_text_add(text, " ) ;;\n");
}

/* What a word may be that is no option's: any of the verb's arguments. */
static void add_arguments(struct cw_text *text, const struct verb *verb)
{
    if (!verb->arguments) return;
    cw_text_printf(text, "        \"%s\") values=(", verb->name);
    for (const struct cw_option *argument = verb->arguments; argument->name; argument++) add_kinds(text, argument);
    cw_text_add(text, " ) ;;\n");
}

static void add_values(struct cw_text *text, const struct verb *verb)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n = verb_groups(verb, NULL, groups);
    size_t open = 0;
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = groups[i].options; option->name; option++) {
            add_value(text, verb, option);
            open += is_open(option);
        }
    if (open == 0) return;
    const char *before = "        ";
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = groups[i].options; option->name; option++) {
            if (!is_open(option)) continue;
            cw_text_printf(text, "%s\"%s --%s\"", before, verb->name, option->name);
            before = "|";
        }
    cw_text_add(text, ") values=() ;;\n");
}

/* Whether VERB is two words, of which a verb is the first. */
static bool is_pair(const struct verb *verb)
{
    return strchr(verb->name, ' ') != NULL;
}

/* The first words of all verbs; which verb the line has; and after its first word the second. */
static void add_first_words(struct cw_text *text)
{
    for (size_t i = 0; verbs[i]; i++)
        if (!is_pair(verbs[i])) cw_text_printf(text, "%s ", verbs[i]->name);
}

static void add_pairs(struct cw_text *text)
{
    for (size_t i = 0; verbs[i]; i++)
        if (is_pair(verbs[i]))
            cw_text_printf(text, "    [ \"$verb ${COMP_WORDS[2]}\" != \"%s\" ] || verb=\"%s\"\n", verbs[i]->name,
                           verbs[i]->name);
}

static void add_second_words(struct cw_text *text)
{
    for (size_t i = 0; verbs[i]; i++) {
        if (!is_pair(verbs[i])) continue;
        const char *second = strchr(verbs[i]->name, ' ') + 1;
        cw_text_printf(text,
                       "    [ \"$COMP_CWORD ${COMP_WORDS[1]}\" != \"2 %.*s\" ] || "
                       "COMPREPLY+=($(compgen -W %s -- \"$word\"))\n",
                       (int)(second - 1 - verbs[i]->name), verbs[i]->name, second);
    }
}

static void bash_script(struct cw_text *text)
{
    cw_text_add(text, "# bash completion for crosswind, printed by 'crosswind completion'\n_crosswind()\n{\n"
                      "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" options=\n"
                      "    local -a values=(none)\n"
                      "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    add_first_words(text);
    cw_text_add(text, "\" -- \"$word\"))\n        return\n    fi\n    local verb=\"${COMP_WORDS[1]}\"\n");
    add_pairs(text);
    cw_text_add(text, "    case \"$verb $before\" in\n");
    for (size_t i = 0; verbs[i]; i++) add_values(text, verbs[i]);
    cw_text_add(text, "    esac\n    if [ \"${values[*]}\" != none ]; then\n        COMPREPLY=()\n"
                      "        [ \"${#values[@]}\" -eq 0 ] || COMPREPLY=($(compgen \"${values[@]}\" -- \"$word\"))\n"
                      "        return\n    fi\n    case \"$verb\" in\n");
    for (size_t i = 0; verbs[i]; i++) add_options(text, verbs[i]);
    cw_text_add(text, "    esac\n    if [[ \"$word\" == -* ]]; then\n"
                      "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n        return\n    fi\n"
                      "    values=()\n    case \"$verb\" in\n");
    for (size_t i = 0; verbs[i]; i++) add_arguments(text, verbs[i]);
    cw_text_add(text, "    esac\n    COMPREPLY=()\n"
                      "    [ \"${#values[@]}\" -eq 0 ] || COMPREPLY=($(compgen \"${values[@]}\" -- \"$word\"))\n");
    add_second_words(text);
    cw_text_add(text, "}\ncomplete -o filenames -F _crosswind crosswind\n");
}

static int run(struct invocation *invocation)
{
    (void)invocation;
    struct cw_text text = {0};
    bash_script(&text);
    const int rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

const struct verb verb_completion = {
    .name = "completion",
    .help = "Prints the completion script for bash",
    .examples = "  source <(crosswind completion)\n",
    .run = run,
};
