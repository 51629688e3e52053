/*
 * The link-load bound: no routing can accept more than its most loaded channel lets through.
 *
 * For a traffic matrix and a routing that does not look at queues, every flow puts its share of the load on the
 * channels of its paths, averaged over the routing's equally likely choices. The load that is accepted in steady state,
 * if all senders are served alike, is at most 1 / (load of the busiest channel when every rank offers one unit). Exact
 * enumeration, any topology.
 *
 * Where senders are not served alike their mean may be higher: under bit complement with an odd number of groups the
 * middle one talks to itself, and the busiest channel of a dragonfly is there; its endpoints get less, most others
 * more.
 */
#ifndef CW_MODEL_LINK_LOAD_H
#define CW_MODEL_LINK_LOAD_H

#include <stdint.h>

#include "base/decls.h"
#include "route/packet_routing.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

struct cw_link_load {
    double bound;     /* accepted load as a share of injection bandwidth, at most 1 */
    uint32_t channel; /* the busiest between switches, CW_NONE if none is used */
    double busiest;   /* its load, in units of a channel, when every rank offers 1 */
    double *load;     /* [channels], owned: cw_link_load_free */
};

/* ENDPOINTS[r] is where rank r runs, at the speed of its channel. Routings that look at queues (choices = 0) are
 * CW_EUSAGE. Time: pairs of switch and destination · choices, on N_THREADS; CW_ELIMIT if that is minutes (16,512
 * endpoints: bit complement under valiant-any or uniform traffic under minimal take a second; uniform under valiant-any
 * is refused). Deterministic for any number of threads. */
int cw_link_load_compute(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                         const uint32_t *endpoints, unsigned n_threads, struct cw_link_load *out);
void cw_link_load_free(struct cw_link_load *load);

CW_END_DECLS

#endif
