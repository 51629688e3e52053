/*
 * The ranks of a pattern: how many there are, how they are grouped, and which endpoints they run on. All that a pattern
 * knows of the network.
 */
#ifndef CW_TRAFFIC_RANKS_H
#define CW_TRAFFIC_RANKS_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_ranks {
    uint32_t n;                   /* ranks */
    uint32_t per_group;           /* ranks of a group (net/shape.h); 1 where there are none */
    uint32_t h;                   /* global channels of a switch; 0 elsewhere */
    const struct cw_network *net; /* where they run (borrowed), so that files may name a rank by its endpoint; NULL: on
                                     another one in every trial */
    const uint32_t *endpoints;    /* rank r runs on endpoints[r] (borrowed), or on endpoint r if NULL */
    const uint32_t *numbers;      /* number i of a file means the rank on endpoint numbers[i] (borrowed), if there is
                                     one; NULL: rank i */
    uint32_t n_numbers;
};

/* N ranks on NET: with groups if NET has a shape with groups. Where each runs is the
 * caller's to add. */
CW_API void cw_ranks_of(const struct cw_network *net, uint32_t n, struct cw_ranks *out);

CW_END_DECLS

#endif
