/*
 * Builds XGFTs from a shape.
 */
#ifndef CW_TOPO_XGFT_H
#define CW_TOPO_XGFT_H

#include "base/decls.h"
#include "net/network.h"
#include "net/shape.h"
#include "topo/topology.h"

CW_BEGIN_DECLS

/* The network of XGFT, numbered as net/shape.h says, without a title. Cables of each level must spread evenly over the
 * parents (m·up divisible by w). O(cables). */
int cw_xgft_build(const struct cw_xgft *xgft, const struct cw_link *link, struct cw_network **net);

CW_END_DECLS

#endif
