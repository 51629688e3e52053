/*
 * Defaults of options, from a file of the user's (doc/formats/configuration.md): $CROSSWIND_CONFIG, or
 * $XDG_CONFIG_HOME/crosswind/config, or ~/.config/crosswind/config. All of it is checked, whichever verb runs.
 *
 * To a verb a default is an option that was given, except that it gives way: what is typed goes first, and where the
 * verb refuses it in the company of others the program runs the verb anew without it. What is used is part of the
 * command that a result records.
 */
#ifndef CW_CLI_CONFIGURATION_H
#define CW_CLI_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option.h"
#include "base/text.h"

struct verb;

/* Starts zeroed. */
struct configuration {
    char *path; /* NULL: there is no file */
    struct configuration_line {
        unsigned long number;
        const struct verb *verb; /* NULL: of all verbs */
        const struct cw_option *option;
        char *value;
        bool refused, used;
    } * lines;
    size_t n, capacity;
    bool refused; /* one of them, since they were applied */
};

/* The user's file, or none. CW_EUSAGE (what the file says), CW_EIO, CW_EPARSE (it is no text) or CW_ENOMEM. Whatever
 * comes of it, free OUT. */
int configuration_read(struct configuration *out);

/* The same of LENGTH bytes of TEXT. */
int configuration_parse(const char *path, const char *text, size_t length, struct configuration *out);

/* Sets the options of VERB (in GROUPS, N_GROUPS) that were not GIVEN and have a line that was not refused. 0 or
 * CW_ENOMEM. */
int configuration_apply(struct configuration *configuration, const struct verb *verb,
                        const struct cw_option_group *groups, size_t n_groups, const struct cw_arguments *given);

/* The line that the option NAME has its value from, or NULL. CONFIGURATION may be NULL: there is no line. */
struct configuration_line *configuration_line(const struct configuration *configuration, const char *name);

/* Appends what is used, " --seed=7", as a shell takes it: all, or with RESULTS what is part of a result. */
void configuration_add_words(const struct configuration *configuration, bool results, struct cw_text *text);

/* Appends which lines the error MESSAGE is about, " (FILE:3 has --routing=minhpo)": nobody has typed that. */
void configuration_explain(const struct configuration *configuration, const char *message, struct cw_text *text);

void configuration_free(struct configuration *configuration);

#endif
