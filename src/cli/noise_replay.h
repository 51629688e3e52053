/* `crosswind noise --trial`: one explicit case, figure by figure. */
#ifndef CW_CLI_NOISE_REPLAY_H
#define CW_CLI_NOISE_REPLAY_H

#include "cli/verb.h"

int noise_replay(struct invocation *invocation);

#endif
