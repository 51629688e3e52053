/*
 * The tree of each destination of an XGFT under D-mod-k, from which all modulo-k routes come. Not installed.
 *
 * Let M_l = m_1…m_l. Destination d has at level l the number
 *     u_0 = d mod up[0],   u_1 = ⌊d / up[0]⌋ mod up[1],   u_l = ⌊d / M_{l-1}⌋ mod up[l] for l ≥ 2,
 * and traffic to it comes down to its own ancestor at level l by that one's up cable u_l. With a its digit a_{l+1},
 * that is cable q = up[l]·a + u_l of its group of siblings, so every route to d passes through the parent with digit
 * b_{l+1} = q mod w_{l+1} and leaves it by down port ⌊q / w_{l+1}⌋, wherever it comes from: the vertices on the way up
 * have the b digits of d's own ancestors. From the source's ancestor with digit c, the n cables that lead to this
 * parent are those k with (up[l]·c + k) mod w_{l+1} = b_{l+1}; taken is number ⌊q / w_{l+1}⌋ mod n of them, in order.
 * Where w_{l+1} divides up[l] this is cable u_l again, the same as on the way down.
 *
 * A route is thus: up channel at level l = (first channel of the block of vertices with the source's digits) + (an
 * offset that depends on d only), and down likewise with the destination's block. The offsets are kept for d mod M_l
 * where they depend on no more than that, which makes them few, and for every d elsewhere.
 *
 * In a network that was recognised as an XGFT (net/places.h) all this holds of places, and routes are carried over
 * channel by channel; those that would pass something missing, or concern an endpoint beside the tree, are found step
 * by step (xgft_detours.h).
 */
#ifndef CW_ROUTE_XGFT_PATHS_H
#define CW_ROUTE_XGFT_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/engines/xgft_detours.h"
#include "route/fast_divide.h"
#include "route/survey.h"

CW_BEGIN_DECLS

/* One level of vertices and the cables above and below it. */
struct cw_xgft_level {
    struct cw_divisor block; /* M_l */
    uint32_t modulus;        /* M_l where offsets are kept for d mod M_l; 0 where for every d */
    uint32_t stride;         /* channels of a block */
    struct {
        uint32_t up;   /* offset of the up channel towards d; none at the top */
        uint32_t down; /* offset of the down channel towards d; none at the bottom */
    } * offset;
    /* Where w does not divide up, the offset is the vertex's first up channel; port[c · slots + q] is added. */
    uint32_t *slot; /* q for every d, or NULL */
    uint32_t *port;
    uint32_t slots;    /* m_{l+1} · up[l] */
    uint32_t children; /* m_{l+1} */
};

/* What a route takes from its endpoints in a tree of at most four levels, one cache line each: the up channel at level
 * l is base[l] of the source plus up[l] of the destination, the way down the last entries of the destination's down. */
#define CW_XGFT_NEAR_LEVELS 4
struct cw_xgft_near {
    uint32_t base[CW_XGFT_NEAR_LEVELS]; /* first channel of the block at each level, less that of the level's first */
    uint32_t up[CW_XGFT_NEAR_LEVELS];
    uint32_t
        down[2 * CW_XGFT_NEAR_LEVELS]; /* from the top down to level 0; then zeros, so that four can always be read */
};

struct cw_xgft_paths {
    const struct cw_network *net;   /* the shape's own: places->ideal where there are places */
    const struct cw_network *real;  /* the one that is routed */
    struct cw_xgft_detours detours; /* places is NULL where the network has the shape itself */
    uint32_t h, max_hops, lanes;
    struct cw_xgft_near *near; /* [n_endpoints]; NULL in higher, larger or uneven trees */
    struct cw_xgft_level level[CW_XGFT_LEVELS + 1];
};

/* True if NET is, or was recognised as, an XGFT in which every vertex should have a cable to each of its parents, and
 * no more is missing than leaves a way up and down between all endpoints. O(1), or as cw_xgft_all_connected. */
bool cw_xgft_paths_accepts(const struct cw_network *net, const void *values);

/* O(endpoints · h). Memory: about 8 bytes an endpoint where offsets depend on d mod M_l, else up to 16·h; up to 65,536
 * endpoints 64 bytes more. */
int cw_xgft_paths_new(const struct cw_network *net, struct cw_xgft_paths **out);
void cw_xgft_paths_free(struct cw_xgft_paths *paths);

/* The channels of the D-mod-k route from S to D, at most max_hops; the result is their number. LANES may be NULL. */
uint32_t cw_xgft_path(const struct cw_xgft_paths *paths, uint32_t s, uint32_t d, uint32_t *channels, uint8_t *lanes);

/* The routes of a formula's batch (routes_internal.h). CW_EROUTE for an endpoint that is not connected. */
int cw_xgft_batch(const struct cw_xgft_paths *paths, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                  uint32_t *channels, uint32_t stride, uint8_t *lanes);

/* All of these routes at once (survey.h), where the network has the shape itself; BACKWARDS: from destination to
 * source, by twins, as S-mod-k has them. */
int cw_xgft_survey(const struct cw_xgft_paths *paths, bool backwards, struct cw_survey *survey);

CW_END_DECLS

#endif
