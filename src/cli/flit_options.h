/* Options of the verbs that simulate flits. */
#ifndef CW_CLI_FLIT_OPTIONS_H
#define CW_CLI_FLIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"

struct flit_options {
    char *traffic, *routings, *placement, *warmup, *cycles, *until_ci;
    struct cw_reals loads;
    double time, confidence;
    bool unsteady, model;
    char *series, *channels, *histogram;
    int64_t top;
    /* what ends */
    uint64_t finite; /* bytes of each rank; 0: without end */
    char *jobs;
    char *schedule;
    uint64_t bytes;
    double ratio;
    int64_t trials; /* 0: as the mode has it */
    /* hardware */
    uint64_t message, flit, input_buffer, output_buffer;
    double capacity;
    int64_t speedup, injection_lanes, pipeline, host_latency, local_latency, global_latency;
    int allocator; /* enum cw_flit_allocator */
    bool transit_first;
};

/* The hardware that the options describe for NET; CW_EUSAGE where sizes are no whole flits. *MESSAGE_FLITS gets the
 * message's. */
int flit_options_hardware(const struct flit_options *values, const struct cw_network *net,
                          struct cw_flit_hardware *hardware, uint32_t *message_flits);

/* Warm-up, cycles and confidence. */
int flit_options_steady(const struct flit_options *values, const struct cw_flit_hardware *hardware,
                        struct cw_steady_setup *steady);

extern const struct cw_option flit_option_table[];

#endif
