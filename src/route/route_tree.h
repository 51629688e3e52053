/*
 * The routes of all vertices to one destination: where they depend on the destination only, they are a tree, or what is
 * left of one where entries are missing or go round in circles. Not installed.
 */
#ifndef CW_ROUTE_ROUTE_TREE_H
#define CW_ROUTE_ROUTE_TREE_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* In place of hops: what keeps a route from arriving. */
#define CW_TREE_HOLE UINT32_MAX       /* it ends at a missing entry, or at another endpoint, which forwards nothing */
#define CW_TREE_LOOP (UINT32_MAX - 1) /* it never ends */

/* Indexed by switch, v - n_endpoints. */
struct cw_tree {
    const struct cw_routes *routes;
    uint32_t dst;
    uint32_t *channel; /* the next one, or CW_NONE */
    uint32_t *hops;    /* to the destination, or one of the above */
    uint32_t
        *order; /* switches (not their indices) from the leaves to the root: each comes before the next on its route */
    uint32_t n_order;  /* those on circles are missing in it */
    uint32_t *waiting; /* while the tree is filled: switches that lead here and are not in `order` yet */
};

/* ROUTES must be tables. */
int cw_tree_new(const struct cw_routes *routes, struct cw_tree *tree);
void cw_tree_free(struct cw_tree *tree);

/* The tree of destination DST. O(switches). */
void cw_tree_fill(struct cw_tree *tree, uint32_t dst);

/* The first channel of the route from endpoint SRC (CW_NONE: a hole), and the whole route's hops or what is wrong with
 * it. */
uint32_t cw_tree_start(const struct cw_tree *tree, uint32_t src);
uint32_t cw_tree_route(const struct cw_tree *tree, uint32_t src);

CW_END_DECLS

#endif
