#include "sim/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void cw_trace_begin(struct cw_trace *trace)
{
    trace->n_levels = trace->n_messages = trace->n_channels = 0;
    trace->complete = true;
}

void cw_trace_free(struct cw_trace *trace)
{
    free(trace->levels);
    free(trace->messages);
    free(trace->channels);
    *trace = (struct cw_trace){0};
}

static int add_level(struct cw_trace *trace, size_t n, const struct cw_congestion *congestion)
{
    const int rc = cw_grow_array((void **)&trace->levels, &trace->levels_capacity, trace->n_levels + 1,
                                 sizeof *trace->levels, "levels");
    if (rc) return rc;
    struct cw_level level = {.messages = n};
    for (size_t i = 0; i < n; i++) {
        const uint32_t clean = (uint32_t)congestion[i].own, perturbed = (uint32_t)congestion[i].with_background;
        level.clean_sum += clean;
        level.perturbed_sum += perturbed;
        if (clean > level.clean_max) level.clean_max = clean;
        if (perturbed > level.perturbed_max) level.perturbed_max = perturbed;
    }
    trace->levels[trace->n_levels++] = level;
    return 0;
}

static int add_messages(struct cw_trace *trace, const struct cw_timing *timing, const struct cw_message *messages,
                        const struct cw_round *round, const struct cw_load *load,
                        const struct cw_congestion *congestion)
{
    const int rc = cw_grow_array((void **)&trace->messages, &trace->messages_capacity, trace->n_messages + round->n,
                                 sizeof *trace->messages, "traced messages");
    if (rc) return rc;
    const struct cw_network *net = cw_routes_network(round->routes);
    const uint32_t *channels = round->channels, level = (uint32_t)trace->n_levels;
    for (size_t i = 0; i < round->n; channels += round->hops[i++])
        trace->messages[trace->n_messages++] = (struct cw_traced_message){
            .level = level,
            .src = messages[i].src,
            .dst = messages[i].dst,
            .congestion = congestion[i],
            .bottleneck = cw_timing_bottleneck(timing, net, load, channels, round->hops[i]),
        };
    return 0;
}

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int add_channels(struct cw_trace *trace, const struct cw_round *round, const struct cw_load *load)
{
    const size_t n = round->n_channels;
    const int rc = cw_grow_array((void **)&trace->channels, &trace->channels_capacity, trace->n_channels + n,
                                 sizeof *trace->channels, "traced channels");
    if (rc) return rc;
    uint32_t *sorted = cw_new_array(n, sizeof *sorted, "traced channels");
    if (!sorted) return CW_ENOMEM;
    if (n > 0) memcpy(sorted, round->channels, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            trace->channels[trace->n_channels++] =
                (struct cw_traced_channel){(uint32_t)trace->n_levels, sorted[i], (uint32_t)cw_load_own(load, sorted[i]),
                                           (uint32_t)cw_load_background(load, sorted[i])};
    free(sorted);
    return 0;
}

int cw_trace_level(struct cw_trace *trace, const struct cw_timing *timing, const struct cw_message *messages,
                   const struct cw_round *round, const struct cw_load *load, const struct cw_congestion *congestion)
{
    int rc = 0;
    if (trace->n_messages + round->n > CW_TRACE_MESSAGES) {
        trace->complete = false;
        trace->n_messages = trace->n_channels = 0;
    }
    if (trace->complete) rc = add_messages(trace, timing, messages, round, load, congestion);
    if (!rc && trace->complete) rc = add_channels(trace, round, load);
    return rc ? rc : add_level(trace, round->n, congestion);
}
