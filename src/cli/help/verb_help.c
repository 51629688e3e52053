/* crosswind help: the verbs, one verb, or what can be named on the command line. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/help/topics.h"
#include "cli/verb.h"

static void overview(struct cw_text *text)
{
    size_t width = 12;
    for (size_t i = 0; verbs[i]; i++)
        if (strlen(verbs[i]->name) > width) width = strlen(verbs[i]->name);
    cw_text_printf(text,
                   "%s %s: where does communication lose time to contention, and what removes it?\n\n"
                   "Usage: %s VERB ... [options]\n\nVerbs:\n",
                   program_name, cw_version(), program_name);
    for (size_t i = 0; verbs[i]; i++) cw_text_printf(text, "  %-*s %s\n", (int)width, verbs[i]->name, verbs[i]->help);
    cw_text_add(text, "\nTopics:\n");
    for (const struct topic *topic = topics; topic->name; topic++)
        cw_text_printf(text, "  %-*s %s\n", (int)width, topic->name, topic->help);
    cw_text_printf(text, "\n'%s VERB --help' explains a verb and its options, '%s help TOPIC' a topic.\n", program_name,
                   program_name);
}

/* Names the nearest of all that can be explained. */
static int fail_unknown(const char *name)
{
    struct cw_guess guess = cw_guess_of(name);
    cw_registry_guess(&verb_registry, &guess);
    for (const struct topic *topic = topics; topic->name; topic++) {
        cw_guess_try(&guess, topic->name);
        for (size_t p = 0; p < TOPIC_PARTS && topic->parts[p].registry; p++)
            cw_registry_guess(topic->parts[p].registry, &guess);
    }
    if (guess.nearest) return cw_fail(CW_EUSAGE, "there is no help on '%s'; did you mean '%s'?", name, guess.nearest);
    return cw_fail(CW_EUSAGE, "there is no help on '%s'; '%s help' lists verbs and topics", name, program_name);
}

static int explain(const char *name, struct cw_text *text)
{
    const struct topic *topic = cw_registry_find(&topic_registry, name);
    if (topic) {
        topic_help(topic, text);
        return 0;
    }
    const struct verb *verb = cw_registry_find(&verb_registry, name);
    if (verb) { /* an experiment may have its name: 'help experiments' shows that */
        verb_describe(verb, false, text);
        return 0;
    }
    return topic_item_help(name, text) ? 0 : fail_unknown(name);
}

static int run(struct invocation *invocation)
{
    struct cw_text text = {0};
    int rc = 0;
    if (invocation->n_positional == 0)
        overview(&text);
    else
        rc = explain(invocation->positional[0], &text);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

static const struct cw_registry verbs_and_topics = {.items = verbs, .also = &topic_registry};

static const struct cw_option arguments[] = {
    {.name = "VERB|TOPIC|NAME",
     .type = CW_OPTION_TEXT,
     .names = &verbs_and_topics,
     .help = "a verb, a topic, or one thing of a topic, such as torus, dmodk, ring, heuristic or lft"},
    {.name = NULL},
};

const struct verb verb_help = {
    .name = "help",
    .help = "Explains a verb, a topic, or one thing by its name; alone, it lists verbs and topics",
    .arguments = arguments,
    .run = run,
};
