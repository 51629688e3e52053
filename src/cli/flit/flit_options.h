/* Options of the verbs that simulate flits. */
#ifndef CW_CLI_FLIT_OPTIONS_H
#define CW_CLI_FLIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"

/* Bytes of an input buffer for each lane of which nothing is said, unless round trips need more. */
#define FLIT_INPUT_BUFFER 4096

struct flit_options {
    char *traffic, *routings, *lft, *repair, *paths, *placement, *warmup, *cycles, *until_ci;
    struct cw_reals loads; /* as given; none: flit_options_loads */
    double time, confidence;
    bool allow_deadlock, unsteady, model;
    char *series, *channels, *histogram;
    int64_t top;
    /* what ends */
    uint64_t finite; /* bytes of each rank; 0: without end */
    char *jobs;
    char *moves;
    char *schedule;
    uint64_t bytes;
    double ratio;
    int64_t trials; /* 0: as the mode has it */
    char *message;
    char *hardware; /* flit_hardware_parameters; NULL: none of them */
    char *allocator, *queues, *buffers, *marking, *rate_control, *implementation;
};

/* The hardware that the options describe for NET; CW_EUSAGE where sizes are no whole flits. *MESSAGES gets how
 * long messages are. Input buffers of which nothing is said (*AUTOMATIC) cover the longest round trip. */
int flit_options_hardware(const struct flit_options *options, const struct cw_network *net,
                          struct cw_flit_hardware *hardware, struct cw_flit_messages *messages, bool *automatic);

/* The loads that were asked for, borrowed; full load if none were. */
struct cw_reals flit_options_loads(const struct flit_options *values);

/* Warm-up, cycles and confidence of the steady state at a given load; or in a sweep (SWEEP), where what is left to the
 * program is short, for no steady state is measured, but whether a load is accepted. */
int flit_options_steady(const struct flit_options *values, const struct cw_flit_hardware *hardware, bool sweep,
                        struct cw_steady_setup *steady);

extern const struct cw_option flit_option_table[];
extern const struct cw_option flit_hardware_parameters[];

#endif
