/*
 * A simulated transport: how long a plan takes when its bytes really move as chunks through relays with bounded
 * buffers.
 *
 * Each path's bytes are cut into chunks, none lost; relays are the switches (nodes of a direct network) a path passes.
 * Store and forward: a chunk is forwarded once all of it is there and has been copied; cut-through: as soon as its head
 * is there, without a copy. A channel is busy with one chunk at a time: for `chunk_overhead`, then for the copy at a
 * relay, then for the bytes at its capacity (or at `injection`, if that is slower); the chunk is there `hop_latency`
 * later. Paths that share a channel take turns, one chunk each, after those that `order` prefers. A node begins to send
 * a chunk only once what it began before could have gone out at `injection` byte/s.
 *
 * Credits: a chunk leaves only when the next relay has one of its `credits` buffers for that path free, and holds that
 * buffer until the relay has sent it on. So buffers are bounded, and as a path never waits for another one's buffer
 * nothing deadlocks. With one credit a relay cannot receive a path's next chunk while it sends the one before.
 *
 * A plan of the network's own routes with `direct_is_free` is carried by the network itself: its sources pay overhead
 * and injection, and in between its chunks cut through with the latency of the cables, without copies and credits.
 *
 * Terabytes are too many chunks to be simulated one by one. `together` of them as one keep every rate, and delay the
 * first and the last of a path by the time of a group for each hop: little where a path has hundreds of groups.
 */
#ifndef CW_FLOW_TRANSPORT_H
#define CW_FLOW_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "flow/plan.h"

CW_BEGIN_DECLS

/* What a channel sends first: chunks of its own node, those of others, or whichever could be sent first. */
enum cw_chunk_order { CW_ORDER_LOCAL_FIRST, CW_ORDER_FORWARD_FIRST, CW_ORDER_FIRST_COME };

struct cw_transport {
    uint64_t chunk_bytes; /* > 0 */
    uint32_t credits;     /* chunks a relay buffers of one path, > 0 */
    enum cw_chunk_order order;
    bool cut_through;      /* else store and forward */
    double chunk_overhead; /* s of the sending channel's, per chunk and hop */
    double copy;           /* byte/s at which a relay copies a chunk before it forwards it; 0: no copy */
    double hop_latency;    /* s */
    double injection;      /* byte/s a node can send in all (local and forwarded); 0: no limit */
    double efficiency;     /* share of a channel's capacity that payload gets, > 0, at most 1 */
    bool direct_is_free;   /* plans of the network's own routes are not relayed */
    uint32_t together;     /* so many chunks of a path are simulated as one, with the costs of all; 0: each by itself */
    struct cw_progress_part progress; /* by the bytes that have arrived */
};

/* 64 KiB, local first, store and forward, one credit, and what fits the recorded runs (transport_default.c). */
struct cw_transport cw_transport_default(void);

struct cw_transport_result {
    double seconds, bytes_per_second; /* of all demands together */
    uint64_t chunks, buffers_max;     /* most chunks buffered at one relay */
    double first_done, last_done;     /* s: first and last demand completed */
};

/* Event-driven; deterministic. Every byte is accounted for at the end: CW_EINTERNAL if not. CW_EUSAGE for senseless
 * parameters, a plan without bytes, or a path over a channel without capacity; CW_ELIMIT for more than 4e9 chunks, each
 * counted once a hop. Time: a few events for each of these; memory: network and demands, and the hops of all paths. */
int cw_transport_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                     const struct cw_transport *transport, struct cw_transport_result *out);

CW_END_DECLS

#endif
