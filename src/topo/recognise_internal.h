/*
 * What the recognition of fat trees and of tori share. Not installed.
 */
#ifndef CW_TOPO_RECOGNISE_INTERNAL_H
#define CW_TOPO_RECOGNISE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/shape.h"

CW_BEGIN_DECLS

/* What a map was taken for. PLACE is NULL if it is nothing of the kind. */
struct cw_likeness {
    struct cw_shape shape;
    uint32_t *place; /* [n_vertices], owned: vertex of the network of that shape, or CW_NONE */
};

/* 0 or CW_ENOMEM. NET has a switch with a host at least. */
int cw_recognise_xgft(const struct cw_network *net, struct cw_likeness *out);
int cw_recognise_torus(const struct cw_network *net, struct cw_likeness *out);

/* True if a shape with so many endpoints and switches may be that of NET, which has HOSTS hosts. */
bool cw_likeness_fits(const struct cw_network *net, uint32_t hosts, const struct cw_shape *shape);

/* True if endpoint E takes a place in a shape. */
bool cw_network_is_host(const struct cw_network *net, uint32_t e);

/* Sets of numbers below N that grow together; the least is the root. */
static inline uint32_t cw_set_of(uint32_t *sets, uint32_t i)
{
    while (sets[i] != i) i = sets[i] = sets[sets[i]];
    return i;
}
static inline void cw_join_sets(uint32_t *sets, uint32_t i, uint32_t j)
{
    i = cw_set_of(sets, i);
    j = cw_set_of(sets, j);
    if (i < j)
        sets[j] = i;
    else
        sets[i] = j;
}

/* --- the levels of a tree, for recognise_bundles.c ---------------------------------------------------------------- */

/* One of the two ways in which the vertices of an XGFT nest. Nodes of a level are the parts into which the network
 * falls that has only the levels up to it (or, the other way, from it on); a node's parent is the part that contains
 * it, one level further. */
struct cw_nesting {
    uint32_t *node;                        /* [n_vertices] of the vertex's own level */
    uint32_t n[CW_XGFT_LEVELS + 1];        /* nodes of each level */
    uint32_t *parent[CW_XGFT_LEVELS + 1];  /* [n], nodes of the next level; NULL at the last */
    uint32_t *digit[CW_XGFT_LEVELS + 1];   /* [n] which child of its parent */
    uint32_t children[CW_XGFT_LEVELS + 1]; /* the most that a node has; 0 at the first level */
};

struct cw_tree_levels {
    const struct cw_network *net;
    uint32_t h;
    uint8_t *level;                     /* [n_vertices]; CW_NO_LEVEL: beside the tree */
    uint32_t *order;                    /* vertices level by level */
    uint32_t begin[CW_XGFT_LEVELS + 2]; /* where each level begins in `order` */
    struct cw_nesting down;             /* parts of the levels up to one: their order is digits a */
    struct cw_nesting up;               /* parts of the levels from one on: digits b */
};

#define CW_NO_LEVEL UINT8_MAX

/* Orders the children of the nodes between level L and the next so that the cables lie as net/shape.h says where w does
 * not divide up: some pairs have one more than others. *GOOD: false if they lie otherwise. 0 or CW_ENOMEM. */
int cw_order_bundles(struct cw_tree_levels *tree, const struct cw_xgft *xgft, uint32_t l, bool *good);

CW_END_DECLS

#endif
