/*
 * GPUs that relay between NVLink and the adapters beside them: a kernel that stays on the GPU sees a flag, and copies a
 * chunk from its memory to the peer's, or rings the adapter. Nothing here is fitted to relays; measure your own
 * (doc/formats/transport.md) before you rely on a prediction.
 *
 * - hop_latency, published: 3.4 us, what NCCL's model of itself takes for a step of a ring over NVLink by its protocol
 *   "simple" (tuning.cc, hwLat). For a step over the network it takes 14 us (transport_gpu_host.c).
 * - efficiency, assumed: 0.9. Of a direction of NVLink, copies between peers get 80 to 93 %, depending on generation
 *   and size; of an adapter's cable, RDMA to GPU memory gets up to 97 %.
 * - copy: none. A relay receives in its memory and sends from there; memory is ten times as fast as NVLink.
 * - chunk_overhead, assumed: 1 us for the flags of a chunk.
 * - chunk and credits, chosen: 512 KiB, as NCCL's slices, last 10 us at 400 Gbit/s; eight of them, 4 MiB, are the size
 *   of NCCL's buffers.
 * - injection and reception: NVLink and adapters have channels of their own in the network.
 */
#include "flow/transport/transport_set.h"

const struct cw_transport_set cw_transport_set_nvlink_gpu = {
    .name = "nvlink-gpu",
    .help = "GPUs that relay between NVLink and adapters by a kernel of their own: latency as NCCL's model has it, the "
            "rest assumed; not fitted",
    .transport = {.chunk_bytes = 524288,
                  .credits = 8,
                  .order = CW_ORDER_LOCAL_FIRST,
                  .chunk_overhead = 1e-6,
                  .hop_latency = 3.4e-6,
                  .efficiency = 0.9}};
