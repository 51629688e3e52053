/* What was counted, and running on top of it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/flit/flit_internal.h"

/* --- counters ----------------------------------------------------------------------------------------------------- */

void cw_flit_tuned_reset_counters(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    const struct cw_network *net = simulation->net;
    memset(simulation->channel_flits, 0, net->n_channels * sizeof *simulation->channel_flits);
    memset(simulation->accepted_by, 0, net->n_endpoints * sizeof *simulation->accepted_by);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        memset(simulation->workers[w]->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
}

const uint64_t *cw_flit_tuned_channel_flits(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    return simulation->channel_flits;
}

const uint64_t *cw_flit_tuned_accepted_by(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    return simulation->accepted_by;
}

const uint64_t *cw_flit_tuned_injected_by(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    for (uint32_t e = 0; e < simulation->net->n_endpoints; e++)
        if (simulation->host_of[e])
            simulation->injected_by[e] = simulation->channel_flits[simulation->host_of[e]->channel];
    return simulation->injected_by;
}

const struct cw_flit_task *cw_flit_tuned_task(const struct cw_flit_simulation *base, size_t job)
{
    return &cw_flit_tuned_of(base)->tasks[job];
}

double cw_flit_tuned_cycle_seconds(const struct cw_flit_simulation *base)
{
    return cw_flit_cycle(&cw_flit_tuned_of(base)->hardware);
}

size_t cw_flit_tuned_memory(const struct cw_flit_simulation *base)
{
    const struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    size_t bytes = sizeof *simulation + simulation->bytes;
    bytes += (size_t)simulation->batches * CW_FLIT_BATCH * CW_FLIT_CHUNK * sizeof *simulation->flits;
    for (size_t i = 0; i < simulation->n_tasks; i++) bytes += cw_flit_task_bytes(&simulation->tasks[i]);
    return bytes;
}

const uint64_t *cw_flit_tuned_latency_histogram(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    memset(simulation->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof *simulation->histogram);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++)
            simulation->histogram[i] += simulation->workers[w]->histogram[i];
    return simulation->histogram;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

int cw_flit_tuned_run(struct cw_flit_simulation *base, uint64_t cycles, struct cw_flit_window *window)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    const struct cw_flit_counts before = cw_flit_sum(simulation);
    const uint64_t first = simulation->cycle;
    if (simulation->failure) return cw_fail(simulation->failure, "the simulation has failed before");
    const int code = simulation->finished ? 0 : cw_flit_run_windows(simulation, cycles);
    const struct cw_flit_counts after = cw_flit_sum(simulation);
    if (code && code != CW_EROUTE) return code;
    *window = (struct cw_flit_window){.first_cycle = first,
                                      .cycles = simulation->cycle - first,
                                      .injected_flits = after.injected - before.injected,
                                      .accepted_flits = after.accepted - before.accepted,
                                      .messages = after.messages - before.messages,
                                      .latency_sum = after.latency - before.latency,
                                      .network_latency_sum = after.network_latency - before.network_latency,
                                      .flit_hops = after.hops - before.hops,
                                      .finished = simulation->finished,
                                      .stalled = code && !simulation->failure};
    return code;
}
