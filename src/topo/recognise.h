/*
 * Recognises fat trees and tori in maps that do not say what they are.
 *
 * What is recognised, whatever the order of vertices and ports: XGFTs (net/shape.h) of two or more levels, with bundles
 * of parallel cables; tori, meshes and hypercubes with at most one endpoint a switch. Something may be missing:
 * endpoints, as long as half the shape's places are taken; a tenth of the switches; and a tenth of the cables between
 * those that are there, cables too many counting as well (both rounded up). Endpoints that are no hosts — aggregation
 * nodes, routers — stand beside the shape. Everything else is refused rather than forced.
 *
 * At the edge of a mesh, where a cable less leaves switches in no square, they go to the only place that is free for
 * them.
 *
 * A ring of four switches is the same graph as two dimensions of size 2. It is taken for a ring, unless all port
 * numbers say that every cable of a dimension has one number at both ends, as in a hypercube.
 */
#ifndef CW_TOPO_RECOGNISE_H
#define CW_TOPO_RECOGNISE_H

#include "base/decls.h"
#include "net/faults.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Gives NET its shape if it has none and its numbering is a generator's, or net->places (net/places.h) if it is a shape
 * in another numbering or with gaps. A network that is none stays as it is. 0, or CW_ENOMEM. O(cables · degree). */
CW_API int cw_network_recognise(struct cw_network *net);

/* The network with FAULTS, recognised, or else with the places that it had. *OUT is owned by the caller. */
CW_API int cw_network_changed(const struct cw_faults *faults, struct cw_network **out);

CW_END_DECLS

#endif
