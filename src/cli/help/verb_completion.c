/*
 * crosswind completion: what the word that is being typed may become, by the verbs, their option tables and the
 * registries; and the scripts by which shells ask. They ask the program each time, so that plug-ins are known, and so
 * that no shell has rules of its own.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "cli/help/topics.h"
#include "cli/verb.h"
#include "flow/transport/transport_set.h"

/* --- candidates --------------------------------------------------------------------------------------------------- */

/* What may stand for the word that is being typed: its first characters, which stay, and one of the candidates, or a
 * file. */
struct answer {
    const char *word;
    const char *piece;         /* in the word: where candidates begin */
    const char *files;         /* "file", "directory", or "": none */
    struct cw_text candidates; /* lines: the text, a tab, and what it is */
};

/* True if the piece that is being typed may become TEXT. */
static bool fits(const struct answer *answer, const char *text)
{
    return strncmp(text, answer->piece, strlen(answer->piece)) == 0;
}

static bool is_there(const struct answer *answer, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = answer->candidates.data; at && (at = strstr(at, text)); at++)
        if (at[length] == '\t' && (at == answer->candidates.data || at[-1] == '\n')) return true;
    return false;
}

/* BEFORE, NAME and AFTER are one candidate. What has blanks is several words, and left out. HELP may be NULL. */
static void offer(struct answer *answer, const char *before, const char *name, const char *after, const char *help)
{
    struct cw_text text = {0};
    cw_text_printf(&text, "%s%s%s", before, name, after);
    answer->candidates.failed |= text.failed;
    if (!text.failed && !strchr(text.data, ' ') && fits(answer, text.data) && !is_there(answer, text.data)) {
        cw_text_printf(&answer->candidates, "%s\t", text.data);
        cw_text_add_visible(&answer->candidates, help ? help : "", help ? strlen(help) : 0);
        cw_text_add(&answer->candidates, "\n");
    }
    cw_text_free(&text);
}

/* From here on another piece is typed; what came before it is no part of a file's name. */
static void step(struct answer *answer, const char *piece)
{
    answer->piece = piece;
    answer->files = "";
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void offer_values(struct answer *answer, const struct cw_option *option, const char *separators);

/* What is known of ITEM of REGISTRY: what a topic says of it, if one does. */
static struct topic_item described(const struct cw_registry *registry, const void *item)
{
    struct topic_item out = {.name = cw_registry_name_of(item)};
    if (registry->items == verb_registry.items) out.help = ((const struct verb *)item)->help;
    if (registry->items == topic_registry.items) out.help = ((const struct topic *)item)->help;
    for (const struct topic *topic = topics; topic->name; topic++)
        for (size_t p = 0; p < TOPIC_PARTS && topic->parts[p].registry; p++)
            if (topic->parts[p].registry->items == registry->items) topic->parts[p].describe(item, &out);
    if (registry->items == cw_transport_registry.items) out.options = cw_transport_options; /* all sets have the same */
    return out;
}

/* Whether what is written NAME:… cannot do without parameters, by what help shows of it. */
static bool needs_parameters(const struct topic_item *item)
{
    const size_t length = strlen(item->name);
    return item->synopsis && strncmp(item->synopsis, item->name, length) == 0 && item->synopsis[length] == ':';
}

static void offer_names(struct answer *answer, const struct cw_registry *registry, const char *after)
{
    const void *item;
    for (; registry; registry = registry->also)
        for (size_t i = 0; (item = cw_registry_item(registry, i)); i++) {
            const struct topic_item about = described(registry, item);
            char means[160];
            snprintf(means, sizeof means, "another name for %s", about.means ? about.means : "");
            offer(answer, "", about.name,
                  *after                     ? after
                  : needs_parameters(&about) ? ":"
                                             : "",
                  about.means ? means : about.help);
        }
}

/* Of parameters that are written already, from FROM to the piece that is typed: whether OPTION is one, and how many of
 * them have no name. */
static bool is_given(const struct answer *answer, const char *from, const char *option, size_t *unnamed)
{
    bool given = false;
    *unnamed = 0;
    while (from < answer->piece) {
        const size_t name = strcspn(from, ",="), length = strcspn(from, ",");
        given |= strlen(option) == name && memcmp(option, from, name) == 0;
        *unnamed += name == length;
        from += length + 1;
    }
    return given;
}

/* The parameters of OPTIONS that may follow "NAME:", where the word continues with PARAMETERS. */
static void offer_parameters(struct answer *answer, const struct cw_option *options, const char *parameters)
{
    const char *comma = strrchr(parameters, ','), *piece = comma ? comma + 1 : parameters, *equals = strchr(piece, '=');
    size_t unnamed, position = 0;
    step(answer, piece);
    for (const struct cw_option *option = options; option && option->name; option++) {
        const bool flag = option->type == CW_OPTION_FLAG, given = is_given(answer, parameters, option->name, &unnamed);
        if (equals && strlen(option->name) == (size_t)(equals - piece) &&
            memcmp(option->name, piece, (size_t)(equals - piece)) == 0) {
            step(answer, equals + 1);
            offer_values(answer, option, NULL);
            return;
        }
        if (option->positional && position++ == unnamed) offer_values(answer, option, NULL);
        if (!given) offer(answer, "", option->name, flag ? "" : "=", option->help);
    }
}

/* The parameters of ELEMENT, "NAME:parameters", of which the last is being typed. False: it has none, or nothing is
 * called so. */
static bool offer_parameters_of(struct answer *answer, const struct cw_registry *registry, const char *element)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(element, name, sizeof name);
    for (; parameters && registry; registry = registry->also) {
        const void *item = cw_registry_find(registry, name);
        if (!item) continue;
        offer_parameters(answer, described(registry, item).options, parameters);
        return true;
    }
    return false;
}

/* "NAME", "NAME:parameters", or, where LIST says so, several with commas: then what follows the comma behind parameters
 * is one more of these, or another name. */
static void offer_specification(struct answer *answer, const struct cw_registry *registry, bool list)
{
    const char *before = NULL, *last = answer->piece;
    for (size_t length; list && last[length = cw_registry_element(registry, last)]; last += length + 1) before = last;
    if (before) step(answer, last);
    if (strcspn(last, ":") == strlen(last)) {
        offer_names(answer, registry, "");
        if (before) offer_parameters_of(answer, registry, before);
    } else if (offer_parameters_of(answer, registry, last) && list && answer->piece[-1] == ',') {
        offer_names(answer, registry, "");
    }
}

/* Steps behind the last of SEPARATORS. */
static void step_behind(struct answer *answer, const char *separators)
{
    for (const char *at = answer->piece; (at = strpbrk(at, separators));) {
        at += 1 + strspn(at + 1, " ");
        step(answer, at);
    }
}

static void offer_choices(struct answer *answer, const char *const *choices)
{
    for (; choices && *choices; choices++) offer(answer, "", *choices, "", NULL);
}

/* What OPTION may be. Elements of a list are separated by one of SEPARATORS; NULL: it is none. */
static void offer_values(struct answer *answer, const struct cw_option *option, const char *separators)
{
    static const char *const yes_or_no[] = {"yes", "no", NULL};
    const char *colon = strchr(answer->piece, ':');
    switch (option->type) {
    case CW_OPTION_FLAG:
        offer_choices(answer, yes_or_no);
        return;
    case CW_OPTION_NAMED_OUTPUT:
        if (!colon) {
            offer_names(answer, option->names, ":");
            return;
        }
        step(answer, colon + 1);
        answer->files = "file";
        return;
    case CW_OPTION_DIRECTORY:
        answer->files = "directory";
        return;
    case CW_OPTION_INPUTS:
        step_behind(answer, ",:");
        answer->files = "file";
        return;
    case CW_OPTION_INPUT:
    case CW_OPTION_OUTPUT:
        answer->files = "file";
        break;
    default:
        break;
    }
    if (separators && strchr(separators, ';')) step_behind(answer, ";");
    if (separators && !option->names) step_behind(answer, separators);
    offer_choices(answer, option->choices);
    if (option->names) offer_specification(answer, option->names, separators && strchr(separators, ','));
}

/* What help shows of a list says what separates its elements: "NAME[,NAME...]". */
static const char *separators_of(const struct cw_option *option)
{
    const char *shown = cw_option_value_name(option);
    return strstr(shown, "[,") ? "," : strstr(shown, "[;") ? ";" : NULL;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

/* A command line of a verb: the options that it may have, and which of them it has before the word that is typed. */
struct line {
    struct cw_option_group groups[MAX_GROUPS];
    size_t n_groups;
    const struct cw_option *given[128]; /* more are none of a person's */
    size_t n_given, n_positional;
    bool end_of_options;
};

/* The option that WORD begins with: "--name", "--name=value" or "-n". NULL: there is none. */
static const struct cw_option *option_of(const struct line *line, const char *word)
{
    for (size_t g = 0; g < line->n_groups; g++)
        for (const struct cw_option *option = line->groups[g].options; option->name; option++)
            if (word[1] == '-' ? strlen(option->name) == strcspn(word + 2, "=") &&
                                     strncmp(option->name, word + 2, strlen(option->name)) == 0
                               : option->letter && word[1] == option->letter && !word[2])
                return option;
    return NULL;
}

static void offer_options(struct answer *answer, const struct line *line)
{
    for (size_t g = 0; g < line->n_groups; g++)
        for (const struct cw_option *option = line->groups[g].options; option->name; option++) {
            bool given = false;
            for (size_t i = 0; i < line->n_given; i++) given |= line->given[i] == option;
            if (!given) offer(answer, "--", option->name, "", option->help);
        }
}

/* Behind an argument that repeats it may be that one or any of those after it. */
static void offer_arguments(struct answer *answer, const struct verb *verb, size_t position)
{
    bool repeats = false;
    for (const struct cw_option *argument = verb->arguments; argument && argument->name; argument++) {
        repeats |= argument->repeats;
        if (position == 0 || repeats) offer_values(answer, argument, NULL);
        if (position-- == 0) return;
    }
}

/* The verbs of two words whose first is WORD, by their second. */
static void offer_second_words(struct answer *answer, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; verbs[i]; i++)
        if (strncmp(verbs[i]->name, word, length) == 0 && verbs[i]->name[length] == ' ')
            offer(answer, "", verbs[i]->name + length + 1, "", verbs[i]->help);
}

static void offer_first_words(struct answer *answer)
{
    for (size_t i = 0; verbs[i]; i++) {
        char first[64];
        const size_t length = strcspn(verbs[i]->name, " ");
        snprintf(first, sizeof first, "%.*s", (int)length, verbs[i]->name);
        offer(answer, "", first, "", verbs[i]->name[length] ? NULL : verbs[i]->help); /* model, then model split-tree */
    }
    offer(answer, "--", "help", "", "show all verbs");
    offer(answer, "--", "version", "", "show the version");
}

/* WORDS (N, at least one) are what follows VERB, the last of them the one that is being typed. */
static void complete_of(struct answer *answer, const struct verb *verb, char *const *words, size_t n)
{
    struct line line = {0};
    line.n_groups = verb_groups(verb, NULL, line.groups);
    const char *word = words[n - 1], *equals = strchr(word, '=');
    const struct cw_option *option;
    for (size_t i = 0; i + 1 < n; i++) {
        if (!line.end_of_options && strcmp(words[i], "--") == 0) {
            line.end_of_options = true;
            if (verb->command) answer->files = "file";
            if (verb->command) return;
        } else if (!line.end_of_options && words[i][0] == '-' && words[i][1]) {
            option = option_of(&line, words[i]);
            if (!option) continue;
            if (line.n_given < sizeof line.given / sizeof *line.given) line.given[line.n_given++] = option;
            if (option->type == CW_OPTION_FLAG || option->bare || strchr(words[i], '=')) continue;
            if (i + 2 == n && strncmp(word, "--", 2) != 0) {
                offer_values(answer, option, separators_of(option));
                return;
            }
            if (i + 2 < n) i++;
        } else {
            line.n_positional++;
        }
    }
    if (line.end_of_options || *word != '-') {
        offer_arguments(answer, verb, line.n_positional);
    } else if (equals && (option = option_of(&line, word))) {
        step(answer, equals + 1);
        offer_values(answer, option, separators_of(option));
    } else {
        offer_options(answer, &line);
    }
}

/* WORDS (N) are what follows the program's name. */
static void complete(struct answer *answer, char *const *words, size_t n)
{
    char two_words[64];
    if (n <= 1) {
        offer_first_words(answer);
        return;
    }
    snprintf(two_words, sizeof two_words, "%s %s", words[0], words[1]);
    const struct verb *pair = n > 2 ? cw_registry_find(&verb_registry, two_words) : NULL;
    const struct verb *verb = pair ? pair : cw_registry_find(&verb_registry, words[0]);
    const size_t behind = pair ? 2 : 1;
    if (n == 2) offer_second_words(answer, words[0]);
    if (verb) complete_of(answer, verb, words + behind, n - behind);
}

/* Prints what of the word stays, which files may follow it, and the candidates, each with what it is. */
static int answer_to(char *const *words)
{
    size_t n = 0;
    while (words[n]) n++;
    struct answer answer = {.word = n > 0 ? words[n - 1] : "", .files = ""};
    answer.piece = answer.word;
    complete(&answer, words, n);
    const int rc = cw_text_check(&answer.candidates);
    if (!rc)
        printf("%.*s\n%s\n%s", (int)(answer.piece - answer.word), answer.word, answer.files,
               answer.candidates.data ? answer.candidates.data : "");
    cw_text_free(&answer.candidates);
    return rc;
}

/* --- scripts ------------------------------------------------------------------------------------------------------ */

/* PROGRAM and FUNCTION stand for the program's name, the latter as names of functions are written. */
static const struct shell {
    const char *name, *script;
} shells[] = {
    {"bash",
     "# bash completion for PROGRAM, as 'PROGRAM completion bash' prints it\n"
     "FUNCTION()\n"
     "{\n"
     "    local line=${COMP_LINE:0:COMP_POINT} rest word kept prefix kind i\n"
     "    local -a words=() lines\n"
     "    # What bash takes apart at : and = is one word, whose first part it keeps.\n"
     "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
     "        rest=${line#\"${line%%[![:space:]]*}\"} word=${COMP_WORDS[i]}\n"
     "        [[ $rest == \"$word\"* ]] || word=$rest\n"
     "        if [[ $i -eq 0 || $rest != \"$line\" ]]; then\n"
     "            words+=(\"$word\") kept=\n"
     "        else\n"
     "            kept=${words[-1]} words[-1]+=$word\n"
     "            [[ $word != *[:=] ]] || kept=${words[-1]}\n"
     "        fi\n"
     "        line=${rest#\"$word\"}\n"
     "    done\n"
     "    words[-1]=${words[-1]#[\\'\\\"]}\n"
     "    mapfile -t lines < <(PROGRAM completion -- \"${words[@]:1}\" 2>/dev/null)\n"
     "    prefix=${lines[0]} kind=${lines[1]}\n"
     "    COMPREPLY=(\"${lines[@]:2}\")\n"
     "    COMPREPLY=(\"${COMPREPLY[@]%%$'\\t'*}\")\n"
     "    [[ \"${COMPREPLY[*]} \" != *[:=]\" \"* ]] || compopt -o nospace\n"
     "    if [[ $kind ]]; then\n"
     "        compopt -o filenames\n"
     "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -A \"$kind\" -- \"${words[-1]#\"$prefix\"}\")\n"
     "    fi\n"
     "    COMPREPLY=(\"${COMPREPLY[@]/#/\"$prefix\"}\")\n"
     "    COMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")\n"
     "}\n"
     "complete -F FUNCTION PROGRAM\n"},
    {"zsh", "#compdef PROGRAM\n"
            "# zsh completion for PROGRAM, as 'PROGRAM completion zsh' prints it\n"
            "FUNCTION()\n"
            "{\n"
            "    local line text kind\n"
            "    local -a typed lines whole open\n"
            "    typed=(\"${(@Q)words[1,CURRENT-1]}\")\n"
            "    shift typed\n"
            "    lines=(\"${(@f)$(PROGRAM completion -- \"${typed[@]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
            "    compset -p ${#lines[1]}\n"
            "    kind=$lines[2]\n"
            "    for line in \"${(@)lines[3,-1]}\"; do\n"
            "        text=${line%%$'\\t'*}\n"
            "        line=${text//:/\\\\:}:${line#*$'\\t'}\n"
            "        case $text in\n"
            "        *[:=]) open+=(\"$line\") ;;\n"
            "        ?*) whole+=(\"$line\") ;;\n"
            "        esac\n"
            "    done\n"
            "    _describe -t values value whole -- open -S ''\n"
            "    case $kind in\n"
            "    file) _files ;;\n"
            "    directory) _files -/ ;;\n"
            "    esac\n"
            "}\n"
            "if [[ $funcstack[1] == FUNCTION ]]; then FUNCTION \"$@\"; else compdef FUNCTION PROGRAM; fi\n"},
    {"fish", "# fish completion for PROGRAM, as 'PROGRAM completion fish' prints it\n"
             "function FUNCTION\n"
             "    set -l words (commandline -opc)\n"
             "    set -l word (commandline -ct | string trim --left --chars '\\'\"')\n"
             "    set -l lines (PROGRAM completion -- $words[2..] \"$word\" 2>/dev/null)\n"
             "    set -l rest (string sub --start (math 1 + (string length -- \"$lines[1]\")) -- \"$word\")\n"
             "    switch \"$lines[2]\"\n"
             "        case file\n"
             "            set --append lines (__fish_complete_path \"$rest\")\n"
             "        case directory\n"
             "            set --append lines (__fish_complete_directories \"$rest\")\n"
             "    end\n"
             "    for line in $lines[3..]\n"
             "        printf '%s\\n' \"$lines[1]$line\"\n"
             "    end\n"
             "end\n"
             "complete --command PROGRAM --no-files --arguments '(FUNCTION)'\n"},
    {.name = NULL},
};

static const struct cw_registry shell_registry = {.items = shells,
                                                  .size = sizeof *shells,
                                                  .near = "there is no completion for '%s'; did you mean '%s'?",
                                                  .none = "there is no completion for '%s'; expected one of %s"};

/* Appends SCRIPT with the program's name in it. */
static void add_script(const char *script, struct cw_text *text)
{
    static const char program[] = "PROGRAM", function[] = "FUNCTION";
    while (*script) {
        const bool is_program = strncmp(script, program, sizeof program - 1) == 0;
        const bool is_function = strncmp(script, function, sizeof function - 1) == 0;
        if (is_function) cw_text_add(text, "_");
        for (const char *c = program_name; (is_program || is_function) && *c; c++)
            cw_text_append(text, is_function && *c == '-' ? "_" : c, 1);
        if (!is_program && !is_function) cw_text_append(text, script, 1);
        script += is_program ? sizeof program - 1 : is_function ? sizeof function - 1 : 1;
    }
}

static int print_script(const char *name)
{
    const struct shell *shell = cw_registry_find(&shell_registry, name);
    struct cw_text text = {0};
    if (!shell) return cw_registry_unknown(&shell_registry, name);
    add_script(shell->script, &text);
    const int rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

static int run(struct invocation *invocation)
{
    if (invocation->command) return answer_to(invocation->command);
    return print_script(invocation->n_positional > 0 ? invocation->positional[0] : shells->name);
}

static const struct cw_option arguments[] = {
    {.name = "SHELL", .type = CW_OPTION_TEXT, .names = &shell_registry, .help = "bash, zsh or fish; by default bash"},
    {.name = NULL},
};

const struct verb verb_completion = {
    .name = "completion",
    .help = "Prints the script by which bash, zsh or fish completes what is typed",
    .description =
        "Scripts ask this verb in turn: behind --, it is given the words of a command line up to the one that "
        "is being typed, and prints what of that word stays, which files may follow (file, directory or "
        "nothing), and a line for each candidate with what it is.",
    .arguments = arguments,
    .command = true,
    .examples = "  source <(crosswind completion)                # bash; zsh with: crosswind completion zsh\n"
                "  crosswind completion fish | source\n",
    .run = run,
};
