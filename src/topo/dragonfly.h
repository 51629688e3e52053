/*
 * The global wiring of dragonflies: which channel of which group leads where.
 *
 * Group i has a·h global channels, q = s·h + m for channel m of its switch s. With all g = a·h + 1 groups each pair has
 * one cable. The arrangements, all indices modulo g:
 *
 *   palmtree     channel q leads to group i + q + 1, where it is channel a·h - 1 - q
 *   relative     channel q leads to group i - q - 1, where it is channel a·h - 1 - q
 *   consecutive  channel q leads to group q if q < i, else q + 1 (also called absolute), where it is channel i of a
 *                higher group and channel i - 1 of a lower one
 *   random       uniformly random among all wirings with one cable a pair: `consecutive`, but the channels of each
 *                group in random order
 *
 * Palmtree is the default and named as in Prisacari et al. (2015), who print it as i + s·h + m, without the + 1 that
 * keeps a group from being joined to itself. Names differ in the field: Hastings et al. call i + q + 1 relative, and
 * the palmtree of Camarero et al. counts down. Here `relative` is the one that counts down. The two are mirror images:
 * with the channels (and so the switches) of each group counted backwards, one is the other, and every measure that
 * does not depend on the order of switches in a group is the same.
 *
 * With fewer groups, t = ⌊a·h / (g - 1)⌋ cables join each pair. The channels form t blocks of g - 1, in each of which
 * the formulas hold with r = q mod (g - 1) in place of q and g - 1 in place of a·h; a cable joins channels of the same
 * block (`random`: of any). The a·h - t·(g - 1) last channels lead nowhere; port numbers do not change. One group has
 * no global cable.
 *
 * `shuffle` gives the groups other places before wiring: what the formulas say of groups i and j holds of groups σ(i)
 * and σ(j), σ being a random permutation. Vertices keep their numbers and names.
 *
 * Sources: E. Hastings et al., "Comparing global link arrangements for Dragonfly networks", IEEE Cluster 2015
 * (absolute, relative, circulant); C. Camarero, E. Vallejo, R. Beivide, "Topological characterization of Hamming and
 * dragonfly networks and its implications on routing", ACM TACO 11(4), 2014 (palmtree); B. Prisacari et al.,
 * "Performance optimization of load imbalanced workloads in large scale dragonfly systems", 2015 (randomised groups).
 * The trunking is this project's.
 */
#ifndef CW_TOPO_DRAGONFLY_H
#define CW_TOPO_DRAGONFLY_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/shape.h"

CW_BEGIN_DECLS

/* Channel q < used of group i leads to group j, where it is channel r, for far[i·used + q] = j·used + r. */
struct cw_dragonfly_wiring {
    uint32_t used; /* global channels of a group that lead somewhere: t·(g - 1) */
    uint32_t *far; /* [g · used], owned */
};

/* Cables of a dragonfly, hosts' included: UINT64_MAX if more than 64 bits. */
uint64_t cw_dragonfly_cables(const struct cw_dragonfly *shape);

/* The wiring of SHAPE, whose cables are fewer than 2^31. 0 or CW_ENOMEM; free with cw_dragonfly_wiring_free.
 * O(global channels). */
int cw_dragonfly_wire(const struct cw_dragonfly *shape, struct cw_dragonfly_wiring *out);
void cw_dragonfly_wiring_free(struct cw_dragonfly_wiring *wiring);

/* 0 if all global cables of NET, which has the shape of a dragonfly, are where its shape's arrangement has them, else
 * CW_EUSAGE: a network read from a file may have any. O(global channels). */
int cw_dragonfly_check_wiring(const struct cw_network *net);

CW_END_DECLS

#endif
