/*
 * The squares of a network of switches. In a torus or mesh, two cables of a switch in different dimensions are sides of
 * one square, and no other square has both. Not installed.
 */
#ifndef CW_TOPO_SQUARES_H
#define CW_TOPO_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

#define CW_GRID_DEGREE 62 /* neighbours at most: 31 dimensions */

/* The switches of a network, numbered from 0, and their joints: pairs joined by one cable or more. */
struct cw_grid {
    const struct cw_network *net;
    uint32_t n;      /* switches */
    uint32_t *first; /* [n + 1] */
    uint32_t *to;    /* neighbours, each once, ascending */
    uint32_t *joint; /* of each neighbour: the same number at both */
    uint32_t n_joints;
    uint8_t *cables; /* [n_joints] */
};

/* *GOOD is false if a switch has too many neighbours for a torus. O(cables · log degree). 0 or CW_ENOMEM. Free with
 * cw_grid_free in any case. */
int cw_grid_new(const struct cw_network *net, struct cw_grid *grid, bool *good);
void cw_grid_free(struct cw_grid *grid);

/* What is two joints away from a switch. */
struct cw_around {
    uint32_t *mark; /* [switches] zero in between; owned by the caller */
    uint32_t n;
    uint32_t far[CW_GRID_DEGREE * CW_GRID_DEGREE];
    uint32_t via[CW_GRID_DEGREE * CW_GRID_DEGREE][2]; /* indices in `to` of the neighbours between; the second may be
                                                         CW_NONE, else it is a square */
};

/* Looks around switch S; false if something is reached by three neighbours, as nothing is in a torus. O(degree²). */
bool cw_look_around(const struct cw_grid *grid, uint32_t s, struct cw_around *around);

/* The index in `to` of the neighbour TO of switch S, which it has. */
uint32_t cw_grid_index(const struct cw_grid *grid, uint32_t s, uint32_t to);

CW_END_DECLS

#endif
