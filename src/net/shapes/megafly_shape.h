/*
 * Megafly, also called Dragonfly+ (Shpiner et al., HiPINEB 2017; Flajslik et al., ISC 2018): g groups of l leaf and s
 * spine switches, each leaf joined to each spine of its group; p endpoints at a leaf, h global channels at a spine.
 * Switch group·(l + s) + i is leaf i, or from l on spine i - l; endpoint (group·l + leaf)·p + i. Ports of a leaf: p
 * hosts, s spines; of a spine: l leaves, h global channels. Global channel q = spine·h + m of a group; which leads
 * where is as in a dragonfly of s switches a group in the palmtree arrangement (topo/dragonfly.h).
 */
#ifndef CW_NET_MEGAFLY_SHAPE_H
#define CW_NET_MEGAFLY_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_megafly {
    uint32_t p, l, s, h, g; /* endpoints a leaf, leaves and spines a group, global channels a spine, groups */
};

CW_END_DECLS

#endif
