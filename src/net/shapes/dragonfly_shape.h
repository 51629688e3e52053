/*
 * Dragonflies of p endpoints a switch, a switches a group, h global channels a switch and g groups (Kim et al., ISCA
 * 2008). Endpoint (group·a + switch)·p + i; ports: p hosts, a - 1 local (to switch t: p + t or p + t - 1 past itself,
 * from 0), h global. Global channel q = switch·h + m of a group; which leads where is the arrangement's affair: see
 * topo/dragonfly.h.
 */
#ifndef CW_NET_DRAGONFLY_SHAPE_H
#define CW_NET_DRAGONFLY_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* How the global channels of dragonflies are wired: formulas in topo/dragonfly.h. */
enum cw_arrangement {
    CW_ARRANGEMENT_PALMTREE, /* the default */
    CW_ARRANGEMENT_RELATIVE,
    CW_ARRANGEMENT_CONSECUTIVE,
    CW_ARRANGEMENT_RANDOM
};

CW_API extern const char *const cw_arrangement_names[]; /* "palmtree", …: by enum cw_arrangement, ended by NULL */

struct cw_dragonfly {
    uint32_t p, a, h, g;  /* endpoints a switch, switches a group, global channels a switch, groups */
    uint32_t arrangement; /* enum cw_arrangement */
    uint32_t seed;        /* of a random arrangement, else 0 */
    uint32_t shuffle;     /* seed of the random order of groups in the wiring; 0: their numbers */
};

CW_END_DECLS

#endif
