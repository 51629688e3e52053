/*
 * Which way OpenSM's torus-2QoS goes around each ring of a torus, and so from switch to switch. Not installed.
 *
 * Dimensions are routed in the order x, y, z, each the shorter way round, half-way towards higher coordinates; where
 * that is interrupted, the other way. If the switch where the route should turn is missing, it goes towards it as far
 * as it can and turns there, into a turn that the order does not allow.
 */
#ifndef CW_ROUTE_TORUS_RINGS_H
#define CW_ROUTE_TORUS_RINGS_H

#include "route/engines/opensm/torus/torus_lattice.h"

CW_BEGIN_DECLS

#define CW_RING_NO_WAY 2u /* in place of a sign: 0 towards lower, 1 towards higher coordinates */

/* By dimension. Tables of a ring are by (to, from), size² entries. */
struct cw_rings {
    const struct cw_lattice *lattice;
    uint8_t *way[CW_LATTICE_DIMENSIONS];   /* of each ring, [n_cells · size]: the sign of the way that is there */
    uint8_t *ideal[CW_LATTICE_DIMENSIONS]; /* the sign if nothing were missing */
    bool *wraps[CW_LATTICE_DIMENSIONS];    /* that way passes the dateline, between the last coordinate and 0 */
};

/* The number of the ring along D through CELL. */
static inline uint32_t cw_rings_of(const struct cw_lattice *lattice, uint32_t cell, uint32_t d)
{
    return cell % lattice->stride[d] + cell / (lattice->stride[d] * lattice->size[d]) * lattice->stride[d];
}

int cw_rings_new(const struct cw_lattice *lattice, struct cw_rings *rings);
void cw_rings_free(struct cw_rings *rings);

/* The group by which cell FROM sends to cell TO, another; CW_LATTICE_GROUPS if it has no way. */
uint32_t cw_rings_group(const struct cw_rings *rings, uint32_t from, uint32_t to);

/* The service level of packets from cell FROM to cell TO: a bit for each dimension whose dateline they would pass if
 * nothing were missing. */
uint32_t cw_rings_level(const struct cw_rings *rings, uint32_t from, uint32_t to);

CW_END_DECLS

#endif
