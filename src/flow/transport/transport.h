/*
 * A simulated transport: how long a plan takes when its bytes really move as chunks through relays with bounded
 * buffers.
 *
 * Each path's bytes are cut into chunks, none lost. Relays cut a path into legs: in tori of the Blue Gene kind every
 * node on a path is one, and each leg is one channel; where paths consist of legs (flow/legs/legs.h), relays are the
 * endpoints between these, and switches forward the chunks of a leg as soon as their heads are there, for nothing, with
 * the latency of the cables. A vertex that begins a leg has the costs. Store and forward: a relay sends a chunk on once
 * all of it is there and has been copied; cut-through: as soon as its head is there, without a copy.
 *
 * Where hosts have an inside (cw_network_is_inside), legs are of two kinds: those that stay inside, by NVLink, and
 * those that leave by a NIC, as all do elsewhere. What a leg brings is there `inside_latency` or `nic_latency` later:
 * the time of the software that sends and receives, whether or not a relay is at its end.
 *
 * A channel is busy with one chunk at a time: at the beginning of a leg for `chunk_overhead`, then for the copy at a
 * relay; then for the bytes at its capacity (or at `injection` or `reception`, if that is slower). The chunk is there
 * `hop_latency` later; of legs with several channels only relays have that, in addition to the latency of cables.
 * Paths that share a channel take turns, one chunk each, after those that `order` prefers. A vertex begins to send a
 * chunk only once what it began before could have gone out at `injection` byte/s, and channels to it wait until what
 * it began to receive before could have come in at `reception` byte/s.
 *
 * A vertex handles chunks one after another, each for `list_search` times the chunks of the kind (its own, those it
 * relays, those for it) that it has handled before. Those it stores and forwards take it another bytes / `node_copy`:
 * `copy` is what every channel does for itself, `node_copy` what one thread does for all.
 *
 * Credits: a chunk begins a leg only when the relay at its end has one of its `credits` buffers for that path free, and
 * holds that buffer until the relay has sent it on. So buffers are bounded, and as a path never waits for another one's
 * buffer nothing deadlocks. With one credit a relay cannot receive a path's next chunk while it sends the one before.
 *
 * A plan of the network's own routes is messages that nobody relays: the network itself carries them, each path is one
 * leg, and nobody handles chunks but its source, at `chunk_overhead`. `messages` says what else holds for these.
 *
 * Terabytes are too many chunks to be simulated one by one. `together` of them as one keep every rate, and delay the
 * first and the last of a path by the time of a group for each hop: little where a path has hundreds of groups.
 */
#ifndef CW_FLOW_TRANSPORT_H
#define CW_FLOW_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress_part.h"
#include "flow/plan.h"

CW_BEGIN_DECLS

/* What a channel sends first: chunks of its own node, those of others, or whichever could be sent first. */
enum cw_chunk_order { CW_ORDER_LOCAL_FIRST, CW_ORDER_FORWARD_FIRST, CW_ORDER_FIRST_COME };

/* What has arrived by when: bytes in intervals of `width` s, in the order of time. Starts zeroed; intervals are so
 * short that the last bytes are in the second half. */
#define CW_ARRIVALS 512
struct cw_arrivals {
    double width;
    double bytes[CW_ARRIVALS]; /* that arrive after i * width, up to (i + 1) * width */
};

/* BYTES arrive at TIME, 0 or later, in s. */
CW_API void cw_arrivals_add(struct cw_arrivals *arrivals, double time, double bytes);

/* How the network carries messages that nobody relays, those of plans of its own routes. */
struct cw_transport_messages {
    bool whole;    /* a channel takes one message after the other, not chunks in turn */
    bool adaptive; /* on a torus whose channels are all alike and work, packets choose their ways */
    double rate;   /* byte/s at which a node sends its messages where they do; 0: no limit */
};

struct cw_transport {
    uint64_t chunk_bytes; /* > 0 */
    int64_t credits;      /* chunks a relay buffers of one path, > 0 */
    enum cw_chunk_order order;
    bool cut_through;         /* else store and forward */
    double chunk_overhead;    /* s of the sending channel's, per chunk and hop */
    double copy;              /* byte/s at which a relay copies a chunk before it forwards it; 0: no copy */
    double node_copy;         /* byte/s at which a relay copies all it forwards, chunk after chunk; 0: no limit */
    double hop_latency;       /* s */
    double inside_latency;    /* s, of a leg that stays inside a host */
    double nic_latency;       /* s, of one that does not */
    double list_search;       /* s a node works on each chunk it sends or receives, times those it handled before */
    double injection;         /* byte/s a node can send in all (local and forwarded); 0: no limit */
    double reception;         /* byte/s a node can receive in all; 0: no limit */
    double efficiency;        /* share of a channel's capacity that payload gets, > 0, at most 1 */
    double inside_efficiency; /* the same inside hosts; 0: `efficiency` */
    struct cw_transport_messages messages;
    uint32_t together; /* so many chunks of a path are simulated as one, with the costs of all; 0: each by itself */
    /* Channels carry so many pieces of each chunk in turn, as the flits of those that share a channel take turns; an
     * endpoint still sends the pieces of a chunk one after another, and a relay has room for whole chunks, which it
     * sends on once all of their pieces are there. For transports without costs by the chunk or by the node; the result
     * counts pieces as chunks. 0, or where chunks cannot be divided: one chunk after another. */
    uint32_t pieces;
    struct cw_progress_part progress; /* by the bytes that have arrived */
    struct cw_arrivals *arrivals;     /* gets what arrives, if the run succeeds: all; NULL: nobody asks */
};

struct cw_transport_result {
    double seconds, bytes_per_second; /* of all demands together */
    uint64_t chunks, buffers_max;     /* most chunks buffered at one relay */
    double first_done, last_done;     /* s: first and last demand completed */
    bool adaptive;                    /* packets chose their ways */
};

/* Event-driven; deterministic. Every byte is accounted for at the end: CW_EINTERNAL if not. CW_EUSAGE for senseless
 * parameters, a plan without bytes, or a path over a channel without capacity; CW_ELIMIT for more than 4e9 chunks, each
 * counted once a hop. Time: a few events for each of these; memory: network and demands, and the hops of all paths. */
CW_API int cw_transport_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                            const struct cw_transport *transport, struct cw_transport_result *out);

CW_END_DECLS

#endif
