/*
 * Hosts on InfiniBand that relay by RDMA: a chunk is written into a registered buffer of the relay, which finds its
 * completion and writes it on from there, so that nothing is copied. Nothing here is fitted to relays; measure your own
 * (doc/formats/transport.md) before you rely on a prediction.
 *
 * - efficiency, published: ib_write_bw moves 96.6 of 100 Gbit/s on EDR with packets of 4 KiB (NVIDIA developer forum,
 *   "Theoretical bandwidth and latency of NIC"); faster generations have the same share of headers.
 * - hop_latency, assumed: 1 us until data that are there show in memory and the completion queue, as half a round trip
 *   of ib_write_lat, and 1 us until a relay that polls many queues looks at this one.
 * - chunk_overhead, assumed: 0.2 us to post a write while the one before is under way; adapters take several million
 *   from one queue pair a second.
 * - chunk and credits, chosen: 256 KiB last 5 us at 400 Gbit/s, above both; four of them cover the latency.
 * - injection and reception: the adapter's cable is the limit, which the network's capacities say. Hosts with several
 *   adapters, or whose PCI Express is slower than the cable, have one: 54 of 63 GB/s were measured on PCI Express 5.0
 *   x16 (p2pmark).
 */
#include "flow/transport/transport_set.h"

const struct cw_transport_set cw_transport_set_infiniband_host = {
    .name = "infiniband-host",
    .help = "hosts on InfiniBand that relay by RDMA without a copy: published bandwidths, assumed latencies; not "
            "fitted",
    .transport = {.chunk_bytes = 262144,
                  .credits = 4,
                  .order = CW_ORDER_LOCAL_FIRST,
                  .chunk_overhead = 0.2e-6,
                  .hop_latency = 2e-6,
                  .efficiency = 0.966}};
