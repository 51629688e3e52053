/* Published experiments that one command computes again. Adding one: a file cli/reproduce/reproduce_NAME.c with one
 * descriptor, one line in cli/verb_reproduce.c. */
#ifndef CW_CLI_REPRODUCE_H
#define CW_CLI_REPRODUCE_H

#include "base/registry.h"
#include "cli/verb.h"

enum reproduce_sizes { SIZES_QUICK, SIZES_SMALL, SIZES_ALL };

struct reproduce_options {
    int sizes; /* enum reproduce_sizes */
    char *directory;
    int64_t trials;
    char *figures, *fabrics, *runs;
    bool emulate;
};

struct reproduction {
    const char *name;         /* "dragonfly-fig3" */
    const char *help;         /* what it computes, and the source: a sentence without its full stop */
    const char *const *takes; /* its options besides --directory, ended by NULL; others are refused */
    /* Computes it figure by figure, and writes each down, with what is claimed of it, before the next. */
    int (*run)(struct invocation *invocation);
};

extern const struct cw_registry reproduction_registry;

#endif
