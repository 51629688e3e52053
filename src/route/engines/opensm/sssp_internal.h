/*
 * What sssp and dfsssp have in common: the fabric as OpenSM's engines see it, a tree for each LID, and the lanes of
 * the routes. Not installed.
 */
#ifndef CW_ROUTE_SSSP_INTERNAL_H
#define CW_ROUTE_SSSP_INTERNAL_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Switches have numbers, in OpenSM's order (route/guid_order.h). A link is a channel between switches; those that lead
 * to one switch stand together, in the order of its ports. */
struct cw_sssp {
    const struct cw_network *net;
    uint32_t n;       /* switches */
    uint32_t *vertex; /* [n] */
    uint32_t *number; /* [n] of the switch at vertex n_endpoints + i */
    uint32_t *hosts;  /* [n] endpoints there */
    uint32_t *ranked; /* [n] switches, those with the most endpoints first */
    uint32_t *order;  /* [n_order] endpoints with a cable to a switch: by the rank of the switch, then by port */
    uint32_t n_order;
    uint32_t lids;     /* of each endpoint; a switch has one */
    uint32_t *first;   /* [n + 1] link that leads to a switch */
    uint32_t *tail;    /* [links] the switch that is left */
    uint32_t *head;    /* [links] */
    uint32_t *channel; /* [links] */
    uint32_t *link;    /* [n_channels] CW_NONE: it is none */
    uint64_t *weight;  /* [links] what a route pays for it */
    uint32_t *ways;    /* [n · n] link by which a switch (number) is left for another, row by row of the latter */
    struct cw_routes *routes; /* tables to all LIDs */
};

/* The link by which the routes to destination T leave switch V, or CW_NONE. Destinations are the LIDs of endpoints in
 * the order of `order`, then the switches in that of `ranked`. `routes` and `ways` are there. */
uint32_t cw_sssp_next(const struct cw_sssp *sssp, uint32_t t, uint32_t v);
uint32_t cw_sssp_destinations(const struct cw_sssp *sssp);

/* Gives `routes` service levels by which they are free of deadlocks on MOST lanes (CW_LANE_DISCARDED at most), as
 * OpenSM's dfsssp does; routes that may be on several lanes are on one that is drawn with SEED. CW_ELIMIT: there are
 * too few lanes. O(routes from switches · hops), and memory in proportion. */
int cw_sssp_layer(struct cw_sssp *sssp, uint32_t most, uint64_t seed, unsigned n_threads);

CW_END_DECLS

#endif
