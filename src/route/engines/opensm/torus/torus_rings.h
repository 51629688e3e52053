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

/* A cell, and what says the ways from it and to it. */
struct cw_ring_place {
    uint32_t at[CW_LATTICE_DIMENSIONS];        /* coordinates */
    uint32_t column[CW_LATTICE_DIMENSIONS];    /* of a table: at · size */
    const uint8_t *way[CW_LATTICE_DIMENSIONS]; /* in its rings: [column of another place] the sign of the way there */
};

/* Tables are by (to, from), size² entries. */
struct cw_rings {
    const struct cw_lattice *lattice;
    struct cw_ring_place *place;           /* [n_cells] */
    uint8_t *way[CW_LATTICE_DIMENSIONS];   /* a table for each ring */
    uint8_t *ideal[CW_LATTICE_DIMENSIONS]; /* one for all: the sign if nothing were missing */
    uint8_t *wraps[CW_LATTICE_DIMENSIONS]; /* 1 if that way passes the dateline, between the last coordinate and 0 */
};

int cw_rings_new(const struct cw_lattice *lattice, struct cw_rings *rings);
void cw_rings_free(struct cw_rings *rings);

/* The group by which cell FROM sends to cell TO if there is no way in dimension D, which it would go first, or
 * CW_LATTICE_GROUPS if it goes in none. */
uint32_t cw_rings_detour(const struct cw_rings *rings, uint32_t from, uint32_t to, uint32_t d);

/* The group by which cell FROM sends to cell TO, another; CW_LATTICE_GROUPS if it has no way. */
static inline uint32_t cw_rings_group(const struct cw_rings *rings, uint32_t from, uint32_t to)
{
    const struct cw_ring_place *a = &rings->place[from], *b = &rings->place[to];
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        if (a->at[d] == b->at[d]) continue;
        const uint32_t sign = a->way[d][b->column[d]];
        if (sign != CW_RING_NO_WAY) return 2 * d + sign;
        const uint32_t group = cw_rings_detour(rings, from, to, d);
        if (group != CW_LATTICE_GROUPS) return group;
    }
    return CW_LATTICE_GROUPS;
}

/* The service levels of packets from cell FROM to every cell, LEVEL [n_cells]: a bit for each dimension whose dateline
 * they would pass if nothing were missing. */
void cw_rings_levels(const struct cw_rings *rings, uint32_t from, uint8_t *level);

CW_END_DECLS

#endif
