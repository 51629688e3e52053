/* crosswind help: the verbs, one verb, or what can be named on the command line. */
#include <string.h>

#include "base/error.h"
#include "base/version.h"
#include "cli/topics.h"
#include "cli/verb.h"

static void overview(struct cw_text *text)
{
    cw_text_printf(text,
                   "crosswind %s: where does communication lose time to contention, and what removes it?\n\n"
                   "Usage: crosswind VERB ... [options]\n\nVerbs:\n",
                   cw_version());
    for (size_t i = 0; verbs[i]; i++) cw_text_printf(text, "  %-12s %s\n", verbs[i]->name, verbs[i]->help);
    cw_text_add(text, "\nTopics:\n");
    for (const struct topic *topic = topics; topic->name; topic++)
        cw_text_printf(text, "  %-12s %s\n", topic->name, topic->help);
    cw_text_add(text, "\n'crosswind VERB --help' shows a verb's options, 'crosswind help TOPIC' a topic.\n");
}

static int explain(const char *name, struct cw_text *text)
{
    for (const struct topic *topic = topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0) {
            topic_help(topic, text);
            return 0;
        }
    const struct verb *verb = verb_find(name);
    if (!verb) return CW_EUSAGE;
    verb_describe(verb, text);
    return 0;
}

static int run(struct invocation *invocation)
{
    struct cw_text text = {0};
    int error = 0;
    if (invocation->n_positional == 0)
        overview(&text);
    else
        error = explain(invocation->positional[0], &text);
    if (!error) error = cw_text_check(&text);
    if (!error) fputs(text.data, stdout);
    cw_text_free(&text);
    return error;
}

const struct verb verb_help = {
    .name = "help",
    .help = "The verbs, a verb's options, or a topic",
    .arguments = "[VERB|TOPIC]",
    .description = "Topics: topologies, formats, writers, engines, routings, patterns, workloads, schedules, "
                   "placements, demands, methods.",
    .max_positional = 1,
    .run = run,
};
