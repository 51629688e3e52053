/*
 * The search for the places of switches in a torus: what it knows so far. Not installed.
 */
#ifndef CW_ROUTE_TORUS_SEARCH_H
#define CW_ROUTE_TORUS_SEARCH_H

#include "route/engines/opensm/torus/torus_lattice.h"

CW_BEGIN_DECLS

/* A lattice under construction. */
struct cw_lattice_search {
    struct cw_lattice *lattice;
    const struct cw_lattice_config *config;
    bool *linked;     /* [n_channels] in a group */
    uint32_t *filled; /* [switches] entries of `channels` that are taken */
    bool linking;     /* a cable was entered since the last look */
    uint32_t twice;   /* a switch that would stand at a second place, or CW_NONE */
};

/* Enters the cables between a cell and the next in dimension D, in the order of the ports of the former. False if there
 * are more than a group may have. */
bool cw_lattice_link(struct cw_lattice_search *search, uint32_t cell, uint32_t d);

/* Puts V to CELL unless somebody stands there. False if V is CW_NONE or stands elsewhere. */
bool cw_lattice_place(struct cw_lattice_search *search, uint32_t cell, uint32_t v);

/* Places what can be placed in the cube of up to eight cells that begins at CELL, and enters its cables. */
void cw_lattice_look(struct cw_lattice_search *search, uint32_t cell);

CW_END_DECLS

#endif
