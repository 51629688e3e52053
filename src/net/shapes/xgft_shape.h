/*
 * XGFT(h; m_1…m_h; w_1…w_h), the extended generalized fat tree (Öhring et al., IPPS 1995). Endpoints are level 0. A
 * vertex of level l has the digits (a_h … a_{l+1}, b_l … b_1); its index in the level is A·W_l + B with
 * A = endpoint / (m_1…m_l) for every endpoint below it, W_l = w_1…w_l, B = (…(b_1·w_2 + b_2)·w_3 + …) + b_l. Levels
 * follow one another in vertex order. Every vertex of level l < h has up[l] cables to the level above; cable k of the
 * child with digit c = a_{l+1} leads to the parent with digit b_{l+1} = (up[l]·c + k) mod w_{l+1}, where it takes down
 * port ⌊(up[l]·c + k) / w_{l+1}⌋. Where w divides up this is up/w parallel cables a pair; elsewhere (1.5 cables a pair
 * in the papers' xgft(3,12,16,12,8)) it is this project's convention, the papers give none. Ports: the down ports
 * first, then up port k.
 */
#ifndef CW_NET_XGFT_SHAPE_H
#define CW_NET_XGFT_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_XGFT_LEVELS 16

struct cw_xgft {
    uint32_t h;
    uint32_t m[CW_XGFT_LEVELS + 1];  /* m[1] … m[h] */
    uint32_t w[CW_XGFT_LEVELS + 1];  /* w[1] … w[h] */
    uint32_t up[CW_XGFT_LEVELS + 1]; /* up[l]: cables of a vertex of level l = 0 … h-1 to level l+1 */
};

/* Vertices of level LEVEL (0 … h); UINT64_MAX if they are more than 64 bits. */
CW_API uint64_t cw_xgft_level_size(const struct cw_xgft *xgft, uint32_t level);

CW_END_DECLS

#endif
