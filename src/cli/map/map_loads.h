/*
 * What the channels of a network carry, as maps show it.
 */
#ifndef CW_CLI_MAP_LOADS_H
#define CW_CLI_MAP_LOADS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "net/network.h"
#include "sim/congestion.h"

/* Starts zeroed. */
struct map_loads {
    double *carried; /* [channels] messages, or bytes; owned */
    double *load;    /* [channels] what a channel needs for them: the colour; owned */
    bool by_bytes;
    bool sampled;            /* they are estimated from some of the routes */
    bool unlike;             /* channels are not equally fast */
    struct cw_text quantity; /* what a load is */
};

/* What RESULT, of TRIALS repetitions of PATTERN, has put on channels: carried, by_bytes and the quantity. */
int map_loads_of_congestion(const struct cw_congestion_result *result, const struct cw_network *net,
                            const char *pattern, size_t trials, struct map_loads *loads);

/* Finds the loads of what is carried: seconds, or messages times the capacity of the fastest cable of an endpoint / a
 * channel's own, unless speeds are EQUAL; and says so in the quantity. */
int map_loads_weigh(const struct cw_network *net, bool equal, struct map_loads *loads);

void map_loads_free(struct map_loads *loads);

#endif
