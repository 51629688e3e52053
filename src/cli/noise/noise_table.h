/* The table of random trials that `crosswind noise` prints, and the sentences on it. */
#ifndef CW_CLI_NOISE_TABLE_H
#define CW_CLI_NOISE_TABLE_H

#include "cli/fabric.h"
#include "cli/noise/noise_options.h"
#include "sim/noise.h"

/* A row's setup, and what its options name. */
struct noise_plan {
    const struct noise_options *values;
    struct cw_noise_setup setup;
    struct cw_schedule *schedule;
    struct cw_pattern *background;
    struct cw_placement *placement;
};

/* The empty table. TITLE is borrowed. */
int noise_table_new(const struct noise_plan *plan, const char *title, struct cw_table **out);

void noise_table_add(struct cw_table *table, const struct noise_plan *plan, const struct cw_noise_result *row);

/* The empty table of --samples, and a row of it for each of the setup's samples. */
int noise_samples_new(const struct noise_plan *plan, struct cw_table **out);
void noise_samples_add(struct cw_table *table, const struct noise_plan *plan);

/* Reads a row aloud; one in which nothing perturbed is said to be so. */
void noise_note_row(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row);
void noise_note_silence(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row);

#endif
