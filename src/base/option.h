/*
 * What is done with option tables (base/parameters.h): parsing, checks, help. One table serves the command line
 * (--name value) and the parameters of what is named there (dragonfly:8,16,8,g=33). A table of its own describes the
 * positional arguments of a command line: their names are what a synopsis shows ("NETWORK"), and they have no values:
 * cw_arguments has them.
 */
#ifndef CW_BASE_OPTION_H
#define CW_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/parameters.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/units.h"

CW_BEGIN_DECLS

/* Where the values of one table are. */
struct cw_option_group {
    const struct cw_option *options;
    void *values;
};

/* Zeroed VALUES get their defaults. 0 or an error (a default that does not parse is CW_EINTERNAL). */
int cw_options_init(const struct cw_option *options, void *values);

/* Frees what VALUES owns and zeroes those fields. */
void cw_options_free(const struct cw_option *options, void *values);

/* Sets the value of OPTION, called WHAT in messages. TEXT is NULL for a name alone. */
int cw_option_set(const char *what, const struct cw_option *option, void *values, const char *text);

/* Sets the option NAME from TEXT. OWNER names whose option it is in messages ("crosswind noise", "dragonfly").
 * An unknown name, or a value that is not among the choices, names the nearest one. */
int cw_options_set(const char *owner, const struct cw_option *options, void *values, const char *name,
                   const char *text);

/* Parses a plug-in's parameters, "8,16,8,g=33" (NULL or "": none), into VALUES, which were initialised. */
int cw_options_parse_parameters(const char *owner, const struct cw_option *options, void *values,
                                const char *parameters);

/* True if the value of OPTION is a char *: text, or a file or directory. */
bool cw_option_is_text(const struct cw_option *option);

/* A command line as it was understood. Free with cw_arguments_free, which accepts a zeroed one. */
struct cw_arguments {
    struct cw_argument {
        const struct cw_option *option; /* or positional argument; NULL: the "--" that ends the options */
        int first, words;               /* ARGV[first], and the next if that is the value: 1 or 2 words */
    } * items;                          /* in the order in which they were given */
    size_t n;
    const char **positional; /* in order, NULL after the last; borrowed from ARGV */
    size_t n_positional;
    const struct cw_option *described; /* the table of positional arguments; borrowed */
    bool end_of_options;               /* there was a "--" */
};

/* Parses the arguments ARGV[0..ARGC-1] of a verb: "--name value", "--name=value", "--flag", "--flag=no", "-f", "--" and
 * positional arguments, of which there may be as many as POSITIONAL has (NULL: none), one again and again if it
 * repeats: those behind it are the last. GROUPS (N_GROUPS, e.g. the verb's and the common ones) were initialised. A
 * missing required option is an error, too; cw_arguments_check says so of positional arguments, which `--help` goes
 * without. */
int cw_options_parse_arguments(const char *owner, const struct cw_option_group *groups, size_t n_groups, int argc,
                               char *const *argv, const struct cw_option *positional, struct cw_arguments *out);
int cw_arguments_check(const char *owner, const struct cw_arguments *arguments);

/* True if the option or positional argument NAME was given, whatever its value; false: it has its default. */
bool cw_arguments_have(const struct cw_arguments *arguments, const char *name);
void cw_arguments_free(struct cw_arguments *arguments);

/* Before long work: CW_EIO if one of the files that the options of GROUPS, or positional ARGUMENTS (NULL: none), are to
 * write cannot be written, CW_EUSAGE if it is one of those that they read, or another that they write. They are entered
 * into this thread's record (base/input.h), so that reading one of them later is an error, too. */
int cw_options_check_outputs(const struct cw_option_group *groups, size_t n_groups,
                             const struct cw_arguments *arguments);

/* The item that the value TEXT of a CW_OPTION_NAMED_OUTPUT names, and its file. NULL: nothing is called so. */
const void *cw_option_named_output(const struct cw_option *option, const char *text, const char **file);

/* What can be chosen by OPTION, a CW_OPTION_CHOICE. */
struct cw_registry cw_option_choices(const struct cw_option *option);

/* What stands for the value of OPTION in help: "FILE". */
const char *cw_option_value_name(const struct cw_option *option);

/* Appends the help of OPTIONS, a line or two an option, wrapped at 80 columns: name, value, sentence, default. DASHES:
 * as "--name VALUE" (command line) or as "name=VALUE" (plug-in). ALL: rare ones, too. */
void cw_options_help(const struct cw_option *options, bool dashes, bool all, struct cw_text *text);

/* The same of a table of positional arguments; and as a synopsis has them: " NETWORK [FILE]". */
void cw_positional_help(const struct cw_option *positional, struct cw_text *text);
void cw_positional_synopsis(const struct cw_option *positional, struct cw_text *text);

/* SIZE bytes (0: none are needed) of a plug-in's values: the defaults of OPTIONS (NULL: none), then PARAMETERS (NULL:
 * none) of OWNER, the plug-in's name. Free with cw_option_values_free, which accepts NULL. */
int cw_option_values_new(const char *owner, const struct cw_option *options, size_t size, const char *parameters,
                         void **out);
void cw_option_values_free(const struct cw_option *options, void *values);

#define CW_SPEC_NAME_SIZE 64 /* of a buffer for cw_spec_split: longer than any name */

/* Splits "name:parameters" at the first ':'. NAME (room for SIZE bytes) gets the name; the result points at the
 * parameters in SPEC, or is NULL where there are none. A name of SIZE bytes or more is cut off. */
const char *cw_spec_split(const char *spec, char *name, size_t size);

CW_END_DECLS

#endif
