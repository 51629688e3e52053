/*
 * The part of a network that is left without some of its vertices and cables.
 */
#ifndef CW_NET_PART_H
#define CW_NET_PART_H

#include <stdbool.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* What is left of NET without the vertices with KEEP_VERTEX[v] false, their cables, and those with KEEP_CHANNEL[c]
 * false in either direction. KEEP_VERTEX has n_vertices entries, KEEP_CHANNEL n_channels; NULL: all. Vertices and
 * channels keep their order, port numbers, names and identities. The shape, or what NET was recognised as, is lost
 * unless all are kept. *OUT is owned by the caller. O(vertices + channels). CW_ENOMEM, or CW_ELIMIT: a port number
 * above 65,535 would have to be kept. */
CW_API int cw_network_part(const struct cw_network *net, const bool *keep_vertex, const bool *keep_channel,
                           struct cw_network **out);

/* The same without endpoints only: KEEP has n_endpoints entries. */
CW_API int cw_network_keep_endpoints(const struct cw_network *net, const bool *keep, struct cw_network **out);

CW_END_DECLS

#endif
