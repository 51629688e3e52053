/*
 * HyperX (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale networks", SC 2009) of n
 * dimensions: switches at the points of an S_0 x S_1 x … grid, joined to every other switch that differs in one
 * coordinate only, by K_d parallel cables in dimension d, with T endpoints each. Switch id = Σ x_d·S_0…S_{d-1},
 * dimension 0 fastest; endpoint switch·T + i. Ports: T hosts, then dimension by dimension the other switches of the row
 * in order of their coordinate, the K_d cables of each together.
 */
#ifndef CW_NET_HYPERX_SHAPE_H
#define CW_NET_HYPERX_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_HYPERX_DIMENSIONS 8

struct cw_hyperx {
    uint32_t n;                       /* dimensions */
    uint32_t s[CW_HYPERX_DIMENSIONS]; /* switches along each */
    uint32_t k[CW_HYPERX_DIMENSIONS]; /* cables between two switches of a row of each */
    uint32_t t;                       /* endpoints of a switch */
};

/* The port, counted from 1, of the first cable from a switch at X to the one at Y in dimension D, another one. */
static inline uint64_t cw_hyperx_port(const struct cw_hyperx *hyperx, uint32_t d, uint32_t x, uint32_t y)
{
    uint64_t port = (uint64_t)hyperx->t + 1;
    for (uint32_t i = 0; i < d; i++) port += (uint64_t)(hyperx->s[i] - 1) * hyperx->k[i];
    return port + (uint64_t)(y - (y > x)) * hyperx->k[d];
}

CW_END_DECLS

#endif
