/* The options of `crosswind noise`, which random trials and replays share. */
#ifndef CW_CLI_NOISE_OPTIONS_H
#define CW_CLI_NOISE_OPTIONS_H

#include "base/units.h"
#include "sim/collective.h"

struct noise_options {
    struct cw_reals ratios;
    char *schedule, *background, *placement, *trial;
    int64_t trials;
    int perturbation, time;
    bool serialise_sends;
    uint64_t bytes;
    double latency, overhead, gap;
};

static inline struct cw_collective_setup
noise_collective(const struct noise_options *values, const struct cw_routes *routes, const struct cw_schedule *schedule)
{
    return (struct cw_collective_setup){
        .routes = routes,
        .schedule = schedule,
        .bytes = values->bytes,
        .timing = {values->time == 1, values->latency, values->overhead, values->gap},
        .serialise_sends = values->serialise_sends,
    };
}

#endif
