/*
 * Blue Gene/Q nodes that relay by software, as in the runs recorded by Bui et al. on 512, 1024, 2048 and 8192 nodes
 * (chunks of 64 KiB, of 128 KiB for patterns 64 to 90; at 1024 nodes also of 8 KiB to 8 MiB). Everything but the two
 * latencies is fitted to that record as a whole. doc/guide/data-movement.md says how well.
 *
 * - efficiency: one message alone on its channels moves at 1.70 GB/s (0.85).
 * - messages.whole: MPI hands messages to the hardware whole, one after another.
 * - messages.adaptive: the machine's packets choose their ways. With one route for each message, some recorded runs
 * would have been faster than possible, and others, where a node exchanges with two or four, half as fast as it allows.
 * - messages.rate: the fastest recorded messages, alone on two dimensions, moved at 2.4 GB/s.
 * - node_copy: in the time recorded for the linear program, the busiest node of our plans sends 2.3 to 2.6 GB/s
 *   (medians) at 512, 2,048 and 8,192 nodes, with chunks of 64 and of 128 KiB. So bytes cost a node, not a channel: one
 *   thread relays for all of them. If each channel copied for itself (`copy`), these plans would be 1.26 times as fast
 *   as recorded at 2,048 nodes, where relays have twice as much to do. 3.6 to 5 GB/s do at 512 nodes; 4 also does at
 *   2,048, and 8,192 are a test.
 * - credits: the linear program's plans reach 0.55 GB/s on their hottest channels, the heuristic's 1.1. A single buffer
 *   explains that: most of the channels carry few paths, which wait for the relay. With two, they would be 1.3 times as
 *   fast as recorded at 512 nodes.
 * - list_search: at 1024 nodes, chunks of 8 KiB take as long as the square of the chunks that the busiest node has to
 *   send, or to receive: 0.04 s for 1,024 of them, 1.9 s for 8,192. So the program searches lists that only grow.
 * - chunk_overhead and hop_latency are guesses at the order of magnitude: the record hardly shows them.
 */
#include "flow/transport/transport_set.h"
#include "net/places.h"

/* Where every node relays. */
static bool made_for(const struct cw_flow_problem *problem)
{
    return !problem->legs && cw_torus_is_bgq(&cw_network_regular_shape(problem->net)->torus);
}

const struct cw_transport_set cw_transport_set_bgq = {
    .name = "bgq",
    .help =
        "Blue Gene/Q nodes that relay by software: fitted to the runs recorded by Bui et al. on 512 to 8,192 nodes. "
        "Default there",
    .transport = {.chunk_bytes = 65536,
                  .credits = 1,
                  .order = CW_ORDER_LOCAL_FIRST,
                  .chunk_overhead = 1e-6,
                  .node_copy = 4e9,
                  .hop_latency = 5e-6,
                  .list_search = 10e-9,
                  .efficiency = 0.85,
                  .messages = {.whole = true, .adaptive = true, .rate = 2.4e9}},
    .shape = &cw_shape_torus,
    .made_for = made_for};
