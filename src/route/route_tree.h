/*
 * The routes of all vertices to one destination: where they depend on the destination only, they are a tree, or what is
 * left of one where entries are missing or go round in circles. Not installed.
 */
#ifndef CW_ROUTE_ROUTE_TREE_H
#define CW_ROUTE_ROUTE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* In place of hops: what keeps a route from arriving. */
#define CW_TREE_HOLE UINT32_MAX       /* it ends at a missing entry, or at another endpoint, which forwards nothing */
#define CW_TREE_LOOP (UINT32_MAX - 1) /* it never ends */

#define CW_TREES 32 /* that are filled at a time */

/* The trees of N destinations. What is of switch s, v - n_endpoints, and of the destination at place i, is at
 * [s · n + i]: of one destination at [s]. */
struct cw_tree {
    const struct cw_routes *routes;
    uint32_t n, dst[CW_TREES];
    uint32_t *channel; /* the next one, or CW_NONE */
    uint32_t *hops;    /* to the destination, or one of the above */
    uint32_t *order;   /* switches (not their indices) from the leaves to the root, for all N destinations alike: each
                          comes before the next on its route */
    uint32_t n_order;  /* those on circles are missing in it */

    uint32_t *waiting; /* [switches] while `order` is found: switches that lead here and are not in it yet */
    uint32_t *level;   /* [switches] in `order` levels descend: hops to the end of the route that it was found for */
    bool sorted;       /* they are filled in, and do */
    uint32_t home;     /* the switch of the destinations filled in last, if there were several to choose from */
    uint32_t most;     /* of its destinations that are worth a try at a time */
};

struct cw_lft;

/* The entries of tables towards some destinations. */
struct cw_tree_columns {
    const uint8_t *narrow[CW_TREES]; /* of the switch with index s at [s]; NULL: they are wide */
    const uint16_t *wide[CW_TREES];
};

/* Those towards the N ≤ CW_TREES destinations DST. */
struct cw_tree_columns cw_tree_columns_of(const struct cw_lft *tables, const uint32_t *dst, uint32_t n);

/* The port by which the switch with index S sends to the destination at place I; where there is none, one that no
 * switch has. */
static inline uint32_t cw_tree_port(const struct cw_tree_columns *columns, uint32_t i, uint32_t s)
{
    if (columns->narrow[i]) return columns->narrow[i][s] == UINT8_MAX ? UINT16_MAX : columns->narrow[i][s];
    return columns->wide[i][s];
}

/* How many of the LEFT ≥ 1 destinations DST, from the first on, are on its switch; MOST at most, 1 if it has none. */
uint32_t cw_tree_neighbours(const struct cw_network *net, const uint32_t *dst, uint32_t left, uint32_t most);

/* ROUTES must be tables. */
int cw_tree_new(const struct cw_routes *routes, struct cw_tree *tree);
void cw_tree_free(struct cw_tree *tree);

/* The tree of destination DST. O(switches). */
void cw_tree_fill(struct cw_tree *tree, uint32_t dst);

/* The trees of the first of the LEFT ≥ 1 destinations DST: tree->n of them, at least one, whose switches have an order
 * in common, as those on one switch mostly have. An entry takes a third of the time then. Returns tree->n. */
uint32_t cw_tree_fill_several(struct cw_tree *tree, const uint32_t *dst, uint32_t left);

/* The first channel of the route from endpoint SRC to the destination at place I (CW_NONE: a hole), and the whole
 * route's hops or what is wrong with it. */
uint32_t cw_tree_start(const struct cw_tree *tree, uint32_t i, uint32_t src);
uint32_t cw_tree_route(const struct cw_tree *tree, uint32_t i, uint32_t src);

CW_END_DECLS

#endif
