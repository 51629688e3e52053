/*
 * The global channels of a dragonfly, and which of them minimal routing takes: one rule for forwarding tables, closed
 * form and packets. Not installed.
 *
 * Minimal routing goes to the switch of the group with a global channel to the destination's group, over that channel,
 * and to the destination's switch: at most one local, one global and one local hop (Kim et al., "Technology-driven,
 * highly-scalable dragonfly topology", ISCA 2008). In a dragonfly of full size one channel joins two groups, and there
 * is no choice. Where several do, a switch takes one of its own rather than another switch's, then one that ends at the
 * switch it goes to rather than another, and of those still equal number d mod n for destination d. So no route with
 * one global hop is shorter, the endpoints of a switch share equal channels, and the next hop depends on the switch and
 * the destination only, as in forwarding tables.
 *
 * Which groups the channels join is found by looking at the network, so any wiring works in which all pairs of groups
 * are joined; the numbering of endpoints, switches and local channels is arithmetic (net/shape.h).
 */
#ifndef CW_ROUTE_DRAGONFLY_GLOBALS_H
#define CW_ROUTE_DRAGONFLY_GLOBALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"

CW_BEGIN_DECLS

struct cw_dragonfly_globals {
    const struct cw_network *net;
    struct cw_dragonfly shape;
    uint32_t *begin;  /* [g · g + 1] channels from group i to group j are at begin[i · g + j] … */
    uint32_t *global; /* … of these, by switch and port */
};

/* For engines: true if NET says it is a dragonfly. */
bool cw_dragonfly_accepts(const struct cw_network *net, const void *values);

/* Borrows NET. CW_EUSAGE if it is not what its shape says, or if two groups are not joined. */
int cw_dragonfly_globals_new(const struct cw_network *net, struct cw_dragonfly_globals *out);
void cw_dragonfly_globals_free(struct cw_dragonfly_globals *globals);

/* The rule: the channel from group FROM to group TO, another one, that switch V of FROM takes for endpoint DST on its
 * way to switch LAST (both vertices). LAST may be of a third group, where only the group TO matters. If the channel is
 * another switch's, that one is asked again. O(channels between the groups). */
uint32_t cw_dragonfly_pick(const struct cw_dragonfly_globals *globals, uint32_t from, uint32_t to, uint32_t v,
                           uint32_t last, uint32_t dst);

/* The channel between two switches of GROUP, both vertices. */
static inline uint32_t cw_dragonfly_local_channel(const struct cw_dragonfly_globals *globals, uint32_t group,
                                                  uint32_t from, uint32_t to)
{
    const uint32_t t = to - globals->net->n_endpoints - group * globals->shape.a;
    return globals->net->first[from] + globals->shape.p + t - (to > from);
}

CW_END_DECLS

#endif
