/*
 * A cluster of GPUs with a network rail for each of r network ports of a node: n nodes of g GPUs. The GPUs of a node
 * are joined by one switch, its NVLink domain, which has a cable to every rail, so that any GPU can use any of them.
 * Nodes stand in l pods of n/l nodes; a rail of a pod is one leaf switch, with a cable from each of the nodes. Each
 * leaf has a cable to each of s spines.
 *
 * Endpoint node·g + i. Switches: the nodes' 0 … n-1, leaf n + pod·r + rail, spine n + l·r + k. Ports of a node: g GPUs,
 * r rails; of a leaf: n/l nodes, s spines; of a spine: l·r leaves.
 */
#ifndef CW_NET_RAIL_SHAPE_H
#define CW_NET_RAIL_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_rail {
    uint32_t n, g, r, l, s; /* nodes, GPUs of a node, rails, pods, spines */
};

CW_END_DECLS

#endif
