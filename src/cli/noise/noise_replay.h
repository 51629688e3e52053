/* `crosswind noise --trial` and `--case`: one explicit case, figure by figure. */
#ifndef CW_CLI_NOISE_REPLAY_H
#define CW_CLI_NOISE_REPLAY_H

#include "cli/noise/noise_table.h"

/* Replays the case in the file that --trial names. */
int noise_replay(struct invocation *invocation);

/* Writes trial --case of PLAN to the file PATH, and shows it as --trial does. */
int noise_write_trial(struct invocation *invocation, const struct fabric *fabric, struct noise_plan *plan,
                      const char *path);

#endif
