/*
 * Routes of a recognised XGFT (net/places.h) past what is missing, and to endpoints beside the tree. Not installed.
 *
 * Each vertex decides by the destination only. Above the destination there is one way down, but for parallel cables: of
 * those that are there it takes D-mod-k's own, or the next behind it, beginning again at the first. Below, it goes up
 * by D-mod-k's cable if all of D-mod-k's way from there is there. Else it takes any parent from which the destination
 * can be reached, by D-mod-k's cable to it or the next one: destinations that would go alike try them in a circle, each
 * beginning behind the one before it, and so do blocks of sources, so that what is lost spreads over all that is left.
 * Routes go up and then down, as in the whole tree, and are as short.
 *
 * An endpoint beside the tree stands at a switch S. Routes to it go up until they are above S, then down to S, or stop
 * at S; the digits of the first endpoint below S, and so on with its other digits, choose among the ways up. Where no
 * such route exists — from a switch that has no ancestor in common with S, or has lost the cable it would need — routes
 * go down first until there is one, or up and then down, the next child or parent in a circle that leads there; these
 * hops are on lane 1, the others on lane 0.
 */
#ifndef CW_ROUTE_XGFT_DETOURS_H
#define CW_ROUTE_XGFT_DETOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/*
 * The arithmetic of XGFTs (net/shape.h) that routes need: which vertex is where, and which cable leads where.
 */
/* Products do not overflow: they are at most the number of vertices. */
struct cw_xgft_tree {
    const struct cw_network *net; /* has the shape, and is numbered as it says */
    const struct cw_xgft *shape;
    uint32_t block[CW_XGFT_LEVELS + 1]; /* M_l = m_1…m_l: endpoints below a vertex */
    uint32_t width[CW_XGFT_LEVELS + 1]; /* W_l = w_1…w_l: vertices of a block */
    uint32_t base[CW_XGFT_LEVELS + 1];  /* first vertex of the level */
};

/* A vertex of the tree: index a·width + b of its level. */
struct cw_xgft_vertex {
    uint32_t level, a, b;
};

static inline struct cw_xgft_tree cw_xgft_tree_of(const struct cw_network *net)
{
    struct cw_xgft_tree tree = {net, &net->shape.xgft, {1}, {1}, {0}};
    for (uint32_t l = 1; l <= tree.shape->h; l++) {
        tree.block[l] = tree.block[l - 1] * tree.shape->m[l];
        tree.width[l] = tree.width[l - 1] * tree.shape->w[l];
        tree.base[l] = tree.base[l - 1] + (uint32_t)cw_xgft_level_size(tree.shape, l - 1);
    }
    return tree;
}

static inline struct cw_xgft_vertex cw_xgft_vertex_of(const struct cw_xgft_tree *tree, uint32_t v)
{
    uint32_t l = 0;
    while (l < tree->shape->h && v >= tree->base[l + 1]) l++;
    const uint32_t index = v - tree->base[l];
    return (struct cw_xgft_vertex){l, index / tree->width[l], index % tree->width[l]};
}

static inline uint32_t cw_xgft_id(const struct cw_xgft_tree *tree, struct cw_xgft_vertex v)
{
    return tree->base[v.level] + v.a * tree->width[v.level] + v.b;
}

/* Down ports of a vertex of level L with index B in its block; the up ports follow them. */
static inline uint32_t cw_xgft_down_ports(const struct cw_xgft_tree *tree, uint32_t l, uint32_t b)
{
    if (l == 0) return 0;
    const uint32_t w = tree->shape->w[l], cables = tree->shape->m[l] * tree->shape->up[l - 1];
    return (cables + w - 1 - b % w) / w;
}

/* The number u_l of destination D (xgft_paths.h). */
static inline uint32_t cw_xgft_scale(const struct cw_xgft_tree *tree, uint32_t l)
{
    if (l == 0) return 1;
    return l == 1 ? tree->shape->up[0] : tree->block[l - 1];
}
static inline uint32_t cw_xgft_number(const struct cw_xgft_tree *tree, uint32_t l, uint32_t d)
{
    return d / cw_xgft_scale(tree, l) % tree->shape->up[l];
}

/* The cable of its group of siblings by which routes to endpoint D pass from level L to the next, and come back. */
static inline uint32_t cw_xgft_cable(const struct cw_xgft_tree *tree, uint32_t l, uint32_t d)
{
    return tree->shape->up[l] * (d / tree->block[l] % tree->shape->m[l + 1]) + cw_xgft_number(tree, l, d);
}

/* The up ports of a child with digit C that lead to the parent with digit B are first, first + w, …; their number. */
static inline uint32_t cw_xgft_bundle(uint32_t up, uint32_t w, uint32_t c, uint32_t b, uint32_t *first)
{
    *first = (uint32_t)((b + w - (uint64_t)up * c % w) % w);
    return (up - *first + w - 1) / w;
}

/* A network that has been recognised as a tree. */
struct cw_xgft_detours {
    const struct cw_network *net;
    const struct cw_places *places;
    struct cw_xgft_tree tree; /* of places->ideal */
};

struct cw_xgft_detours cw_xgft_detours_of(const struct cw_network *net);

/* The channels of the route from S to D, at most 4·h, and their lanes (NULL: nobody asks); their number, 0 if there is
 * no way (or S is D). O(h) where nothing is missing nearby. */
uint32_t cw_xgft_detour(const struct cw_xgft_detours *of, uint32_t s, uint32_t d, uint32_t *channels, uint8_t *lanes);

/* The hop from switch V towards endpoint D on that route; channel CW_NONE if there is no way. */
struct cw_hop cw_xgft_hop(const struct cw_xgft_detours *of, uint32_t v, uint32_t d);

/* The up channels by which routes from switch V to D may go, at most MAX; none where D is below V or
 * stands there, or must be gone down for. */
uint32_t cw_xgft_ways_up(const struct cw_xgft_detours *of, uint32_t v, uint32_t d, uint32_t *channels, uint32_t max);

/* True if there is a route between any two endpoints that stand in the tree or beside it at a switch. O(channels · h)
 * and, where much is missing in one place, the pairs of leaf switches concerned. */
bool cw_xgft_all_connected(const struct cw_xgft_detours *of);

CW_END_DECLS

#endif
