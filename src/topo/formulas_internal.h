/*
 * What is known of a shape without a search: distances, the bisection, and halvings to begin a search with. A generator
 * names its shape's formulas in its descriptor (topo/topology.h); metrics and searches find them there. Private to
 * topo/.
 */
#ifndef CW_TOPO_FORMULAS_INTERNAL_H
#define CW_TOPO_FORMULAS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "topo/metrics.h"

CW_BEGIN_DECLS

/* NET is a network of the shape or one that was recognised as it (net/places.h); any function may be NULL. */
struct cw_formulas {
    const struct cw_shape_kind *shape;
    /* Exact distances between endpoints. CW_EUSAGE, with the reason, where these parameters have no formula. */
    int (*distances)(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out);
    /* Channels of a bisection, all being of equal capacity: 1 if *CHANNELS is known, 0 if it has no formula, or an
     * error. `bisection_how` says which cut it is. */
    int (*bisection)(const struct cw_network *net, const struct cw_shape *shape, double *channels);
    const char *bisection_how;
    /* Halvings of the endpoints that follow the shape: how many, and side[e] (0 or 1) of each endpoint in number I of
     * them. Endpoint e stands at cw_formula_place(net, e). */
    uint32_t (*halvings)(const struct cw_shape *shape);
    void (*halve)(const struct cw_network *net, const struct cw_shape *shape, uint32_t i, uint8_t *side);
};

/* Those of SHAPE, or NULL. */
const struct cw_formulas *cw_formulas_of(const struct cw_shape *shape);

/* The place of endpoint E in the network's shape; beside it, that of the first. */
static inline uint32_t cw_formula_place(const struct cw_network *net, uint32_t e)
{
    if (!net->places) return e;
    return net->places->place[e] == CW_NONE ? 0 : net->places->place[e];
}

CW_END_DECLS

#endif
