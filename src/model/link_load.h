/*
 * Link-load bounds: no more can be accepted than the channels let through.
 *
 * For a traffic and a routing that does not look at queues, each rank r puts a fixed share of what it sends on each
 * channel: f(r,c), its share averaged over its destinations and over the routing's equally likely choices. A source
 * serves its messages in order and draws them without looking, so in the long run these shares hold of what is
 * accepted, whatever the load. If x(r) is what rank r gets accepted, as a share of its injection bandwidth, then
 *
 *     Σ_r f(r,c) · x(r) ≤ capacity of c  for every channel c, those from and to endpoints included,
 *     0 ≤ x(r) ≤ offered load.
 *
 * Two bounds on the mean of x follow, by exact enumeration on any topology:
 *
 *     fair   all ranks are served alike: 1 / (load of the busiest channel when every rank sends all it can). Published
 *            figures are often of this kind. A simulation may accept more: the busiest channel slows down those that
 *            use it only.
 *     most   ranks are served in whatever proportion is best: the maximum of the mean of x, a linear programme, bounded
 *            from above by prices of channels (model/packing.h). No steady state accepts more. Under bit complement and
 *            minimal routing on dragonflies with an odd number of groups, the middle one talks to itself and is not
 *            slowed down by the others: fair is 1/(a·p), most is (a·h/(a·p) + 1/p)/(a·h + 1).
 *
 * While a network still fills up, packets for a hot endpoint wait in its buffers and others overtake them: what is
 * accepted in such a window may be a few per cent above `most`.
 *
 * The mean is over the ranks that send, weighted by their injection bandwidth; what a rank sends to itself is not
 * accepted by the network and does not count.
 *
 * Where a routing leaves to the traffic which share of the packets goes minimally, that is the share with the greatest
 * `fair` (route/packets/minimal_share.h); `most` is for the same share.
 *
 * Of a routing that looks at queues the shares on channels between switches are not known. Channels from and to
 * endpoints carry the same traffic whatever the routing; both bounds are then by these only (`by_queues`).
 */
#ifndef CW_MODEL_LINK_LOAD_H
#define CW_MODEL_LINK_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/packets/packet_routing.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

struct cw_packing;

struct cw_link_load {
    double fair;               /* accepted load as a share of injection bandwidth, at most 1 */
    double minimal;            /* the best share of minimal packets, where the routing leaves it to the traffic */
    bool by_queues;            /* the bounds are by channels from and to endpoints only */
    double busiest;            /* load of the busiest channel, in units of it, when every rank sends all it can */
    uint32_t channel;          /* that channel, one between switches if it can be, CW_NONE if it carries all of this */
    double *load;              /* [channels], owned: cw_link_load_free */
    struct cw_packing *shares; /* owned: those of ranks on channels that can be overloaded */
};

/* ENDPOINTS[r] is where rank r runs, at the speed of its channel. Time: pairs of switch and destination · choices, on
 * N_THREADS; CW_ELIMIT if that is minutes (16,512 endpoints: bit complement under valiant-any or uniform traffic under
 * minimal take seconds; uniform under valiant-any is refused). Deterministic for any number of threads. */
CW_API int cw_link_load_compute(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                                const uint32_t *endpoints, unsigned n_threads, struct cw_link_load *out);
CW_API void cw_link_load_free(struct cw_link_load *load);

/* `most` if every rank offers OFFERED, (0, 1], of what it can inject. Never below what sources can reach, and above it
 * by 10^-5 of it where that is found in a few seconds. The same for any number of threads. */
CW_API int cw_link_load_most(const struct cw_link_load *load, double offered, unsigned n_threads, double *most);

CW_END_DECLS

#endif
