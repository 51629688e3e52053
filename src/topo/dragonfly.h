/*
 * The global wiring of dragonflies: Palmtree, as corrected, and trunked where there are fewer groups than there can be.
 *
 * Group i has a·h global channels, q = s·h + m for channel m of its switch s. With all g = a·h + 1 groups, channel q
 * leads to group (i + q + 1) mod g, where it is channel a·h - 1 - q; each pair of groups has one cable. (The usual
 * formula, i + s·h + m without the + 1, would join a group to itself.)
 *
 * With fewer groups, t = ⌊a·h / (g - 1)⌋ cables join each pair. The channels form t blocks of g - 1: channel
 * q = b·(g - 1) + r leads to group (i + r + 1) mod g, where it is channel b·(g - 1) + (g - 2 - r). The a·h - t·(g - 1)
 * last channels lead nowhere; port numbers do not change. One group has no global cable at all.
 *
 * Source of the arrangement: C. Camarero, E. Vallejo, R. Beivide, "Topological characterization of Hamming and
 * dragonfly networks and its implications on routing", ACM TACO 11(4), 2014. The trunking is this project's.
 */
#ifndef CW_TOPO_DRAGONFLY_H
#define CW_TOPO_DRAGONFLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/shape.h"

CW_BEGIN_DECLS

/* Where global channel Q of GROUP leads: *FAR_GROUP and its channel *FAR_Q there. False if it is not connected. */
static inline bool cw_dragonfly_far(const struct cw_dragonfly *shape, uint32_t group, uint32_t q, uint32_t *far_group,
                                    uint32_t *far_q)
{
    const uint32_t others = shape->g - 1;
    if (others == 0) return false;
    const uint32_t trunks = shape->a * shape->h / others, block = q / others, r = q % others;
    if (block >= trunks) return false;
    *far_group = (uint32_t)(((uint64_t)group + r + 1) % shape->g);
    *far_q = block * others + (others - 1 - r);
    return true;
}

/* True if all global cables of NET, which has the shape of a dragonfly, are where cw_dragonfly_far has them: a network
 * read from a file may have another arrangement. O(global channels). */
bool cw_dragonfly_is_palmtree(const struct cw_network *net);

CW_END_DECLS

#endif
