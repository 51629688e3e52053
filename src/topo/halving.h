/*
 * Ways to begin the search for a bisection: halvings of the endpoints that follow the network's structure, or chance.
 */
#ifndef CW_TOPO_HALVING_H
#define CW_TOPO_HALVING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* How many there are for NET. */
uint32_t cw_halvings(const struct cw_network *net);

/* Number I of them, in SIDE (0 or 1 for each endpoint); the sides need not be equal. SCRATCH has room for 2·n_vertices.
 *
 * 0: by id, the lower half first. Then by shape — XGFT: for each level, subtrees with an even number against the odd
 * ones; tori: across each dimension, coordinates that fall in the middle divided across the next longest; dragonflies:
 * in each group, switches s and a - 1 - s (which all their global channels join) on the same side. Last, some by
 * breadth-first search from a random vertex of SEED: the half of the endpoints that is nearer. O(vertices + channels).
 */
void cw_halving(const struct cw_network *net, uint64_t seed, uint32_t i, uint32_t *scratch, uint8_t *side);

CW_END_DECLS

#endif
