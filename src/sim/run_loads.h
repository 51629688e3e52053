/*
 * A round's messages counted by runs of channels (route/route_runs.h): what sim/round.h and sim/load.h do where nobody
 * asks for the channels of a message. Counters stand in the order of places, so that a run is a stretch of memory. Not
 * installed.
 */
#ifndef CW_SIM_RUN_LOADS_H
#define CW_SIM_RUN_LOADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/route_runs.h"
#include "sim/load.h"

CW_BEGIN_DECLS

struct cw_run_loads {
    const struct cw_routes *routes;
    uint32_t n_channels;
    uint32_t *place;          /* [n_channels] */
    struct cw_counters count; /* by place */
    uint32_t *n_runs;         /* [messages] */
    struct cw_run *runs;
    size_t messages_capacity, runs_capacity;
};

/* ROUTES, borrowed, have runs. Free with cw_run_loads_free, which accepts a zeroed one. */
int cw_run_loads_init(struct cw_run_loads *loads, const struct cw_routes *routes);
void cw_run_loads_free(struct cw_run_loads *loads);

/* Counts N messages in place of those that were counted before, and gives the congestion of each; that with a
 * background is the same. 0 or CW_ENOMEM. */
int cw_run_loads_count(struct cw_run_loads *loads, size_t n, const uint32_t *src, const uint32_t *dst,
                       struct cw_congestion *congestion);

/* The messages on CHANNEL. */
static inline double cw_run_loads_on(const struct cw_run_loads *loads, uint32_t channel)
{
    return cw_counter(&loads->count, loads->place[channel]);
}

CW_END_DECLS

#endif
