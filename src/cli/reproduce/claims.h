/*
 * What a publication claims and whether it holds, written down while an experiment runs: a table of the result,
 * DIRECTORY/NAME-claims.csv, and a sentence for each claim in the result and in DIRECTORY/NAME-README.txt.
 */
#ifndef CW_CLI_CLAIMS_H
#define CW_CLI_CLAIMS_H

#include "cli/verb.h"
#include "study/papers/findings.h"

/* Whoever begins sets the first four and may add to the findings afterwards. */
struct claims {
    struct invocation *invocation;
    const char *name, *directory;
    const char *source;         /* publication, and how it was computed: the first lines of NAME-README.txt, wrapped */
    const char *const *remarks; /* ended by NULL; the last part of it */
    struct cw_findings findings;
    struct cw_table *table; /* of the result, which owns it; a row for each finding that was told */
    size_t told;
};

/* Adds the table, of which EXPECTED rows are to come, to the result. */
int claims_begin(struct claims *claims, size_t expected);

/* Says what was found since the last call, in the result and in the files: who stops the program keeps what was done
 * by then. */
int claims_tell(struct claims *claims);

void claims_free(struct claims *claims);

#endif
