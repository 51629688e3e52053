/*
 * Tori; also meshes (wrap false) and hypercubes (all k = 2). Node id = Σ x_i·k_0…k_{i-1}, dimension 0 fastest; node i
 * is endpoint i on switch n_endpoints + i. Port numbers: 1 is the host, 2 + 2d leads to x_d + 1 and 3 + 2d to x_d - 1.
 * A dimension of size 2 has one cable (port 2 + 2d at both ends), or two if `doubled`.
 */
#ifndef CW_NET_TORUS_SHAPE_H
#define CW_NET_TORUS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_TORUS_DIMENSIONS 31

struct cw_torus {
    uint32_t n;                      /* dimensions */
    uint32_t k[CW_TORUS_DIMENSIONS]; /* size of each */
    bool wrap;                       /* torus; false: mesh */
    bool doubled;                    /* two cables in a dimension of size 2 (torus only) */
};

/* True for the shapes of Blue Gene/Q: five dimensions, the first of size 2. A hypercube is none. */
static inline bool cw_torus_is_bgq(const struct cw_torus *torus)
{
    bool longer = false;
    for (uint32_t d = 0; d < torus->n; d++) longer = longer || torus->k[d] > 2;
    return torus->wrap && torus->n == 5 && torus->k[0] == 2 && longer;
}

CW_END_DECLS

#endif
