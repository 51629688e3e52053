/* What switches and channels are like, and what that asks of their buffers. */
#include <math.h>

#include "sim/flit/flit_internal.h"

struct cw_flit_hardware cw_flit_default_hardware(void)
{
    return (struct cw_flit_hardware){.flit_bytes = 64,
                                     .reference_capacity = 5e9,
                                     .input_flits = 64,
                                     .output_flits = 64,
                                     .speedup = 2,
                                     .injection_lanes = 1,
                                     .pipeline = 1};
}

double cw_flit_cycle(const struct cw_flit_hardware *hardware)
{
    return hardware->flit_bytes / hardware->reference_capacity;
}

double cw_flit_cycles(const struct cw_flit_hardware *hardware, double seconds)
{
    return seconds * hardware->reference_capacity / hardware->flit_bytes;
}

uint32_t cw_flit_latency(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel)
{
    const bool host =
        cw_network_is_endpoint(net, net->tail[channel]) || cw_network_is_endpoint(net, net->head[channel]);
    const uint32_t given = host                                 ? hardware->host_latency
                           : cw_network_is_global(net, channel) ? hardware->global_latency
                                                                : hardware->local_latency;
    if (given > 0) return given;
    const double cycles = cw_flit_cycles(hardware, net->latency[channel]);
    if (cycles > CW_FLIT_LATENCY_MAX) return CW_FLIT_LATENCY_MAX + 1;
    return cycles < 1.5 ? 1 : (uint32_t)lround(cycles);
}

uint32_t cw_flit_round_trip(const struct cw_network *net, const struct cw_flit_hardware *hardware)
{
    double most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->head[c])) continue;
        const double cycles = 2.0 * cw_flit_latency(net, hardware, c) + hardware->pipeline - 1;
        most = fmax(most, ceil(cycles * fmin(net->capacity[c] / hardware->reference_capacity, 1)));
    }
    return (uint32_t)most;
}
