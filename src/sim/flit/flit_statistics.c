/* What was counted, and running on top of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/flit/flit_internal.h"

/* --- latencies ---------------------------------------------------------------------------------------------------- */

enum { EXACT = 16, EXACT_BITS = 4, STEPS = 8 };

/* 2^63 · 2^(i/8), rounded up. */
static const uint64_t thresholds[STEPS] = {0x8000000000000000, 0x8b95c1e3ea8bd6e7, 0x9837f0518db8a970,
                                           0xa5fed6a9b15138eb, 0xb504f333f9de6485, 0xc5672a115506dade,
                                           0xd744fccad69d6af5, 0xeac0c6e7dd24392f};

uint32_t cw_flit_latency_bin(uint64_t latency)
{
    if (latency < EXACT) return (uint32_t)latency;
    const uint32_t shift = (uint32_t)__builtin_clzll(latency);
    const uint64_t mantissa = latency << shift;
    uint32_t step = 0;
    for (uint32_t i = 1; i < STEPS; i++) step += mantissa >= thresholds[i];
    return EXACT + (63 - EXACT_BITS - shift) * STEPS + step;
}

uint64_t cw_flit_latency_bin_start(size_t bin)
{
    if (bin < EXACT) return bin;
    const size_t octave = (bin - EXACT) / STEPS + EXACT_BITS;
    if (octave > 63) return UINT64_MAX;
    const uint32_t shift = (uint32_t)(63 - octave);
    const uint64_t threshold = thresholds[(bin - EXACT) % STEPS];
    return (threshold >> shift) + ((threshold & ((UINT64_C(1) << shift) - 1)) != 0);
}

const uint64_t *cw_flit_latency_histogram(struct cw_flit_simulation *simulation)
{
    memset(simulation->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof *simulation->histogram);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++)
            simulation->histogram[i] += simulation->workers[w]->histogram[i];
    return simulation->histogram;
}

double cw_flit_latency_quantile(struct cw_flit_simulation *simulation, double q)
{
    const uint64_t *histogram = cw_flit_latency_histogram(simulation);
    uint64_t total = 0;
    for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++) total += histogram[i];
    if (total == 0) return NAN;
    const double wanted = (q < 0 ? 0 : q > 1 ? 1 : q) * (double)total;
    double below = 0;
    size_t last = 0;
    for (size_t i = 0; i + 1 < CW_FLIT_LATENCY_BINS; i++) {
        if (histogram[i] == 0) continue;
        last = i;
        if (below + (double)histogram[i] >= wanted) break;
        below += (double)histogram[i];
    }
    const double start = (double)cw_flit_latency_bin_start(last), end = (double)cw_flit_latency_bin_start(last + 1);
    if (last < EXACT) return start;
    return start + (end - start) * (wanted - below) / (double)histogram[last];
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

void cw_flit_reset_counters(struct cw_flit_simulation *simulation)
{
    const struct cw_network *net = simulation->net;
    memset(simulation->channel_flits, 0, net->n_channels * sizeof *simulation->channel_flits);
    memset(simulation->accepted_by, 0, net->n_endpoints * sizeof *simulation->accepted_by);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        memset(simulation->workers[w]->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
}

const uint64_t *cw_flit_channel_flits(struct cw_flit_simulation *simulation)
{
    return simulation->channel_flits;
}

const uint64_t *cw_flit_accepted_by(struct cw_flit_simulation *simulation)
{
    return simulation->accepted_by;
}

const uint64_t *cw_flit_injected_by(struct cw_flit_simulation *simulation)
{
    for (uint32_t e = 0; e < simulation->net->n_endpoints; e++)
        if (simulation->host_of[e])
            simulation->injected_by[e] = simulation->channel_flits[simulation->host_of[e]->channel];
    return simulation->injected_by;
}

uint64_t cw_flit_job_done(const struct cw_flit_simulation *simulation, size_t job)
{
    return simulation->tasks[job].done;
}

uint64_t cw_flit_job_accepted(struct cw_flit_simulation *simulation, size_t job)
{
    const struct cw_flit_task *task = &simulation->tasks[job];
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < task->job.n_ranks; rank++) sum += simulation->accepted_by[task->endpoints[rank]];
    return sum;
}

double cw_flit_cycle_seconds(const struct cw_flit_simulation *simulation)
{
    return simulation->hardware.flit_bytes / simulation->hardware.reference_capacity;
}

size_t cw_flit_memory(const struct cw_flit_simulation *simulation)
{
    size_t bytes = sizeof *simulation + simulation->bytes;
    bytes += (size_t)simulation->batches * CW_FLIT_BATCH * CW_FLIT_CHUNK * sizeof *simulation->flits;
    for (size_t i = 0; i < simulation->n_tasks; i++) {
        const struct cw_flit_task *task = &simulation->tasks[i];
        bytes += task->job.n_ranks * sizeof *task->endpoints;
        if (task->orders)
            bytes += task->first_order[task->job.n_ranks] * (sizeof *task->orders + sizeof *task->receives);
    }
    return bytes;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

int cw_flit_run(struct cw_flit_simulation *simulation, uint64_t cycles, struct cw_flit_window *window)
{
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
