/* The options of `crosswind noise`, and what random trials and replays share. */
#ifndef CW_CLI_NOISE_OPTIONS_H
#define CW_CLI_NOISE_OPTIONS_H

#include "base/units.h"
#include "cli/fabric.h"
#include "cli/verb.h"
#include "sim/collective.h"
#include "sim/noise.h"

enum noise_time { NOISE_UNIT, NOISE_LOGGP };

struct noise_options {
    struct cw_reals ratios;
    char *schedule, *background, *placement, *samples, *trial;
    int64_t trials, trial_number;         /* the latter from 1; 0: all trials */
    int perturbation, time, sends, model; /* enum cw_perturbation, noise_time, cw_sends, cw_noise_model */
    struct cw_sizes bytes;
    double latency, overhead, gap;
    bool equal_speeds;
};

/* Settles what the options leave open: an option of LogGP alone asks for it, and without one of them time is unit;
 * sends are at once in unit time and in order in seconds; L and G of the channels are CW_TIMING_OF_CHANNELS. */
int noise_settle(struct invocation *invocation);

/* SCHEDULE on ROUTES with messages of BYTES, as the settled options say. */
struct cw_collective_setup noise_collective(const struct noise_options *values, const struct cw_routes *routes,
                                            const struct cw_schedule *schedule, uint64_t bytes);

/* Says what the time of a result about NET is, and what it leaves out. */
void noise_note_regime(struct cw_result *result, const struct noise_options *values, const struct cw_network *net);

/* A row's setup, and what its options name. */
struct noise_plan {
    const struct noise_options *values;
    struct cw_noise_setup setup;
    struct cw_schedule *schedule;
    struct cw_pattern *background;
    struct cw_placement *placement;
};

/* --- --trial and --case: one explicit case, figure by figure ------------------------------------------------------ */

/* Replays the case in the file that --trial names. */
int noise_replay(struct invocation *invocation);

/* Writes trial --case of PLAN to the file PATH, and shows it as --trial does. */
int noise_write_trial(struct invocation *invocation, const struct fabric *fabric, struct noise_plan *plan,
                      const char *path);

#endif
