/*
 * GPUs that relay by NVLink inside their host and by NICs between hosts, each with its own latency and rate. Nothing
 * here is fitted to relays; measure your own (doc/formats/transport.md) before you rely on a prediction.
 *
 * - inside_latency and nic_latency, published: 3.4 us and 14 us, what NCCL's model of itself takes for a step of a ring
 *   over NVLink and over the network by its protocol "simple" (tuning.cc, hwLat). They are of steps, from one GPU's
 *   memory to the other's, so every leg has them, and a relay adds no hop_latency.
 * - efficiency, published: 0.966 (transport_infiniband_host.c).
 * - inside_efficiency, assumed: 0.9 (transport_nvlink_gpu.c).
 * - chunk_overhead, assumed: 1 us for the flags of a chunk.
 * - chunk and credits, chosen: NCCL's slices and buffers (transport_nvlink_gpu.c).
 * - injection and reception: NVLink, PCI Express and NICs have channels of their own in the network.
 */
#include "flow/transport/transport_set.h"
#include "net/places.h"

static bool made_for(const struct cw_flow_problem *problem)
{
    return cw_network_has_inside(problem->net);
}

const struct cw_transport_set cw_transport_set_gpu_host = {
    .name = "gpu-host",
    .help = "GPUs that relay by NVLink inside a host and by NICs between hosts: latencies as NCCL's model has them, "
            "bandwidth of NICs published, the rest assumed; not fitted. Default where GPUs are the endpoints",
    .transport = {.chunk_bytes = 524288,
                  .credits = 8,
                  .order = CW_ORDER_LOCAL_FIRST,
                  .chunk_overhead = 1e-6,
                  .inside_latency = 3.4e-6,
                  .nic_latency = 14e-6,
                  .efficiency = 0.966,
                  .inside_efficiency = 0.9},
    .made_for = made_for,
    .note = "These are the costs of gpu-host, the default where GPUs are the endpoints: its latencies are those of "
            "NCCL's model, and nothing is fitted to your machine. --transport NAME (crosswind help transports) or FILE "
            "gives others."};
