/*
 * The arithmetic of XGFTs (net/shape.h) that routes need: which vertex is where, and which cable leads where. Not
 * installed.
 */
#ifndef CW_ROUTE_XGFT_TREE_H
#define CW_ROUTE_XGFT_TREE_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

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

CW_END_DECLS

#endif
