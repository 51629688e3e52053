/* The options of `crosswind-mpi bench noise`. */
#ifndef CW_MPI_BENCH_NOISE_OPTIONS_H
#define CW_MPI_BENCH_NOISE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "cli/analyse/analyse_prediction.h"

enum { BY_RANK, BY_NODE };
enum { CONTROL_AUTO, CONTROL_NONE, CONTROL_NODE, CONTROL_LEAF };

struct noise_options {
    char *op;
    char *perturb;
    struct cw_reals ratio;
    int64_t root, splits, samples, idle;
    int by, wait, sync, control;
    char *leaves;
    struct prediction_options prediction;
    double time, ci;
    bool dry_run;
    char *save;
};

extern const struct cw_option noise_options[];

#endif
