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
    double *before;  /* [channels] the loads of another state, in the same unit; owned; NULL: there is none. The colour
                      * is the change from them */
    struct cw_text against; /* that state, in words */
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

/* Makes LOADS, of NET, a comparison with OTHER, of the same or another state of it called AGAINST; what does not work
 * there had no load. */
int map_loads_compare(struct map_loads *loads, const struct cw_network *net, const struct map_loads *other,
                      const struct cw_network *other_net, const char *against);

/* What the colour of channel C stands for: its load, or its change; what is but rounding is none. */
double map_loads_value(const struct map_loads *loads, uint32_t c);
/* Whether A stands out more than B, which may be NAN: the greater load, or change in either direction. */
bool map_loads_exceeds(double a, double b);
/* A value as people read it, changes with their sign. Returns BUFFER. */
const char *map_loads_format(const struct map_loads *loads, double value, char *buffer, size_t size);
/* The same without sign: of messages, or of time. */
const char *map_loads_format_messages(double load, char *buffer, size_t size);

void map_loads_free(struct map_loads *loads);

#endif
