/*
 * Which vertices and channels of one network are those of another: two maps of one fabric, read on two days.
 */
#ifndef CW_NET_NETWORK_MATCH_H
#define CW_NET_NETWORK_MATCH_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Vertices are the same if they have the same GUID: a switch that of its node, an endpoint that of its port. Where one
 * of the two has none, names count. The order in the maps means nothing, nor do LIDs, which a fabric may give anew.
 * Channels are the same if they join the same vertices at the same ports on both sides. */
struct cw_network_match {
    const struct cw_network *before, *after; /* borrowed */
    uint32_t *before_vertex;                 /* [after->n_vertices] the same in BEFORE, or CW_NONE: it came */
    uint32_t *after_vertex;                  /* [before->n_vertices] … in AFTER, or CW_NONE: it went */
    uint32_t *before_channel;                /* [after->n_channels] */
    uint32_t *after_channel;                 /* [before->n_channels] */
};

/* Everything in a network is itself; so BEFORE may be AFTER. O(vertices + channels · log degree). Free with
 * cw_network_match_free, also after an error. */
CW_API int cw_network_match_find(const struct cw_network *before, const struct cw_network *after,
                                 struct cw_network_match *match);
CW_API void cw_network_match_free(struct cw_network_match *match);

CW_END_DECLS

#endif
