/* crosswind completion: bash completion, generated from the option tables and registries. */
#include <string.h>

#include "base/error.h"
#include "cli/topics.h"
#include "cli/verb.h"

static void add_options(struct cw_text *text, const struct verb *verb)
{
    struct cw_option_group groups[MAX_GROUPS];
    const size_t n = verb_groups(verb, NULL, groups);
    cw_text_printf(text, "        %s) options=\"", verb->name);
    for (size_t i = 0; i < n; i++)
        for (const struct cw_option *option = groups[i].options; option->name; option++)
            cw_text_printf(text, "--%s ", option->name);
    cw_text_add(text, "\" ;;\n");
}

/* The values of one option, where they are known beforehand. */
static void add_values(struct cw_text *text, const char *option, const char *const *choices)
{
    cw_text_printf(text, "        --%s) values=\"", option);
    for (; *choices; choices++) cw_text_printf(text, "%s ", *choices);
    cw_text_add(text, "\" ;;\n");
}

/* The same from the topics called TOPIC_NAME and (NULL: none) OTHER. */
static void add_topic_values(struct cw_text *text, const char *option, const char *topic_name, const char *other)
{
    cw_text_printf(text, "        --%s) values=\"", option);
    for (const struct topic *topic = topics; topic->name; topic++) {
        struct topic_item item;
        if (strcmp(topic->name, topic_name) != 0 && (!other || strcmp(topic->name, other) != 0)) continue;
        for (size_t i = 0; topic_item(topic, i, &item); i++) cw_text_printf(text, "%s ", item.name);
    }
    cw_text_add(text, "\" ;;\n");
}

static void add_choices(struct cw_text *text)
{
    for (size_t v = 0; verbs[v]; v++)
        for (const struct cw_option *option = verbs[v]->options; option && option->name; option++)
            if (option->type == CW_OPTION_CHOICE) add_values(text, option->name, option->choices);
    for (const struct cw_option *option = common_options; option->name; option++)
        if (option->type == CW_OPTION_CHOICE) add_values(text, option->name, option->choices);
    add_topic_values(text, "routing", "engines", "routings");
    add_topic_values(text, "schedule", "schedules", NULL);
    add_topic_values(text, "background", "patterns", NULL);
    add_topic_values(text, "pattern", "patterns", NULL);
    add_topic_values(text, "placement", "placements", NULL);
}

static void bash_script(struct cw_text *text)
{
    cw_text_add(text,
                "# bash completion for crosswind, printed by 'crosswind completion'\n_crosswind()\n{\n"
                "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" options= values=\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; verbs[i]; i++) cw_text_printf(text, "%s ", verbs[i]->name);
    cw_text_add(text, "\" -- \"$word\"))\n        return\n    fi\n    case \"$before\" in\n");
    add_choices(text);
    cw_text_add(text, "    esac\n    if [ -n \"$values\" ]; then\n"
                      "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n        return\n    fi\n"
                      "    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; verbs[i]; i++) add_options(text, verbs[i]);
    cw_text_add(text, "    esac\n    case \"$word\" in\n"
                      "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                      "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
                      "complete -o filenames -F _crosswind crosswind\n");
}

static int run(struct invocation *invocation)
{
    (void)invocation;
    struct cw_text text = {0};
    bash_script(&text);
    const int error = cw_text_check(&text);
    if (!error) fputs(text.data, stdout);
    cw_text_free(&text);
    return error;
}

const struct verb verb_completion = {
    .name = "completion",
    .help = "Prints the completion script for bash",
    .arguments = "",
    .examples = "  source <(crosswind completion)\n",
    .run = run,
};
