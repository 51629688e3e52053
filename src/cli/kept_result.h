/*
 * The result of a verb in the store of --store: it is taken from there, or put there when it is whole.
 */
#ifndef CW_CLI_KEPT_RESULT_H
#define CW_CLI_KEPT_RESULT_H

#include <stdbool.h>

#include "cli/verb.h"
#include "study/compare/store.h"

struct kept_result {
    struct cw_store *store; /* NULL: none */
    double begun;
    bool taken; /* from the store, and written: there is no more to do */
};

/* Before the verb runs, when its command is known. What writes other files than its result is computed in any case. */
int kept_result_begin(struct kept_result *kept, struct invocation *invocation);

/* After it ended with RC and was written. Closes the store in any case; if it has failed, says so and has the program
 * fail, but what was printed is right. */
void kept_result_end(struct kept_result *kept, struct invocation *invocation, int rc);

#endif
