/*
 * The ranks of a workload by the switch they are at, and the way of what they send through the network. Not installed.
 *
 * Most routes depend on the switch where a packet begins and on its destination, not on the endpoint that sent it: a
 * few ranks of a switch are looked at together, a batch, and each (batch, destination, choice) is walked once. Some
 * routings keep the source in the packet (d-mod-k by source, explicit paths); then a batch is one rank.
 */
#ifndef CW_MODEL_BATCHES_H
#define CW_MODEL_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/packets/packet_routing.h"
#include "route/packets/ways.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

#define CW_BATCH 16 /* most ranks */

struct cw_batches {
    const struct cw_packet_routing *routing;
    const struct cw_workload *workload;
    const uint32_t *endpoints; /* [ranks] */
    const struct cw_packet_routing_ops *ops;
    const void *state;
    const struct cw_network *net;
    uint32_t n_ranks;
    double minimal;          /* the share that goes minimally, where the routing leaves it to the traffic; 0 at first */
    uint32_t *first, *ranks; /* the ranks at switch s, counted from 0: ranks[first[s]] … ranks[first[s + 1] - 1] */
};

/* A batch and where it sends: a workspace, used for one batch after the other. */
struct cw_batch {
    uint32_t sw;           /* its vertex */
    const uint32_t *ranks; /* [n_ranks] */
    uint32_t n_ranks;
    double *towards;   /* [endpoints] byte/s to each, if every rank sends all it can */
    double *each;      /* [endpoints · CW_BATCH] of each of its ranks; NULL if that is not wanted */
    uint32_t *targets; /* endpoints other than the senders' own, with traffic */
    size_t n_targets;
    double traffic[CW_BATCH]; /* of each rank, to all others */
    struct cw_ways ways;      /* to the target at hand, behind the channel of the sender */
    struct cw_flows flows;
};

/* Borrows all it is given. CW_EUSAGE if a rank is on no endpoint, or on one without a switch. */
int cw_batches_new(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                   const uint32_t *endpoints, struct cw_batches *out);
void cw_batches_free(struct cw_batches *batches);

int cw_batch_new(const struct cw_batches *of, bool each_rank, struct cw_batch *out);
void cw_batch_free(struct cw_batch *batch);

/* The next batch of switch SW (counted from 0) from place *AT of `ranks` on, which moves behind it, with its traffic;
 * *MORE is false if there is none. */
int cw_batch_next(const struct cw_batches *of, uint32_t sw, uint32_t *at, struct cw_batch *batch, bool *more);

/* How many choices the routing has from the batch to endpoint DST; 0: it looks at queues. */
uint32_t cw_batch_choices(const struct cw_batches *of, const struct cw_batch *batch, uint32_t dst);

/* Finds the ways from the batch's switch to endpoint DST: of all choices; only the last channel if the routing looks at
 * queues. */
int cw_batch_walk(const struct cw_batches *of, uint32_t dst, struct cw_batch *batch);

static inline uint32_t cw_batch_host_channel(const struct cw_batches *of, uint32_t rank)
{
    return of->net->first[of->endpoints[rank]];
}

CW_END_DECLS

#endif
