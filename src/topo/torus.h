/*
 * Builds tori and meshes from a shape; for generators that choose the sizes themselves.
 */
#ifndef CW_TOPO_TORUS_H
#define CW_TOPO_TORUS_H

#include "base/decls.h"
#include "net/network.h"
#include "net/shape.h"
#include "topo/topology.h"

CW_BEGIN_DECLS

/* The network of TORUS, numbered as net/shape.h says, without a title. Sizes of at least 2, at most
 * CW_TORUS_DIMENSIONS of them. O(nodes · dimensions). */
int cw_torus_build(const struct cw_torus *torus, const struct cw_link *link, struct cw_network **net);

extern const struct cw_formulas cw_formulas_torus; /* topo/formulas_internal.h */

CW_END_DECLS

#endif
