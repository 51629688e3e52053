/* The words of options, results and files, explained. */
#ifndef CW_CLI_WORDS_H
#define CW_CLI_WORDS_H

#include "base/registry.h"

struct word {
    const char *name; /* "lmc" */
    const char *help; /* whole sentences */
};

extern const struct cw_registry word_registry;

#endif
