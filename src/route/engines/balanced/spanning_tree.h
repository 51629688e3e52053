/*
 * A spanning tree of the switches of a network, or of each of its parts. Not installed.
 */
#ifndef CW_ROUTE_SPANNING_TREE_H
#define CW_ROUTE_SPANNING_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Indexed by switch, v - n_endpoints. */
struct cw_spanning_tree {
    const struct cw_network *net;
    bool *leaf;                   /* [n] it has endpoints */
    uint32_t *up;                 /* [n] the channel to the parent; CW_NONE: a root */
    uint32_t *root;               /* [n] of its part */
    uint32_t *toward;             /* [n] the channel to the destination that was aimed at; CW_NONE: none in the tree */
    uint32_t *queue, *sum, *hops; /* [n] */
};

int cw_spanning_tree_new(const struct cw_network *net, struct cw_spanning_tree *tree);
void cw_spanning_tree_free(struct cw_spanning_tree *tree);

/* Grows the tree breadth first from a switch in the middle of the endpoints E with LANE_OF[E] = LANE: of those with the
 * fewest hops to a sample of them, the one with the most cables. O(channels). */
void cw_spanning_tree_grow(struct cw_spanning_tree *tree, const uint8_t *lane_of, uint8_t lane);

/* Turns it to endpoint DST. O(switches). */
void cw_spanning_tree_aim(struct cw_spanning_tree *tree, uint32_t dst);

CW_END_DECLS

#endif
