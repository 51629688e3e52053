/*
 * The shape of a generated network: what closed-form routes and exact formulas need to know about it.
 *
 * A generator leaves the shape in the network; JSON files keep it; a fabric read from a dump has none
 * (CW_SHAPE_NONE). The numbering of vertices and ports that a shape promises is stated here, once:
 *
 * XGFT(h; m_1…m_h; w_1…w_h) (Öhring et al., IPPS 1995). Endpoints are level 0. A vertex of level l has the digits
 *   (a_h … a_{l+1}, b_l … b_1); its index in the level is A·W_l + B with A = endpoint / (m_1…m_l) for every endpoint
 *   below it, W_l = w_1…w_l, B = (…(b_1·w_2 + b_2)·w_3 + …) + b_l. Levels follow one another in vertex order. Every
 *   vertex of level l < h has up[l] cables to the level above; cable k of the child with digit c = a_{l+1} leads to the
 *   parent with digit b_{l+1} = (up[l]·c + k) mod w_{l+1}, where it takes down port ⌊(up[l]·c + k) / w_{l+1}⌋. Where w
 *   divides up this is up/w parallel cables a pair; elsewhere (1.5 cables a pair in the papers' xgft(3,12,16,12,8)) it
 * is this project's convention, the papers give none. Ports: the down ports first, then up port k.
 *
 * TORUS (also mesh: wrap false; hypercube: k = 2). Node id = Σ x_i·k_0…k_{i-1}, dimension 0 fastest; node i is
 *   endpoint i on switch n_endpoints + i. Port numbers: 1 is the host, 2 + 2d leads to x_d + 1 and 3 + 2d to x_d - 1. A
 *   dimension of size 2 has one cable (port 2 + 2d at both ends), or two if `doubled`.
 *
 * DRAGONFLY(p, a, h, g): endpoint (group·a + switch)·p + i; ports: p hosts, a - 1 local (to switch t: p + t or
 *   p + t - 1 past itself, from 0), h global. Global channel q = switch·h + m of a group; which leads where is the
 *   arrangement's affair: see topo/dragonfly.h.
 *
 * CROSSBAR: one switch, endpoint i on port i + 1.
 */
#ifndef CW_NET_SHAPE_H
#define CW_NET_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_XGFT_LEVELS      16
#define CW_TORUS_DIMENSIONS 31

enum cw_shape_kind { CW_SHAPE_NONE, CW_SHAPE_XGFT, CW_SHAPE_TORUS, CW_SHAPE_DRAGONFLY, CW_SHAPE_CROSSBAR };

extern const char *const cw_shape_kind_names[]; /* "none", "xgft", …: by enum cw_shape_kind, ended by NULL */

struct cw_xgft {
    uint32_t h;
    uint32_t m[CW_XGFT_LEVELS + 1];  /* m[1] … m[h] */
    uint32_t w[CW_XGFT_LEVELS + 1];  /* w[1] … w[h] */
    uint32_t up[CW_XGFT_LEVELS + 1]; /* up[l]: cables of a vertex of level l = 0 … h-1 to level l+1 */
};

struct cw_torus {
    uint32_t n;                      /* dimensions */
    uint32_t k[CW_TORUS_DIMENSIONS]; /* size of each */
    bool wrap;                       /* torus; false: mesh */
    bool doubled;                    /* two cables in a dimension of size 2 (torus only) */
};

/* How the global channels of dragonflies are wired: formulas in topo/dragonfly.h. */
enum cw_arrangement {
    CW_ARRANGEMENT_PALMTREE, /* the default */
    CW_ARRANGEMENT_RELATIVE,
    CW_ARRANGEMENT_CONSECUTIVE,
    CW_ARRANGEMENT_RANDOM
};

extern const char *const cw_arrangement_names[]; /* "palmtree", …: by enum cw_arrangement, ended by NULL */

struct cw_dragonfly {
    uint32_t p, a, h, g;  /* endpoints a switch, switches a group, global channels a switch, groups */
    uint32_t arrangement; /* enum cw_arrangement */
    uint32_t seed;        /* of a random arrangement, else 0 */
    uint32_t shuffle;     /* seed of the random order of groups in the wiring; 0: their numbers */
};

struct cw_shape {
    enum cw_shape_kind kind;
    struct cw_xgft xgft; /* the one of `kind` is meaningful, the others are zero */
    struct cw_torus torus;
    struct cw_dragonfly dragonfly;
};

/* Endpoints and switches of SHAPE (not NONE and not CROSSBAR), which may be more than 32 bits: UINT64_MAX if more
 * than 64. */
uint64_t cw_shape_endpoints(const struct cw_shape *shape);
uint64_t cw_shape_switches(const struct cw_shape *shape);

/* True if SHAPE (of any kind) is one of a network with so many endpoints and switches. */
bool cw_shape_fits(const struct cw_shape *shape, uint64_t n_endpoints, uint64_t n_switches);

/* Vertices of level LEVEL (0 … h) of an XGFT. */
uint64_t cw_xgft_level_size(const struct cw_xgft *xgft, uint32_t level);

/* The name of vertex V of a network of this shape with N_ENDPOINTS endpoints, e.g. "h42" (endpoint), "s2.17" (XGFT
 * level 2, index 17), "s(3,0,1)" (torus), "g4s2" (dragonfly), "s0". Natural order of names = order of ids within
 * endpoints and within switches of XGFT and dragonfly. Writes at most SIZE bytes with the 0. */
void cw_shape_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, char *name, size_t size);

CW_END_DECLS

#endif
