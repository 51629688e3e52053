#include "sim/trace.h"

#include <stdlib.h>

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

int cw_trace_level(struct cw_trace *trace)
{
    const int rc = cw_grow_array((void **)&trace->levels, &trace->levels_capacity, trace->n_levels + 1,
                                 sizeof *trace->levels, "levels");
    if (!rc) trace->levels[trace->n_levels++] = (struct cw_level){0};
    return rc;
}

static void add_to_level(struct cw_level *level, size_t n, const struct cw_congestion *congestion)
{
    level->messages += n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t clean = (uint32_t)congestion[i].own, perturbed = (uint32_t)congestion[i].with_background;
        level->clean_sum += clean;
        level->perturbed_sum += perturbed;
        if (clean > level->clean_max) level->clean_max = clean;
        if (perturbed > level->perturbed_max) level->perturbed_max = perturbed;
    }
}

static int add_messages(struct cw_trace *trace, const struct cw_timing *timing, const struct cw_message *messages,
                        const struct cw_round *round, const struct cw_load *load,
                        const struct cw_congestion *congestion, const uint32_t *decisive)
{
    const int rc = cw_grow_array((void **)&trace->messages, &trace->messages_capacity, trace->n_messages + round->n,
                                 sizeof *trace->messages, "traced messages");
    if (rc) return rc;
    const struct cw_network *net = cw_routes_network(round->routes);
    const uint32_t *channels = round->channels;
    for (size_t i = 0; i < round->n; channels += round->hops[i++])
        trace->messages[trace->n_messages++] = (struct cw_traced_message){
            .level = (uint32_t)trace->n_levels - 1,
            .src = messages[i].src,
            .dst = messages[i].dst,
            .congestion = congestion[i],
            .bottleneck = decisive ? decisive[i] : cw_timing_bottleneck(timing, net, load, channels, round->hops[i]),
        };
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct cw_traced_channel *a = left, *b = right;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

void cw_trace_end_level(struct cw_trace *trace)
{
    struct cw_traced_channel *rows = trace->channels;
    size_t first = trace->n_channels, kept;
    while (first > 0 && rows[first - 1].level == trace->n_levels - 1) first--;
    if (first == trace->n_channels) return;
    qsort(rows + first, trace->n_channels - first, sizeof *rows, compare);
    kept = first;
    for (size_t i = first + 1; i < trace->n_channels; i++)
        if (rows[i].channel == rows[kept].channel)
            rows[kept].own += rows[i].own;
        else
            rows[++kept] = rows[i];
    trace->n_channels = kept + 1;
}

static int add_channels(struct cw_trace *trace, const struct cw_round *round, const struct cw_load *load)
{
    const size_t n = round->n_channels;
    const int rc = cw_grow_array((void **)&trace->channels, &trace->channels_capacity, trace->n_channels + n,
                                 sizeof *trace->channels, "traced channels");
    if (rc) return rc;
    for (size_t i = 0; i < n; i++) /* each message counts for one */
        trace->channels[trace->n_channels++] =
            (struct cw_traced_channel){(uint32_t)trace->n_levels - 1, round->channels[i], 1,
                                       (uint32_t)cw_load_background(load, round->channels[i])};
    return 0;
}

int cw_trace_add(struct cw_trace *trace, const struct cw_timing *timing, const struct cw_message *messages,
                 const struct cw_round *round, const struct cw_load *load, const struct cw_congestion *congestion,
                 const uint32_t *decisive)
{
    int rc = 0;
    if (trace->n_messages + round->n > CW_TRACE_MESSAGES) {
        trace->complete = false;
        trace->n_messages = trace->n_channels = 0;
    }
    if (trace->complete) rc = add_messages(trace, timing, messages, round, load, congestion, decisive);
    if (!rc && trace->complete) rc = add_channels(trace, round, load);
    if (!rc) add_to_level(&trace->levels[trace->n_levels - 1], round->n, congestion);
    return rc;
}
