/* Published experiments that one command computes again. Adding one: a file cli/reproduce_NAME.c with one descriptor,
 * one line in cli/verb_reproduce.c. */
#ifndef CW_CLI_REPRODUCE_H
#define CW_CLI_REPRODUCE_H

#include "cli/verb.h"

enum reproduce_sizes { SIZES_SMALL, SIZES_ALL };

struct reproduce_options {
    int sizes; /* enum reproduce_sizes */
    char *directory;
    int64_t trials;
    char *figures, *fabrics;
};

struct reproduction {
    const char *name; /* "dragonfly-fig3" */
    const char *help;
    const char *const *takes; /* its options besides --directory, ended by NULL; others are refused */
    /* Computes it, writes DIRECTORY/NAME.csv and a picture a panel, and adds the table to the result. */
    int (*run)(struct invocation *invocation);
};

#endif
