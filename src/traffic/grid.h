/* Grids of ranks: rank x + X·(y + Y·z), x fastest. */
#ifndef CW_TRAFFIC_GRID_H
#define CW_TRAFFIC_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/units.h"

CW_BEGIN_DECLS

#define CW_GRID_DIMENSIONS 8 /* at most */

/* The SIZE in each of DIMENSIONS of the grid of N ranks: GRID, or, where that is empty, the most nearly square or cubic
 * one of up to 3, the smallest size first. CW_EUSAGE, in the name of OWNER, if GRID is not one of N ranks or has more
 * than CW_GRID_DIMENSIONS. */
int cw_grid_of(const char *owner, const struct cw_ints *grid, uint32_t dimensions, uint32_t n, uint32_t *size);

/* The rank next to I, up or down in DIMENSION; I itself where the grid ends there. A periodic one goes on at the
 * opposite face, and so a size of 1 leads back to I. */
uint32_t cw_grid_neighbour(const uint32_t *size, uint32_t i, uint32_t dimension, bool up, bool periodic);

CW_END_DECLS

#endif
