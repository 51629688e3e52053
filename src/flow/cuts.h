/*
 * A bound before any search: cuts around those who send, around those who receive, and through the middle.
 *
 * What leaves a set of vertices must pass the channels that leave it, so z ≤ their capacity / what is demanded from
 * inside to outside. Tried are the sets of all vertices within so many hops of any source; those of all beyond so many
 * hops from any destination; each vertex by itself, each switch with its endpoints, and, where the network's shape has
 * them, each part of its partitions (net/shape.h). Lengths of 1 on the channels of the least of these cuts prove its
 * bound, or a better one, like any other lengths (flow/pricing/pricing.h).
 */
#ifndef CW_FLOW_CUTS_H
#define CW_FLOW_CUTS_H

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

/* Sets LENGTH [channels], zeroed, to 1 on the channels of the least cut, and *BOUND to its bound in units of the
 * problem; INFINITY, and LENGTH as it was, if every cut that was tried has channels without a limit or no demand. Time:
 * (channels + demands) · (hops + partitions). */
int cw_cut_lengths(const struct cw_flow_problem *problem, double *length, double *bound);

CW_END_DECLS

#endif
