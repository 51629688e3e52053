/* What can be named on the command line besides verbs: topologies, routings, patterns, ... from their registries. */
#ifndef CW_CLI_TOPICS_H
#define CW_CLI_TOPICS_H

#include "base/option.h"
#include "base/registry.h"
#include "base/text.h"

/* One thing that can be named. */
struct topic_item {
    const char *name, *help, *synopsis; /* synopsis: NULL where there is nothing to add to the name */
    const struct cw_option *options;
    const char *means; /* of another name only: the name it stands for */
    const char *use;   /* which verbs take it, where not all do */
};

#define TOPIC_PARTS 3

struct topic {
    const char *name; /* "topologies" */
    const char *help; /* one sentence */
    struct topic_part {
        const struct cw_registry *registry; /* NULL: no such part */
        void (*describe)(const void *item, struct topic_item *out);
    } parts[TOPIC_PARTS]; /* its items are theirs, one after the other */
    const char *more;     /* what the help of the topic says besides; NULL: nothing */
};

extern const struct topic topics[]; /* ended by a NULL name */
extern const struct cw_registry topic_registry;

/* Item I (from 0) of TOPIC; false past the last. */
bool topic_item(const struct topic *topic, size_t i, struct topic_item *item);

/* Appends all items of TOPIC with their options. */
void topic_help(const struct topic *topic, struct cw_text *text);

/* Appends the items called NAME, in upper or lower case, whatever their topics (one name may be a topology's and a
 * routing's). False: none. */
bool topic_item_help(const char *name, struct cw_text *text);

#endif
