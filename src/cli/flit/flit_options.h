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

/* How flits are simulated, of all verbs that do it (struct verb, `flits`): flit_how_options, and of those that simulate
 * loads flit_load_options. */
struct flit_how {
    char *warmup; /* of loads, as the next */
    bool allow_deadlock;
    char *message;
    char *hardware; /* flit_hardware_parameters; NULL: none of them */
    char *allocator, *queues, *buffers, *marking, *rate_control, *implementation;
};

/* The others of `crosswind flit`. */
struct flit_options {
    char *traffic, *routings, *lft, *repair, *paths, *placement, *cycles, *until_ci;
    struct cw_reals loads; /* as given; none: flit_options_loads */
    double time, confidence;
    bool unsteady, analytic;
    char *series, *channels, *histogram;
    int64_t top;
};

/* The hardware that HOW describes for NET; CW_EUSAGE where sizes are no whole flits. *MESSAGES gets how
 * long messages are. Input buffers of which nothing is said (*AUTOMATIC) cover the longest round trip. */
int flit_options_hardware(const struct flit_how *how, const struct cw_network *net, struct cw_flit_hardware *hardware,
                          struct cw_flit_messages *messages, bool *automatic);

/* The loads that were asked for, borrowed; full load if none were. */
struct cw_reals flit_options_loads(const struct flit_options *values);

/* Warm-up of HOW before a few cycles, with which jobs that never end begin. */
int flit_options_warmup(const struct flit_how *how, struct cw_steady_setup *steady);

/* Warm-up, cycles and confidence of the steady state at a given load; or in a sweep (SWEEP), where what is left to the
 * program is short, for no steady state is measured, but whether a load is accepted. */
int flit_options_steady(const struct flit_options *values, const struct flit_how *how,
                        const struct cw_flit_hardware *hardware, bool sweep, struct cw_steady_setup *steady);

extern const struct cw_option flit_option_table[];
extern const struct cw_option flit_how_options[];
extern const struct cw_option flit_load_options[];
extern const struct cw_option flit_hardware_parameters[];

#endif
