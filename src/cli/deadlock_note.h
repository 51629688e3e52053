/* What a check for deadlocks found, in words. */
#ifndef CW_CLI_DEADLOCK_NOTE_H
#define CW_CLI_DEADLOCK_NOTE_H

#include "cli/verb.h"
#include "route/check.h"

/* "yes", "no", "unknown" (service levels) or "unproven" (a sample): whether routes are free of deadlocks. */
const char *deadlock_verdict(const struct cw_deadlock *deadlock);

/* Says the same in a sentence, with the cycle that was found. */
void deadlock_note(struct invocation *invocation, const struct cw_network *net, const struct cw_deadlock *deadlock);

#endif
